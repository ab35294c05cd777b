"""The list of a site over all finders: what it lets stand, what it masks, and what it must not let stand."""

from __future__ import annotations

import pickle
import re
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.annotators.site_lists import SiteList
from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import Cas, KnownPhi, Leak, Phi, PhiKind

ENGINES = (
    "engines: [segmenter, known_phi, {{aggregate: {{id: rules, engines: [dates, ages, identifiers, names]}}}}, {more}"
    "{{site: {{lists: {lists}}}}}, resolver, masker, leak_gate]\n"
)
SITE = """\
allow:
  - Whipple
  - Whipple procedure
  - {words: [may, will], case: exact}
  - {pattern: "Code [A-Z][a-z]+ Alert"}
deny:
  - {words: [Elm, Ward 5 West, "O'Neil", "Rose-Pavilion"], kind: LOCATION_DEPARTMENT}
  - {words: [Zorblatt, May], kind: PERSON_DOCTOR, case: capitals}
  - {pattern: "W-[0-9]{3}", kind: LOCATION_ROOM}
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "site.yaml"
    path.write_text(SITE, encoding="utf-8")
    return path


def pipeline(site: Path | None, more: str = "") -> Pipeline:
    return Pipeline.parse(ENGINES.format(lists="null" if site is None else site, more=more))


def masked(cas: Cas) -> str:
    assert not cas.view("deidentified").select(Leak)
    return re.sub(r"\[[A-Z_]+\]", "#", cas.deidentified)


DENIED = [
    ("Moved to Elm today.", "Moved to # today."),
    ("Moved to ELM, then elm.", "Moved to #, then #."),
    ("Elm's nurses called.", "#'s nurses called."),
    ("Moved to Ward 5\n  West today.", "Moved to # today."),
    ("Moved to ward-5-west today.", "Moved to # today."),
    ("Seen on O’Neil and ONeil.", "Seen on # and #."),
    ("In the rose pavilion today.", "In the # today."),
    ("Room W-301 is free.", "Room # is free."),
    ("Spoke to ZORBLATT.", "Spoke to #."),
    ("Pre-Elm-post.", "Pre-#-post."),
]
NOT_DENIED = [
    "The helm and elms are fine.",
    "It may rain.",
    "zorblatt is no name in small letters.",
    "W-30 and AW-3012.",
]


@pytest.mark.attack("site-lists")
@pytest.mark.parametrize(("text", "expected"), DENIED)
def test_a_denied_word_is_always_masked(site: Path, text: str, expected: str) -> None:
    assert masked(pipeline(site).process(text)) == expected


@pytest.mark.attack("site-lists")
@pytest.mark.parametrize("text", NOT_DENIED)
def test_what_only_resembles_a_denied_word_stands(site: Path, text: str) -> None:
    assert masked(pipeline(site).process(text)) == text


@pytest.fixture(autouse=True)
def finder(tmp_path: Path) -> Path:
    rules = tmp_path / "finder.yaml"
    rules.write_text(
        "rules:\n  - {name: any, kind: PERSON, pattern: '[A-Z][A-Za-z]+|whipple|will', confidence: 0.9}\n",
        encoding="utf-8",
    )
    return rules


def found_everywhere(site: Path, finder: Path, text: str, *known: KnownPhi) -> str:
    cas = Cas(text)
    for item in known:
        cas.add(item)
    return masked(pipeline(site, more=f"{{patterns: {{rules: {finder}}}}}, ").process(cas))


ALLOWED = [
    ("after the Whipple it went well.", None),
    ("s/p Whipple's, WHIPPLE and\nWhipple.", None),
    ("a Whipple procedure, a Whipple\nprocedure, a Whipple-procedure.", None),
    ("he will go.", None),
    ("heard Code Blue Alert twice.", None),
    ("see Whipple-type resection.", None),
]
NOT_ALLOWED = [
    "spoke to Dr. Whipple.",
    "spoke to Dr Whipple's.",
    "spoke to Mrs.\nWhipple.",
    "spoke to George Whipple.",
    "spoke to Whipple, George.",
    "spoke to George\nWhipple.",
    "spoke to G. Whipple.",
    "spoke to George-Whipple.",
    "name: Whipple",
    "surgeon: Whipple",
    "signed by Whipple, MD.",
    "husband Whipple came.",
    "then Whipple denies pain.",
    "Whipple is a 64 year old man.",
    "then Whipple, 64 y/o, came.",
    "done by Whipple.",
    "seen whipple.",
    "spoke to Will.",
    "spoke to Whippleton.",
]


@pytest.mark.attack("site-lists")
@pytest.mark.parametrize(("text", "expected"), ALLOWED)
def test_an_allowed_word_stands_whatever_finds_it(site: Path, finder: Path, text: str, expected: str | None) -> None:
    assert found_everywhere(site, finder, text) == (text if expected is None else expected)


@pytest.mark.attack("site-lists")
@pytest.mark.parametrize("text", NOT_ALLOWED)
def test_an_allowed_word_that_names_a_person_is_masked(site: Path, finder: Path, text: str) -> None:
    assert re.search(r"whipple|Will", found_everywhere(site, finder, text), re.IGNORECASE) is None


@pytest.mark.attack("site-lists")
def test_a_name_in_a_text_is_masked_everywhere_in_it_except_in_a_longer_entry(site: Path, finder: Path) -> None:
    text = "seen by Dr. Whipple. A Whipple procedure is planned; then Whipple left."
    result = found_everywhere(site, finder, text)
    assert result.count("Whipple") == 1 and "# Whipple procedure is planned" in result.replace("A Whipple", "# Whipple")


@pytest.mark.attack("site-lists")
def test_known_phi_of_the_record_wins_over_the_list(site: Path, finder: Path) -> None:
    known = KnownPhi(kind=PhiKind.PERSON_PATIENT, value="John Whipple", role="patient")
    assert found_everywhere(site, finder, "after the Whipple in march.", known).count("Whipple") == 0
    other = KnownPhi(kind=PhiKind.PERSON_PATIENT, value="John Zorn", role="patient")
    assert found_everywhere(site, finder, "after the Whipple in march.", other).count("Whipple") == 1


@pytest.mark.attack("site-lists")
def test_the_longer_of_overlapping_entries_counts_and_deny_wins_otherwise(tmp_path: Path, finder: Path) -> None:
    site = tmp_path / "both.yaml"
    site.write_text(
        "allow: [Elm catheter, Blue Room, {pattern: 'Oak'}]\n"
        "deny: [{words: [Elm, Room Nine, Oak], kind: LOCATION_DEPARTMENT}]\n",
        encoding="utf-8",
    )
    assert found_everywhere(site, finder, "an Elm catheter in Elm.") == "an Elm catheter in #."
    assert "Nine" not in found_everywhere(site, finder, "the Blue Room Nine.")
    assert "Oak" not in found_everywhere(site, finder, "the Oak.")


@pytest.mark.attack("site-lists")
def test_the_gate_agrees_with_the_list(tmp_path: Path) -> None:
    """A denied word that the resolver dropped is a leak that is repaired, an allowed word is none."""
    site = tmp_path / "site.yaml"
    site.write_text(
        "allow: [Quellmore]\ndeny: [{words: [Elm, Zorblatt], kind: LOCATION_DEPARTMENT}]\n", encoding="utf-8"
    )
    text = "Admitted to Quellmore Memorial Hospital. Quellmore scale: 3. Then Elm, zor-\n  blatt."
    config = ENGINES.format(lists=site, more="").replace("resolver,", "{resolver: {threshold: 1, evidence: [site]}},")
    cas = Pipeline.parse(config.replace("threshold: 1, ", "")).process(text)
    released = masked(cas)
    assert "Elm" not in released and "blatt" not in released and "Quellmore scale" in released
    reasons = {p.covered_text: p.reason for p in cas.select(Phi)}
    assert reasons["Elm"] == "repaired: a word that the site list denies"


@pytest.mark.attack("site-lists")
def test_why_names_the_entry_without_text(site: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("seen in Elm. Dr. Whipple came. A Whipple procedure.", encoding="utf-8")
    config = tmp_path / "p.yaml"
    config.write_text(ENGINES.format(lists="null", more=""), encoding="utf-8")

    def why(offset: int) -> str:
        done = CliRunner().invoke(app, ["why", str(config), str(note), str(offset), "--site", str(site)])
        assert done.exit_code == 0, done.output
        assert "Whipple" not in done.output and "Elm" not in done.output
        return done.output

    assert "denied by site.yaml:7" in why(9)
    assert "site.allow.not_applied site.yaml:2: a title, label or credential beside it" in why(18)
    assert "site.allow site.yaml:3" in why(34)


@pytest.mark.attack("site-lists")
def test_a_run_with_workers_applies_the_list_of_the_command_line(site: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for i in range(4):
        (notes / f"n{i}.txt").write_text("In Elm after the Whipple; Dr. Ames.", encoding="utf-8")
    outputs = set()
    for workers in ("0", "2"):
        out = tmp_path / f"out{workers}"
        done = CliRunner().invoke(
            app,
            f"run deidentify-fast --site {site} -q -w {workers} --set reader.text.folder={notes} --set run.output={out}".split(),
        )
        assert done.exit_code == 0, done.output
        outputs.add(tuple(f.read_text() for f in sorted((out / "release" / "text").rglob("*.txt"))))
    ((first, *_),) = outputs
    assert "Elm" not in first and "after the Whipple" in first and "Ames" not in first


@pytest.mark.attack("site-lists")
@pytest.mark.usefixtures("no_plugins")
def test_a_bundle_contains_the_list_and_the_files_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text("id,surname\n1,Zorblatt\n2,Zorblatt\n", encoding="utf-8")
    (tmp_path / "site.yaml").write_text(
        "deny: [{file: staff.csv, column: surname, kind: PERSON_DOCTOR, case: capitals}]\n", encoding="utf-8"
    )
    (tmp_path / "p.yaml").write_text(ENGINES.format(lists="site.yaml", more=""), encoding="utf-8")
    done = CliRunner().invoke(app, ["pack", str(tmp_path / "p.yaml"), "-o", str(tmp_path / "b.zip")])
    assert done.exit_code == 0, done.output
    (tmp_path / "staff.csv").unlink()
    assert masked(Pipeline.load(tmp_path / "b.zip", trust=True).process("told zorblatt.")) == "told zorblatt."
    assert masked(Pipeline.load(tmp_path / "b.zip", trust=True).process("told Zorblatt.")) == "told #."


FAULTS = [
    ("allow: [{words: [Elm, elm], case: any}]\n", "site.yaml:1: an entry is given twice, first in site.yaml:1"),
    ("deny: [{words: [Elm], kind: PERSN}]\n", "kind: no PHI kind called 'PERSN'; did you mean PERSON?"),
    ("deny: [{words: [Elm], kind: LOCATION, case: capitols}]\n", "case: no such rule; did you mean capitals?"),
    ("deny: [Elm]\n", "site.yaml:1: deny[0]: expected a kind: {words: [...], kind: LOCATION_DEPARTMENT}"),
    ("deny: [{words: [Elm]}]\n", "kind is missing: expected the name of a PHI kind"),
    ("allow:\n  - Elm\n  - Elm\n", "site.yaml:3: an entry is given twice, first in site.yaml:2"),
    (
        "allow:\n  - Elm\ndeny:\n  - {words: [ELM], kind: LOCATION}\n",
        "site.yaml:4: an entry in allow and deny, first in site.yaml:2; give one of them another case",
    ),
    (
        "deny:\n  - {words: [Elm], kind: LOCATION}\n  - {words: [Elm], kind: PERSON}\n",
        "site.yaml:3: an entry has the kind LOCATION already, first in site.yaml:2",
    ),
    ("allow:\n  - {pattern: 'a(?=b)'}\n", "site.yaml:2: pattern: look-ahead `(?=` is not supported"),
    ("allow:\n  - {pattern: 'x*'}\n", "site.yaml:2: pattern: it matches the empty text"),
    ("allow:\n  - {pattern: '[A-Z][a-z]+'}\n", "site.yaml:2: pattern: it allows any name, so PHI would stand"),
    ("allow:\n  - {pattern: '[0-9]+'}\n", "site.yaml:2: pattern: it allows any number, so PHI would stand"),
    ("allow: ['--']\n", "site.yaml:1: expected a word or phrase, found no letter or digit"),
    ("alow: [Elm]\n", "no such key 'alow'; did you mean allow?"),
    ("allow: [{wrods: [Elm]}]\n", "no such key 'wrods'; did you mean words?"),
    ("allow: [{words: [Elm], kind: PERSON}]\n", "kind: what is allowed has no kind"),
    ("allow: [no]\n", "expected a word, or a mapping with words, pattern or file; got true or false (quote it)"),
    ("deny: [{file: staf.csv, kind: PERSON}]\n", "no file called 'staf.csv'; did you mean staff.csv?"),
    ("deny: [{file: staff.csv, kind: PERSON}]\n", "staff.csv:1: expected a header with word; no word"),
    ("deny: [{file: names.txt}]\n", "names.txt:1: kind is missing where this file is named"),
    ("allow: {\n", "site.yaml:2: invalid YAML"),
]


@pytest.mark.attack("site-lists")
@pytest.mark.parametrize(("text", "told"), FAULTS)
def test_faults_have_file_and_line_and_quote_no_entry(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "staff.csv").write_text("id,surname\n1,Zorblatt\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("Zorblatt\n", encoding="utf-8")
    (tmp_path / "site.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        pipeline(tmp_path / "site.yaml")
    assert told in str(raised.value)
    assert "Zorblatt" not in str(raised.value) and "Elm" not in str(raised.value).replace("(quote it)", "")


@pytest.mark.attack("site-lists")
def test_a_table_is_a_site_list(tmp_path: Path) -> None:
    table = tmp_path / "site.csv"
    table.write_text(
        "list,word,pattern,kind,case\nallow,Whipple,,,\ndeny,Elm,,LOCATION_DEPARTMENT,\ndeny,,W-[0-9]{3},LOCATION_ROOM,exact\n",
        encoding="utf-8",
    )
    assert masked(pipeline(table).process("In elm, W-301, after the Whipple.")) == "In #, #, after the Whipple."
    table.write_text("list,word,kind\nallow,Whipple,\ndenny,Elm,LOCATION\ndeny,Oak,LOCATON\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        pipeline(table)
    assert "site.csv:3: list: expected allow or deny; did you mean deny?" in str(raised.value)
    assert "site.csv:4: kind: no PHI kind called 'LOCATON'; did you mean LOCATION?" in str(raised.value)


@pytest.mark.attack("site-lists")
def test_the_engine_stands_between_all_finders_and_the_resolver() -> None:
    with pytest.raises(ConfigError, match="expected the engine site directly before it, found names between them"):
        Pipeline.parse("engines: [segmenter, site, names, resolver]")
    with pytest.raises(ConfigError, match="expected a place before the resolver, found resolver before it"):
        Pipeline.parse("engines: [segmenter, names, resolver, site]")


@pytest.mark.attack("site-lists")
def test_without_a_list_nothing_changes() -> None:
    text = "Seen by Dr. Ames on 3/4/2020."
    assert masked(pipeline(None).process(text)) == "Seen by Dr. # on #."


@pytest.mark.attack("site-lists")
def test_a_site_list_travels_to_other_processes(site: Path) -> None:
    copy = pickle.loads(pickle.dumps(SiteList.load(str(site))))
    assert len(copy) == len(SiteList.load(str(site))) and copy.find("in Elm").deny[0].entry.place == "site.yaml:7"


@pytest.mark.attack("site-lists")
def test_time_does_not_depend_on_the_number_of_entries(tmp_path: Path) -> None:
    letters = "bcdfghjklmnprstvz"
    names = [f"{a}o{b}a{c}e{d}" for a in letters for b in letters for c in letters for d in letters][:50_000]
    (tmp_path / "staff.txt").write_text("\n".join(n.capitalize() for n in names), encoding="utf-8")
    (tmp_path / "site.yaml").write_text("deny: [{file: staff.txt, kind: PERSON_DOCTOR}]\n", encoding="utf-8")
    large = SiteList.load(str(tmp_path / "site.yaml"))
    (tmp_path / "staff.txt").write_text("Bobabeb\n", encoding="utf-8")
    small = SiteList.load(str(tmp_path / "site.yaml"))
    text = "The patient was seen on the ward and is doing well after the operation. " * 500
    assert len(large) == 50_000 and large.find("Told Bobabeb.").deny

    def seconds(lists: SiteList) -> float:
        best = 9.9
        for _ in range(5):
            started = time.perf_counter()
            lists.find(text)
            best = min(best, time.perf_counter() - started)
        return best

    assert seconds(large) < 3 * seconds(small) + 0.01


@pytest.mark.attack("site-lists")
def test_small_words_that_a_finder_takes_along_do_not_keep_an_allowed_word_masked(site: Path, tmp_path: Path) -> None:
    rules = tmp_path / "more.yaml"
    rules.write_text(
        "rules:\n  - {name: more, kind: PERSON, pattern: 'p Whipple|The Whipple|Whipple Road', confidence: 0.9}\n",
        encoding="utf-8",
    )
    text = "s/p Whipple. The Whipple went well."
    assert found_everywhere(site, rules, text) == text
    assert "Whipple" not in found_everywhere(site, rules, "lives in Whipple Road.")
