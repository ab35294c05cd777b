"""Jobs and answers of workers, as plain data that can be sent to other processes."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .problems import MEDIA, Problem

Work = Literal["process", "line", "predict"]


class Job(NamedTuple):
    """A request for one document."""

    work: Work
    body: bytes
    media: str = "application/json"
    charset: str = ""
    accept: str = "application/json"
    """Media type of the answer."""
    line: int = 0
    """Number of the line in a batch, from 0."""
    model: str = ""
    """Bundle of the trained recommender; empty if there is none."""


class Facts(NamedTuple):
    """Counts of a document, without text."""

    characters: int = 0
    kinds: dict[str, int] = {}  # noqa: RUF012  never changed
    skipped: dict[str, int] = {}  # noqa: RUF012  never changed
    """Suggestions that were not made, by reason."""


class Answer(NamedTuple):
    """A complete response."""

    status: int
    media: str
    body: bytes
    facts: Facts = Facts()
    code: str = ""
    """Code of the problem; empty for a success."""
    headers: dict[str, str] = {}  # noqa: RUF012  never changed
    worn: bool = False
    """True if the worker must be replaced because it has created too many classes for types of clients."""


def problem_answer(problem: Problem, job: Job) -> Answer:
    """Return the answer to a failed job: problem details, or a line of a batch with them."""
    body = problem.body()
    if job.work == "line":
        body = b'{"index":%d,"error":%s}' % (job.line, body)
    return Answer(problem.status, MEDIA, body, code=problem.code, headers=problem.headers)
