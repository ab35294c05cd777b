"""Handles requests in a worker, one document at a time."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

from pydantic import ValidationError

from ....typesystem import Cas, CasError, FormatError, MaskedSpan, Phi, TypeSystemError, foreign
from ....typesystem.errors import class_name
from ...errors import CaspipeError, ComponentError, ConfigError
from ...pipeline import Pipeline
from .documents import document, text_of
from .jobs import Answer, Facts, Job, problem_answer
from .messages import NAMES, Output, PredictRequest, ProcessRequest
from .pipelines import service_pipeline, suggestion_pipeline
from .problems import Problem, invalid
from .rendering import encoded, masked_text, rendered, xmi
from .settings import Spec
from .suggestions import suggested

TEXT, XMI, JSON = "text/plain", "application/vnd.xmi+xml", "application/json"
_MODELS_KEPT = 4


class RequestHandler:
    """A pipeline that answers requests. Not thread-safe, because components have caches and counters."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.pipeline: Pipeline = service_pipeline(spec)
        self._models: OrderedDict[str, Pipeline] = OrderedDict()

    def open(self) -> None:
        """Load models and lexicons. Raises CaspipeError."""
        self.pipeline.open()

    def describe(self) -> dict[str, Any]:
        """Return the pipeline as plain data, without secrets."""
        description = self.pipeline.describe()
        return {"name": description["name"], "engines": description["engines"], "masks": self.masks}

    @property
    def masks(self) -> bool:
        return any(MaskedSpan in engine.outputs for engine in self.pipeline.engines)

    def handle(self, job: Job) -> Answer:
        """Return the answer to a request. Errors become answers."""
        try:
            answer = self._predict(job) if job.work == "predict" else self._process(job)
        except Exception as error:
            answer = problem_answer(_problem(error), job)
        return answer._replace(worn=foreign.class_count() > self.spec.max_types)

    # -- documents -----------------------------------------------------------------------------------------------

    def _process(self, job: Job) -> Answer:
        raw = b""
        if job.media == TEXT:
            request = ProcessRequest(text=text_of(job.body, job.charset))
        elif job.media == XMI:
            request, raw = ProcessRequest(xmi=""), job.body
        else:
            request = ProcessRequest.model_validate_json(job.body)
        outputs = self._outputs(request)
        if job.accept == TEXT and not self.masks:
            raise Problem(
                422, "no-masker", "text/plain: this pipeline has no masker; expected Accept: application/json"
            )
        cas = self.pipeline.process(document(request, self.spec.max_characters, raw))
        facts = _facts(cas)
        if job.accept == TEXT:
            return Answer(200, f"{TEXT}; charset=utf-8", masked_text(cas, request).encode("utf-8", "replace"), facts)
        if job.accept == XMI:
            return Answer(200, XMI, xmi(cas, request), facts)
        data = rendered(cas, request, outputs)
        if job.work == "line":
            data = {"index": job.line, **data}
        return Answer(200, JSON, encoded(data), facts)

    def _outputs(self, request: ProcessRequest) -> list[Output]:
        """Return the requested outputs. Raises Problem for outputs that this pipeline cannot create, before any processing."""
        if request.output is None:
            return ["masked"] if self.masks else ["annotations"]
        if "masked" in request.output and not self.masks:
            raise Problem(422, "no-masker", "#/output: masked: this pipeline has no masker")
        return request.output

    # -- suggestions ---------------------------------------------------------------------------------------------

    def _predict(self, job: Job) -> Answer:
        request = PredictRequest.model_validate_json(job.body)
        troubles: dict[str, int] = {}
        data, facts = suggested(self._with(job.model, troubles), self.spec, request)
        facts = facts._replace(skipped={**facts.skipped, **troubles})
        return Answer(200, JSON, encoded({"document": data.decode()}), facts)

    def _with(self, model: str, troubles: dict[str, int]) -> Pipeline:
        """Return the pipeline with a trained model, or without it if its bundle is missing or does not fit the configuration."""
        if not model:
            return self.pipeline
        found = self._models.pop(model, None)
        if found is None:
            try:
                found = suggestion_pipeline(self.spec, model).open()
            except (ConfigError, CaspipeError):
                troubles["model unusable"] = 1
                return self.pipeline
        self._models[model] = found
        while len(self._models) > _MODELS_KEPT:
            self._models.popitem(last=False)[1].close()
        return found


def _facts(cas: Cas) -> Facts:
    kinds = Counter(phi.kind.name for phi in cas.select(Phi))
    return Facts(len(cas.text), dict(sorted(kinds.items())))


def _problem(error: Exception) -> Problem:
    """Return the problem to report for an error, without messages of components and libraries, which may quote the document."""
    match error:
        case Problem():
            return error
        case ValidationError():
            return invalid(error, NAMES)
        case ComponentError():
            detail = f"component {error.component} failed on the document ({error.cause})"
            return Problem(500, "component-failed", detail)
        case FormatError() | TypeSystemError():
            return Problem(422, "format", str(error))
        case CasError():
            return Problem(422, "format", "the document is not consistent in itself (views, types or offsets)")
        case ModuleNotFoundError():
            return Problem(501, "not-installed", f"this installation lacks the module {error.name}")
        case RecursionError() | MemoryError():
            detail = f"the document is too large or nested too deep ({class_name(type(error))})"
            return Problem(413, "too-complex", detail)
        case CaspipeError():
            return Problem(500, "failed", class_name(type(error)))
        case _:
            return Problem(500, "failed", str(ComponentError("service", error)))
