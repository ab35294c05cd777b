"""The review server's application: the page and its files, and the data as JSON. Needs the extra `server`."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ....consumers.pages.rendering import read_static
from ....typesystem import PhiKind
from ...errors import CaspipeError, ComponentError
from . import wire
from .export import ExportResult
from .session import DecisionResult, Session
from .state import ReviewError

Export = Callable[[], tuple[Path, ExportResult]]

_TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}


class Decision(BaseModel):
    """A request of the page for a decision. Offsets are UTF-16 code units."""

    model_config = ConfigDict(extra="forbid")
    key: str = Field(min_length=8, max_length=64)
    op: str = Field(max_length=16)
    doc: int
    shown: int = -1
    span: str = Field(default="", max_length=120)
    kind: str = Field(default="", max_length=80)
    begin: int | None = None
    end: int | None = None
    side: str = Field(default="", max_length=8)
    difference: int = -1
    scope: str = Field(default="here", max_length=8)


class Step(BaseModel):
    """A request of the page to undo or redo a decision."""

    model_config = ConfigDict(extra="forbid")
    key: str = Field(min_length=8, max_length=64)
    doc: int = -1
    redo: bool = False


def make_app(session: Session, settings: dict[str, Any], export: Export) -> FastAPI:
    """Return the application. `settings`: values passed to the page unchanged; `export`: writes the completed documents."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _handle_errors(app)
    _serve_page(app)
    _serve_documents(app, session, settings)
    _take_decisions(app, session, export)
    return app


def _handle_errors(app: FastAPI) -> None:
    @app.exception_handler(CaspipeError)
    def report(_: Request, error: CaspipeError) -> Response:
        return _json({"error": str(error)}, 409)

    @app.exception_handler(RequestValidationError)
    def reject(_: Request, error: RequestValidationError) -> Response:
        sent = {str(e["loc"][-1]) for e in error.errors()}  # the message must not repeat values or unknown names
        known = [name for name in (*Decision.model_fields, "redo", "after", "number") if name in sent]
        return _json({"error": f"request: wrong or missing {', '.join(known) or 'field'}"}, 422)

    @app.exception_handler(HTTPException)
    def refuse(_: Request, error: HTTPException) -> Response:
        return _json({"error": f"HTTP {error.status_code}"}, error.status_code)

    @app.middleware("http")
    async def hide_unexpected(request: Request, call_next: Any) -> Response:
        """Report only class and position of an unexpected error, since its message may quote the document."""
        try:
            response: Response = await call_next(request)
        except Exception as error:
            return _json({"error": str(ComponentError("review", error))}, 500)
        return response


def _serve_page(app: FastAPI) -> None:
    static = files(__package__) / "static"
    names = {file.name for file in static.iterdir() if file.name.rpartition(".")[2] in _TYPES}

    @app.get("/")
    def index() -> Response:
        return Response((static / "index.html").read_bytes(), media_type=_TYPES["html"])

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name == "base.css":
            return Response(read_static("page.css"), media_type=_TYPES["css"])
        if name not in names:
            raise HTTPException(404)
        return Response((static / name).read_bytes(), media_type=_TYPES[name.rpartition(".")[2]])


def _serve_documents(app: FastAPI, session: Session, settings: dict[str, Any]) -> None:
    @app.get("/api/start")
    def start() -> Response:
        kinds = [{"name": k.name, "top": k.top.name, "about": k.description} for k in PhiKind]
        return _json({**settings, "total": len(session.catalogue), "kinds": kinds, "depth": session.history.depth})

    @app.get("/api/rows")
    def rows(after: int = 0) -> Response:
        return _json({"version": session.version, "scanned": session.scanned, "rows": session.rows(after)})

    @app.get("/api/doc/{number}")
    def document(number: int) -> Response:
        return _json(wire.document_out(session, number))

    @app.get("/api/doc/{number}/why")
    def why(number: int, span: str) -> Response:
        return _json(wire.why_out(session.opened(number), span))

    @app.get("/api/doc/{number}/same")
    def same(number: int, span: str) -> Response:
        return _json(session.preview(number, span))


def _take_decisions(app: FastAPI, session: Session, export: Export) -> None:
    @app.post("/api/decide")
    def decide(decision: Decision) -> Response:
        values = decision.model_dump(exclude={"key", "op", "doc", "shown", "begin", "end"})
        if decision.op in ("add", "move"):
            if decision.begin is None or decision.end is None:
                raise ReviewError("expected begin and end")
            document = session.opened(decision.doc).document
            values["begin"], values["end"] = wire.offsets_in(document, decision.begin, decision.end)
        result = session.decide(decision.op, decision.doc, decision.key, **values)
        return _json(_decision_response(session, result, decision.shown))

    @app.post("/api/undo")
    def undo(step: Step) -> Response:
        return _json(_decision_response(session, session.undo(step.key, step.doc, step.redo), step.doc))

    @app.post("/api/export")
    def export_() -> Response:
        folder, exported = export()
        failed = [list(failure) for failure in exported.failed]
        return _json({"folder": str(folder), "documents": exported.written, "failed": failed})


def _decision_response(session: Session, result: DecisionResult, shown: int) -> dict[str, Any]:
    """Return the response to a decision: the changed rows of the list, and the changed spans of the displayed document."""
    touched = set(result.touched)
    data: dict[str, Any] = {
        "doc": result.document,
        "span": result.span,
        "said": result.message,
        "depth": session.history.depth,
        "rows": [row for row in session.rows() if row["i"] in touched],
        "reload": not result.known,
    }
    if result.known and shown in touched:
        data["delta"] = wire.delta_out(session, shown, result.touched[shown])
    return data


def _json(value: Any, status: int = 200) -> Response:
    """Return a JSON response in ASCII, which escapes lone surrogates that UTF-8 cannot encode."""
    body = json.dumps(value, separators=(",", ":"))
    return Response(body, status, media_type="application/json")
