"""The interface of masking operators, and the keyed hash of those that depend on a secret."""

from __future__ import annotations

import base64
import enum
import hashlib
import hmac
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from ...pipeline.contract.component import Part
from ...pipeline.storage.secrets import Secret
from ...typesystem import Cas, CaspipeWarning, PhiKind


@dataclass(frozen=True, slots=True, repr=False)
class Mention:
    """A span of text to be masked. Its repr never shows the text."""

    begin: int
    end: int
    kind: PhiKind
    text: str
    value: str = ""
    """The value as normalized by the finder, or by an earlier run of the masker; may be empty."""

    def __repr__(self) -> str:
        return f"<Mention {self.kind.name} {self.begin}:{self.end}>"


T = TypeVar("T")
Span = tuple[int, int]
Scope = Literal["project", "patient", "document"]


class Context:
    """One document while it is masked: its text, its mentions sorted by begin, its patient, and a cache for operators."""

    def __init__(self, cas: Cas, mentions: Sequence[Mention], *, patient_in_text: bool = False) -> None:
        """`patient_in_text`: a medical record number in the text identifies the patient, if the record does not."""
        self.cas = cas
        self.text = cas.text
        self.mentions = tuple(mentions)
        self._begins = [mention.begin for mention in self.mentions]
        self._patient_in_text = patient_in_text
        self._cache: dict[tuple[int, str], Any] = {}

    def remember(self, owner: object, name: str, make: Callable[[], T]) -> T:
        """Return the result of `make`, computed once for this document, owner and name."""
        key = (id(owner), name)
        if key not in self._cache:
            self._cache[key] = make()
        cached: T = self._cache[key]
        return cached

    def of_kind(self, kind: PhiKind) -> list[Mention]:
        """Return the mentions of a kind and the kinds below it, in text order."""
        return [m for m in self.mentions if m.kind.is_a(kind)]

    def neighbors(self, mention: Mention) -> list[Mention]:
        """Return the mention after this one and the one before it."""
        index = bisect_left(self._begins, mention.begin)
        same = index < len(self.mentions) and self.mentions[index].begin == mention.begin
        return [self.mentions[i] for i in (index + same, index - 1) if 0 <= i < len(self.mentions)]

    def patient(self, metadata: str) -> str:
        """Return the patient's identifier: the metadata of that name, else known PHI of the patient (a medical record number
        before other numbers), else, if that is wanted, the only medical record number in the text, else an empty string."""
        identifier = self.cas.metadata.get(metadata, "").strip()
        if identifier:
            return identifier
        numbers = sorted(
            (known.kind is not PhiKind.ID_MEDICAL_RECORD, known.kind.name, known.value)
            for known in self.cas.known_phi
            if known.role == "patient" and known.kind.top is PhiKind.ID and known.value.strip()
        )
        if numbers:
            return numbers[0][2].strip()
        written = self.written_numbers if self._patient_in_text else []
        return written[0] if len(written) == 1 else ""

    @cached_property
    def written_numbers(self) -> list[str]:
        """The medical record numbers in the text without their separators, each once."""
        found = ("".join(filter(str.isalnum, m.text)).upper() for m in self.of_kind(PhiKind.ID_MEDICAL_RECORD))
        return sorted({number for number in found if any(map(str.isdigit, number))})

    def subject(self, scope: Scope, metadata: str) -> tuple[str, str]:
        """Return whose replacements agree: those of the project, the patient (if known), or the document.

        A document without an id is identified by its text.
        """
        if scope == "project":
            return ("project", "")
        patient = self.patient(metadata) if scope == "patient" else ""
        if patient:
            return ("patient", patient)
        return ("document", self.cas.id) if self.cas.id else ("text", self.text)

    def __repr__(self) -> str:
        return f"<Context of {len(self.mentions)} mentions>"


@dataclass(frozen=True, slots=True)
class Fallback:
    """The operator cannot replace the mention: the placeholder is written instead. `reason` never quotes the text."""

    reason: str


class _Kept(enum.Enum):
    KEPT = "kept"


KEPT: Final = _Kept.KEPT
"""The mention stays readable."""

NO_KEY: Final = Fallback("no key")
"""The operator needs a secret and has none; the masker warns once."""

