"""Pairs of thresholds of the inverse approach: lists and network together, compared with each alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .....annotators.inverse.decision import Thresholds, verdict_of
from .....consumers.scoring import Mark, at_level, pair_of, score
from .....typesystem import Cas
from ....contract.component import part
from ....storage.yaml_source import Keys
from .. import fingerprint
from ..experiment import Experiment
from ..job import KEY_LENGTH, Testing, scores_of
from ..model_steps import with_parameters
from ..plan import Plan, system_steps
from ..result import Cell, Figure, Result, Table, shown
from ..runner import ExperimentRunner
from ..scores import OVERALL, SHORT, Scores, averaged, kinds_of
from ..tables import records

ENGINE = "adaptive_threshold"
EVERYTHING: Mapping[str, Any] = {"mode": "hybrid", "low": 1.0, "high": 1.0, "unknown": 1.0, "join": None}
"""Parameters with which the engine masks every token, each as a span of its own: its confidence is then the probability that the
token is PHI, and its rule holds the verdict of the lists."""
MASKING = "masking"
HYBRID, DEEP, RULES = "hybrid", "deep", "rules"
_CALLED = {HYBRID: "lists and network", DEEP: "network alone", RULES: "lists alone"}


@dataclasses.dataclass(frozen=True, slots=True)
class TokenDecision:
    """A decision rule for tokens: lists and network (`hybrid`), network alone (`deep`) or lists alone (`rules`)."""

    mode: str
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.mode == "hybrid":
            return f"low {self.low:g}, high {self.high:g}"
        return "lists alone" if self.mode == "rules" else f"network alone, {self.high:g}"


_Scored = Mapping[TokenDecision, Sequence[Scores]]
"""Scores of every split by decision rule."""
_Figures = Mapping[TokenDecision, tuple[float | None, float | None]]
"""Masking recall and precision over all kinds."""


@part("threshold_pairs")
class ThresholdPairs(Experiment):
    """Tests systems with the engine `adaptive_threshold` at every pair of thresholds, then with the network alone and the lists
    alone, and compares precision at equal masking recall. A network is trained and applied once for all pairs.

    After §4.3.6 and Tables 5.1 to 5.4 of the inverse hybrid system, which tried two pairs. The pair that is best on the test
    documents was chosen on them: choose on documents of your own.
    """

    lows: list[float] = dataclasses.field(default_factory=lambda: [0.5, 0.7, 0.8, 0.9, 0.95])
    """Thresholds of tokens that are safe by the lists (0 to 1)."""
    highs: list[float] = dataclasses.field(default_factory=lambda: [0.8, 0.9, 0.95, 0.98, 0.99])
    """Thresholds of other tokens (0 to 1). Pairs with a higher low threshold are skipped."""
    alone: list[float] = dataclasses.field(default_factory=lambda: [0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99])
    """Thresholds of the network alone (0 to 1)."""
    pair: tuple[float, float] = (0.9, 0.95)
    """The pair whose recall is shown by kind, as in Table 5.4."""
    target_recall: float = 0.995
    """Required masking recall (0 to 1). The findings contain the precision of each decision rule that reaches it."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Systems; by default all that have the engine."""

    def __post_init__(self) -> None:
        for name in ("lows", "highs", "alone", "pair"):
            if not all(0 <= t <= 1 for t in getattr(self, name)):
                raise ValueError(f"{name}: expected thresholds from 0 to 1")
        if not self.lows or not self.highs:
            raise ValueError("lows and highs: expected at least one threshold each")
        if self.pair[0] > self.pair[1]:
            raise ValueError(f"pair: expected low, then high, got {self.pair[0]:g} and {self.pair[1]:g}")

    @property
    def ways(self) -> list[TokenDecision]:
        """Return all decision rules: pairs, the network alone, the lists alone."""
        pairs = {self.pair, *((low, high) for low in self.lows for high in self.highs if low <= high)}
        hybrid = [TokenDecision(HYBRID, low, high) for low, high in sorted(pairs)]
        return [*hybrid, *(TokenDecision(DEEP, None, t) for t in sorted(set(self.alone))), TokenDecision(RULES)]

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        if MASKING not in plan.settings.criteria:
            yield (), f"needs {MASKING!r} among the file's criteria, got {', '.join(plan.settings.criteria)}"
        for name in self.models:
            if name in plan.models and not _has_engine(plan, name):
                yield ("models",), f"{name} has no engine {ENGINE}"
        if not self._chosen(plan):
            yield ("models",), f"no model of this file has the engine {ENGINE}"

    def _chosen(self, plan: Plan) -> list[str]:
        return [name for name in plan.chosen() if name in plan.models and _has_engine(plan, name)]

    def run(self, runner: ExperimentRunner) -> Result:
        chosen, splits, ways = self._chosen(runner.plan), runner.splits(), self.ways
        jobs = {model: [_everything(runner.test(model, *split)) for split in splits] for model in chosen}
        result = Result()
        for model, outcomes in runner.run_groups(jobs).items():
            by_way: dict[TokenDecision, list[Scores]] = {way: [] for way in ways}
            for outcome in outcomes:
                if isinstance(outcome.job, Testing) and not outcome.failed:
                    job = outcome.job
                    documents = [runner.corpora[name].documents[i] for name, i in job.documents]
                    found = scored(job, outcome.data["candidates"], documents, ways, _unknown(runner.plan, model))
                    for way, scores in zip(ways, found, strict=True):
                        by_way[way].append(scores)
            result.tables.append(_of_ways(runner, model, by_way))
            figures = {way: _of_masking(many) for way, many in by_way.items()}
            self._compare(model, figures, result)
            result.tables.append(self._by_kind(model, by_way))
            _draw(model, figures, result)
            for way, many in by_way.items():
                labels: dict[str, Cell] = {"system": model, "decides": way.mode, "low": way.low, "high": way.high}
                result.records += records(many, runner.settings, **labels)
        return result

    def _compare(self, model: str, figures: _Figures, result: Result) -> None:
        """Add for each threshold of the network alone the most precise pair with at least its masking recall."""
        rows: list[list[Cell]] = []
        gains = []
        for way, (recall, precision) in figures.items():
            if way.mode != DEEP or recall is None:
                continue
            best = _most_precise(figures, HYBRID, recall)
            reached = figures[best] if best else (None, None)
            gain = None if reached[1] is None or precision is None else reached[1] - precision
            gains += [] if gain is None else [gain]
            rows.append([f"{way.high:g}", recall, precision, str(best) if best else "none", *reached, _signed(gain)])
        columns = ["network alone", "alone|R", "alone|P", "with lists", "with lists|R", "with lists|P", "gain in P"]
        note = "Of the pairs that mask at least as much as the network alone, the most precise one."
        result.tables.append(Table(f"{model}: precision at equal masking recall", columns, rows, note))
        if gains:
            better = sum(g > 0 for g in gains)
            result.findings.append(
                f"{model}: at equal masking recall lists and network are more precise than the network alone at {better} of "
                f"{len(gains)} thresholds (gain in precision {min(gains):+.3f} to {max(gains):+.3f})."
            )
        for mode in (HYBRID, DEEP, RULES):
            best = _most_precise(figures, mode, self.target_recall)
            sentence = f"{model}: {_CALLED[mode]} "
            if best is None:
                most = max((r for s, (r, _) in figures.items() if s.mode == mode and r is not None), default=None)
                result.findings.append(
                    sentence + f"never reach a masking recall of {self.target_recall:g} (at most {shown(most, 4)})."
                )
            else:
                recall, precision = figures[best]
                at = f" ({best})" if mode != RULES else ""
                result.findings.append(sentence + f"mask {shown(recall, 4)} at a precision of {shown(precision)}{at}.")

    def _by_kind(self, model: str, by_way: _Scored) -> Table:
        hybrid = TokenDecision(HYBRID, *self.pair)
        columns = [hybrid, *(w for w in by_way if w.mode == DEEP and w.high == self.pair[1]), TokenDecision(RULES)]
        kinds = kinds_of(scores for way in columns for scores in by_way[way])
        rows: list[list[Cell]] = [
            [
                kind,
                *(averaged(by_way[way], MASKING, kind, "recall") for way in columns),
                sum(s.counts[MASKING, kind].gold for s in by_way[hybrid] if (MASKING, kind) in s.counts),
            ]
            for kind in kinds
        ]
        return Table(f"{model}: masking recall by kind", ["kind", *map(str, columns), "tokens"], rows)


