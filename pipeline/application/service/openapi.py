"""The OpenAPI description of the service, and a self-contained page of it."""

from __future__ import annotations

import html
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from .messages import (
    BatchError,
    PredictRequest,
    PredictResponse,
    ProblemOut,
    ProcessRequest,
    ProcessResponse,
    TrainRequest,
)
from .problems import MEDIA, title

_REFS = "#/components/schemas/{model}"
_IN = (ProcessRequest, PredictRequest, TrainRequest)
_OUT = (ProcessResponse, BatchError, PredictResponse, ProblemOut)


def ref(model: type[BaseModel]) -> dict[str, Any]:
    """Return a reference to the schema of a message."""
    return {"$ref": _REFS.format(model=model.__name__)}


def content(**media: Any) -> dict[str, Any]:
    """Return the `content` of OpenAPI for schemas by the short name of their media type."""
    names = {
        "json": "application/json",
        "text": "text/plain",
        "xmi": "application/vnd.xmi+xml",
        "ndjson": "application/x-ndjson",
        "xml": "application/xml",
        "metrics": "application/openmetrics-text",
        "html": "text/html",
    }
    return {names[name]: {"schema": schema} for name, schema in media.items()}


def request_body(**media: Any) -> dict[str, Any]:
    """Return the `openapi_extra` of a route with a body."""
    return {"requestBody": {"required": True, "content": content(**media)}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` for problems. 401 is always included, because a key may be required."""
    return {
        status: {"description": title(status), "content": {MEDIA: {"schema": ref(ProblemOut)}}}
        for status in sorted({401, *statuses})
    }


def answers(description: str, *statuses: int, **media: Any) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` for a success with one of these media types, and for problems."""
    return {200: {"description": description, "content": content(**media)}, **problems(*statuses)}


def with_schemas(description: dict[str, Any]) -> dict[str, Any]:
    """Return the description with the schemas of all messages, and without those of the framework."""
    _, incoming = models_json_schema([(m, "validation") for m in _IN], ref_template=_REFS)
    _, outgoing = models_json_schema([(m, "serialization") for m in _OUT], ref_template=_REFS)
    components = description.setdefault("components", {})
    schemas = {**incoming["$defs"], **outgoing["$defs"]}
    components["schemas"] = dict(sorted(schemas.items()))
    components["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "bearer": {"type": "http", "scheme": "bearer"},
    }
    for operations in description["paths"].values():
        for operation in operations.values():
            found = operation.get("responses", {})
            if "422" in found and "HTTPValidationError" in str(found["422"]):
                del found["422"]
    return description


def page(description: dict[str, Any]) -> str:
    """Return the description as a page."""
    rows = []
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            bodies = ", ".join(operation.get("requestBody", {}).get("content", {}))
            statuses = " ".join(operation.get("responses", {}))
            cells = (method.upper(), path, operation.get("description", operation.get("summary", "")), bodies, statuses)
            rows.append(_row(*cells))
    return _PAGE.format(
        title=html.escape(description["info"]["title"]), rows="\n".join(rows), messages=_messages(description)
    )


def _messages(description: dict[str, Any]) -> str:
    tables = []
    for name, schema in description["components"]["schemas"].items():
        rows = [
            _row(field, _type(inner), inner.get("description", ""))
            for field, inner in schema.get("properties", {}).items()
        ]
        summary = html.escape(schema.get("description", "").split("\n")[0])
        tables.append(
            f"<h3 id='{html.escape(name)}'>{html.escape(name)}</h3><p>{summary}</p><table>{''.join(rows)}</table>"
        )
    return "\n".join(tables)


def _row(*cells: str) -> str:
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(s) for s in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "any"))
    return f"list of {_type(schema['items'])}" if kind == "array" and "items" in schema else kind


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }}
body {{ color: #1c1c1c; background: #fff }}
table {{ border-collapse: collapse; width: 100% }}
td, th {{ border: 1px solid #999; padding: .3rem .5rem; text-align: left; vertical-align: top }}
td:nth-child(-n+2) {{ font-family: ui-monospace, monospace; white-space: nowrap }}
@media (prefers-color-scheme: dark) {{ body {{ color: #eee; background: #1b1b1b }} a {{ color: #9cf }} }}
</style></head><body><h1>{title}</h1>
<p>The machine-readable description is at <a href="openapi.json">openapi.json</a>.</p>
<h2>Requests</h2><table><tr><th>method</th><th>path</th><th>what</th><th>body</th><th>answers</th></tr>
{rows}
</table><h2>Messages</h2>
{messages}
</body></html>
"""
