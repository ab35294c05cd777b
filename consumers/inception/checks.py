"""INCEpTION's import checks, made again: what its CAS Doctor would refuse, with the place, and never any text.

Source: INCEpTION (2026-08-19), `inception-diag/.../checks/*.java`, `CasDoctorUtils.java`, `DocumentImportExportServiceImpl.java`.
On import of XMI and JSON CAS every check runs, and a document with any error is rejected.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ...typesystem.description import ANNOTATION, DOCUMENT_ANNOTATION
from ...typesystem.markup.xml_text import ILLEGAL
from ...typesystem.review_layers import MAX_SENTENCES, MAX_TOKENS, is_blank, trimmed
from ...typesystem.utf16 import Utf16
from .raw import Document, Item
from .schema import ATTACHED, DEPENDENCY, KNOWN, SENTENCE, TOKEN, Schema

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that INCEpTION refuses (error), leaves out (warning) or can live with (info)."""

    file: str
    severity: Severity
    check: str
    message: str
    """Never any text of the document."""
    type: str = ""
    id: int = 0
    """The xmi:id or %ID, 0 where none is meant."""
    begin: int | None = None
    """Code points."""
    end: int | None = None
    utf16_begin: int | None = None
    """As in the file: UTF-16 code units."""
    utf16_end: int | None = None


