"""The rule file `rooms`, which is not part of `identifiers`."""

from __future__ import annotations

import pytest

from caspipe.annotators.identifiers import IdentifierAnnotator
from caspipe.annotators.patterns import RuleFile
from caspipe.typesystem import Cas

ROOMS = RuleFile.load("rooms")


def test_the_rules_do_what_their_examples_say() -> None:
    assert ROOMS.faults() == []


@pytest.mark.parametrize("text", ["room 412B", "Room #412", "bed 2", "rm 3-101", "Bay 4"])
def test_rooms_and_beds_are_found_by_their_own_file_only(text: str) -> None:
    (match,) = ROOMS.matcher.find(text)
    assert match.kind is not None and match.kind.name == "LOCATION_ROOM"
    assert list(IdentifierAnnotator().annotate(Cas(text).view())) == []
