"""The risk that documents still identify people: what leaked in a scored corpus, and what to expect in another one.

After Scaiano et al. 2016, "A unified framework for evaluating the risk of re-identification of text de-identification tools", J
Biomed Inform 63:174: recall over all spans is the wrong measure. A direct identifier (a name, a number) identifies a person by
itself, so a document is at risk if one leaks; indirect ones (a date, a town, a profession) do so together, so several are
needed. Every leak counts as a re-identification: whether anybody would try and succeed is not estimated. Carrell et al. 2013, J
Am Med Inform Assoc 20:342: if spans are replaced by realistic surrogates, most leaks are taken for surrogates.

What to expect of a corpus are the leak probabilities of the scored documents, applied to the identifiers of the corpus. Intervals
come from draws: each draws every kind's leak probability from its Jeffreys posterior, whose counts are divided by the design
effect, and documents with replacement. So few identifiers, clustered leaks and few documents all widen them. The spans that a
system found do not show how often a kind occurs that it hardly ever finds: a kind of which it finds less than half of the
reference's identifiers is assumed to be as frequent in the other corpus as in the scored documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...pipeline.errors import ConsumerError
from ...typesystem import PhiKind
from .bootstrap import around, exact, jeffreys, percentiles, weights
from .counts import Array
from .risk_model import AssumedCounts, FoundCounts, LeakProbabilities, ReferenceCounts, at_least
from .risk_profile import Identifiers, Profile, design_effect, is_direct
from .risk_result import CLASSES, SCORED, By, Expected, KindLeaks, Leaks, Risk, RiskSettings, Share, Unit


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
    needed, sides = {True: 1, False: settings.at_least}, _PARTS[by]
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


class LeakModel:
    """Leak probabilities by kind, as estimates and as draws."""

    def __init__(
        self, kinds: Sequence[KindLeaks], profiles: Sequence[Profile], settings: RiskSettings, clustering: float
    ) -> None:
        self.settings = settings
        self.clustering = clustering
        self.profiles = profiles
        """The scored documents."""
        self.blind = [k.kind for k in kinds if 2 * k.unseen > k.values]
        """Kinds of which the system finds less than half."""
        self.sums: dict[str, tuple[int, int, int]] = {}
        """Identifiers, leaked ones, unseen ones, by kind and by pool of related kinds."""
        for k in kinds:
            self.sums[k.kind] = k.values, k.leaked, k.unseen
            n, leaked, unseen = self.sums.get(_pool(k.kind), (0, 0, 0))
            self.sums[_pool(k.kind)] = n + k.values, leaked + k.leaked, unseen + k.unseen

    def source(self, kind: str) -> str | None:
        """Return the kind or pool whose leak probability a kind has: its own, else that of all related ones (PERSON_PATIENT and
        PERSON_DOCTOR for PERSON). None if the reference contains no related one."""
        return next((name for name in (kind, _pool(kind)) if name in self.sums), None)

    def expect(self, name: str, profiles: Sequence[Profile], *, counted: bool) -> Expected:
        """Return what to expect of documents whose identifiers are `counted` by a reference, or else were found by a system."""
        held: dict[str, tuple[int, int]] = {}
        for profile in profiles:
            for kind, found in profile.kinds.items():
                documents, values = held.get(kind, (0, 0))
                held[kind] = documents + (found.values > 0), values + found.values
        held = {kind: held[kind] for kind in sorted(held) if held[kind][1]}
        blind = [] if counted else self.blind
        unknown = {kind: n for kind, (n, _) in held.items() if self.source(kind) is None}
        sides = {}
        for direct in (True, False):
            kinds = [k for k in held if is_direct(k) is direct and k not in blind]
            sides[direct] = self._side(profiles, kinds, [k for k in blind if is_direct(k) is direct], counted=counted)
            sides[direct].needed = 1 if direct else self.settings.at_least
        return Expected(name, len(profiles), held, self._shares(sides, len(profiles)), unknown, blind)

    def _side(self, profiles: Sequence[Profile], kinds: list[str], blind: list[str], *, counted: bool) -> _Side:
        known = [k for k in kinds if self.source(k) is not None]
        unknown = [k for k in kinds if k not in known]
        values = _table(profiles, known)
        result = _Side(_table(profiles, unknown).sum(axis=1) if unknown else None)
        if known:
            result.parts.append((known, ReferenceCounts(values) if counted else FoundCounts(values)))
        if blind:
            counts = _table(self.profiles, blind)
            variance = counts.var(axis=0, ddof=1) if len(counts) > 1 else counts.mean(axis=0)
            result.parts.append((blind, AssumedCounts(counts.mean(axis=0), variance, len(profiles))))
        return result

    def _shares(self, sides: Mapping[bool, _Side], documents: int) -> dict[By, Share]:
        drawn: dict[By, list[Array]] = {by: [] for by in CLASSES}
        random = np.random.default_rng(self.settings.seed)
        for weight in weights(documents, self.settings.draws, self.settings.seed + 1):
            draw = partial(self._drawn, random=random, draws=len(weight))
            risks = _each({d: side.risks(draw, documents) for d, side in sides.items()})
            for by in CLASSES:
                drawn[by].append((risks[by] * weight.T).sum(axis=0) / documents)
        point = _each({d: side.risks(self._estimated, documents) for d, side in sides.items()})
        worst = _each({d: side.risks(self._estimated, documents, worst=True) for d, side in sides.items()})
        result: dict[By, Share] = {}
        for by in CLASSES:
            parts = [sides[d] for d in _PARTS[by]]
            at_most = float(worst[by].mean()) if any(s.unknown is not None for s in parts) else None
            if all(s.parts for s in parts):
                value = float(point[by].mean())
                ends = percentiles(np.concatenate(drawn[by]), self.settings.level)
                result[by] = Share(value, *around(value, ends), at_most)
            else:
                result[by] = Share(at_most=at_most)
        return result

    def _estimated(self, kinds: Sequence[str]) -> LeakProbabilities:
        result = []
        for kind in kinds:
            n, leaked, unseen = self._sums(kind)
            leak = jeffreys(leaked, n)
            result.append((leak, leak * jeffreys(unseen, leaked)))
        both = np.array(result).reshape(-1, 2)
        return LeakProbabilities(both[:, :1], both[:, 1:], self._noticed(kinds))

    def _drawn(self, kinds: Sequence[str], random: np.random.Generator, draws: int) -> LeakProbabilities:
        leak, unseen = np.zeros((len(kinds), draws)), np.zeros((len(kinds), draws))
        once: dict[str | None, int] = {}
        for number, kind in enumerate(kinds):
            before = once.setdefault(self.source(kind), number)
            if before == number:
                n, leaked, not_seen = (count / self.clustering for count in self._sums(kind))
                leak[number] = random.beta(leaked + 0.5, n - leaked + 0.5, draws)
                unseen[number] = leak[number] * random.beta(not_seen + 0.5, leaked - not_seen + 0.5, draws)
            else:
                leak[number], unseen[number] = leak[before], unseen[before]
        unseen = np.minimum(unseen, 1 - 1e-9)
        return LeakProbabilities(leak, unseen, self._noticed(kinds))

    def _sums(self, kind: str) -> tuple[int, int, int]:
        source = self.source(kind)
        assert source is not None
        return self.sums[source]

    def _noticed(self, kinds: Sequence[str]) -> Array:
        return np.array([self.settings.noticed(k) for k in kinds]).reshape(-1, 1)


@dataclass(slots=True)
class _Side:
    """The direct, or the indirect, identifiers of a corpus."""

    unknown: Array | None
    """Number of identifiers of unknown kinds in each document."""
    parts: list[tuple[list[str], ReferenceCounts | FoundCounts | AssumedCounts]] = field(default_factory=list)
    """Kinds whose leak probability is known, and the number of their identifiers in the documents."""
    needed: int = 1

    def risks(self, chances: Callable[[list[str]], LeakProbabilities], documents: int, *, worst: bool = False) -> Array:
        """Return the probability of enough leaks, by document and draw; `worst`: if all identifiers of unknown kinds leak."""
        series = [np.zeros((documents, 1))] * self.needed
        for kinds, counts in self.parts:
            more = counts.series(chances(kinds), self.needed - 1)
            series = [a + b for a, b in zip(series, more, strict=True)]
        return at_least(series, self.unknown if worst else None)


_PARTS: dict[By, tuple[bool, ...]] = {"direct": (True,), "indirect": (False,), "either": (True, False)}


def _each(risks: Mapping[bool, Array]) -> dict[By, Array]:
    return {"direct": risks[True], "indirect": risks[False], "either": 1 - (1 - risks[True]) * (1 - risks[False])}


def _table(profiles: Sequence[Profile], kinds: list[str]) -> Array:
    """Return the number of identifiers in each document: shape (documents, kinds)."""
    rows = [[float(p.kinds[k].values) if k in p.kinds else 0.0 for k in kinds] for p in profiles]
    return np.array(rows).reshape(len(profiles), len(kinds))


def _pool(kind: str) -> str:
    """Return the pool of a kind: kinds below the same first-level kind that are all direct or all indirect."""
    return f"{kind.partition('_')[0]} {'direct' if is_direct(kind) else 'indirect'}"
