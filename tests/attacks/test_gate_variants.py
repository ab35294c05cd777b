"""A value that was masked is not released in another spelling: runs of `deidentify-fast`, whose released bytes are searched."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import Cas, Leak, Phi, PhiKind

ZORBLATT = "Patient: Jane Zorblatt. Mrs. Jane Zorblatt was seen by Dr. Smith."
FILLER = "Filler text about chest pain and medication. " * 3
VARIANTS: dict[str, tuple[str, str, list[str]]] = {
    "short name": ("Patient: Xi Ng. Seen today by Dr. Xi Ng.", "Sample of XI NG was lost.", ["XI NG"]),
    "small letters": ("Patient: Rose Brown. Dr. Rose Brown called.", "later rose brown went home.", ["rose brown"]),
    "age in words": ("She is 94 years old.", "The ninety-four woman fell.", ["ninety-four"]),
    "street": ("Lives at 12 Quellmore Street, Boston.", "He moved from 12 Quellmore last year.", ["Quellmore"]),
    "number": (
        "MRN: 4471023. SSN 219-09-9999.",
        "chart 447 10 23, 4471 023, 44-71-023, 219099999, 219 09 9999, 447\u200b1023",
        ["447", "219"],
    ),
}
DISGUISES = {
    "login": "His login is jzorblatt, all.",
    "login with digits": "User zorblatt17 signed, all.",
    "plural": "Note for Zorblatts and jmzorblatt2, all.",
    "wrapped": "The relatives: Zorb\nlatt, all.",
    "wrapped with a hyphen": "The family of Zorb-\n    latt came.",
    "wrapped, CR LF": "the Zorb-\r\nlatt family",
    "wrapped, CR": "the Zorb\rlatt family",
    "wrapped, line separator": "the Zorb\u2028latt family",
    "wrapped, vertical tab": "the Zorb\x0blatt family",
    "wrapped, quoted": "> The family of Zorb-\n> latt came.",
    "wrapped, numbered": "12 The family of Zorb-\n13 latt came.",
    "spaced": "signed Z o r b l a t t today",
    "spaced by dots": "signed Z.o.r.b.l.a.t.t today",
    "spaced by no-break spaces": "signed Z\u00a0o\u00a0r\u00a0b\u00a0l\u00a0a\u00a0t\u00a0t today",
    "spaced by slashes": "signed Z/o/r/b/l/a/t/t today",
    "entities": "the &#90;orbl&#97;tt family",
    "entities of all letters": "the &#90;&#111;&#114;&#98;&#108;&#97;&#116;&#116; family",
    "entities without semicolon": "the &#90orblatt family",
    "a tag": "the <b>Zor</b>blatt family",
    "tags": "the Zor<span class='x'>bl</span>att family",
    "a comment": "the Zor<!-- x -->blatt family",
    "bulletin board tags": "the Zor[b]bl[/b]att family",
    "Markdown": "the Zor**blatt** family",
    "OCR": "the Z0rb1att family",
    "OCR, signs": "the Zorb!att family, and Zor8l@tt",
    "soft hyphen": "the Zor\u00adblatt family",
    "zero width": "the Zor\u200bbl\u2060att family",
    "full width": "the \uff3a\uff4f\uff52\uff42\uff4c\uff41\uff54\uff54 family",
    "mathematical": "the \U0001d419\U0001d428\U0001d42b\U0001d41b\U0001d425\U0001d41a\U0001d42d\U0001d42d family",
    "diacritics": "the Z\u00f6rbl\u00e1\u0165t family",
    "combining marks": "the Zo\u0308rblatt family",
    "another case": "the ZORBLATT family, zorblatt, zOrBlAtT",
    "other order": "Zorblatt, Jane was here; ZORBLATT JANE too",
    "initials": "J. Zorblatt and J.Zorblatt and JZorblatt",
    "joined": "files JaneZorblatt.pdf, janezorblatt.pdf and jane_zorblatt_2.pdf",
    "quoted-printable": "the =5Aorblatt family and Zorb=\nlatt here",
    "URL": "q=%5Aorblatt&r=Z%6Frblatt",
    "escapes": "the \\u005aorblatt and \\x5aorblatt family",
    "Cyrillic letters": "the Z\u043erbl\u0430tt family",
    "Greek letters": "the \u0396orblatt family",
    "a hyphen inside": "the Zorb-latt and Zorb\u2011latt family",
    "a mark inside": "the Zorb\u00b7latt and Zorb'latt family",
    "a blank inside": "the Zorb latt family",
    "any mark": "the Zor|blatt, Zor+blatt, Zor;blatt, Zor,blatt, Zor.blatt and Zor:blatt family",
    "any other mark": "the Zor\u2192blatt, Zor\u00a7blatt, Zor\u2014blatt, Zor\u2026blatt and Zor\u203fblatt family",
    "brackets": 'the Z(or)blatt, Zor[b]latt, Zor{b}latt, Zor<blatt> and Zor"blatt" family',
    "several marks": "the Zor-*-blatt, Z.or|bl/att and Zor__blatt family",
    "digits inside": "the Zor1blatt and Zor_12_blatt family",
    "marks between blanks": "the Zor | blatt, Zor - blatt, Zor / blatt and Zor \u00b7 blatt family",
    "blanks and empty lines": "the Zor  blatt, Zor\tblatt and Zor\n\nblatt family",
    "entities of blanks": "the Zor&nbsp;blatt, Zor&#8203;blatt and Zor&middot;blatt family",
    "fillers": "the Zor\u3164blatt, Zor\u115fblatt and Zor\u2800blatt family",
    "plural, cut": "the Zor|blatts and Zor|blatt's house",
    "digits beside": "Zorblatt2 and 3Zorblatt and Zorblatt1931",
}
KEPT = {
    "two words": "A good man came. The new born cried. The rose bush is brown.",
    "hyphens": "A good-man, a well-being check, and a brown dress.",
    "markup": "A <b>good</b> <i>man</i>, R&amp;D, [sic], 5&nbsp;mg.",
    "marks": "A good|man, good / man, good - man, new+born, rose.brown, gut, man. Ann (good) man; new  born.",
    "clauses": "Seen by Ann. Good, man is well; he is new. Born well (new) born. Goo, dm, an. N e w, b o r n?",
    "lists": "A/B/C/D, R/O MI, s/p CABG, L4-5, T2-weighted, N+V, H&P, p.o./i.v., a|b|c|d|e, 1.good.2.man.3",
    "codes": "100% of x=3D, C:\\xrays\\upper, q=%41%41, 5+3, a|b, T@rget.",
    "foreign words": "\u0420\u043e\u0437\u0430 \u0438 \u03b1-blocker, \u03bcg, \u03b2-blockers.",
    "long words": "Electroencephalography of the gastroduodenal junction.",
}


@pytest.fixture(scope="module")
def fast() -> Iterator[Pipeline]:
    with Pipeline.load(locate("deidentify-fast")) as pipeline:
        yield pipeline


def released(tmp_path: Path, documents: dict[str, str]) -> dict[str, str]:
    """Run `deidentify-fast`, and return the last paragraph of each released text, by the number that begins it."""
    (tmp_path / "notes").mkdir()
    for number, text in enumerate(documents.values()):
        (tmp_path / "notes" / f"n{number:03}.txt").write_bytes(f"Note q{number}q.\n\n{text}".encode())
    given = [f"reader.text.folder={tmp_path / 'notes'}", f"run.output={tmp_path / 'out'}", "run.workers=0"]
    Pipeline.load(locate("deidentify-fast"), given).run()
    names = list(documents)
    found = {}
    for path in (tmp_path / "out" / "release").rglob("*.txt"):
        text = path.read_bytes().decode()
        number = re.match(r"Note q(\d+)q\.", text)
        assert number is not None
        found[names[int(number[1])]] = text.partition(FILLER)[2]
    return found


@pytest.mark.attack("gate-variants")
def test_a_masked_value_is_not_released_in_another_spelling(tmp_path: Path) -> None:
    documents = {name: f"{intro}\n\n{FILLER}\n\n{text}\n" for name, (intro, text, _) in VARIANTS.items()}
    documents |= {name: f"{ZORBLATT}\n\n{FILLER}\n\n{text}\n" for name, text in DISGUISES.items()}
    found = released(tmp_path, documents)
    assert sorted(found) == sorted(documents), "all of them can be mended"
    standing = {name: found[name] for name, (_, _, values) in VARIANTS.items() if any(v in found[name] for v in values)}
    pieces = re.compile(r"blatt|zorb|latt\b|z.?o.?r.?b.?l", re.IGNORECASE)
    for name in DISGUISES:
        if pieces.search(html.unescape(found[name])) or "l@tt" in found[name]:
            standing[name] = found[name]
    assert standing == {}


@pytest.mark.attack("gate-variants")
@pytest.mark.parametrize("name", KEPT)
def test_ordinary_text_is_no_variant(fast: Pipeline, name: str) -> None:
    intro = "Patient: Ann Goodman. Mrs. Ann Goodman was seen by Dr. Rose Newborn and Dr. T. Brownrose."
    cas = fast.process(f"{intro}\n\n{FILLER}\n\n{KEPT[name]}\n")
    start = cas.text.index(KEPT[name])
    assert [p.covered_text for p in cas.select(Phi) if p.begin >= start and p.reason.startswith("repaired")] == []
    assert list(cas.view("deidentified").select(Leak)) == []


@pytest.mark.attack("gate-variants")
@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("the <b>Zor</b>#blatt# family", r"Zor|blatt"),
        ("the <b>#Zor#</b>blatt family", r"Zor|blatt"),
        ("the family of #Zorb#\nlatt came", r"latt"),
        ("the family of Zorb-\n#latt# came", r"Zorb"),
    ],
)
def test_the_rest_of_a_word_goes_if_a_finder_takes_a_part_of_it(fast: Pipeline, text: str, rest: str) -> None:
    intro = "Patient: Jane Zorblatt. Mrs. Jane Zorblatt was seen.\n\n"
    before, part, after = text.split("#")
    cas = Cas(f"{intro}{before}{part}{after}\n")
    begin = len(intro + before)
    at = intro.index("Jane Zorblatt")
    cas.add(Phi(at, at + len("Jane Zorblatt"), kind=PhiKind.PERSON_PATIENT))
    cas.add(Phi(begin, begin + len(part), kind=PhiKind.PERSON))
    masker, gate = fast.engines[-2:]
    masker.process(cas)
    gate.process(cas)
    masked = cas.view("deidentified")
    assert not re.search(rest, masked.text[masked.text.index("the ") :])
    assert list(masked.select(Leak)) == []


@pytest.mark.attack("gate-mends")
def test_a_standing_value_is_masked_checked_again_and_counted(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text(f"{ZORBLATT}\n\n{FILLER}\n\nthe <b>Zor</b>blatt, all\n")
    (tmp_path / "notes" / "b.txt").write_text("Seen on 3/4/2020.\n")
    given = [f"reader.text.folder={tmp_path / 'notes'}", f"run.output={tmp_path / 'out'}", "run.workers=0"]
    report = Pipeline.load(locate("deidentify-fast"), given).run()
    assert (report.documents.released, report.documents.quarantined) == (2, 0)
    assert (report.repaired, report.repaired_documents, report.reasons.get("leak", 0)) == (1, 1, 0)
