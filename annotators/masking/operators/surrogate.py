"""`surrogate`: a realistic replacement for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..document_dates import Order
from ..operator import NO_KEY, Context, Fallback, KeyedHash, KeyedOperator, Mention, Outcome, Span
from ..surrogates import pools, shapes
from ..surrogates.people import People
from ..surrogates.places import other_place
from .age import Age
from .pseudonym import normalized_value
from .shift import Shift

_NO_SURROGATE = Fallback("no surrogate for it")


@part("surrogate")
class Surrogate(KeyedOperator):
    """Replaces PHI by a fictional value of the same type: another name, another town, a number of the same shape, a phone number
    from the range reserved for fiction, a shifted date. Equal values get equal surrogates for one patient (or document),
    different people get different names. Values without a surrogate become placeholders, and so do all values if there is no
    key.

    Hiding in plain sight is not a protection on its own: a finder trained on the output can learn which names were missed.
    `consistency: random` or `markov` makes that harder and the text less coherent.
    """

    scope: Literal["patient", "document"] = "patient"
    """Within which scope equal values get equal surrogates."""
    consistency: Literal["consistent", "random", "markov"] = "consistent"
    """`consistent`: one surrogate for each value; `random`: a new one at every mention; `markov`: the next mention keeps the
    surrogate or changes to a new one, by `switch`. Dates stay consistent."""
    switch: float = 0.5
    """Probability that a mention changes to a new surrogate, for `markov`; 0 to 1."""
    initials: Literal["surrogate", "placeholder"] = "surrogate"
    """Initials alone: those of the person's surrogate (other letters if the person is not clear), or placeholders."""
    days: tuple[int, int] = (-365, 365)
    """Interval of the offset of dates, as for `shift`."""
    ambiguous: Order = "MDY"
    """How `03/04/2020` is read if the document's other dates do not decide it."""
    threshold: int = 89
    """Ages above it are written as `[AGE > 89]`; others change by one or two."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.switch <= 1:
            raise ValueError(f"switch: expected a number from 0 to 1, got {self.switch!r}")
        _ = self._shift, self._age

    def open(self) -> None:
        super().open()
        pools.surnames()

    @cached_property
    def _shift(self) -> Shift:
        return Shift(
            key=self.key,
            patient=self.patient,
            days=self.days,
            scope=self.scope,
            ambiguous=self.ambiguous,
            style="original",
        )

    @cached_property
    def _age(self) -> Age:
        return Age(threshold=self.threshold)

    def mask(self, mention: Mention, context: Context) -> Outcome:
        secret = self.secret
        if secret is None:
            return NO_KEY
        top = mention.kind.top
        if top is PhiKind.DATE:
            return self._shift.mask(mention, context)
        choices = context.remember(
            self, "choices", lambda: secret.bound("surrogate", *context.subject(self.scope, self.patient))
        )
        if top is PhiKind.AGE:
            above = self._age.mask(mention, context)
            return above if isinstance(above, str | Fallback) else shapes.age(mention.text, choices) or _NO_SURROGATE
        salts = context.remember(self, "salts", lambda: self._salts(context, secret))
        surrogate = self._surrogate(mention, context, choices, salts.get(mention.begin, ""))
        if not surrogate or surrogate.casefold() == mention.text.casefold():
            return _NO_SURROGATE
        return surrogate

    def normalize(self, mention: Mention, context: Context) -> str | None:
        readers = {PhiKind.DATE: self._shift, PhiKind.AGE: self._age}
        reader = readers.get(mention.kind.top)
        return None if reader is None else reader.normalize(mention, context)

    def disclose(self, context: Context, written: Sequence[Span], replaced: Sequence[Span]) -> dict[str, str]:
        return self._shift.disclose(context, written, replaced) if self.secret is not None else {}

    def _surrogate(self, mention: Mention, context: Context, choices: KeyedHash, salt: str) -> str | None:
        kind, text = mention.kind, mention.text
        top = kind.top
        if top is PhiKind.PERSON or top is PhiKind.EMAIL:
            people = context.remember(self, "people", lambda: People(choices, _full_names(context)))
            if top is PhiKind.EMAIL:
                return shapes.mail(text, choices, people.local_part(text))
            if kind is PhiKind.PERSON_INITIALS:
                return people.initials(text, salt) if self.initials == "surrogate" else None
            if kind is PhiKind.PERSON_USERNAME:
                return shapes.same_shape(text, choices, f"user{salt}")
            return people.name(text, salt)
        if top is PhiKind.LOCATION or top is PhiKind.ORGANIZATION:
            return other_place(text, kind, choices, salt)
        if top is PhiKind.PROFESSION:
            others = [p for p in pools.PROFESSIONS if p != text.casefold()]
            return choices.choice(others, "profession", text.casefold(), salt)
        if top is PhiKind.ID:
            makers = {PhiKind.ID_SSN: shapes.social_security, PhiKind.ID_CARD: shapes.card}
            make = makers.get(kind)
            return make(text, choices) if make else shapes.same_shape(text, choices, f"id{salt}")
        if top is PhiKind.PHONE or top is PhiKind.FAX:
            return shapes.phone(text, choices)
        if top is PhiKind.IP:
            return shapes.hardware(text, choices) if kind is PhiKind.IP_MAC else shapes.internet(text, choices)
        return shapes.web(text, choices) if top is PhiKind.URL else None

    def _salts(self, context: Context, secret: KeyedHash) -> dict[int, str]:
        """Return, by begin, a salt that distinguishes mentions of one value; empty for the first surrogate of each."""
        if self.consistency == "consistent":
            return {}
        document = context.subject("document", self.patient)
        salts: dict[int, str] = {}
        state: dict[str, int] = {}
        for i, mention in enumerate(context.mentions, 1):
            value = f"{mention.kind.top.name} {normalized_value(mention)}"
            switches = secret.number(1_000_000, "switch", *document, value, str(i)) < self.switch * 1_000_000
            if self.consistency == "random" or (switches and value in state):
                state[value] = i
            salts[mention.begin] = f"{document[1]} {version}" if (version := state.setdefault(value, 0)) else ""
        return salts


def _full_names(context: Context) -> list[Mention]:
    others = (PhiKind.PERSON_INITIALS, PhiKind.PERSON_USERNAME)
    return [m for m in context.of_kind(PhiKind.PERSON) if m.kind not in others]
