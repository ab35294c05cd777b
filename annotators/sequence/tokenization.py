"""The tokens of a model: those of the segmenter, or those that documents brought with them. Training and use must agree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from operator import eq
from typing import Any, Literal

from ...pipeline.errors import CasError
from ...typesystem import Cas, CaspipeWarning, FeatureStructure, Token, View
from ...typesystem.tokenize import token_spans

Tokenization = Literal["segmenter", "given"]
CHECKED = 10
"""Number of documents whose tokens an annotator compares with those of the training."""


def differing_tokens(view: View) -> int:
    """Return the number of tokens of a view that the segmenter does not make."""
    begins, ends = view.spans(Token)
    made_begins, made_ends = token_spans(view.text)
    same = len(begins) == len(made_begins) and all(map(eq, begins, made_begins)) and all(map(eq, ends, made_ends))
    if same:
        return 0
    made = set(zip(made_begins, made_ends, strict=True))
    return sum(span not in made for span in zip(begins, ends, strict=True))


class TrainingTokens:
    """Gives a trainer the tokens to learn from, and describes them for the model."""

    def __init__(self, choice: Tokenization, needs: tuple[type[FeatureStructure] | str, ...]) -> None:
        self._choice = choice
        self._needed = [need for need in needs if isinstance(need, str) and need.startswith("Token:")]
        self._tokens = self._differing = self._replaced = 0

    def of(self, cas: Cas) -> View:
        """Return the initial view with the tokens to learn from: of a copy, if its own must be replaced by the segmenter's.

        Raises CasError if features need properties of the tokens that would be replaced.
        """
        view = cas.view()
        differing = differing_tokens(view)
        if differing and self._choice == "segmenter":
            if self._needed:
                raise CasError(
                    f"{differing} tokens are not those of the segmenter, and features need {', '.join(self._needed)} of them: "
                    "expected a reader without tokens, or `tokenization: given`"
                )
            view, differing = _with_segmenter_tokens(cas), 0
            self._replaced += 1
        self._tokens += view.count(Token)
        self._differing += differing
        return view

    def description(self) -> dict[str, Any]:
        """Return the entry `training.tokenization` of model.json."""
        if self._choice == "given" and self._differing:
            return {"by": "given", "differing": round(self._differing / self._tokens, 4)}
        return {"by": "segmenter", "replaced": self._replaced} if self._replaced else {"by": "segmenter"}


class TokenCheck:
    """Compares the tokens of the first documents with those that a model was trained on, and warns once if they differ."""

    def __init__(self, meta: Mapping[str, Any], place: str) -> None:
        self._by = meta["training"].get("tokenization", {}).get("by", "segmenter")
        self._place = place
        self._left = CHECKED

    def check(self, view: View) -> None:
        if self._left <= 0:
            return
        self._left -= 1
        differing, count = differing_tokens(view), view.count(Token)
        if self._by == "segmenter" and differing:
            found = f"{differing} of {count} tokens in view {view.name} are not"
            self._warn(
                f"model {self._place} was trained on tokens of the segmenter, but {found}: read text without tokens"
            )
        elif self._by == "given" and not differing and self._left == 0:
            self._warn(
                f"model {self._place} was trained on other tokens than those of the segmenter, but {CHECKED} documents have "
                "these: train it with `tokenization: segmenter`, or read documents with such tokens"
            )
        elif self._by == "given" and differing:
            self._left = 0

    def _warn(self, message: str) -> None:
        self._left = 0
        warnings.warn(message, CaspipeWarning, stacklevel=4)


def _with_segmenter_tokens(cas: Cas) -> View:
    """Return the initial view of a copy with the tokens of the segmenter. Sentences and other annotations stay."""
    view = cas.copy().view()
    for source in sorted({token.source for token in view.select(Token)}):
        view.remove_from_source([Token], source)
    view.add_spans(Token, *token_spans(view.text), "segmenter")
    return view
