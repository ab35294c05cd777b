"""The template language, its pools and sections: rendering and error messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.pipeline.errors import ResourceError
from caspipe.readers.synthetic.draws import Draws
from caspipe.readers.synthetic.library import Library, library, read_layout
from caspipe.readers.synthetic.names import Places, names
from caspipe.readers.synthetic.pattern import Age, compile_pattern
from caspipe.readers.synthetic.pieces import ARTICLE, BIG_ARTICLE, Piece, join, with_articles
from caspipe.readers.synthetic.pools import Pool
from caspipe.readers.synthetic.sections import Line, Section, read_sections, root
from caspipe.readers.synthetic.story import Story
from caspipe.readers.synthetic.template import compile_template, holds_phi, render


def story(number: int = 1, density: float = 1.0) -> Story:
    lib = library("en")
    return Story(lib, names(), lib.layouts["email"], Draws(1, number, "text"), density=density, unlisted=0.4)


def rendered(template: str, number: int = 1) -> list[Piece]:
    s = story(number)
    render(compile_template(template, library("en").slot, "here"), s)
    return s.out


def text_of(template: str, number: int = 1) -> str:
    return "".join(text for text, _ in rendered(template, number))


def test_escapes_stand_for_themselves() -> None:
    assert text_of(r"a\nb\t\[c\]\{d\}\\ | e") == "a\nb\t[c]{d}\\ | e"


def test_choices_nest_and_every_branch_comes() -> None:
    found = {text_of("x[a|b[c|]|]", n) for n in range(200)}
    assert found == {"xa", "xbc", "xb", "x"}


def test_slots_take_a_capital_and_remember() -> None:
    once = text_of("{symptom#1}/{symptom#1}/{Symptom#1}", 3).split("/")
    assert once[0] == once[1]
    assert once[2] == once[0][0].upper() + once[0][1:]
    assert text_of("{He} and {he}") in ("He and he", "She and she")


def test_spans_are_one_piece_and_stay_the_same_but_for_others() -> None:
    mrns = rendered("{mrn}{mrn other}{mrn other}", 4)
    assert [kind for _, kind in mrns] == ["ID_MEDICAL_RECORD"] * 3
    assert len({text for text, _ in mrns}) == 3
    hospitals = {rendered("{hospital}{hospital}", n)[0] == rendered("{hospital}{hospital}", n)[1] for n in range(40)}
    assert hospitals == {True, False}


def test_titles_stay_outside_and_initials_have_their_kind() -> None:
    for n in range(80):
        for text, kind in rendered("{doctor.formal}", n):
            assert kind == ("" if text.strip() in ("Dr.", "Dr", "Doctor", "Prof.") else "PERSON_DOCTOR")
    assert {kind for n in range(9) for _, kind in rendered("{patient.initials}", n)} == {"PERSON_INITIALS"}
    assert rendered("{doctor.email}")[0][1] == "EMAIL"
    assert rendered("{doctor.user}")[0][1] == "PERSON_USERNAME"


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("a {nosuch} b", "here: column 3: no slot {nosuch}"),
        ("a {symptm}", "here: column 3: no slot {symptm}; did you mean symptom?"),
        ("a [b|c", "here: column 3: '[' is never closed"),
        ("a {b", "here: column 3: '{' is never closed"),
        ("a ] b", "here: column 3: ']' closes nothing"),
        ("a\\", "here: column 2: a backslash at the end"),
        ("{n 9-2}", "here: column 1: expected a range like 2-9, got 9-2"),
        ("{x 3-4}", "here: column 1: x: expected a range like 3.5-5.1, got 3-4"),
        ("{digits 0}", "here: column 1: expected a number of characters, 1 to 64, got 0"),
        ("{age.nosuch}", "here: column 1: age: expected a form of ages.txt, got nosuch"),
        ("{say nosuch 2-3}", "here: column 1: say: no group nosuch"),
        ("{list pmh 2-3 dsh}", "here: column 1: list: expected a mark, one of dash, star, dot"),
        ("{say}", "here: column 1: say: expected groups, how many, and a mark"),
        ("{city elsewhere}", "here: column 1: city: expected nothing or 'other', got elsewhere"),
        ("{mrn another}", "here: column 1: mrn: expected nothing or 'other', got another"),
        ("{address x}", "here: column 1: address: expected nothing or 'office', got x"),
    ],
)
def test_faults_of_a_template_name_the_place(template: str, fault: str) -> None:
    with pytest.raises(ResourceError) as caught:
        compile_template(template, library("en").slot, "here")
    assert str(caught.value).startswith(fault)


def test_an_unknown_date_names_the_choices() -> None:
    with pytest.raises(ResourceError, match=r"here: column 1: date: expected one of next, same, .* got yesterday"):
        compile_template("{date yesterday}", library("en").slot, "here")


def test_a_template_knows_whether_it_holds_phi() -> None:
    slot = library("en").slot
    assert not holds_phi(compile_template("{symptom} [{drug}|{n 1-2}]", slot, ""))
    assert holds_phi(compile_template("{symptom} [|{date}]", slot, ""))


@pytest.mark.parametrize(
    ("following", "article"),
    [
        ("8-year-old", "an"), ("80", "an"), ("11", "an"), ("110", "a"), ("18", "an"), ("180", "a"), ("65", "a"),
        ("MRI", "an"), ("uterus", "a"), ("ulcer", "an"), ("one", "a"), ("onset", "an"), ("Xtra", "a"), ("old", "an"),
        ("hour", "an"), ("UTI", "a"), ("EKG", "an"), ("Foley", "a"), ("elderly", "an"), ("eu", "a"), ("", "a"),
    ],
)  # fmt: skip
def test_articles_fit_what_follows(following: str, article: str) -> None:
    pieces = [(ARTICLE, ""), (" ", ""), (following, "AGE"), (BIG_ARTICLE, ""), (following, "")]
    assert [t for t, _ in with_articles(pieces, ["a", "an"])][::3] == [article, article.capitalize()]


def test_join_gives_code_points() -> None:
    assert join([("\U0001f600 ", ""), ("Øst", "PERSON"), ("!", "")]) == ("\U0001f600 Øst!", [(2, 5, "PERSON")])


def section(*lines: str) -> Section:
    return Section(["things"], "f.txt:1", [Line(text, 1, f"f.txt:{n}") for n, text in enumerate(lines, 2)])


def pool(*lines: str) -> Pool:
    made = Pool(section(*lines))
    made.compile(library("en").slot)
    return made


def test_entries_come_only_to_patients_they_fit() -> None:
    p = pool("@female,grown she", "@male he", "@minor child")
    for n in range(60):
        s = story(n)
        p.run(s)
        said = s.out[0][0] if s.out else "nobody"
        fitting = {"she"} if s.facts >= {"female", "grown"} else {"child"} if "female" in s.facts else {"he", "child"}
        assert said in fitting


def test_a_pool_without_a_fitting_entry_says_nothing() -> None:
    s = story(density=0)
    pool("{date}").run(s)
    pool("@infant,elder never").run(s)
    assert s.out == []


def test_long_pools_do_not_repeat_themselves() -> None:
    p = pool(*(f"entry {n}" for n in range(40)))
    s = story()
    for _ in range(8):
        p.run(s)
    assert len({t for t, _ in s.out}) == 8


def test_a_pool_names_facts_nobody_knows() -> None:
    with pytest.raises(ResourceError, match=r"f.txt:2: no fact 'femal'; expected one of female, male"):
        pool("@femal x")


def test_patterns_mark_all_or_what_stands_between_guillemets() -> None:
    tokens = {"N": lambda a: str(a.years)}
    age = Age(days=23800, sex="male")
    assert compile_pattern(Line("{N} yo", 1, ""), tokens).pieces(age, "AGE") == [("65 yo", "AGE")]
    marked = compile_pattern(Line("in «DATE_YEAR|{N}» or «{N}»", 1, ""), tokens).pieces(age, "AGE")
    assert marked == [("in ", ""), ("65", "DATE_YEAR"), (" or ", ""), ("65", "AGE")]
    with pytest.raises(ResourceError, match=r"p:1: no token \{M\}"):
        compile_pattern(Line("{M}", 1, "p:1"), tokens)
    with pytest.raises(ResourceError, match="p:1: no PHI kind called 'DATES'"):
        compile_pattern(Line("«DATES|{N}»", 1, "p:1"), tokens)


@pytest.mark.parametrize(("days", "unit", "count", "kind"), [
    (3, "day", 3, "AGE"), (20, "week", 2, "AGE"), (200, "month", 6, "AGE"), (800, "year", 2, "AGE"),
    (32800, "year", 89, "AGE"), (32900, "year", 90, "AGE_OVER_89"),
])  # fmt: skip
def test_ages_are_counted_in_fitting_units(days: int, unit: str, count: int, kind: str) -> None:
    age = Age(days, "female")
    assert (age.unit, age.count, age.kind) == (unit, count, kind)


def test_files_say_where_they_are_wrong(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("entry\n== a ==\n", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"x.txt:1: expected a heading like '== name ==' before the first entry"):
        list(read_sections(file))
    file.write_text("# comment\n\n== a b ==\n2000* x\n", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"x.txt:4: expected a weight of 1 to 1000, got 2000"):
        list(read_sections(file))
    file.write_text("== a b ==\n3* x # y\nz\n", encoding="utf-8")
    (found,) = read_sections(file)
    assert found.words == ["a", "b"]
    assert [(line.text, line.weight) for line in found.lines] == [("x # y", 3), ("z", 1)]


def test_layouts_say_where_they_are_wrong(tmp_path: Path) -> None:
    def layout(text: str, name: str = "x.txt") -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        read_layout(tmp_path / name, library("en").slot)

    with pytest.raises(ResourceError, match=r"x.txt:1: no key 'wieght'; did you mean weight\?"):
        layout("# wieght: 3\nText\n")
    with pytest.raises(ResourceError, match=r"x.txt:1: weight: expected numbers"):
        layout("# weight: much\nText\n")
    with pytest.raises(ResourceError, match=r"x.txt: expected at least one line of a document"):
        layout("# weight: 3\n\n")
    with pytest.raises(ResourceError, match=r"x.txt:2: column 1: no slot"):
        layout("Text\n~50 {nosuch}\n")
    with pytest.raises(ResourceError, match="expected a name in snake_case"):
        layout("Text\n", "X 1.txt")


def test_lines_that_say_nothing_leave_no_gap(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("A\n\n{say pmh 0-0}\n\n~0 never\n~100 B\n@infant,elder C\n", encoding="utf-8")
    s = story()
    read_layout(tmp_path / "x.txt", library("en").slot).run(s)
    assert "".join(text for text, _ in s.out) == "A\n\nB\n"


def copied(tmp_path: Path) -> Path:
    """The English folder, to be damaged."""
    folder = tmp_path / "en"
    source = root().joinpath("en")
    for path in Path(str(source)).rglob("*.txt"):
        target = folder / path.relative_to(str(source))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize(
    ("file", "before", "after", "fault"),
    [
        ("spans.txt", "== mrn ID_MEDICAL_RECORD ==", "== mrn ID_MEDICAL ==", "no PHI kind called 'ID_MEDICAL'"),
        (
            "spans.txt",
            "== mrn ID_MEDICAL_RECORD ==",
            "== mrn ==",
            "expected a heading like '== mrn ID_MEDICAL_RECORD =='",
        ),
        ("words.txt", "== articles ==", "== article ==", "words.txt: expected a section articles"),
        ("words.txt", "he|any|he|she", "he|any|he", "words.txt: sexed: expected 4 cells between bars in every entry"),
        ("calendar.txt", "Wednesday\n", "", "calendar.txt: weekdays: expected 7 entries, found 6"),
        ("places.txt", "== states ==", "== cantons ==", "places.txt: expected a section states"),
        (
            "sentences/headers.txt",
            "== dobfield ==",
            "== opening ==",
            "headers.txt:.*opening is defined already, at clinical",
        ),
        ("dates.txt", "{M}/{D}/{YYYY}", "{Q}/{D}/{YYYY}", r"dates.txt:4: no token \{Q\}"),
    ],
)
def test_damaged_folders_say_what_is_wrong(tmp_path: Path, file: str, before: str, after: str, fault: str) -> None:
    folder = copied(tmp_path)
    text = (folder / file).read_text(encoding="utf-8")
    assert before in text
    (folder / file).write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ResourceError, match=fault):
        Library("en", folder)


def test_a_language_without_templates_names_those_with(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"no templates for 'xx'; there are: en"):
        library("xx")


def test_places_fit_together() -> None:
    places = Places(root().joinpath("en", "places.txt"))
    draws = Draws(1, 1, "places")
    found = [places.place(draws) for _ in range(400)]
    home = [p for p in found if p.country == places.home]
    assert 0.75 < len(home) / len(found) < 0.95
    assert all(p.state and len(p.code) == 2 and p.zip[:5].isdigit() for p in home)
    assert all(p.city and p.zip for p in found)
