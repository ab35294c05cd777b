"""How a pipeline gets to the executors: as a bundle that Spark hands out, and secrets beside it, never in it.

The bundle is known by the hash of its manifest, which every task brings along; the manifest holds the hashes of the rest. So what
runs on an executor is what was packed here, plug-ins included.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .... import packaging as bundle
from ....assembly import shipped
from ....packaging.manifest import CONFIG, MANIFEST
from ....storage.spark_session import context_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ....pipeline import Pipeline

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}")
_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
"""Spark's file server hands out the file where it lies, as long as the session lasts."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """With it a task gets its engine. It holds no secret."""

    file: str
    """Name of the bundle among the files of the session."""
    digest: str
    """SHA-256 of the bundle's manifest, in hexadecimal."""
    token: str
    """Tasks with the same one share an engine."""
    variables: Any = None
    """A broadcast of {name: value} of the environment variables that the configuration speaks of, as far as they are set where
    the job was begun; None where none is."""

    def forget(self) -> None:
        """Takes the variables back from all machines."""
        if self.variables is not None:
            self.variables.destroy()


def ship(spark: SparkSession, source: str | Path | Pipeline, overrides: Iterable[str] = ()) -> Ticket:
    """Packs a pipeline and gives it to the session. Raises what `pack` raises.

    A bundle travels as it is; it is checked first, and its signature too where `CASPIPE_VERIFY` asks for it.
    """
    context = context_of(spark)
    overrides = list(overrides)
    if not _FOLDERS:
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="caspipe-spark-"))
    made = Path(_FOLDERS[0].name) / f"{secrets.token_hex(8)}.zip"
    if isinstance(source, str | Path) and bundle.looks_like_bundle(source):
        bundle.load(source, overrides)
        if overrides:
            bundle.pack(source, made, overrides=overrides)
        else:
            shutil.copyfile(source, made)
    else:
        known = source if not isinstance(source, str | Path) else shipped.locate(str(source))
        bundle.pack(known, made, overrides=overrides)
    digest, names = described(made)
    named = made.with_name(f"caspipe-{digest[:32]}.zip")
    made.replace(named)
    context.addFile(str(named))
    values = {name: os.environ[name] for name in names if name in os.environ}
    return Ticket(named.name, digest, secrets.token_hex(8), context.broadcast(values) if values else None)


def described(path: Path) -> tuple[str, list[str]]:
    """The hash of a bundle's manifest, and the environment variables that its configuration speaks of."""
    with zipfile.ZipFile(path) as archive:
        digest = hashlib.sha256(archive.read(MANIFEST)).hexdigest()
        config = archive.read(CONFIG).decode("utf-8")
    return digest, sorted(set(_VARIABLE.findall(config)))
