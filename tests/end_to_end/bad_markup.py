"""Bad XML: bombs, offsets that are none, things that are there twice or unknown, in every dialect of annotated XML."""

from __future__ import annotations

import re

import e2b_files
import review_exports
from bad_files import CANARY, NOISE, Bad
from format_samples import i2b2, project, record, reviewed, xcas

from caspipe.typesystem import write_xmi

TEXT = f"Seen {CANARY} on 3/4/2020."
SPANS = ((5, 18, "PERSON"),)
NO_TYPES = "document type declarations and entities are not read"
HUGE = "9" * 1_000_000

_LAUGHS = f'<!ENTITY a "{CANARY}">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
BOMBS = {
    "entities": f"<!DOCTYPE x [{_LAUGHS}]>",
    "outside": f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///{CANARY}">]>',
    "parameter": f'<!DOCTYPE x [<!ENTITY % a SYSTEM "http://{CANARY}.invalid/x.dtd"> %a;]>',
    "attributes": f'<!DOCTYPE x [<!ATTLIST TEXT a CDATA "{CANARY}">]>',
}
DEEP = (b"<a>" * 100_000) + CANARY.encode() + (b"</a>" * 100_000)


def bombs(victim: bytes, suffix: str, reason: str, deep: str) -> dict[str, Bad]:
    """Files like `victim` with a document type that does harm, and one with 100,000 elements in each other before its CANARY."""
    bare = re.sub(rb"<!DOCTYPE[^>]*>", b"", victim)
    head = re.match(rb"(<\?xml[^>]*>)?", bare)
    assert head is not None
    made: dict[str, Bad] = {
        f"bad-{name}{suffix}": (head[0] + doctype.encode() + bare[head.end() :], reason)
        for name, doctype in BOMBS.items()
    }
    at = bare.index(CANARY.encode())
    at = bare.rindex(b">", 0, at) + 1 if bare.rfind(b">", 0, at) > bare.rfind(b"<", 0, at) else bare.rindex(b"</")
    made[f"bad-deep{suffix}"] = (bare[:at] + DEEP + bare[at:], deep)
    return made


def _tags(root: str) -> dict[str, Bad]:
    """i2b2-2014 and MEDDOCAN."""
    good = i2b2(TEXT, SPANS, root)

    def changed(old: str, new: str) -> bytes:
        assert old.encode() in good
        return good.replace(old.encode(), new.encode())

    tag = re.findall(r"<NAME.*?/>\n", good.decode())[0]
    return {
        "bad-beyond.xml": (
            changed('end="18"', 'end="9999"'),
            "tag P0 (line 5): 5:9999 is not a span of the text (0:31)",
        ),
        "bad-negative.xml": (
            changed('start="5"', 'start="-5"'),
            "tag P0 (line 5): expected integers as start and end",
        ),
        "bad-reversed.xml": (changed('start="5" end="18"', 'start="18" end="5"'), "18:5 is not a span of the text"),
        "bad-empty-span.xml": (changed('end="18"', 'end="5"'), "5:5 is not a span of the text"),
        "bad-huge.xml": (changed('end="18"', f'end="{HUGE}"'), "expected integers as start and end"),
        "bad-word.xml": (changed('end="18"', f'end="{CANARY}"'), "expected integers as start and end"),
        "bad-other-text.xml": (
            changed('start="5" end="18"', 'start="4" end="17"'),
            "4:17 does not cover the text that the tag names",
        ),
        "bad-label.xml": (changed('TYPE="', 'TYPE="X'), "tag P0 (line 5): "),
        "bad-text-as-label.xml": (changed('TYPE="', f'TYPE="{TEXT} '), "its label is not the name of a kind"),
        "bad-text-as-id.xml": (
            changed('id="P0"', f'id="{CANARY}"').replace(b'"18"', b'"9999"'),
            "the tag in line 5: 5:9999",
        ),
        "bad-overlap.xml": (
            changed(
                tag,
                tag
                + tag.replace('"5"', '"0"').replace(f'text="{CANARY}"', f'text="Seen {CANARY}"').replace("P0", "P1"),
            ),
            "tag P0 (line 5) and tag P1 (line 6) overlap",
        ),
        "bad-twice.xml": (
            changed("<TAGS>", f"<TEXT>{CANARY}</TEXT><TAGS>"),
            "expected one element TEXT below the root, found 2",
        ),
        "bad-none.xml": (f"<{root}>{CANARY}</{root}>".encode(), "expected one element TEXT below the root, found none"),
        "bad-element.xml": (changed("<![CDATA[", "<b>x</b><![CDATA["), "expected text alone in TEXT, found an element"),
        "bad-root.xml": (
            f"<{CANARY}><TEXT>{CANARY}</TEXT></{CANARY}>".encode(),
            "expected the root element deIdi2b2, MEDDOCAN or ROOT",
        ),
        **bombs(
            good.replace(b"<![CDATA[", b"").replace(b"]]>", b""),
            ".xml",
            NO_TYPES,
            "line 3: expected text alone in TEXT, found an element",
        ),
    }


