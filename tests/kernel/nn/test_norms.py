"""Norms in any layout, bit for bit, against `dml_vk.testing.rows`; and their errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import DmlVkError
from dml_vk.layout import channels_last, contiguous_format
from dml_vk.ops.view import with_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.testing.rows import moments, normalised, of_groups
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, check_writes, elements, memory_for

DTYPES = [float32, float16]
FORMATS = [contiguous_format, channels_last]
# Chunks that are full, short, or one element; many passes; H = W = 1, C = 1 and N = 1.
IMAGES = [
    *[(2, 6, 5, 7), (1, 6, 1, 1), (3, 1, 4, 4), (1, 1, 1, 1), (2, 12, 3), (2, 4, 3, 2, 2)],
    *[(2, 64, 28, 28), (1, 4, 140, 130), (5, 8, 17, 1)],
]


def numbers(shape, dtype=float32):
    """With a mean far from 0."""
    return (chance().normal(size=shape) + 4).astype(dtype.numpy_name)


def assert_same(found, wanted):
    """The same bits, and any NaN for NaN."""
    found = found.numpy()
    same = (bits(found) == bits(wanted)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), (found[~same][:4], wanted[~same][:4])


def formats_of(array):
    for one in FORMATS:
        yield dml_vk.asarray(array, memory_format=one)


def per_channel(values, array):
    return None if values is None else values.reshape(-1, *[1] * (array.ndim - 2))


def optional(count, has, dtype=float32):
    return [numbers(count, dtype) if one else None for one in has]


def tensors(arrays):
    return [None if one is None else dml_vk.asarray(one) for one in arrays]


def spatial(array):
    return tuple(range(2, array.ndim))


HAS = [(False, False), (True, False), (False, True), (True, True)]


@tier.parametrize(
    "shape dtype", [(4, 768), (3, 1), (2, 3, 33), (2, 20000), (16,), (5, 7, 2)], DTYPES
)
def test_layer_and_rms_norm(shape, dtype):
    array = numbers(shape, dtype)
    for normalized, has in tier.crossed(sorted({shape[-1:], shape[-2:]}), HAS):
        axes = tuple(range(-len(normalized), 0))
        found, squares = moments(array, axes), moments(array, axes, centred=False)
        parts = optional(normalized, has, dtype)
        x, *given_parts = tensors([array, *parts])
        got = nn.layer_norm(x, normalized, *given_parts)
        assert_same(got, normalised(array, found, 1e-5, *parts))
        if not has[1] or tier.is_all():
            got = nn.rms_norm(x, list(normalized), given_parts[0])
            assert_same(got, normalised(array, squares, 1e-6, parts[0]))


@pytest.mark.parametrize(
    ("shape", "dtype", "form"),
    [(shape, *how) for shape, how in tier.crossed(IMAGES, itertools.product(DTYPES, FORMATS))],
)
def test_norms_of_images_keep_the_format_and_the_bits(shape, dtype, form):
    array, has = numbers(shape, dtype), HAS[sum(shape) % 4]
    parts = optional(shape[1], has)
    wide = [per_channel(one, array) for one in parts]
    channels = moments(array, spatial(array))
    batch = moments(array, (0, *spatial(array)))
    x, given_parts = dml_vk.asarray(array, memory_format=form), tensors(parts)
    every = sorted({1, 2, shape[1]} - odd(x))
    with dml_vk.trace(strict=True):
        found = [
            nn.instance_norm(x, *given_parts),
            *[nn.group_norm(x, groups, *given_parts) for groups in every],
            nn.batch_norm_train(x, *given_parts)[0],
        ]
    wanted = [
        normalised(array, channels, 1e-5, *wide),
        *[normalised(array, of_groups(channels, groups), 1e-5, *wide) for groups in every],
        normalised(array, batch, 1e-5, *wide),
    ]
    for got, right in zip(found, wanted, strict=True):
        assert got.layout.order == x.layout.order
        assert_same(got, right)


def odd(x):
    return {2} if x.shape[1] % 2 else set()


@pytest.mark.parametrize("shape", IMAGES[:4])
def test_batch_norm_returns_its_statistics_or_uses_given_ones(shape):
    array = numbers(shape)
    axes = (0, *spatial(array))
    found = moments(array, axes)
    for x in formats_of(array):
        y, mean, var = nn.batch_norm_train(x, eps=1e-3, activation="relu")
        assert_same(mean, found.mean.reshape(-1))
        assert_same(var, (found.squares / found.elements).reshape(-1))
        assert_same(y, np.maximum(normalised(array, found, 1e-3), 0))
        assert_same(nn.batch_norm(x, mean, var, eps=1e-3, activation="relu"), y.numpy())
        # Weights of any layout, and float16 at that.
        weight = dml_vk.asarray(numbers(2 * shape[1], float16))[::-2]
        got = nn.batch_norm(x, mean, var, weight, weight, eps=1e-3)
        wide = per_channel(weight.numpy().astype(np.float32), array)
        assert_same(got, normalised(array, found, 1e-3, wide, wide))


def test_activations_of_float16_round_once():
    array = numbers((2, 3, 4, 4), float16)
    found = moments(array, (0, 2, 3))
    got, _, _ = nn.batch_norm_train(
        dml_vk.asarray(array), activation=("leaky_relu", {"alpha": 0.3})
    )
    wide = normalised(array.astype(np.float32), found, 1e-5)
    wanted = np.where(wide < 0, wide * np.float32(0.3), wide).astype(np.float16)
    assert_same(got, wanted)


@pytest.mark.parametrize("axes", [0, -1, (1, 3), (0, 1, 2, 3), ()])
def test_mean_variance_norm(axes):
    array = numbers((3, 5, 6, 7))
    weight, bias = numbers((5, 1, 1)), numbers(7)
    found = moments(array, axes)
    calls = [
        ((weight, bias), {"eps": 0.5}, normalised(array, found, 0.5, weight, bias)),
        ((bias,), {}, normalised(array, found, 1e-5, bias)),
        ((), {"normalize_variance": False}, array - found.mean),
    ]
    for (parts, options, wanted), form in tier.crossed(calls, FORMATS):
        x = dml_vk.asarray(array, memory_format=form)
        got = nn.mean_variance_norm(x, *tensors(parts), axes=axes, **options)
        assert_same(got, wanted)


def test_the_order_of_axes_does_not_count():
    """Also where memory has them in the other order than the shape."""
    x = dml_vk.asarray(numbers((40, 40, 5, 17))).permute(0, 1, 3, 2)
    first, second = [nn.mean_variance_norm(x, axes=axes).numpy() for axes in ((2, 3), (3, 2))]
    assert np.array_equal(bits(first), bits(second))


@pytest.mark.parametrize("axis", [1, -1, (2, 3)])
def test_normalize(axis):
    array = numbers((2, 20, 5, 6)) - 4
    array[0] = 0
    for p in tier.some((1, 2) if axis == 1 else (2, 1), 1):
        norms = np.abs(array.astype(np.float64)) ** p
        norms = norms.sum(axis, keepdims=True) ** (1 / p)
        wanted = array / np.maximum(norms, 1e-12)
        first, second = [nn.normalize(x, p=p, axis=axis).numpy() for x in formats_of(array)]
        assert np.array_equal(bits(first), bits(second))
        assert np.allclose(first, wanted, rtol=8e-7, atol=0)


@tier.examples(30)
@given(data=st.data())
def test_any_layout_to_any_layout(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    layout = data.draw(layouts(max_rank=5, min_size=1, max_size=7).filter(lambda one: one.rank))
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, layout.rank - 1)))))
    x, seen = source(dtype, layout)
    weight, weights = source(dtype, data.draw(layouts(sizes=layout.sizes[-1:])))
    to = data.draw(targets(sizes=layout.sizes))
    wanted = normalised(seen, moments(seen, dims), 1e-5, weights, weights)

    def write(memory):
        out = Tensor(with_dtype(memory, dtype))
        nn.mean_variance_norm(x, weight, weight, axes=dims, out=out)

    check_writes(write, to, dtype.itemsize, bits(wanted))


def source(dtype, layout):
    """(tensor, what NumPy sees in it), amid other numbers."""
    memory, layout = memory_for(layout, dtype.itemsize)
    values = numbers(memory.size, dtype)
    return dml_vk.asarray(values).over(layout), elements(values, layout)


@pytest.mark.parametrize("shape", [(300, 40), (2, 6, 33, 31), (3, 20000)])
def test_both_kinds_of_devices_split_rows_without_a_trace(shape, profile):
    array = numbers(shape)
    every = [(0,), (array.ndim - 1,), tuple(range(array.ndim))]
    for dims, is_turned in tier.crossed(every, [False, True]):
        x = dml_vk.asarray(array)
        if is_turned:
            x = dml_vk.asarray(array.T.copy()).permute(*range(array.ndim)[::-1])
        wanted = normalised(array, moments(array, dims), 1e-5)
        assert_same(nn.mean_variance_norm(x, axes=dims), wanted)


def test_a_batch_is_as_its_items():
    array = numbers((8, 6, 9, 7))
    for x in formats_of(array):
        whole = nn.group_norm(x, 3).numpy()
        for item in range(8):
            assert np.array_equal(
                bits(nn.group_norm(x[item : item + 1], 3).numpy()[0]), bits(whole[item])
            )


@pytest.mark.parametrize("far", [1e3, 3e4, 1e6])
def test_data_far_from_zero_keeps_its_variance(far):
    """The mean is off by half a unit for each of 9 levels and the chunk, x - mean by another."""
    array = (chance().normal(size=(20, 5000)) + far).astype(np.float32)
    exact = array.astype(np.float64)
    exact = (exact - exact.mean(1, keepdims=True)) / exact.std(1, keepdims=True)
    found = nn.layer_norm(dml_vk.asarray(array), 5000, eps=0.0).numpy()
    assert np.abs(found - exact).max() < 5.5 * np.spacing(np.float32(far)) + 2e-6
    same = dml_vk.full((2, 5000), far)
    assert not nn.layer_norm(same, 5000).numpy().any()


def test_infinity_and_nan_stay_in_their_rows():
    array = numbers((4, 40))
    array[0, 3], array[1, 39], array[2, 0] = np.inf, np.nan, -np.inf
    for function in (nn.layer_norm, nn.rms_norm):
        found = function(dml_vk.asarray(array), 40).numpy()
        assert np.isnan(found[1]).all()
        assert np.isnan(found[0, 3])
        assert np.isnan(found[2, 0])
        assert np.isfinite(found[3]).all()
    assert not np.isfinite(nn.layer_norm(dml_vk.asarray(array), 40).numpy()[:3]).any()


def test_no_elements():
    x = dml_vk.empty((0, 3, 4, 4))
    assert nn.layer_norm(x, 4).shape == nn.group_norm(x, 3).shape == x.shape
    assert nn.instance_norm(x).shape == nn.batch_norm(x, *[dml_vk.ones(3)] * 2).shape == x.shape
    y, mean, var = nn.batch_norm_train(x)
    assert y.shape == x.shape
    assert np.isnan(mean.numpy()).all()
    assert np.isnan(var.numpy()).all()
    assert nn.rms_norm(dml_vk.empty((2, 0)), 0).shape == (2, 0)


def test_in_place_and_over_a_part_of_itself():
    array = numbers((6, 50))
    wanted = normalised(array, moments(array, 1), 1e-5)
    x = dml_vk.asarray(array)
    assert nn.layer_norm(x, 50, out=x) is x
    assert_same(x, wanted)
    memory = dml_vk.asarray(np.concatenate([array, array[:1]]))
    nn.layer_norm(memory[:6], 50, out=memory[1:])
    assert_same(memory[1:], wanted)


X = (2, 6, 4, 4)
MESSAGES = {
    "layer_norm: normalized_shape must be the last sizes of x": lambda x, n: nn.layer_norm(x, n),
    "layer_norm: normalized_shape must be a sequence of integers": lambda x, n: nn.layer_norm(
        x, "a"
    ),
    "layer_norm: weight must have the shape": lambda x, n: nn.layer_norm(x, 4, dml_vk.ones(n)),
    "layer_norm: eps must be at least 0": lambda x, n: nn.layer_norm(x, 4, eps=-1.0),
    "layer_norm: eps must be a real number": lambda x, n: nn.layer_norm(x, 4, eps="a"),
    "rms_norm: normalized_shape must be the last": lambda x, n: nn.rms_norm(x, ()),
    "rms_norm: x must be a Tensor": lambda x, n: nn.rms_norm([1.0], 1),
    "rms_norm: dtype must be one of float16, float32": lambda x, n: nn.rms_norm(x.to("int32"), 4),
    "rms_norm: weight must be a Tensor": lambda x, n: nn.rms_norm(x, 4, 1.0),
    "group_norm: num_groups must divide the 6 channels": lambda x, n: nn.group_norm(x, 4),
    "group_norm: num_groups must be an integer": lambda x, n: nn.group_norm(x, 1.5),
    "group_norm: x must have the dims": lambda x, n: nn.group_norm(dml_vk.ones(6), 2),
    "group_norm: bias must have the shape": lambda x, n: nn.group_norm(x, 2, None, dml_vk.ones(n)),
    "instance_norm: x must have the dims": lambda x, n: nn.instance_norm(dml_vk.ones((2, 6))),
    "instance_norm: out must have the shape": lambda x, n: nn.instance_norm(x, out=dml_vk.ones(n)),
    "batch_norm: mean must have the shape": lambda x, n: nn.batch_norm(x, *[dml_vk.ones(n)] * 2),
    "batch_norm: mean must be a Tensor": lambda x, n: nn.batch_norm(x, None, None),
    "batch_norm: activation must be one of": lambda x, n: nn.batch_norm(
        x, *[dml_vk.ones(6)] * 2, activation="relux"
    ),
    "batch_norm: parameters of leaky_relu must be among alpha": lambda x, n: nn.batch_norm(
        x, *[dml_vk.ones(6)] * 2, activation=("leaky_relu", {"beta": 1})
    ),
    "batch_norm: relu has no parameters": lambda x, n: nn.batch_norm(
        x, *[dml_vk.ones(6)] * 2, activation=("relu", {"alpha": 1})
    ),
    "batch_norm_train: weight must have the shape": lambda x, n: nn.batch_norm_train(
        x, dml_vk.ones(n)
    ),
    "batch_norm_train: activation must be one of": lambda x, n: nn.batch_norm_train(
        x, activation="relux"
    ),
    "mean_variance_norm: axes must not repeat": lambda x, n: nn.mean_variance_norm(x, axes=(1, 1)),
    "mean_variance_norm: axes must be from -4 to 3": lambda x, n: nn.mean_variance_norm(x, axes=n),
    "mean_variance_norm: weight must broadcast to the shape": lambda x, n: nn.mean_variance_norm(
        x, dml_vk.ones(n), axes=0
    ),
    "mean_variance_norm: bias must broadcast to the shape": lambda x, n: nn.mean_variance_norm(
        x, None, dml_vk.ones((1, 1, 1, 1, 1)), axes=0
    ),
    "mean_variance_norm: normalize_variance must be a bool": lambda x, n: nn.mean_variance_norm(
        x, axes=0, normalize_variance=2
    ),
    "normalize: p must be from 2**-100": lambda x, n: nn.normalize(x, p=-1),
    "normalize: p must be a real number": lambda x, n: nn.normalize(x, p="a"),
    "normalize: axis must be from -4 to 3": lambda x, n: nn.normalize(x, axis=n),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_bad_input_is_an_error_before_any_work(message):
    x = dml_vk.ones(X)
    with pytest.raises(DmlVkError) as raised:
        MESSAGES[message](x, 7)
    assert str(raised.value).startswith(message)


def test_more_axes_that_do_not_merge_than_a_kernel_has():
    array = numbers((3, 2, 3, 2, 3, 2, 3, 2, 2, 3))
    x = dml_vk.asarray(array.T.copy()).permute(*range(10)[::-1])
    for axes in ((0, 2, 4, 6, 8), (1, 3, 5, 7, 9)):
        wanted = normalised(array, moments(array, axes), 1e-5)
        assert_same(nn.mean_variance_norm(x, axes=axes), wanted)
