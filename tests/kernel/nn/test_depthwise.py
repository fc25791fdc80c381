"""Convolutions of single channels: all ways to read, take and store them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.kernels.plan import depthwise as planning
from dml_vk.layout import channels_last
from dml_vk.ops import conv as operation
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.matrices import assert_bits, packed
from tests.kernel.nn.convolutions import check

# (sizes of x, windows, options)
WAYS = {
    "3x3": ((2, 8, 9, 16), (3, 3), {"padding": 1}),
    "ragged": ((2, 5, 7, 9), (3, 3), {"padding": 1}),
    "few windows": ((1, 8, 4, 4), (3, 3), {"padding": 1}),
    "one window": ((3, 12, 3, 3), (3, 3), {}),
    "stride": ((1, 4, 13, 12), (3, 3), {"padding": 1, "stride": 2}),
    "steps across windows": ((1, 4, 9, 24), (2, 2), {"stride": (3, 4)}),
    "dilation": ((1, 4, 12, 16), (3, 3), {"dilation": (2, 3), "padding": (2, 3)}),
    "far apart": ((1, 4, 45, 90), (3, 3), {"dilation": (20, 40)}),
    "a row of windows": ((1, 4, 9, 12), (5, 7), {"padding": (2, 3)}),
    "padding on one side": ((1, 4, 6, 8), (2, 3), {"padding": ((1, 0), (0, 2))}),
    "padding alone": ((1, 4, 1, 4), (1, 1), {"padding": 5, "stride": 3}),
    "line": ((2, 8, 20), (4,), {"padding": ((2, 1),)}),
    "volume": ((2, 4, 5, 6, 8), (3, 2, 3), {"padding": 1, "stride": (2, 1, 1)}),
    "volume padded at its end": ((1, 4, 4, 5, 8), (2, 2, 3), {"padding": ((0, 1), (0, 0), (1, 1))}),
}
FORMATS = {3: (None, (0, 2, 1)), 4: (None, channels_last), 5: (None, (0, 2, 3, 4, 1))}


@pytest.fixture
def plans(monkeypatch):
    """What has been planned."""
    made = []

    def spy(*given, **named):
        made.append(planning.plan_depthwise(*given, **named))
        return made[-1]

    monkeypatch.setattr(operation, "plan_depthwise", spy)
    return made


def check_way(x, window, options, order, dtype, bias):
    weight = (x[1], 1, *window)
    given = packed(*x, order=order), packed(*weight, order=order), packed(x[1]) if bias else None
    check(*given, dtype=dtype, told=(x, window, order), groups=x[1], **options)


def test_every_way_in_both_formats(plans):
    forms = [(0, float32), (1, float16), (1, float32), (0, float16)]
    for name, (form, dtype) in tier.crossed(WAYS, forms):
        x, window, options = WAYS[name]
        check_way(x, window, options, FORMATS[len(x)][form], dtype, bias=form == 0)
    told = {pair for plan in plans for pair in zip(planning.KERNELS[0].spec, plan.spec)}
    wanted = {
        *[(flag, value) for flag in ("BIAS", "DST_QUADS", "SURE_2") for value in (0, 1)],
        *[("X_READ", way) for way in (0, 1, 2)],
        *[("CHANNELS", size) for size in (1, 4)],
        *[("DOWN", size) for size in (1, 2)],
        *[("ACROSS", size) for size in (4, 8)],
        *[("WEIGHT_QUADS", value) for value in (0, 1)],
    }
    assert wanted <= told


def test_as_on_other_devices(profile):
    for name, form in tier.crossed(("3x3", "ragged", "volume"), (1, 0)):
        check_way(*WAYS[name], FORMATS[len(WAYS[name][0])][form], float32, bias=True)


@tier.examples(30, deadline=None, derandomize=True)
@given(st.data())
def test_any_layouts(data):
    def draw(*values):
        return data.draw(st.sampled_from(values))

    rank, channels = draw(1, 2, 3), draw(1, 3, 4, 8)
    kernel = [draw(1, 2, 3) for _ in range(rank)]
    dilation = [draw(1, 2) for _ in range(rank)]
    padding = [(draw(0, 1, 3), draw(0, 1, 2)) for _ in range(rank)]
    sizes = []
    for width, apart, pair in zip(kernel, dilation, padding):
        least = (width - 1) * apart + 1 - sum(pair)
        sizes.append(max(1, least) + draw(0, 1, 8))
    x = data.draw(layouts(sizes=(draw(1, 2), channels, *sizes)))
    weight = data.draw(layouts(sizes=(channels, 1, *kernel)))
    bias = data.draw(st.none() | layouts(sizes=(channels,)))

    def to(shape):
        return data.draw(targets(sizes=shape))

    check(
        *(x, weight, bias, to, draw(float32, float16)),
        stride=[draw(1, 2, 3) for _ in range(rank)],
        padding=padding,
        dilation=dilation,
        groups=channels,
    )


def test_activations_are_those_of_the_functions(plans):
    for order in (dml_vk.contiguous_format, channels_last):
        x = dml_vk.random.Generator(1).normal((1, 8, 5, 9)).to(memory_format=order)
        weight = dml_vk.full((8, 1, 3, 3), 0.125)
        plain = nn.conv(x, weight, groups=8, padding=1)
        for name in ("relu", "gelu"):
            found = nn.conv(x, weight, groups=8, padding=1, activation=name)
            assert_bits(found.numpy(), getattr(dml_vk, name)(plain).numpy(), name)
    in_a_loop = planning.KERNELS[0].spec.index("ONE_BY_ONE")
    assert {plan.spec[in_a_loop] for plan in plans} == {0, 1}


def test_products_may_be_fused(plans):
    x, weight = dml_vk.ones((1, 4, 6, 7)), dml_vk.ones((4, 1, 3, 3))
    with dml_vk.settings(exact=False):
        found = nn.conv(x, weight, groups=4).numpy()
    assert (found == 9).all()
    assert [plan.fma for plan in plans] == [True]
