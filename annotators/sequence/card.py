"""Model cards: Markdown made from the description of a model (Mitchell et al. 2019, "Model Cards for Model Reporting")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WARNING = (
    "The attributes of a model are words of its training texts. A model trained on real narratives may contain names: "
    "treat it like those narratives until its attributes have been reviewed (`caspipe model info NAME --attributes 50`)."
)


def model_card(meta: Mapping[str, Any]) -> str:
    """Return the card: the purpose of the model, its training data, its scores and its limits."""
    training = meta["training"]
    lines = [f"# {meta['name']}", "", meta["title"] or _about(meta), ""]
    lines += [
        f"* Type: {meta['type']}, labels in {meta['encoding'].upper()}",
        f"* Language: {meta['language'] or 'not given'}",
    ]
    if "network" in meta:
        parts = [meta["network"][p] for p in ("tokens", "characters", "attributes", "encoder", "decoder")]
        lines += [f"* Network: {', '.join(f'`{format_feature(p)}`' for p in parts if p)}"]
    lines += [f"* Licence: {meta['licence'] or 'not given'}", f"* Active weights: {meta['active_features']:,}"]
    if "crfsuite" in meta:
        options = ", ".join(f"{name} = {value}" for name, value in meta["crfsuite"]["options"].items())
        lines += [f"* Trained by CRFsuite: algorithm {training['parameters']['algorithm']}, {options}"]
    if meta.get("quantize") == "int8":
        lines += ["* Weights are stored as 8-bit integers with a scale for each row"]
    lines += [
        "",
        "## Training",
        "",
        f"{training['documents']:,} documents, {training['tokens']:,} tokens.",
        *_tokens(training),
        "",
    ]
    lines += _corpora(training)
    lines += ["| kind | spans |", "|---|---|", *[f"| {k} | {n:,} |" for k, n in training["spans"].items()], ""]
    features = ", ".join(f"`{format_feature(f)}`" for f in meta["features"]) or "none"
    lines += [f"Features, from {meta['window'][0]} to {meta['window'][1]} tokens around: {features}.", ""]
    scores = meta.get("scores") or []
    lines += ["## Scores", ""]
    if scores:
        lines += ["| corpus | criterion | kind | precision | recall | F1 |", f"|{'---|' * 6}"]
        for row in scores:
            numbers = [format_score(row[name]) for name in ("precision", "recall", "f1")]
            lines.append(f"| {' | '.join([row['corpus'], row['criterion'], row['kind'], *numbers])} |")
    else:
        lines += ["None recorded. `caspipe evaluate` measures them."]
    return "\n".join([*lines, *_epochs(meta), *_reliability(meta), *_ending(meta)])


def _epochs(meta: Mapping[str, Any]) -> list[str]:
    """Return the section on the epochs of the training of a network, with their scores on held-out documents."""
    rows = [row for row in meta.get("history", []) if "true_negative_rate" in row]
    if not rows:
        return []
    phi, others = (
        rows[0][right] + rows[0][wrong]
        for right, wrong in (("true_positives", "false_negatives"), ("true_negatives", "false_positives"))
    )
    lines = ["", "## Epochs", ""]
    lines += [
        f"Epoch {meta['epoch']} was kept. Scores on held-out documents with {phi:,} PHI tokens and {others:,} others; loss: mean "
        "over the tokens of the training.",
        "",
        "| epoch | loss | F1 of spans | accuracy of tokens | true positive rate | true negative rate |",
        f"|{'---|' * 6}",
    ]
    for row in rows:
        names = ("loss", "f1", "token_accuracy", "token_recall", "true_negative_rate")
        lines.append(f"| {' | '.join([str(row['epoch']), *(format_score(row[name]) for name in names)])} |")
    return lines


def _reliability(meta: Mapping[str, Any]) -> list[str]:
    """Return the section on the confidences: how far they are from the share of right spans."""
    found = meta.get("confidence")
    if not found:
        return []
    before, after = found["before"], found["after"]
    lines = ["", "## Confidence", ""]
    lines += [
        f"Calibrated on {after['spans']:,} spans in {found['documents']:,} documents that the model was not trained on. A span "
        f"is right if a gold span of its first-level kind {'has its bounds' if found['right'] == 'exact' else 'overlaps it'}.",
        "",
        "| | expected calibration error | Brier score |",
        "|---|---|---|",
        f"| before | {format_score(before['ece'])} | {format_score(before['brier'])} |",
        f"| after, by cross-validation | {format_score(after['ece'])} | {format_score(after['brier'])} |",
        "",
        "| spans | mean confidence | right |",
        "|---|---|---|",
    ]
    return [*lines, *(f"| {b['spans']:,} | {b['confidence']:.3f} | {b['right']:.3f} |" for b in after["bins"])]


def _about(meta: Mapping[str, Any]) -> str:
    return "A neural network over tokens." if "network" in meta else f"A {meta['type'].upper()} over token attributes."


def format_feature(feature: Any) -> str:
    """Return a feature of a description, for reading."""
    if isinstance(feature, str):
        return feature
    name, given = next(iter(feature.items()))
    return f"{name}({', '.join(f'{k}={v}' for k, v in given.items())})"


def format_score(value: float | None) -> str:
    """Return a score with three decimals."""
    return "undefined" if value is None else f"{value:.3f}"


def tagger_card(meta: Mapping[str, Any]) -> str:
    """Return the card: the purpose of the model, its training data, its accuracy and its limits."""
    training = meta["training"]
    parameters = training["parameters"]
    carried = training["carried"]
    lines = [f"# {meta['name']}", "", meta["title"] or "A part-of-speech tagger.", ""]
    lines += [
        "* Type: tagger, a linear-chain model over token attributes (component `tagger`)",
        f"* Language: {meta['language'] or 'not given'}",
        f"* Licence: {meta['licence'] or 'not given'}",
        f"* Tags: {len(meta['labels'])}; active weights: {meta['active_features']:,}",
        "",
        "## Training",
        "",
        f"{training['documents']:,} documents, {training['tokens']:,} tokens. "
        f"Algorithm {parameters['algorithm']}, at most {parameters['max_iterations']} iterations"
        + (f", mean of {parameters['runs']} trainings." if parameters["runs"] > 1 else "."),
        *_tokens(training),
        "",
    ]
    lines += _corpora(training)
    if training["command"]:
        lines += [f"Made by `{training['command']}`.", ""]
    lines += [
        f"Words of the corpus became tokens of ours: {carried['same']:,} are the same, {carried['cut']:,} words were cut, "
        f"{carried['joined']:,} tokens hold several words, in {carried['crossed']:,} places borders cross.",
        "",
        "Features (from, to: tokens around): " + ", ".join(f"`{format_feature(f)}`" for f in meta["features"]) + ".",
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
                    numbers = " | ".join(format_score(row[name]) for name in ("precision", "recall", "f1"))
                    lines.append(f"| `{_cell(tag)}` | {row['support']:,} | {numbers} |")
    else:
        lines += ["None recorded. `caspipe train tagger --dev FILE` measures it."]
    return "\n".join([*lines, *_ending(meta)])


def _tokens(training: Mapping[str, Any]) -> list[str]:
    """Return the line on the tokens of the training, which are needed wherever the model is applied."""
    tokenization = training.get("tokenization", {})
    if tokenization.get("by") == "given":
        share = tokenization["differing"]
        return [
            f"Its tokens were given with the documents; {share:.1%} are not those of the segmenter. It needs such tokens."
        ]
    if tokenization.get("replaced"):
        return [f"Tokens of the segmenter; it replaced those that came with {tokenization['replaced']:,} documents."]
    return ["Tokens of the segmenter."] if tokenization else []


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _corpora(training: Mapping[str, Any]) -> list[str]:
    return [
        *(f"* {corpus}" for corpus in training["corpora"]),
        "" if training["corpora"] else "Corpora: not given.",
        "",
    ]


def _ending(meta: Mapping[str, Any]) -> list[str]:
    limits = meta["limits"] or "Not given. Expect worse results on other texts than those it was trained on."
    return ["", "## Limits", "", limits, "", WARNING, ""]
