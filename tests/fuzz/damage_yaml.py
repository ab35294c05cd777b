"""Ways to spoil YAML: tags, aliases, includes and variables put in, indentation and lines moved, values of other types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

import yaml
from damage_json import WAYS as OF_TREES

VALUES = (
    "!!python/object/apply:os.system ['touch escaped']", "!!python/name:os.system", "!!python/module:os ''", "!x y",
    "! y", "!<tag:a> b", "&a", "*a", "&a [*a, *a]", "&a {<<: *a}", "{<<: {a: 1}}", "${CASPIPE_KEY}", "'${CASPIPE_KEY}'",
    "${NO_SUCH_VARIABLE}", "'${A:-${B:-c}}'", "${", "null", "~", "yes", "No", "0o17", "0x", "1_000", "1e400", ".inf",
    "-.nan", "190:20:30", "2020-13-45", "2020-01-01T99:99:99", "=", "<<", "!!set {a, b}", "!!omap [a: 1]", "!!binary x",
    "!!binary ===", "!!timestamp x", "!!int x", "!!float x", "!!bool x", "!!null x", "!!str 5", "!!merge x", "? a",
    "? [a, b]\n: c", "- - -", "[", "]", "{", "}", "{}", "[]", "[[]]", "[{}]", "{a: {b: [", "|", ">", "|9\n x", "''",
    '""', "'", '"', "# x", ": ", "---", "...", "%YAML 9.9\n---", "%TAG ! tag:x:\n---", "\t", "\u2028", "\x00", "\ufeff",
    "\x85", "😀", "-1", "0", "1", "1.5", "9" * 30, "9" * 5000, "true", "os:system", "subprocess:Popen",
    "nowhere.nothing:X", "..:x", ":", ":x", "os:", "caspipe.readers.tables.csv:CsvReader", "caspipe.typesystem:Cas", "include",
    "{include: ../deidentify.yaml}", "{include: /etc/passwd}", "{include: /dev/null}", "{include: .}", "{include: [a]}",
    "{aggregate: {id: [a], engines: 5}}", "{aggregate: {}}", "../../../etc/passwd", "/dev/zero", "x" * 5000,
    '"\\ud800"', '"\\x00"', "{dates: {id: a/b}}", "{dates: {id: dates}}", "[segmenter, segmenter]", "PERSON", "DATE",
    "{PERSON: DATE}", "a.b.c", "./", "~/x",
)  # fmt: skip
"""Strings with a special meaning in YAML or in a configuration."""

_KEY = re.compile(r"([\w.-]+)(:\s)")
_VALUE = re.compile(r"(?<=[:,\[]\s)[^\s,\]}\[{][^,\]}\n]*|(?<=- )[^\n{\[]+")


def _value(random: Random, text: str) -> str:
    found = list(_VALUE.finditer(text))
    if not found:
        return random.choice(VALUES)
    one = random.choice(found)
    return text[: one.start()] + random.choice(VALUES) + text[one.end() :]


def _key(random: Random, text: str) -> str:
    """A key renamed, or called as another one."""
    found = list(_KEY.finditer(text))
    if not found:
        return text + "\n" + random.choice(VALUES)
    one, other = random.choice(found), random.choice(found)
    new = random.choice(
        (
            one[1] + "x",
            one[1][:-1],
            other[1],
            other[1],
            "id",
            "include",
            "<<",
            "5",
            "true",
            "''",
            "[a]",
            "${CASPIPE_KEY}",
            "*a",
        )
    )
    return text[: one.start()] + new + text[one.end(1) :]


def _insert(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(VALUES) + text[at:]


def _exchange(random: Random, text: str) -> str:
    found = list(_VALUE.finditer(text))
    if len(found) < 2:
        return _insert(random, text)
    one, two = sorted(random.sample(found, 2), key=lambda m: m.start())
    return text[: one.start()] + two[0] + text[one.end() : two.start()] + one[0] + text[two.end() :]


def _line(random: Random, text: str) -> str:
    lines = text.split("\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    way = random.randrange(6)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(to, lines[at])
    elif way == 2:
        lines.insert(to, lines.pop(at))
    elif way == 3:
        lines[at] = random.choice((" ", "  ", "    ", "\t", "- ", "? ")) + lines[at]
    elif way == 4:
        lines[at] = lines[at].removeprefix(" ").removeprefix(" ")
    else:
        indent = re.match(r"[ -]*", lines[at])
        lines.insert(at, (indent[0] if indent else "") + random.choice(VALUES))
    return "\n".join(lines)


def _multiplied(random: Random, text: str) -> str:
    """Aliases of aliases."""
    rows = [
        f"{b}: &{b} [{', '.join([f'*{a}'] * random.choice((2, 10)))}]"
        for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    ]
    return "\n".join(["a: &a [x, x]", *rows, random.choice((text, "engines: *j"))])


def _tree(random: Random, text: str) -> str:
    """As JSON, which is YAML too, with something of its tree changed."""
    if text.count("*") > 30:  # aliases of aliases: their tree would be huge
        return _line(random, text)
    try:
        data = json.dumps(yaml.safe_load(text), default=str).encode()
    except Exception:  # a tag that does not fit its value fails in many ways
        return _line(random, text)
    return random.choice(OF_TREES)(random, data).decode("utf-8", "surrogatepass")


_WAYS: tuple[Callable[[Random, str], str], ...] = (
    _value, _value, _value, _key, _key, _insert, _exchange, _line, _line, _tree, _tree, _tree,
)  # fmt: skip


def _way(random: Random, data: bytes) -> bytes:
    way = _multiplied if random.random() < 0.01 else random.choice(_WAYS)
    return way(random, data.decode("utf-8", "replace")).encode("utf-8", "surrogatepass")


WAYS: tuple[Callable[[Random, bytes], bytes], ...] = (_way,)
