"""Compare the CAS with dkpro-cassis: building, selecting, copying.

python -m benchmarks.bench_cas
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import cycle
from typing import Any

from benchmarks.compared import Row, Shared, in_turn, show
from caspipe.typesystem import Annotation, Phi, PhiKind, Sentence, Token


def main() -> list[Row]:
    small, large = Shared(), Shared(10)
    ours, theirs = small.objects(), small.theirs()
    token, sentence, entity = (t.name for t in small.cassis_types)
    mine = ours.view()
    sentences = mine.select(Sentence), list(theirs.select(sentence))
    entities = mine.select(Phi)[::10], list(theirs.select(entity))[::10]
    rows = in_turn(
        [
            ("build 500 annotations", small.ours, small.theirs),
            ("build 500 annotations, all as objects", small.objects, small.theirs),
            ("build 5,000 annotations", large.ours, large.theirs),
            ("select all tokens", lambda: mine.select(Token), lambda: list(theirs.select(token))),
            (
                "tokens of each sentence",
                lambda: [mine.select(Token, covered_by=s) for s in sentences[0]],
                lambda: [list(theirs.select_covered(token, s)) for s in sentences[1]],
            ),
            (
                "sentence around each tenth entity",
                lambda: [mine.select(Sentence, covering=e) for e in entities[0]],
                lambda: [list(theirs.select_covering(sentence, e)) for e in entities[1]],
            ),
            ("deep copy", ours.copy, theirs.deep_copy),
        ]
    )
    pickled = in_turn(
        [("pickle and back (cassis cannot be pickled)", lambda: pickle.loads(pickle.dumps(ours)), lambda: None)]
    )
    name, time_, _, _ = pickled[0]
    return [*rows, (name, time_, float("nan"), float("nan")), *in_turn([_added_and_selected(Shared(400))])]


def _added_and_selected(shared: Shared) -> tuple[str, Callable[[], Any], Callable[[], Any]]:
    """Return a row: add one annotation to 200,000 others and select those of all types that it covers."""
    ours, theirs = shared.objects().view(), shared.theirs()
    entity = shared.cassis_types[2]
    mine, other = (cycle(range(0, len(shared.text) - 80, 997)) for _ in range(2))

    def add_to_ours() -> None:
        begin = next(mine)
        ours.select(Annotation, covered_by=ours.add(Phi(begin, begin + 80, kind=PhiKind.DATE)))

    def add_to_theirs() -> None:
        begin = next(other)
        added = entity(begin=begin, end=begin + 80, kind="DATE", confidence=1.0)
        theirs.add(added)
        list(theirs.select_covered("uima.tcas.Annotation", added))

    return "add one to 200,000 and select what it covers", add_to_ours, add_to_theirs


if __name__ == "__main__":
    show(main())
