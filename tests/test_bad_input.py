"""Bad input, end to end: a clear error that says where, nothing half-written, every document accounted for, no text anywhere.

Each note holds a surname behind a title: a released file that holds it is a leak, and so is a message. Texts are synthetic.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.cli import app
from caspipe.pipeline.component import AnalysisEngine, CasConsumer, CollectionReader, component
from caspipe.pipeline.errors import ComponentError, ConfigError, ConsumerError
from caspipe.pipeline.report import RunReport
from caspipe.pipeline.shipped import locate
from caspipe.typesystem import Cas, Phi

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

SECRET = "Featherstone"
NOTE = f"Seen by Dr. {SECRET} on 3/4/2020, phone 617-555-0199."
MASKED = "Seen by Dr. [PERSON] on [DATE], phone [PHONE]."
CONSUMERS = ["text", "jsonl", "csv", "xmi", "html", "report"]


# --- a run of the shipped engines over a folder of given files, by the command line ----------------------------------------


@dataclass
class Ran:
    """What a run left."""

    code: int
    said: str
    out: Path
    exception: BaseException | None

    def released(self, name: str) -> bytes:
        return (self.out / "release" / "text" / f"{name}.txt").read_bytes()

    def failures(self) -> list[dict[str, Any]]:
        return [json.loads(p.read_text()) for p in sorted(self.out.glob("restricted/quarantine/*.json"))]

    def counts(self) -> tuple[int, ...]:
        """(read, released, quarantined, skipped), as the command line says."""
        line = re.search(r"(\d+) documents read, (\d+) released, (\d+) quarantined, (\d+) skipped", self.said)
        assert line, self.said
        return tuple(map(int, line.groups()))


def config(
    folder: Path,
    reader: str = "text",
    consumers: list[Any] | None = None,
    after: list[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The shipped configuration with another reader, every consumer there is, and perhaps engines `after` its own."""
    shipped: dict[str, Any] = yaml.safe_load(locate("deidentify").read_text(encoding="utf-8"))
    return shipped | {
        "reader": {reader: {"folder": str(folder / "in"), **options}},
        "engines": [*shipped["engines"], *(after or [])],
        "consumers": CONSUMERS if consumers is None else consumers,
        "run": {"output": str(folder / "out")},
    }


def put(folder: Path, files: dict[str, bytes]) -> None:
    (folder / "in").mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / "in" / name).write_bytes(data)


def run(folder: Path, files: dict[str, bytes], *arguments: str, **given: Any) -> Ran:
    """Runs the command line over these files and checks what must hold after every run."""
    put(folder, files)
    path = folder / "run.yaml"
    path.write_text(json.dumps(config(folder, **given), indent=1), encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(path), *arguments])
    exception = None if isinstance(result.exception, SystemExit) else result.exception
    ran = Ran(result.exit_code, result.output, folder / "out", exception)
    assert SECRET not in ran.said
    assert exception is None, "the command line ended with a traceback"
    assert not leaks(ran.out)
    if "documents read" in ran.said:
        read, released, quarantined, skipped = ran.counts()
        assert read == released + quarantined + skipped
        assert quarantined == len(ran.failures())
        assert len(list(ran.out.glob("release/text/**/*.txt"))) == released
        assert len((ran.out / "release" / "documents.jsonl").read_bytes().splitlines()) == released
    return ran


def leaks(out: Path) -> list[str]:
    """Files that hold the secret though they must not, and temporary files that were left."""
    found = []
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        name = path.relative_to(out).as_posix()
        restricted = name.startswith("restricted/") and not name.endswith(".json")
        if not restricted and SECRET.encode() in path.read_bytes():
            found.append(f"text in {name}")
        if path.suffix == ".tmp":
            found.append(f"left behind: {name}")
    return found


# --- texts ---------------------------------------------------------------------------------------------------------------


def test_the_secret_of_a_good_note_is_masked_and_stays_in_the_restricted_folder(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode()})
    assert (ran.code, ran.counts()) == (0, (1, 1, 0, 0))
    assert ran.released("a").decode() == MASKED
    assert SECRET in (ran.out / "restricted/xmi/a.xmi").read_text()
    assert (ran.out / "restricted").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("data", [b"", b" ", b"\n", b"\r\n\r\n", b"\t \t", b"\xef\xbb\xbf", b"\x00"])
