"""Error responses: RFC 9457 problem details, which never quote the request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError

from ...errors import CaspipeError, nearest

MEDIA = "application/problem+json"


class Problem(CaspipeError):
    """A request that cannot be served: HTTP status, code for programs, and message."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Iterable[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        """`members`: further members of the problem details object (RFC 9457, 3.2), without text of the document."""
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.errors = [dict(e) for e in errors]
        self.headers = dict(headers or {})
        self.members = dict(members or {})

    def as_data(self) -> dict[str, Any]:
        """Return the members of the problem details object."""
        data: dict[str, Any] = {
            "type": "about:blank",
            "title": title(self.status),
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        if self.errors:
            data["errors"] = self.errors
        return data | self.members

    def body(self) -> bytes:
        """Return the problem details object as JSON."""
        return json.dumps(self.as_data(), ensure_ascii=False).encode("utf-8", "replace")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.status, self.code, self.detail, self.errors, self.headers, self.members)


def _restore(status: int, code: str, detail: str, errors: Any, headers: Any, members: Any) -> Problem:
    return Problem(status, code, detail, errors=errors, headers=headers, members=members)


def title(status: int) -> str:
    """Return the reason phrase of a status (RFC 9110)."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def invalid(error: ValidationError, names: frozenset[str]) -> Problem:
    """Return the problem for an invalid message: fields and reasons, but no values and no unknown names.

    `names`: names of fields that the message may contain.
    """
    errors = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False)[:20]:
        place = "".join(f"/{_field_name(part, names)}" for part in fault["loc"])
        errors.append({"pointer": f"#{place}", "detail": _reason(fault["type"], fault["msg"], fault["loc"], names)})
    first = errors[0] if errors else {"pointer": "#", "detail": "not as expected"}
    return Problem(422, "invalid", f"{first['pointer']}: {first['detail']}", errors=errors)


def _field_name(part: int | str, names: frozenset[str]) -> str:
    return str(part) if isinstance(part, int) or part in names else "(name)"


def _reason(kind: str, message: str, place: tuple[int | str, ...], names: frozenset[str]) -> str:
    if kind == "extra_forbidden":
        return f"no such field{nearest(str(place[-1]), names) if place else ''}"
    if kind == "json_invalid":
        return message.replace("Invalid JSON", "damaged JSON")
    return message.removeprefix("Value error, ")
