"""Read UIMA's type system files with their imports, and write them in the element order of the schema."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from .annotation import Feature
from .description import TypeDescription, check_feature_name, check_type_name
from .errors import TypeSystemError
from .markup.safe_xml import parser_for, readable, run

NAMESPACE = "http://uima.apache.org/resourceSpecifier"


@dataclass(slots=True)
class Parsed:
    """The content of one file."""

    types: list[tuple[TypeDescription, str]] = field(default_factory=list)
    """Each type with `file:line`."""
    imports: list[tuple[str, str]] = field(default_factory=list)
    """("location" or "name", value)."""
    priorities: list[tuple[str, ...]] = field(default_factory=list)
    name: str = ""
    description: str = ""


class _Node:
    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, line: int, attributes: dict[str, str]) -> None:
        self.tag, self.line, self.attributes = tag, line, attributes
        self.text = ""
        self.children: list[_Node] = []

    def child(self, tag: str) -> _Node | None:
        return next((c for c in self.children if c.tag == tag), None)

    def value(self, tag: str) -> str:
        child = self.child(tag)
        return child.text.strip() if child is not None else ""

    def below(self, *path: str) -> list[_Node]:
        nodes = [self]
        for tag in path:
            nodes = [c for n in nodes for c in n.children if c.tag == tag]
        return nodes


def parse(data: bytes, where: str) -> Parsed:
    """Return the types, imports and priority lists of a `typeSystemDescription` or `typePriorities` document.

    Raises FormatError for damaged XML, TypeSystemError for another kind of document or names that UIMA does not allow.
    """
    root = _tree(data, where)
    if root.tag not in ("typeSystemDescription", "typePriorities"):
        raise TypeSystemError(f"{where}:{root.line}: expected a typeSystemDescription, got {root.tag}")
    parsed = Parsed(name=root.value("name"), description=root.value("description"))
    for node in root.below("imports", "import"):
        for how in ("location", "name"):
            if how in node.attributes:
                parsed.imports.append((how, node.attributes[how]))
    for node in root.below("types", "typeDescription"):
        parsed.types.append((_type(node, where), f"{where}:{node.line}"))
    for node in [
        *root.below("priorityLists", "priorityList"),
        *root.below("typePriorities", "priorityLists", "priorityList"),
    ]:
        parsed.priorities.append(tuple(t.text.strip() for t in node.below("type")))
    return parsed


def _tree(data: bytes, where: str) -> _Node:
    parser = parser_for(where)
    top = _Node("", 0, {})
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        node = _Node(name.rpartition(" ")[2], parser.CurrentLineNumber, attributes)
        stack[-1].children.append(node)
        stack.append(node)

    def end(_: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        stack[-1].text += data

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    data, stand_ins = readable(data, lenient=False)
    run(parser, data, where)
    if stand_ins:
        _restore(top, stand_ins)
    return top.children[0]


def _restore(node: _Node, stand_ins: dict[int, int]) -> None:
    """Restore the control characters of XML 1.1 from the characters that were substituted for the parser."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        node.text = node.text.translate(stand_ins)
        nodes += node.children


def _required(node: _Node, tag: str, what: str, where: str) -> str:
    value = node.value(tag)
    if not value:
        raise TypeSystemError(f"{where}:{node.line}: {what} without a {tag}")
    return value


def _type(node: _Node, where: str) -> TypeDescription:
    name = _required(node, "name", "type", where)
    check_type_name(name, f"{where}:{node.line}")
    features = tuple(_feature(f, name, where) for f in node.below("features", "featureDescription"))
    values = node.child("allowedValues")
    allowed = (
        None if values is None else tuple((v.value("string"), v.value("description")) for v in values.below("value"))
    )
    supertype = _required(node, "supertypeName", f"type {name}", where)
    return TypeDescription(name, supertype, features, node.value("description"), allowed)


def _feature(node: _Node, of: str, where: str) -> Feature:
    name = _required(node, "name", f"type {of}: feature", where)
    check_feature_name(name, of, f"{where}:{node.line}")
    range_ = _required(node, "rangeTypeName", f"feature {of}:{name}", where)
    multiple = node.value("multipleReferencesAllowed").lower()
    return Feature(
        name,
        range_,
        node.value("elementType") or None,
        {"true": True, "false": False}.get(multiple),
        description=node.value("description"),
    )


