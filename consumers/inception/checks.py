"""The checks of INCEpTION's import that documents fail in practice, each with the span, never with text.

Source: INCEpTION (2026-08-19), `inception-diag/.../checks/*.java`, `DocumentImportExportServiceImpl.java`,
`ValidationUtils.java`. INCEpTION has further checks, for relations, chains and the like, which are not repeated here.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...typesystem.markup.xml_text import ILLEGAL
from ...typesystem.review_layers import MAX_SENTENCES, MAX_TOKENS, is_blank, trimmed
from ...typesystem.text import Utf16
from .raw import SENTENCE, TOKEN, RawDocument, RawStructure

Severity = Literal["error", "warning", "info"]
REFUSED_IN_NAMES = frozenset("#%&{}$!:@+'`=<>\"/\\|?*")
"""Characters that INCEpTION does not accept in names of documents."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that INCEpTION rejects (error), drops (warning) or tolerates (info)."""

    file: str
    severity: Severity
    check: str
    message: str
    """Without text of the document."""
    type: str = ""
    id: int = 0
    """The xmi:id or %ID; 0 if the finding is not about one feature structure."""
    begin: int | None = None
    """Code points."""
    end: int | None = None
    utf16_begin: int | None = None
    """As in the file: UTF-16 code units."""
    utf16_end: int | None = None


def check_document(file: str, document: RawDocument) -> list[Finding]:
    """Return all findings about a document."""
    if not document.text:
        return [Finding(file, "error", "NoText", "the initial view has no text: INCEpTION refuses empty documents")]
    return list(_Checker(file, document).run())


class _Checker:
    """Checks one document."""

    def __init__(self, file: str, document: RawDocument) -> None:
        self.file, self.document = file, document
        self.units = Utf16(document.text)
        index = document.index()
        layers = {name for name in {a.type for a in index} if document.is_layer(name)}
        self.layered = [a for a in index if a.type in layers]
        self.tokens = [a for a in self.layered if a.type == TOKEN]
        self.sentences = [a for a in self.layered if a.type == SENTENCE]

    def run(self) -> Iterator[Finding]:
        """Yield all findings."""
        yield from self._name()
        yield from self._characters()
        yield from self._segmentation()
        yield from self._offsets()
        yield from self._overlaps()
        yield from self._blank_edges()
        yield from self._outside_sentences()
        yield from self._dropped()

    def _finding(self, severity: Severity, check: str, message: str, item: RawStructure | None = None) -> Finding:
        if item is None:
            return Finding(self.file, severity, check, message)
        if not self.document.is_annotation(item.type):
            return Finding(self.file, severity, check, message, item.type, item.id)
        begin, end = self._code_points(item)
        return Finding(self.file, severity, check, message, item.type, item.id, begin, end, item.begin, item.end)

    def _code_points(self, item: RawStructure) -> tuple[int, int]:
        """Return the span in code points; outside the text, the distance from the text's end is kept."""
        surplus = self.units.length - len(self.document.text)

        def point(offset: int, up: bool) -> int:
            return self.units.from_utf16(offset, up=up) if 0 <= offset <= self.units.length else offset - surplus

        return point(item.begin, False), point(item.end, True)

    def _name(self) -> Iterator[Finding]:
        refused = sorted(REFUSED_IN_NAMES & set(self.file.rpartition("/")[2]))
        if refused:
            yield self._finding(
                "error", "FileName", f"the name has characters that INCEpTION refuses: {' '.join(refused)}"
            )

    def _characters(self) -> Iterator[Finding]:
        values = itertools.chain.from_iterable(s.strings for s in self.document.structures.values())
        illegal = sum(len(ILLEGAL.findall(text)) for text in (self.document.text, *values))
        if illegal:
            message = (
                f"{illegal:,} characters that XML 1.0 forbids: INCEpTION replaces them with spaces when it writes XMI"
            )
            yield self._finding("warning", "XmlCharacters", message)
        if self.document.xml_11:
            yield self._finding("warning", "XmlVersion", "XML 1.1: import it as UIMA CAS XMI (XML 1.1)")

    def _segmentation(self) -> Iterator[Finding]:
        if all(map(is_blank, self.document.text)):
            yield self._finding("error", "NoTokens", "the text is blank: INCEpTION refuses documents without tokens")
        elif not self.sentences:
            message = "no sentences: INCEpTION creates its own, and rejects annotations that cross their borders"
            yield self._finding("warning", "NoSentences", message)
        for name, items, limit in (("tokens", self.tokens, MAX_TOKENS), ("sentences", self.sentences, MAX_SENTENCES)):
            if len(items) > limit:
                yield self._finding("error", "TooLong", f"{len(items):,} {name}: INCEpTION accepts {limit:,} at most")

    def _offsets(self) -> Iterator[Finding]:
        for item in self.document.structures.values():
            if item.sofa not in (0, self.document.initial) or not self.document.is_annotation(item.type):
                continue
            if max(item.begin, item.end) > self.units.length or min(item.begin, item.end) < 0:
                message = f"outside the text (0 to {self.units.length} in UTF-16 code units)"
                yield self._finding("error", "AllAnnotationsWithinDocumentText", message, item)
            elif item.begin > item.end:
                yield self._finding("error", "NegativeSizeAnnotations", "ends before it begins", item)
            elif item.begin == item.end and item.type in (TOKEN, SENTENCE):
                yield self._finding("error", "NoZeroSizeTokensAndSentences", "a token or sentence without text", item)

    def _overlaps(self) -> Iterator[Finding]:
        for name, items in (("token", self.tokens), ("sentence", self.sentences)):
            for before, item in itertools.pairwise(items):
                if item.begin < before.end:
                    message = f"begins before the end of the previous {name} (id {before.id})"
                    yield self._finding("error", "TokensAndSentencesDoNotOverlap", message, item)

    def _blank_edges(self) -> Iterator[Finding]:
        for item in self.layered:
            if 0 <= item.begin < item.end <= self.units.length:
                begin, end = self._code_points(item)
                inner = trimmed(self.document.text, begin, end)
                verbs = [verb for verb, off in (("begins", inner[0] != begin), ("ends", inner[1] != end)) if off]
                if verbs:
                    message = f"{' and '.join(verbs)} with a blank"
                    yield self._finding("error", "AllAnnotationsStartAndEndWithCharacters", message, item)

    def _outside_sentences(self) -> Iterator[Finding]:
        begins = [s.begin for s in self.sentences]

        def is_inside(offset: int) -> bool:
            i = bisect_right(begins, offset) - 1
            return i >= 0 and offset <= self.sentences[i].end

        for item in self.layered if self.sentences else ():
            verbs = [v for v, offset in (("begins", item.begin), ("ends", item.end)) if not is_inside(offset)]
            if verbs and item.type != SENTENCE:
                message = f"{' and '.join(verbs)} outside any sentence"
                yield self._finding("error", "AllAnnotationsStartAndEndWithinSentences", message, item)

    def _dropped(self) -> Iterator[Finding]:
        for name, count in sorted(self.document.unknown_types.items()):
            message = f"{count:,} of a type that is not in the type system: INCEpTION drops them silently"
            yield Finding(self.file, "warning", "UnknownTypes", message, name)
        for (name, feature), count in sorted(self.document.unknown_features.items()):
            message = f"feature {feature} ({count:,} times) is not in the type system: INCEpTION drops it silently"
            yield Finding(self.file, "warning", "UnknownFeatures", message, name)
        for id in self.document.duplicate_ids:
            message = "two feature structures have this id: UIMA keeps the later one"
            yield self._finding("warning", "UniqueIds", message, self.document.structures[id])
