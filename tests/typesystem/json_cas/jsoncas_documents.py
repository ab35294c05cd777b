"""Small JSON CAS documents that tests change one thing of."""

from __future__ import annotations

import json
from typing import Any

from caspipe.typesystem import Annotation, Feature, TypeSystem

SECRET = "Zebulon"
SOFA: dict[str, Any] = {
    "%ID": 1,
    "%TYPE": "uima.cas.Sofa",
    "sofaNum": 1,
    "sofaID": "_InitialView",
    "sofaString": f"{SECRET} seen",
}


def types() -> TypeSystem:
    ts = TypeSystem()
    features = {"n": "Integer", "d": "Double", "f": "Float", "s": "String", "b": "Boolean", "y": "Byte", "l": "Long"}
    collections = ["FSArray", "StringArray", "IntegerArray", "ByteArray", "DoubleArray", "FSList", "StringList"]
    ts.create_type(
        "my.T",
        Annotation,
        [
            *(Feature(k, f"uima.cas.{v}") for k, v in features.items()),
            *(Feature(f"a{c}", f"uima.cas.{c}") for c in collections),
            Feature("to", "my.T"),
            Feature("one", "uima.cas.FSArray", "my.T", True),
            Feature("top", "uima.cas.TOP"),
        ],
    )
    return ts


TYPES = types()


def rows(*more: dict[str, Any], members: list[int] | None = None, **sections: Any) -> dict[str, Any]:
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": members or []}}
    return {"%FEATURE_STRUCTURES": [SOFA, *more], "%VIEWS": views, **sections}


def t(number: int, /, **features: Any) -> dict[str, Any]:
    return {"%ID": number, "%TYPE": "my.T", "@sofa": 1, "begin": 0, "end": 1, **features}


def data(document: Any) -> bytes:
    return json.dumps(document).encode()
