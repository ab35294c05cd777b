"""Reader of CoNLL files: rebuilds texts from columns of tokens and makes their labels reference annotations."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import GOLD_VIEW, Cas, PhiKind, Sentence, Token, View
from ..files.decoding import AUTO, check_encoding, decode
from ..files.file_reader import WholeFileReader
from ..files.selection import Source
from ..gold import Reference, kind_of, make_gold, own_kind
from .columns import CONLLU, Block, LabelFault, Layout, Row, Separator, Tags, blocks, chunks

_IN_BRACKETS = re.compile(r"[A-Z][A-Z0-9_]*")
"""A label of CoNLL-2012, such as `WORK_OF_ART`; a token in brackets is seldom of this form."""
_COMMON_LABELS = {
    **dict.fromkeys("PER PERS PERSON".split(), PhiKind.PERSON),
    **dict.fromkeys("LOC LOCATION GPE GEO-LOC".split(), PhiKind.LOCATION),
    **dict.fromkeys("ORG ORGANIZATION ORGANISATION CORPORATION COMPANY GROUP".split(), PhiKind.ORGANIZATION),
}
"""Labels of nearly all corpora, in any case."""


@component("conll")
class ConllReader(WholeFileReader):
    """Reads CoNLL files: one token per line, an empty line between sentences, labels in IOB or similar schemes.

    The text is rebuilt from the tokens, with one sentence per line. The labels become reference annotations in the view `gold`:
    `PER`, `LOC`, `ORG` and other common names for people, places and organizations, or names of PHI kinds. A document begins at
    `-DOCSTART-` (in CoNLL-U at `# newdoc`), which may give its id: `-DOCSTART- id<tab>O`; without such lines a file is one
    document.
    """

    pattern: str = "*.conll*"
    format: Literal["columns", "conllu"] = "columns"
    """`columns`: any number of columns, as in CoNLL-2003; `conllu`: CoNLL-U and CoNLL-U Plus, with multi-word tokens, empty
    nodes, comments and `SpaceAfter=No`."""
    columns: list[str] = dataclasses.field(default_factory=list)
    """Names of the columns, for `token`, `label` and `pos`. CoNLL-U has its own (`FORM`, `XPOS` ...)."""
    token: int | str = "auto"
    """Column of the token, by name or number: 1 the first, -1 the last. `auto`: the first; `FORM` in CoNLL-U."""
    label: int | str | None = "auto"
    """Column of the label; null for none. `auto`: the last; none in CoNLL-U."""
    pos: int | str | None = "auto"
    """Column of the part of speech; null for none. `auto`: none; `XPOS` in CoNLL-U."""
    separator: Separator = "auto"
    """Separator of columns: `tab`, `blank` (any number of spaces) or `auto`: a tab if the first row contains one."""
    tags: Tags = "auto"
    """Scheme of the labels: strictly `IOB1`, `IOB2`, `BILOU` (or BIOES) or `IO`, or `auto`, which accepts all of them. Labels
    without a prefix require `IO`. `brackets`: the files of CoNLL-2012 and OntoNotes, `(GPE*`, `*)`, with tokens in column 4,
    tags in 5, labels in 11, and documents between `#begin document` and `#end document`."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels, without their prefix: `{MISC: null, facility: LOCATION_FACILITY}`; null drops a label. An unknown
    label fails the document."""
    own_labels: bool = False
    """Keep labels with a prefix as kinds of their own, also `B-ORG` and `B-GPE`: for models that learn them. `kinds` still
    translates and drops; a label that is the name of a PHI kind is that kind."""
    documents: Literal["marks", "file", "sentences"] = "marks"
    """Extent of a document: from mark to mark, a whole file, or a number of `sentences`."""
    sentences: int = 20
    """Number of sentences in a document, for `documents: sentences`."""
    spacing: Literal["auto", "plain", "smart"] = "auto"
    """Spaces between tokens: `plain` between all, `smart` as in English print. `SpaceAfter=No` always applies. `auto`: `plain` in
    files that contain it, else `smart`."""
    tokens: bool = False
    """Add the file's sentences and tokens, with their tags, to the view `gold`, for training or scoring taggers."""
    encoding: str = AUTO
    """`auto`: the encoding of a byte-order mark, else UTF-8, else Windows-1252 (cp1252)."""

    suffixes = (".conll", ".conllu", ".conllup", ".conll.txt", ".txt", ".iob", ".bio", ".tsv")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        if self.sentences < 1:
            raise ValueError(f"sentences: expected 1 or more, got {self.sentences}")
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns: expected every name once")
        for name, column in (("token", self.token), ("label", self.label), ("pos", self.pos)):
            if column == 0:
                raise ValueError(f"{name}: expected 1 or more, or -1 or less from the end, got 0")
            if isinstance(column, str) and column != AUTO and self.format == "columns" and column not in self.columns:
                raise ValueError(
                    f"{name}: no column called {column}; `columns` names {', '.join(self.columns) or 'none'}"
                )
        if self.columns and self.format == "conllu":
            raise ValueError("columns: CoNLL-U has its own, or names them in a line `# global.columns`")

    @property
    def layout(self) -> Layout:
        conllu, brackets = self.format == "conllu", self.tags == "brackets"
        return Layout(
            token=self.token if self.token != AUTO else "FORM" if conllu else 4 if brackets else 1,
            label=self.label if self.label != AUTO else None if conllu else 11 if brackets else -1,
            pos=self.pos if self.pos != AUTO else "XPOS" if conllu else 5 if brackets else None,
            names=CONLLU if conllu else self.columns,
            separator="auto" if conllu else self.separator,
            conllu=conllu,
            brackets=brackets,
        )

    def documents_of(self, source: Source, data: bytes) -> Iterator[Cas]:
        text, encoding = decode(data, self.encoding)
        parts = list(self._parts(blocks(text.split("\n"), self.layout)))
        if not parts:
            raise ReaderError("expected tokens, found none")
        for cas in self._read(source, parts):
            cas.metadata["encoding"] = encoding
            yield cas

    def _parts(self, found: Iterator[Block]) -> Iterator[Block]:
        """Split or join the blocks of a file into documents."""
        if self.documents == "marks":
            yield from found
        elif self.documents == "file":
            all_blocks = list(found)
            if all_blocks:
                fault = next((b.fault for b in all_blocks if b.fault), "")
                yield Block(sentences=[s for b in all_blocks for s in b.sentences], fault=fault)
        else:
            for block in found:
                if block.fault:
                    yield block
                    continue
                for first in range(0, len(block.sentences), self.sentences):
                    yield Block(block.name, block.sentences[first : first + self.sentences], marked=True)

    def _read(self, source: Source, parts: list[Block]) -> Iterator[Cas]:
        whole = len(parts) == 1 and not parts[0].marked
        glued = any(row.glued for block in parts for sentence in block.sentences for row in sentence)
        spaced = self.spacing == "smart" or (self.spacing == "auto" and not glued)
        taken: set[str] = set()
        for number, block in enumerate(parts, 1):
            document = f"{source.id}/{block.name or number}"
            if whole:
                document = source.id
            elif document in taken:
                document = f"{source.id}/{number}"
            taken.add(document)
            try:
                if block.fault:
                    raise ReaderError(block.fault)
                yield self._cas(document, block.sentences, spaced)
            except ReaderError as error:
                self.fail(document, f"{source.path}, {error}")

    def _cas(self, document: str, sentences: list[list[Row]], spaced: bool) -> Cas:
        text = _TextBuilder()
        references: list[Reference] = []
        with_labels = self.layout.label is not None
        for rows in sentences:
            placed = text.add(rows, spaced)
            if with_labels:
                references += self._references(rows, placed)
        cas = Cas("".join(text.pieces), id=document)
        if with_labels:
            make_gold(cas, references)
        if self.tokens:
            view = cas.view(GOLD_VIEW) if with_labels else cas.create_view(GOLD_VIEW, cas.text)
            text.add_tokens(view, self.id)
        return cas

    def _references(self, rows: list[Row], placed: list[tuple[int, int]]) -> Iterator[Reference]:
        try:
            for chunk in chunks([row.label for row in rows], self.tags):
                row = rows[chunk.first]
                kind = self._kind(chunk.label, row)
                if kind is not None:
                    yield Reference(placed[chunk.first][0], placed[chunk.last - 1][1], kind, f"line {row.line}")
        except LabelFault as fault:
            raise ReaderError(f"line {rows[fault.index].line}: {fault}") from None

    def _kind(self, label: str, row: Row) -> PhiKind | None:
        if label not in self.kinds and label.upper() in _COMMON_LABELS and not self.own_labels:
            return _COMMON_LABELS[label.upper()]
        bare = row.label == label  # a label without a prefix may be a token, if `label` names the wrong column
        hidden = bare or self.tags == "brackets"  # so may `(Smith)`
        named = _IN_BRACKETS.fullmatch(label) is not None if self.tags == "brackets" else not bare
        own = self.own_labels and label not in self.kinds and named
        try:
            return own_kind(label) if own else kind_of(label, self.kinds)
        except ReaderError as error:
            fault = "a label that is not a PHI kind; `kinds` can translate or drop it" if hidden else str(error)
        raise ReaderError(f"line {row.line}: {fault}")


