"""The JSON Schema takes what the assembler takes, and completes names in editors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from caspipe.pipeline.assembly.schema import pipeline_schema

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = sorted([*(ROOT / "configs").glob("*.yaml"), *(ROOT / "examples").rglob("*.yaml")])


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return pipeline_schema()


@pytest.mark.slow
def test_it_is_a_valid_draft_07_schema(schema: dict[str, Any]) -> None:
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in CONFIGS if "plugin" not in str(p)], ids=lambda p: p.name)
def test_shipped_configurations_are_valid(schema: dict[str, Any], path: Path) -> None:
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), schema, cls=jsonschema.Draft7Validator)


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        "readr: t_reader",
        "engines: [t_numbrs]",
        "engines: [{t_numbers: {least: many}}]",
        "engines: [{t_numbers: {most: 3}}]",
        "engines: [{t_lexicon: {group: DRUG}}]",
        "engines: [t_lexicon]",
        "engines: [{t_lexicon: {group: MEDICATION, hue: {shade: {depth: deep}}}}]",
        "engines: [t_consumer]",
        "run: {on_error: maybe}",
    ],
)
def test_wrong_configurations_are_not(schema: dict[str, Any], wrong: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(wrong), schema, cls=jsonschema.Draft7Validator)


@pytest.mark.slow
@pytest.mark.parametrize(
    "right",
    [
        "engines: [t_numbers, {t_lexicon: {group: MEDICATION, hue: plain}}]",
        "engines: [{aggregate: {id: a, engines: [t_numbers, {include: b.yaml}]}}]",
        'engines: [{t_numbers: {least: "${LEAST:-3}", id: n, view: gold}}]',
        "engines: ['my.module:Thing', {'my.module:Thing': {any: 1}}]",
        "reader: {t_reader: {broken: 1}}",
    ],
)
def test_right_configurations_are(schema: dict[str, Any], right: str) -> None:
    jsonschema.validate(yaml.safe_load(right), schema, cls=jsonschema.Draft7Validator)


def test_parameters_carry_their_documentation(schema: dict[str, Any]) -> None:
    members = schema["definitions"]["engine"]["anyOf"][1]["properties"]
    assert members["t_numbers"]["properties"]["least"] == {
        "anyOf": [{"type": "integer"}, {"$ref": "#/definitions/variable"}],
        "description": "Fewest digits.",
        "default": 1,
    }
