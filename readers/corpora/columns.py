"""Parse CoNLL files: columns of tokens and labels, sentences between empty lines, documents between marks; labels in IOB."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...pipeline.errors import ReaderError, nearest

Tags = Literal["auto", "IOB1", "IOB2", "BILOU", "IO", "brackets"]

_PREFIXED = re.compile(r"([BILOUESM])-(.+)", re.DOTALL)
_ALIAS = {"E": "L", "S": "U", "M": "I"}
"""Prefixes of BIOES and BMES with the same meaning."""
_BRACKETS = re.compile(r"(?:\(([^()*\s]+))?(\*)?(\))?")
"""A cell of CoNLL-2012: `*`, `(GPE*`, `*)`, `(GPE)`."""
_OUTSIDE = frozenset(["O", "_", ""])
_KNOWN = {"auto": "BILU", "IOB1": "BI", "IOB2": "BI", "BILOU": "BILU", "IO": "I"}


class LabelFault(Exception):
    """A label that the scheme does not allow. `index`: number of the token in its sentence. The message omits the token."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class Chunk(NamedTuple):
    """Tokens `first` to `last` (half-open) that one label covers."""

    first: int
    last: int
    label: str


def is_outside(label: str) -> bool:
    """Return whether a label marks a token outside all spans: `O`, `_` or an empty label."""
    return label in _OUTSIDE


def chunks(labels: Sequence[str], tags: Tags = "auto") -> Iterator[Chunk]:
    """Yield the chunks of one sentence.

    `auto` accepts IOB1, IOB2, BILOU, BIOES and IO with prefixes, in which each label has the same meaning: `I-X` continues an X
    before it, else it begins one. A named scheme is enforced strictly. `brackets` is that of CoNLL-2012. Raises LabelFault.
    """
    if tags == "brackets":
        yield from _bracketed(labels)
        return
    open_label, first, ended = "", 0, True
    for i, label in enumerate(labels):
        prefix, name = _parts(i, label, tags)
        continues = bool(prefix) and prefix in "IL" and not ended and name == open_label
        fault = _fault(prefix, name, open_label, ended, tags)
        if fault:
            raise LabelFault(i, f"{label} after {labels[i - 1] if i else 'the beginning'} is not {tags}{fault}")
        if open_label and not continues:
            yield Chunk(first, i, open_label)
            open_label = ""
        if prefix and not continues:
            open_label, first = name, i
        ended = not prefix or prefix in "LU"
    if tags == "BILOU" and open_label and not ended:
        raise LabelFault(
            len(labels) - 1, f"{labels[-1]} at the end of a sentence is not BILOU: expected L-{open_label}"
        )
    if open_label:
        yield Chunk(first, len(labels), open_label)


def _bracketed(labels: Sequence[str]) -> Iterator[Chunk]:
    """Yield the chunks of one sentence of CoNLL-2012: `(GPE*` opens one, `*)` closes it. Raises LabelFault."""
    open_label, first = "", 0
    for i, label in enumerate(labels):
        match = _BRACKETS.fullmatch(label)
        if match is None or not (match[2] or (match[1] and match[3])):
            raise LabelFault(i, "expected a label in brackets, as in CoNLL-2012: *, (GPE*, *) or (GPE)")
        if match[1]:
            if open_label:
                raise LabelFault(i, "a label begins inside of another")
            open_label, first = match[1], i
        if match[3]:
            if not open_label:
                raise LabelFault(i, "a bracket closes that none opened")
            yield Chunk(first, i + 1, open_label)
            open_label = ""
    if open_label:
        raise LabelFault(len(labels) - 1, "a label is open at the end of a sentence")


def _parts(index: int, label: str, tags: Tags) -> tuple[str, str]:
    """Return prefix and name of a label; the prefix is empty outside spans. In `IO` the prefix is optional."""
    if label in _OUTSIDE:
        return "", ""
    match = _PREFIXED.fullmatch(label)
    if match is None or match[1] == "O":
        if tags == "IO":
            return "I", label
        raise LabelFault(index, "expected O or a label with a prefix like B- or I-; `tags: IO` takes labels without")
    prefix = _ALIAS.get(match[1], match[1]) if tags in ("auto", "BILOU") else match[1]
    if prefix not in _KNOWN[tags]:
        raise LabelFault(index, f"{label} is not {tags}")
    return prefix, match[2]