class Files(Protocol):
    """Access to type system files by path."""

    def read(self, path: str) -> bytes:
        """Return the content of a file. Raises OSError or CaspipeError."""

    def exists(self, path: str) -> bool:
        """Return whether the file exists."""

    def folder(self, path: str) -> str:
        """Return the folder of a file."""

    def join(self, folder: str, relative: str) -> str:
        """Return the path of a file relative to a folder, normalized."""


class Disk:
    """Files on disk."""

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def exists(self, path: str) -> bool:
        return Path(path).is_file()

    def folder(self, path: str) -> str:
        return str(Path(path).parent)

    def join(self, folder: str, relative: str) -> str:
        return os.path.normpath(Path(folder, relative))


def load(path: str, search: Sequence[str], files: Files) -> list[Parsed]:
    """Return a file and everything it imports, each once, in order of first mention.

    `location` is relative to the importing file; `name` (dots for slashes) is searched in `search`, then in the folder of the
    first file. Raises TypeSystemError for an import that is missing or on the network, and OSError for the first file.
    """
    parsed: dict[str, Parsed] = {}
    queue = [path]
    folders = [*search, files.folder(path)]
    while queue:
        current = queue.pop(0)
        key = files.join(files.folder(current), current.replace(os.sep, "/").rpartition("/")[2])
        if key in parsed:
            continue
        parsed[key] = parse(files.read(current), current)
        for how, value in parsed[key].imports:
            if how == "location":
                target = files.join(files.folder(current), _location(value, current))
            else:
                target = _by_name(value, folders, current, files)
            if not files.exists(target):
                raise TypeSystemError(f"{current}: import by {how} {value!r}: no file {target}")
            queue.append(target)
    return list(parsed.values())


def _location(value: str, current: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("", "file") or parts.netloc:
        raise TypeSystemError(f"{current}: import by location {value!r}: only files are read, never the network")
    return unquote(parts.path)


def _by_name(value: str, folders: Sequence[str], current: str, files: Files) -> str:
    relative = value.replace(".", "/") + ".xml"
    for folder in folders:
        if files.exists(target := files.join(folder, relative)):
            return target
    raise TypeSystemError(f"{current}: import by name {value!r}: no {relative} in {', '.join(folders)}")


def write(types: Iterable[TypeDescription], name: str, description: str) -> bytes:
    """Write the types as given, in UTF-8, deterministically."""
    out = ['<?xml version="1.0" encoding="UTF-8"?>', f'<typeSystemDescription xmlns="{NAMESPACE}">']
    out += [f"  {_element('name', name)}", f"  {_element('description', description)}", "  <types>"]
    for t in types:
        out += ["    <typeDescription>", f"      {_element('name', t.name)}"]
        out.append(f"      {_element('description', t.description)}")
        out.append(f"      {_element('supertypeName', t.supertype)}")
        if t.allowed_values is not None:
            out.append("      <allowedValues>")
            for value, meaning in t.allowed_values:
                more = _element("description", meaning) if meaning else ""
                out.append(f"        <value>{_element('string', value)}{more}</value>")
            out.append("      </allowedValues>")
        if t.features:
            out.append("      <features>")
            out += [_write_feature(f) for f in t.features]
            out.append("      </features>")
        out.append("    </typeDescription>")
    out += ["  </types>", "</typeSystemDescription>", ""]
    return "\n".join(out).encode()


def _write_feature(f: Feature) -> str:
    parts: list[Any] = [_element("name", f.name), _element("description", f.description)]
    parts.append(_element("rangeTypeName", f.range))
    if f.element:
        parts.append(_element("elementType", f.element))
    if f.multiple is not None:
        parts.append(_element("multipleReferencesAllowed", "true" if f.multiple else "false"))
    return f"        <featureDescription>{''.join(parts)}</featureDescription>"


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text, quote=False)}</{tag}>" if text else f"<{tag}/>"
