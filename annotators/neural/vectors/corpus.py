"""The tokens of a corpus. Large corpora are stored on disk, so that memory depends on the vocabulary and not on the text."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from .reading import zero_digits

LONGEST_SEGMENT = 10_000
"""Maximum number of tokens in a segment. Longer ones are divided, because gensim ignores the tokens of a sentence after this."""
_SPOOL = 64 << 20


class Corpus:
    """Collects documents as lists of forms, and yields their segments as often as needed.

    Forms are put into lower case (`lower`) and have their digits replaced by 0 (`digits`). The latest document can be
    removed again.
    """

    def __init__(self, lower: bool = True, digits: bool = True) -> None:
        self.lower = lower
        self.digits = digits
        self.documents = 0
        self.counts: Counter[str] = Counter()
        self._file: Any = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115 - closed by close()
        self._latest: list[list[str]] | None = None

    def add(self, segments: Iterable[list[str]]) -> None:
        """Add a document as the forms of its sentences."""
        self.flush()
        self._latest = [
            forms[i : i + LONGEST_SEGMENT]
            for forms in map(self._normalized, segments)
            for i in range(0, len(forms), LONGEST_SEGMENT)
        ]

    def _normalized(self, forms: list[str]) -> list[str]:
        if self.lower:
            forms = [form.lower() for form in forms]
        return [zero_digits(form) for form in forms] if self.digits else forms

    def rollback(self) -> None:
        """Remove the latest document."""
        self._latest = None

    def flush(self) -> None:
        """Count the latest document and write it to the file: it can no longer be removed."""
        if self._latest is None:
            return
        for segment in self._latest:
            self.counts.update(segment)
            self._file.write(json.dumps(segment).encode() + b"\n")
        self.documents += 1
        self._latest = None

    def close(self) -> None:
        """Delete all tokens."""
        self._latest = None
        self.counts = Counter()
        self._file.close()

    def __iter__(self) -> Iterator[list[str]]:
        """Yield all segments, in order."""
        self._file.seek(0)
        yield from map(json.loads, self._file)

    def vocabulary(self, min_count: int, max_words: int) -> dict[str, int]:
        """Return the forms that occur `min_count` times or more with their counts: at most `max_words`, most frequent first.

        Equally frequent forms are in code point order. Forms with a lone surrogate are left out, since files cannot contain them.
        """
        frequent = sorted((-n, form) for form, n in self.counts.items() if n >= min_count and _encodable(form))
        return {form: -n for n, form in frequent[:max_words]}


def _encodable(form: str) -> bool:
    try:
        form.encode()
    except UnicodeEncodeError:
        return False
    return True
