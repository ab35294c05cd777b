"""Secrets in a configuration (keys, passwords): their sources, and how they are kept out of sight."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import stat
import types
import typing
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...typesystem.errors import CaspipeWarning
from ..errors import ResourceError
from .yaml_source import COMMAND_LINE, Text

SHORTEST = 16
"""A secret with fewer characters can be guessed."""

_FEWEST = 6
"""A secret with fewer distinct characters can be guessed."""

_MOST = 1 << 16
"""Limit for the size of a key file in bytes."""

_FILE = "file:"
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-([^}]*))?\}")
_TAKEN = "\0"
"""Placeholder for the value of an environment variable."""
_HARMLESS = frozenset(
    "sslmode ssl_mode charset encoding client_encoding driver mode uri timeout connect_timeout application_name encrypt".split()
)
"""Parameters that the query of a URL may contain in clear."""
_BETTER = "`openssl rand -hex 32` makes a good one"


@functools.cache
def _url() -> re.Pattern[str]:
    return re.compile(
        r"""
        (?P<scheme> \s* (?: [a-z][a-z0-9+.\-]* : )+ // )        # postgresql://, jdbc:postgresql://
        (?: (?P<user> [^/@:?;]* ) (?: : (?P<password> .* ) )? @ )?
        (?P<place> [^?;]* )
        (?: [?;] (?P<query> .* ) )?
        """,
        re.VERBOSE | re.DOTALL | re.IGNORECASE,
    )


class SecretWarning(CaspipeWarning):
    """Others can read or guess a secret."""


class Secret:
    """A secret and its source: text, or a file that is read at first use. It is never shown.

    A parameter that holds one is declared `key: Secret | str = ""`; YAML takes `"${CASPIPE_KEY:-}"`, `file:caspipe.key`,
    `{file: caspipe.key}` (relative to the YAML file), or text in clear, with a warning. It is not a string, so that it
    cannot get into JSON or a formatted string by accident.
    """

    __slots__ = ("_file", "_value", "origin")

    def __init__(self, value: str | bytes = b"", *, file: Path | None = None, origin: str = "") -> None:
        self._value = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        self._file = file
        self.origin = origin
        """Its source: the name of an environment variable, a path, `pipeline.yaml:7`, `--set`; empty: in Python."""

    @classmethod
    def of(cls, value: Secret | str) -> Secret:
        """Return a secret unchanged, and text as a secret."""
        return value if isinstance(value, Secret) else cls(value)

    def open(self) -> None:
        """Read the file, if there is one. Raises ResourceError if it is missing, empty, or readable by others."""
        if self._file is not None and not self._value:
            self._value = read_secret(self._file)
            if weakness := _weakness(self._value):
                _warn(f"key file {self._file}: {weakness}")

    def reveal(self) -> bytes:
        """Return the secret. Raises ResourceError as `open` does."""
        self.open()
        return self._value

    def holds(self, text: str) -> bool:
        """Return whether a text is equal to this secret."""
        return self._file is None and bool(self) and self._value == text.encode("utf-8", "surrogatepass")

    def __bool__(self) -> bool:
        return self._file is not None or bool(self._value)

    def __repr__(self) -> str:
        return "(secret)" if self else "''"

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Pickle only the name of a file: every process reads it by itself."""
        value = b"" if self._file is not None else self._value
        return None, {"_file": self._file, "_value": value, "origin": self.origin}


def read_secret(path: Path) -> bytes:
    """Read a key file, without white space at its ends. Raises ResourceError if it is missing, empty, larger than 64 KiB, or
    readable by others (on systems with such modes)."""
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            raw = file.read(_MOST + 1) if os.name != "posix" or not mode & 0o077 else b""
    except OSError as error:
        raise ResourceError(f"key file {path}: {error.strerror or type(error).__name__}") from None
    if os.name == "posix" and mode & 0o077:
        raise ResourceError(
            f"key file {path}: others than its owner may use it (mode {mode:04o}): expected 0600, as after chmod 600"
        )
    if len(raw) > _MOST:
        raise ResourceError(f"key file {path}: expected a secret, found more than {_MOST:,} bytes")
    raw = raw.removeprefix(b"\xef\xbb\xbf").strip()
    if not raw:
        raise ResourceError(f"key file {path}: expected a secret, found nothing")
    return raw


def is_secret(hint: Any) -> bool:
    """Return whether a parameter of this type holds one secret: `Secret`, `Secret | str`, `Secret | None`."""
    return hint is Secret or (
        typing.get_origin(hint) in (typing.Union, types.UnionType) and Secret in typing.get_args(hint)
    )


def configured(value: Any) -> Secret | None:
    """Return the secret for a value of a configuration; None if it cannot be one. Warns (SecretWarning) if it is in a YAML file
    in clear or can be guessed. Does not read files."""
    if isinstance(value, Mapping) and list(value) == ["file"]:
        given = value["file"]
        return Secret(file=_path(given, str(given))) if isinstance(given, str) and given else None
    if isinstance(value, Secret):
        return value
    if not isinstance(value, str):
        return None
    if value.startswith(_FILE) and value != _FILE:
        return Secret(file=_path(value, value[len(_FILE) :]))
    if not isinstance(value, Text):
        return Secret(str(value))
    secret = Secret(str(value), origin=", ".join(value.variables) or value.origin)
    if secret and value.origin not in ("", COMMAND_LINE):  # from a file: of what Python code says, its author knows
        if not value.variables:
            _warn(
                f'{value.origin}: a secret in clear: write "${{CASPIPE_KEY}}", or file:PATH, and keep it out of the YAML file'
            )
        if weakness := _weakness(secret.reveal()):
            _warn(f"{secret.origin}: {weakness}")
    return secret


def check_url(value: Text) -> None:
    """Warn of a URL with a password in clear in a YAML file."""
    given = value.raw or ("" if value.variables else value)
    if value.origin not in ("", COMMAND_LINE) and (what := in_clear(given)):
        _warn(f"{value.origin}: {what} in clear: write ${{VARIABLE}} in its place, or as the whole URL")


def in_clear(raw: str) -> str:
    """Return what a URL in a file, with its `${...}`, should not contain in clear; empty for other strings."""
    url = _url().fullmatch(_VARIABLE.sub(lambda variable: variable[1] or _TAKEN, raw)) if "://" in raw else None
    if url is None:
        return ""
    if (url["password"] or "").strip(_TAKEN):
        return "a password"
    for item in re.split("[&;]", url["query"] or ""):
        name, equals, value = item.partition("=")
        if (value if equals else name).strip(_TAKEN) and name.lower() not in _HARMLESS:
            return "a query that may hold a password"
    return ""


def without_secrets(value: str) -> tuple[str, str]:
    """Return a text without secrets, and the removed parts: user, password and query of a URL."""
    url = _url().fullmatch(value) if "://" in value else None
    if url is None or (url["user"] is None and url["query"] is None):
        return value, ""
    place = url["place"]
    user = "" if url["user"] is None else "(secret)@"
    query = "" if url["query"] is None else "?(secret)"
    left_out = value[url.end("scheme") : url.start("place")] + value[url.end("place") :]
    return f"{url['scheme']}{user}{place}{query}", left_out


def _path(given: str, path: str) -> Path:
    return given.base / path if isinstance(given, Text) else Path(path)


def secrets_of(owner: Any, path: str = "") -> Iterator[tuple[str, Secret]]:
    """Yield the secrets of a component or part with the paths of their parameters: `kinds.DATE.key`."""
    if isinstance(owner, Secret):
        if owner:
            yield path, owner
    elif isinstance(owner, Mapping):
        for key, value in owner.items():
            yield from secrets_of(value, f"{path}.{getattr(key, 'name', key)}")
    elif isinstance(owner, list | tuple):
        for i, value in enumerate(owner):
            yield from secrets_of(value, f"{path}.{i}")
    elif dataclasses.is_dataclass(owner) and not isinstance(owner, type):
        for field in dataclasses.fields(owner):
            if field.init:
                yield from secrets_of(getattr(owner, field.name), f"{path}.{field.name}" if path else field.name)


def warn_of_command_line(components: typing.Iterable[Any]) -> None:
    """Warn of every secret given by `--set`, which is visible in the list of processes and in the history of the shell."""
    for component in components:
        for path, secret in secrets_of(component):
            if secret.origin == COMMAND_LINE:
                _warn(
                    f"--set {component.id}.{path}: a secret on the command line is seen in the list of processes and kept by "
                    "the shell: set CASPIPE_KEY, or give file:PATH"
                )
                if weakness := _weakness(secret.reveal()):
                    _warn(f"--set {component.id}.{path}: {weakness}")


def _weakness(secret: bytes) -> str:
    if len(secret) < SHORTEST:
        return f"a secret of fewer than {SHORTEST} characters can be guessed; {_BETTER}"
    return (
        f"a secret of fewer than {_FEWEST} different characters can be guessed; {_BETTER}"
        if len(set(secret)) < _FEWEST
        else ""
    )


def _warn(message: str) -> None:
    warnings.warn(message, SecretWarning, stacklevel=3)
