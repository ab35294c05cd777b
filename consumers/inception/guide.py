"""The files of a review project that people read: guidelines from the definitions of the kinds, and a README."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from ...typesystem import HIPAA, PhiKind
from ...typesystem.review_layers import CANDIDATE_LAYER, PHI_LAYER, STATUS, Mode
from ..pages.rendering import render_text
from .settings import KINDS_SET, STATUS_SET, labels

FORMATS = {"xmi": "UIMA CAS XMI (XML 1.0)", "jsoncas": "UIMA CAS JSON 0.4.0"}
"""Names of the formats in INCEpTION's menus."""


@dataclass(frozen=True, slots=True)
class ProjectContents:
    """Contents of a review project."""

    mode: Mode
    format: str
    layers: list[str]
    """Layer files, in the order of import."""
    documents: int
    skipped: int


def guidelines(scheme: str, mode: Mode) -> str:
    """Return the annotation guidelines as Markdown."""
    return render_text(
        "guidelines.md.j2",
        __package__,
        scheme=scheme,
        mode=mode,
        status=STATUS,
        labels=labels(scheme),
        kinds=list(PhiKind),
        hipaa=HIPAA,
    )


def readme(contents: ProjectContents) -> str:
    """Return how to import the project and how to read the results, as Markdown."""
    candidate_file = f"{CANDIDATE_LAYER.rpartition('.')[2]}.json"
    return render_text(
        "README.md.j2",
        __package__,
        next_number=itertools.count(1).__next__,
        mode=contents.mode,
        format=FORMATS[contents.format],
        layer=PHI_LAYER if contents.mode == "phi-layer" else "Named entity",
        layers=contents.layers,
        documents=contents.documents,
        skipped=contents.skipped,
        candidates=candidate_file in contents.layers,
        kinds_set=KINDS_SET,
        status_set=STATUS_SET,
    )
