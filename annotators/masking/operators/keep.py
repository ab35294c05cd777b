"""`keep`: the text stays readable."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..context import Context
from ..mention import Mention
from ..operator import KEPT, Operator, Outcome


@part("keep")
class Keep(Operator):
    """Leaves the text as it is. If a candidate of a masked kind overlaps it, that part is masked all the same."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return KEPT

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        return value
