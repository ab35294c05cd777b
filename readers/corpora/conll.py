"""Reader of CoNLL files: texts rebuilt from columns of tokens, with their labels as reference annotations."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import GOLD_VIEW, Cas, PhiKind, Sentence, Token, View
from ..files.decoding import AUTO, check_encoding, decode
from ..files.file_reader import FileReader
from ..files.selection import Source
from ..gold import Reference, kind_of, make_gold
from .columns import CONLLU, Block, Layout, Row, Separator, blocks
from .iob import LabelFault, Tags, chunks
from .spacing import smart

_USUAL = {
    **dict.fromkeys("PER PERS PERSON".split(), PhiKind.PERSON),
    **dict.fromkeys("LOC LOCATION GPE GEO-LOC".split(), PhiKind.LOCATION),
    **dict.fromkeys("ORG ORGANIZATION ORGANISATION CORPORATION COMPANY GROUP".split(), PhiKind.ORGANIZATION),
}
"""Labels that nearly all corpora share, in any case."""


@component("conll")
class ConllReader(FileReader):
    """Reads CoNLL files: a token a line, an empty line between sentences, labels in IOB or the like.

    The text is put together from the tokens, a sentence a line. The labels become reference annotations in the view `gold`;
    `PER`, `LOC`, `ORG` and other usual names for people, places and organisations are known, as are PHI kinds by name.
    Documents end at `-DOCSTART-` (in CoNLL-U at `# newdoc`), which may name the next one: `-DOCSTART- id<tab>O`; where there is
    no such line a file is one document.
    """

    pattern: str = "*.conll*"
    format: Literal["columns", "conllu"] = "columns"
    """`columns`: any number of columns, as in CoNLL-2003; `conllu`: CoNLL-U and CoNLL-U Plus, with multi-word tokens, empty
    nodes, comments and `SpaceAfter=No`."""
    columns: list[str] = dataclasses.field(default_factory=list)
    """Names of the columns, to call them by in `token`, `label` and `pos`. CoNLL-U brings its own (`FORM`, `XPOS` ...)."""
    token: int | str = "auto"
    """Column of the token, by name or number: 1 the first, -1 the last. `auto`: the first; `FORM` in CoNLL-U."""
    label: int | str | None = "auto"
    """Column of the label; null for none. `auto`: the last; none in CoNLL-U."""
    pos: int | str | None = "auto"
    """Column of the part of speech; null for none. `auto`: none; `XPOS` in CoNLL-U."""
    separator: Separator = "auto"
    """What stands between columns: `tab`, `blank` (any run of blanks) or, `auto`, a tab where the first row has one."""
    tags: Tags = "auto"
    """How labels mark spans: `IOB1`, `IOB2`, `BILOU` (or BIOES) or `IO` to the letter, or `auto`, which reads all of these.
    Labels without a prefix need `IO`."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels, without their prefix: `{MISC: null, facility: LOCATION_FACILITY}`; null drops a label. A label that is
    unknown fails the document."""
    documents: Literal["marks", "file", "sentences"] = "marks"
    """What a document is: all up to a mark, a whole file, or `sentences` sentences in a row."""
    sentences: int = 20
    """Sentences in a document, for `documents: sentences`."""
    spacing: Literal["auto", "plain", "smart"] = "auto"
    """Blanks between tokens: `plain` between all, `smart` as in English print. `SpaceAfter=No` is kept in any case. `auto`:
    `plain` in files that say it anywhere, else `smart`."""
    tokens: bool = False
    """Put the file's tokens, with their tags, and sentences into the view `gold`, to train or score taggers by."""
    encoding: str = AUTO
    """`auto`: what a byte-order mark says, else UTF-8, else Windows-1252 (cp1252)."""

    suffixes = (".conll", ".conllu", ".conllup", ".conll.txt", ".txt", ".iob", ".bio", ".tsv")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        if self.sentences < 1:
            raise ValueError(f"sentences: expected 1 or more, got {self.sentences}")
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns: expected every name once")
        for name in ("token", "label", "pos"):
            column = getattr(self, name)
            if column == 0:
                raise ValueError(f"{name}: expected 1 or more, or -1 or less from the end, got 0")
            if isinstance(column, str) and column != AUTO and self.format == "columns" and column not in self.columns:
                raise ValueError(
                    f"{name}: no column called {column}; `columns` names {', '.join(self.columns) or 'none'}"
                )
        if self.columns and self.format == "conllu":
            raise ValueError(
                "columns: CoNLL-U names its own, in a line `# global.columns` where they are not the usual ten"
            )

    @property
    def layout(self) -> Layout:
        if self.format == "conllu":
            return Layout(
                token="FORM" if self.token == AUTO else self.token,
                label=None if self.label == AUTO else self.label,
                pos="XPOS" if self.pos == AUTO else self.pos,
                names=CONLLU,
                conllu=True,
            )
        return Layout(
            token=1 if self.token == AUTO else self.token,
            label=-1 if self.label == AUTO else self.label,
            pos=None if self.pos == AUTO else self.pos,
            names=self.columns,
            separator=self.separator,
        )

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                text, encoding = decode(data, self.encoding)
                found = list(self._documents(blocks(text.split("\n"), self.layout)))
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")
                continue
            if not found:
                self.fail(source.id, f"{source.path}: expected tokens, found none")
            for cas in self._read(source, found):
                cas.metadata["encoding"] = encoding
                yield cas

    def _documents(self, found: Iterator[Block]) -> Iterator[Block]:
        """The blocks of a file cut or joined into documents."""
        if self.documents == "marks":
            yield from found
        elif self.documents == "file":
            all_ = list(found)
            if all_:
                fault = next((b.fault for b in all_ if b.fault), "")
                yield Block(sentences=[s for b in all_ for s in b.sentences], fault=fault)
        else:
            for block in found:
                if block.fault:
                    yield block
                    continue
                for at in range(0, len(block.sentences), self.sentences):
                    yield Block(block.name, block.sentences[at : at + self.sentences], marked=True)

    def _read(self, source: Source, found: list[Block]) -> Iterator[Cas]:
        whole = len(found) == 1 and not found[0].marked
        glued = any(row.glued for block in found for sentence in block.sentences for row in sentence)
        spaced = self.spacing == "smart" or (self.spacing == "auto" and not glued)
        taken: set[str] = set()
        for number, block in enumerate(found, 1):
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
        page = _Page()
        references: list[Reference] = []
        with_labels = self.layout.label is not None
        for rows in sentences:
            placed = page.add(rows, spaced)
            if with_labels:
                references += self._references(rows, placed)
        cas = Cas("".join(page.pieces), id=document)
        if with_labels:
            make_gold(cas, references)
        if self.tokens:
            view = cas.view(GOLD_VIEW) if with_labels else cas.create_view(GOLD_VIEW, cas.text)
            page.add_tokens(view, self.id)
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
        if label not in self.kinds and label.upper() in _USUAL:
            return _USUAL[label.upper()]
        try:
            return kind_of(label, self.kinds)
        except ReaderError as error:
            # what has no prefix may be a token, where `label` names the wrong column
            what = str(error) if row.label != label else "a label that is no PHI kind; `kinds` can translate or drop it"
        raise ReaderError(f"line {row.line}: {what}")


class _Page:
    """A text as it grows, with the spans of its tokens and sentences."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self.tokens: list[tuple[int, int]] = []
        self.tags: list[str] = []
        self.sentences: list[tuple[int, int]] = []

    def add(self, rows: list[Row], spaced: bool) -> list[tuple[int, int]]:
        """Adds a sentence on a line of its own; the spans of its rows."""
        forms = [row.form for row in rows]
        blanks = smart(forms, [row.pos for row in rows]) if spaced else [True] * len(rows)
        placed: list[tuple[int, int]] = []
        for row, blank in zip(rows, blanks, strict=True):
            begin, end = self.size, self.size + len(row.form)
            placed.append((begin, end))
            for b, e, tag in _words(row):
                self.tokens.append((begin + b, begin + e))
                self.tags.append(tag)
            gap = " " if blank and not row.glued and row is not rows[-1] else ""
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
    """Begin, end and tag of each word of a row, within it: several for a multi-word token that is its words in a row."""
    if row.parts and "".join(form for form, _ in row.parts) == row.form:
        words, at = [], 0
        for form, tag in row.parts:
            words.append((at, at + len(form), tag))
            at += len(form)
        return words
    return [(0, len(row.form), row.pos or (row.parts[0][1] if row.parts else ""))]
