"""The service as an ASGI application: its routes and their shared state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import FastAPI, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from starlette.exceptions import HTTPException

from ....typesystem.typesystem import own_types
from ...errors import CaspipeError, ComponentError
from .batch import IN as BATCH_IN
from .batch import MEDIA as BATCH_OUT
from .batch import Batch
from .guard import Guard, of_http, problem_response
from .handler import JSON, TEXT, XMI
from .home import asset, home_page
from .jobs import Job
from .limits import ClientDisconnected, Gate, body, check_declared
from .messages import BatchError, PredictRequest, PredictResponse, ProcessRequest, ProcessResponse, TrainRequest
from .metrics import CONTENT_TYPE, Metrics
from .negotiation import acceptable, media_type
from .openapi import answers, page, problems, ref, request_body, with_schemas
from .problems import Problem
from .recommender_store import Key, RecommenderStore
from .settings import Settings, Spec
from .training import Trainer
from .workers import WorkerPool

log = logging.getLogger("caspipe.service")
Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="Name of the recommender, of your choice.")]
_STRING = {"type": "string"}
_LINE = [ref(ProcessResponse), ref(BatchError), _STRING]
_DOCUMENT = (400, 406, 408, 413, 415, 422, 429, 500, 501, 503, 504)


class Service:
    """The ASGI application with its workers, metrics and recommenders."""

    def __init__(self, spec: Spec, settings: Settings, failed: Callable[[str], None] = lambda reason: None) -> None:
        """`failed`: called with the reason if the service cannot continue. Raises ConfigError, ConsumerError."""
        self.spec, self.settings, self._failed = spec, settings, failed
        self.metrics = Metrics()
        self.gate = Gate(max(settings.workers, 1) + settings.queue, self.metrics)
        self.pool = WorkerPool(spec, settings.seconds, settings.workers, failed)
        self.recommenders = RecommenderStore(settings.state, settings.max_models)
        self.trainer = Trainer(spec, settings, self.recommenders, self.metrics)
        self.app = self._application()
        self._guard = Guard(self.app, self.metrics, settings.api_key, local=settings.local, origins=settings.origins)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._guard(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        loading = asyncio.ensure_future(self._load())
        yield
        loading.cancel()
        await self.trainer.close()
        await self.pool.close()
        self.recommenders.close()

    async def _load(self) -> None:
        try:
            await self.pool.start()
        except CaspipeError as error:
            self._failed(str(error))
        except Exception as error:
            self._failed(str(ComponentError("service", error)))
        else:
            log.info("ready")

    def _application(self) -> FastAPI:
        app = FastAPI(
            title="caspipe",
            version=version("caspipe"),
            description="De-identification of clinical and pharmacovigilance narratives, and UIMA pipelines as a service.",
            docs_url=None,
            redoc_url=None,
            lifespan=self._lifespan,
            separate_input_output_schemas=False,
        )
        app.add_exception_handler(Problem, _problem)
        app.add_exception_handler(HTTPException, _http_error)
        app.add_exception_handler(RequestValidationError, _bad_path)
        app.add_exception_handler(Exception, _unexpected)
        if self.settings.origins:
            app.add_middleware(
                CORSMiddleware,
                allow_origins=list(self.settings.origins),
                allow_methods=["GET", "POST"],
                allow_headers=["Content-Type", "Accept", "X-API-Key", "Authorization"],
            )
        _operations(app, self)
        _documents(app, self)
        _recommender(app, self)
        described = app.openapi
        app.openapi = cache(lambda: with_schemas(described()))  # type: ignore[method-assign]
        return app

    async def serve(self, job: Job) -> Response:
        """Return the response to a request for one document."""
        answer = await self.pool.run(job)
        self.metrics.document(answer.code or "ok", answer.facts)
        return Response(answer.body, answer.status, dict(answer.headers), answer.media)

    async def read(self, request: Request, limit: int, *, keep: bool = True) -> bytes:
        """Return the body of a request; empty unless `keep`."""
        return await body(request.headers, request.receive, limit, self.settings.body_seconds, keep=keep)


def _operations(app: FastAPI, service: Service) -> None:
    """Add the routes for the operators of the service."""

    @app.get("/", include_in_schema=False)
    async def home() -> Response:
        """Return a page that says what this service is, with a box to try it."""
        return Response(home_page(version("caspipe")), media_type="text/html; charset=utf-8")

    @app.get("/home.js", include_in_schema=False)
    async def home_script() -> Response:
        """Return the script of that page."""
        return Response(asset("home.js"), media_type="text/javascript")

    @app.get("/home.css", include_in_schema=False)
    async def home_style() -> Response:
        """Return the style of that page."""
        return Response(asset("home.css"), media_type="text/css")

    @app.get("/health", responses=problems(), tags=["operation"])
    async def health() -> dict[str, str]:
        """Report that the service runs."""
        return {"status": "ok"}

    @app.get("/ready", responses=problems(503), tags=["operation"])
    async def ready() -> dict[str, str]:
        """Report whether documents can be served: a worker is ready, its models loaded."""
        if not service.pool.ready:
            raise Problem(503, "not-ready", "no worker is ready", headers={"Retry-After": "5"})
        return {"status": "ready"}

    @app.get(
        "/metrics",
        response_class=Response,
        responses=answers("OpenMetrics", metrics=_STRING),
        tags=["operation"],
    )
    async def metrics() -> Response:
        """Return counts and times in OpenMetrics text format."""
        return Response(service.metrics.text(service.pool.ready).encode(), media_type=CONTENT_TYPE)

    @app.get("/v1/config", responses=problems(), tags=["operation"])
    async def config() -> dict[str, Any]:
        """Return the pipeline and the limits, without secrets."""
        limits = {**service.settings.as_data(), "max_characters": service.spec.max_characters}
        return {"caspipe": version("caspipe"), "pipeline": service.pool.describe(), "limits": limits}

    @app.get(
        "/docs",
        response_class=Response,
        responses=answers("A page", html=_STRING),
        tags=["operation"],
    )
    async def docs() -> Response:
        """Return this description as a page."""
        return Response(page(app.openapi()), media_type="text/html; charset=utf-8")


def _documents(app: FastAPI, service: Service) -> None:
    """Add the routes for documents."""

    @app.get(
        "/v1/typesystem",
        response_class=Response,
        responses=answers("UIMA type system", xml=_STRING),
        tags=["documents"],
    )
    async def typesystem() -> Response:
        """Return the type system of the XMI that the service writes, as UIMA XML."""
        return Response(own_types().to_xml(), media_type="application/xml")

    @app.post(
        "/v1/process",
        response_class=Response,
        openapi_extra=request_body(json=ref(ProcessRequest), text=_STRING, xmi=_STRING),
        responses=answers("Done", *_DOCUMENT, json=ref(ProcessResponse), text=_STRING, xmi=_STRING),
        tags=["documents"],
    )
    async def process(request: Request) -> Response:
        """Process one document: JSON, plain text or XMI in; JSON, masked text or XMI out, as `Accept` says."""
        media, charset = media_type(request.headers.get("content-type", ""), (JSON, TEXT, XMI))
        offered = (media, *(m for m in (JSON, TEXT, XMI) if m != media))
        accept = acceptable(request.headers.get("accept", ""), offered)
        check_declared(request.headers, service.settings.max_body)
        with service.gate.slot():
            data = await service.read(request, service.settings.max_body)
            return await service.serve(Job("process", data, media, charset, accept))

    @app.post(
        "/v1/batch",
        response_class=Response,
        openapi_extra=request_body(ndjson=_STRING, json={"type": "array", "items": ref(ProcessRequest)}),
        responses=answers("A line for each document", *_DOCUMENT, ndjson={"anyOf": _LINE}),
        tags=["documents"],
    )
    async def batch(request: Request) -> Response:
        """Process documents, as lines or as a JSON array. The response has one line for each, in order."""
        media_type(request.headers.get("content-type", ""), BATCH_IN)
        acceptable(request.headers.get("accept", ""), (BATCH_OUT, JSON))
        coding = {"content-encoding": request.headers.get("content-encoding", "identity")}
        check_declared(coding, 0)
        return Batch(service.pool, service.settings, service.gate, service.metrics)


def _recommender(app: FastAPI, service: Service) -> None:
    """Add the routes for INCEpTION's external recommenders."""

    @app.get("/recommender/{name}", responses=problems(422), tags=["recommender"])
    async def status(name: Name) -> dict[str, Any]:
        """Describe the models that were trained under a name: counts, no text."""
        models = await asyncio.to_thread(service.recommenders.trained, name)
        return {"name": name, "training": service.trainer.busy == name, "models": models}

    @app.post(
        "/recommender/{name}/predict",
        response_class=Response,
        openapi_extra=request_body(json=ref(PredictRequest)),
        responses=answers("Suggestions", *_DOCUMENT, json=ref(PredictResponse)),
        tags=["recommender"],
    )
    async def predict(name: Name, request: Request) -> Response:
        """Make suggestions for a document (INCEpTION's external recommender protocol)."""
        media_type(request.headers.get("content-type", ""), (JSON,))
        with service.gate.slot():
            data = await service.read(request, service.settings.max_body)
            asked = await asyncio.to_thread(_key, name, data)
            model = await asyncio.to_thread(service.recommenders.model, asked) if asked else ""
            return await service.serve(Job("predict", data, model=model))

    @app.post(
        "/recommender/{name}/train",
        status_code=204,
        response_class=Response,
        openapi_extra=request_body(json=ref(TrainRequest)),
        responses={204: {"description": "The training has begun"}, **problems(*_DOCUMENT)},
        tags=["recommender"],
    )
    async def train(name: Name, request: Request) -> Response:
        """Learn from annotated documents, in the background; 429 while a training is in progress."""
        media_type(request.headers.get("content-type", ""), (JSON,))
        if not service.pool.ready:
            raise Problem(503, "not-ready", "no worker is ready", headers={"Retry-After": "5"})
        with service.gate.slot():
            reading = service.read(request, service.settings.max_training, keep=not service.trainer.busy)
            await service.trainer.start(name, reading)
        return Response(status_code=204)


def _key(name: str, data: bytes) -> Key | None:
    """Return the key of the model that a request needs; None for a request that the worker will refuse."""
    try:
        asked = PredictRequest.model_validate_json(data)
    except ValueError:
        return None
    m = asked.metadata
    return Key(name, m.projectId, m.layer, m.feature, asked.document.userId or "")


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return problem_response(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return await _problem(request, of_http(error))


async def _bad_path(request: Request, error: Exception) -> Response:
    """Report an invalid path; the message of the framework would quote the request."""
    detail = "expected a name of 1 to 64 letters, digits, _ . and -"
    return await _problem(request, Problem(422, "invalid", detail))


async def _unexpected(request: Request, error: Exception) -> Response:
    """Report the class and position of an unexpected error. The guard logs it."""
    if isinstance(error, ClientDisconnected):
        return Response(status_code=499)  # the client has disconnected; the metrics count it
    return await _problem(request, Problem(500, "failed", str(ComponentError("service", error))))
