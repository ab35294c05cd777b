"""Reads rule files with the files they include, and collects all faults before anything is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ...pipeline.errors import Fault, ResourceError, nearest
from .marked_yaml import MarkedYaml
from .rule_reader import RuleReader
from .rules import AllowList, DenyList, Rule, shipped
from .source import At, Collected, Source, sort_of
from .syntax import PatternError, compile_pattern

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # a build of PyYAML without libyaml
    from yaml import SafeLoader  # type: ignore[assignment]

FILE_KEYS = ("description", "include", "automaton", "words", "fragments", "rules", "deny", "allow")
DENY_KEYS = ("name", "kind", "strings", "files", "confidence")
ALLOW_KEYS = ("strings", "files", "patterns")


class Loader:
    """Collects rules, lists and faults of a rule file and of the files it includes."""

    def __init__(self) -> None:
        self.collected = Collected()
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
        """Everything that is wrong, in the order in which the files were read and by line."""
        place = {file: i for i, file in enumerate(self._files)}
        return sorted(self.collected.faults, key=lambda f: (place.get(f.file, len(place)), f.line))

    def load(self, path: Path) -> None:
        """Reads one file; the files it includes come first. A file is read once."""
        file = str(path)
        if file in self._files:
            return
        self._files.append(file)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            self.collected.faults.append(Fault("", "no such rule file", file))
            return
        except (OSError, UnicodeDecodeError) as error:
            what = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
            self.collected.faults.append(Fault("", f"expected a rule file in YAML; it {what}", file))
            return
        yaml = MarkedYaml(text, file)
        self.collected.faults += yaml.faults
        source = Source(path, yaml, self.collected)
        if yaml.data is not None and not isinstance(yaml.data, dict):
            source.tell((), "", f"expected a mapping with {', '.join(FILE_KEYS)}, got {sort_of(yaml.data)}")
        elif yaml.data:
            self._read(source, yaml.data)

    def _read(self, source: Source, data: dict[Any, Any]) -> None:
        source.keys(data, FILE_KEYS, (), "")
        automaton = data.get("automaton", source.yaml.file)
        if not isinstance(automaton, str):
            source.tell(("automaton",), "automaton", f"expected a name, got {sort_of(automaton)}")
        source.automaton = str(automaton)
        for i, name in enumerate(source.strings(data, "include", (), "")):
            self._include(source, name, ("include", i))
        self._words(source, data.get("words"))
        self._fragments(source, data.get("fragments"))
        for i, rule in enumerate(source.items(data, "rules")):
            made = RuleReader(source, rule, ("rules", i)).read()
            if made is not None:
                self.rules.append(made)
        for i, deny in enumerate(source.items(data, "deny")):
            self._deny(source, deny, ("deny", i))
        self._allow(source, data.get("allow"))

    def _include(self, source: Source, name: str, at: At) -> None:
        target = included(source.path, name)
        if not target.is_file():
            beside = sorted(p.name for p in source.path.parent.glob("*.y*ml"))
            source.tell(at, "include", f"no rule file called {name!r}{nearest(name, [*beside, *shipped()])}")
            return
        self.load(target)

    def _words(self, source: Source, given: Any) -> None:
        if given is not None and not isinstance(given, dict):
            source.tell(("words",), "words", f"expected a mapping of names to lists of words, got {sort_of(given)}")
            return
        for name, words in (given or {}).items():
            at = ("words", str(name))
            if source.claim("words", name, at):
                self.collected.words[name] = source.phrases(words, at, f"words.{name}")

    def _fragments(self, source: Source, given: Any) -> None:
        if given is not None and not isinstance(given, dict):
            source.tell(("fragments",), "fragments", f"expected a mapping of names to patterns, got {sort_of(given)}")
            return
        added: list[str] = []
        for name, pattern in (given or {}).items():
            at = ("fragments", str(name))
            if not isinstance(pattern, str):
                source.tell(at, f"fragments.{name}", f"expected a pattern as a string, got {sort_of(pattern)}")
            elif source.claim("fragments", name, at):
                self.collected.fragments[name] = pattern
                added.append(name)
        for name in added:  # only now: a fragment may use one that stands below it
            try:
                compile_pattern(source.expanded(f"{{{name}}}"))
            except PatternError as error:
                source.tell(("fragments", name), f"fragments.{name}", str(error))

    def _deny(self, source: Source, given: Any, at: At) -> None:
        where = f"deny[{at[-1]}]"
        if not isinstance(given, dict):
            source.tell(at, where, f"expected a mapping with {', '.join(DENY_KEYS)}, got {sort_of(given)}")
            return
        source.keys(given, DENY_KEYS, at, where)
        kind = source.kind(given, "kind", at, where)
        name = given.get("name", "deny")
        if not isinstance(name, str):
            source.tell((*at, "name"), where, f"name: expected a string, got {sort_of(name)}")
        confidence = source.number(given, "confidence", 1.0, at, where)
        if "strings" not in given and "files" not in given:
            source.tell(at, where, "expected `strings` or `files`")
        strings = self._strings(source, given, at, where)
        if kind is not None:
            self.deny.append(DenyList(str(name), kind, tuple(strings), confidence))

    def _allow(self, source: Source, given: Any) -> None:
        if given is None:
            return
        if not isinstance(given, dict):
            source.tell(("allow",), "allow", f"expected a mapping with {', '.join(ALLOW_KEYS)}, got {sort_of(given)}")
            return
        source.keys(given, ALLOW_KEYS, ("allow",), "allow")
        self._allow_strings += self._strings(source, given, ("allow",), "allow")
        for i, pattern in enumerate(source.strings(given, "patterns", ("allow",), "allow")):
            compiled = source.pattern(pattern, ("allow", "patterns", i), "allow.patterns", ignore_case=True)
            if compiled is not None:
                self._allow_patterns.append(compiled)

    def _strings(self, source: Source, given: dict[Any, Any], at: At, where: str) -> list[str]:
        found = source.strings(given, "strings", at, where, numbers=True)
        for i, name in enumerate(source.strings(given, "files", at, where)):
            try:
                lines = (source.path.parent / name).read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeDecodeError):
                what = f"files: expected a UTF-8 text file with one entry a line; cannot read {name!r}"
                source.tell((*at, "files", i), where, what)
                continue
            found += [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        return found


def included(path: Path, name: str) -> Path:
    """The file that a rule file means by a name under `include`: relative to it, else a shipped one."""
    target = path.parent / name
    return shipped()[name] if not target.exists() and name in shipped() else target


def files_of(path: Path) -> tuple[list[Path], list[str]]:
    """A rule file, every file it includes by path and every list they name, each once; and the shipped rule files they include by
    name. Compiles no pattern.

    Raises ResourceError where one cannot be read or is no YAML.
    """
    found: list[Path] = []
    named: list[str] = []
    _gather(path, found, named)
    return found, named


def _gather(path: Path, found: list[Path], named: list[str]) -> None:
    if path in found:
        return
    found.append(path)
    try:
        data = yaml.load(path.read_bytes(), Loader=SafeLoader)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise ResourceError(f"rule file {path}: cannot be read: {type(error).__name__}") from None
    if not isinstance(data, dict):
        return
    for name in _names(data.get("include")):
        target = included(path, name)
        if target == path.parent / name:
            _gather(target, found, named)
        elif name not in named:
            named.append(name)
    denied = data.get("deny")
    for part in [*(denied if isinstance(denied, list) else []), data.get("allow")]:
        if isinstance(part, dict):
            files = [path.parent / name for name in _names(part.get("files"))]
            found += [file for file in files if file not in found]


def _names(value: Any) -> list[str]:
    return [name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)]
