import pickle
import re

import pytest

from caspipe.pipeline.storage.lazy_regex import lazy_regex


def test_a_lazy_regex_answers_as_a_compiled_one() -> None:
    late, compiled = lazy_regex(r"(?P<a>b+)", re.IGNORECASE), re.compile(r"(?P<a>b+)", re.IGNORECASE)
    for text in ("aBBb", "xyz", ""):
        for method in ("match", "search", "fullmatch"):
            one, other = getattr(late, method)(text), getattr(compiled, method)(text)
            assert (one and one.span("a")) == (other and other.span("a"))
        assert late.findall(text) == compiled.findall(text)
        assert late.sub("-", text) == compiled.sub("-", text)
    assert (late.pattern, late.flags, dict(late.groupindex)) == (compiled.pattern, compiled.flags, {"a": 1})


def test_it_compiles_at_first_use_and_not_before() -> None:
    faulty = lazy_regex("(")
    with pytest.raises(re.error):
        faulty.search("text")


def test_it_pickles_before_and_after_use() -> None:
    late = lazy_regex("b", re.IGNORECASE)
    for _ in range(2):
        found = pickle.loads(pickle.dumps(late)).search("aB")
        assert found is not None and found.span() == (1, 2)
        late.search("a")
