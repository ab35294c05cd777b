"""The decision whether to mask a token, and the rule for it. Independent of the CAS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["hybrid", "rules", "deep"]

SAFE, UNSAFE, NEVER_SAFE, UNKNOWN = "safe", "unsafe", "never_safe", "unknown"
VERDICTS = (SAFE, UNKNOWN, UNSAFE, NEVER_SAFE)
"""In order of strictness."""
_RULES = {SAFE: "lists say safe", UNKNOWN: "in no list", UNSAFE: "lists say unsafe"}
_NEVER = "never safe"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Probabilities of being safe (0 to 1) above which a token stays readable, by verdict of the rules (§4.3.5).

    `low` for safe, `unknown` for unknown, `high` for unsafe; a token that is never safe is always masked.
    """

    mode: Mode
    low: float
    unknown: float
    high: float

    def masked(self, verdict: str | None, score: float | None) -> str:
        """Return the rule by which a token is masked, or an empty string if it stays readable.

        `verdict`: the verdict of the lists, if any; `score`: the network's probability of PHI, if any. A token is masked if
        a required one is missing.
        """
        if self.mode == "rules":
            if verdict is None:
                return "no verdict"
            return "" if verdict == SAFE else _RULES.get(verdict, _NEVER)
        if self.mode == "hybrid":
            if verdict is None:
                return "no verdict"
            if verdict not in _RULES:
                return _NEVER
        if score is None:
            return "no score"
        threshold = self._threshold(verdict)
        if 1.0 - score > threshold:  # also False if the score is NaN
            return ""
        if self.mode == "deep":
            return f"p(safe) not above {threshold:g}"
        return f"{_RULES[verdict or UNKNOWN]}, p(safe) not above {threshold:g}"

    def _threshold(self, verdict: str | None) -> float:
        if self.mode == "deep" or verdict == UNSAFE:
            return self.high
        return self.low if verdict == SAFE else self.unknown


def verdict_of(rule: str) -> str | None:
    """Return the verdict of the lists in a rule of `Thresholds.masked`, or None if it contains none."""
    if rule == _NEVER:
        return NEVER_SAFE
    return next((verdict for verdict, text in _RULES.items() if rule.startswith(text)), None)