def test_a_file_without_a_word_is_released_as_it_is(tmp_path: Path, data: bytes) -> None:
    ran = run(tmp_path, {"empty.txt": data, "note.txt": NOTE.encode()})
    assert (ran.code, ran.counts()) == (0, (2, 2, 0, 0))
    assert ran.released("empty") == data.removeprefix(b"\xef\xbb\xbf")
    assert ran.released("note").decode() == MASKED


def test_bytes_in_no_encoding_are_quarantined_with_the_place_and_the_others_go_on(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode() + b"\x81\xff", "b.txt": NOTE.encode()})
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    (failure,) = ran.failures()
    assert failure["message"].endswith(
        f"a.txt: neither UTF-8 (from byte {len(NOTE)} on) nor Windows-1252 (byte {len(NOTE)}): say the encoding"
    )
    assert "a.txt: neither UTF-8" in ran.said


def test_a_declared_encoding_is_taken_at_its_word(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode() + "é".encode("cp1252"), "b.txt": NOTE.encode()}, encoding="utf-8")
    assert ran.counts() == (2, 1, 1, 0)
    assert f"a.txt: expected utf-8, found a byte that is not at byte {len(NOTE)}" in ran.failures()[0]["message"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "cp1252"])
def test_other_encodings_come_out_as_utf_8(tmp_path: Path, encoding: str) -> None:
    ran = run(tmp_path, {"a.txt": f"{NOTE} A naïve café.".encode(encoding)})
    assert ran.released("a").decode() == f"{MASKED} A naïve café."


def test_control_characters_stay_where_they_were(tmp_path: Path) -> None:
    control = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 127, *range(0x80, 0xA0), 0xFFFE, 0xFFFF]))
    ran = run(tmp_path, {"a.txt": f"{control} {NOTE} {control}".encode()})
    assert ran.released("a").decode() == f"{control} {MASKED} {control}"


def test_newlines_stay_as_they_are(tmp_path: Path) -> None:
    text = f"{NOTE}\r\n\r\n{NOTE}\r{NOTE}\n{NOTE}\x85{NOTE}\u2028{NOTE}\r\n"
    ran = run(tmp_path, {"a.txt": text.encode()})
    assert ran.released("a").decode() == text.replace(NOTE, MASKED)
    line = json.loads((ran.out / "release/documents.jsonl").read_text())
    assert line["text"] == text.replace(NOTE, MASKED)


def test_damaged_archives_are_quarantined_without_a_byte_of_them(tmp_path: Path) -> None:
    good = gzip.compress(NOTE.encode())
    files = {
        "cut.txt.gz": good[:-5],
        "not.txt.gz": NOTE.encode(),
        "good.txt.gz": good,
        "crc.txt.gz": good[:-8] + b"12345678",
    }
    ran = run(tmp_path, files)
    assert ran.counts() == (4, 1, 3, 0)
    assert ran.released("good").decode() == MASKED
    assert {f["message"].rpartition(": ")[2] for f in ran.failures()} == {"the gzip data are damaged or cut off"}


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    ran = run(tmp_path, {"bomb.txt.gz": gzip.compress(NOTE.encode() + b" " * 3_000_000)}, max_bytes=1_000_000)
    assert ran.counts() == (1, 0, 1, 0)
    assert "longer than max_bytes (1,000,000 bytes)" in ran.failures()[0]["message"]


def test_two_files_with_one_document_id_are_not_mixed_up(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode(), "a.txt.gz": gzip.compress(b"another note")})
    assert ran.counts() == (2, 1, 1, 0)
    assert ran.released("a").decode() == MASKED
    assert "its document id is that of" in ran.failures()[0]["message"]


def test_names_of_files_cannot_lead_anywhere(tmp_path: Path) -> None:
    line = json.dumps({"id": "../../../escaped", "text": NOTE}) + "\n" + json.dumps({"id": "a\u0000/\n", "text": NOTE})
    ran = run(tmp_path, {"a.jsonl": line.encode()}, reader="jsonl")
    assert ran.counts() == (2, 2, 0, 0)
    escaped = list(tmp_path.parent.rglob("escaped*"))
    assert escaped
    assert all(path.is_relative_to(ran.out) for path in escaped)


