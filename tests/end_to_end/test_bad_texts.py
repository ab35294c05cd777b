"""Bad input, end to end: texts, whatever bytes and characters are in them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from whole_runs import MASKED, NOTE, SECRET, put, run

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import Cas, Phi

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")


@pytest.mark.slow
def test_the_secret_of_a_good_note_is_masked_and_stays_in_the_restricted_folder(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode()})
    assert (ran.code, ran.counts()) == (0, (1, 1, 0, 0))
    assert ran.released("a").decode() == MASKED
    assert SECRET in (ran.out / "restricted/xmi/a.xmi").read_text()
    assert (ran.out / "restricted").stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"", b" ", b"\n", b"\r\n\r\n", b"\t \t", b"\xef\xbb\xbf", b"\x00"])
def test_a_file_without_a_word_is_released_as_it_is(tmp_path: Path, data: bytes) -> None:
    ran = run(tmp_path, {"empty.txt": data, "note.txt": NOTE.encode()})
    assert (ran.code, ran.counts()) == (0, (2, 2, 0, 0))
    assert ran.released("empty") == data.removeprefix(b"\xef\xbb\xbf")
    assert ran.released("note").decode() == MASKED


@pytest.mark.slow
def test_bytes_in_no_encoding_are_quarantined_with_the_place_and_the_others_go_on(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode() + b"\x81\xff", "b.txt": NOTE.encode()})
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    (failure,) = ran.failures()
    assert failure["message"].endswith(
        f"a.txt: neither UTF-8 (from byte {len(NOTE)} on) nor Windows-1252 (byte {len(NOTE)}): say the encoding"
    )
    assert "a.txt: neither UTF-8" in ran.said


@pytest.mark.slow
def test_a_declared_encoding_is_taken_at_its_word(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode() + "é".encode("cp1252"), "b.txt": NOTE.encode()}, encoding="utf-8")
    assert ran.counts() == (2, 1, 1, 0)
    assert f"a.txt: expected utf-8, found a byte that is not at byte {len(NOTE)}" in ran.failures()[0]["message"]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "cp1252"])
def test_other_encodings_come_out_as_utf_8(tmp_path: Path, encoding: str) -> None:
    ran = run(tmp_path, {"a.txt": f"{NOTE} A naïve café.".encode(encoding)})
    assert ran.released("a").decode() == f"{MASKED} A naïve café."


@pytest.mark.slow
def test_control_characters_stay_where_they_were(tmp_path: Path) -> None:
    control = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 127, *range(0x80, 0xA0), 0xFFFE, 0xFFFF]))
    ran = run(tmp_path, {"a.txt": f"{control} {NOTE} {control}".encode()})
    assert ran.released("a").decode() == f"{control} {MASKED} {control}"


@pytest.mark.slow
def test_newlines_stay_as_they_are(tmp_path: Path) -> None:
    text = f"{NOTE}\r\n\r\n{NOTE}\r{NOTE}\n{NOTE}\x85{NOTE}\u2028{NOTE}\r\n"
    ran = run(tmp_path, {"a.txt": text.encode()})
    assert ran.released("a").decode() == text.replace(NOTE, MASKED)
    line = json.loads((ran.out / "release/documents.jsonl").read_text())
    assert line["text"] == text.replace(NOTE, MASKED)


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    ran = run(tmp_path, {"bomb.txt.gz": gzip.compress(NOTE.encode() + b" " * 3_000_000)}, max_bytes=1_000_000)
    assert ran.counts() == (1, 0, 1, 0)
    assert "longer than max_bytes (1,000,000 bytes)" in ran.failures()[0]["message"]


@pytest.mark.slow
def test_two_files_with_one_document_id_are_not_mixed_up(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode(), "a.txt.gz": gzip.compress(b"another note")})
    assert ran.counts() == (2, 1, 1, 0)
    assert ran.released("a").decode() == MASKED
    assert "its document id is that of" in ran.failures()[0]["message"]


@pytest.mark.slow
def test_names_of_files_cannot_lead_anywhere(tmp_path: Path) -> None:
    line = json.dumps({"id": "../../../escaped", "text": NOTE}) + "\n" + json.dumps({"id": "a\u0000/\n", "text": NOTE})
    ran = run(tmp_path, {"a.jsonl": line.encode()}, reader="jsonl")
    assert ran.counts() == (2, 2, 0, 0)
    escaped = list(tmp_path.parent.rglob("escaped*"))
    assert escaped
    assert all(path.is_relative_to(ran.out) for path in escaped)


@pytest.mark.slow
def test_xmi_without_the_original_view_holds_nothing_of_the_record(tmp_path: Path) -> None:
    record = {"id": "a", "text": f"{NOTE} {SECRET} again.", "patient": f"{SECRET}, I.", "memo": f"for {SECRET}"}
    bare = {"xmi": {"folder": "release/xmi", "views": ["deidentified"]}}
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


@pytest.mark.slow
def test_markup_in_texts_and_ids_stays_text_in_every_page(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
    record = {"id": evil, "text": f"{evil} {NOTE} {evil}"}
    ran = run(tmp_path, {"a.jsonl": json.dumps(record).encode()}, reader="jsonl")
    pages = [path.read_text() for path in ran.out.rglob("*.html")]
    assert len(pages) == 3
    assert not [page for page in pages if "<script>alert" in page or "<img src=x" in page]
    assert json.loads((ran.out / "release/documents.jsonl").read_text())["text"] == record["text"].replace(NOTE, MASKED)


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline.load(locate("deidentify")).open()


@pytest.mark.slow
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


ONCE_BROKEN = [
    "late ",
    "It was early ",
    "mid-",
    "the end of ",
    "Mr\nBoston",
    "General\nBoston my",
    "\ud800 3/4/2020, aged 65",
    "may 5 " * 50,
]


@pytest.mark.parametrize("text", ONCE_BROKEN, ids=ascii)
def test_texts_that_broke_a_finder_once_are_bearable(pipeline: Pipeline, text: str) -> None:
    assert pipeline.process(Cas(text, id="a")).has_view("deidentified")


@pytest.mark.slow
def test_a_line_of_50_mb_is_read_and_cut_into_words(tmp_path: Path) -> None:
    put(tmp_path, {"long.txt": b"bronchopulmonarydysplasia " * 2_000_000})
    pipeline = Pipeline.parse(f"reader: {{text: {{folder: {tmp_path / 'in'}}}}}\nengines: [segmenter]")
    assert pipeline.reader is not None
    (cas,) = pipeline.reader
    tokens = pipeline.process(cas).view().tokens
    assert len(cas.text) == 52_000_000
    assert len(tokens.begins) == 2_000_000
    assert (tokens.begins[-1], tokens.ends[-1]) == (51_999_974, 51_999_999)


@pytest.mark.slow
def test_a_line_of_5_mb_goes_through_the_whole_pipeline(tmp_path: Path) -> None:
    filler = "the patient felt well and slept through the night without pain "
    text = f"{filler * 40_000}{NOTE} {filler * 40_000}"
    assert len(text) > 5_000_000
    assert "\n" not in text
    ran = run(tmp_path, {"long.txt": text.encode()}, consumers=["text", "jsonl"])
    assert ran.released("long").decode() == text.replace(NOTE, MASKED)
