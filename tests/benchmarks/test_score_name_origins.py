"""Tests of the scores of names by origin and context: the data, the counts, the page, and the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import score_name_origins
from benchmarks.notes.finding import Found
from benchmarks.origins import table
from benchmarks.origins.page import level, page
from benchmarks.origins.table import Shares, heads, is_masked, rows, summary, tallied
from benchmarks.origins.texts import SENTENCES, Case, cases, filled, names, sections
from caspipe.consumers.scoring import Mark


def test_there_are_twenty_different_names_of_twelve_origins() -> None:
    every = names()
    assert len(every) == 12
    assert {len(set(people)) for people in every.values()} == {20}
    full = [person for people in every.values() for person in people]
    assert len(set(full)) == len(full)


def test_there_are_two_texts_for_each_of_sixteen_contexts() -> None:
    contexts = sections(SENTENCES)
    assert len(contexts) == 16
    assert {len(set(lines)) for lines in contexts.values()} == {2}


def test_every_case_holds_its_name_where_it_says() -> None:
    every = list(cases())
    assert len(every) == 12 * 20 * 16 * 2
    forms = {
        form.casefold()
        for people in names().values()
        for given, surname in people
        for form in (given, surname, f"{given} {surname}", f"{surname}, {given}")
    }
    assert all(case.text[case.begin : case.end].casefold() in forms for case in every)
    assert all("{" not in case.text and "\\" not in case.text for case in every)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("{name} ate.", "Ana Li ate."),
        ("Re:\\t{last_first}\\n", "Re:\tLi, Ana\n"),
        ("PT {NAME}", "PT ANA LI"),
        ("PT {SURNAME}", "PT LI"),
        ("pt {surname_lower} npo", "pt li npo"),
    ],
)
def test_sentences_are_filled(sentence: str, text: str) -> None:
    made, begin, end = filled(sentence, "Ana", "Li")
    assert made == text
    assert made[begin:end].casefold() in ("ana li", "li, ana", "li")


def test_a_sentence_needs_one_known_slot() -> None:
    for sentence in ("no slot", "{given} {surname}", "{nickname} ate."):
        with pytest.raises(ValueError, match="expected one slot of name, given, surname"):
            filled(sentence, "Ana", "Li")


def test_files_are_told_their_faults(tmp_path: Path) -> None:
    file = tmp_path / "n.txt"
    file.write_text("# comment\nAna\tLi\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"n\.txt: line 2: expected a heading in brackets"):
        names(file)
    file.write_text("[x]\nAna Li\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"n\.txt: x: expected given name, tab, surname in each line"):
        names(file)


@pytest.mark.parametrize(
    ("spans", "masked"),
    [([(0, 6)], True), ([(0, 3), (4, 6)], True), ([(0, 3)], False), ([(0, 5)], False), ([], False), ([(0, 9)], True)],
)
def test_a_name_counts_if_every_letter_is_found(spans: list[tuple[int, int]], masked: bool) -> None:
    case = Case("x", "y", "Ana Li ate.", 0, 6)
    assert is_masked(case, Found(tuple(Mark(b, e, "DATE") for b, e in spans))) is masked


def shares(name: str = "now") -> Shares:
    text = "Ana Li ate."
    every = [Case(origin, context, text, 0, 6) for origin in ("A", "B") for context in ("c", "d") for _ in range(2)]
    hits = [1, 1, 1, 0, 1, 0, 0, 0]
    return tallied(name, "2026-11-23", every, [Found((Mark(0, 6, "PERSON"),) if hit else ()) for hit in hits])


def test_shares_worst_cell_and_spread() -> None:
    one = shares()
    assert one.counts == {"A": {"c": (2, 2), "d": (1, 2)}, "B": {"c": (1, 2), "d": (0, 2)}}
    assert summary(one) == "now: average 0.500; worst cell B, d 0.000; spread by origin 0.500 (A 0.750, B 0.250)"
    assert heads(one) == ["context", "A", "B", "all"]
    assert rows(one) == [["c", "1.00", "0.50", "0.75"], ["d", "0.50", "0.00", "0.25"], ["all", "0.75", "0.25", "0.50"]]


def test_shares_survive_json(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    table.write(file, [shares()])
    assert table.read(file) == [shares()]
    assert table.read(file, "before")[0].name == "before"
    file.write_text("[1]", encoding="utf-8")
    with pytest.raises(ValueError, match=r"s\.json: expected shares as --json writes them: TypeError"):
        table.read(file)


def test_the_page_colors_every_cell() -> None:
    assert [level(share) for share in ("0.00", "0.09", "0.55", "1.00")] == ["s0", "s0", "s5", "s10"]
    shown = page([shares()]).decode()
    assert '<td class="s10">1.00</td>' in shown
    assert shown.count('<td class="s') == 9
    css = (Path(table.__file__).parent / "static" / "origins.css").read_text(encoding="utf-8")
    assert all(f".s{n} " in css for n in range(11))


def test_the_command_writes_all_three_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = [case for case in cases() if case.context in ("after Dr.", "surname, lower case")][::8]
    monkeypatch.setattr(score_name_origins, "cases", lambda: iter(few))
    config = tmp_path / "names.yaml"
    config.write_text("engines: [segmenter, names, resolver, masker]\n", encoding="utf-8")
    told, html, markdown = (tmp_path / name for name in ("s.json", "s.html", "s.md"))
    markdown.write_text("<!-- begin: origins -->\n<!-- end: origins -->\n", encoding="utf-8")
    assert score_name_origins.main([str(config), "--json", str(told)]) == 0
    given = [str(config), "--compare", str(told), "--html", str(html), "--markdown", str(markdown)]
    assert score_name_origins.main(given) == 0
    assert "before: average" in capsys.readouterr().out
    (one,) = table.read(told)
    assert one.of_context("after Dr.") == 1.0 > one.of_context("surname, lower case")
    lines = markdown.read_text(encoding="utf-8").splitlines()
    assert "| origin | after Dr. | surname, lower case | all |" in lines
    assert sum(line.startswith("| ") for line in lines) == 2 + 12 + 1
    assert html.read_bytes().count(b"<h2>") == 2


def test_the_command_tells_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score_name_origins.main(["deidentify", "--checkout", str(tmp_path)]) == 1
    assert "expected an environment .venv with caspipe, found none" in capsys.readouterr().err
