"""Parameters of components: read from their dataclass fields, and built from plain data with all faults reported at once."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import itertools
import textwrap
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...typesystem import PhiKind
from ..errors import ConfigError, nearest
from ..storage.secrets import Secret, configured, is_secret
from ..storage.yaml_source import Text, text_of
from . import registry
from .component import CasConsumer, Component, Part, family
from .kind_keys import unknown_key
from .leaf_values import Report, convert_leaf, describe_type, kind_of, never_holds, shown
from .resources import Resource
from .type_hints import UNIONS, cached, hints, inner_classes


@dataclasses.dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, type, default and documentation."""

    name: str
    hint: Any
    required: bool
    default: Any
    owner: type[Any]

    @property
    def doc(self) -> str:
        """Its documentation, read from the source only if it is needed."""
        return field_docs(self.owner).get(self.name, "")

    @property
    def type_name(self) -> str:
        return describe_type(self.hint)


@cached
def parameters(cls: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a component or part, in order of declaration."""
    found = []
    for f in dataclasses.fields(cls):
        if not f.init:
            continue
        default = f.default
        if f.default_factory is not dataclasses.MISSING:
            default = f.default_factory()
        missing = default is dataclasses.MISSING
        found.append(Parameter(f.name, hints(cls)[f.name], missing, None if missing else default, cls))
    return tuple(found)


@cached
def field_docs(cls: type[Any]) -> dict[str, str]:
    """Return the string literal after each annotated field, including inherited fields."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base is object:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for field, after in itertools.pairwise(body):
            if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
                continue
            if (
                isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
                and isinstance(after.value.value, str)
            ):
                docs[field.target.id] = inspect.cleandoc(after.value.value)
    return docs


def build(cls: type[Any], given: Any, report: Report, path: tuple[str | int, ...] = ()) -> Any:
    """Build a component, part or dataclass from plain data. None if there was a fault.

    Reports every fault, not only the first, and does not raise errors for invalid data.
    """
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        report(path, f"expected parameters as a mapping, got {kind_of(given)}")
        return None
    for value in given.values():
        if isinstance(value, Text) and value.hidden:
            report = _hiding(value, report)
    known = {p.name: p for p in parameters(cls)}
    extra_field = getattr(cls, "extra_field", "")
    names = [n for n in known if n != extra_field]
    values: dict[str, Any] = {}
    good = True

    def tell(at: tuple[str | int, ...], what: str) -> None:
        nonlocal good
        good = False
        report(at, what)

    extra: dict[Any, Any] = {}
    for key, value in given.items():
        if key in known and key != extra_field:
            values[key] = convert(known[key].hint, value, tell, (*path, key))
        elif extra_field:
            if (
                isinstance(key, str)
                and _is_of_kinds(known[extra_field])
                and (what := unknown_key(key, names, extra_field))
            ):
                tell((*path, key), what)
            else:
                extra[key] = value
        else:
            hint = nearest(str(key), names) or (f"; expected one of {', '.join(names)}" if names else "; it takes none")
            tell((*path, key), f"no such parameter{hint}")
    if extra_field and extra:
        values[extra_field] = convert(known[extra_field].hint, extra, tell, path)
    for name, parameter in known.items():
        if parameter.required and name not in values and name not in given:
            tell(path, f"parameter {name} is missing: {parameter.type_name}")
    if not good:
        return None
    try:
        return cls(**values)
    except (ValueError, TypeError) as error:
        report(path, str(error))
        return None


def _is_of_kinds(parameter: Parameter) -> bool:
    """Return whether a parameter is a mapping of kinds."""
    return typing.get_args(parameter.hint)[:1] == (PhiKind,)


def convert(hint: Any, value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    """Convert plain data to the type `hint`. Faults are reported."""
    if is_secret(hint):
        return _convert_secret(value, report, path)
    if isinstance(value, Text) and value.hidden:
        report = _hiding(value, report)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in UNIONS:
        return _convert_union(arguments, value, report, path)
    if origin in (list, tuple) and len([a for a in arguments if a is not ...]) == 1 and _special(arguments[0]):
        if not isinstance(value, list | tuple):
            report(path, f"expected {describe_type(hint)}, got {kind_of(value)}")
            return None
        return origin(convert(arguments[0], v, report, (*path, i)) for i, v in enumerate(value))
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        if not isinstance(value, Mapping):
            report(path, f"expected {describe_type(hint)}, got {kind_of(value)}")
            return None
        return {
            convert(arguments[0], k, report, (*path, k)): convert(arguments[1], v, report, (*path, k))
            for k, v in value.items()
        }
    if isinstance(hint, type):
        if issubclass(hint, PhiKind):
            return _convert_kind(value, report, path)
        if issubclass(hint, Resource):
            return _convert_resource(hint, value, report, path)
        if issubclass(hint, Part):
            return _convert_part(hint, value, report, path)
        if issubclass(hint, Component):
            return _convert_component(hint, value, report, path)
        if issubclass(hint, enum.Enum):
            return _convert_enum(hint, value, report, path)
        if dataclasses.is_dataclass(hint):
            return value if isinstance(value, hint) else build(hint, value, report, path)
    return convert_leaf(hint, value, report, path)


def _convert_secret(value: Any, report: Report, path: tuple[str | int, ...]) -> Secret | None:
    secret = configured(value)
    if secret is None:
        report(path, f'expected {describe_type(Secret)} in quotes: "${{VARIABLE}}", or file:PATH; got {kind_of(value)}')
    return secret


def _hiding(value: Text, report: Report) -> Report:
    """Remove the value of a secret environment variable from reports about a parameter that is not a secret."""

    def hidden(at: tuple[str | int, ...], what: str) -> None:
        for form in (repr(str(value)), str(value)):
            what = what.replace(form, f"the value of {' and '.join(value.variables)}") if len(form) > 2 else what
        report(at, what)

    return hidden


def _special(hint: Any) -> bool:
    return any(
        issubclass(c, PhiKind | Resource | Part | Component | enum.Enum | Path | Secret) or dataclasses.is_dataclass(c)
        for c in inner_classes(hint)
    )


def _convert_union(arguments: tuple[Any, ...], value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    if value is None and type(None) in arguments:
        return None
    choices = [a for a in arguments if a is not type(None)]
    reported: list[tuple[tuple[str | int, ...], str]] = []
    for choice in choices:
        if len(choices) > 1 and never_holds(choice, value):
            continue
        faults: list[tuple[tuple[str | int, ...], str]] = []
        converted = convert(choice, value, lambda at, what, into=faults: into.append((at, what)), path)  # type: ignore[misc]
        if not faults:
            return converted
        reported = reported or faults
        if any(len(at) > len(path) for at, _ in faults):  # went deeper: this choice was meant
            reported = faults
    if len(choices) == 1 or any(len(at) > len(path) for at, _ in reported):
        for at, what in reported:
            report(at, what)
    elif isinstance(value, str) and len(named := [c for c in choices if _is_name(c)]) == 1:  # say which name is nearest
        convert(named[0], value, report, path)
    else:
        report(path, f"expected {' or '.join(describe_type(c) for c in choices)}, got {kind_of(value)}")
    return None


def _is_name(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, PhiKind | Resource | enum.Enum)


def _convert_kind(value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    if isinstance(value, PhiKind):
        return value
    try:
        return PhiKind.of(value)
    except (ValueError, TypeError) as error:
        report(path, str(error) if isinstance(value, str) else f"expected the name of a PHI kind, got {kind_of(value)}")
        return None


def _convert_resource(hint: type[Resource], value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    if isinstance(value, hint):
        return value
    if not isinstance(value, str | Path):
        report(path, f"expected the name or file of a {hint.kind}, got {kind_of(value)}")
        return None
    try:
        name = resource_name(hint, value)
        fault = hint.check(name)
    except OSError as error:  # a name too long for a file, a folder that is closed to us
        report(path, f"cannot look for a {hint.kind} of that name: {error.strerror}")
        return None
    if fault:
        report(path, fault)
    return name


def resource_name(hint: type[Resource], value: str | Path) -> str:
    """Return the name by which a resource is loaded. Paths in YAML are resolved against the folder of the file."""
    name = str(value)
    if isinstance(value, Text) and name not in hint.names():
        file, mark, rest = name.partition("::")
        if (value.base / file).exists():
            name = f"{value.base / file}{mark}{rest}"
    return name


def _convert_part(hint: type[Part], value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    if isinstance(value, hint):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        (name, given), at = next(iter(value.items())), (*path, next(iter(value)))
    elif isinstance(value, str):
        name, given, at = *short_form(family(hint), value), path
    else:
        report(
            path, f"expected a {family(hint).__name__.lower()}: a name, or name: {{parameters}}; got {kind_of(value)}"
        )
        return None
    try:
        cls = registry.find_part(family(hint), str(name))
    except LookupError as error:
        report(at, str(error))
        return None
    return build(cls, given, report, at)


def _convert_component(hint: type[Component], value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    """Build a component that is a parameter of another one: `reader: {jsonl: {...}}`, written as in a section of a pipeline."""
    if isinstance(value, hint):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        (name, given), at = next(iter(value.items())), (*path, next(iter(value)))
    elif isinstance(value, str):
        name, given, at = value, None, path
    else:
        what = describe_type(hint)
        article = "an" if what[0] in "aeiou" else "a"
        report(path, f"expected {article} {what}: a name, or name: {{parameters}}; got {kind_of(value)}")
        return None
    try:
        cls = registry.find(str(name), hint.role)
    except LookupError as error:
        report(at, str(error))
        return None
    except ConfigError as error:  # a plug-in that cannot be imported
        for fault in error.faults:
            report(at, fault.what)
        return None
    if not issubclass(cls, hint):
        report(at, f"{name} is a {cls.role or 'class without a role'}, expected a {describe_type(hint)}")
        return None
    if not isinstance(given, Mapping):
        return build(cls, given, report, at)
    given = with_output_paths(cls, given)
    component = build(cls, {k: v for k, v in given.items() if k != "id"}, report, at)
    if component is not None and "id" in given:
        component.set_id(str(given["id"]))
    return component


def with_output_paths(cls: type[Component], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters in which paths of consumers are relative to the output folder, not to the YAML file."""
    if not issubclass(cls, CasConsumer):
        return dict(given)
    field_hints = hints(cls)
    return {k: text_of(v) if Path in inner_classes(field_hints.get(k)) else v for k, v in given.items()}


def short_form(of: type[Part], value: str) -> tuple[str, dict[str, str]]:
    """Name and parameters of a part written `name` or `name:argument`."""
    name, colon, argument = value.partition(":")
    if colon and argument:
        try:
            cls = registry.find_part(of, name)
        except LookupError:
            return value, {}
        if cls.argument:
            given = argument.strip()
            return name, {cls.argument: value.part(given) if isinstance(value, Text) else given}
    return value, {}


def _convert_enum(hint: type[enum.Enum], value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    if isinstance(value, hint):
        return value
    for member in hint:
        if value in (member.name, member.value):
            return member
    names = [m.name for m in hint]
    report(path, f"expected one of {', '.join(names)}, got {shown(value)}{nearest(str(value).upper(), names)}")
    return None