def test_xmi_without_the_original_view_holds_nothing_of_the_record(tmp_path: Path) -> None:
    record = {"id": "a", "text": f"{NOTE} {SECRET} again.", "patient": f"{SECRET}, I.", "memo": f"for {SECRET}"}
    bare = {"xmi": {"folder": "release/xmi", "views": ["deidentified"], "restricted": False}}
    ran = run(
        tmp_path,
        {"a.jsonl": json.dumps(record).encode()},
        reader="jsonl",
        consumers=["text", "jsonl", bare],
        metadata=["memo"],
        known_phi={"patient": "PERSON_PATIENT"},
    )
    assert ran.released("a").decode() == f"{MASKED} [PERSON] again."
    written = (ran.out / "release/xmi/a.xmi").read_text()
    assert SECRET.lower() not in written.lower()
    assert "[PERSON] again." in written


def test_markup_in_texts_and_ids_stays_text_in_every_page(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
    record = {"id": evil, "text": f"{evil} {NOTE} {evil}"}
    ran = run(tmp_path, {"a.jsonl": json.dumps(record).encode()}, reader="jsonl")
    pages = [path.read_text() for path in ran.out.rglob("*.html")]
    assert len(pages) == 3
    assert not [page for page in pages if "<script>alert" in page or "<img src=x" in page]
    assert json.loads((ran.out / "release/documents.jsonl").read_text())["text"] == record["text"].replace(NOTE, MASKED)


# --- JSON Lines ----------------------------------------------------------------------------------------------------------


def jsonl(*records: Any) -> bytes:
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


def test_records_that_are_none_are_quarantined_with_their_line(tmp_path: Path) -> None:
    records = jsonl(
        {"id": "good", "text": NOTE},
        b'{"id": "x", "text": "Dr. %s' % SECRET.encode(),
        [SECRET],
        {"id": SECRET.lower()},
        {"id": "n", "text": 5},
        {"id": {"a": SECRET}, "text": NOTE},
        b'{"id": "n2", "text": "\xff"}',
        b'{"id": "twice", "text": "a", "text": "%s"}' % SECRET.encode(),
        b"[" * 100_000,
        b'{"id": %s, "text": "a"}' % (b"9" * 5000),
        {"id": "good", "text": NOTE},
        b"",
    )
    ran = run(tmp_path, {"r.jsonl": records}, reader="jsonl")
    assert ran.counts() == (11, 1, 10, 0)
    assert [re.sub(r".*r\.jsonl, ", "", f["message"]) for f in ran.failures()] == [
        "line 2: not valid JSON (column 38)",
        "line 3: expected a JSON object",
        "line 4: expected a field text, found none",
        "line 5: field text: expected text, found a number",
        "line 6: field id: expected a document id, found an object",
        "line 7: expected utf-8, found a byte that is not at byte 22",
        "line 8: a field occurs twice in one object",
        "line 9: nested too deeply",
        "line 10: a number with too many digits",
        "line 11: its document id was there before",
    ]


@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff", "\\ud800\\ud800", "\\udc00\\ud800"])
def test_lone_surrogates_become_replacement_characters_one_for_one(tmp_path: Path, escape: str) -> None:
    count = escape.count("\\")
    record = b'{"id": "a", "text": "%s %s %s"}\n' % (escape.encode(), NOTE.encode(), escape.encode())
    ran = run(tmp_path, {"r.jsonl": record}, reader="jsonl")
    assert (ran.code, ran.counts()) == (0, (1, 1, 0, 0))
    marks = "\ufffd" * count
    assert ran.released("a").decode() == f"{marks} {MASKED} {marks}"


def test_a_surrogate_inside_phi_shifts_nothing(tmp_path: Path) -> None:
    ran = run(tmp_path, {"r.jsonl": b'{"id": "a", "text": "x\\ud800y. %s"}\n' % NOTE.encode()}, reader="jsonl")
    assert ran.released("a").decode() == f"x\ufffdy. {MASKED}"


# --- offsets -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline.load(locate("deidentify")).open()


@pytest.mark.parametrize("sign", ["😀", "👩‍👩‍👧", "\U0010ffff", "e\u0301", "\u202e", "\r\n"], ids=ascii)
def test_emoji_at_every_offset_never_shift_a_mask(pipeline: Pipeline, sign: str) -> None:
    for at in range(len(NOTE) + 1):
        text = NOTE[:at] + sign + NOTE[at:]
        cas = pipeline.process(Cas(text, id="a"))
        expected, done = "", 0
        for phi in cas.select(Phi):
            expected += text[done : phi.begin] + f"[{phi.kind.top.name}]"
            done = phi.end
        assert cas.deidentified == expected + text[done:]


def test_emoji_between_the_words_change_nothing_else(pipeline: Pipeline) -> None:
    for at in [m.start() for m in re.finditer(" ", NOTE)]:
        if NOTE[:at].endswith("Dr.") or NOTE[:at].endswith("phone"):
            continue  # there it separates a cue from its word
        cas = pipeline.process(Cas(f"{NOTE[:at]} 😀{NOTE[at:]}", id="a"))
        assert cas.deidentified.replace(" 😀", "") == MASKED


SHEET = pytest.mark.xfail(
    strict=True, raises=ComponentError, reason="names/sheet.py asks for sentence starts not yet set"
)
ONCE_BROKEN = ["late ", "It was early ", "mid-", "the end of ", "Mr\nBoston", "\ud800 3/4/2020, aged 65", "may 5 " * 50]


@pytest.mark.parametrize("text", [*ONCE_BROKEN, pytest.param("General\nBoston my", marks=SHEET)], ids=ascii)
def test_texts_that_broke_a_finder_once_are_bearable(pipeline: Pipeline, text: str) -> None:
    assert pipeline.process(Cas(text, id="a")).has_view("deidentified")


# --- size ----------------------------------------------------------------------------------------------------------------


def test_a_line_of_50_mb_is_read_and_cut_into_words(tmp_path: Path) -> None:
    put(tmp_path, {"long.txt": b"bronchopulmonarydysplasia " * 2_000_000})
    pipeline = Pipeline.parse(f"reader: {{text: {{folder: {tmp_path / 'in'}}}}}\nengines: [segmenter]")
    assert pipeline.reader is not None
    (cas,) = pipeline.reader
    tokens = pipeline.process(cas).view().tokens
    assert len(cas.text) == 52_000_000
    assert len(tokens.begins) == 2_000_000
    assert (tokens.begins[-1], tokens.ends[-1]) == (51_999_974, 51_999_999)


def test_a_line_of_5_mb_goes_through_the_whole_pipeline(tmp_path: Path) -> None:
    filler = "the patient felt well and slept through the night without pain "
    text = f"{filler * 40_000}{NOTE} {filler * 40_000}"
    assert len(text) > 5_000_000
    assert "\n" not in text
    ran = run(tmp_path, {"long.txt": text.encode()}, consumers=["text", "jsonl"])
    assert ran.released("long").decode() == text.replace(NOTE, MASKED)


# --- XMI -----------------------------------------------------------------------------------------------------------------

XMI = """<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:caspipe="http:///caspipe.ecore" \
xmi:version="2.0"><cas:NULL xmi:id="0"/>{body}<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" \
sofaString="{text}"/><cas:View sofa="1" members="{members}"/></xmi:XMI>"""
SPAN = '<caspipe:PhiCandidate xmi:id="5" sofa="1" begin="{begin}" end="{end}" kind="DATE" {more}/>'


def xmi(body: str = "", members: str = "", head: str = "") -> bytes:
    return (head + XMI.format(body=body, text=NOTE, members=members)).encode()


def span(begin: object = 0, end: object = 3, more: str = "") -> bytes:
    return xmi(SPAN.format(begin=begin, end=end, more=more), "5")


ENTITIES = f'<!DOCTYPE a [<!ENTITY a "{SECRET}">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
BROKEN_XMI = {
    "an entity bomb": (xmi("<caspipe:Phi>&i;</caspipe:Phi>", head=ENTITIES + "]>"), "document type declarations"),
    "an external entity": (xmi(head='<!DOCTYPE a SYSTEM "file:///etc/passwd">'), "document type declarations"),
    "a parameter entity": (xmi(head='<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'), "document type"),
    "a file cut off": (xmi()[:-70], "damaged XML"),
    "no XML": (NOTE.encode(), "damaged XML"),
    "nothing": (b"", "damaged XML"),
    "another document": (f"<html>{SECRET}</html>".encode(), "expected xmi:XMI as root"),
    "a reference into nothing": (span(more='winner="99"'), "feature winner refers to xmi:id 99, which is not"),
    "a member that is not there": (xmi(members="77"), "member 77 is no feature structure of the document"),
    "a member that is no number": (xmi(members=SECRET), "expected members as xmi:ids"),
    "offsets beyond the text": (span(end=9999), f"offsets 0:9999 lie outside the text (0:{len(NOTE)})"),
    "a negative offset": (span(begin=-5), "offsets -5:3 lie outside the text"),
    "an end before the begin": (span(9, 3), "offsets 9:3 lie outside the text"),
    "an offset that is no number": (span(begin=SECRET), "expected a whole number"),
    "an id used twice": (span().replace(b'"5" sofa', b'"1" sofa'), "xmi:id 1 is used twice"),
    "an id of 6000 digits": (span().replace(b'"5" sofa', b'"%s" sofa' % (b"9" * 6000)), "too many digits"),
    "an unknown type": (
        span().replace(b":PhiCandidate", b":PhiCandidat"),
        "no type caspipe.PhiCandidat in the type system",
    ),
    "an unknown feature": (span(more='colour="x"'), "caspipe.PhiCandidate has no feature colour"),
    "deep nesting": (xmi("<a>" * 3000 + "</a>" * 3000), "expected a type with a namespace"),
}


@pytest.mark.parametrize("name", BROKEN_XMI)
def test_broken_xmi_is_quarantined_with_the_place_and_the_others_go_on(tmp_path: Path, name: str) -> None:
    data, reason = BROKEN_XMI[name]
    ran = run(tmp_path, {"bad.xmi": data, "good.xmi": xmi()}, reader="xmi")
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    (failure,) = ran.failures()
    assert "bad.xmi" in failure["message"]
    assert reason in failure["message"]
    assert re.search(r":\d+:\d+: ", failure["message"]), "line and column"
    assert ran.released("good").decode() == MASKED


def test_a_deidentified_view_that_came_with_a_document_is_never_released(tmp_path: Path) -> None:
    stale = f'<cas:Sofa xmi:id="2" sofaNum="2" sofaID="deidentified" mimeType="text/plain" sofaString="{NOTE}"/>'
    ran = run(tmp_path, {"a.xmi": xmi(stale)}, reader="xmi")
    assert ran.released("a").decode() == MASKED


# --- configurations ------------------------------------------------------------------------------------------------------

BAD_CONFIGS = {
    "malformed": ("engines:\n  - a: [1, 2\nrun: {}\n", "3: malformed YAML: did not find expected ',' or ']'"),
    "a tab": ("engines:\n\t- dates\n", "2: malformed YAML: found character that cannot start any token"),
    "an unknown section": (
        "engines: [dates]\nconsumer: [text]\n",
        "2: consumer: no such section; did you mean consumers?",
    ),
    "an unknown parameter": (
        "engines:\n  - dates: {langage: en}\n",
        "2: dates.langage: no such parameter; did you mean",
    ),
    "an unknown operator": ("engines:\n- dates\n- masker:\n    DATE: shfit\n", "did you mean shift?"),
    "an unknown kind": ("engines:\n- dates\n- masker:\n    DAET: keep\n", "4: masker.DAET: no PHI kind called 'DAET'"),
    "a wrong type": ("engines: [dates]\nrun:\n  limit: many\n", "3: run.limit: expected whole number, got 'many'"),
    "a component in the wrong place": (
        "engines:\n  - report\n",
        "2: engines: report is a consumer: it goes under consumers",
    ),
    "no list": ("engines: dates\n", "1: engines: expected a list of components"),
    "a list of nothing": ("engines:\n  - \n", "2: engines.0: expected a component"),
    "python objects": ("engines: !!python/object/apply:os.getcwd []\nx: 1\n", "2: x: no such section"),
    "two documents": ("engines: [dates]\n---\nengines: []\n", "malformed YAML"),
    "a variable that is not set": (
        'name: "${NO_SUCH_VARIABLE_HERE}"\n',
        "environment variable NO_SUCH_VARIABLE_HERE is not set",
    ),
    "an include that is not there": (
        "engines:\n  - include: nowhere.yaml\n",
        "2: engines.0.include: include nowhere.yaml: no such",
    ),
    "an include of itself": ("engines:\n  - include: bad.yaml\n", "cyclic include: bad.yaml -> bad.yaml"),
    "a cycle of includes": ("engines:\n  - include: ring.yaml\n", "cyclic include: bad.yaml -> ring.yaml -> bad.yaml"),
    "multiplying aliases": (
        "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
        + "".join(f"{n}: &{n} [{', '.join([f'*{m}'] * 10)}]\n" for m, n in zip("abcdef", "bcdefg", strict=True)),
        "more than 100000 values",
    ),
    "an alias within itself": ("engines: &a [*a]\n", "bad.yaml"),
    "deep nesting": ("engines: " + "[" * 5000 + "]" * 5000 + "\n", "bad.yaml"),
    "resources that are a list": ("resources: [a]\nengines: [dates]\n", "1: resources"),
    "a component without a name": ("engines: [':']\n", "engines"),
    "a number of 5000 digits": ("engines: [dates]\nrun: {limit: " + "9" * 5000 + "}\n", "2: run.limit"),
    "a name that is a mapping": ("name: {a: b}\nengines: [dates]\n", "1: name"),
    "an id that is a list": ("engines:\n  - dates: {id: [a]}\n", "2: dates"),
    "a yes for a number": ("engines: [dates, resolver, {masker: {AGE: {age: {threshold: true}}}}]\n", "threshold"),
    "a veto over nobody": (
        "engines: [segmenter, {terms: {lexicon: medical}}, names, {veto: {sources: [nams]}}]\n",
        "no component or aggregate called 'nams'",
    ),
}
"""What is wrong: the YAML and a part of what must be said."""


@pytest.mark.parametrize("name", BAD_CONFIGS)
def test_a_wrong_configuration_ends_with_exit_code_2_and_says_where(tmp_path: Path, name: str) -> None:
    text, said = BAD_CONFIGS[name]
    (tmp_path / "bad.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "ring.yaml").write_text("engines:\n  - include: bad.yaml\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(tmp_path / "bad.yaml"), "--set", f"run.output={tmp_path / 'out'}"])
    assert isinstance(result.exception, SystemExit), f"a traceback: {type(result.exception).__name__}"
    assert result.exit_code == 2
    assert said in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "override", ["", "=", "run=5", "run.limit=[1", "reader=x", "nobody.x=1", "dates=1", "run.limit=" + "9" * 5000]
)
def test_a_wrong_override_is_a_configuration_error(override: str) -> None:
    with pytest.raises(ConfigError):
        Pipeline.load(locate("deidentify"), [override])


