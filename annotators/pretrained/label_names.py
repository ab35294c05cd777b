"""The labels of a model: the encoding of their prefixes, and their PHI kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from ..sequence.labels import OUTSIDE, Encoding

Unmapped = Literal["error", "ignore", "other"]

_PREFIXES = {"B": "B", "I": "I", "M": "I", "L": "L", "E": "L", "U": "U", "S": "U"}
"""Prefixes of BIO, BILOU, BIOES and BMES, and the corresponding prefix of BILOU."""

_SCHEMES = ("i2b2-2014-sub", "i2b2-2014", "i2b2-2006", "meddocan", "vigibase")

KNOWN_LABELS: dict[str, PhiKind | None] = {
    # CoNLL 2003 and OntoNotes
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
"""Labels in addition to the names of kinds and the schemes of `PhiKind`; None: not PHI (nationalities, works of art, events)."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a model, in its own order.

    `names` have the prefixes of BILOU, or none in IO; `types` are the names without prefix, empty for `O`.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    encoding: Encoding

    @property
    def outside(self) -> list[int]:
        """The indexes of the labels for `no PHI`."""
        return [i for i, t in enumerate(self.types) if not t]

    def of_type(self, name: str) -> list[int]:
        """Return the indexes of all labels of a type."""
        return [i for i, t in enumerate(self.types) if t == name]


def read_labels(labels: Sequence[str]) -> Labels:
    """Return the labels of `id2label`, with the encoding that their prefixes show.

    Prefixes count only if every label except `O` has one, separated by `-` or `_`. With `PHONE`, `E-MAIL` is a name.
    """
    parts = [("", "") if label.upper() == OUTSIDE else _split_prefix(label) for label in labels]
    prefixes = {prefix for prefix, type_ in parts if type_}
    types = tuple(type_ for _, type_ in parts)
    if not prefixes or "" in prefixes:
        types = tuple("" if label.upper() == OUTSIDE else label for label in labels)
        return Labels(tuple(type_ or OUTSIDE for type_ in types), types, "io")
    encoding: Encoding = "bilou" if prefixes & {"L", "U"} else "iob2"
    return Labels(tuple(f"{prefix}-{type_}" if type_ else OUTSIDE for prefix, type_ in parts), types, encoding)


def _split_prefix(label: str) -> tuple[str, str]:
    if len(label) > 2 and label[1] in "-_" and label[0] in _PREFIXES:
        return _PREFIXES[label[0]], label[2:]
    return "", label


def kind_of_label(label: str) -> tuple[bool, PhiKind | None]:
    """Return whether a label is known, and its kind (None: not PHI).

    Looks in the names of kinds, in `KNOWN_LABELS`, then in the schemes of `PhiKind`.
    """
    folded = label.upper().replace(" ", "_").replace("-", "_")
    for kind in PhiKind:
        if kind.name == folded:
            return True, kind
    if label.upper() in KNOWN_LABELS:
        return True, KNOWN_LABELS[label.upper()]
    for scheme in _SCHEMES:
        for known in PhiKind.labels(scheme):
            if known.upper().replace("-", "_") == folded:
                return True, PhiKind.of_scheme(scheme, known)
    return False, None


def map_labels(
    labels: Labels, configured: Mapping[str, PhiKind | None], unmapped: Unmapped, where: str
) -> dict[str, PhiKind]:
    """Return the kind of every type that marks PHI. `configured` has precedence; None in it means that a type is not PHI.

    Raises ResourceError with the types without a kind, or with the names in `configured` that the model does not have.
    """
    types = list(dict.fromkeys(t for t in labels.types if t))
    unknown = [name for name in configured if name not in types]
    if unknown:
        listed = ", ".join(f"{name}{nearest(name, types)}" for name in unknown)
        raise ResourceError(f"{where}: labels: the model has no {listed}; its labels are {', '.join(types)}")
    mapped: dict[str, PhiKind] = {}
    unmapped_types = []
    for name in types:
        known, kind = (True, configured[name]) if name in configured else kind_of_label(name)
        if not known:
            kind = PhiKind.OTHER if unmapped == "other" else None
            unmapped_types.append(name)
        if kind is not None:
            mapped[name] = kind
    if unmapped_types and unmapped == "error":
        kinds = [kind.name for kind in PhiKind]
        listed = ", ".join(f"{name}{_hint(name, kinds)}" for name in unmapped_types)
        raise ResourceError(
            f"{where}: no PHI kind is known for the labels {listed}; write `labels: {{{unmapped_types[0]}: KIND}}` "
            "(null: no PHI), or `unmapped: other` or `ignore`"
        )
    if not labels.outside and all(t in mapped for t in types):
        raise ResourceError(
            f"{where}: no label for `no PHI`: expected `O` among {', '.join(types)}; write null for it in `labels`"
        )
    return mapped


def _hint(label: str, kinds: Sequence[str]) -> str:
    near = nearest(label.upper(), kinds).removeprefix("; ")
    return f" ({near})" if near else ""
