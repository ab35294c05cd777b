"""A text is searched for words with signs and compounds only if it may contain one: the result is that of the whole search."""

from __future__ import annotations

import re
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from caspipe.annotators.leak_gate import disguised_words
from caspipe.annotators.leak_gate.disguised_words import find_disguised

ALWAYS = re.compile("")
words = st.text("abcZOR!|@$+ 1é_", max_size=24)


@given(words, st.booleans())
@example("Zorb!att", False)
@example("JaneZorblatt", False)
@example("JANEzorblatt", False)
@example("ZorblatT", False)
@example("étéJaneZorb", False)
def test_the_result_is_that_of_the_whole_search(text: str, joined: bool) -> None:
    short = list(find_disguised(text, True, joined))
    with patch.object(disguised_words, "_SIGN_HINT", ALWAYS), patch.object(disguised_words, "_HUMP_HINT", ALWAYS):
        assert list(find_disguised(text, True, joined)) == short