Outcome: TypeAlias = str | Fallback | Literal[_Kept.KEPT]


class Operator(Part):
    """Replaces mentions of PHI. One instance serves all documents: the state of one document is kept in the context."""

    reads_as_text: ClassVar[bool] = False
    """Replacements read like the original: an indefinite article before one is made to agree with it."""
    hides: ClassVar[bool] = False
    """True if nothing of a date or an age remains in the replacement, so that no age can be computed from it."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        """Return the replacement, `KEPT`, or a `Fallback`; never the text itself as a replacement."""
        raise TypeError(f"{type(self).__name__} must define mask(mention, context)")

    def normalize(self, mention: Mention, context: Context) -> str | None:
        """Return the value that `mask` goes by, for `Phi.value`; None if it goes by none, empty if it cannot parse the mention.

        A date is ISO 8601, in the order of day and month that the document's dates decide; an age is `65 years`.
        """
        return None

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """Return the replacement for a structured field of the record (RecordField), or None for the format's null.

        `value` and the replacement are normalized: a date is ISO 8601 (year, month or day), an age is `64 years`.
        """
        return None

    def disclose(self, context: Context, written: Sequence[Span], replaced: Sequence[Span]) -> dict[str, str]:
        """Return document metadata that say what a reader of the masked text can find out about the secret; numbers only.

        `replaced` are all spans of the original text that were replaced, `written` those without a fallback.
        """
        return {}

    def open(self) -> None:
        """Load key files and lexicons. Raises ResourceError if one is missing."""


class MissingKeyWarning(CaspipeWarning):
    """An operator that needs a secret has none and writes placeholders instead."""


class KeyedHash:
    """HMAC-SHA256 (RFC 2104) with a secret, and values derived from it. The secret is never shown."""

    __slots__ = ("_key", "_prefix")

    def __init__(self, key: bytes, prefix: tuple[str, ...] = ()) -> None:
        self._key = key
        self._prefix = prefix

    def bound(self, *parts: str) -> KeyedHash:
        """Return a hash that adds these parts before all others, so that its values depend on a patient or document."""
        return KeyedHash(self._key, (*self._prefix, *parts))

    def digest(self, *parts: str) -> bytes:
        """Return 32 bytes. Each part is preceded by its length, so that different lists of parts never give the same input."""
        mac = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in (*self._prefix, *parts):
            raw = part.encode("utf-8", "surrogatepass")
            mac.update(len(raw).to_bytes(8, "big") + raw)
        return mac.digest()

    def number(self, below: int, *parts: str) -> int:
        """Return an integer from 0 to `below` - 1, uniformly distributed (by rejection, without modulo bias)."""
        limit = (1 << 256) // below * below
        attempt = 0
        while True:
            number = int.from_bytes(self.digest(*parts, str(attempt)), "big")
            if number < limit:
                return number % below
            attempt += 1

    def choice(self, items: Sequence[T], *parts: str) -> T:
        """Return one of the items, uniformly distributed."""
        return items[self.number(len(items), *parts)]

    def token(self, length: int, *parts: str) -> str:
        """Return `length` characters (at most 51) of lower-case base 32, 5 bits each."""
        return base64.b32encode(self.digest(*parts)).decode("ascii").lower()[:length]

    def __repr__(self) -> str:
        return "<KeyedHash>"


@dataclass(kw_only=True, eq=False, repr=False)
class KeyedOperator(Operator):
    """An operator that depends on a secret. Without one it returns `NO_KEY`."""

    key: Secret | str = ""
    """The secret: `"${CASPIPE_KEY:-}"`, or `file:` and the path of a file that only its owner can read; 32 random characters
    or more. Empty: placeholders are written."""
    patient: str = "patient_id"
    """Name of the document metadata that contains the patient's identifier."""

    def __post_init__(self) -> None:
        self.key = Secret.of(self.key)

    def open(self) -> None:
        _ = self.secret

    @cached_property
    def secret(self) -> KeyedHash | None:
        """Return the hash, or None without a key. Raises ResourceError if a key file is missing, empty or readable by others."""
        key = Secret.of(self.key)
        return KeyedHash(key.reveal()) if key else None
