"""What becomes of one token: masked or not, and by which rule. The adaptive threshold itself, without any CAS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["hybrid", "rules", "deep"]

SAFE, UNSAFE, NEVER_SAFE, UNKNOWN = "safe", "unsafe", "never_safe", "unknown"
VERDICTS = (SAFE, UNKNOWN, UNSAFE, NEVER_SAFE)
"""From the mildest to the strictest."""
_SAID = {SAFE: "lists say safe", UNKNOWN: "in no list", UNSAFE: "lists say unsafe"}
_NEVER = "never safe"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a token may be read: its probability of being safe must be above what the verdict on it asks for.

    `low` where the rules say safe, `unknown` where they know nothing, `high` where they say PHI; never where they say never
    (§4.3.5). All 0 to 1.
    """

    mode: Mode
    low: float
    unknown: float
    high: float

    def masked(self, verdict: str | None, score: float | None) -> str:
        """The rule by which a token is masked; empty where it may be read.

        `verdict`: what lists say, None where nothing; `score`: the probability that the token is PHI, None where no network spoke
        of it. What a decision needs and is not there masks the token.
        """
        if self.mode == "rules":
            if verdict is None:
                return "no verdict"
            return "" if verdict == SAFE else _SAID.get(verdict, _NEVER)
        if self.mode == "hybrid":
            if verdict is None:
                return "no verdict"
            if verdict not in _SAID:
                return _NEVER
        if score is None:
            return "no score"
        asked = self._asked(verdict)
        if 1.0 - score > asked:  # also False for a score that is no number
            return ""
        if self.mode == "deep":
            return f"p(safe) not above {asked:g}"
        return f"{_SAID[verdict or UNKNOWN]}, p(safe) not above {asked:g}"

    def _asked(self, verdict: str | None) -> float:
        if self.mode == "deep" or verdict == UNSAFE:
            return self.high
        return self.low if verdict == SAFE else self.unknown


def verdict_of(rule: str) -> str | None:
    """The verdict of the lists that a rule of `Thresholds.masked` speaks of; None where there was none, or the network alone
    decided."""
    if rule == _NEVER:
        return NEVER_SAFE
    return next((verdict for verdict, said in _SAID.items() if rule.startswith(said)), None)
