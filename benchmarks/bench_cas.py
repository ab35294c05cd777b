"""Compare the CAS with dkpro-cassis: building, selecting, copying.

python -m benchmarks.bench_cas
"""

from __future__ import annotations

import pickle

from benchmarks.compared import Row, Shared, in_turn, show
from caspipe.typesystem import Phi, Sentence, Token


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
    return [*rows, (name, time_, float("nan"), float("nan"))]


if __name__ == "__main__":
    show(main())
