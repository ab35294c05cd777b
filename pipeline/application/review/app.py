"""The review server's answers: the page and its files, and the data as JSON. Needs the extra `server`."""

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

from ....consumers.pages.style import STYLE
from ....typesystem import PhiKind
from ...errors import CaspipeError, ComponentError
from . import wire
from .export import Exported
from .session import Outcome, Session
from .state import ReviewError

_TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
_SCRIPTS = (
    "adding",
    "dialogs",
    "differences",
    "keys",
    "list",
    "moving",
    "panel",
    "review",
    "saving",
    "telling",
    "text",
)
_FILES = ("index.html", "review.css", *(f"{name}.js" for name in _SCRIPTS))


class Decision(BaseModel):
    """A decision of the page. Offsets are UTF-16 code units."""

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
    """Undo or redo."""

    model_config = ConfigDict(extra="forbid")
    key: str = Field(min_length=8, max_length=64)
    doc: int = -1
    redo: bool = False


def make_app(session: Session, settings: dict[str, Any], export: Callable[[], tuple[Path, Exported]]) -> FastAPI:
    """The application. `settings` go to the page as they are; `export` writes what is done and says where and what."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    static = files(__package__) / "static"

    @app.exception_handler(CaspipeError)
    def told(_: Request, error: CaspipeError) -> Response:
        return _json({"error": str(error)}, 409)

    @app.exception_handler(RequestValidationError)
    def wrong(_: Request, error: RequestValidationError) -> Response:
        named = {str(e["loc"][-1]) for e in error.errors()}  # never what was sent: neither values nor unknown names
        known = [name for name in (*Decision.model_fields, "redo", "after", "number") if name in named]
        return _json({"error": f"request: wrong or missing {', '.join(known) or 'field'}"}, 422)

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> Response:
        return _json({"error": f"HTTP {error.status_code}"}, error.status_code)

    @app.middleware("http")
    async def quiet(request: Request, call_next: Any) -> Response:
        """Of an error that nobody foresaw only its class and place are told: its message may quote the document."""
        try:
            answer: Response = await call_next(request)
        except Exception as error:
            return _json({"error": str(ComponentError("review", error))}, 500)
        return answer

    @app.get("/")
    def index() -> Response:
        return Response((static / "index.html").read_bytes(), media_type=_TYPES["html"])

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name == "base.css":
            return Response(STYLE, media_type=_TYPES["css"])
        if name not in _FILES:
            raise HTTPException(404)
        return Response((static / name).read_bytes(), media_type=_TYPES[name.rpartition(".")[2]])

    @app.get("/api/start")
    def start() -> Response:
        kinds = [{"name": k.name, "about": k.description} for k in PhiKind]
        return _json({**settings, "total": len(session.catalogue), "kinds": kinds, "depth": session.history.depth})

    @app.get("/api/rows")
    def rows(after: int = 0) -> Response:
        return _json({"version": session.version, "scanned": session.scanned, "rows": session.rows(after)})

    @app.get("/api/doc/{number}")
    def document(number: int) -> Response:
        return _json(wire.document_out(session, number))

    @app.get("/api/doc/{number}/why")
    def why(number: int, span: str) -> Response:
        return _json(wire.why_out(session.desk(number), span))

    @app.get("/api/doc/{number}/same")
    def same(number: int, span: str) -> Response:
        return _json(session.preview(number, span))

    @app.post("/api/decide")
    def decide(decision: Decision) -> Response:
        given = decision.model_dump(exclude={"key", "op", "doc", "shown", "begin", "end"})
        if decision.op in ("add", "move"):
            if decision.begin is None or decision.end is None:
                raise ReviewError("expected begin and end")
            document = session.desk(decision.doc).document
            given["begin"], given["end"] = wire.offsets_in(document, decision.begin, decision.end)
        outcome = session.decide(decision.op, decision.doc, decision.key, **given)
        return _json(_outcome(outcome, decision.shown))

    @app.post("/api/undo")
    def undo(step: Step) -> Response:
        outcome = session.undo(step.key, step.doc, step.redo)
        return _json(_outcome(outcome, step.doc))

    @app.post("/api/export")
    def export_() -> Response:
        folder, found = export()
        return _json({"folder": str(folder), "documents": found.written, "failed": [list(f) for f in found.failed]})

    def _outcome(outcome: Outcome, shown: int) -> dict[str, Any]:
        touched = set(outcome.touched)
        made: dict[str, Any] = {
            "doc": outcome.document,
            "span": outcome.span,
            "said": outcome.said,
            "depth": session.history.depth,
            "rows": [r for r in session.rows() if r["i"] in touched],
            "reload": not outcome.known,
        }
        if outcome.known and shown in touched:
            made["delta"] = wire.delta_out(session, shown, outcome.touched[shown])
        return made

    return app


def _json(value: Any, status: int = 200) -> Response:
    """ASCII only: lone surrogates, which no UTF-8 can carry, go as escapes."""
    body = json.dumps(value, separators=(",", ":"))
    return Response(body, status, media_type="application/json")
