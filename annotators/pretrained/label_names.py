"""The labels of a model: the scheme of their prefixes, and the PHI kind of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from ..sequence.labels import OUTSIDE, Encoding

Unmapped = Literal["error", "ignore", "other"]

_PREFIXES = {"B": "B", "I": "I", "M": "I", "L": "L", "E": "L", "U": "U", "S": "U"}
"""Prefixes in use (BIO, BILOU, BIOES, BMES) and the letter of BILOU for each."""

_SCHEMES = ("i2b2-2014-sub", "i2b2-2014", "i2b2-2006", "meddocan", "vigibase")

KNOWN: dict[str, PhiKind | None] = {
    # CoNLL 2003, and what OntoNotes adds
    "PER": PhiKind.PERSON,
    "LOC": PhiKind.LOCATION,
    "ORG": PhiKind.ORGANIZATION,
    "MISC": None,
    "GPE": PhiKind.LOCATION,
    "FAC": PhiKind.LOCATION_FACILITY,
    "NORP": None,
    "ORGANISATION": PhiKind.ORGANIZATION,
    # the eleven labels of obi/deid_roberta_i2b2 and obi/deid_bert_i2b2 that are not names of kinds
    "STAFF": PhiKind.PERSON_DOCTOR,
    "HOSP": PhiKind.LOCATION_HOSPITAL,
    "PATORG": PhiKind.ORGANIZATION,
    "OTHERPHI": PhiKind.OTHER,
    # StanfordAIMI/stanford-deidentifier-*: health care workers, and vendors of devices and software
    "HCW": PhiKind.PERSON_DOCTOR,
    "VENDOR": PhiKind.ORGANIZATION,
}
"""Labels beyond the names of kinds and the schemes of `PhiKind`; None: no PHI (nationalities, works of art, events)."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a model, in its own order.

    `names` are written with the prefixes of BILOU, or plain in IO; `types` is what stands after the prefix, empty for `O`.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    encoding: Encoding

    @property
    def outside(self) -> list[int]:
        """Numbers of the labels that say `no PHI`."""
        return [i for i, t in enumerate(self.types) if not t]

    def of_type(self, name: str) -> list[int]:
        """Return numbers of the labels of one type, regardless of their prefix."""
        return [i for i, t in enumerate(self.types) if t == name]


def read_labels(given: Sequence[str]) -> Labels:
    """Return the labels of `id2label`, their scheme found from their prefixes.

    Prefixes count only where every label but `O` has one, joined by `-` or `_`: `E-MAIL` beside `PHONE` is a name.
    """
    inside = [label for label in given if label.upper() != OUTSIDE]
    cut = [_cut(label) for label in inside]
    if not inside or any(not prefix for prefix, _ in cut):
        return Labels(
            tuple(OUTSIDE if label.upper() == OUTSIDE else label for label in given),
            tuple("" if label.upper() == OUTSIDE else label for label in given),
            "io",
        )
    written = {prefix for prefix, _ in cut}
    encoding: Encoding = "bilou" if written & {"L", "U"} else "iob2"
    parts = iter(cut)
    names, types = [], []
    for label in given:
        prefix, kind = ("", "") if label.upper() == OUTSIDE else next(parts)
        names.append(f"{prefix}-{kind}" if kind else OUTSIDE)
        types.append(kind)
    return Labels(tuple(names), tuple(types), encoding)


def _cut(label: str) -> tuple[str, str]:
    if len(label) > 2 and label[1] in "-_" and label[0] in _PREFIXES:
        return _PREFIXES[label[0]], label[2:]
    return "", label


def kind_of_label(label: str) -> tuple[bool, PhiKind | None]:
    """Return whether a label is known, and its kind (None: not PHI): names of kinds, `KNOWN`, then the schemes of `PhiKind`."""
    folded = label.upper().replace(" ", "_").replace("-", "_")
    for kind in PhiKind:
        if kind.name == folded:
            return True, kind
    if label.upper() in KNOWN:
        return True, KNOWN[label.upper()]
    for scheme in _SCHEMES:
        for known in PhiKind.labels(scheme):
            if known.upper().replace("-", "_") == folded:
                return True, PhiKind.of_scheme(scheme, known)
    return False, None


def map_labels(
    labels: Labels, given: Mapping[str, PhiKind | None], unmapped: Unmapped, where: str
) -> dict[str, PhiKind]:
    """Return the kind of every type that marks PHI. `given` decides first; None in it means that a type is not PHI.

    Raises ResourceError that lists the types without a kind, or the names in `given` that the model does not have.
    """
    types = list(dict.fromkeys(t for t in labels.types if t))
    strange = [name for name in given if name not in types]
    if strange:
        listed = ", ".join(f"{name}{nearest(name, types)}" for name in strange)
        raise ResourceError(f"{where}: labels: the model has no {listed}; its labels are {', '.join(types)}")
    mapped: dict[str, PhiKind] = {}
    lost = []
    for name in types:
        known, kind = (True, given[name]) if name in given else kind_of_label(name)
        if not known:
            kind = PhiKind.OTHER if unmapped == "other" else None
            lost.append(name)
        if kind is not None:
            mapped[name] = kind
    if lost and unmapped == "error":
        kinds = [kind.name for kind in PhiKind]
        listed = ", ".join(f"{name}{_hint(name, kinds)}" for name in lost)
        raise ResourceError(
            f"{where}: no PHI kind is known for the labels {listed}; write `labels: {{{lost[0]}: KIND}}` "
            "(null: no PHI), or `unmapped: other` or `ignore`"
        )
    if not labels.outside and all(t in mapped for t in types):
        raise ResourceError(
            f"{where}: no label says `no PHI`: expected `O` among {', '.join(types)}; write null for it in `labels`"
        )
    return mapped


def _hint(label: str, kinds: Sequence[str]) -> str:
    near = nearest(label.upper(), kinds).removeprefix("; ")
    return f" ({near})" if near else ""
