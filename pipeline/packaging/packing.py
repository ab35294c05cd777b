"""Pack a pipeline. The same input gives the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import secrets
import sys
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from ...typesystem.typesystem import TypeSystem
from ..assembly.assembly import Assembly
from ..assembly.config import read_config
from ..assembly.dependencies import PLUGIN, Dependency, dependencies, distributions_of, package_of
from ..assembly.effective import effective
from ..assembly.shipped import locate
from ..assembly.steps import Config
from ..contract import registry
from ..errors import ConfigError, Fault, ResourceError
from ..storage import signing
from ..storage.hashing import below, caspipe_version, code_version, file_digest, shipped_name
from ..storage.secrets import SecretWarning
from . import needed
from .layout import EARLIEST, PLAIN
from .loading import load_package, looks_like_package
from .manifest import (
    CONFIG,
    MANIFEST,
    MODULES,
    PLUGINS,
    REQUIREMENTS,
    SIGNATURE,
    TYPES,
    WHAT,
    WHEELS,
    Entry,
    Manifest,
    Shipped,
    safe,
)
from .rewriting import rewritten
from .unpacking import is_bundle

_UNSET = re.compile(r"environment variable \w+ is not set")
_CHUNK = 1 << 20
_HEADER = (
    "# The configuration of a bundle: `bundle:/` is the bundle's own folder, other relative paths are relative to the\n"
    "# current folder of whoever runs it.\n"  # english: ok
)


@dataclasses.dataclass(frozen=True, slots=True)
class Packed:
    """The written package."""

    path: Path
    manifest: Manifest
    digest: str
    """SHA-256 of the manifest in hexadecimal, which determines all content."""
    key: str
    """Id of the signing key; empty if it is not signed."""


def pack(
    source: str | Path | Assembly,
    target: Path,
    *,
    overrides: Iterable[str] = (),
    sign: Path | None = None,
    wheels: Path | None = None,
) -> Packed:
    """Write a pipeline (a file, the name of a shipped one, or one loaded from either) as a package.

    Engines are opened once to check that nothing is missing. `sign`: private key for the manifest; `wheels`: a folder with the
    wheels of all requirements, which are added. Raises ConfigError if the configuration has faults or contains secrets in clear,
    ResourceError if something is missing.
    """
    _refuse_foreign(target)
    if isinstance(source, Assembly):
        config = source.config
        if config is None:
            raise ConfigError([Fault("", "expected a pipeline of a YAML file: this one was made by a program")])
    else:
        file = Path(source)
        if looks_like_package(file):
            config = load_package(file, overrides, keep_reader=True)
        else:
            config = read_config(locate(str(source)), overrides)
        # variables are set on the machine that runs it
        config.faults = [fault for fault in config.faults if not _UNSET.match(fault.what)]
    pipeline = _assembled(config)
    copy = rewritten(config)
    if copy.faults:
        raise ConfigError(copy.faults)
    contents = dict(copy.files)
    used = dependencies(pipeline)
    plugins, modules, distributions = _code(used, contents)
    needed.opened(pipeline.engines, {e.id for e in pipeline.engines if effective(e).secrets})
    chain = [pipeline.reader, *getattr(pipeline.reader, "readers", []), *pipeline.engines, *pipeline.consumers]
    code = [path for name, path in contents.items() if name.startswith((f"{PLUGINS}/", f"{MODULES}/"))]
    distributions += ["cryptography"] if sign is not None else []
    lines = needed.requirements([c for c in chain if c is not None], code, distributions)
    if wheels is not None:
        contents |= {f"{WHEELS}/{path.name}": path for path in needed.wheels(lines, wheels)}
    own = {
        CONFIG: (_HEADER + yaml.safe_dump(copy.data, sort_keys=False, allow_unicode=True, width=10**6)).encode("utf-8"),
        TYPES: _types(),
        REQUIREMENTS: "".join(f"{line}\n" for line in lines).encode("utf-8"),
    }
    files = {name: Entry(file_digest(path), path.stat().st_size) for name, path in contents.items()}
    files |= {name: Entry(hashlib.sha256(data).hexdigest(), len(data)) for name, data in own.items()}
    _check_names(config, files)
    manifest = Manifest(
        config.name,
        caspipe_version(),
        code_version(),
        dict(sorted(files.items())),
        _shipped(used),
        tuple(lines),
        plugins,
        modules,
    )
    return _written(target, manifest, own, contents, sign)


def _assembled(config: Config) -> Assembly:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SecretWarning)  # `rewritten` reports them as errors
        return Assembly.from_config(config)


def _shipped(used: list[Dependency]) -> tuple[Shipped, ...]:
    """Return the resources that are not in the package because they ship with caspipe."""
    shipped: dict[str, Shipped] = {}
    for one in used:
        files = [(one.root / name, digest) for name, digest in one.files]
        names = [(name.removeprefix("caspipe/") if name.startswith("caspipe/") else shipped_name(path), digest)
                 for (path, digest), (name, _) in zip(files, one.files, strict=True)]  # fmt: skip
        if one.kind == "resource" and names and all(name for name, _ in names) and not Path(one.name).is_absolute():
            shipped[one.name] = Shipped(one.name, tuple(names))
    return tuple(shipped[name] for name in sorted(shipped))


def _code(used: list[Dependency], contents: dict[str, Path]) -> tuple[tuple[str, ...], tuple[str, ...], list[str]]:
    """Add plug-in files and single modules to `contents`. Return their names, and the distributions that define components."""
    plugins: list[str] = []
    modules: list[str] = []
    distributions: list[str] = []
    for module in dict.fromkeys(one.name for one in used if one.kind == "plugin"):
        source = getattr(sys.modules.get(module), "__file__", None)
        if source is None or module == "__main__":
            raise ResourceError(f"a component comes from the module {module}: expected one in a file of its own")
        file = Path(source)
        if module.startswith(PLUGIN):
            name = f"{PLUGINS}/{len(plugins) + 1:02}/{file.name}"
            plugins.append(name)
            contents[name] = file
        elif brought := distributions_of(module):
            distributions += brought
        else:
            modules.append(module)
            top = package_of(file)
            root = file.parent if top is None else top.parent
            contents |= {
                f"{MODULES}/{path.relative_to(root).as_posix()}": path
                for path in ([file] if top is None else below(top))
            }
    return tuple(plugins), tuple(modules), distributions


def _types() -> bytes:
    registry.discover()
    return TypeSystem().to_xml()


def _check_names(config: Config, files: dict[str, Entry]) -> None:
    folded: dict[str, str] = {}
    for name in files:
        try:
            safe(name)
        except ValueError as error:
            raise ConfigError([Fault("", f"cannot be packed: {json.dumps(name)} is {error}", config.file)]) from None
        if folded.setdefault(name.casefold(), name) != name:
            what = f"{name} and {folded[name.casefold()]} differ in case only, which not every system tells apart"
            raise ConfigError([Fault("", f"cannot be packed: {what}", config.file)])


def _written(
    target: Path, manifest: Manifest, own: dict[str, bytes], contents: dict[str, Path], sign: Path | None
) -> Packed:
    content = manifest.to_bytes()
    key = ""
    first = {MANIFEST: content}
    if sign is not None:
        signature = signing.sign(content, sign)
        first[SIGNATURE], key = signature.to_bytes(), signature.key
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(temporary, "x") as archive:
            for name, data in first.items():
                _add(archive, name, [data], Entry(hashlib.sha256(data).hexdigest(), len(data)))
            for name, entry in manifest.files.items():
                _add(archive, name, [own[name]] if name in own else _chunks(contents[name]), entry)
        temporary.replace(target)
    except OSError as error:
        raise ResourceError(f"{target}: cannot write: {error.strerror or type(error).__name__}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return Packed(target, manifest, hashlib.sha256(content).hexdigest(), key)


def _add(archive: zipfile.ZipFile, name: str, chunks: Iterable[bytes], entry: Entry) -> None:
    """Add an uncompressed member: the bytes do not depend on zlib, and the size cannot grow when it is unpacked."""
    info = zipfile.ZipInfo(name, EARLIEST)
    info.create_system = 3
    info.external_attr = PLAIN
    info.file_size = entry.size
    digest = hashlib.sha256()
    with archive.open(info, "w", force_zip64=entry.size >= 1 << 31) as member:
        for chunk in chunks:
            digest.update(chunk)
            member.write(chunk)
    if digest.hexdigest() != entry.digest:
        raise ResourceError(f"{name}: its file was changed while it was packed")


def _chunks(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _refuse_foreign(target: Path) -> None:
    if os.path.lexists(target) and not is_bundle(target):
        raise ResourceError(f"{target}: exists and is no {WHAT}: choose another name")
    if target.suffix != ".zip":
        raise ResourceError(f"{target}: expected a name that ends in .zip")


def describe(packed: Packed) -> dict[str, Any]:
    """Describe a package as plain data for people."""
    sizes = [entry.size for entry in packed.manifest.files.values()]
    return {
        "bundle": str(packed.path),
        "name": packed.manifest.name,
        "files": len(sizes),
        "bytes": sum(sizes),
        "manifest": packed.digest,
        "signed by": packed.key or "nobody",
        "plug-ins": [*packed.manifest.plugins, *packed.manifest.modules],
        "requirements": len(packed.manifest.requirements),
        "wheels": sum(name.startswith(f"{WHEELS}/") for name in packed.manifest.files),
    }
