import gc
from collections.abc import Iterator

import pytest

from caspipe.typesystem.garbage_collection import garbage_collection_paused, start_garbage_collection


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize("enabled", [True, False])
def test_a_pause_ends_as_it_began_also_after_an_error(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with pytest.raises(ValueError), garbage_collection_paused():
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled() is enabled


def test_collection_begins_with_what_is_built_from_now_on() -> None:
    gc.disable()
    start_garbage_collection()
    assert gc.isenabled() and gc.get_freeze_count() > 0


def test_nothing_is_excluded_if_collection_is_on() -> None:
    before = gc.get_freeze_count()
    start_garbage_collection()
    assert gc.isenabled() and gc.get_freeze_count() == before