def test_bytes_that_are_no_utf_8_in_a_configuration_are_told_by_their_place(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_bytes(b"engines: [dates] # \xff\n")
    result = CliRunner().invoke(app, ["run", str(tmp_path / "bad.yaml")])
    assert result.exit_code == 2
    assert "expected UTF-8, found an invalid byte at 19" in result.output


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("nowhere", "expected a folder, found none at"),
        ("in/a.txt", "expected a folder, found"),
        (".", "no file matches"),
    ],
)
def test_an_input_folder_that_is_none_ends_the_run_before_it_begins(tmp_path: Path, folder: str, said: str) -> None:
    put(tmp_path, {"a.txt": NOTE.encode()})
    arguments = ("--set", f"reader.text.folder={tmp_path / folder}", "--set", "reader.text.pattern=*.nothing")
    result = run(tmp_path, {}, *arguments)
    assert result.code == 4
    assert said in result.said
    assert not result.out.exists()


# --- outputs that cannot be written --------------------------------------------------------------------------------------


def load(folder: Path, consumers: list[Any] | None = None) -> Pipeline:
    path = folder / "run.yaml"
    path.write_text(json.dumps(config(folder, consumers=consumers), indent=1), encoding="utf-8")
    return Pipeline.load(path)


def notes(folder: Path, count: int = 2) -> None:
    put(folder, {f"n{i}.txt": f"{NOTE} Visit {i}.".encode() for i in range(count)})


