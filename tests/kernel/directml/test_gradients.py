"""DirectML's gradients of images beside float64: what NumPy's loops send back, in any layout."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dml_vk.directml import (
    AxisDirection,
    DataType,
    InterpolationMode,
    LocalResponseNormalizationGrad,
    ReduceFunction,
    ResampleGrad,
    ResampleGrad1,
    RoiAlignGrad,
)
from tests import tier
from tests.kernel.directml.running import F16, F32, FORMS, assert_close, call, desc, filled, only
from tests.kernel.directml.test_resampling import resampled

NEAREST, LINEAR = InterpolationMode
AVERAGE, MAX = ReduceFunction.AVERAGE, ReduceFunction.MAX
ERRORS = {F32: 2e-5, F16: 2e-3}
LIE = tier.crossed([F32, F16], FORMS)


@tier.parametrize("tensors numbers", LIE, list(itertools.product([True, False], [1, 3, 4])))
def test_gradients_of_local_responses(tensors, numbers):
    (kind, form), (across, size) = tensors, numbers
    sizes = (2, 5, 3, 4)
    tensors = [desc(kind, sizes, form)] * 3
    numbers = {"alpha": 0.5, "beta": 0.75, "bias": 2.0}
    operator = LocalResponseNormalizationGrad(
        *tensors, cross_channel=across, local_size=size, **numbers
    )
    arrays = filled(operator)
    x, gradient = [arrays[name].astype(np.float64) for name in ("input", "input_gradient")]
    windows = [slice(None)] * 4
    exact, sums = np.zeros(sizes), np.empty(sizes)
    # Elements whose squares count for an element: an even size has one more after it.
    before, after = (size - 1) // 2, size // 2
    near = {}
    for place in np.ndindex(sizes):
        own = [slice(k, k + 1) for k in place]
        for dim in (1,) if across else (2, 3):
            own[dim] = slice(max(0, place[dim] - before), place[dim] + after + 1)
        near[place] = tuple(own)
        sums[place] = 2.0 + 0.5 / size * (x[tuple(own)] ** 2).sum()
    for place, windows in near.items():
        exact[place] += gradient[place] * sums[place] ** -0.75
        slope = -0.75 * x[place] * sums[place] ** -1.75 * (0.5 / size) * 2 * x[windows]
        exact[windows] += gradient[place] * slope
    found = only(operator, arrays)
    assert_close(found, exact, ERRORS[kind])
    for over in ("input", "input_gradient"):
        assert np.array_equal(only(operator, arrays, {"output_gradient": over}), found)


RESAMPLED = [
    # The sizes of the gradient and of the result, the scales, and offsets of both.
    ((2, 3, 8, 3), (2, 3, 4, 5), (1, 1, 2, 0.6), 0.5, -0.5),
    ((2, 3, 5, 7), (2, 3, 3, 4), (1, 1, 1.7, 1.5), 0.0, 0.25),
    ((4, 2, 3, 2), (2, 4, 3, 2), (2, 0.5, 1, 1), 0.5, -0.5),
]


@tier.parametrize(
    "tensors case mode direction", LIE, range(3), InterpolationMode, [None, *AxisDirection]
)
def test_gradients_of_resampling(tensors, case, mode, direction):
    """Beside the sum over all elements of the result of what each reads of each."""
    kind, form = tensors
    large, small, scales, own, other = RESAMPLED[case]
    named = {
        "interpolation_mode": mode,
        "scales": scales,
        "input_pixel_offsets": [own] * 4,
        "output_pixel_offsets": [other] * 4,
    }
    cls = ResampleGrad
    if direction is not None:
        cls, named["rounding_direction"] = ResampleGrad1, direction
    operator = cls(desc(kind, large, form), desc(kind, small, form), **named)
    arrays = filled(operator)
    gradient = arrays["input_gradient"].astype(np.float64)
    exact = np.empty(small)
    for place in np.ndindex(small):
        unit = np.zeros(small)
        unit[place] = 1
        read = resampled(unit, large, mode, scales, [own] * 4, [other] * 4, direction)
        exact[place] = (gradient * read).sum()
    found = only(operator, arrays)
    assert_close(found, exact, ERRORS[kind])
    assert np.array_equal(only(operator, arrays, {"output_gradient": "input_gradient"}), found)


def test_the_example_of_directmls_page():
    """Nearest elements below, 1.5 times as wide and half as high."""
    tensors, corners = (desc(F32, (1, 3)), desc(F32, (2, 2))), {"input_pixel_offsets": (0, 0)}
    operator = ResampleGrad1(*tensors, scales=(0.5, 1.5), output_pixel_offsets=(0, 0), **corners)
    found = only(operator, {"input_gradient": np.float32([[4, 5, 6]])})
    assert found.tolist() == [[9, 6], [0, 0]]


def region_gradients(operator, a):
    """By loops over samples, in float64, from the formula of RoiAlign1."""
    o, (images, channels, *sizes) = operator, operator.input.sizes
    of_image, of_corners = np.zeros(o.input.sizes), np.zeros((len(a["roi"]), 4))
    counts, scales = a["input_gradient"].shape[2:], (o.spatial_scale_y, o.spatial_scale_x)
    for region, (left, top, right, bottom) in enumerate(a["roi"]):
        image = min(a["batch_indices"][region], images - 1)
        dims = [
            samples_along(o, first * scale, last * scale, count, size)
            for first, last, scale, count, size in zip(
                (top, left), (bottom, right), scales, counts, sizes
            )
        ]
        for channel, row, column in np.ndindex(channels, *counts):
            gradient = a["input_gradient"][region, channel, row, column]
            plane = a["input"][image, channel]
            both = [(y, x) for y in dims[0][row] for x in dims[1][column]]
            values = [0 if None in pair else read(plane, *pair)[0] for pair in both]
            if o.reduction_function is MAX:
                both = [both[int(np.argmax(values))]]
            for pair in both:
                if None in pair:
                    continue
                part = gradient / len(both)
                (low, high, share, down), (left_of, right_of, beside, along) = pair
                for y, of_row in ((low, 1 - share), (high, share)):
                    of_image[image, channel, y, left_of] += part * of_row * (1 - beside)
                    of_image[image, channel, y, right_of] += part * of_row * beside
                _, of_y, of_x = read(plane, *pair)
                of_y, of_x = part * of_y * scales[0], part * of_x * scales[1]
                weights = of_x * (1 - along), of_y * (1 - down), of_x * along, of_y * down
                of_corners[region] += weights
    return of_image, of_corners


def samples_along(o, first, last, count, size):
    """For each element its samples: the elements on both sides, the share, the part of the way."""
    number = math.ceil(abs(last - first) / count)
    number = min(max(number, o.minimum_samples_per_output), o.maximum_samples_per_output)
    steps = max(number * count - 1, 1) if o.align_regions_to_corners else number * count
    samples = []
    for k in range(number * count):
        part = (k - o.output_pixel_offset) / steps
        at = part * (last - first) + first - o.input_pixel_offset
        if not -1 <= at <= size:
            samples.append(None)
            continue
        at = min(max(at, 0), size - 1)
        nearest = o.interpolation_mode is NEAREST
        low = min(math.floor(at + 0.5) if nearest else math.floor(at), size - 1)
        samples.append((low, min(low + 1, size - 1), 0 if nearest else at - low, part))
    return [samples[k * number : (k + 1) * number] for k in range(count)]


def read(plane, down, across):
    """What a sample reads, and its derivatives down and across: 0 on an element."""
    (low, high, share, _), (left, right, beside, _) = down, across
    corners = np.float64([[plane[y, x] for x in (left, right)] for y in (low, high)])
    row = np.float64([1 - beside, beside])
    column = np.float64([1 - share, share])
    of_y = (corners[1] - corners[0]) @ row if share else 0
    of_x = column @ (corners[:, 1] - corners[:, 0]) if beside else 0
    return column @ corners @ row, of_y, of_x


@tier.parametrize(
    "tensors function mode most aligned",
    *(LIE, [AVERAGE, MAX], InterpolationMode, [1, 3, 2**32 - 1], [False, True]),
)
def test_gradients_of_regions(tensors, function, mode, most, aligned):
    kind, form = tensors
    if function is MAX:
        most = min(most, 8)  # more than there are
    regions, x, y = desc(kind, (1, 5, 4), form), desc(kind, (2, 3, 6, 7), form), (5, 3, 2, 3)
    batch = desc(DataType.UINT32, (5,))
    offsets, samples = (0.5, -0.5), (1, most)
    named = (function, mode, 0.5, 0.75, *offsets, *samples, aligned)
    operator = RoiAlignGrad(x, desc(kind, y, form), regions, batch, x, regions, *named)
    random = np.random.default_rng(3)
    rows = random.uniform(-2, 14, (1, 5, 4))
    rows[0, 4] = [3, 3, 3, 5]  # empty
    arrays = filled(operator, roi=rows, batch_indices=np.uint32([1, 0, 1, 7, 0]))
    arrays["roi"] = arrays["roi"].astype(arrays["input"].dtype)
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    wide["roi"], wide["batch_indices"] = wide["roi"][0], arrays["batch_indices"]
    exact = region_gradients(operator, wide)
    found = call(operator, arrays)
    for result, wanted in zip(found.values(), exact):
        assert_close(result.reshape(wanted.shape), wanted, 10 * ERRORS[kind])
    shared = {"output_gradient": "input"}
    for name, result in call(operator, arrays, shared).items():
        assert np.array_equal(result, found[name]), name
    if function is AVERAGE:
        alone = RoiAlignGrad(None, operator.input_gradient, regions, batch, x, None, *named)
        assert np.array_equal(only(alone, arrays), found["output_gradient"])
    alone = RoiAlignGrad(x, operator.input_gradient, regions, batch, None, regions, *named)
    assert np.array_equal(only(alone, arrays), found["output_roi_gradient"])


@pytest.mark.parametrize("function", [AVERAGE, MAX])
def test_many_regions_and_samples(monkeypatch, function):
    """Of which a few are computed at once: of the same numbers, largest ones have the same bits."""
    x, y = desc(F32, (2, 1, 4, 4)), desc(F32, (5, 1, 2, 2))
    regions, batch = desc(F32, (5, 4)), desc(DataType.UINT32, (5,))
    named = function, LINEAR, 1, 1, 0.5, -0.5, 3, 5, False
    operator = RoiAlignGrad(x, y, regions, batch, x, regions, *named)
    rows = np.float32([[0, 0.5, 3, 3.25]] * 3 + [[1, 1, 2, 2.5]] * 2)
    arrays = filled(operator, roi=rows, batch_indices=np.uint32([0, 1, 0, 1, 0]))
    arrays["input"] = arrays["input"].copy()
    arrays["input"][0, 0, 1, 1] = np.nan if function is MAX else 1
    whole = call(operator, arrays)
    monkeypatch.setattr("dml_vk.directml.region_samples.MOST_ELEMENTS", 50)
    for name, result in call(operator, arrays).items():
        np.testing.assert_allclose(result, whole[name], rtol=0 if function is MAX else 1e-5)
