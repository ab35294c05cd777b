"""Load a pipeline package: verify and unpack it, load its plug-ins, and resolve its names to paths."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...typesystem import CaspipeWarning
from ..assembly.config import settle
from ..assembly.steps import Config
from ..contract import registry
from ..errors import ResourceError
from ..storage.hashing import PACKAGE, code_version, file_digest
from ..storage.yaml_source import Text, mapped, parse
from .confining import UNTRUSTED, confine, refuse_unread
from .manifest import CONFIG, HERE, MODULES, Manifest
from .unpacking import unpacked

_SUFFIX, _MAGIC = ".zip", b"PK\x03\x04"
VERIFY_VARIABLE = "CASPIPE_VERIFY"
"""Names a public key that every bundle must be signed with."""


class BundleWarning(CaspipeWarning):
    """A package was packed by another version of caspipe, or is not signed by a trusted key."""


def looks_like_package(path: str | Path) -> bool:
    """Return whether a path is loaded as a package: a zip archive by its name or its first bytes."""
    place = Path(path)
    if place.suffix.lower() == _SUFFIX:
        return True
    try:
        with place.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def load_package(
    path: str | Path,
    overrides: Iterable[str] = (),
    verify: Path | None = None,
    *,
    trust: bool = False,
    keep_reader: bool = False,
) -> Config:
    """Return the configuration in a package, and unpack its files into the user's cache.

    `verify`: public key with which it must be signed, by default that of `CASPIPE_VERIFY`. Without a key, the package is
    confined (see `confining`), with a warning, unless `trust` says that its maker is trusted. `keep_reader`: for packing it
    again. Relative paths outside the package are relative to the current folder. Raises ResourceError or SignatureError if
    something is missing or was changed, if this caspipe does not fit the package, and if it contains plug-ins and is not
    trusted; ConfigError if it does what it must not.
    """
    place = Path(path)
    named = os.environ.get(VERIFY_VARIABLE)
    public = verify or (Path(named) if named else None)
    manifest, folder = unpacked(place, public)
    _check_shipped(manifest, place)
    if manifest.code != code_version():
        warnings.warn(
            f"{place}: packed with caspipe {_short(manifest.code)}, this is {_short(code_version())}: results may differ",
            BundleWarning,
            stacklevel=2,
        )
    trusted = trust or public is not None
    if not trusted:
        warnings.warn(f"{place}: {UNTRUSTED}", BundleWarning, stacklevel=2)
    _load_code(manifest, folder, place, trusted)
    text = (folder / CONFIG).read_text(encoding="utf-8")
    source = parse(text, f"{place}!/{CONFIG}", Path.cwd(), expand=trusted)
    if not trusted:
        refuse_unread(source)
    source.data = mapped(source.data, lambda value: _with_path(value, folder))
    config = settle(source, overrides)
    if not trusted:
        confine(config, folder, keep_reader=keep_reader)
    return config


def _short(code: str) -> str:
    version, mark, digest = code.partition("+sha256.")
    return f"{version} ({digest[:8]})" if mark else version


def _with_path(value: Any, folder: Path) -> Any:
    if not (isinstance(value, str) and value.startswith(HERE)):
        return value
    return Text(f"{folder}{os.sep}{value[len(HERE) :]}", folder, value.origin if isinstance(value, Text) else "")


def _check_shipped(manifest: Manifest, place: Path) -> None:
    """Raise ResourceError if shipped resources differ from those with which the package was made."""
    for one in manifest.shipped:
        for name, digest in one.files:
            path = PACKAGE / name
            found = file_digest(path) if path.is_file() else "none"
            if found != digest:
                raise ResourceError(
                    f"{place}: needs {one.name} as caspipe {manifest.caspipe} ships it: {name}: expected SHA-256 "
                    f"{digest}, found {found}"
                )


def _load_code(manifest: Manifest, folder: Path, place: Path, vouched: bool) -> None:
    if not (manifest.plugins or manifest.modules):
        return
    if not vouched:
        brought = ", ".join([*manifest.plugins, *manifest.modules])
        raise ResourceError(
            f"{place}: brings plug-ins ({brought}), which are programs: check who signed it with --verify PUBLIC or "
            f"{VERIFY_VARIABLE}, or run it with --trust"
        )
    with _no_bytecode():
        for name in manifest.plugins:
            registry.load_file(str(folder / name))
        root = str(folder / MODULES)
        if manifest.modules and root not in sys.path:
            sys.path.append(root)
            importlib.invalidate_caches()
        for module in manifest.modules:
            try:
                importlib.import_module(module)
            except ImportError as error:
                raise ResourceError(f"{place}: module {module} cannot be imported: {error}") from None


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Prevent Python from writing caches into the folder, which must contain only verified files."""
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