def whole(out: Path) -> dict[str, bytes]:
    """Every file of a run but the report with its timings."""
    files = [p for p in out.rglob("*") if p.is_file() and p.name != "report.html" and "quarantine" not in p.parts]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(files)}


@pytest.mark.parametrize(
    "blocked",
    ["", "release", "restricted", "release/text", "restricted/xmi", "restricted/html", "release/documents.jsonl/"],
)
def test_a_file_or_folder_in_the_way_is_named_before_or_while_nothing_is_lost(tmp_path: Path, blocked: str) -> None:
    path = tmp_path / "out" / blocked
    if blocked.endswith("/"):
        path.mkdir(parents=True)  # a folder where a file belongs
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("in the way")
    ran = run(tmp_path, {"a.txt": NOTE.encode()})
    assert ran.code == 4
    assert str(path) in ran.said
    assert "expected a folder, but" in ran.said or "cannot write" in ran.said
    assert blocked.endswith("/") or path.read_text() == "in the way"


def test_a_run_that_cannot_begin_leaves_the_files_of_the_run_before(tmp_path: Path) -> None:
    notes(tmp_path)
    assert load(tmp_path).run().exit_code == 0
    before = whole(tmp_path / "out")
    for path in (tmp_path / "out/restricted/html").iterdir():
        path.unlink()
    (tmp_path / "out/restricted/html").rmdir()
    (tmp_path / "out/restricted/html").write_text("in the way")
    with pytest.raises(ConsumerError, match="expected a folder, but"):
        load(tmp_path).run()
    after = whole(tmp_path / "out")
    assert {k: v for k, v in after.items() if "html" not in k} == {k: v for k, v in before.items() if "html" not in k}


