"""Confine a package that is not signed by a trusted key: it cannot read, write or reveal anything that its user did not name.

* Values of environment variables are used by parameters that are secrets (`Secret`) only.
* Outputs are written below `run.output`. `--set` names other places: ledger, events, metrics.
* Engines read files of the package and of caspipe; readers read what `--set` names.
* Components and parts are those of caspipe, and of plug-ins that the user loaded. Nothing is included.
* No operator keeps what was found, and nothing that components print is shown.

What the user gives with `--set` is not restricted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from ..assembly.assemble import RunOptions
from ..assembly.effective import Input, input_of
from ..assembly.steps import Config, Step
from ..contract import params, registry
from ..contract.component import Part, family
from ..contract.resources import Resource
from ..errors import ConfigError, Fault, ResourceError
from ..storage.hashing import shipped_name
from ..storage.secrets import is_secret
from ..storage.yaml_source import COMMAND_LINE, Keys, Source, Text, expanded, variables_in
from .rewriting import Rewriter

UNTRUSTED = (
    "not signed by a key you trust: it runs confined; --verify PUBLIC checks a signature, --trust lifts the confinement"
)
_MAY_NOT = "an unsigned bundle may not"
_MOST_AGE = 89
"""Greatest age that may stay readable (45 CFR 164.514(b)(2)(i)(C))."""
_SOURCES = frozenset(("url", "table", "query"))
"""Parameters of readers and consumers that name a database, in which anybody's data may lie."""


def refuse_unread(source: Source) -> None:
    """Add faults for what must be found before the package and the command line are combined: includes, which packing resolves
    and which are removed before they are read, `set`, and `run.show_output`."""

    def walk(value: Any, keys: Keys) -> Any:
        if isinstance(value, Mapping):
            if "include" in value and (len(value) == 1 or keys[-1:] == ("aggregate",)):
                source.faults.append(source.fault((*keys, "include"), f"{_MAY_NOT} include other files"))
                value = {key: inner for key, inner in value.items() if key != "include"} or "segmenter"
                return walk(value, keys) if isinstance(value, Mapping) else value
            return {key: walk(inner, (*keys, key)) for key, inner in value.items()}
        return [walk(inner, (*keys, n)) for n, inner in enumerate(value)] if isinstance(value, list) else value

    if not isinstance(source.data, Mapping):
        return
    for section in ("include", "set"):
        if source.data.get(section) is not None:
            source.faults.append(source.fault((section,), f"{_MAY_NOT} have this section, which packing resolves"))
    source.data = {key: value for key, value in source.data.items() if key not in ("include", "set")}
    run = source.data.get("run")
    if isinstance(run, Mapping) and run.get("show_output"):
        source.faults.append(
            source.fault(("run", "show_output"), f"{_MAY_NOT} show what components print: --show-output")
        )
    if "engines" in source.data:
        source.data = {**source.data, "engines": walk(source.data["engines"], ("engines",))}


def confine(config: Config, folder: Path, *, keep_reader: bool = False) -> None:
    """Check every value that a package gives, and replace the references in its secrets. A reader that reads what the package
    chose is removed, unless `keep_reader` says that it is not used.

    `folder`: the unpacked package. Raises ConfigError with all that it must not do, before any component is built.
    """
    work = _Confiner(config, folder)
    for section, steps in (
        ("reader", config.readers),
        ("engines", config.engines),
        ("consumers", config.consumers),
    ):
        for step in steps:
            step.given = work.step(step, section)
    if config.run_step is not None:
        config.run = work.run(config.run_step, config.run)
    if variables_in(config.name):
        config.faults.append(Fault("name", _about_variable(config.name), config.file, 1))
    for alias, target in config.resources.items():
        if variables_in(f"{alias} {target}"):
            config.faults.append(Fault("resources", _about_variable(f"{alias} {target}"), config.file, 1))
    refused = [*(f for f in config.faults if _MAY_NOT in f.what), *work.faults]
    if refused:
        raise ConfigError(sorted(dict.fromkeys(refused), key=lambda f: f.line))
    config.faults += work.unset
    if work.reading and not keep_reader:
        config.readers, config.no_reader = [], "; ".join(map(str, work.reading))