def _has_engine(plan: Plan, model: str) -> bool:
    try:
        return any(piece.step.name == ENGINE for piece in system_steps(plan.models, model))
    except KeyError:  # contains an unknown model, which is reported elsewhere
        return False


def _everything(job: Testing) -> Testing:
    """Return the test with an engine that masks every token and records its verdict."""
    steps = tuple((with_parameters(s, EVERYTHING) if s.name == ENGINE else s, training) for s, training in job.steps)
    key = fingerprint.digest([job.key, ENGINE, dict(EVERYTHING)])[:KEY_LENGTH]
    return dataclasses.replace(job, key=key, steps=steps, keep_candidates=True)


def _unknown(plan: Plan, model: str) -> float | None:
    """Return the threshold of the engine for tokens that are in no list."""
    given = next(p.step.given for p in system_steps(plan.models, model) if p.step.name == ENGINE)
    value = given.get("unknown")
    return None if value is None else float(value)


def _of_masking(many: Sequence[Scores]) -> tuple[float | None, float | None]:
    return averaged(many, MASKING, OVERALL, "recall"), averaged(many, MASKING, OVERALL, "precision")


def _most_precise(figures: _Figures, mode: str, recall: float) -> TokenDecision | None:
    """Return the most precise decision rule of a mode with at least a recall; None if there is none."""
    enough = [
        (p, s) for s, (r, p) in figures.items() if s.mode == mode and r is not None and r >= recall and p is not None
    ]
    return max(enough, key=lambda found: found[0])[1] if enough else None