class FullDisk:
    """`os.write` that fails from one write on: for good, or that once."""

    def __init__(self, at: int, *, for_good: bool) -> None:
        self.write, self.at, self.for_good, self.count = os.write, at, for_good, 0

    def __call__(self, fd: int, data: Any) -> int:
        if fd <= 2:
            return self.write(fd, data)
        self.count += 1
        if self.count == self.at or (self.for_good and self.count > self.at):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.write(fd, data)


def writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many writes a run takes."""
    with monkeypatch.context() as patch:
        disk = FullDisk(0, for_good=False)
        patch.setattr(os, "write", disk)
        load(folder).run()
    return disk.count


@pytest.mark.parametrize("for_good", [True, False], ids=["full", "full for a moment"])
def test_a_disk_that_is_full_at_any_write_leaves_whole_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, for_good: bool
) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    for folder in (good, bad):
        folder.mkdir()
        notes(folder)
    count = writes(good, monkeypatch)
    expected = whole(good / "out")
    assert count > 12
    faults = []
    for at in range(1, count + 1):
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", FullDisk(at, for_good=for_good))
            try:
                report: RunReport | None = load(bad).run()
            except ConsumerError as error:
                report = None
                assert "No space left on device" in str(error)
                assert SECRET not in str(error)
        faults += [f"write {at}: {fault}" for fault in [*leaks(bad / "out"), *halves(bad / "out", expected)]]
        if report is not None:
            account(report, bad / "out")
        for path in sorted((bad / "out").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    assert faults == []


def halves(out: Path, expected: dict[str, bytes]) -> Iterator[str]:
    """Files that are not what a good run makes of them; those about all documents may lack some, as whole lines."""
    for name, data in whole(out).items():
        if name in ("release/documents.jsonl", "release/spans.csv"):
            if not set(data.splitlines(keepends=True)) <= set(expected[name].splitlines(keepends=True)):
                yield f"{name} holds half a line"
        elif name == "restricted/html/index.html":
            if not data.rstrip().endswith(b"</html>"):
                yield f"{name} is cut off"
        elif not name.endswith(".tmp") and data != expected[name]:
            yield f"{name} is not whole"


def account(report: RunReport, out: Path) -> None:
    """Every document is where the report says."""
    d = report.documents
    assert d.read == d.released + d.quarantined + d.skipped == 2
    assert report.exit_code == (3 if d.quarantined else 0)
    assert len(list((out / "release/text").glob("*.txt"))) == d.released
    assert len((out / "release/documents.jsonl").read_bytes().splitlines()) == d.released
    assert all("No space left" in f.message for f in report.failures)


# --- components that fail ------------------------------------------------------------------------------------------------


@component("t_bad_consumer")
class BadConsumer(CasConsumer):
    """Fails where told, quoting the document, as other people's code does."""

    when: str = "process"
    """Where it fails."""

    def _maybe(self, when: str) -> None:
        if when == self.when:
            raise ValueError(NOTE)

    def open(self) -> None:
        super().open()
        self._maybe("open")

    def process(self, cas: Cas) -> None:
        if cas.id == "n1":
            self._maybe("process")

    def close(self) -> None:
        self._maybe("close")

    def finish(self, report: RunReport) -> None:
        self._maybe("finish")