class _TextBuilder:
    """Builds a text from tokens and collects the spans of its tokens and sentences."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self.tokens: list[tuple[int, int]] = []
        self.tags: list[str] = []
        self.sentences: list[tuple[int, int]] = []

    def add(self, rows: list[Row], spaced: bool) -> list[tuple[int, int]]:
        """Add a sentence on a line of its own; return the spans of its rows."""
        forms = [row.form for row in rows]
        spaces = smart(forms, [row.pos for row in rows]) if spaced else [True] * len(rows)
        placed: list[tuple[int, int]] = []
        for row, space in zip(rows, spaces, strict=True):
            begin, end = self.size, self.size + len(row.form)
            placed.append((begin, end))
            for b, e, tag in _words(row):
                self.tokens.append((begin + b, begin + e))
                self.tags.append(tag)
            gap = " " if space and not row.glued and row is not rows[-1] else ""
            self.pieces.append(row.form + gap)
            self.size = end + len(gap)
        self.pieces.append("\n")
        self.size += 1
        self.sentences.append((placed[0][0], placed[-1][1]))
        return placed

    def add_tokens(self, view: View, source: str) -> None:
        for type_, spans in ((Sentence, self.sentences), (Token, self.tokens)):
            view.add_spans(type_, [b for b, _ in spans], [e for _, e in spans], source)
        if any(self.tags):
            view.set_feature(Token, "pos", self.tags)


def _words(row: Row) -> Sequence[tuple[int, int, str]]:
    """Return begin and end in the row, and tag, of its words: several for a multi-word token that is their concatenation."""
    if row.parts and "".join(form for form, _ in row.parts) == row.form:
        words, begin = [], 0
        for form, tag in row.parts:
            words.append((begin, begin + len(form), tag))
            begin += len(form)
        return words
    return [(0, len(row.form), row.pos or (row.parts[0][1] if row.parts else ""))]


_NO_SPACE_BEFORE = re.compile(
    r"""[.,;:!?…]+ | [%)\]}»”]+ | '' | -RRB- | -RSB- | -RCB-
      | ['’`´](?:s|S|m|M|d|D|ll|LL|re|RE|ve|VE) | n['’]t | N['’]T""",
    re.VERBOSE,
)
"""Closing marks, and the clitics that the Penn Treebank cuts off."""
_NO_SPACE_AFTER = re.compile(r"[(\[{«“¿¡$€£]+|``|-LRB-|-LSB-|-LCB-")
_SIGNS = frozenset("#@")
"""Signs that belong to the word or number after them."""
_QUOTES = frozenset("\"'")
_SPLICES = frozenset(["/"])
_APOSTROPHES = frozenset("'’´`")
_CLITICS = frozenset("s m d ll re ve t".split())