def _of_ways(runner: ExperimentRunner, model: str, by_way: _Scored) -> Table:
    """Return the table of all decision rules: recall under each criterion, and precision if it is defined."""
    counted = {c for many in by_way.values() for s in many for (c, _), counts in s.counts.items() if counts.system}
    asked = [(c, m) for c in runner.settings.criteria for m in ("recall", "precision") if m == "recall" or c in counted]
    columns = ["decides", "low", "high", *(f"{c}|{SHORT[m]}" for c, m in asked)]
    rows: list[list[Cell]] = [
        [
            _CALLED[way.mode],
            *("" if n is None else f"{n:g}" for n in (way.low, way.high)),
            *(averaged(many, c, OVERALL, m) for c, m in asked),
        ]
        for way, many in by_way.items()
    ]
    return Table(f"{model}: all kinds together", columns, rows)


def _draw(model: str, figures: _Figures, result: Result) -> None:
    curves: dict[str, list[tuple[float, float]]] = {}
    for mode, called in _CALLED.items():
        points = {(r, p) for s, (r, p) in figures.items() if s.mode == mode and r is not None and p is not None}
        best = [(r, p) for r, p in points if not any(a >= r and b >= p and (a, b) != (r, p) for a, b in points)]
        if best:
            curves[called] = sorted(best)
    if curves:
        caption = f"{model}: precision against masking recall; of the pairs only those that no other one beats in both."
        options = {"title": f"Masking recall and precision, {model}"}
        result.figures.append(Figure(f"pairs-{model}", caption, "precision_recall", (curves,), options))


def _signed(value: float | None) -> Cell:
    return None if value is None else f"{value:+.3f}"


def scored(
    job: Testing,
    candidates: Sequence[Sequence[Sequence[Any]]],
    documents: Sequence[Cas],
    ways: Iterable[TokenDecision],
    unknown: float | None,
) -> Iterator[Scores]:
    """Yield the scores of a test under each decision rule. The network is applied once.

    `candidates` are what a test with the parameters `EVERYTHING` kept, by document. What other components found is masked as it
    is, but nothing trained is masked if the lists decide alone. `unknown`: threshold for tokens in no list; None: the higher.
    Blanks between tokens count as not masked, which criteria over letters and digits do not see.
    """

    trained = tuple(f"{step.id}/" for step, training in job.steps if training is not None)
    own = tuple(f"{step.id}/" for step, _ in job.steps if step.name == ENGINE)
    pairs = [pair_of(cas) for cas in documents]
    for way in ways:
        decided = []
        for pair, found in zip(pairs, candidates, strict=True):
            marks = [
                Mark(begin, end, kind, source, 1.0)
                for begin, end, kind, chance, source, rule in found
                if _masks(way, f"{source}/", chance, rule, own, trained, unknown)
            ]
            decided.append(at_level(dataclasses.replace(pair, system=marks), job.level))
        yield scores_of(score(decided, criteria=job.criteria))


def _masks(
    way: TokenDecision,
    source: str,
    chance: float,
    rule: str,
    own: tuple[str, ...],
    trained: tuple[str, ...],
    unknown: float | None,
) -> bool:

    if not source.startswith(own):
        return way.mode != "rules" or not source.startswith(trained)
    verdict = verdict_of(rule)
    if verdict is None:
        return True  # neither lists nor network decided: masked in every mode
    low, high = way.low or 0.0, way.high or 0.0
    mode: Any = way.mode
    return bool(Thresholds(mode, low, high if unknown is None else unknown, high).masked(verdict, chance))
