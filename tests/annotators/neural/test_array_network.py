"""The network in NumPy gives the scores that PyTorch gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.neural.arrays.network import ArrayNetwork
from caspipe.annotators.neural.arrays.weights import Weights

from .small_arrays import document
from .small_networks import CHARACTERS, ENCODERS, arrays, batch, network, plan

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

from caspipe.annotators.neural._torch.network import Tensors  # noqa: E402

pytestmark = pytest.mark.neural


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("characters", CHARACTERS)
@given(lengths=st.lists(st.integers(1, 12), min_size=1, max_size=12), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_scores_are_those_of_pytorch(encoder: str, characters: str, lengths: list[int], seed: int) -> None:
    made = plan(encoder, characters)
    net, some = network(made), batch(lengths, seed)
    with torch.inference_mode():
        expected = net(Tensors.of(some)).numpy()[some.mask]
    np.testing.assert_allclose(ArrayNetwork(made, Weights(arrays(net)))(document(some)), expected, atol=1e-5)
