"""The learning rate in the last epochs."""

from __future__ import annotations

import pytest

from caspipe.annotators.neural.examples import Options
from caspipe.annotators.neural.optimizers import Adam


def rates(epochs: int, cool_down: int) -> list[float]:
    options = Options(
        optimizer=Adam(),
        epochs=epochs,
        cool_down=cool_down,
        patience=0,
        batch=1,
        clip=0.0,
        select="f1",
        precision_floor=0.0,
        thresholds=(0.8, 0.9),
        average=1,
        seed=1,
        device="cpu",
        threads=1,
    )
    return [options.rate_of(epoch) for epoch in range(1, epochs + 1)]


@pytest.mark.parametrize(
    ("epochs", "cool_down", "expected"),
    [
        (3, 0, [1.0, 1.0, 1.0]),
        (5, 3, [1.0, 1.0, 0.7, 0.4, 0.1]),
        (2, 2, [0.55, 0.1]),
        (1, 9, [0.1]),
    ],
)
def test_the_rate_falls_to_a_tenth_in_the_last_epochs(epochs: int, cool_down: int, expected: list[float]) -> None:
    assert rates(epochs, cool_down) == pytest.approx(expected)
