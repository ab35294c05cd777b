"""A trained network as an ONNX graph, written node by node, so that ONNX Runtime alone can apply it.

Inputs are those of `Batch` (`mask` as numbers), the output `scores` of shape (B, T, L) is that of `Network.forward`. Written
from the weights, not traced: no example input, no axis is fixed, and the same weights give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import Array
from .extras import need
from .parts import CharCnn, FeedForward, IdCnnEncoder, LstmEncoder, WindowEncoder
from .plan import Plan

OPSET = 17
"""Old enough for every ONNX Runtime since 1.12 (2022)."""
_IR = 8


class _Graph:
    """Nodes and constants in the order in which they are asked for."""

    def __init__(self, who: str) -> None:
        self.onnx = need("onnx", "neural", who)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[Any, str] = {}

    def add(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """The name of the node's output, or names where there are several."""
        names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(self.onnx.helper.make_node(op, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def array(self, value: Array) -> str:
        value = np.ascontiguousarray(value)
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self._known:
            self._known[key] = f"c{len(self.constants)}"
            self.constants.append(self.onnx.numpy_helper.from_array(value, self._known[key]))
        return self._known[key]

    def ints(self, *values: int) -> str:
        return self.array(np.array(values, dtype=np.int64))

    def linear(self, x: str, weight: Array, bias: Array | None) -> str:
        made = self.add("MatMul", x, self.array(weight.T))
        return made if bias is None else str(self.add("Add", made, self.array(bias)))

    def model(self, inputs: Mapping[str, tuple[Any, list[str]]], output: str, labels: int) -> bytes:
        helper, types = self.onnx.helper, self.onnx.TensorProto
        self.nodes.append(helper.make_node("Identity", [output], ["scores"]))
        graph = helper.make_graph(
            self.nodes,
            "caspipe",
            [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info("scores", types.FLOAT, ["B", "T", labels])],
            self.constants,
        )
        made = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR, producer_name="caspipe"
        )
        self.onnx.checker.check_model(made, full_check=True)
        return bytes(made.SerializeToString(deterministic=True))


def graph_of(plan: Plan, arrays: Mapping[str, Array], who: str) -> bytes:
    """The graph of a network. Raises ResourceError where the library `onnx` is not installed."""
    g = _Graph(who)
    types = g.onnx.TensorProto
    inputs: dict[str, tuple[Any, list[str]]] = {}
    tokens: list[str] = []
    if plan.tokens is not None:
        inputs["words"] = (types.INT64, ["B", "T"])
        tokens.append(g.add("Gather", g.array(arrays["words.weight"]), "words"))
    if plan.characters is not None:
        inputs |= {
            "characters": (types.INT64, ["U", "C"]),
            "sizes": (types.INT64, ["U"]),
            "forms": (types.INT64, ["B", "T"]),
        }
        tokens.append(g.add("Gather", _characters(g, plan, arrays), "forms"))
    if plan.attributes is not None and plan.sizes["attributes"] + plan.sizes["numbers"]:
        if plan.sizes["attributes"]:
            inputs["attributes"] = (types.INT64, ["B", "T", "K"])
        if plan.sizes["numbers"]:
            inputs["numbers"] = (types.FLOAT, ["B", "T", str(plan.sizes["numbers"])])
        tokens.append(_attributes(g, plan, arrays))
    x = tokens[0] if len(tokens) == 1 else g.add("Concat", *tokens, axis=2)
    if isinstance(plan.encoder, LstmEncoder):
        inputs["lengths"] = (types.INT64, ["B"])
        lengths = g.add("Cast", "lengths", to=types.INT32)
        for i in range(plan.encoder.layers):
            x = _lstm(g, x, lengths, arrays, f"encoder.layers.{i}")
    elif isinstance(plan.encoder, IdCnnEncoder):
        inputs["mask"] = (types.FLOAT, ["B", "T"])
        x = _id_cnn(g, x, plan.encoder, arrays)
    elif isinstance(plan.encoder, WindowEncoder):
        inputs["mask"] = (types.FLOAT, ["B", "T"])
        x = _windows(g, x, plan.encoder, arrays)
    else:
        raise TypeError(f"no ONNX form of the encoder {plan.encoder.name}")
    return g.model(inputs, g.linear(x, arrays["out.weight"], arrays["out.bias"]), len(plan.labels))


def _lstm(g: _Graph, x: str, lengths: str, arrays: Mapping[str, Array], name: str, last: bool = False) -> str:
    """(B, T, D), (B,) -> (B, T, 2 width), or (B, 2 width) of the last states."""
    both = [_gates(arrays, f"{name}.{direction}") for direction in ("forwards", "backwards")]
    w, r, b = (np.stack([one[i] for one in both]) for i in range(3))
    width = r.shape[2]
    along = g.add("Transpose", x, perm=[1, 0, 2])
    all_, states, _ = g.add(
        "LSTM",
        along,
        g.array(w),
        g.array(r),
        g.array(b),
        lengths,
        outputs=3,
        direction="bidirectional",
        hidden_size=width,
    )
    if last:  # (2, U, width)
        return str(g.add("Reshape", g.add("Transpose", states, perm=[1, 0, 2]), g.ints(-1, 2 * width)))
    turned = g.add("Transpose", all_, perm=[2, 0, 1, 3])  # (T, 2, B, width) -> (B, T, 2, width)
    return str(g.add("Reshape", turned, g.ints(0, 0, 2 * width)))


def _gates(arrays: Mapping[str, Array], name: str) -> tuple[Array, Array, Array]:
    """Weights of one direction with the gates in ONNX's order: input, output, forget, cell."""

    def ordered(array: Array) -> Array:
        i, f, c, o = np.split(array, 4)
        return np.concatenate([i, o, f, c])

    both = [ordered(arrays[f"{name}.bias_{x}_l0"]) for x in ("ih", "hh")]
    w, r = (ordered(arrays[f"{name}.weight_{x}_l0"]) for x in ("ih", "hh"))
    return w, r, np.concatenate(both)


def _characters(g: _Graph, plan: Plan, arrays: Mapping[str, Array]) -> str:
    """(U, C), (U,) -> (U, size)."""
    x = g.add("Gather", g.array(arrays["characters.vectors.weight"]), "characters")
    if not isinstance(plan.characters, CharCnn):
        sizes = g.add("Cast", "sizes", to=g.onnx.TensorProto.INT32)
        return _lstm(g, x, sizes, arrays, "characters.lstm", last=True)
    shape = g.add("Shape", "characters")
    most = g.add("Squeeze", g.add("Slice", shape, g.ints(1), g.ints(2)), g.ints(0))
    zero, one = g.array(np.array(0, dtype=np.int64)), g.array(np.array(1, dtype=np.int64))
    places = g.add("Unsqueeze", g.add("Range", zero, most, one), g.ints(0))
    there = g.add("Less", places, g.add("Unsqueeze", "sizes", g.ints(1)))
    there = g.add("Unsqueeze", g.add("Cast", there, to=g.onnx.TensorProto.FLOAT), g.ints(1))  # (U, 1, C)
    x = g.add("Mul", g.add("Transpose", x, perm=[0, 2, 1]), there)
    found = []
    for i, width in enumerate(plan.characters.widths):
        y = _convolution(g, x, arrays, f"characters.convolutions.{i}", 1, width)
        y = g.add("Mul", g.add("Relu", y), there)  # answers upon filling become 0, which is the least there is
        found.append(g.add("ReduceMax", y, axes=[2], keepdims=0))
    return found[0] if len(found) == 1 else str(g.add("Concat", *found, axis=1))


def _convolution(g: _Graph, x: str, arrays: Mapping[str, Array], name: str, dilation: int, width: int) -> str:
    pad = dilation * (width // 2)
    w, b = (g.array(arrays[f"{name}.{x}"]) for x in ("weight", "bias"))
    return str(g.add("Conv", x, w, b, dilations=[dilation], pads=[pad, pad], kernel_shape=[width]))


def _attributes(g: _Graph, plan: Plan, arrays: Mapping[str, Array]) -> str:
    """(B, T, K), (B, T, V) -> (B, T, last width)."""
    assert isinstance(plan.attributes, FeedForward)
    x = g.array(arrays["attributes.bias"])
    if plan.sizes["attributes"]:
        rows = arrays["attributes.rows"].copy()
        rows[0] = 0.0  # filling
        summed = g.add("ReduceSum", g.add("Gather", g.array(rows), "attributes"), g.ints(2), keepdims=0)
        x = g.add("Add", summed, x)
    if plan.sizes["numbers"]:
        x = g.add("Add", g.linear("numbers", arrays["attributes.numbers.weight"], None), x)
    x = g.add("Relu", x)
    for i in range(len(plan.attributes.widths) - 1):
        x = g.add("Relu", g.linear(x, arrays[f"attributes.layers.{i}.weight"], arrays[f"attributes.layers.{i}.bias"]))
    return str(x)


def _id_cnn(g: _Graph, x: str, encoder: IdCnnEncoder, arrays: Mapping[str, Array]) -> str:
    """(B, T, D) -> (B, T, filters)."""
    there = g.add("Unsqueeze", "mask", g.ints(1))
    y = g.add("Mul", g.add("Transpose", x, perm=[0, 2, 1]), there)
    y = g.add("Mul", g.add("Relu", _convolution(g, y, arrays, "encoder.entry", 1, encoder.width)), there)
    for _ in range(encoder.repeats):
        for i, d in enumerate(encoder.dilations):
            y = _convolution(g, y, arrays, f"encoder.block.{i}", d, encoder.width)
            y = g.add("Mul", g.add("Relu", y), there)
    return str(g.add("Transpose", y, perm=[0, 2, 1]))


def _windows(g: _Graph, x: str, encoder: WindowEncoder, arrays: Mapping[str, Array]) -> str:
    """(B, T, D) -> (B, T, last width)."""
    half, size = encoder.size // 2, arrays["encoder.lstm.forwards.weight_ih_l0"].shape[1]
    x = g.add("Mul", x, g.add("Unsqueeze", "mask", g.ints(2)))
    padded = g.add("Pad", x, g.ints(0, half, 0, 0, half, 0))
    parts = []
    for k in range(encoder.size):
        stop = k - (encoder.size - 1)
        end = g.ints(stop if stop else np.iinfo(np.int64).max)
        parts.append(g.add("Unsqueeze", g.add("Slice", padded, g.ints(k), end, g.ints(1)), g.ints(2)))
    windows = parts[0] if len(parts) == 1 else g.add("Concat", *parts, axis=2)  # (B, T, window, D)
    shape = g.add("Shape", windows)
    flat = g.add("Reshape", windows, g.ints(-1, encoder.size, size))
    count = g.add("Slice", g.add("Shape", flat), g.ints(0), g.ints(1))
    full = g.add("Expand", g.array(np.array([encoder.size], dtype=np.int32)), count)
    states = _lstm(g, flat, full, arrays, "encoder.lstm")  # (B x T, window, 2 width)
    y = g.add("Gather", states, g.array(np.array(half, dtype=np.int64)), axis=1)
    for i in range(len(encoder.dense)):
        y = g.add("Relu", g.linear(y, arrays[f"encoder.dense.{i}.weight"], arrays[f"encoder.dense.{i}.bias"]))
    width = encoder.dense[-1] if encoder.dense else 2 * encoder.width
    leading = g.add("Slice", shape, g.ints(0), g.ints(2))
    return str(g.add("Reshape", y, g.add("Concat", leading, g.ints(width), axis=0)))
