"""`surrogate`: a realistic replacement for each kind."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..context import Context
from ..document_dates import Order
from ..keys import Keyed, KeyedHash
from ..operator import NO_KEY, Fallback, Mention, Outcome
from ..surrogates import pools, shapes
from ..surrogates.ages import other_age
from ..surrogates.keyed_choices import KeyedChoices
from ..surrogates.people import People
from ..surrogates.places import place
from .age import Age
from .pseudonym import normalised
from .shift import Shift

_NONE = Fallback("no surrogate for it")


@part("surrogate")
class Surrogate(Keyed):
    """Replaces PHI by something of the same sort that belongs to nobody: another name, another town, a number of the same
    shape, a phone number from the range kept for fiction, a shifted date. Equal values get equal surrogates for one patient
    (or document), different people different names. What has no surrogate, and everything where there is no key, becomes a
    placeholder.

    Hiding in plain sight is no protection on its own: whoever trains a finder on the output can learn which names were
    missed. `consistency: random` or `markov` makes that harder and the text less coherent.
    """

    scope: Literal["patient", "document"] = "patient"
    """Within what equal values get equal surrogates."""
    consistency: Literal["consistent", "random", "markov"] = "consistent"
    """`consistent`: one surrogate for each value; `random`: a new one at every mention; `markov`: the next mention goes on
    with the same one or changes to a new one, by `switch`. Dates stay consistent."""
    switch: float = 0.5
    """Probability that a mention changes to a new surrogate, for `markov`; 0 to 1."""
    initials: Literal["surrogate", "placeholder"] = "surrogate"
    """Initials alone: those of the person's surrogate (other letters where it is not clear whose they are), or placeholders."""
    days: tuple[int, int] = (-365, 365)
    """Interval of the offset of dates, as for `shift`."""
    ambiguous: Order = "MDY"
    """How `03/04/2020` is read where the document's other dates do not tell."""
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
        draws = context.remember(self, "draws", lambda: KeyedChoices(secret, context.subject(self.scope, self.patient)))
        if top is PhiKind.AGE:
            above = self._age.mask(mention, context)
            return above if isinstance(above, str | Fallback) else other_age(mention.text, draws) or _NONE
        salts = context.remember(self, "salts", lambda: self._salts(context, secret))
        made = self._made(mention, context, draws, salts.get(mention.begin, ""))
        if not made or made.casefold() == mention.text.casefold():
            return _NONE
        return made

    def _made(self, mention: Mention, context: Context, draws: KeyedChoices, salt: str) -> str | None:
        kind, text = mention.kind, mention.text
        top = kind.top
        if top is PhiKind.PERSON or top is PhiKind.EMAIL:
            people = context.remember(self, "people", lambda: People(draws, _named(context)))
            if top is PhiKind.EMAIL:
                return shapes.mail(text, draws, people.local_part(text))
            if kind is PhiKind.PERSON_INITIALS:
                return people.initials(text, salt) if self.initials == "surrogate" else None
            if kind is PhiKind.PERSON_USERNAME:
                return shapes.shaped(text, draws, f"user{salt}")
            return people.name(text, salt)
        if top is PhiKind.LOCATION or top is PhiKind.ORGANIZATION:
            return place(text, kind, draws, salt)
        if top is PhiKind.PROFESSION:
            others = [p for p in pools.PROFESSIONS if p != text.casefold()]
            return draws.choice(others, "profession", text.casefold(), salt)
        if top is PhiKind.ID:
            makers = {PhiKind.ID_SSN: shapes.social_security, PhiKind.ID_CARD: shapes.card}
            make = makers.get(kind)
            return make(text, draws) if make else shapes.shaped(text, draws, f"id{salt}")
        if top is PhiKind.PHONE or top is PhiKind.FAX:
            return shapes.phone(text, draws)
        if top is PhiKind.IP:
            return shapes.hardware(text, draws) if kind is PhiKind.IP_MAC else shapes.internet(text, draws)
        return shapes.web(text, draws) if top is PhiKind.URL else None

    def _salts(self, context: Context, secret: KeyedHash) -> dict[int, str]:
        """What makes mentions of one value differ, by begin; empty for the first surrogate of each."""
        if self.consistency == "consistent":
            return {}
        document = context.subject("document", self.patient)
        salts: dict[int, str] = {}
        state: dict[str, int] = {}
        for i, mention in enumerate(context.mentions, 1):
            value = f"{mention.kind.top.name} {normalised(mention)}"
            coin = secret.number(1_000_000, "switch", *document, value, str(i)) < self.switch * 1_000_000
            if self.consistency == "random" or (coin and value in state):
                state[value] = i
            salts[mention.begin] = f"{document[1]} {at}" if (at := state.setdefault(value, 0)) else ""
        return salts


def _named(context: Context) -> list[Mention]:
    apart = (PhiKind.PERSON_INITIALS, PhiKind.PERSON_USERNAME)
    return [m for m in context.of_kind(PhiKind.PERSON) if m.kind not in apart]
