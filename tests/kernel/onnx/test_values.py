"""What ONNX's own tests do not try: rare types, old opsets and edges, against plain NumPy."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from dml_vk.onnx import Backend, load
from tests import tier
from tests.kernel.onnx.models import node, of_nodes, parsed

F = np.float32
ROW = np.array([[-4, -1, 0, 3]], np.int32)
SQUARE = np.arange(36, dtype=F).reshape(1, 1, 6, 6)
GRID = np.array([-2, -1, -0.4, 0.2, 1, 2], F)
IMAGE = np.random.default_rng(3).standard_normal((2, 4, 3, 3)).astype(F)
LINE = np.array([[[10, 20]]], np.uint8)


def _grid(size, mode, border, inputs):
    attributes = {"mode": mode, "padding_mode": border, "align_corners": 1}
    return node("GridSample", ["x", "g"], ["y"], **attributes), [SQUARE[..., :size], inputs]


def _points():
    along = np.stack(np.broadcast_arrays(GRID[None, :], GRID[:, None]), axis=-1)
    at = np.clip(np.rint((GRID + 1) / 2 * 5), 0, 5).astype(int)
    return along[None], SQUARE[:, :, at][:, :, :, at]


def _resize(x, scales, opset, **attributes):
    inputs = ["x", "s"] if opset < 11 else ["x", "r", "s"]
    given = [x, *([] if opset < 11 else [np.zeros(0, F)]), np.array(scales, F)]
    return node("Resize", inputs, ["y"], **attributes), given, opset


def _group_norm():
    parts = IMAGE.reshape(2, 2, -1)
    mean, var = parts.mean(2, keepdims=True), parts.var(2, keepdims=True)
    scale = np.array([2, 3], F)[:, None]
    return ((parts - mean) / np.sqrt(var + 1e-5) * scale + 1).reshape(IMAGE.shape)


def _layer_norm():
    mean, var = IMAGE.mean(-1, keepdims=True), IMAGE.var(-1, keepdims=True)
    return (IMAGE - mean) / np.sqrt(var + 1e-5)


def _norm(p):
    return (np.abs(IMAGE.astype(float)) ** p).sum((2, 3), keepdims=True) ** (1 / p)


A = np.array([[1, 2], [3, 4], [5, 6]], np.int32)
PAST = np.zeros((1, 1, 4, 2), F)
TALL = np.arange(24, dtype=F).reshape(1, 1, 6, 4)
HALF = 1 / (1 + np.exp(-0.5))
SCALE = np.array(0.5, F)
CASES = {
    "slopes of integers": (
        (node("PRelu", ["x", "s"], ["y"]), [ROW, np.array([3], np.int32)]),
        np.where(ROW < 0, ROW * 3, ROW),
    ),
    "no infinity": (
        (node("IsInf", ["x"], ["y"], detect_negative=0, detect_positive=0), [F([np.inf, 1])]),
        np.zeros(2, bool),
    ),
    "pools of regions": (
        (
            node("MaxRoiPool", ["x", "r"], ["y"], pooled_shape=[2, 2]),
            [SQUARE, np.array([[0, 1, 1, 4, 4]], F)],
        ),
        SQUARE[:, :, 2:5:2, 2:5:2],
    ),
    "the nearest elements of a grid, with borders": (
        _grid(6, "nearest", "border", _points()[0]), _points()[1],
    ),
    "a mirrored grid of one column": (
        _grid(1, "nearest", "reflection", np.array([[[[0.7, -1]]]], F)), SQUARE[..., :1, :1],
    ),
    "groups by scales of groups": (
        (
            node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=2),
            [IMAGE, F([2, 3]), F([1, 1])],
            18,
        ),
        _group_norm(),
    ),
    "layers without their means": (
        (node("LayerNormalization", ["x", "s"], ["y"]), [IMAGE, np.ones(3, F)]), _layer_norm(),
    ),
    **{
        f"global pools of the norm {p}": (
            (node("GlobalLpPool", ["x"], ["y"], p=p), [IMAGE]), _norm(p).astype(F),
        )
        for p in (1, 2, 3)
    },
    "products of integers": (
        (node("Gemm", ["a", "b"], ["y"], transA=1, alpha=2.0), [A, A]), 2 * A.T @ A,
    ),
    "products and sums of integers": (
        (node("Gemm", ["a", "b", "c"], ["y"], transB=1, beta=3.0), [A, A, A[:, :1]]),
        A @ A.T + 3 * A[:, :1],
    ),
    "quantized integers": (
        (node("QuantizeLinear", ["x", "s"], ["y"], output_dtype=3), [ROW * 40, SCALE], 23),
        np.int8([[-128, -80, 0, 127]]),
    ),
    "integers by a vector": (
        (
            node("MatMulInteger", ["a", "b", "", "z"], ["y"]),
            [np.array([1, 2], np.uint8), A[:2].astype(np.uint8), np.uint8(1)],
        ),
        np.array([1, 2], np.int32) @ (A[:2] - 1),
    ),
    "resized by factors alone": (
        _resize(SQUARE, [1, 1, 2, 1], 10, mode="nearest"), SQUARE.repeat(2, axis=2),
    ),
    "resized bytes, with halves to even": (
        _resize(LINE, [1, 1, 2], 13, mode="linear"), np.uint8([[[10, 12, 18, 20]]]),
    ),
    "resized float16": (
        _resize(LINE.astype(np.float16), [1, 1, 2], 13, mode="linear"),
        np.float16([[[10, 12.5, 17.5, 20]]]),
    ),
    "resized from half pixels": (
        _resize(
            LINE, [1, 1, 2], 11, mode="nearest", nearest_mode="floor",
            coordinate_transformation_mode="tf_half_pixel_for_nn",
        ),
        LINE.repeat(2, axis=2),
    ),
    "a part that replaces the first one": (
        (node("TensorScatter", ["x", "u"], ["y"]), [PAST, np.ones((1, 1, 1, 2), F)], 24),
        np.pad(np.ones((1, 1, 1, 2), F), ((0, 0), (0, 0), (0, 3), (0, 0))),
    ),
    "places of a number": ((node("NonZero", ["x"], ["y"]), [F(3)]), np.zeros((0, 1), np.int64)),
    "a mirror of one element": (
        (node("Pad", ["x", "p"], ["y"], mode="reflect"), [F([7]), np.array([2, 1])]),
        np.full(4, 7, F),
    ),
    "windows without padding": (
        (
            node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[4, 4], auto_pad="VALID"),
            [SQUARE],
        ),
        SQUARE[:, :, 1::4, 1::4],
    ),
    "places of the greatest by columns": (
        (
            node("MaxPool", ["x"], ["", "y"], kernel_shape=[2, 2], strides=[2, 2], storage_order=1),
            [TALL],
        ),
        np.array([[[[7, 19], [9, 21], [11, 23]]]]),
    ),
    "a window of which a part lies beyond the padded input": (
        (node("MaxPool", ["x"], ["y"], kernel_shape=[4], strides=[3]), [F([[[2, 7, 5]]])]),
        F([[[7]]]),
    ),
    "a mean of what such a window sees": (
        (
            node(
                "AveragePool", ["x"], ["y"], kernel_shape=[4], strides=[2], dilations=[2],
                pads=[1, 2],
            ),
            [F([[[2, 7, 5]]])],
        ),
        F([[[7]]]),
    ),
    "a mean of what such a window sees, padding too": (
        (
            node(
                "AveragePool", ["x"], ["y"], kernel_shape=[4], strides=[2], dilations=[2],
                pads=[1, 2], count_include_pad=1,
            ),
            [F([[[2, 7, 5]]])],
        ),
        F([[[7 / 3]]]),
    ),
    "no window, where a stride more is missing": (
        (node("LpPool", ["x"], ["y"], kernel_shape=[5, 1], strides=[2, 1]), [SQUARE[:, :, :3]]),
        np.zeros((1, 1, 0, SQUARE.shape[3]), F),
    ),
    "gates that are clipped": (
        (
            node("GRU", ["x", "w", "r"], ["", "y"], hidden_size=1, clip=0.5),
            [F([[[2]]]), F([[[0], [0], [1]]]), np.zeros((1, 3, 1), F)],
        ),
        F([[[np.tanh(0.5) / 2]]]),
    ),
    "cells that are clipped": (
        (
            node("LSTM", ["x", "w", "r"], ["", "y"], hidden_size=1, clip=0.5),
            [F([[[2]]]), np.ones((1, 4, 1), F), np.zeros((1, 4, 1), F)],
        ),
        F([[[HALF * np.tanh(HALF * np.tanh(0.5))]]]),
    ),
    "a list of floats": ((node("Constant", [], ["y"], value_floats=[0.1, 2]), []), F([0.1, 2])),
    "a list of integers": (
        (node("Constant", [], ["y"], value_ints=[1, 2]), []), np.array([1, 2]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_node_gives_what_numpy_gives(name):
    (one, inputs, *opset), expected = CASES[name]
    named = {"opset_version": opset[0]} if opset else {}
    *_, found = Backend.run_node(one, inputs, **named)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize(
    ("kind", "numbers"), [(21, [1, 15, 7]), (22, [-8, 7, -1]), (25, [3, 0, 2]), (26, [-2, 1, -1])]
)
def test_constants_of_a_few_bits_are_held_in_bytes(kind, numbers):
    tensor = helper.make_tensor("w", kind, [3], numbers)
    data = bytes(one & 255 for one in tensor.int32_data)
    raw = onnx.TensorProto(name="r", data_type=kind, dims=[3], raw_data=data)
    nodes = [node("Cast", ["w"], ["y"], to=6), node("Cast", ["r"], ["z"], to=6)]
    model = of_nodes(*nodes, constants=[tensor, raw], inputs=(), outputs=("y", "z"))
    assert [one.tolist() for one in load(model)().values()] == [numbers, numbers]


def _inner(tensor, q, d):
    """The branch of an If that quantizes by what lies outside."""
    made = onnx.helper.make_empty_tensor_value_info("y")
    branch = helper.make_graph([q, d], "branch", [], [made])
    yes = node("Constant", [], ["yes"], value=helper.make_tensor("", 9, [], [True]))
    return [yes, node("If", ["yes"], ["y"], then_branch=branch, else_branch=branch)], [tensor]


WAYS = {
    "initializer": lambda tensor, q, d: ([q, d], [tensor]),
    "constant": lambda tensor, q, d: ([node("Constant", [], ["z"], value=tensor), q, d], []),
    "moved": lambda tensor, q, d: (
        [node("Constant", [], ["c"], value=tensor), node("Identity", ["c"], ["z"]), q, d],
        [],
    ),
    "outside": _inner,
}


@pytest.mark.parametrize("precise", [False, True])
@pytest.mark.parametrize("way", [*WAYS, "attribute"])
@pytest.mark.parametrize(("kind", "low", "high"), [(21, 0, 15), (22, -8, 7), (26, -2, 1)])
def test_small_integers_are_quantized_to_their_own_limits(kind, low, high, way, precise):
    x = np.linspace(-20, 20, 97, dtype=F)
    point = 0 if way == "attribute" else high - 1
    inputs = ["x", "s"] if way == "attribute" else ["x", "s", "z"]
    more = {"output_dtype": kind} if way == "attribute" else {}
    q = node("QuantizeLinear", inputs, ["q"], **more, **({"precision": 1} if precise else {}))
    d = node("Cast", ["q"], ["y"], to=6)
    tensor = helper.make_tensor("z", kind, [], [point])
    nodes, constants = WAYS.get(way, lambda tensor, q, d: ([q, d], []))(tensor, q, d)
    scale = helper.make_tensor("s", 1, [], [1.25])
    model = of_nodes(*nodes, constants=[scale, *constants], opset=23)
    expected = np.clip(np.rint(x / F(1.25)) + point, low, high)
    assert load(model)(x)["y"].numpy().tolist() == expected.tolist()


def test_float64_in_place_of_float32_is_computed_in_float64():
    text = """f (float[n] x) => (float[n] y) <float s = {0.1}, uint8 z = {100}> {
        q = QuantizeLinear(x, s, z)
        d = DequantizeLinear(q, s, z)
        e = DequantizeLinear(q, s)
        t = Mul(d, e)
        c = Constant <value = float {0.3}> ()
        y = Add(t, c)
    }"""
    x = np.array([-1.26, 0, 3.14159])
    found = load(parsed(text), dtype="float64")(x)["y"].numpy()
    scale, third = float(F(0.1)), float(F(0.3))
    whole = np.rint(x / scale)
    np.testing.assert_allclose(found, whole * scale * ((whole + 100) * scale) + third, rtol=1e-15)


DRAWS = {
    "RandomNormal": {"mean": 3.0, "scale": 2.0, "shape": [100, 80]},
    "RandomNormalLike": {"mean": 3.0, "scale": 2.0},
    "RandomUniform": {"low": -1.0, "high": 7.0, "shape": [100, 80]},
    "RandomUniformLike": {"low": -1.0, "high": 7.0},
}


@tier.parametrize("op dtype", DRAWS, [None, 1, 11])
def test_draws_have_their_mean_and_spread_and_go_on_from_run_to_run(op, dtype):
    inputs = ["x"] if op.endswith("Like") else []
    kind = {} if dtype is None else {"dtype": dtype}
    models = [
        load(of_nodes(node(op, inputs, ["y"], seed=seed, **DRAWS[op], **kind), inputs=inputs))
        for seed in (1.5, 1.5, 2.0)
    ]
    given = [np.zeros((100, 80), F)] * len(inputs)
    first, same, other = [one(*given)["y"].numpy() for one in models]
    assert first.dtype == (np.float64 if dtype == 11 else F)
    assert abs(first.mean() - 3) < 0.15
    assert abs(first.std() - (2 if "Normal" in op else 8 / 12**0.5)) < 0.1
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, models[0](*given)["y"].numpy())


def test_draws_go_on_where_a_model_runs_node_by_node():
    draw = node("RandomUniform", [], ["r"], shape=[3], seed=1.0)
    nodes = [node("NonZero", ["x"], ["i"]), node("Shape", ["i"], ["y"])]
    model = load(of_nodes(draw, *nodes, outputs=("r", "y")))
    first, second = [model(F([1, 0]))["r"].tolist() for _ in range(2)]
    assert model.explain().startswith("node by node")
    assert first != second


def test_classes_are_drawn_by_their_probabilities():
    x = np.log(np.array([[0.7, 0.2, 0.1], [0.05, 0.05, 0.9]])).astype(F)
    one = node("Multinomial", ["x"], ["y"], sample_size=4000, dtype=7, seed=1.0)
    (found,) = Backend.run_node(one, [x])
    assert found.dtype == np.int64
    shares = [[np.mean(row == k) for k in range(3)] for row in found]
    np.testing.assert_allclose(shares, np.exp(x), atol=0.03)