@component("t_bad_engine")
class BadEngine(AnalysisEngine):
    """Fails on one document, quoting it, after it half did its work."""

    def process(self, cas: Cas) -> None:
        if cas.id == "n1":
            cas.drop_view("deidentified")
            cas.create_view("deidentified", cas.text)
            raise KeyError(cas.text)


@component("t_bad_reader")
class BadReader(CollectionReader):
    """Fails after its first document, quoting it."""

    folder: Path | None = None
    """Not used."""

    def __iter__(self) -> Iterator[Cas]:
        yield Cas(NOTE, id="n0")
        raise ValueError(NOTE)


def test_a_reader_that_fails_in_the_middle_ends_the_run_and_says_who_and_no_text(tmp_path: Path) -> None:
    ran = run(tmp_path, {}, reader="t_bad_reader")
    assert ran.code == 4
    assert "reader/t_bad_reader: ValueError" in ran.said
    assert ran.counts() == (1, 1, 0, 0)
    assert ran.released("n0").decode() == MASKED


@component("t_warning_engine")
class WarningEngine(AnalysisEngine):
    """Warns with the text of the document, as libraries do."""

    def process(self, cas: Cas) -> None:
        warnings.warn(cas.text, RuntimeWarning, stacklevel=1)
        warnings.warn(cas.text, UserWarning, stacklevel=1)


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore:.*:UserWarning")
def test_warnings_of_other_peoples_code_are_told_without_their_text(tmp_path: Path) -> None:
    notes(tmp_path, 5)
    ran = run(tmp_path, {}, after=["t_warning_engine"])
    assert (ran.code, ran.counts()) == (0, (5, 5, 0, 0))
    assert ran.said.count("UserWarning") <= 1