class Checker:
    """Runs the checks over one document."""

    def __init__(self, file: str, document: Document, schema: Schema) -> None:
        self.file, self.document, self.schema = file, document, schema
        self.units: Utf16 = document.offsets()
        self.index = document.index()
        samples = {i.type: i for i in self.index}
        of_layers = {t for t, i in samples.items() if any(document.is_a(i, name) for name in schema.layers)}
        self.layered = [i for i in self.index if i.type in of_layers]
        self.tokens = [i for i in self.layered if document.is_a(i, TOKEN)]
        self.sentences = [i for i in self.layered if document.is_a(i, SENTENCE)]

    def run(self) -> list[Finding]:
        """All findings, in the order of the checks and of the text."""
        if not self.document.text:
            return [self._at("error", "NoText", "the initial view has no text: INCEpTION refuses empty documents")]
        return [finding for check in CHECKS for finding in check(self)]

    def _at(self, severity: Severity, check: str, message: str, item: Item | None = None) -> Finding:
        if item is None:
            return Finding(self.file, severity, check, message)
        if not self.document.is_a(item, ANNOTATION):
            return Finding(self.file, severity, check, message, item.type, item.id)
        begin, end = self._points(item)
        return Finding(self.file, severity, check, message, item.type, item.id, begin, end, item.begin, item.end)

    def _points(self, item: Item) -> tuple[int, int]:
        """The span in code points; beyond the text as it is counted there."""
        over = self.units.length - len(self.document.text)

        def point(offset: int, up: bool) -> int:
            return self.units.from_utf16(offset, up=up) if 0 <= offset <= self.units.length else offset - over

        return point(item.begin, False), point(item.end, True)

    def _inside(self, item: Item) -> bool:
        return 0 <= item.begin <= item.end <= self.units.length

    # -- the text --------------------------------------------------------------------------------------------------

    def bom(self) -> Iterator[Finding]:
        if self.document.text[0] in "\ufeff\ufffe":
            yield self._at("info", "DocumentTextStartsWithBom", "the text begins with a byte-order mark")

    def characters(self) -> Iterator[Finding]:
        lost = len(ILLEGAL.findall(self.document.text)) + sum(
            len(ILLEGAL.findall(s)) for i in self.document.items.values() for s in i.strings
        )
        if lost:
            what = f"{lost:,} characters that XML 1.0 cannot carry: INCEpTION makes blanks of them when it writes XMI"
            yield self._at("warning", "XmlCharacters", what)
        if self.document.xml_11:
            yield self._at("warning", "XmlVersion", "XML 1.1: import it as UIMA CAS XMI (XML 1.1)")

    def segmentation(self) -> Iterator[Finding]:
        if all(map(is_blank, self.document.text)):
            yield self._at("error", "NoTokens", "the text is blank: INCEpTION refuses documents without tokens")
        elif not self.sentences:
            what = "no sentences: INCEpTION makes its own, and annotations that cross their borders are not accepted"
            yield self._at("warning", "NoSentences", what)
        elif not self.tokens:
            yield self._at("info", "NoTokens", "no tokens: INCEpTION cuts its own inside the sentences")
        for what, items, most in (("tokens", self.tokens, MAX_TOKENS), ("sentences", self.sentences, MAX_SENTENCES)):
            if len(items) > most:
                yield self._at("error", "TooLong", f"{len(items):,} {what}: INCEpTION takes {most:,} at most")

    # -- spans -----------------------------------------------------------------------------------------------------

    def within_text(self) -> Iterator[Finding]:
        for item in self.document.items.values():
            if item.sofa in (0, self.document.initial) and self.document.is_a(item, ANNOTATION):
                if max(item.begin, item.end) > self.units.length or min(item.begin, item.end) < 0:
                    what = f"lies outside the text (0 to {self.units.length} in UTF-16 code units)"
                    yield self._at("error", "AllAnnotationsWithinDocumentText", what, item)
                elif self.units.splits_pair(item.begin) or self.units.splits_pair(item.end):
                    yield self._at("warning", "SurrogatePairs", "begins or ends inside a character of two units", item)

    def negative(self) -> Iterator[Finding]:
        for item in self.index:
            if item.begin > item.end:
                yield self._at("error", "NegativeSizeAnnotations", "ends before it begins", item)

    def zero_size(self) -> Iterator[Finding]:
        for what, items in (("token", self.tokens), ("sentence", self.sentences)):
            for item in items:
                if item.begin >= item.end:
                    yield self._at("error", "NoZeroSizeTokensAndSentences", f"a {what} that holds nothing", item)

    def overlaps(self) -> Iterator[Finding]:
        for what, items in (("token", self.tokens), ("sentence", self.sentences)):
            for before, item in itertools.pairwise(items):
                if item.begin < before.end:
                    message = f"begins before the {what} before it (id {before.id}) has ended"
                    yield self._at("error", "TokensAndSentencesDoNotOverlap", message, item)

    def edges(self) -> Iterator[Finding]:
        for item in self.layered:
            if self._inside(item) and item.begin < item.end:
                begin, end = self._points(item)
                trim = trimmed(self.document.text, begin, end)
                edges = [word for word, off in (("begins", trim[0] != begin), ("ends", trim[1] != end)) if off]
                if edges:
                    message = f"{' and '.join(edges)} with a blank"
                    yield self._at("error", "AllAnnotationsStartAndEndWithCharacters", message, item)

    def sentences_hold(self) -> Iterator[Finding]:
        if not self.sentences:
            return
        places = _Cover(self.sentences)
        sentences = {i.type for i in self.sentences}
        for item in self.layered:
            if item.type not in sentences:
                out = [
                    w for w, at in (("begins", item.begin), ("ends", item.end)) if not places.holds(at)
                ]  # fmt: skip
                if out:
                    message = f"{' and '.join(out)} outside any sentence"
                    yield self._at("error", "AllAnnotationsStartAndEndWithinSentences", message, item)

    # -- what belongs together -------------------------------------------------------------------------------------

    def one_document(self) -> Iterator[Finding]:
        found = [i for i in self.index if self.document.is_a(i, DOCUMENT_ANNOTATION)]
        for item in found[1:]:
            yield self._at("error", "UniqueDocumentAnnotation", "more than one document annotation", item)

    def unindexed(self) -> Iterator[Finding]:
        """Annotations that are reached from the index and are not in it themselves."""
        indexed = set(self.document.indexed.get(self.document.initial, []))
        reached = _reached(self.document, sorted(indexed))
        for number in sorted(reached - indexed):
            item = self.document.items[number]
            if self.document.is_a(item, ANNOTATION):
                message = "is referred to and not indexed: it must be a member of the view"
                yield self._at("error", "AllFeatureStructuresIndexed", message, item)
        everywhere = {n for members in self.document.indexed.values() for n in members}
        lost = Counter(
            i.type
            for i in self.document.items.values()
            if i.id not in everywhere and i.id not in reached and self.document.is_a(i, ANNOTATION)
        )
        for name in sorted(lost):
            yield Finding(
                self.file, "info", "UnreachableAnnotations", f"{lost[name]:,} neither indexed nor referred to", name
            )

    def relations(self) -> Iterator[Finding]:
        types = self.document.types
        kinds = {i.type for i in self.index if i.type in types}
        linking = {t for t in kinds if {"Governor", "Dependent"} <= types.features(t).keys()}
        for item in self.index:
            if item.type not in linking:
                continue
            ends = {name: self._end(item, name) for name in ("Governor", "Dependent")}
            loose = [name for name, end in ends.items() if end is None]
            if loose:
                yield self._at("error", "DanglingRelations", f"a relation without {' and '.join(loose)}", item)
            target = self._target(item, "Dependent")
            is_layer = any(self.document.is_a(item, name) for name in self.schema.relations)
            if is_layer and target is not None and (item.begin, item.end) != (target.begin, target.end):
                message = f"its offsets are not those of its Dependent (id {target.id})"
                yield self._at("error", "RelationOffsets", message, item)

    def _target(self, item: Item, feature: str) -> Item | None:
        ids = item.refs.get(feature, [])
        return self.document.items.get(ids[0]) if ids else None

    def _end(self, item: Item, feature: str) -> Item | None:
        """What a relation's end is in the user interface: of a dependency the part of speech of its token."""
        end = self._target(item, feature)
        return self._target(end, "pos") if end is not None and self.document.is_a(item, DEPENDENCY) else end

    def incoming(self) -> Iterator[Finding]:
        seen: set[int] = set()
        for item in self.index:
            target = self._target(item, "Dependent")
            if target is not None and self.document.is_a(item, DEPENDENCY):
                if target.id in seen:
                    message = f"its Dependent (id {target.id}) has another incoming relation"
                    yield self._at("warning", "NoMultipleIncomingRelations", message, item)
                seen.add(target.id)

    def chains(self) -> Iterator[Finding]:
        for chain in self.schema.chains:
            links = {i.id: i for i in self.index if self.document.is_a(i, f"{chain}Link")}
            for number in self.document.indexed.get(self.document.initial, []):
                item = self.document.items.get(number)
                if item is not None and self.document.is_a(item, f"{chain}Chain"):
                    link = self._target(item, "first")
                    while link is not None and links.pop(link.id, None) is not None:
                        link = self._target(link, "next")
            for item in links.values():
                yield self._at("error", "LinksReachableThroughChains", "no chain leads to this link", item)

    def attached(self) -> Iterator[Finding]:
        for name, feature in ATTACHED.items():
            spans = [i for i in self.index if self.document.is_a(i, name)]
            for item in spans:
                for token in _covered(self.tokens, item):
                    if token.refs.get(feature) != [item.id]:
                        message = f"the token it covers (id {token.id}) does not refer to it as {feature}"
                        yield self._at("error", "FeatureAttachedSpanAnnotationsTrulyAttached", message, item)

    # -- what is left out ------------------------------------------------------------------------------------------

    def left_out(self) -> Iterator[Finding]:
        for name, count in sorted(self.document.unknown.items()):
            message = f"{count:,} of a type that the type system lacks: they are dropped without a word"
            yield Finding(self.file, "warning", "UnknownTypes", message, name)
        for (name, feature), count in sorted(self.document.ignored.items()):
            message = f"feature {feature} ({count:,} times) is not in the type system: it is dropped without a word"
            yield Finding(self.file, "warning", "UnknownFeatures", message, name)
        counts = Counter(i.type for i in self.document.items.values())
        for name, reason in self.schema.refused.items():
            if counts[name] and not name.startswith(KNOWN):
                yield Finding(self.file, "warning", "NoLayer", f"{counts[name]:,} are dropped: the type {reason}", name)
        for number in self.document.twice:
            what = "two feature structures have this number: UIMA keeps the later one"
            yield self._at("warning", "UniqueIds", what, self.document.items[number])
        for number, feature in self.document.dangling:
            what = f"feature {feature} refers to what is not in the document"
            yield self._at("error", "DanglingReferences", what, self.document.items[number])


