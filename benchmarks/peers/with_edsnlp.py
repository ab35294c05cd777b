"""Run EDS-NLP: normalizer, sentences and dates. Its rules are written for French; of English dates it finds the numeric ones."""

from __future__ import annotations

from collections.abc import Sequence

from .harness import Span, Work, each, masked


def load(variant: str) -> Work:
    """`dates`."""
    import edsnlp

    nlp = edsnlp.blank("eds")
    for pipe in ("eds.normalizer", "eds.sentences", "eds.dates"):
        nlp.add_pipe(pipe)

    def one(text: str) -> tuple[str, Sequence[Span]]:
        doc = nlp(text)
        found = [
            (span.start_char, span.end_char, "DATE")
            for span in doc.spans["dates"]
            if type(span._.date).__name__ == "AbsoluteDate"  # caspipe does not count "two weeks later" as a date
        ]
        return masked(text, found), found

    return each(one)
