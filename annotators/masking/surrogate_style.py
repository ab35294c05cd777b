"""The switch from placeholders to surrogates: which operators a masker uses instead of those of its configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...pipeline.errors import ResourceError
from ...typesystem import PhiKind
from .operator import KeyedOperator, Operator
from .operators.age import Age
from .operators.placeholder import Placeholder
from .operators.shift import Shift
from .operators.surrogate import Surrogate


def surrogate_of(kinds: Mapping[PhiKind, Operator], default: Operator) -> Surrogate:
    """Return the operator that writes surrogates, with the key, patient and scope of the configured operator that has a key:
    the one for dates before others. Raises ValueError if there is none.
    """
    keyed = next(_keyed(kinds, default), None)
    if keyed is None:
        raise ValueError(
            "surrogates: expected an operator with a key, such as DATE: {shift: {key: ...}}; found none; its key is used "
            "for surrogates too"
        )
    if isinstance(keyed, Surrogate):
        return keyed
    ages = [operator.threshold for operator in kinds.values() if isinstance(operator, Age)]
    scope = keyed.scope if isinstance(keyed, Shift) else "patient"
    return Surrogate(key=keyed.key, patient=keyed.patient, scope=scope, threshold=min(ages, default=89))


def with_surrogates(kinds: Mapping[PhiKind, Operator], surrogate: Surrogate) -> dict[PhiKind, Operator]:
    """Return the operators of the kinds, with surrogates instead of placeholders and ages, and shifted dates in the layout of the
    text. Other operators (`keep`, `year`, `zip3`, `pseudonym`) stay."""
    return {kind: _replaced(operator, surrogate) for kind, operator in kinds.items()}


def require_key(surrogate: Surrogate, masker: str) -> None:
    """Raise ResourceError without a key: who asks for surrogates must not get placeholders instead."""
    if surrogate.secret is None:
        raise ResourceError(
            f"{masker}: surrogates need a key: set CASPIPE_KEY if the configuration says ${{CASPIPE_KEY:-}}, or give "
            "key: file:PATH; `caspipe key secret -o caspipe.key` creates one"
        )


def _keyed(kinds: Mapping[PhiKind, Operator], default: Operator) -> Iterator[KeyedOperator]:
    for operator in (default, kinds.get(PhiKind.DATE), *kinds.values()):
        if isinstance(operator, KeyedOperator):
            yield operator


def _replaced(operator: Operator, surrogate: Surrogate) -> Operator:
    if isinstance(operator, Shift):
        return replace(operator, style="original") if operator.style == "text" else operator
    return surrogate if isinstance(operator, Placeholder | Age) else operator
