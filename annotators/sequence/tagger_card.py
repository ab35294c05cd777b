"""The model card of a tagger: Markdown made from its description (Mitchell et al. 2019, "Model Cards for Model Reporting")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WARNING = (
    "The attributes of a model are words of the texts it was trained on. A model trained on real narratives may hold names: "
    "treat it like those narratives until you have read its attributes (`caspipe model info NAME --attributes`)."
)


def tagger_card(meta: Mapping[str, Any]) -> str:
    """The card, for people: what the model is for, what it was made from, how often it is right, what it cannot do."""
    training = meta["training"]
    parameters = training["parameters"]
    carried = training["carried"]
    lines = [f"# {meta['name']}", "", meta["title"] or "A part-of-speech tagger.", ""]
    lines += [
        "* Type: tagger, a linear-chain model over token attributes (component `tagger`)",
        f"* Language: {meta['language'] or 'not said'}",
        f"* Licence: {meta['licence'] or 'not said'}",
        f"* Tags: {len(meta['labels'])}; active weights: {meta['active_features']:,}",
        "",
        "## Training",
        "",
        f"{training['documents']:,} documents, {training['tokens']:,} tokens. "
        f"Algorithm {parameters['algorithm']}, at most {parameters['max_iterations']} iterations"
        + (f", mean of {parameters['runs']} trainings." if parameters["runs"] > 1 else "."),
        "",
    ]
    lines += [
        *[f"* {corpus}" for corpus in training["corpora"]],
        "" if training["corpora"] else "Corpora: not said.",
        "",
    ]
    if training["command"]:
        lines += [f"Made by `{training['command']}`.", ""]
    lines += [
        f"Words of the corpus became tokens of ours: {carried['same']:,} are the same, {carried['cut']:,} words were cut, "
        f"{carried['joined']:,} tokens hold several words, in {carried['crossed']:,} places borders cross.",
        "",
        "Features (from, to: tokens around): " + ", ".join(f"`{_shown(f)}`" for f in meta["features"]) + ".",
        "",
        "## Accuracy",
        "",
    ]
    scores = meta.get("scores") or []
    if scores:
        lines += ["| corpus | tokens are | tokens | accuracy |", "|---|---|---|---|"]
        lines += [f"| {s['corpus']} | {s['tokenization']} | {s['tokens']:,} | {s['accuracy']:.4f} |" for s in scores]
        for score in scores:
            if score.get("tags"):
                lines += ["", f"{score['corpus']}, {score['tokenization']}, by tag:", ""]
                lines += ["| tag | tokens | precision | recall | F1 |", "|---|---|---|---|---|"]
                for tag, row in score["tags"].items():
                    figures = " | ".join(_number(row[name]) for name in ("precision", "recall", "f1"))
                    lines.append(f"| `{_cell(tag)}` | {row['support']:,} | {figures} |")
    else:
        lines += ["None recorded. `caspipe train tagger --dev FILE` measures it."]
    lines += [
        "",
        "## Limits",
        "",
        meta["limits"] or "Not said. Expect worse results on other texts than those it was trained on.",
    ]
    return "\n".join([*lines, "", _WARNING, ""])


def _shown(feature: Any) -> str:
    if isinstance(feature, str):
        return feature
    name, given = next(iter(feature.items()))
    return f"{name}({', '.join(f'{k}={v}' for k, v in given.items())})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