CHECKS: tuple[Callable[[Checker], Iterable[Finding]], ...] = (
    Checker.bom,
    Checker.characters,
    Checker.segmentation,
    Checker.within_text,
    Checker.negative,
    Checker.zero_size,
    Checker.overlaps,
    Checker.edges,
    Checker.sentences_hold,
    Checker.one_document,
    Checker.unindexed,
    Checker.relations,
    Checker.incoming,
    Checker.chains,
    Checker.attached,
    Checker.left_out,
)


class _Cover:
    """The places that some of the given spans hold, borders included, for many questions."""

    def __init__(self, items: list[Item]) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []
        for item in items:  # sorted by begin
            if item.begin > item.end:
                continue
            if self.ends and item.begin <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], item.end)
            else:
                self.begins.append(item.begin)
                self.ends.append(item.end)

    def holds(self, at: int) -> bool:
        i = bisect_right(self.begins, at) - 1
        return i >= 0 and at <= self.ends[i]


def _covered(tokens: list[Item], item: Item) -> Iterator[Item]:
    i = bisect_left(tokens, item.begin, key=lambda t: t.begin)
    while i < len(tokens) and tokens[i].begin <= item.end:
        if tokens[i].end <= item.end:
            yield tokens[i]
        i += 1


def _reached(document: Document, start: list[int]) -> set[int]:
    found: set[int] = set()
    todo = [n for n in start if n in document.items]
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += [n for ids in document.items[number].refs.values() for n in ids if n in document.items]
    return found