def test_an_engine_that_fails_half_way_releases_nothing_of_that_document(tmp_path: Path) -> None:
    notes(tmp_path)
    ran = run(tmp_path, {}, after=["t_bad_engine"])
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    assert ran.failures()[0]["message"].startswith("t_bad_engine: KeyError")
    assert sorted(p.stem for p in ran.out.rglob("n*.*")) == ["n0"] * 3
    assert (ran.out / "restricted/quarantine/000002.txt").read_text().startswith(NOTE)


def test_a_consumer_that_fails_in_the_middle_takes_the_document_back_everywhere(tmp_path: Path) -> None:
    notes(tmp_path)
    ran = run(tmp_path, {}, consumers=[*CONSUMERS, "t_bad_consumer"])
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    assert ran.failures()[0]["message"].startswith("consumers/t_bad_consumer: ValueError")
    assert not list(ran.out.rglob("n1.*"))
    assert b'"n1"' not in (ran.out / "release/documents.jsonl").read_bytes()
    assert b"n1," not in (ran.out / "release/spans.csv").read_bytes()


@pytest.mark.parametrize("when", ["open", "close", "finish"])
def test_a_consumer_that_fails_at_the_ends_says_who_and_no_text(tmp_path: Path, when: str) -> None:
    notes(tmp_path)
    ran = run(tmp_path, {}, consumers=[*CONSUMERS, {"t_bad_consumer": {"when": when}}])
    assert ran.code == 4
    assert "t_bad_consumer: ValueError" in ran.said
