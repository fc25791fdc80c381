"""`resample` beside a reference that goes line by line; PyTorch's answers are in test_torch.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.view import with_dtype
from dml_vk.testing import moves
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.forms import forms
from tests.kernel.memory import bits, check_writes

X = dml_vk.ones((1, 2, 3, 4))
MODES = ("nearest", "nearest_exact", "linear", "cubic")


@tier.examples(40)
@given(st.data(), st.sampled_from(MODES), st.sampled_from(["float16", "float32"]))
def test_any_layout_to_any_layout(data, mode, dtype):
    size = st.integers(1, 5)
    sizes = data.draw(st.lists(size, min_size=1, max_size=3))
    wanted = tuple([data.draw(st.integers(1, 8)) for _ in sizes])
    corners = data.draw(st.booleans()) and not mode.startswith("nearest")
    layout = data.draw(layouts(sizes=(2, 3, *sizes)))
    memory = chance().standard_normal(layout.offset + 99 * layout.span + 1).astype(dtype)
    x = dml_vk.asarray(memory).over(layout)
    expected = moves.resample(x.numpy(), wanted, mode, corners)
    found = nn.resample(x, size=wanted, mode=mode, align_corners=corners)
    assert np.array_equal(bits(found.numpy()), bits(expected))
    assert found.layout == Layout.packed(expected.shape, layout.order)
    to = np.dtype(f"uint{8 * expected.itemsize}")

    def write(out):
        floats = dml_vk.Tensor(with_dtype(out, found.dtype))
        nn.resample(x, size=wanted, mode=mode, align_corners=corners, out=floats)

    target = data.draw(targets(sizes=expected.shape))
    check_writes(write, target, expected.itemsize, expected.view(to))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("mode", MODES)
def test_channels_that_lie_together_at_steps_that_are_no_quads(mode, dtype):
    memory = dml_vk.asarray(chance().standard_normal(40).astype(dtype))
    for step, start in ((6, 0), (9, 0), (8, 1), (8, 4)):
        x = memory.over(Layout((1, 6, 2), (0, 1, step), start))
        out = dml_vk.zeros(80, dtype).over(Layout((1, 6, 4), (0, 1, 16)))
        nn.resample(x, size=4, mode=mode, out=out)
        assert np.array_equal(bits(out.numpy()), bits(moves.resample(x.numpy(), (4,), mode)))


def test_formats_that_sizes_do_not_tell_and_strict_traces():
    for form in (dml_vk.contiguous_format, channels_last):
        for sizes in ((1, 1, 1, 1), (1, 3, 1, 1), (2, 1, 4, 5), (1, 3, 4, 5)):
            x = dml_vk.zeros(sizes, memory_format=form)
            for mode in MODES:
                with dml_vk.trace(strict=True):
                    assert nn.resample(x, size=(3, 2), mode=mode).memory_format is form
    assert nn.resample(dml_vk.zeros((0, 2, 3)), size=5).shape == (0, 2, 5)
    assert nn.resample(dml_vk.zeros((1, 0, 3)), size=5, mode="linear").shape == (1, 0, 5)


def test_in_place_and_every_form():
    array = chance().standard_normal((2, 3, 4, 5)).astype(np.float32)
    for mode in MODES:
        expected = bits(moves.resample(array, (6, 7), mode))
        for x in forms(array):
            assert np.array_equal(bits(nn.resample(x, size=(6, 7), mode=mode).numpy()), expected)
        x = dml_vk.asarray(array)
        nn.resample(x[:, :, ::-1], size=(4, 5), mode=mode, out=x)
        told = moves.resample(array[:, :, ::-1], (4, 5), mode)
        assert np.array_equal(bits(x.numpy()), bits(told))


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        # Those of ONNX's page on Resize, of 1 to 4 in a line.
        ({"scale": 2, "rounding": "ceil"}, [1, 2, 2, 3, 3, 4, 4, 4]),
        ({"size": 7, "coordinates": "half_pixel", "rounding": "floor"}, [1, 1, 1, 2, 3, 3, 4]),
        (
            {"size": 8, "coordinates": "half_pixel", "rounding": "round_prefer_floor"},
            [1, 1, 2, 2, 3, 3, 4, 4],
        ),
        ({"size": 2, "coordinates": "asymmetric", "rounding": "round_prefer_ceil"}, [1, 3]),
        (
            {"size": 7, "align_corners": True, "rounding": "round_prefer_floor"},
            [1, 1, 2, 2, 3, 3, 4],
        ),
        (
            {"size": 7, "align_corners": True, "rounding": "round_prefer_ceil"},
            [1, 2, 2, 3, 3, 4, 4],
        ),
        ({"size": 1, "coordinates": "pytorch_half_pixel", "mode": "linear"}, [1]),
        ({"size": 2, "coordinates": "pytorch_half_pixel", "mode": "linear"}, [1.5, 3.5]),
        ({"size": 1, "mode": "linear"}, [2.5]),
        (
            {"scale": (2,), "coordinates": "asymmetric", "mode": "linear"},
            [1, 1.5, 2, 2.5, 3, 3.5, 4, 4],
        ),
        ({"size": 1, "mode": "cubic", "cubic": -0.5}, [2.5]),
        ({"size": 5, "scale": 2, "mode": "linear"}, [1, 1.25, 1.75, 2.25, 2.75]),
        ({"size": 3, "scale": 1, "coordinates": (0, -1)}, [2, 3, 4]),
        ({"size": 3, "scale": 2, "coordinates": ([-1], 0), "mode": "linear"}, [2, 2.5, 3]),
        ({"size": 3, "coordinates": (0.5, -0.5), "mode": "linear"}, [7 / 6, 2.5, 23 / 6]),
        ({"scale": 0.8, "mode": "cubic", "cubic": 0}, [1.04296875, 2.31640625, 3.68359375]),
    ],
)
def test_options(named, expected):
    x = dml_vk.asarray([[[1.0, 2.0, 3.0, 4.0]]])
    assert np.allclose(nn.resample(x, **named).numpy()[0, 0], expected, 1e-6)


@pytest.mark.parametrize(
    ("named", "error", "message"),
    [
        ({"x": 3, "size": 2}, DTypeError, "x must be a Tensor"),
        ({"x": dml_vk.zeros((1, 2, 3), "int8"), "size": 2}, DTypeError, "dtype must be one of"),
        ({"x": X[0, 0], "size": 2}, LayoutError, "x must have the dims N and C and 1 or 2 or 3"),
        ({"x": X[:, :, :0], "size": 2}, LayoutError, "spatial dims must not be empty"),
        ({}, RangeError, "size or scale must be given; got size=None"),
        ({"size": 2, "scale": -2}, RangeError, "scale must be positive"),
        ({"size": 0}, RangeError, "size must be from 1 to"),
        ({"size": (1, 2, 3)}, LayoutError, "size must be an integer, or one for each of the 2"),
        ({"scale": 0}, RangeError, "scale must be positive, and leave"),
        ({"scale": float("inf")}, RangeError, "scale must have a finite number, or 2"),
        ({"scale": (1, 2, 3)}, RangeError, "scale must have a finite number, or 2"),
        ({"scale": 0.2}, RangeError, "scale must be .* leave at least one element"),
        ({"scale": "2"}, DTypeError, "scale must be a real number"),
        ({"size": 2, "mode": "area"}, RangeError, "mode must be one of nearest, nearest_exact"),
        ({"size": 2, "align_corners": 1}, DTypeError, "align_corners must be a bool"),
        ({"size": 2, "coordinates": "x"}, RangeError, "coordinates must be one of half_pixel"),
        ({"size": 2, "coordinates": (0, 0, 0)}, LayoutError, "coordinates must be a name, or off"),
        ({"size": 2, "coordinates": (0, "x")}, DTypeError, "coordinates must be a real number"),
        ({"size": 2, "rounding": "up"}, RangeError, "rounding must be one of floor, ceil"),
        ({"size": 2, "rounding": "ceil", "mode": "linear"}, RangeError, "rounding must not be"),
        ({"size": 2, "mode": "cubic", "cubic": float("nan")}, RangeError, "cubic must be finite"),
        (
            {"size": 2, "align_corners": True, "coordinates": "asymmetric"},
            RangeError,
            "align_corners and coordinates must not both be given",
        ),
        ({"size": 2, "out": X}, LayoutError, "out must have the shape"),
    ],
)
def test_what_is_refused(named, error, message):
    with pytest.raises(error, match=f"^resample: {message}"):
        nn.resample(**{"x": X, **named})