def _fault(prefix: str, name: str, open_label: str, ended: bool, tags: Tags) -> str:
    """Return which rule of a named scheme a label violates, to follow the scheme's name; empty for none."""
    same = bool(open_label) and not ended and name == open_label
    if tags == "IOB1" and prefix == "B" and not same:
        return f": B-{name} is allowed only after another {name}"
    if tags == "IOB2" and prefix == "I" and not same:
        return f": expected B-{name}"
    if tags == "BILOU":
        if prefix in ("I", "L") and not same:
            return f": expected B-{name} or U-{name}"
        if open_label and not ended and prefix not in ("I", "L"):
            return f": expected I-{open_label} or L-{open_label}"
    return ""


CONLLU = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
Column = int | str
Separator = Literal["auto", "tab", "blank"]

_MARK = "-DOCSTART-"
_GLOBAL = "# global.columns ="
_NEWDOC = "# newdoc"
_BEGIN, _END = "#begin document", "#end document"
_COLUMN_NAME = re.compile(r"[A-Z][A-Z0-9_:]{0,15}")
"""Form of column names in CoNLL-U and CoNLL-U Plus: `PARSEME:MWE`."""


class Row(NamedTuple):
    """One token of a file. `glued`: the file says that no space follows it."""

    line: int
    form: str
    label: str = "O"
    pos: str = ""
    glued: bool = False
    parts: tuple[tuple[str, str], ...] = ()
    """(form, tag) of the words in a multi-word token."""


@dataclass(slots=True)
class Block:
    """The sentences of one document, or its first fault. `name`: the document id, if the file gives one."""

    name: str = ""
    sentences: list[list[Row]] = field(default_factory=list)
    fault: str = ""
    marked: bool = False
    """True if the file marks the beginning of the document."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a row, by name or by number from 1 (from the end: -1)."""

    token: Column
    label: Column | None = None
    pos: Column | None = None
    names: Sequence[str] = ()
    separator: Separator = "auto"
    conllu: bool = False
    brackets: bool = False
    """True for CoNLL-2012, where `#begin document (id); part 000` and `#end document` mark documents."""


def blocks(lines: Iterable[str], layout: Layout) -> Iterator[Block]:
    """Yield the documents of a file that contain tokens. Raises ReaderError for missing columns."""
    rows = _SentenceParser(layout)
    block = Block()
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        name = _newdoc(line) if layout.conllu else _begun(line) if layout.brackets else _marked(line)
        if name is not None:
            rows.end_sentence(block)
            if block.sentences or block.fault:
                yield block
            block = Block(name, marked=True)
        elif not line.strip() or (layout.brackets and line.startswith(_END)):
            rows.end_sentence(block)
        elif layout.conllu and line.startswith("#"):
            if line.startswith(_GLOBAL):
                rows.names, rows.resolved = line.removeprefix(_GLOBAL).split(), False
        elif not block.fault:
            rows.resolve()
            try:
                rows.add(number, line)
            except ReaderError as error:
                block.fault = f"line {number}: {error}"
    rows.end_sentence(block)
    if block.sentences or block.fault:
        yield block


def _marked(line: str) -> str | None:
    """Return the id after the mark of a document, if the first of several tab-separated columns has one; None for other lines."""
    if not line.startswith(_MARK) or line[len(_MARK) : len(_MARK) + 1].strip():
        return None
    first, tab, _ = line.partition("\t")
    return first.removeprefix(_MARK).strip() if tab else ""


def _begun(line: str) -> str | None:
    """Return the id and part of the document that a line of CoNLL-2012 begins; None for other lines."""
    if not line.startswith(_BEGIN):
        return None
    name, _, part = line.removeprefix(_BEGIN).strip().partition(";")
    return " ".join([name.strip("() "), *part.split()[-1:]]).replace(" ", "-")