def smart(forms: Sequence[str], tags: Sequence[str] = ()) -> list[bool]:
    """Return for each token of a sentence whether a space follows it, by the conventions of English print.

    No space is inserted before closing marks and clitics, after opening marks, around a slash, inside quotes, and next to
    tokens with the Penn tag of a hyphen (`HYPH`) or a possessive (`POS`). A hyphen without a tag keeps its spaces.
    """
    spaces = [True] * len(forms)
    opened: set[str] = set()
    for i, form in enumerate(forms):
        tag = tags[i] if i < len(tags) else ""
        before = forms[i - 1] if i else ""
        after = forms[i + 1] if i + 1 < len(forms) else ""
        left = right = False
        if form in _APOSTROPHES and after.lower() in _CLITICS:  # split into three tokens: `It`, `'`, `s`
            left = right = True
        elif form in _QUOTES:
            closes = form in opened or tag == "POS" or (form == "'" and before[-1:] in "sS" and before != "")
            opened ^= {form} if form in opened or not closes else set()
            left, right = closes, not closes
        elif form in _SPLICES or tag == "HYPH":
            left = right = True
        elif form in _SIGNS:
            right = after[:1].isalnum()
        elif _NO_SPACE_BEFORE.fullmatch(form) or tag == "POS":
            left = True
        elif _NO_SPACE_AFTER.fullmatch(form):
            right = True
        if left and i:
            spaces[i - 1] = False
        if right:
            spaces[i] = False
    return spaces
