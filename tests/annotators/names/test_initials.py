"""The first pass over a text for initials: it never hides a family of initials that `re` would find."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.names import initials

PIECES = (
    "TEC/mdq jrw/pb D: Dict pt Patient Mr. J.S. A. A.-B. RN kl attending rk Dr signed by typed: QC seen w/ d/w (ab) -DW -dw "
    "– AB XY é \xa0 \t \r \n . ) ] , : = / - BP dr"
).split(" ")


@given(st.lists(st.sampled_from([*PIECES, "\n", " ", "\ud800"]), max_size=8), st.sampled_from(["", " "]))
@settings(max_examples=400)
def test_the_first_pass_never_hides_a_family(pieces: list[str], joint: str) -> None:
    text = joint.join(pieces)
    matching = {number for number, (pattern, _, _) in enumerate(initials._FAMILIES) if pattern.search(text)}
    assert matching <= set(initials._occurring(text))


def test_most_texts_have_none() -> None:
    assert not initials._occurring("The patient was seen and left. BP 120/80, no rest.\n")
