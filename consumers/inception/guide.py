"""What goes with a bundle for the people who review: guidelines from the kinds' own definitions, and how to import it all."""

from __future__ import annotations

from dataclasses import dataclass

from ...typesystem import HIPAA, PhiKind
from ...typesystem.review_layers import CANDIDATE_LAYER, PHI_LAYER, STATUS, Mode
from .settings import KINDS_SET, STATUS_SET, labels

FORMATS = {"xmi": "UIMA CAS XMI (XML 1.0)", "jsoncas": "UIMA CAS JSON 0.4.0"}
"""What INCEpTION calls the formats in its menus."""


def guidelines(scheme: str, mode: Mode) -> str:
    """The guidelines, as Markdown."""
    feature = "`label`" if mode == "phi-layer" else "`value`"
    out = [
        "# What to annotate",
        "",
        "Mark every expression that says who a person is, or helps to find out. One annotation for one expression, as long as "
        "it takes and no longer: no blanks or full stops at its edges, titles (Dr., Mrs.) left out, the whole of a date, an "
        "address or a number in one annotation.",
        "",
        "- An expression that is marked and is no protected information: delete the annotation"
        + (" or set `status` to `rejected`." if mode == "phi-layer" else "."),
        "- An expression that is not marked: mark it.",
        "- Wrong edges: delete the annotation and make a new one, or drag its edges.",
        f"- Wrong kind: correct the feature {feature}.",
        "- The same expression is marked wherever it stands.",
        "- Where two kinds fit, the more specific one is right.",
        "",
    ]
    if mode == "phi-layer":
        out += ["## Status", "", *(f"- `{name}`: {meaning}" for name, meaning in STATUS.items()), ""]
    out += ["## Kinds", ""]
    if scheme:
        out += [f"Labels of the scheme `{scheme}`:", ""]
        out += [f"- `{label}`: {meaning}" for label, meaning in labels(scheme).items()]
        return "\n".join([*out, ""])
    for kind in PhiKind:
        if kind.parent is None:
            out += [f"### {kind.name}", "", _defined(kind), *(_below(kind)), ""]
    return "\n".join(out)


def _below(top: PhiKind) -> list[str]:
    return [_defined(kind) for kind in PhiKind if kind.parent is top]


def _defined(kind: PhiKind) -> str:
    letter = f" (HIPAA Safe Harbor {kind.hipaa}: {HIPAA[kind.hipaa]})" if kind.hipaa in HIPAA else ""
    return f"- `{kind.name}`: {kind.description or kind.name}{letter}"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a bundle holds."""

    mode: Mode
    format: str
    layers: list[str]
    """Layer files, in the order of import."""
    documents: int
    skipped: int


def readme(bundle: Contents) -> str:
    """How to import the bundle, step by step, and how the work comes back; as Markdown."""
    name = FORMATS[bundle.format]
    steps = [
        "Unpack this archive on a disk that is allowed to hold the documents: most of it is original text.",
        "*Create new project* (not *Import project*), then open its *Settings*.",
    ]
    if bundle.layers:
        files = ", then ".join(f"`layers/{layer}`" for layer in bundle.layers)
        steps.append(
            f"*Layers* → *Import*: {files}. The layers come with their tag sets. (`TypeSystem.xml` makes the same layers without "
            "tag sets: one of the two ways is enough.)"
        )
    if bundle.mode == "named-entity":
        steps.append("Nothing has to be set up for the layer *Named entity*: it is built in.")
        steps.append(
            "If reviewers should choose the kinds from a list: *Tagsets* → *Import*: `tagsets/kinds.json` (format JSON), then "
            f"*Layers* → *Named entity* → feature *value* → *Tagset*: `{KINDS_SET}` → *Save*."
        )
    steps += [
        "*Guidelines* → *Choose files*: `guidelines.pdf` → *Import guidelines*.",
        f"*Documents* → *Files to import*: all files in `documents/`, *Format*: **{name}** → *Import*. At most 500 at a time; "
        "only the files themselves, never this archive or `TypeSystem.xml`.",
        "*Users*: add the reviewers. *Workload* says how documents are given to them.",
    ]
    layer = PHI_LAYER if bundle.mode == "phi-layer" else "Named entity"
    out = [
        "# Documents for review in INCEpTION",
        "",
        f"{bundle.documents} documents for the layer `{layer}`"
        + (f"; {bundle.skipped} could not be reviewed, `documents.json` says why." if bundle.skipped else "."),
        "",
        "| file | what it is |",
        "|---|---|",
        f"| `documents/` | one file for each document, format {name} |",
        *(f"| `layers/{f}` | a layer with its tag sets |" for f in bundle.layers),
        "| `TypeSystem.xml` | the types of the documents, for UIMA tools |",
        f"| `tagsets/` | tag sets `{KINDS_SET}`"
        + (f", `{STATUS_SET}`" if bundle.mode == "phi-layer" else "")
        + ", also for other layers |",
        "| `guidelines.pdf`, `guidelines.md` | what to annotate (INCEpTION takes the PDF only) |",
        "| `documents.json` | which document is which, and what was changed in it; keep it for the way back |",
        "",
        "## Import",
        "",
        *(f"{n}. {step}" for n, step in enumerate(steps, 1)),
        "",
        "## The way back",
        "",
        "*Settings* → *Export* → *Export whole project* with *Secondary Format* "
        f"**{name}** (or *Export curated documents*). Keep the zip as it is and read it with",
        "",
        "```yaml",
        "reader:",
        "  inception: {files: export.zip, bundle: inception.zip}",
        "```",
        "",
        "`bundle` is this archive: document ids and the exact texts come back from it. A curated version counts before those "
        "of single reviewers.",
        "",
        "## What was changed for INCEpTION",
        "",
        "Sentences are joined where an annotation crosses their border, blanks at the edges of annotations and tokens are left "
        "out, characters that XML cannot carry are replaced one for one"
        + (", tokens are cut where an annotation begins or ends inside them" if bundle.mode == "named-entity" else "")
        + ". No offset changes. `documents.json` counts it for each document.",
        "",
    ]
    if any(f.startswith(CANDIDATE_LAYER.rpartition(".")[2]) for f in bundle.layers):
        out += [
            "The layer *Candidate* shows what single finders proposed, and why it won or lost. It is not read back.",
            "",
        ]
    return "\n".join(out)