def _newdoc(line: str) -> str | None:
    """Return the document id of a comment that begins a document, which may be empty; None for other lines."""
    if not line.startswith(_NEWDOC) or line[len(_NEWDOC) : len(_NEWDOC) + 1].strip():
        return None
    _, equals, name = line.partition("=")
    return name.strip() if equals else ""


class _SentenceParser:
    """Collects the rows of a sentence."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.sentence: list[Row] = []
        self.tabs: bool | None = {"auto": None, "tab": True, "blank": False}[layout.separator]
        self.until = 0
        """Number of the last word of the current multi-word token."""
        self.names = list(layout.names)
        self.resolved = False
        self.token, self.least = 0, 0
        self.label: int | None = None
        self.pos: int | None = None
        self.id: int | None = None
        self.misc: int | None = None

    def resolve(self) -> None:
        """Look up the columns when their names are known. Raises ReaderError for a missing column."""
        if self.resolved:
            return
        names, layout = self.names, self.layout
        self.token, self.label = self._index(layout.token), self._optional(layout.label)
        self.pos = self._optional(layout.pos)
        self.id = names.index("ID") if layout.conllu and "ID" in names else None
        self.misc = names.index("MISC") if layout.conllu and "MISC" in names else None
        used = [i for i in (self.token, self.label, self.pos) if i is not None]
        self.least = max([i + 1 if i >= 0 else -i for i in used] + [1 + (self.label is not None)])
        self.resolved = True

    def _optional(self, column: Column | None) -> int | None:
        return None if column is None else self._index(column)

    def _index(self, column: Column) -> int:
        if isinstance(column, int):
            return column - 1 if column > 0 else column
        if column not in self.names:
            names = [name for name in self.names if _COLUMN_NAME.fullmatch(name)]  # other names may be text
            raise ReaderError(f"no column called {column}{nearest(column, names)}; columns: {', '.join(names[:20])}")
        return self.names.index(column)

    def add(self, number: int, line: str) -> None:
        if self.tabs is None:
            self.tabs = "\t" in line
        cells = line.split("\t") if self.tabs or self.layout.conllu else line.split()
        if self.names and len(cells) != len(self.names):
            raise ReaderError(f"expected {len(self.names)} columns, found {len(cells)}")
        if len(cells) < self.least:
            raise ReaderError(f"expected at least {self.least} columns, found {len(cells)}")
        label = "O" if self.label is None else cells[self.label].strip()
        pos = "" if self.pos is None else cells[self.pos].strip()
        pos = "" if pos == "_" and self.layout.conllu else pos
        glued = self.misc is not None and "SpaceAfter=No" in cells[self.misc].split("|")
        row = Row(number, cells[self.token].strip(), label, pos, glued)
        if self.id is not None:
            self._word(cells[self.id], row)
        elif row.form:
            self.sentence.append(row)
        elif not is_outside(label):
            raise ReaderError("expected a token, found only spaces")

    def _word(self, word: str, row: Row) -> None:
        """Add a row of CoNLL-U: a word, a multi-word token (`3-4`) and its words, or an empty node (`5.1`)."""
        first, dash, last = word.partition("-")
        number = _number(word)
        if number == 0:
            raise ReaderError("expected a number from 1 on as ID")
        if number is not None and number <= self.until:
            whole = self.sentence[-1]
            label = row.label if is_outside(whole.label) else whole.label
            self.sentence[-1] = whole._replace(label=label, parts=(*whole.parts, (row.form, row.pos)))
        elif number is not None or (dash and _number(first) is not None and _number(last) is not None):
            if not row.form:
                raise ReaderError("expected a token, found only spaces")
            self.until = self.until if number is not None else int(last)
            self.sentence.append(row)
        elif not all(_number(part) is not None for part in word.split(".")):
            raise ReaderError("expected a number as ID")

    def end_sentence(self, block: Block) -> None:
        if self.sentence:
            block.sentences.append(self.sentence)
        self.sentence = []
        self.until = 0


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None
