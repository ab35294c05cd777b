"""Writes blocks of fields, lines like `Patient: Reyes, Anna   MRN: 4471902`, in the forms of tables, messages and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..synthetic.draws import Draws
from .pieces import Piece, lines_of, merged, text_of

Field = tuple[str, list[Piece]]
"""A field: its name, and its value in pieces."""

_CUE = re.compile(r"^[ \t]*(?P<name>[A-Za-z][A-Za-z0-9 ./#&()'-]{0,29}?)[ \t]*:[ \t]*")
_NEXT = re.compile(r"(?:[ \t]{2,}|[ \t]*\|[ \t]*|\t)(?P<name>[A-Za-z][A-Za-z0-9 ./#&()'-]{0,24}?)[ \t]*:[ \t]*")
_TAKEN = {"xml": "<>&", "json": '"\\', "csv": '"', "hl7": "|^~\\&", "pipe_table": "|", "pipe_rows": "|", "tab": "\t"}
_LONGEST = 90
"""Characters of a value; longer ones are narrative."""
_LEAST = 2
"""Fields of a block."""
_MOST = 8
"""Columns of a table; further fields start another one."""


def restructured(pieces: Sequence[Piece], form: str, draws: Callable[[], Draws]) -> list[Piece]:
    """Return the document with its blocks of fields in another form; the text of gold spans stays.

    `draws` returns the same draws for each block, so that all blocks of a document have one style.
    """
    write = _WRITERS[form]
    out: list[Piece] = []
    block: list[Field] = []

    def flush() -> None:
        if len(block) >= _LEAST:
            out.extend(write(list(block), draws()))
        else:
            for name, value in block:
                out.extend([(f"{name}: ", None), *value, ("\n", None)])
        block.clear()

    for line in lines_of(pieces):
        fields = fields_of(line)
        if fields and _fits(fields, form):
            block.extend(fields)
            continue
        flush()
        out.extend(line)
        out.append(("\n", None))
    flush()
    return _without_last_newline(merged(out))


def fields_of(line: Sequence[Piece]) -> list[Field]:
    """Return the fields of a line; none if it does not begin with a short name and a colon, or if a value is long or empty."""
    if not line or line[0][1] is not None:
        return []
    first = _CUE.match(line[0][0])
    if first is None:
        return []
    fields: list[Field] = []
    name = first["name"]
    value: list[Piece] = []
    rest: list[Piece] = [(line[0][0][first.end() :], None), *line[1:]]
    for text, mark in rest:
        last = 0
        for match in _NEXT.finditer(text) if mark is None else ():
            value.append((text[last : match.start()], None))
            fields.append((name, _stripped(value)))
            name, value, last = match["name"], [], match.end()
        value.append((text[last:], mark))
    fields.append((name, _stripped(value)))
    good = all(value and len(text_of(value)) <= _LONGEST and "\n" not in text_of(value) for _, value in fields)
    return fields if good else []


def _stripped(value: Sequence[Piece]) -> list[Piece]:
    found = merged(value)
    if found and found[0][1] is None:
        found[0] = (found[0][0].lstrip(), None)
    if found and found[-1][1] is None:
        found[-1] = (found[-1][0].rstrip(), None)
    return merged(found)


def _fits(fields: Sequence[Field], form: str) -> bool:
    """Return whether the values contain none of the characters that the form uses itself."""
    return not any(c in text_of(value) for _, value in fields for c in _TAKEN.get(form, ""))


def _without_last_newline(pieces: list[Piece]) -> list[Piece]:
    """Remove the newline that was added after the last line."""
    if pieces and pieces[-1][1] is None and pieces[-1][0].endswith("\n"):
        pieces[-1] = (pieces[-1][0][:-1], None)
    return merged(pieces)


def _key_style(draws: Draws) -> Callable[[str], str]:
    """Return a function that writes field names as programs do: `date_of_birth`, `DateOfBirth` or `DATE_OF_BIRTH`."""
    style = draws.below(4)

    def key(name: str) -> str:
        words = re.findall(r"[A-Za-z0-9]+", name) or ["field"]
        if style == 3:
            return "".join([word.title() for word in words])
        return "_".join(words).upper() if style == 2 else "_".join(words).lower()

    return key


def _each(fields: Sequence[Field], before: Callable[[str], str], after: str) -> list[Piece]:
    return [piece for name, value in fields for piece in ((before(name), None), *value, (after, None))]


def _key_value(fields: list[Field], draws: Draws) -> list[Piece]:
    key = _key_style(draws)
    sign = draws.pick(("=", "=", " = ", ":"))
    after = draws.pick(("\n", "\n", "; ", " ", ", "))
    pieces = _each(fields, lambda name: f"{key(name)}{sign}", after)
    return [*pieces[:-1], ("\n", None)]


def _table(fields: list[Field], draws: Draws, separator: str, edge: str, quote: Callable[[str], str]) -> list[Piece]:
    """Write tables with one row of names and one of values."""
    pieces: list[Piece] = []
    for start in range(0, len(fields), _MOST):
        part = fields[start : start + _MOST]
        pieces.append((edge + separator.join(name.strip() for name, _ in part) + edge[::-1] + "\n", None))
        if edge and draws.chance(0.5):
            pieces.append(("|" + "---|" * len(part) + "\n", None))
        pieces.append((edge, None))
        for n, (_, value) in enumerate(part):
            mark = quote(text_of(value))
            pieces += [(separator if n else "", None), (mark, None), *value, (mark, None)]
        pieces.append((edge[::-1] + "\n", None))
    return pieces


def _pipe_table(fields: list[Field], draws: Draws) -> list[Piece]:
    separator, edge = draws.pick(((" | ", "| "), ("|", ""), (" | ", "")))
    return _table(fields, draws, separator, edge, lambda _: "")


def _pipe_rows(fields: list[Field], draws: Draws) -> list[Piece]:
    edge = draws.pick(("| ", ""))
    return _each(fields, lambda name: f"{edge}{name} | ", edge[::-1] + "\n")


def _csv(fields: list[Field], draws: Draws) -> list[Piece]:
    separator = draws.pick((",", ",", ";"))
    every = draws.chance(0.3)
    return _table(fields, draws, separator, "", lambda text: '"' if every or separator in text else "")


def _hl7(fields: list[Field], draws: Draws) -> list[Piece]:
    """Write segments like those of HL7 version 2: `OBX|1|TX|NAME||value`, or `PID|1||value|...`."""
    if draws.chance(0.5):
        segment = draws.pick(("PID", "ZPI", "PV1"))
        pieces: list[Piece] = [(f"{segment}|1|", None)]
        for _, value in fields:
            pieces += [(draws.pick(("|", "|", "||", "^^^|")), None), *value]
        return [*pieces, ("\n", None)]
    out: list[Piece] = []
    key, end = _key_style(draws), draws.pick(("\n", "||||||F\n"))
    for n, (name, value) in enumerate(fields, 1):
        out += [(f"OBX|{n}|TX|{key(name)}||", None), *value, (end, None)]
    return out


def _xml(fields: list[Field], draws: Draws) -> list[Piece]:
    indent, style = draws.pick(("", "  ")), _key_style(draws)
    outer = draws.pick(("", "patient", "header", "record"))
    pieces: list[Piece] = [(f"<{outer}>\n" if outer else "", None)]
    for name, value in fields:
        key = style(name)
        key = f"f{key}" if key[0].isdigit() else key
        pieces += [(f"{indent}<{key}>", None), *value, (f"</{key}>\n", None)]
    return [*pieces, (f"</{outer}>\n" if outer else "", None)]


def _json(fields: list[Field], draws: Draws) -> list[Piece]:
    style = _key_style(draws)
    keys = [style(name) for name, _ in fields]
    line = draws.chance(0.4)
    pieces: list[Piece] = [("{" if line else "{\n", None)]
    for n, (key, (_, value)) in enumerate(zip(keys, fields, strict=True), 1):
        end = "" if n == len(fields) else ", " if line else ",\n"
        pieces += [(f'{"" if line else "  "}"{key}": "', None), *value, (f'"{end}', None)]
    return [*pieces, ("}\n" if line else "\n}\n", None)]


def _tab(fields: list[Field], draws: Draws) -> list[Piece]:
    return _each(fields, lambda name: f"{name}\t", "\n")


def _dots(fields: list[Field], draws: Draws) -> list[Piece]:
    fill, width = draws.pick((".", ".", " ", "_")), draws.between(18, 26)
    return _each(fields, lambda name: name.ljust(width, fill) + ("" if fill == " " else " "), "\n")


def _no_colon(fields: list[Field], draws: Draws) -> list[Piece]:
    sign, upper = draws.pick((" ", " ", " - ", "  ", "\n")), draws.chance(0.5)
    return _each(fields, lambda name: (name.upper() if upper else name) + sign, "\n")


def _one_line(fields: list[Field], draws: Draws) -> list[Piece]:
    between, colon = draws.pick((" | ", "  ", " / ", ", ", " ")), draws.pick((": ", ":", " "))
    pieces = _each(fields, lambda name: f"{name}{colon}", between)
    return [*pieces[:-1], ("\n", None)]


_WRITERS: dict[str, Callable[[list[Field], Draws], list[Piece]]] = {
    "key_value": _key_value,
    "pipe_table": _pipe_table,
    "pipe_rows": _pipe_rows,
    "csv": _csv,
    "hl7": _hl7,
    "xml": _xml,
    "json": _json,
    "tab": _tab,
    "dots": _dots,
    "no_colon": _no_colon,
    "one_line": _one_line,
}
