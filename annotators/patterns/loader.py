"""Reads rule files with the files they include, and collects all faults before anything is used."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from ...pipeline.errors import Fault, ResourceError, nearest
from ...pipeline.storage.hashing import code_version
from ...pipeline.storage.kept_files import keep_json, kept_json, short_hash
from .rule import AllowList, DenyList, Rule
from .rule_reader import RuleReader
from .rule_source import KeyPath, MarkedYaml, RuleSource, SharedNames, sort_of
from .syntax import PatternError, compile_pattern

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # a build of PyYAML without libyaml
    from yaml import SafeLoader  # type: ignore[assignment]

FILE_KEYS = ("description", "include", "automaton", "words", "fragments", "rules", "deny", "allow")
DENY_KEYS = ("name", "kind", "strings", "files", "confidence")
ALLOW_KEYS = ("strings", "files", "patterns")
SHIPPED = Path(__file__).parent.parent / "identifiers" / "rules"
"""The rule files that come with caspipe."""


class Loader:
    """Collects rules, lists and faults of a rule file and of the files it includes."""

    def __init__(self) -> None:
        self.shared = SharedNames()
        self.rules: list[Rule] = []
        self.deny: list[DenyList] = []
        self._allow_strings: list[str] = []
        self._allow_patterns: list[Any] = []
        self._files: list[str] = []

    @property
    def allow(self) -> AllowList:
        return AllowList(tuple(self._allow_strings), tuple(self._allow_patterns))

    @property
    def faults(self) -> list[Fault]:
        """All faults, in the order in which the files were read and by line."""
        order = {file: i for i, file in enumerate(self._files)}
        return sorted(self.shared.faults, key=lambda f: (order.get(f.file, len(order)), f.line))

    def load(self, path: Path) -> None:
        """Read one file after the files it includes. Each file is read once."""
        file = str(path)
        if file in self._files:
            return
        self._files.append(file)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            self.shared.faults.append(Fault("", "no such rule file", file))
            return
        except (OSError, UnicodeDecodeError) as error:
            what = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
            self.shared.faults.append(Fault("", f"expected a rule file in YAML; it {what}", file))
            return
        document = MarkedYaml(text, file)
        self.shared.faults += document.faults
        source = RuleSource(path, document, self.shared)
        if document.data is not None and not isinstance(document.data, dict):
            source.report((), "", f"expected a mapping with {', '.join(FILE_KEYS)}, got {sort_of(document.data)}")
        elif document.data:
            self._read(source, document.data)

    def _read(self, source: RuleSource, data: dict[Any, Any]) -> None:
        source.keys(data, FILE_KEYS, (), "")
        automaton = data.get("automaton", source.yaml.file)
        if not isinstance(automaton, str):
            source.report(("automaton",), "automaton", f"expected a name, got {sort_of(automaton)}")
        source.automaton = str(automaton)
        for i, name in enumerate(source.strings(data, "include", (), "")):
            self._include(source, name, ("include", i))
        for name, words in source.mapping(data.get("words"), ("words",), "words", "names to lists of words").items():
            path = ("words", str(name))
            if source.claim("words", name, path):
                self.shared.words[name] = source.phrases(words, path, f"words.{name}")
        self._fragments(source, data.get("fragments"))
        for i, rule in enumerate(source.items(data, "rules")):
            checked = RuleReader(source, rule, ("rules", i)).read()
            if checked is not None:
                self.rules.append(checked)
        for i, deny in enumerate(source.items(data, "deny")):
            self._deny(source, deny, ("deny", i))
        self._allow(source, data.get("allow"))

    def _include(self, source: RuleSource, name: str, path: KeyPath) -> None:
        target = included(source.path, name)
        if target.is_file():
            self.load(target)
        else:
            siblings = sorted(p.name for p in source.path.parent.glob("*.y*ml"))
            source.report(path, "include", f"no rule file called {name!r}{nearest(name, [*siblings, *shipped()])}")

    def _fragments(self, source: RuleSource, given: Any) -> None:
        added: list[str] = []
        for name, pattern in source.mapping(given, ("fragments",), "fragments", "names to patterns").items():
            path = ("fragments", str(name))
            if not isinstance(pattern, str):
                source.report(path, f"fragments.{name}", f"expected a pattern as a string, got {sort_of(pattern)}")
            elif source.claim("fragments", name, path):
                self.shared.fragments[name] = pattern
                added.append(name)
        for name in added:  # not earlier, because a fragment may use one that is defined below it
            try:
                compile_pattern(source.expanded(f"{{{name}}}"))
            except PatternError as error:
                source.report(("fragments", name), f"fragments.{name}", str(error))

    def _deny(self, source: RuleSource, given: Any, path: KeyPath) -> None:
        where = f"deny[{path[-1]}]"
        if not isinstance(given, dict):
            source.report(path, where, f"expected a mapping with {', '.join(DENY_KEYS)}, got {sort_of(given)}")
            return
        source.keys(given, DENY_KEYS, path, where)
        kind = source.kind(given, "kind", path, where)
        name = given.get("name", "deny")
        if not isinstance(name, str):
            source.report((*path, "name"), where, f"name: expected a string, got {sort_of(name)}")
        confidence = source.number(given, "confidence", 1.0, path, where)
        if "strings" not in given and "files" not in given:
            source.report(path, where, "expected `strings` or `files`")
        strings = self._strings(source, given, path, where)
        if kind is not None:
            self.deny.append(DenyList(str(name), kind, tuple(strings), confidence))

    def _allow(self, source: RuleSource, given: Any) -> None:
        if given is None:
            return
        path, where = ("allow",), "allow"
        if not isinstance(given, dict):
            source.report(path, where, f"expected a mapping with {', '.join(ALLOW_KEYS)}, got {sort_of(given)}")
            return
        source.keys(given, ALLOW_KEYS, path, where)
        self._allow_strings += self._strings(source, given, path, where)
        for i, pattern in enumerate(source.strings(given, "patterns", path, where)):
            compiled = source.pattern(pattern, (*path, "patterns", i), "allow.patterns", ignore_case=True)
            if compiled is not None:
                self._allow_patterns.append(compiled)

    def _strings(self, source: RuleSource, given: dict[Any, Any], path: KeyPath, where: str) -> list[str]:
        strings = source.strings(given, "strings", path, where, numbers=True)
        for i, name in enumerate(source.strings(given, "files", path, where)):
            try:
                lines = (source.path.parent / name).read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeDecodeError):
                what = f"files: expected a UTF-8 text file with one entry a line; cannot read {name!r}"
                source.report((*path, "files", i), where, what)
                continue
            strings += [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        return strings


def shipped() -> dict[str, Path]:
    """Return the rule files that come with caspipe, by name."""
    return {p.stem: p for p in sorted(SHIPPED.glob("*.yaml"))}


def included(path: Path, name: str) -> Path:
    """Resolve a name under `include` of a rule file: a path relative to the file, else a shipped rule file."""
    target = path.parent / name
    return shipped()[name] if not target.exists() and name in shipped() else target


def files_of(path: Path) -> tuple[list[Path], list[str]]:
    """Return a rule file with every file it includes by path and every list they name, and the shipped files it includes by name.

    Compiles no pattern. Raises ResourceError if a file cannot be read or is not YAML.
    """
    if path.parent != SHIPPED:
        return _gathered(path)
    files, names = _files_of_shipped(path)
    return [path.parent / name for name in files], list(names)


@cache
def _files_of_shipped(path: Path) -> list[list[str]]:
    """Return the names of what `files_of` returns, kept between commands: parsing took a tenth of the start."""
    name, valid_for = f"rules/{short_hash(path)}-files", [str(path), code_version()]
    kept: list[list[str]] | None = kept_json(name, valid_for)
    if kept is None:
        files, names = _gathered(path)
        kept = [[os.path.relpath(file, path.parent) for file in files], names]
        keep_json(name, valid_for, kept)
    return kept


def _gathered(path: Path) -> tuple[list[Path], list[str]]:
    files: list[Path] = []
    names: list[str] = []
    _gather(path, files, names)
    return files, names


def _gather(path: Path, files: list[Path], names: list[str]) -> None:
    if path in files:
        return
    files.append(path)
    try:
        included_names, lists = _named(path.read_bytes())
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise ResourceError(f"rule file {path}: cannot be read: {type(error).__name__}") from None
    for name in included_names:
        target = included(path, name)
        if target == path.parent / name:
            _gather(target, files, names)
        elif name not in names:
            names.append(name)
    files += [file for file in dict.fromkeys(path.parent / name for name in lists) if file not in files]


@lru_cache(maxsize=128)
def _named(content: bytes) -> tuple[list[str], list[str]]:
    """Return the rule files that a rule file includes, and the lists it names. Every fingerprint asks for them."""
    data = yaml.load(content, Loader=SafeLoader)
    if not isinstance(data, dict):
        return [], []
    denied = data.get("deny")
    parts = [*(denied if isinstance(denied, list) else []), data.get("allow")]
    lists = [name for part in parts if isinstance(part, dict) for name in _strings(part.get("files"))]
    return _strings(data.get("include")), lists


def _strings(value: Any) -> list[str]:
    return [name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)]