def _records() -> dict[str, Bad]:
    """i2b2-2006, one bad record in a file where the others are good."""

    def file(*records: str) -> bytes:
        return "".join(["<ROOT>\n", *records, "</ROOT>\n"]).encode()

    return {
        "bad-one.xml": (
            file(record("9", f'<PHI TYPE="X">{CANARY}</PHI>')),
            "record 1: the PHI in line 2: no label called 'X' in scheme i2b2-2006",
        ),
        "bad-nested.xml": (
            file(record("9", f'<PHI TYPE="DATE"><PHI TYPE="DATE">{CANARY}</PHI></PHI>')),
            "expected text alone in PHI, found another PHI",
        ),
        "bad-untyped.xml": (file(record("9", f"<PHI>{CANARY}</PHI>")), "expected PHI with a TYPE, found one without"),
        "bad-other.xml": (
            file(record("9", f"<b>{CANARY}</b>")),
            "expected text and PHI in TEXT, found another element",
        ),
        "bad-empty-span.xml": (file(record("9", f'{CANARY}<PHI TYPE="DATE"></PHI>')), "is not a span of the text"),
        "bad-textless.xml": (
            file(f'<RECORD ID="9">{CANARY}</RECORD>\n'),
            "expected one element TEXT in RECORD, found none",
        ),
        "bad-mismatched.xml": (
            file(f'<RECORD ID="9"><TEXT>{CANARY}<PHI TYPE="DATE">x</PH></TEXT></RECORD>\n'),
            "record 1: 2:",
        ),
        "bad-none.xml": (f"<ROOT>{CANARY}</ROOT>".encode(), "expected RECORD elements, found none"),
        **bombs(
            file(record("7", CANARY)),
            ".xml",
            NO_TYPES,
            "record 1: line 2: expected text and PHI in TEXT, found another element",
        ),
    }


def _xcas() -> dict[str, Bad]:
    good, twice = xcas(TEXT, SPANS), xcas(TEXT, [*SPANS, (0, 4, "DATE")])

    def changed(old: str, new: str) -> bytes:
        assert old.encode() in good
        return good.replace(old.encode(), new.encode())

    return {
        "bad-beyond.xcas": (
            changed('end="18"', 'end="9999"'),
            "caspipe.PhiCandidate: offsets 5:9999 lie outside the text (0:31)",
        ),
        "bad-negative.xcas": (changed('begin="5"', 'begin="-5"'), "offsets -5:18 lie outside the text (0:31)"),
        "bad-reversed.xcas": (
            changed('begin="5" end="18"', 'begin="18" end="5"'),
            "offsets 18:5 lie outside the text (0:31)",
        ),
        "bad-huge.xcas": (changed('end="18"', f'end="{HUGE}"'), "feature end: expected a whole number"),
        "bad-word.xcas": (changed('end="18"', f'end="{CANARY}"'), "feature end: expected a whole number"),
        "bad-twice.xcas": (twice.replace(b'_id="3"', b'_id="2"'), "_id 2 is used twice"),
        "bad-kind.xcas": (changed('kind="PERSON"', f'kind="{CANARY}"'), "feature kind: expected a kind of PHI"),
        "bad-root.xcas": (f"<{CANARY}>{CANARY}</{CANARY}>".encode(), "expected CAS as root"),
        **bombs(good, ".xcas", NO_TYPES, "expected text, or elements <i> of an array"),
    }


def _xmi() -> dict[str, Bad]:
    from caspipe.typesystem import Cas, Phi, PhiKind

    cas = Cas(TEXT, id="x")
    cas.add(Phi(5, 18, kind=PhiKind.PERSON))
    good = write_xmi(cas)

    def changed(old: str, new: str) -> bytes:
        assert old.encode() in good, good
        return good.replace(old.encode(), new.encode())

    return {
        "bad-beyond.xmi": (
            changed('end="18"', 'end="9999"'),
            "caspipe.Phi: offsets 5:9999 lie outside the text (0:31)",
        ),
        "bad-negative.xmi": (changed('begin="5"', 'begin="-5"'), "offsets -5:18 lie outside the text (0:31)"),
        "bad-reversed.xmi": (
            changed('begin="5" end="18"', 'begin="18" end="5"'),
            "offsets 18:5 lie outside the text (0:31)",
        ),
        "bad-huge.xmi": (changed('end="18"', f'end="{HUGE}"'), "caspipe.Phi: a number of too many digits"),
        "bad-word.xmi": (changed('end="18"', f'end="{CANARY}"'), "caspipe.Phi: expected a whole number"),
        "bad-kind.xmi": (changed('kind="PERSON"', f'kind="{CANARY}"'), "caspipe.Phi: expected a kind of PHI"),
        "bad-root.xmi": (f"<note>{CANARY}</note>".encode(), "expected xmi:XMI as root"),
        **bombs(good, ".xmi", NO_TYPES, "element a inside a feature"),
    }


