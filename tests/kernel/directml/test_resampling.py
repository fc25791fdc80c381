"""DirectML's resampling and linear quantization against NumPy, in any layout."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.directml import (
    AxisDirection,
    DataType,
    ElementWiseDequantizeLinear,
    ElementWiseQuantizeLinear,
    InterpolationMode,
    Resample,
    Resample1,
    Resample2,
    Resample3,
    Upsample2D,
)
from dml_vk.directml.quantization import INTEGERS
from tests import tier
from tests.kernel.directml.running import (
    F16,
    F32,
    FLOATS,
    FORMS,
    assert_bits,
    assert_close,
    desc,
    dtype_of,
    filled,
    only,
    some,
)

NEAREST, LINEAR = InterpolationMode
I8, U8, I32 = DataType.INT8, DataType.UINT8, DataType.INT32
forms = st.sampled_from(FORMS)
sources = st.sampled_from([*FORMS, "repeated"])
ROUNDINGS = {
    None: lambda at: floor(at + Fraction(1, 2)),
    AxisDirection.INCREASING: ceil,
    AxisDirection.DECREASING: floor,
}


def resampled(x, sizes, mode, scales, own, other, direction=None):
    """In float64, one dim after the other, from DirectML's formula."""
    x = x.astype(np.float64)
    for dim, (to, scale, offset, output) in enumerate(zip(sizes, scales, own, other)):
        size = x.shape[dim]
        step = Fraction(size, to)
        if np.float32(to / size) != np.float32(scale):
            step = 1 / Fraction(float(np.float32(scale)))
        places = [(i - Fraction(output)) * step - Fraction(offset) for i in range(to)]
        if mode is NEAREST:
            index = [min(max(ROUNDINGS[direction](at), 0), size - 1) for at in places]
            x = np.take(x, index, axis=dim)
            continue
        places = [min(max(at, 0), size - 1) for at in places]
        low = [floor(at) for at in places]
        part = np.array([float(at - k) for at, k in zip(places, low)])
        part = part.reshape(-1, *[1] * (x.ndim - dim - 1))
        high = [min(k + 1, size - 1) for k in low]
        x = np.take(x, low, axis=dim) * (1 - part) + np.take(x, high, axis=dim) * part
    return x


def check(operator, scales, own, other, direction=None, over=()):
    arrays = filled(operator)
    found = only(operator, arrays, over)
    ways = operator.output.sizes, operator.interpolation_mode, scales, own, other, direction
    exact = resampled(arrays["input"], *ways)
    if operator.interpolation_mode is NEAREST:
        assert_bits(found, exact.astype(found.dtype))
    elif found.dtype.kind == "f":
        assert_close(found, exact, 2e-6)
    else:
        assert np.abs(found - exact).max() <= 0.5 + 1e-5


@some
@given(st.data())
def test_any_dims_by_any_scale(data):
    cls, rank = (
        data.draw(st.sampled_from([Resample, Resample1, Resample2])),
        data.draw(st.integers(1, 4)),
    )
    mode = data.draw(st.sampled_from(InterpolationMode))
    kind = data.draw(st.sampled_from([F32, F16, I8, U8]))
    sizes = [data.draw(st.integers(1, 5)) for _ in range(rank)]
    scales = [data.draw(st.sampled_from([1.0, 1.0, 2.0, 1 / 3, 0.6, 1.7])) for _ in range(rank)]
    to = [
        max(1, round(size * scale) + data.draw(st.sampled_from([0, 0, 1])))
        for size, scale in zip(sizes, scales)
    ]
    own, other, direction = [0.5] * rank, [-0.5] * rank, None
    named = {"interpolation_mode": mode, "scales": scales}
    if cls is not Resample:
        offsets = st.sampled_from([0.5, 0.0, -0.25])
        own, other = [[data.draw(offsets) for _ in range(rank)] for _ in range(2)]
        named |= {"input_pixel_offsets": own, "output_pixel_offsets": other}
    if cls is Resample2:
        direction = data.draw(st.sampled_from(AxisDirection))
        named["rounding_direction"] = direction
    operator = cls(desc(kind, sizes, data.draw(sources)), desc(kind, to, data.draw(forms)), **named)
    over = data.draw(st.sampled_from([(), {"output": "input"}]))
    check(operator, scales, own, other, direction, over)


