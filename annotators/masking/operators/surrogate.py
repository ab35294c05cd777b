"""`surrogate`: a realistic replacement for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..document_dates import Order
from ..operator import KEPT, NO_KEY, Context, Fallback, KeyedHash, KeyedOperator, Mention, Outcome, Span
from ..surrogates import phones, pools, shapes
from ..surrogates.ages import generalized
from ..surrogates.draws import Draws
from ..surrogates.facilities import Facilities, is_named_place, other_room
from ..surrogates.identities import Identities
from ..surrogates.people import People
from ..surrogates.places import Places
from .age import Age
from .pseudonym import normalized_value
from .shift import Shift

_NO_SURROGATE = Fallback("no surrogate for it")
_FOLLOWING = 12


@part("surrogate")
class Surrogate(KeyedOperator):
    """Replaces PHI by a fictional value of the same type: another name, another town, a number of the same shape, a phone number
    from the range reserved for fiction, a shifted date. One person is one surrogate person, a town and its state
    fit each other, and a facility keeps its surrogate in short forms. Equal values get equal surrogates for one patient (or
    document). Values without a surrogate become placeholders, and without a key all values do.

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
    """Ages above it are written as `over 89`; others stay, because birth date and visit move by the same offset."""

    reads_as_text: ClassVar[bool] = True

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
        if top is PhiKind.AGE:
            above = self._age.mask(mention, context)
            following = context.text[mention.end : mention.end + _FOLLOWING]
            return generalized(mention.text, self.threshold, following) if isinstance(above, str) else above
        draws = context.remember(self, "draws", lambda: self._draws(context, secret))
        salts = context.remember(self, "salts", lambda: self._salts(context, secret))
        surrogate = self._surrogate(mention, context, draws, salts.get(mention.begin, ""))
        if surrogate is KEPT:
            return KEPT
        if not isinstance(surrogate, str) or not surrogate or surrogate.casefold() == mention.text.casefold():
            return _NO_SURROGATE
        return surrogate

    def normalize(self, mention: Mention, context: Context) -> str | None:
        readers = {PhiKind.DATE: self._shift, PhiKind.AGE: self._age}
        reader = readers.get(mention.kind.top)
        return None if reader is None else reader.normalize(mention, context)

    def disclose(self, context: Context, written: Sequence[Span], replaced: Sequence[Span]) -> dict[str, str]:
        return self._shift.disclose(context, written, replaced) if self.secret is not None else {}

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        readers = {PhiKind.DATE: self._shift, PhiKind.AGE: self._age}
        reader = readers.get(kind.top)
        return None if reader is None or self.secret is None else reader.field(value, kind, context)

    def _draws(self, context: Context, secret: KeyedHash) -> Draws:
        return Draws(secret.bound("surrogate", *context.subject(self.scope, self.patient)), context)

    def _surrogate(self, mention: Mention, context: Context, draws: Draws, salt: str) -> Outcome | None:
        kind, top = mention.kind, mention.kind.top
        if top is PhiKind.PERSON:
            return self._of_person(mention, context, draws, salt)
        places = context.remember(self, "places", lambda: Places(draws, context))
        facilities = context.remember(self, "facilities", lambda: Facilities(draws, context, places.known_place))
        if is_named_place(kind):
            return facilities.name(mention, salt)
        if kind is PhiKind.LOCATION_DEPARTMENT:
            return facilities.department(mention, salt)
        if kind is PhiKind.LOCATION_ROOM:
            return other_room(mention.text, draws, salt)
        if top is PhiKind.LOCATION:
            return places.place(mention, salt)
        if top is PhiKind.EMAIL and "@" not in mention.text:
            return None
        if top is PhiKind.EMAIL:
            people = self._people(context, draws)
            return shapes.mail(mention.text, people.local_part(mention.text, salt), facilities.slug)
        if top is PhiKind.URL:
            return shapes.web(mention.text, draws.choices, facilities.slug)
        return _other_value(mention, draws, salt, places)

    def _of_person(self, mention: Mention, context: Context, draws: Draws, salt: str) -> str | None:
        people = self._people(context, draws)
        if mention.kind is PhiKind.PERSON_INITIALS:
            return people.initials(mention, salt) if self.initials == "surrogate" else None
        return (
            people.user_name(mention, salt) if mention.kind is PhiKind.PERSON_USERNAME else people.name(mention, salt)
        )

    def _people(self, context: Context, draws: Draws) -> People:
        return context.remember(self, "people", lambda: People(draws, Identities.of(context)))

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


def _other_value(mention: Mention, draws: Draws, salt: str, places: Places) -> str | None:
    """Return a surrogate of a number, code, network address or profession, that equals no masked value."""
    kind, text, top = mention.kind, mention.text, mention.kind.top

    def make(choices: KeyedHash) -> str | None:
        if top is PhiKind.ID:
            makers = {PhiKind.ID_SSN: shapes.social_security, PhiKind.ID_CARD: shapes.card}
            maker = makers.get(kind)
            return maker(text, choices) if maker else shapes.same_shape(text, choices, f"id{salt}")
        if top is PhiKind.PHONE or top is PhiKind.FAX:
            return phones.phone(text, choices, places.home, places.area_codes)
        if top is PhiKind.IP:
            return shapes.hardware(text, choices) if kind is PhiKind.IP_MAC else shapes.internet(text, choices)
        return None

    if kind is PhiKind.OTHER and text.title() in pools.LANGUAGES:
        return draws.pick(pools.LANGUAGES, f"language {text.casefold()}", salt)
    if top is PhiKind.PROFESSION:
        return draws.pick(pools.PROFESSIONS, f"profession {text.casefold()}", salt)
    return draws.retry(make)
