"""XMI compared as elements and attributes, by xmi:id: whatever was there is there still. Knows nothing of types."""

from __future__ import annotations

from typing import Any

from caspipe.typesystem.xmi.parse import NULL, SOFA, VIEW, parse, type_name

_RECORDS = ("caspipe.Metadata", "caspipe.OffsetMap")
"""Written anew each time, with what lenient reading noted."""


def elements(data: bytes) -> tuple[dict[str, tuple[str, dict[str, Any]]], set[tuple[str, str]]]:
    """By xmi:id the type and its features, as attributes or as elements; and (Sofa, member) of all views."""
    rows = parse(data, "(bytes)", lenient=True)
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    members: set[tuple[str, str]] = set()
    for i, (name, attributes) in enumerate(rows.elements):
        features: dict[str, Any] = dict(attributes)
        number = features.pop(rows.id_name, "")
        if name == VIEW:
            members |= {(features.get("sofa", ""), m) for m in features.get("members", "").split()}
            continue
        if name == NULL:
            continue
        if name == SOFA:
            features.pop("sofaNum", None)
        several: dict[str, list[str]] = {}
        for child in rows.children.get(i, ()):
            several.setdefault(child.feature, []).append(child.href if child.href is not None else child.text)
        found[number] = type_name(name) or "", {**features, **several}
    return found, members


def losses(before: bytes, after: bytes) -> list[str]:
    """What of one document is not in the other, or is otherwise there. Numbers may be spelled otherwise."""
    (a, members), (b, there) = elements(before), elements(after)
    found = [f"{n} ({a[n][0]}) is gone" for n in a if n not in b and a[n][0] not in _RECORDS]
    found += [f"member {m} is gone from {s}" for s, m in sorted(members - there) if a.get(m, "?")[0] not in _RECORDS]
    for number in a.keys() & b.keys():
        (kind, features), (other, further) = a[number], b[number]
        if kind in _RECORDS:
            continue
        found += [f"{number} is {other}, not {kind}"] if kind != other else []
        found += [
            f"{number} ({kind}): {f}"
            for f, v in features.items()
            if not _same(v, further.get(f)) and (f, v) != ("sofa", "0")
        ]
    return sorted(found)


def _same(a: Any, b: Any) -> bool:
    if a == b:
        return True
    if isinstance(a, str) and isinstance(b, str) and len(a.split()) == len(b.split()):
        return all(x == y or _number(x) == _number(y) is not None for x, y in zip(a.split(), b.split(), strict=True))
    joined = " ".join(a) if isinstance(a, list) else a  # a value as elements and as an attribute
    return joined == b or [a] == b or (a == "" and b is None)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