@tier.parametrize("rank mode", [1, 2, 3, 4], InterpolationMode)
def test_dims_one_at_a_time_and_all_at_once(rank, mode):
    """Also where the others cannot be one dim of a tensor, and where some scales are no ratios."""
    sizes = (2, 3, 4, 5)[:rank]
    half, other = [0.5] * rank, [-0.5] * rank
    kinds = [(F32, "gaps", "gaps"), (F16, "reversed", "packed")]
    numbers = tier.some(range(2 << rank), 7)  # bits: dims with another scale, one that is no ratio
    for number, (kind, form, to_form) in tier.crossed(numbers, kinds):
        scales = [2.0 if number >> dim & 1 else 1.0 for dim in range(rank)]
        if number >> rank:
            scales = [2.5 if scale == 2 and dim % 2 else scale for dim, scale in enumerate(scales)]
        to = [size * (2 if scale > 1 else 1) for size, scale in zip(sizes, scales)]
        tensors = desc(kind, sizes, form), desc(kind, to, to_form)
        operator = Resample(*tensors, scales=scales, interpolation_mode=mode)
        check(operator, scales, half, other)


@pytest.mark.parametrize("mode", InterpolationMode, ids=lambda one: one.name)
def test_images_magnified(mode):
    for sizes, scale in (((2, 3, 4, 5), (3, 2)), ((1, 2, 2, 3, 4), (1, 2)), ((1, 1, 2, 2), (1, 1))):
        *kept, height, width = sizes
        to = (*kept, height * scale[1], width * scale[0])
        scales = [*[1.0] * len(kept), *scale[::-1]]
        half = [0.5] * len(sizes)
        tensors = desc(F32, sizes, "interleaved"), desc(F32, to, "gaps")
        operator = Upsample2D(*tensors, scale_size=scale, interpolation_mode=mode)
        check(operator, scales, half, [-one for one in half])


@pytest.mark.parametrize("direction", AxisDirection, ids=lambda one: one.name)
def test_a_scale_that_is_the_ratio_of_the_sizes_is_exact(direction):
    """The FLOAT for a third is larger than that, and so places would be before the elements."""
    corners = {"input_pixel_offsets": [0], "output_pixel_offsets": [0]}
    operator = Resample2(
        *(desc(F32, (9,)), desc(F32, (3,))), rounding_direction=direction, scales=[1 / 3], **corners
    )
    assert only(operator, {"input": np.arange(9, dtype=np.float32)}).tolist() == [0, 3, 6]


def test_elements_that_stay_do_not_meet_their_neighbours():
    """0 times infinity would be NaN."""
    x = np.float32([[1, np.inf, -0.0], [np.nan, 2, -np.inf]])
    tensor, taller = desc(F32, (2, 3)), desc(F32, (4, 3))
    same = Resample(tensor, tensor, scales=(1, 1), interpolation_mode=LINEAR)
    assert_bits(only(same, {"input": x}), x)
    operator = Resample(tensor, taller, scales=(2, 1), interpolation_mode=LINEAR)
    found = only(operator, {"input": np.float32([[1, np.inf, 3], [1, np.inf, 3]])})
    assert_bits(found[:, ::2], np.float32([[1, 3]] * 4))


SMALL = st.sampled_from([I8, U8])