def _inception() -> dict[str, Bad]:
    """Exports in which one document is bad and another one good."""
    good = reviewed(TEXT, SPANS)
    body = review_exports.span(2, "seg:Sentence", 0, 31)

    def document(
        begin: int | str = 5, end: int | str = 18, label: str = "PERSON", data: bytes = b"", number: int = 3
    ) -> bytes:
        span = review_exports.span(number, "review:PHI", begin, end, label=label)  # type: ignore[arg-type]
        return review_exports.exported("x", data or review_exports.xmi(body + span, TEXT))

    xmi = review_exports.xmi(body, TEXT)
    made = {
        "beyond": (document(end=9999), "caspipe.review.PHI: offsets 5:9999 lie outside the text (0:31)"),
        "negative": (document(-5), "offsets -5:18 lie outside the text (0:31)"),
        "reversed": (document(18, 5), "offsets 18:5 lie outside the text (0:31)"),
        "huge": (document(end=HUGE), "a number of too many digits"),
        "word": (document(end=CANARY), "caspipe.review.PHI: expected a whole number"),
        "label": (document(label="PERSONN"), "PHI 5:18: no PHI kind called 'PERSONN'"),
        "text-as-label": (document(label=TEXT), "PHI 5:18: its label is not the name of a kind"),
        "empty-label": (document(label=""), "PHI 5:18: it has no label"),
        "twice": (document(number=2), "xmi:id 2 is used twice"),
        "noise": (NOISE, "ann.zip: the archive is damaged or cut off"),
        "no-zip": (CANARY.encode(), "ann.zip: the archive is damaged or cut off"),
        "two": (
            review_exports.zipped({"a.xmi": xmi, "b.xmi": xmi, "TypeSystem.xml": review_exports.TYPES}),
            "expected one document in it, found 2",
        ),
        "types": (review_exports.exported("x", xmi, CANARY.encode()), "TypeSystem.xml:1:1: damaged XML"),
        "cut": (good[:-30], "ann.zip: the archive is damaged or cut off"),
        **{
            name.removesuffix(".xmi").removeprefix("bad-"): (document(data=data), reason)
            for name, (data, reason) in bombs(xmi, ".xmi", NO_TYPES, "element a inside a feature").items()
        },
    }
    return {
        **{f"bad-{name}.zip": (project({f"{name}.xmi": data}), reason) for name, (data, reason) in made.items()},
        "bad-outer.zip": (NOISE, "the archive is damaged or cut off"),
    }


def _e2b(release: str) -> dict[str, Bad]:
    text = f"<text>{TEXT}</text>"
    good = (
        e2b_files.r3(e2b_files.r3_report(text, "Z"))
        if release == "r3"
        else e2b_files.r2(e2b_files.r2_report(TEXT, "Z"))
    )
    return {
        "bad-root.xml": (f"<{CANARY}>{CANARY}</{CANARY}>".encode(), "expected a case report"),
        "bad-answer.xml": (
            f'<MCCI_IN200101UV01 xmlns="urn:hl7-org:v3">{CANARY}</MCCI_IN200101UV01>'.encode(),
            "found an acknowledgement, which contains no report",
        ),
        "bad-none.xml": (
            e2b_files.r3(CANARY) if release == "r3" else e2b_files.r2(CANARY),
            "expected at least one report",
        ),
        "bad-says.xml": (
            re.sub(rb'encoding="[^"]*"', b'encoding="utf-32"', good),
            "expected an encoding that is known",
        ),
        **bombs(
            good, ".xml", "found a document type with declarations of its own", "found elements nested deeper than 200"
        ),
    }


MARKUP: dict[str, dict[str, Bad]] = {
    "i2b2": _tags("deIdi2b2"),
    "meddocan": _tags("MEDDOCAN"),
    "i2b2-2006": _records(),
    "xmi": _xmi(),
    "xcas": _xcas(),
    "inception": _inception(),
    "e2b-r3": _e2b("r3"),
    "e2b-r2": _e2b("r2"),
}
