"""JSON Schema of the configuration language, generated from the fields that validate it."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...typesystem import PhiKind
from ..contract import params, registry
from ..contract.component import Annotator, Component, Part, family
from ..contract.resources import Resource
from ..contract.type_hints import inner_classes
from ..storage.secrets import is_secret
from .assemble import ROLES, RunOptions

Json = dict[str, Any]
_OWN_KIND = "^[A-Z][A-Z0-9_]*$"
"""Pattern of the name of a kind that a configuration declares."""
VARIABLE = {"type": "string", "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}"}
"""`${NAME}` is allowed wherever a value is."""
_GROUPS: list[Json] = [
    {
        "type": "object",
        "required": ["include"],
        "properties": {"include": {"type": "string"}},
        "additionalProperties": False,
    },
    {
        "type": "object",
        "required": ["aggregate"],
        "properties": {"aggregate": {"$ref": "#/definitions/aggregate"}},
        "additionalProperties": False,
    },
]
_KEY_FILE = {
    "type": "object",
    "required": ["file"],
    "properties": {"file": {"type": "string"}},
    "additionalProperties": False,
}


def pipeline_schema() -> Json:
    """Return the schema of a pipeline file with all known components (draft-07, which YAML extensions of editors support)."""
    definitions: dict[str, Json] = {"variable": VARIABLE}
    classes, own_kinds = registry.components(), _own_kinds()
    sections: dict[str, Json] = {}
    for section, roles in ROLES.items():
        members = [c for c in classes if issubclass(c, roles)]
        sections[section] = _choice({c.name: _component(c, definitions) for c in members}, {c.name: c for c in members})
    dotted = {"type": "string", "pattern": r"^[\w.]+:\w+$", "description": "A class: package.module:Class"}
    step, reader = sections["engines"], {"$ref": "#/definitions/reader"}
    step["anyOf"] += _GROUPS
    for schema in sections.values():
        schema["anyOf"] += [
            dotted,
            {
                "type": "object",
                "patternProperties": {dotted["pattern"]: {"type": ["object", "null"]}},
                "additionalProperties": False,
            },
        ]
    definitions["engine"] = step
    definitions["aggregate"] = _aggregate(own_kinds)
    definitions["reader"] = sections["reader"]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "caspipe pipeline",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "include": {
                "type": "string",
                "description": "Pipeline whose sections apply unless this file has them: a file, or a shipped one.",
            },
            "set": {"type": "object", "description": "Single values by NAME.PARAMETER, as after --set."},
            "kinds": own_kinds,
            "resources": {"type": "object", "additionalProperties": {"type": "string"}},
            "reader": {"anyOf": [reader, {"type": "array", "items": reader, "minItems": 1}]},
            "engines": {"type": "array", "items": {"$ref": "#/definitions/engine"}},
            "consumers": {"type": "array", "items": sections["consumers"]},
            "run": _object(RunOptions, definitions),
        },
        "additionalProperties": False,
        "definitions": definitions,
    }


def _aggregate(own_kinds: Json) -> Json:
    """Return the schema of an aggregate."""
    return {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "view": {"type": "string", "description": "View its engines work on, if they name no other."},
            "kinds": own_kinds,
            "engines": {"type": "array", "items": {"$ref": "#/definitions/engine"}},
            "include": {"type": "string"},
        },
        "additionalProperties": False,
    }


def _own_kinds() -> Json:
    """Return the schema of the section that declares kinds."""
    name = {"type": "string", "pattern": _OWN_KIND}
    properties = {"name": name, "below": {"type": "string"}, "description": {"type": "string"}}
    described = {"type": "object", "required": ["name"], "properties": properties, "additionalProperties": False}
    return {"type": "array", "items": {"anyOf": [name, described]}}


def _choice(members: dict[str, Json], classes: Mapping[str, type[Any]]) -> Json:
    """Return the schema of a name, or of one key with parameters."""
    bare = [name for name, cls in classes.items() if not any(p.required for p in params.parameters(cls))]
    return {
        "anyOf": [
            {"enum": bare},
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "properties": members,
                "additionalProperties": False,
            },
        ]
    }


def _component(cls: type[Component], definitions: dict[str, Json]) -> Json:
    schema = _object(cls, definitions)
    schema["properties"]["id"] = {"type": "string", "description": "What this step is called in the pipeline."}
    if issubclass(cls, Annotator):
        schema["properties"].setdefault(
            "view", {"type": "string", "description": "View it works on; the initial one by default."}
        )
    return schema


def _object(cls: type[Any], definitions: dict[str, Json]) -> Json:
    extra_field = getattr(cls, "extra_field", "")
    properties: dict[str, Json] = {}
    required = []
    extra: Any = False
    of_own: Any = None
    for p in params.parameters(cls):
        schema = hint_schema(p.hint, definitions)
        if p.name == extra_field:
            kinds = (
                {k.name: schema["additionalProperties"] for k in PhiKind} if "additionalProperties" in schema else {}
            )
            properties.update({k: v for k, v in kinds.items() if PhiKind in inner_classes(p.hint)})
            extra = schema.get("additionalProperties", True) if not properties else False
            of_own = next(iter(kinds.values()), None) if PhiKind in inner_classes(p.hint) else None
            continue
        if p.doc:
            schema = (
                {**schema, "description": p.doc} if "$ref" not in schema else {"allOf": [schema], "description": p.doc}
            )
        if not p.required and isinstance(p.default, str | int | float | bool) and not isinstance(p.default, enum.Enum):
            schema["default"] = p.default
        properties[p.name] = schema
        if p.required:
            required.append(p.name)
    doc = (cls.__doc__ or "").strip().split("\n")[0]
    described: Json = {
        "type": ["object", "null"] if not required else "object",
        "properties": properties,
        "additionalProperties": extra,
    }
    if of_own is not None:
        described["patternProperties"] = {_OWN_KIND: of_own}
    if doc:
        described["description"] = doc
    if required:
        described["required"] = required
    return described


def hint_schema(hint: Any, definitions: dict[str, Json]) -> Json:
    """Return the schema of values of one type, including `${VARIABLE}`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if is_secret(hint):
        return {"anyOf": [{"type": "string"}, _KEY_FILE]}
    if origin is typing.Annotated:
        return hint_schema(arguments[0], definitions)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [hint_schema(a, definitions) for a in arguments]}
    if origin is typing.Literal:
        return {"anyOf": [{"enum": list(arguments)}, {"$ref": "#/definitions/variable"}]}
    if origin in (list, set, frozenset) or (origin is tuple and arguments[1:] == (...,)):
        return {"type": "array", "items": hint_schema(arguments[0], definitions)}
    if origin is tuple:
        n = len(arguments)
        return {
            "type": "array",
            "items": [hint_schema(a, definitions) for a in arguments],
            "minItems": n,
            "maxItems": n,
        }
    if isinstance(origin, type) and issubclass(origin, Mapping):
        schema: Json = {"type": "object", "additionalProperties": hint_schema(arguments[1], definitions)}
        if PhiKind in inner_classes(arguments[0]):
            schema["propertyNames"] = hint_schema(PhiKind, definitions)
        return schema
    if not isinstance(hint, type):
        return {}
    plain = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    if hint in plain:
        schema = {"type": plain[hint]}
        return schema if hint in (str, type(None)) else {"anyOf": [schema, {"$ref": "#/definitions/variable"}]}
    if issubclass(hint, Path):
        return {"type": "string"}
    if issubclass(hint, PhiKind):
        definitions.setdefault("kind", {"anyOf": [{"enum": [k.name for k in PhiKind]}, {"pattern": _OWN_KIND}]})
        return {"$ref": "#/definitions/kind"}
    if issubclass(hint, Resource):
        return {"type": "string", "description": f"name or file of a {hint.kind}"}
    if issubclass(hint, enum.Enum):
        return {"enum": [m.name for m in hint]}
    if issubclass(hint, Part):
        return _family(family(hint), definitions)
    if issubclass(hint, Component):
        return {"$ref": f"#/definitions/{hint.role}"} if hint.role in ("reader", "engine") else {}
    if dataclasses.is_dataclass(hint):
        return _object(hint, definitions)
    return {}


def _family(base: type[Part], definitions: dict[str, Json]) -> Json:
    name = base.__name__.lower()
    if name not in definitions:
        definitions[name] = {}  # members may take members of their own family
        members = {p.name: p for p in registry.parts(base)}
        definitions[name].update(_choice({n: _object(p, definitions) for n, p in members.items()}, members))
    return {"$ref": f"#/definitions/{name}"}
