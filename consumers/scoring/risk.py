"""The risk that documents still identify people: what leaked in a scored corpus, and what to expect in another one.

After Scaiano et al. 2016, "A unified framework for evaluating the risk of re-identification of text de-identification tools", J
Biomed Inform 63:174: recall over all spans is the wrong measure. A direct identifier (a name, a number) identifies a person by
itself, so a document is at risk if one leaks; indirect ones (a date, a town, a profession) do so together, so several are
needed. Every leak counts as a re-identification: whether anybody would try and succeed is not estimated. Carrell et al. 2013, J
Am Med Inform Assoc 20:342: if spans are replaced by realistic surrogates, most leaks are taken for surrogates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...pipeline.errors import ConsumerError
from ...typesystem import PhiKind
from .bootstrap import percentiles, weights
from .risk_expected import LeakModel
from .risk_intervals import around, design_effect, exact, jeffreys
from .risk_profile import Identifiers, Profile, is_direct
from .risk_result import CLASSES, SCORED, By, KindLeaks, Leaks, Risk, RiskSettings, Share, Unit


def risk_of(
    profiles: Sequence[Profile],
    others: Mapping[str, Sequence[Profile]] | None = None,
    settings: RiskSettings | None = None,
    unit: Unit = "document",
) -> Risk:
    """Return the risk in scored documents, and in others, by name, of which only the spans that a system found are known.

    `profiles` come from `profile_of`, those of `others` from `found_profile`; `by_patient` combines both into patients. Raises
    ConsumerError if there are none.
    """
    chosen = settings or RiskSettings()
    for name, listed in {SCORED: profiles, **(others or {})}.items():
        if not listed:
            raise ConsumerError(f"risk: {name}: no documents")
    clustering = design_effect(profiles)
    kinds = _kinds(profiles, chosen, clustering)
    model = LeakModel(kinds, profiles, chosen, clustering)
    expected = [model.expect(SCORED, profiles, counted=True)]
    expected += [model.expect(name, listed, counted=False) for name, listed in (others or {}).items()]
    held = {k.kind.partition("_")[0] for k in kinds if k.direct}
    absent = [k.name for k in PhiKind if k.parent is None and k.direct and k.name not in held]
    observed = {by: _observed(profiles, by, chosen) for by in CLASSES}
    return Risk(chosen, unit, len(profiles), kinds, clustering, observed, expected, absent)


def _kinds(profiles: Sequence[Profile], settings: RiskSettings, clustering: float) -> list[KindLeaks]:
    sums: dict[str, Identifiers] = {}
    documents: dict[str, int] = {}
    for profile in profiles:
        for kind, found in profile.kinds.items():
            sums[kind] = sums.get(kind, Identifiers()).plus(found)
            documents[kind] = documents.get(kind, 0) + (found.values > 0)
    result = []
    for kind in sorted(sums, key=lambda k: (not is_direct(k), k)):
        n, leaked, unseen = sums[kind]
        if n:
            low, high = exact((n - leaked) / clustering, n / clustering, settings.level) or (None, None)
            recall = Share((n - leaked) / n, low, high)
            leak = jeffreys(leaked, n)
            result.append(KindLeaks(kind, is_direct(kind), documents[kind], n, leaked, unseen, recall, leak))
    return result


def _observed(profiles: Sequence[Profile], by: By, settings: RiskSettings) -> Leaks:
    needed = {True: 1, False: settings.at_least}
    sides = {"direct": (True,), "indirect": (False,), "either": (True, False)}[by]
    holding = sum(any(p.holds(direct=side) for side in sides) for p in profiles)
    if not all(any(p.holds(direct=side) for p in profiles) for side in sides):
        return Leaks(holding, 0, Share())  # none could leak: the risk is unknown, not 0
    leaking = sum(any(p.leaked(direct=side) >= needed[side] for side in sides) for p in profiles)
    if not leaking or not settings.hidden:
        low, high = exact(leaking, len(profiles), settings.level) or (None, None)
        return Leaks(holding, leaking, Share(leaking / len(profiles), low, high))
    risks = np.array([_recognized(p, sides, needed, settings) for p in profiles])
    drawn = np.concatenate([w @ risks / len(risks) for w in weights(len(risks), settings.draws, settings.seed)])
    value = float(risks.mean())
    return Leaks(holding, leaking, Share(value, *around(value, percentiles(drawn, settings.level))))


def _recognized(profile: Profile, sides: Sequence[bool], needed: Mapping[bool, int], settings: RiskSettings) -> float:
    """Return the probability that enough of the leaks of a document are recognized among surrogates."""
    safe = 1.0
    for side in sides:
        few = [1.0, *[0.0] * (needed[side] - 1)]  # probability of 0, 1, ... recognized leaks, up to one too few
        for kind, found in profile.kinds.items():
            if is_direct(kind) is side:
                recognized = settings.noticed(kind)
                for _ in range(found.leaked):
                    few = [f * (1 - recognized) + (few[n - 1] * recognized if n else 0.0) for n, f in enumerate(few)]
        safe *= sum(few)
    return 1 - safe