@some
@given(st.data())
def test_quantization(data):
    kind, to = data.draw(st.sampled_from([F32, F16, I32])), data.draw(SMALL)
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=8))
    own = F32 if kind is I32 else kind
    operator = ElementWiseQuantizeLinear(
        desc(kind, sizes, data.draw(sources)),
        desc(own, sizes, data.draw(sources)),
        desc(to, sizes, data.draw(sources)) if data.draw(st.booleans()) else None,
        desc(to, sizes, data.draw(forms)),
    )
    arrays = filled(operator)
    arrays["scale"] = np.abs(arrays["scale"]) + arrays["scale"].dtype.type(0.01)
    x, scale = arrays["input"].astype(np.float32), arrays["scale"].astype(np.float32)
    limits = np.iinfo(dtype_of(to))
    steps = np.rint(x / scale) + arrays.get("zero_point", np.int8(0)).astype(np.float32)
    expected = np.clip(steps, limits.min, limits.max).astype(dtype_of(to))
    names = [name for name in arrays if getattr(operator, name).layout.numel]
    over = {"output": data.draw(st.sampled_from(names))}
    assert_bits(only(operator, arrays, over), expected)


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda one: one.name)
def test_dequantization(kind):
    """The differences are exact where the type itself has not the bits for them."""
    limits = np.iinfo(dtype_of(kind))
    x = np.array([limits.min, limits.max, 3, limits.max, limits.min], dtype_of(kind))
    point = np.array([limits.max, limits.min, 1, limits.max, 0], dtype_of(kind))
    scale = np.array([1, 0.5, -2, 3, 0.001])
    for own, form, has in ((F32, "packed", True), (F16, "gaps", True), (F32, "reversed", False)):
        tensor, of_scale = desc(kind, (5,), form), desc(own, (5,), form)
        operator = ElementWiseDequantizeLinear(
            *(tensor, of_scale, tensor if has else None), desc(own, (5,), form)
        )
        arrays = {"input": x, "scale": scale.astype(dtype_of(own))}
        steps = x.astype(np.int64)
        if has:
            arrays["zero_point"], steps = point, steps - point.astype(np.int64)
        with np.errstate(over="ignore"):
            wide = steps.astype(np.float32) * arrays["scale"].astype(np.float32)
            expected = wide.astype(dtype_of(own))
        for over in ((), *({"output": name} for name in arrays)):
            assert_bits(only(operator, arrays, over), expected)


@some
@given(FLOATS, st.lists(st.integers(1, 3), min_size=1, max_size=8), forms)
def test_there_and_back(kind, sizes, form):
    """Integers are dequantized, and quantized to what they were."""
    bytes_, floats, scale = desc(U8, sizes, form), desc(kind, sizes), desc(kind, sizes, "repeated")
    back = ElementWiseDequantizeLinear(bytes_, scale, bytes_, floats)
    half = np.full(sizes, 0.5, dtype_of(kind))
    arrays = filled(back, scale=half)
    there = ElementWiseQuantizeLinear(floats, scale, bytes_, bytes_)
    point = arrays["zero_point"]
    found = only(there, {"input": only(back, arrays), "scale": half, "zero_point": point})
    assert_bits(found, arrays["input"])


def stretched(x, sizes, scales):
    """Means of float64 under triangles as wide as 2 / scale, one dim after the other."""
    x = x.astype(np.float64)
    for dim, (to, scale) in enumerate(zip(sizes, scales)):
        size = x.shape[dim]
        weights = np.zeros((to, size))
        for k in range(to):
            at = (k + 0.5) / scale - 0.5
            reach = max(1, 1 / scale)
            for j in range(floor(at - reach), ceil(at + reach) + 1):
                weight = max(0.0, 1 - abs(j - at) / reach)
                weights[k, min(max(j, 0), size - 1)] += weight
        weights /= weights.sum(1, keepdims=True)
        x = np.moveaxis(np.tensordot(weights, x, (1, dim)), 0, dim)
    return x


@tier.parametrize("kind form sizes", [F32, F16, I8, U8], FORMS, [(4, 7), (10, 21), (22, 3)])
def test_antialiasing_of_dims_that_shrink_by_more_than_two(kind, form, sizes):
    x, to = desc(kind, (2, 3, 22, 21), form), (2, 3, *sizes)
    scales = [b / a for a, b in zip(x.sizes, to)]
    y = desc(kind, to, form)
    fields = {"interpolation_mode": LINEAR, "scales": scales}
    operator = Resample3(x, y, **fields, antialiased=True)
    arrays = filled(operator)
    found, exact = only(operator, arrays), stretched(arrays["input"], to, scales)
    error = {F32: 1e-5, F16: 3e-3}.get(kind, 0.502)
    np.testing.assert_allclose(found, exact, rtol=0, atol=error)
    plain = only(Resample2(x, y, **fields), arrays)
    assert not np.array_equal(found, plain)
    np.testing.assert_array_equal(only(Resample3(x, y, **fields), arrays), plain)


def test_dims_that_shrink_by_two_are_not_antialiased():
    x, y = desc(F32, (1, 1, 8, 9)), desc(F32, (1, 1, 4, 9))
    fields = {"interpolation_mode": LINEAR, "scales": (1, 1, 0.5, 1)}
    operator = Resample3(x, y, **fields, antialiased=True)
    arrays = filled(operator)
    plain = only(Resample2(x, y, **fields), arrays)
    np.testing.assert_array_equal(only(operator, arrays), plain)
