"""The model card of a stacked vote (Mitchell et al. 2019, "Model Cards for Model Reporting")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..sequence.card import format_feature

_WITHOUT_WORDS = "Its attributes consist of voters, kinds and lengths. It contains no text of its training documents."
_WITH_WORDS = (
    "Some of its attributes are words of its training documents: if those are real narratives, protect it like them until "
    "its attributes have been reviewed (`caspipe model info NAME --attributes 50`)."
)


def stacking_card(meta: Mapping[str, Any]) -> str:
    """Return the card in Markdown, with voters, training data, results and limits."""
    training, facts = meta["training"], meta["training"]["stacking"]
    voters = ", ".join(f"`{voter}`" for voter in meta["voters"])
    lines = [f"# {meta['name']}", "", meta["title"] or f"Chooses among the spans that {voters} propose.", ""]
    lines += [
        f"* Type: {meta['type']}, a logistic regression over votes; for `resolver: {{strategy: {{stacking: ...}}}}`"
    ]
    lines += [f"* Voters: {voters}", f"* Threshold: {meta['threshold']:g}"]
    lines += [f"* C of the logistic regression: {facts['C']:g}"]
    lines += [f"* Language: {meta['language'] or 'not given'}", f"* Licence: {meta['licence'] or 'not given'}"]
    lines += [f"* Active weights: {meta['active_features']:,}", "", "## Training", ""]
    lines += [f"{training['documents']:,} documents, {facts['proposals']:,} proposed spans.", ""]
    lines += [f"* {corpus}" for corpus in training["corpora"]] or ["Corpora: not given."]
    lines += ["", "| strict F1 on these documents | |", "|---|---|"]
    lines += [f"| {voter} alone | {_number(value)} |" for voter, value in facts["alone_f1"].items()]
    lines += [f"| the vote, each document left out of its training | {_number(facts['left_out_f1'])} |"]
    lines += [f"| share of the reference that some proposal matches | {_number(facts['found_by_any'])} |", ""]
    lines += ["| kind | spans |", "|---|---|", *[f"| {kind} | {n:,} |" for kind, n in training["spans"].items()], ""]
    if meta["features"]:
        features = ", ".join(f"`{format_feature(f)}`" for f in meta["features"])
        lines += [f"Features, from {meta['window'][0]} to {meta['window'][1]} tokens around: {features}.", ""]
    lines += [
        "## Limits",
        "",
        meta["limits"] or "Not given. The model is valid only for these voters with their training.",
        "",
    ]
    return "\n".join([*lines, _WITH_WORDS if meta["features"] else _WITHOUT_WORDS, ""])


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
