"""Sending a pipeline to the executors: as a package that Spark distributes, with secrets apart from it.

Every task contains the hash of the package's manifest, and the manifest contains the hashes of all other files. So executors run
exactly what was packed here, including plug-ins.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....assembly import shipped
from ....assembly.assembly import Assembly
from ....packaging.loading import load_package, looks_like_package
from ....packaging.manifest import CONFIG, MANIFEST
from ....packaging.packing import pack
from ....storage.lazy_regex import lazy_regex
from ....storage.spark_session import context_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_VARIABLE = lazy_regex(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}")
_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
"""Spark serves files from these folders until the session ends."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """The data that a task needs to get its engine, without secrets."""

    file: str
    """Name of the package among the files of the session."""
    digest: str
    """SHA-256 of the manifest in hexadecimal."""
    token: str
    """Tasks with the same token share an engine."""
    variables: Any = None
    """Broadcast of {name: value} of the environment variables that the configuration uses and the driver has set, or None."""

    def forget(self) -> None:
        """Remove the variables from all machines."""
        if self.variables is not None:
            self.variables.destroy()


def ship(spark: SparkSession, source: str | Path | Assembly, overrides: Iterable[str] = ()) -> Ticket:
    """Pack a pipeline and add it to the session. Raises the errors of `pack`.

    A package is sent unchanged after it was verified, including its signature if `CASPIPE_VERIFY` is set.
    """
    context = context_of(spark)
    overrides = list(overrides)
    if not _FOLDERS:
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="caspipe-spark-"))
    package = Path(_FOLDERS[0].name) / f"{secrets.token_hex(8)}.zip"
    if isinstance(source, str | Path) and looks_like_package(source):
        load_package(source, overrides)
        if overrides:
            pack(source, package, overrides=overrides)
        else:
            shutil.copyfile(source, package)
    else:
        known = source if not isinstance(source, str | Path) else shipped.locate(str(source))
        pack(known, package, overrides=overrides)
    digest, names = manifest_of(package)
    target = package.with_name(f"caspipe-{digest[:32]}.zip")
    package.replace(target)
    context.addFile(str(target))
    values = {name: os.environ[name] for name in names if name in os.environ}
    return Ticket(target.name, digest, secrets.token_hex(8), context.broadcast(values) if values else None)


def manifest_of(path: Path) -> tuple[str, list[str]]:
    """Return the hash of a package's manifest and the environment variables that its configuration uses."""
    with zipfile.ZipFile(path) as archive:
        digest = hashlib.sha256(archive.read(MANIFEST)).hexdigest()
        config = archive.read(CONFIG).decode("utf-8")
    return digest, sorted(set(_VARIABLE.findall(config)))
