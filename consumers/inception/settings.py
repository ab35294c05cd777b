"""The files of a review project beside its documents: tag sets and layers as JSON, for the import in INCEpTION's settings, and
guidelines from the definitions of the kinds and a README for people.

Source: INCEpTION (2026-08-19), `ExportedTagSet.java`, `ExportedTag.java`, `ExportedAnnotationLayer.java`,
`ExportedAnnotationFeature.java`, `LayerImportExportUtils.java` (a layer file is a list of layers).
"""

from __future__ import annotations

import itertools
import json
from importlib.resources import files
from typing import Any

from ...typesystem import HIPAA, PhiKind
from ...typesystem.review_layers import CANDIDATE_LAYER, FEATURES, PHI_LAYER, STATUS, Mode
from ..pages.rendering import render_text

KINDS_SET = "caspipe PHI kinds"
STATUS_SET = "caspipe review status"

FORMATS = {"xmi": "UIMA CAS XMI (XML 1.0)", "jsoncas": "UIMA CAS JSON 0.4.0"}
"""Names of the formats in INCEpTION's menus."""
_TITLES = {
    PHI_LAYER: ("PHI", "Protected health information. Correct, remove or add annotations here."),
    CANDIDATE_LAYER: ("Candidate", "Proposals of single sources: for information, not to be corrected."),
}


def labels(scheme: str) -> dict[str, str]:
    """Return each label with its meaning: names of kinds, or the labels of a scheme with the kinds that they mean."""
    if not scheme:
        return {kind.name: _meaning(kind) for kind in PhiKind}
    meanings: dict[str, list[str]] = {label: [] for label in PhiKind.labels(scheme)}
    for kind in PhiKind:
        meanings.setdefault(kind.in_scheme(scheme), []).append(_meaning(kind))
    return {label: "; ".join(dict.fromkeys(meanings[label])) or label for label in PhiKind.labels(scheme)}


def _meaning(kind: PhiKind) -> str:
    return kind.description or kind.name.lower().replace("_", " ")


def kinds_set(scheme: str) -> dict[str, Any]:
    """Return the tag set of the labels."""
    about = f"Labels of the scheme {scheme}." if scheme else "Kinds of protected health information."
    return _tag_set(KINDS_SET, about, labels(scheme))


def status_set() -> dict[str, Any]:
    """Return the tag set of the review status of a span."""
    return _tag_set(STATUS_SET, "Decision of the reviewer about a span.", STATUS)


def _tag_set(name: str, about: str, tags: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "description": about,
        "language": "en",
        "tags": [{"tag_name": tag, "tag_description": meaning} for tag, meaning in tags.items()],
        "create_tag": False,
    }


def layer(name: str, scheme: str, *, overlaps: bool) -> list[dict[str, Any]]:
    """Return the layer file of one of our layers. `overlaps`: whether annotations may share characters."""
    defaults = json.loads((files(__package__) / "templates/layer.json").read_text(encoding="utf-8"))
    title, about = _TITLES[name]
    final = name == PHI_LAYER
    features = []
    for rank, f in enumerate(FEATURES[name]):
        is_label = f.name == "label"
        tag_set = kinds_set(scheme) if is_label else status_set() if f.name == "status" else None
        own = {"name": f.name, "uiName": f.name, "type": f.range, "description": f.description, "rank": rank}
        own |= {"tag_set": tag_set, "visible": is_label, "include_in_hover": not is_label, "curatable": is_label}
        own |= {"required": final and is_label, "remember": final and is_label}
        features.append(defaults["feature"] | own)
    mode = "ANY_OVERLAP" if overlaps or not final else "NO_OVERLAP"
    own = {"name": name, "features": features, "uiName": title, "description": about, "readonly": not final}
    own |= {"allow_stacking": mode == "ANY_OVERLAP", "overlap_mode": mode}
    own |= {"validation_mode": "ALWAYS" if final else "NEVER"}
    return [defaults["layer"] | own]


def as_json(value: Any) -> bytes:
    """Return formatted JSON, the same bytes each time."""
    return json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"


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


def readme(mode: Mode, format: str, layers: list[str], documents: int, skipped: int) -> str:
    """Return how to import the project and how to read the results, as Markdown. `layers`: their files, in the order of import;
    `skipped`: documents left out."""
    return render_text(
        "README.md.j2",
        __package__,
        next_number=itertools.count(1).__next__,
        mode=mode,
        format=FORMATS[format],
        layer=PHI_LAYER if mode == "phi-layer" else "Named entity",
        layers=layers,
        documents=documents,
        skipped=skipped,
        candidates=f"{CANDIDATE_LAYER.rpartition('.')[2]}.json" in layers,
        kinds_set=KINDS_SET,
        status_set=STATUS_SET,
    )
