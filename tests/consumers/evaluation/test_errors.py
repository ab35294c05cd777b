"""Page of errors: what it lists, that nothing in it can act or load, who may read it, and what it never says elsewhere."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from caspipe.consumers.evaluation.errors import ErrorPage, ErrorsConsumer
from caspipe.consumers.scoring.alignment import mistakes
from caspipe.consumers.scoring.document import Mark, Pair
from caspipe.pipeline.errors import CasError, ConsumerError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind

TEXT = "Dr. Ivy Featherstone of Ashgrove saw her on 3/4/2020.\r\nParkinson disease, aged 41 <b>."
GOLD = [("Ivy Featherstone", "PERSON_DOCTOR"), ("Ashgrove", "LOCATION_CITY"), ("3/4/2020", "DATE"), ("41", "AGE")]
SYSTEM = [("Featherstone", "PERSON_DOCTOR"), ("3/4/2020", "ID"), ("Parkinson", "PERSON"), ("41", "AGE")]
Tree = Any


def scored(id: str = "ward/note-1", text: str = TEXT) -> Cas:
    """One wrong border, one miss, one wrong kind, one false hit, one hit."""
    cas = Cas(text, id=id)
    gold = cas.create_view(GOLD_VIEW, text)
    for view, spans in ((gold, GOLD), (cas.view(), SYSTEM)):
        for words, kind in spans:
            begin = text.index(words)
            phi = Phi(begin, begin + len(words), kind=PhiKind.of(kind), confidence=0.75)
            phi._source = "models/crf"
            view.add(phi)
    return cas


def consumer(tmp_path: Path, **given: Any) -> ErrorsConsumer:
    made = ErrorsConsumer(**given)
    made.output = tmp_path
    made.open()
    return made


def written(tmp_path: Path, *documents: Cas, **given: Any) -> bytes:
    made = consumer(tmp_path, **given)
    for cas in documents or (scored(),):
        made.process(cas)
    made.close()
    return made.path.read_bytes()


def tree(data: bytes) -> Tree:
    return html.fromstring(data.decode())


def context(article: Tree) -> str:
    return str(article.xpath("string(p[@class='context'])"))


def facts(article: Tree) -> dict[str, str]:
    names = [dt.text_content() for dt in article.xpath(".//dt")]
    return dict(zip(names, [dd.text_content() for dd in article.xpath(".//dd")], strict=True))


def test_every_error_stands_in_its_group_with_its_facts(tmp_path: Path) -> None:
    page = tree(written(tmp_path))
    found = {s.get("id"): [facts(a) for a in s.xpath("article")] for s in page.xpath("//section")}
    assert found == {
        "missed": [{"Gold": "LOCATION_CITY 24–32", "Leaks": "8 code points"}],
        "bounds": [
            {
                "Gold": "PERSON_DOCTOR 4–20",
                "System": "PERSON_DOCTOR 8–20",
                "Source": "models/crf",
                "Confidence": "0.75",
                "Leaks": "4 code points",
            }
        ],
        "kind": [{"Gold": "DATE 44–52", "System": "ID 44–52", "Source": "models/crf", "Confidence": "0.75"}],
        "false": [{"System": "PERSON 55–64", "Source": "models/crf", "Confidence": "0.75"}],
    }
    assert [h.text_content() for h in page.xpath("//article/h3")] == ["ward/note-1"] * 4


def test_the_table_counts_by_kind(tmp_path: Path) -> None:
    page = tree(written(tmp_path, scored("a"), scored("b")))
    rows = [[c.text_content() for c in row] for row in page.xpath("//tbody/tr")]
    assert rows == [
        ["DATE", "0", "0", "2", "0", "0"],
        ["LOCATION_CITY", "2", "0", "0", "0", "2"],
        ["PERSON", "0", "0", "0", "2", "0"],
        ["PERSON_DOCTOR", "0", "2", "0", "0", "2"],
    ]
    assert "2 documents · 8 errors · 4 PHI spans leak" in page.text_content()


def test_context_is_marked_by_what_reference_and_system_say(tmp_path: Path) -> None:
    (article,) = tree(written(tmp_path, context=70)).xpath("//section[@id='bounds']/article")
    assert [(m.get("class"), m.text_content()) for m in article.xpath(".//mark")] == [
        ("leak", "Ivy "),
        ("both k-PERSON", "Featherstone"),
        ("leak", "Ashgrove"),
        ("both k-DATE", "3/4/2020"),
        ("extra k-PERSON", "Parkinson"),
        ("both k-AGE", "41"),
    ]
    assert article.xpath("string(.//span[@class='own'])") == "Ivy Featherstone"


def test_context_is_as_long_as_asked(tmp_path: Path) -> None:
    (article,) = tree(written(tmp_path, context=3)).xpath("//section[@id='missed']/article")
    assert context(article) == "…of Ashgrove sa…"
    (article,) = tree(written(tmp_path, context=0)).xpath("//section[@id='missed']/article")
    assert context(article) == "…Ashgrove…"


def test_line_breaks_are_shown_in_one_line(tmp_path: Path) -> None:
    (article,) = tree(written(tmp_path)).xpath("//section[@id='false']/article")
    assert ".↵Parkinson disease, aged 41 <b>." in context(article)


def test_kinds_are_compared_at_a_level(tmp_path: Path) -> None:
    cas = scored()
    cas.add(Phi(24, 32, kind=PhiKind.LOCATION))
    assert "kind" in consumer_groups(tmp_path, cas, "kind")["LOCATION_CITY"]
    assert "LOCATION_CITY" not in consumer_groups(tmp_path, cas, "top")


def consumer_groups(tmp_path: Path, cas: Cas, level: str) -> dict[str, set[str]]:
    page = tree(written(tmp_path, cas, level=level))
    found: dict[str, set[str]] = {}
    for section in page.xpath("//section"):
        for article in section.xpath("article"):
            found.setdefault(article.get("data-kind"), set()).add(section.get("id"))
    return found


def test_beyond_the_limit_errors_are_counted_only(tmp_path: Path) -> None:
    page = tree(written(tmp_path, *(scored(str(i)) for i in range(5)), limit=2))
    assert [len(s.xpath("article")) for s in page.xpath("//section")] == [2, 2, 2, 2]
    assert page.text_content().count("3 more are counted above but not shown.") == 4


def test_no_error_makes_a_page_that_says_so(tmp_path: Path) -> None:
    cas = Cas("Nothing.", id="a")
    cas.create_view(GOLD_VIEW, "Nothing.")
    page = tree(written(tmp_path, cas))
    assert (page.xpath("//article"), "1 document · 0 errors" in page.text_content()) == ([], True)


def test_file_and_folder_are_for_their_owner_only(tmp_path: Path) -> None:
    written(tmp_path)
    assert (tmp_path / "restricted").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "restricted/errors.html").stat().st_mode & 0o777 == 0o600


def test_a_page_lets_nothing_load_and_only_its_own_script_act(tmp_path: Path) -> None:
    data = written(tmp_path).decode()
    (policy,) = tree(data.encode()).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (script,), (style,) = (re.findall(f"<{tag}>(.*?)</{tag}>", data, re.DOTALL) for tag in ("script", "style"))
    for source in (script, style):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"https?://|\son\w+=|style=|src=", data)


@pytest.mark.parametrize(
    "evil",
    ["<script>alert(1)</script>", '"><img src=x onerror=y>', "</p></main>", "&lt;b&gt;", "'\x00\x1b\ud800"],
    ids=range(5),
)
def test_text_ids_and_sources_cannot_become_markup(evil: str) -> None:
    page = ErrorPage(context=60, limit=10)
    pair = Pair(evil, evil, [Mark(1, 3, "DATE")], [Mark(1, len(evil), evil, evil)], ([], []))
    page.add(pair, mistakes(pair))
    plain = ErrorPage(context=60, limit=10)
    same = Pair("x", "x" * len(evil), [Mark(1, 3, "DATE")], [Mark(1, len(evil), "x", "x")], ([], []))
    plain.add(same, mistakes(same))

    def tags(data: bytes) -> list[str]:
        return [e.tag for e in tree(data).iter() if isinstance(e.tag, str)]

    assert tags(page.html()) == tags(plain.html())


@pytest.mark.slow
@given(
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10), st.booleans()), max_size=6),
    st.integers(0, 12),
)
def test_any_spans_over_any_text_leave_the_text_whole(
    text: str, spans: list[tuple[int, int, bool]], around: int
) -> None:
    sides: tuple[list[Mark], list[Mark]] = ([], [])
    for begin, length, gold in spans:
        if begin < len(text):
            sides[gold].append(Mark(begin, min(begin + length, len(text)), "DATE"))
    pair = Pair("a", text, *sides, ([], []))
    found = mistakes(pair)
    page = ErrorPage(context=around, limit=100)
    page.add(pair, found)
    shown = [context(a) for a in tree(page.html()).xpath("//article")]
    expected = []
    for m in sorted(found, key=lambda m: ("missed", "bounds", "kind", "false").index(m.group)):
        low, high = max(0, m.begin - around), min(len(text), m.end + around)
        expected.append("…" * (low > 0) + text[low:high] + "…" * (high < len(text)))
    assert shown == expected


def test_the_same_documents_give_the_same_page(tmp_path: Path) -> None:
    assert written(tmp_path / "a") == written(tmp_path / "b")


def test_a_document_that_fails_later_is_not_on_the_page(tmp_path: Path) -> None:
    made = consumer(tmp_path)
    a, b = scored("first"), scored("second")
    made.process(a)
    made.process(b)
    made.rollback(b.id)
    made.rollback(b.id)
    made.close()
    data = made.path.read_text()
    assert ("first" in data, "second" in data) == (True, False)
    assert made.result == {"missed": 1, "bounds": 1, "kind": 1, "false": 1}


def test_a_run_that_breaks_down_leaves_the_page_of_before(tmp_path: Path) -> None:
    before = written(tmp_path)
    made = consumer(tmp_path)
    made.process(scored("b"))
    made.abort()
    assert made.path.read_bytes() == before
    assert [p.name for p in (tmp_path / "restricted").iterdir()] == ["errors.html"]


def test_errors_name_views_and_offsets_but_never_text(tmp_path: Path) -> None:
    made = consumer(tmp_path)
    with pytest.raises(CasError) as missing:
        made.process(Cas(TEXT, id="a"))
    cas = Cas(TEXT, id="a")
    cas.create_view(GOLD_VIEW, TEXT[:20])
    with pytest.raises(ConsumerError) as differing:
        made.process(cas)
    told = f"{missing.value} {differing.value} {made!r}"
    assert "gold" in told
    assert not any(word in told for word in re.findall(r"\w{5,}", TEXT))


@pytest.mark.parametrize("name", ["context", "limit"])
def test_numbers_below_zero_are_told(name: str) -> None:
    with pytest.raises(ValueError) as error:
        ErrorsConsumer(**{name: -1})  # type: ignore[arg-type]
    assert str(error.value) == f"{name}: expected 0 or more, got -1"


def test_a_file_in_place_of_the_folder_is_an_error_before_the_first_document(tmp_path: Path) -> None:
    (tmp_path / "restricted").write_text("")
    with pytest.raises(ConsumerError, match="expected a folder"):
        consumer(tmp_path)


@pytest.mark.slow
def test_it_is_written_in_a_run_only_where_it_is_asked_for(
    tmp_path: Path, listing: Callable[[Path], list[str]]
) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id": "a", "text": "Seen on 3/4/2020 by Ivy.", "spans": [{"begin": 20, "end": 23, "kind": "PERSON"}]}\n'
    )
    for number, consumers in enumerate(("[report]", "[errors]")):
        config = (
            f"reader: {{jsonl: {{files: [{tmp_path / 'a.jsonl'}], spans_field: spans}}}}\n"
            f"engines: [segmenter, dates, resolver]\nconsumers: {consumers}\nrun: {{output: {tmp_path / str(number)}}}\n"
        )
        Pipeline.parse(config).run()
    assert not any("errors" in name for name in listing(tmp_path / "0"))
    page = tree((tmp_path / "1/restricted/errors.html").read_bytes())
    assert list(itertools.chain(*(s.xpath("@id") for s in page.xpath("//section")))) == ["missed", "false"]
