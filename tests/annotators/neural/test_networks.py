"""Networks: padding changes nothing, gradients and probabilities agree with brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .small_networks import CHARACTERS, ENCODERS, LABELS, SIZES, batch, network, plan

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

from caspipe.annotators.neural._torch.chain import Chain  # noqa: E402
from caspipe.annotators.neural._torch.network import Tensors  # noqa: E402
from caspipe.annotators.neural.parts import Crf, Softmax  # noqa: E402
from caspipe.annotators.neural.plan import NEVER  # noqa: E402
from caspipe.annotators.sequence.labels import follows  # noqa: E402
from caspipe.annotators.sequence.lattice import Lattice  # noqa: E402
from caspipe.annotators.sequence.viterbi import viterbi  # noqa: E402

pytestmark = pytest.mark.neural


def scores(net: object, given_: object) -> object:
    with torch.inference_mode():
        return net(Tensors.of(given_)).numpy()


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("characters", CHARACTERS)
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4), seed=st.integers(0, 99), filling=st.integers(1, 6))
@settings(max_examples=15, deadline=None)
def test_filling_never_changes_a_score(
    encoder: str, characters: str, lengths: list[int], seed: int, filling: int
) -> None:
    net = network(plan(encoder, characters))
    bare, filled = scores(net, batch(lengths, seed)), scores(net, batch(lengths, seed, filling))
    for row, n in enumerate(lengths):
        np.testing.assert_allclose(filled[row, :n], bare[row, :n], atol=2e-5)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_sequence_scores_the_same_alone_and_beside_others(encoder: str) -> None:
    net = network(plan(encoder))
    several = batch([5, 9, 2])
    together = scores(net, several)
    for row, n in enumerate([5, 9, 2]):
        alone = batch([n])
        alone.characters, alone.sizes = several.characters, several.sizes
        for name in ("words", "forms", "attributes", "numbers"):
            setattr(alone, name, getattr(several, name)[row : row + 1, :n])
        np.testing.assert_allclose(scores(net, alone)[0], together[row, :n], atol=2e-5)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("decoder", [Crf(), Softmax()], ids=["crf", "softmax"])
def test_gradients_are_those_of_small_differences(encoder: str, decoder: object) -> None:
    net = network(plan(encoder, "char_cnn", decoder)).double()
    tensors = Tensors.of(batch([4, 2]))
    tensors.numbers = tensors.numbers.double()
    labels = torch.tensor([[1, 2, 0, 3], [0, 1, 0, 0]])

    def loss() -> object:
        total, n = net.loss(tensors, labels)
        return total.double() / n

    loss().backward()
    step, tried = 1e-3, 0  # the CRF's loss is handed on as a float32: differences must be large enough to show
    for name, value in net.named_parameters():
        where = int(value.grad.abs().argmax())
        if value.grad.abs().max() < 1e-2:
            continue
        with torch.no_grad():
            flat = value.view(-1)
            before = flat[where].item()
            flat[where] = before + step
            up = float(loss())
            flat[where] = before - step
            down = float(loss())
            flat[where] = before
        assert (up - down) / (2 * step) == pytest.approx(float(value.grad.view(-1)[where]), rel=0.02, abs=2e-3), name
        tried += 1
    assert tried > 5


def path_score(emissions: object, chain: Chain, path: tuple[int, ...]) -> float:
    pairs, starts, ends = (x.detach().double().numpy() for x in chain.scores())
    total = starts[path[0]] + ends[path[-1]] + sum(emissions[i, k] for i, k in enumerate(path))
    return float(total + sum(pairs[a, b] for a, b in itertools.pairwise(path)))


@given(seed=st.integers(0, 10_000), n=st.integers(1, 5), constrained=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_chains_loss_best_path_and_marginals_are_those_of_all_paths(seed: int, n: int, constrained: bool) -> None:
    made = plan(decoder=Crf(constrained=constrained), labels=LABELS[:3])
    chance = np.random.default_rng(seed)
    chain = Chain(3, torch.from_numpy(made.forbidden()))
    with torch.no_grad():
        for value in chain.parameters():
            value.copy_(torch.from_numpy(chance.normal(0, 2, value.shape)))
    emissions = chance.normal(0, 2, (n, 3))
    paths = list(itertools.product(range(3), repeat=n))
    totals = np.array([path_score(emissions, chain, p) for p in paths])
    log_sum = np.logaddexp.reduce(totals)
    gold = paths[int(chance.integers(len(paths)))]
    loss = chain.loss(torch.from_numpy(emissions)[None], torch.tensor([gold]), torch.ones(1, n, dtype=torch.bool))
    assert float(loss.detach()) == pytest.approx(log_sum - path_score(emissions, chain, gold), rel=1e-5, abs=1e-4)

    pairs, starts, ends = (x.detach().double().numpy() for x in chain.scores())
    decided = emissions.copy()
    decided[0] += starts
    decided[-1] += ends
    best = viterbi(decided, [(0, n)], pairs)
    assert path_score(emissions, chain, tuple(best)) == pytest.approx(float(totals.max()))
    if constrained:
        names = [made.labels[i] for i in best]
        assert all(follows(a, b) for a, b in itertools.pairwise(["O", *names]))
    marginals = Lattice(decided, pairs).marginals()
    weights = np.exp(totals - log_sum)
    for i in range(n):
        for k in range(3):
            expected = sum(w for w, p in zip(weights, paths, strict=True) if p[i] == k)
            assert marginals[i, k] == pytest.approx(expected, abs=1e-9)


def test_filling_does_not_enter_the_chains_loss() -> None:
    chain = Chain(len(LABELS), torch.from_numpy(plan().forbidden()))
    emissions = torch.randn(1, 4, len(LABELS), generator=torch.Generator().manual_seed(1))
    labels = torch.tensor([[0, 1, 2, 0]])
    alone = chain.loss(emissions[:, :3], labels[:, :3], torch.ones(1, 3, dtype=torch.bool))
    filled = chain.loss(emissions, labels, torch.tensor([[True, True, True, False]]))
    assert float(alone.detach()) == pytest.approx(float(filled.detach()), rel=1e-6)


def test_what_an_encoding_cannot_write_is_ruled_out() -> None:
    bilou = ("O", "B-AGE", "I-AGE", "L-AGE", "U-AGE")
    forbidden = plan(labels=bilou, encoding="bilou").forbidden()
    allowed = {
        (bilou[i] if i < 5 else "", bilou[j] if j < 5 else "") for i, j in zip(*np.nonzero(forbidden == 0), strict=True)
    }
    assert ("B-AGE", "L-AGE") in allowed and ("I-AGE", "L-AGE") in allowed and ("", "U-AGE") in allowed
    assert not allowed & {("O", "I-AGE"), ("B-AGE", "O"), ("", "L-AGE"), ("B-AGE", ""), ("U-AGE", "I-AGE")}
    assert set(np.unique(forbidden)) == {0.0, NEVER}


def test_where_answers_are_not_wanted_windows_are_not_gone_through() -> None:
    net = network(plan("window"))
    tensors = Tensors.of(batch([6, 3]))
    keep = torch.tensor([[True, False, False, True, False, False], [False, True, False, False, False, False]])
    with torch.inference_mode():
        whole, some = net(tensors), net(tensors, keep)
    np.testing.assert_allclose(some[keep], whole[keep], atol=1e-6)


def test_sizes_of_the_helper_are_those_of_the_plan() -> None:
    assert dict(plan().sizes) == SIZES
