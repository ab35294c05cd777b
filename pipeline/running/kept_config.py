"""The configuration that a run keeps in `restricted/`: with the keys, its output folder alone suffices to mask again.

Values from environment variables and secrets are not kept: a variable stays `${NAME}`, a secret in clear is left out. A slow hash
of each secret with the salt of the ledger shows later whether a key is the same.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...typesystem import MaskedSpan
from ..assembly.assembly import Assembly
from ..assembly.dependencies import PLUGIN, code_version
from ..assembly.effective import effective
from ..assembly.steps import Step
from ..contract.component import CasConsumer, Component
from ..errors import Fault, ReaderError
from ..storage.files import restricted_folder, write_atomic
from ..storage.own_kinds import as_declaration
from ..storage.secrets import secrets_of, without_secrets
from ..storage.yaml_source import Source, Text, parse

NAME = Path("restricted") / "ledger.configuration.json"
FORMAT = "caspipe configuration 1"
_TEXT, _LIST, _SECRET = "text", "list", "secret"


def keep_config(assembly: Assembly, salt: bytes) -> None:
    """Write the masker, the engines after it, the consumers and the options of a run. Does nothing for a pipeline without
    configuration or masker. `salt`: the key of the ledger."""
    if assembly.config is None or not (engines := masking_engines(assembly)):
        return
    secrets = dict(_secrets(assembly))
    encoder = _Encoder({value for value in secrets.values() if value})
    steps = {(s.id, s.name): s for s in assembly.config.engines}
    kept = [steps[e.id, e.name] for e in engines if (e.id, e.name) in steps]
    data = {
        "format": FORMAT,
        "name": assembly.name,
        "file": assembly.config.file,
        "base": str(assembly.config.base.absolute()),
        "resources": dict(assembly.config.resources),
        "kinds": [as_declaration(kind) for kind in assembly.own_kinds],
        "plugins": _plugins(),
        "engines": [encoder.step(s) for s in kept],
        "consumers": [encoder.step(s) for s in assembly.config.consumers],
        "run": encoder.value(assembly.config.run),
        "keys": {name: keyed_hash(value, salt) for name, value in secrets.items()},
        "files": {e.id: _files(e) for e in engines},
        "code": code_version(),
    }
    path = assembly.output / NAME
    restricted_folder(path.parent, assembly.output)
    write_atomic(path, (json.dumps(data, indent=1) + "\n").encode(), private=True)


def read_config(run: Path) -> dict[str, Any]:
    """Return what a run kept. Raises ReaderError if it kept nothing or the file is damaged."""
    path = run / NAME
    try:
        data = json.loads(path.read_bytes())
    except OSError:
        raise ReaderError(
            f"{path}: the run kept no configuration: expected a run of a YAML file with a masker, made by this version"
        ) from None
    except ValueError:
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ReaderError(f"{path}: expected a configuration that a run kept, found something else: run it again")
    return data


def source_of(data: Mapping[str, Any], reader: Mapping[str, Any]) -> Source:
    """Return a kept configuration with another reader, as if it was read from its file. Variables get their present values; a
    missing variable is a fault, a secret that was in clear is empty."""
    source = Source({}, str(data["file"]), Path(data["base"]))
    decoder = _Decoder(source)
    engines = [decoder.step(s) for s in data["engines"]]
    source.data = {
        "name": data["name"],
        "resources": data["resources"],
        "kinds": data.get("kinds", []),
        "reader": reader,
        "engines": [_nested(path, step) for path, step in engines],
        "consumers": [step for _, step in map(decoder.step, data["consumers"])],
        "run": decoder.value(data["run"], ("run",)),
    }
    return source


def changed_keys(assembly: Assembly, data: Mapping[str, Any], salt: bytes) -> dict[str, str]:
    """Return the keys that are not those of the run, each with what is wrong: missing, another one, or new."""
    kept: Mapping[str, str] = data["keys"]
    now = dict(_secrets(assembly))
    wrong = {}
    for name in sorted({*kept, *now}):
        if not now.get(name):
            wrong[name] = "missing"
        elif name not in kept:
            wrong[name] = "new"
        elif keyed_hash(now[name], salt) != kept[name]:
            wrong[name] = "another"
    return wrong


def changed_files(assembly: Assembly, data: Mapping[str, Any]) -> list[str]:
    """Return the masker and the engines after it whose files have changed since the run: `masker: names.txt`."""
    changed = []
    for engine in masking_engines(assembly):
        before: Mapping[str, str] = data["files"].get(engine.id, {})
        after = _files(engine)
        names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
        if names:
            changed.append(f"{engine.id}: {', '.join(names)}")
    return changed


def masking_engines(assembly: Assembly) -> list[Component]:
    """Return the first masker and all engines after it."""
    first = next((n for n, e in enumerate(assembly.engines) if MaskedSpan in e.outputs), None)
    return [] if first is None else assembly.engines[first:]


def keyed_hash(secret: bytes, salt: bytes) -> str:
    """Return a hash of a secret (scrypt, RFC 7914). It takes a tenth of a second, so that secrets cannot be found by trying."""
    digest = hashlib.sha256(b"caspipe key\0" + secret).digest()
    return hashlib.scrypt(digest, salt=salt, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=16).hex()


def _secrets(assembly: Assembly) -> Iterator[tuple[str, bytes]]:
    """Yield name and value of each secret of the masker, the engines after it, the consumers and the options."""
    parts: list[tuple[str, Component]] = [(e.id, e) for e in masking_engines(assembly)]
    parts += [(f"consumers/{c.id}", c) for c in assembly.consumers]
    for place, component in parts:
        for at, reveal in effective(component).secrets:
            if value := reveal():
                yield f"{place}.{at}", value
    for at, secret in secrets_of(assembly.options):
        yield f"run.{at}", secret.reveal()


def _files(component: Component) -> dict[str, str]:
    """Return the digests of the files that a component reads, by name."""
    if isinstance(component, CasConsumer):
        return {}
    return {name: digest for i in effective(component).inputs for one in i.all() for name, digest in one.digests}


def _plugins() -> list[str]:
    files = (
        getattr(module, "__file__", None) for name, module in sorted(sys.modules.items()) if name.startswith(PLUGIN)
    )
    return [file for file in files if file]


def _nested(path: list[str], step: Any) -> Any:
    """Return a step inside its aggregates."""
    return step if len(path) == 1 else {"aggregate": {"id": path[0], "engines": [_nested(path[1:], step)]}}


class _Encoder:
    """Turns values of a configuration into JSON. Strings keep the folder for relative paths and their place."""

    def __init__(self, secrets: set[bytes]) -> None:
        self.secrets = secrets

    def step(self, step: Step) -> dict[str, Any]:
        return {"name": step.name, "id": step.id, "given": self.value(step.given), "place": list(step.place)}

    def value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(k): self.value(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [_LIST, *map(self.value, value)]
        if isinstance(value, str | Path):
            return self.text(str(value), value)
        return value

    def text(self, text: str, value: Any) -> list[str]:
        if not isinstance(value, Text):
            return [_SECRET] if self.hides(text) else [_TEXT, text, "", ""]
        if not value.variables and self.hides(text):
            return [_SECRET]
        return [_TEXT, value.raw or text, str(value.base.absolute()), value.origin]

    def hides(self, text: str) -> bool:
        return text.encode("utf-8", "surrogatepass") in self.secrets or bool(without_secrets(text)[1])


class _Decoder:
    """Turns what `_Encoder` made into values of a configuration, with their places."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def step(self, data: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
        path = str(data["id"]).split("/")
        given = self.value(data["given"], (str(data["id"]),))
        if path[-1] != data["name"]:
            given = {"id": path[-1], **given}
        return path, {str(data["name"]): given}

    def value(self, value: Any, at: tuple[str, ...]) -> Any:
        if isinstance(value, Mapping):
            return {k: self.value(v, (*at, k)) for k, v in value.items()}
        if not isinstance(value, list):
            return value
        if value[0] == _LIST:
            return [self.value(v, (*at, str(i))) for i, v in enumerate(value[1:])]
        if value[0] == _SECRET:
            return ""  # the check of the keys says that it is missing
        _, raw, base, origin = value
        if not base:
            return raw
        file, _, _ = origin.rpartition(":")
        parsed = parse(json.dumps(raw), file or self.source.file, Path(base))
        self.source.faults += [Fault(".".join(at), f.what, f.file) for f in parsed.faults]
        text = parsed.data
        if not isinstance(text, Text):
            return Text(str(raw), Path(base), origin)
        return Text(str(text), Path(base), origin, text.variables, text.raw)
