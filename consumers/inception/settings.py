"""Tag sets and layers as JSON, for the import in INCEpTION's settings.

Source: INCEpTION (2026-08-19), `ExportedTagSet.java`, `ExportedTag.java`, `ExportedAnnotationLayer.java`,
`ExportedAnnotationFeature.java`, `LayerImportExportUtils.java` (a layer file is a list of layers).
"""

from __future__ import annotations

import json
from typing import Any

from ...typesystem import PhiKind
from ...typesystem.review_layers import CANDIDATE_LAYER, FEATURES, PHI_LAYER, STATUS

KINDS_SET = "caspipe PHI kinds"
STATUS_SET = "caspipe review status"

_TITLES = {
    PHI_LAYER: ("PHI", "Protected health information. Correct, remove or add annotations here."),
    CANDIDATE_LAYER: ("Candidate", "Proposals of single sources: for information, not to be corrected."),
}


def labels(scheme: str) -> dict[str, str]:
    """Return each label with its meaning: names of kinds, or the labels of a scheme with the kinds that they stand for."""
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
    title, about = _TITLES[name]
    final = name == PHI_LAYER
    features = []
    for rank, f in enumerate(FEATURES[name]):
        tag_set = kinds_set(scheme) if f.name == "label" else status_set() if f.name == "status" else None
        features.append(
            {
                "name": f.name,
                "tag_set": tag_set,
                "uiName": f.name,
                "type": f.range,
                "enabled": True,
                "visible": f.name == "label",
                "include_in_hover": f.name != "label",
                "required": final and f.name == "label",
                "remember": final and f.name == "label",
                "hideUnconstraintFeature": False,
                "description": f.description,
                "multi_value_mode": "NONE",
                "link_mode": "NONE",
                "link_type_name": None,
                "link_type_role_feature_name": None,
                "link_type_target_feature_name": None,
                "traits": None,
                "curatable": f.name == "label",
                "rank": rank,
            }
        )
    mode = "ANY_OVERLAP" if overlaps or not final else "NO_OVERLAP"
    return [
        {
            "name": name,
            "features": features,
            "uiName": title,
            "type": "span",
            "description": about,
            "enabled": True,
            "built_in": False,
            "readonly": not final,
            "attach_type": None,
            "attach_feature": None,
            "allow_stacking": mode == "ANY_OVERLAP",
            "cross_sentence": True,
            "show_hover": True,
            "anchoring_mode": "CHARACTERS",
            "overlap_mode": mode,
            "validation_mode": "ALWAYS" if final else "NEVER",
            "lock_to_token_offset": False,
            "multiple_tokens": True,
            "linked_list_behavior": False,
            "on_click_javascript_action": None,
            "traits": None,
        }
    ]


def as_json(value: Any) -> bytes:
    """Return formatted JSON, the same bytes each time."""
    return json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"