class _Confiner(Rewriter):
    """Checks the values of a package; returns parameters with secrets in them."""

    def __init__(self, config: Config, folder: Path) -> None:
        super().__init__(config)
        self.folder = folder.resolve()
        self.section = ""
        self.unset: list[Fault] = []
        """Secrets whose variable is not set here, which does not prevent packing."""
        self.reading: list[Fault] = []
        """The files and databases that the reader would read, which the user did not name."""

    def step(self, step: Step, section: str) -> dict[str, Any]:
        self.current, self.section = step, section
        for name in (step.name, step.id):
            if variables_in(name):
                self.fault((), _about_variable(name))
                return {}
        if ":" in step.name:
            self.fault((), f"{_MAY_NOT} load Python code: expected the name of a component, found a dotted path")
            return {}
        try:
            return super().step(step, section)
        except (LookupError, ConfigError, TypeError, KeyError, AttributeError):
            return dict(step.given)  # an unknown component or parameter is reported when it is built

    def run(self, step: Step, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check the options of the run: `output` must be a folder below the current one."""
        self.current, self.section, self.reads = step, "run", False
        hints = {p.name: p.hint for p in params.parameters(RunOptions)}
        checked = {key: self.value(hints.get(key, Any), value, (key,)) for key, value in given.items()}
        for key in ("ledger", "events", "metrics"):
            if isinstance(given.get(key), str) and not _is_given(given[key]):
                self.fault((key,), f"{_MAY_NOT} choose where this is written: --set run.{key}=FILE")
        return checked

    def value(self, hint: Any, value: Any, at: Keys) -> Any:
        if hint is Path and isinstance(value, str) and not self.reads:
            return self.place(value, at)
        return super().value(hint, value, at)

    def parameters(self, cls: type[Any], given: Mapping[str, Any], at: Keys, reads: bool) -> dict[str, Any]:
        for key, value in given.items():
            if self.section in ("reader", "consumers") and key in _SOURCES and value and not _is_given(value):
                what = f"{_MAY_NOT} name a database: {self._setting((*at, key))}"
                faults = self.reading if self.section == "reader" else self.faults
                faults.append(self.current.fault((*at, key), what))
            is_age = isinstance(value, int) and key == "threshold" and value > _MOST_AGE and issubclass(cls, Part)
            if is_age and not self._is_set((*at, key)):
                self.fault((*at, key), f"{_MAY_NOT} keep ages: expected at most {_MOST_AGE}, found {value}")
        return super().parameters(cls, given, at, reads)

    def is_secret(self, hint: Any, key: str, value: Any) -> bool:
        return is_secret(hint)

    def secret(self, value: Any, at: Keys) -> Any:
        """Return a secret with its variable; a file of the machine must be given with `--set`."""
        if isinstance(value, Mapping):
            for inner in _texts(value):
                self.secret(Text(f"file:{inner}", Path(), getattr(inner, "origin", "")), at)
            return value
        if not isinstance(value, Text) or _is_given(value):
            return value
        if value.startswith("file:"):
            self.fault(at, f"{_MAY_NOT} name a file with a secret: {self._setting(at)}")
        found = expanded(value)
        if found is None:
            name = variables_in(value)[0]
            what = f"environment variable {name} is not set; give a default as ${{{name}:-...}}"
            self.unset.append(self.current.fault(at, what))
            return value
        return found

    def private(self, value: Any, at: Keys) -> Any:
        return self.file(value, at) if isinstance(value, str) and value else self.plain(value, at)

    def plain(self, value: Any, at: Keys = ()) -> Any:
        for inner in _texts(value):
            if variables_in(inner) and not _is_given(inner):
                self.fault(at, _about_variable(inner))
        return value

    def part(self, hint: type[Part], value: Any, at: Keys) -> Any:
        name = next(iter(value), "") if isinstance(value, Mapping) else value
        if isinstance(name, str) and not _is_given(name):
            head = name.partition(":")[0]
            if ":" in name and (isinstance(value, Mapping) or not _is_part(hint, head)):
                self.fault(at, f"{_MAY_NOT} load Python code: expected a name, found a dotted path")
                return value
            if head == "keep":
                self.fault(at, f"{_MAY_NOT} keep what was found")
                return value
        return super().part(hint, value, at)

    def component(self, hint: Any, value: Any, at: Keys) -> Any:
        name = next(iter(value), "") if isinstance(value, Mapping) else value
        if isinstance(name, str) and ":" in name and not _is_given(name):
            self.fault(at, f"{_MAY_NOT} load Python code: expected the name of a component, found a dotted path")
            return value
        return super().component(hint, value, at)

    def resource(self, cls: type[Resource], value: str | Path, at: Keys) -> Any:
        self.plain(value, at)
        if not _is_given(value) and not variables_in(str(value)):
            name = params.resource_name(cls, value)
            if name not in cls.names() and not self._is_ours(Path(cls.address(name)[0])):
                self.fault(at, f"{_MAY_NOT} read outside of it: {self._setting(at)}")
                return value
            try:
                found = input_of(cls, name, "")
            except ResourceError as error:
                self.fault(at, str(error))
            else:
                self._check_files(found, at)
        return value

    def file(self, value: str | Path, at: Keys) -> Any:
        self.plain(value, at)
        path = value.base / value if isinstance(value, Text) else Path(value)
        if not _is_given(value) and not self._is_ours(path):
            self.fault(at, f"{_MAY_NOT} read outside of it: {self._setting(at)}")
        return value

    def place(self, value: str, at: Keys) -> Any:
        """Check a path that is not read: where a consumer writes, or what a reader reads."""
        self.plain(value, at)
        if _is_given(value):
            return value
        if self.section == "reader":
            self.reading.append(self.current.fault(at, f"{_MAY_NOT} choose what is read: {self._setting(at)}"))
        elif not _is_below(value):
            self.fault(
                at, f"{_MAY_NOT} write outside of {'the current folder' if self.section == 'run' else 'run.output'}"
            )
        return value

    def _check_files(self, found: Input, at: Keys) -> None:
        for one in found.all():
            for _, path in one.files:
                if not self._is_ours(path):
                    self.fault(at, f"{_MAY_NOT} read outside of it: {self._setting(at)}")
                    return

    def _is_ours(self, path: Path) -> bool:
        """Return whether a file belongs to the package or to caspipe."""
        return path.resolve().is_relative_to(self.folder) or bool(shipped_name(path.resolve()))

    def _is_set(self, at: Keys) -> bool:
        """Return whether a parameter, or one around it, comes from the command line."""
        return any(self.current.lines.get(at[:end], ("",))[0] == COMMAND_LINE for end in range(1, len(at) + 1))

    def _setting(self, at: Keys) -> str:
        section = self.section if self.section in ("reader", "run") else ""
        return f"--set {'.'.join(filter(None, [section, self.current.id.replace('/', '.'), *map(str, at)]))}=..."


def _is_part(hint: type[Part], name: str) -> bool:
    try:
        registry.find_part(family(hint), name)
    except LookupError:
        return False
    return True


def _is_given(value: Any) -> bool:
    """Return whether a value comes from the command line."""
    return isinstance(value, Text) and value.origin == COMMAND_LINE


def _is_below(path: str) -> bool:
    """Return whether a path is relative and stays in its folder, on every system."""
    for kind in (PurePosixPath, PureWindowsPath):
        pure = kind(path)
        if pure.is_absolute() or pure.drive or ".." in pure.parts or path.startswith("~"):
            return False
    return True


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts(key), *_texts(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _about_variable(text: str) -> str:
    names = " and ".join(variables_in(text))
    return f"{_MAY_NOT} read the environment variable {names} here, only for a parameter that is a secret"
