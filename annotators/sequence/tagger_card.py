"""The model card of a tagger: Markdown made from its description (Mitchell et al. 2019, "Model Cards for Model Reporting")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .card import WARNING, number_of, shown


def tagger_card(meta: Mapping[str, Any]) -> str:
    """Return the card: the purpose of the model, its training data, its accuracy and its limits."""
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
        "Features (from, to: tokens around): " + ", ".join(f"`{shown(f)}`" for f in meta["features"]) + ".",
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
                    numbers = " | ".join(number_of(row[name]) for name in ("precision", "recall", "f1"))
                    lines.append(f"| `{_cell(tag)}` | {row['support']:,} | {numbers} |")
    else:
        lines += ["None recorded. `caspipe train tagger --dev FILE` measures it."]
    lines += [
        "",
        "## Limits",
        "",
        meta["limits"] or "Not said. Expect worse results on other texts than those it was trained on.",
    ]
    return "\n".join([*lines, "", WARNING, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
