"""Convolution: the bits of the reference from any layouts, into any, and nothing beside it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.kernels.plan import conv as planning
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import conv as operation
from dml_vk.testing import convolutions
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.matrices import assert_bits, operand, packed, values
from tests.kernel.memory import bits
from tests.kernel.nn.convolutions import check, expected_of
from tests.kernel.planned import planned
from tests.kernel.profiled import profiled

WAYS = {
    "3x3": ((2, 8, 9, 11), (16, 8, 3, 3), {"padding": 1}),
    "3x3, ragged": ((2, 7, 6, 5), (9, 7, 3, 3), {"padding": 1}),
    "stride": ((1, 4, 13, 9), (5, 4, 3, 3), {"padding": 1, "stride": 2}),
    "7x7": ((1, 3, 20, 22), (8, 3, 7, 7), {"padding": 3, "stride": 2}),
    "1x1": ((2, 12, 5, 7), (10, 12, 1, 1), {}),
    "1x1, in fours": ((2, 5, 4, 6), (3, 5, 1, 1), {}),
    "1x1, stride": ((2, 12, 5, 7), (10, 12, 1, 1), {"stride": (2, 3)}),
    "depthwise": ((2, 6, 8, 9), (6, 1, 3, 3), {"padding": 1, "groups": 6}),
    "depthwise, two each": ((2, 6, 8, 9), (12, 1, 3, 3), {"groups": 6}),
    "depthwise, in fours": ((2, 12, 7, 9), (12, 1, 3, 3), {"padding": 1, "groups": 12}),
    "depthwise, large": ((2, 4, 11, 12), (4, 1, 9, 8), {"padding": 2, "groups": 4}),
    "one position": ((1, 8, 3, 3), (5, 8, 3, 3), {}),
    "one output": ((2, 3, 4, 5), (1, 3, 2, 2), {}),
    "groups": ((2, 8, 7, 6), (12, 4, 3, 2), {"groups": 2, "padding": ((1, 0), (0, 1))}),
    "dilation": ((1, 4, 12, 11), (4, 4, 3, 3), {"dilation": (2, 3), "padding": (2, 3)}),
    "padding alone": ((1, 4, 2, 2), (4, 4, 1, 1), {"padding": 2, "stride": 2}),
    "line": ((3, 5, 30), (6, 5, 4), {"padding": ((2, 1),), "stride": 3}),
    "volume": ((2, 4, 5, 6, 7), (5, 4, 3, 2, 3), {"padding": 1, "stride": (2, 1, 1)}),
    "volume, groups": ((1, 4, 5, 4, 3), (4, 2, 2, 2, 2), {"groups": 2, "dilation": (2, 1, 1)}),
    "one": ((1, 1, 1, 1), (1, 1, 1, 1), {}),
    "few": ((1, 2, 2, 2), (3, 2, 1, 1), {}),
    "a whole input": ((4, 8, 3, 3), (16, 8, 3, 3), {}),
}
FORMATS = {3: (None, (0, 2, 1)), 4: (None, channels_last), 5: (None, (0, 2, 3, 4, 1))}


@pytest.fixture
def plans(monkeypatch):
    return planned(monkeypatch, operation, "plan_conv")


# Of x, of the weight, and the dtype.
IN_FORMATS = [(0, 0, float32), (1, 1, float16), (1, 0, float32), (0, 1, float16)]
IN_FORMATS += [(1, 1, float32), (0, 0, float16), (0, 1, float32), (1, 0, float16)]


def test_every_way_in_both_formats(plans):
    for name, (of_x, of_weight, dtype) in tier.crossed(WAYS, IN_FORMATS):
        x, weight, options = WAYS[name]
        formats = FORMATS[len(x)]
        a, b = packed(*x, order=formats[of_x]), packed(*weight, order=formats[of_weight])
        bias = packed(weight[0]) if of_x == 0 else None
        check(a, b, bias, dtype=dtype, told=(name, of_x, of_weight), **options)
    told = {pair for plan in plans for pair in zip(planning.KERNELS[0].spec, plan.spec)}
    flags = ("RAGGED", "BOUNDED", "BIAS", "X_READ", "WEIGHT_READ")
    wanted = {
        *[(flag, value) for flag in flags for value in (0, 1)],
        ("X_READ", 2),
        *[("DEEP", terms) for terms in (1, 4)],
        *[(span, size) for span in ("ROWS", "COLUMNS") for size in (1, 4, 8)],
        *[("LEVELS", levels) for levels in (1, 2)],
    }
    assert wanted <= told


def test_as_on_other_devices(profile):
    for name in ("3x3, ragged", "1x1", "groups", "volume, groups"):
        x, weight, options = WAYS[name]
        check(packed(*x), packed(*weight), packed(weight[0]), told=(name, profile), **options)


def test_large_tiles(plans, monkeypatch):
    monkeypatch.setattr(planning, "_LARGE", 0)
    planning.plan_conv.cache_clear()
    device = dml_vk.device()
    profile = dataclasses.replace(device.profile, units_wanted=0, tile_span=16, shuffles=False)
    with profiled(device, profile):
        for rows, order in tier.crossed((8, 16), (None, channels_last)):
            if rows == 8:
                x, weight = packed(2, 8, 7, 10, order=order), packed(17, 8, 3, 3, order=order)
                check(x, weight, packed(17), padding=1)
            else:
                check(packed(1, 4, 4, 8, order=order), packed(32, 4, 1, 1), dtype=float16)
            assert plans[-1].spec[6:8] == (rows, 16)


SHARED = {
    "3x3": ((2, 8, 5, 7), (35, 8, 3, 3), {"padding": 1}),
    "in fours": ((1, 8, 6, 9), (36, 8, 3, 3), {"padding": 1, "stride": 2}),
    "three inputs": ((1, 3, 9, 8), (16, 3, 5, 4), {"padding": 2, "stride": 2}),
    "groups": ((1, 8, 6, 6), (40, 4, 3, 2), {"groups": 2, "dilation": (1, 2)}),
    "1x1": ((3, 12, 2, 8), (20, 12, 1, 1), {}),
    "1x1, whole tiles": ((1, 4, 4, 8), (32, 4, 1, 1), {}),
    "volume": ((1, 4, 4, 5, 6), (16, 4, 2, 2, 2), {}),
}


def test_channels_that_lanes_share(plans):
    """Weights may also lie with their outputs together, as in HWIO."""
    planning.plan_conv.cache_clear()
    device = dml_vk.device()
    forms = [(1, float32, False), (0, float16, True), (0, float32, True), (1, float16, False)]
    forms += [(0, float16, False), (1, float16, True), (0, float32, False), (1, float32, True)]
    with profiled(device, device.profile):
        for name, (form, dtype, has_outputs_together) in tier.crossed(SHARED, forms):
            x, weight, options = SHARED[name]
            order = weights = FORMATS[len(x)][form]
            if has_outputs_together:
                weights = (*range(2, len(weight)), 1, 0)
            a, b = packed(*x, order=order), packed(*weight, order=weights)
            check(a, b, packed(weight[0]), dtype=dtype, told=(name, order, weights), **options)
    shared = [plan for plan in plans if plan.together > 1]
    assert bool(shared) == device.profile.shuffles
    told = {pair for plan in shared for pair in zip(planning.KERNELS[0].spec, plan.spec)}
    wanted = {
        *[("WEIGHT_READ", way) for way in (0, 1, 2)],
        *[("X_READ", way) for way in (0, 1, 2)],
        *[(flag, value) for flag in ("RAGGED", "BOUNDED") for value in (0, 1)],
        *[("DEEP", terms) for terms in (1, 4)],
    }
    assert wanted <= told or not shared


@settings(max_examples=60 if tier.is_all() else 6, deadline=None, derandomize=True)
@given(st.data())
def test_any_layouts(data):
    def draw(*values):
        return data.draw(st.sampled_from(values))

    rank, groups = draw(1, 2, 3), draw(1, 2, 3)
    inputs, outputs = draw(1, 2, 4), draw(1, 2, 3)
    kernel = [draw(1, 2, 3) for _ in range(rank)]
    dilation = [draw(1, 2) for _ in range(rank)]
    stride = [draw(1, 2, 3) for _ in range(rank)]
    padding = [(draw(0, 1, 3), draw(0, 1, 2)) for _ in range(rank)]
    sizes = []
    for width, apart, pair in zip(kernel, dilation, padding):
        least = (width - 1) * apart + 1 - sum(pair)
        sizes.append(max(0, least) + draw(0, 1, 4))
    x = data.draw(layouts(sizes=(draw(1, 2), groups * inputs, *sizes)))
    weight = data.draw(layouts(sizes=(groups * outputs, inputs, *kernel)))
    bias = data.draw(st.none() | layouts(sizes=(groups * outputs,)))

    def to(shape):
        return data.draw(targets(sizes=shape))

    check(
        *(x, weight, bias, to, draw(float32, float16)),
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
    )


def test_same_and_valid():
    (x, a), (w, b) = operand(packed(1, 2, 7, 8)), operand(packed(3, 2, 3, 2))
    for stride, pairs in ((1, ((1, 1), (0, 1))), (2, ((1, 1), (0, 0))), (3, ((1, 1), (0, 0)))):
        found = nn.conv(x, w, padding="same", stride=stride)
        assert found.shape[2:] == (-(-7 // stride), -(-8 // stride))
        assert_bits(found.numpy(), expected_of(a, b, padding=pairs, stride=stride), stride)
    assert_bits(nn.conv(x, w, padding="valid").numpy(), expected_of(a, b), "valid")


def test_windows_of_one_element_with_padding_at_the_end_alone():
    """Positions that are four in a row in the result are not so in x."""
    for end, sizes in tier.crossed((1, 2), ((2, 2), (3, 4), (2, 2, 2))):
        x = packed(1, 1, *sizes)
        for dim in range(len(sizes)):
            pairs = [(0, end * (k == dim)) for k in range(len(sizes))]
            check(x, packed(2, 1, *[1] * len(sizes)), padding=pairs, told=(sizes, pairs))


def test_padding_is_neither_read_nor_added():
    """Infinities in the weight meet no zeros, and those around a view of x are not read."""
    around = dml_vk.full((1, 1, 9, 9), float("nan"))
    x = around[:, :, 2:7, 2:7]
    x[...] = 1.0
    weight = np.ones((1, 1, 3, 3), np.float32)
    weight[0, 0, 0, 0] = np.inf
    found = nn.conv(x, dml_vk.asarray(weight), padding=1).numpy()[0, 0]
    assert np.array_equal(found[0], [4, 6, 6, 6, 4])
    assert np.array_equal(found[:, 0], [4, 6, 6, 6, 4])
    assert np.isinf(found[1:, 1:]).all()


def test_zeros_are_positive():
    x = dml_vk.full((1, 1, 3, 3), -0.0)
    weight = dml_vk.ones((1, 1, 1, 1))
    for padding in (0, 1):
        assert not bits(nn.conv(x, weight, padding=padding).numpy()).any()
    bias = dml_vk.full((1,), -0.0)
    assert not bits(nn.conv(x, weight, bias).numpy()).any()


def test_special_values():
    special = np.float32([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-40])
    for dtype in ("float32", "float16"):
        with np.errstate(over="ignore"):
            a = chance().choice(special, (2, 4, 6, 5)).astype(dtype)
            b = chance().choice(special[[0, 1, 2, 3, 6]], (3, 4, 2, 2)).astype(dtype)
        if dtype == "float32":  # Drivers may flush subnormal numbers.
            a[np.abs(a) < 1e-38] = 0
        found = nn.conv(dml_vk.asarray(a), dml_vk.asarray(b), padding=1).numpy()
        assert_bits(found, expected_of(a, b, padding=1), dtype)


def test_a_batch_is_its_samples():
    (x, _), (w, _) = operand(packed(8, 6, 9, 7)), operand(packed(10, 6, 3, 3))
    for memory_format in (dml_vk.contiguous_format, channels_last):
        of_batch = x.to(memory_format=memory_format)
        whole = nn.conv(of_batch, w, padding=1).numpy()
        for at in range(8):
            one = nn.conv(of_batch[at : at + 1], w, padding=1)
            assert_bits(one.numpy()[0], whole[at], at)


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (1, 5, 1, 1), (3, 1, 4, 4), (1, 1, 5, 1)])
def test_the_result_has_the_format_of_the_input(sizes):
    weight = dml_vk.ones((1, sizes[1], 1, 1))
    for memory_format in (dml_vk.contiguous_format, channels_last):
        x = dml_vk.ones(sizes, memory_format=memory_format)
        found = nn.conv(x, weight).layout
        assert found.order == x.layout.order
        assert found == Layout.packed(found.sizes, memory_format)


def test_nothing_is_copied():
    (x, _), (w, _) = operand(packed(2, 8, 9, 7)), operand(packed(6, 4, 3, 3))
    bias = dml_vk.ones(6)
    with dml_vk.trace(strict=True):
        for memory_format in (dml_vk.contiguous_format, channels_last):
            y = dml_vk.empty(x.shape, memory_format=memory_format)
            nn.conv(y, w, bias, groups=2, padding=1, activation="relu")
            half = dml_vk.empty(x.shape, "float16", memory_format=memory_format)
            nn.conv(half, w, bias, groups=2, padding=1, activation="relu")
            large = dml_vk.empty((1, 16, 40, 40), memory_format=memory_format)
            nn.conv(large, dml_vk.ones((32, 16, 3, 3)))


def test_long_sums_take_several_launches(plans):
    cases = [(1, 4095), (4, 6200), (1, 4097), (1, 12289), (3, 1400), (683, 6)]
    cases = tier.some(cases, 4)
    for inputs, window in cases:
        check(packed(1, inputs, window + 2), packed(2, inputs, window), packed(2), told=window)
    assert {len(plan.launches) for plan in plans} == {1}
    first_term = planning.KERNELS[0].spec.index("FIRST_TERM")
    firsts = [plan.spec[first_term] for plan in plans]
    terms = [inputs * window for inputs, window in cases]
    assert firsts == [first for one in terms for first in range(0, one, 12288)]


def test_long_sums_of_float16():
    check(packed(1, 1, 12400), packed(2, 1, 12390), packed(2), dtype=float16)


def test_errors_are_bounded_on_cancelling_data():
    a, b = values(float32, (1, 300, 6, 6)), values(float32, (4, 300, 3, 3))
    b[:, 150:] = -b[:, :150]
    a[:, 150:] = a[:, :150] * np.float32(1 + 2**-12)
    options = [1, 1], [(1, 1), (1, 1)], [1, 1], 1
    products = convolutions.terms(a.astype(np.float64), b, *options)
    x, w = a.astype(np.float64), b.astype(np.float64)
    exact = np.zeros((1, 4, 6, 6))
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    for down in range(3):
        for across in range(3):
            part = wide[:, :, down : down + 6, across : across + 6]
            exact += np.einsum("nchw,oc->nohw", part, w[:, :, down, across])
    found = nn.conv(dml_vk.asarray(a), dml_vk.asarray(b), padding=1).numpy()
    error = np.abs(found - exact)
    assert (error <= convolutions.error_bound(products)).all()
    assert error.max() > 0


def test_products_may_be_fused(plans):
    (x, a), (w, b) = operand(packed(1, 8, 6, 7)), operand(packed(5, 8, 3, 3))
    for padding in (0, 1):
        with dml_vk.settings(exact=False):
            found = nn.conv(x, w, padding=padding).numpy()
        expected = expected_of(a, b, padding=padding)
        products = convolutions.terms(a, b, [1, 1], [(padding, padding)] * 2, [1, 1], 1)
        assert (np.abs(found - expected) <= 2 * convolutions.error_bound(products)).all()
    assert all(plan.fma for plan in plans)


def test_activations_are_those_of_the_functions():
    (x, _), (w, _) = operand(packed(1, 3, 5, 5)), operand(packed(4, 3, 3, 3))
    plain = nn.conv(x, w)
    for activation, function in (
        ("relu", dml_vk.relu),
        ("gelu", dml_vk.gelu),
        ("tanh", dml_vk.tanh),
        (("leaky_relu", {"alpha": 0.25}), lambda y: dml_vk.leaky_relu(y, 0.25)),
        (["elu", {}], dml_vk.elu),
    ):
        found = nn.conv(x, w, activation=activation)
        assert_bits(found.numpy(), function(plain).numpy(), activation)
        out = dml_vk.empty(plain.shape)
        assert nn.conv(x, w, activation=activation, out=out) is out
        assert_bits(out.numpy(), found.numpy(), activation)


def test_float16_is_rounded_once_after_the_activation():
    (x, a), (w, b) = operand(packed(1, 3, 5, 5), float16), operand(packed(4, 3, 3, 3), float16)
    wide = nn.conv(dml_vk.asarray(a.astype(np.float32)), dml_vk.asarray(b.astype(np.float32)))
    expected = dml_vk.gelu(wide).astype(float16).numpy()
    assert_bits(nn.conv(x, w, activation="gelu").numpy(), expected, "gelu")


def test_dtypes_promote():
    (x, a), (w, b) = operand(packed(1, 4, 5, 5), float16), operand(packed(4, 4, 3, 3))
    assert_bits(nn.conv(x, w).numpy(), expected_of(a, b), "float16 by float32")
    assert_bits(nn.conv(w, x[:, :, :3, :3]).numpy(), expected_of(b, a[:, :, :3, :3]), "turned")


def test_a_result_may_be_an_operand():
    (x, a), (w, b) = operand(packed(1, 4, 5, 5)), operand(packed(4, 4, 3, 3))
    expected = expected_of(a, b, padding=1)
    assert nn.conv(x, w, padding=1, out=x) is x
    assert_bits(x.numpy(), expected, "x")


def test_without_terms_the_result_is_the_bias():
    bias = dml_vk.asarray([1.0, -2.0])
    empty = dml_vk.empty((2, 0, 4, 3)), dml_vk.empty((2, 0, 3, 3))
    assert not bits(nn.conv(*empty, padding=1).numpy()).any()
    found = nn.conv(*empty, bias, padding=1).numpy()
    assert np.array_equal(found, np.broadcast_to([[[1.0]], [[-2.0]]], (2, 2, 4, 3)))
    found = nn.conv(dml_vk.empty((1, 3, 0)), dml_vk.ones((2, 3, 1)), bias, padding=2).numpy()
    assert np.array_equal(found, [[[1.0] * 4, [-2.0] * 4]])
    assert nn.conv(dml_vk.empty((0, 3, 4)), dml_vk.ones((2, 3, 1))).shape == (0, 2, 4)


X, W = (2, 4, 6, 6), (4, 4, 3, 3)


@pytest.mark.parametrize(
    ("x", "weight", "options", "error", "message"),
    [
        ((2, 4), W, {}, LayoutError, "conv: x must have 3 to 5 dims"),
        (X, (4, 4, 3), {}, LayoutError, "conv: weight must have as many dims as x"),
        (X, (4, 3, 3, 3), {}, RangeError, "conv: groups must divide"),
        (X, W, {"groups": 3}, RangeError, "conv: groups must divide"),
        (X, W, {"groups": 0}, RangeError, "conv: groups must divide"),
        (X, (4, 4, 0, 3), {}, LayoutError, "conv: windows of the weight must have elements"),
        (X, (4, 4, 7, 3), {}, LayoutError, "conv: windows must fit into the padded input"),
        (X, W, {"stride": 0}, RangeError, "conv: stride must be from 1"),
        (X, W, {"padding": "full"}, RangeError, "conv: padding must be"),
        (X, W, {"activation": "sin"}, RangeError, "conv: activation must be one of positive"),
        (X, W, {"activation": ("elu", {"beta": 1})}, RangeError, "parameters of elu must be among"),
        (X, W, {"activation": ("gelu", {"beta": 1})}, RangeError, "gelu has no parameters"),
        (X, W, {"activation": ("elu", {"alpha": "a"})}, DTypeError, "conv: alpha must be a number"),
        (X, W, {"bias": (3,)}, LayoutError, r"conv: bias must have the shape \(4,\)"),
        (X, W, {"out": (2, 4, 6, 6)}, LayoutError, "conv: out must have the shape"),
    ],
)
def test_errors(x, weight, options, error, message):
    for name in ("bias", "out"):
        if name in options:
            options = {**options, name: dml_vk.ones(options[name])}
    with pytest.raises(error, match=message):
        nn.conv(dml_vk.ones(x), dml_vk.ones(weight), **options)


def test_wrong_types():
    x, w = dml_vk.ones(X), dml_vk.ones(W)
    with pytest.raises(DTypeError, match="conv: weight must be a Tensor"):
        nn.conv(x, 1.0)
    with pytest.raises(DTypeError, match="conv: bias must be a Tensor"):
        nn.conv(x, w, 1.0)
    with pytest.raises(DTypeError, match="conv: dtype must be one of float16, float32"):
        nn.conv(x.astype("int32"), w)
