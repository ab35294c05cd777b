"""`--set` for experiments: a dotted path into the file, where the names of components may be left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import Fault, nearest
from ...storage.yaml_source import COMMAND_LINE, Keys, Source, scalar


def override(source: Source, text: str, known: list[str]) -> Fault | None:
    """Put `folds=3`, `experiment.repetitions=10` or `models.crf.trainer.C=0.1` into the file's data; a fault if it cannot.

    `known` are the names a path may begin with. Under `corpora` and `models` only what the file has can be changed.
    """
    path, equals, value = text.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        return Fault(f"--set {text}", "expected NAME.PARAMETER=VALUE")
    if keys[0] not in known:
        return Fault(f"--set {path}", f"no such section{nearest(keys[0], known)}")
    if not isinstance(source.data, dict):
        return Fault(f"--set {path}", "the file holds no mapping")
    return _put(source.data, (), keys, scalar(value, Path.cwd(), COMMAND_LINE), source, f"--set {path}")


def _put(into: dict[str, Any], at: Keys, keys: list[str], value: Any, source: Source, where: str) -> Fault | None:
    key = keys[0]
    if _is_step(at) and key not in into and len(into) == 1:  # `trainer: {crf_trainer: {...}}`: the name may be left out
        name, inner = next(iter(into.items()))
        into[name] = dict(inner or {})
        return _put(into[name], (*at, name), keys, value, source, where)
    if at and at[0] in ("corpora", "models") and len(at) == 1 and key not in into:
        return Fault(where, f"the file has no {key!r} under {at[0]}{nearest(key, into)}")
    if len(keys) == 1:
        into[key] = value
        source.lines[(*at, key)] = ("--set", 0)
        return None
    inner = into.get(key)
    if isinstance(inner, str):  # a bare name: `experiment: sweep`
        inner = {inner: {}}
    if isinstance(inner, list):
        return _item(inner, (*at, key), keys[1:], value, source, where)
    into[key] = dict(inner) if isinstance(inner, Mapping) else {}
    return _put(into[key], (*at, key), keys[1:], value, source, where)


def _is_step(at: Keys) -> bool:
    """Return whether the value at these keys is a name with parameters."""
    return at == ("experiment",) or (len(at) == 3 and at[2] in ("reader", "trainer", "annotator"))


def _item(items: list[Any], at: Keys, keys: list[str], value: Any, source: Source, where: str) -> Fault | None:
    """Into a list of steps: the step is named by its component or id."""
    for i, item in enumerate(items):
        name, parameters = (item, None) if isinstance(item, str) else next(iter(item.items()), ("", None))
        given: dict[str, Any] = dict(parameters or {})
        if keys[0] in (name, given.get("id")) and len(keys) > 1:
            items[i] = {str(name): given}
            return _put(items[i][str(name)], (*at, i, str(name)), keys[1:], value, source, where)
    return Fault(where, f"{keys[0]!r} is not a component of this list, or no parameter follows it")
