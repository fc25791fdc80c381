"""Softmax and its relatives: bit for bit, special values, and errors against float64."""

from __future__ import annotations

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
from dml_vk.testing.rows import softmax
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, check_writes, elements, memory_for

DTYPES = [float32, float16]
FORMATS = [contiguous_format, channels_last]
INF, NAN = np.inf, np.nan
FUNCTIONS = [nn.softmax, nn.log_softmax, nn.hardmax, nn.logsumexp]


def numbers(shape, dtype=float32):
    return (chance().normal(size=shape) * 3).astype(dtype.numpy_name)


def same(found, wanted):
    return (bits(found) == bits(wanted)) | (np.isnan(found) & np.isnan(wanted))


def formats_of(array):
    for one in FORMATS:
        yield dml_vk.asarray(array, memory_format=one)


AXES = {
    (7, 1000): (-1, 0, (0, 1)),
    (1,): (0,),
    (40, 17): (0, 1),
    (2, 20000): (1, 0),
    (2, 6, 5, 7): (1, (2, 3), (0, 2), ()),
    (1, 6, 1, 1): (1, -1),
    (3, 1, 4, 4): (1,),
    (2, 64, 28, 28): (1, (2, 3)),
    (2, 3, 2, 3, 2): (1, (1, 4)),
}


@tier.parametrize("shape dtype", AXES, DTYPES)
def test_softmax_bit_for_bit_in_every_format(shape, dtype):
    array = numbers(shape, dtype)
    for axis, form in tier.crossed(AXES[shape], FORMATS if len(shape) > 2 else FORMATS[:1]):
        x = dml_vk.asarray(array, memory_format=form)
        with dml_vk.trace(strict=True):
            found = nn.softmax(x, axis=axis)
        assert found.layout.order == x.layout.order
        assert same(found.numpy(), softmax(array, axis)).all()


@pytest.mark.parametrize("shape", [(300, 40), (3, 20000)])
def test_both_kinds_of_devices_split_rows_without_a_trace(shape, profile):
    array = numbers(shape)
    for axis, is_turned in tier.crossed((0, 1, (0, 1)), (False, True)):
        x = dml_vk.asarray(array.T.copy()).T if is_turned else dml_vk.asarray(array)
        assert same(nn.softmax(x, axis=axis).numpy(), softmax(array, axis)).all()


@tier.examples(30)
@given(data=st.data())
def test_any_layout_to_any_layout(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    layout = data.draw(layouts(max_rank=5, min_size=1, max_size=7).filter(lambda one: one.rank))
    axis = tuple(data.draw(st.sets(st.integers(0, layout.rank - 1))))
    memory, moved = memory_for(layout, dtype.itemsize)
    values = numbers(memory.size, dtype)
    x, seen = dml_vk.asarray(values).over(moved), elements(values, moved)
    to = data.draw(targets(sizes=layout.sizes))

    def write(memory):
        nn.softmax(x, axis=axis, out=Tensor(with_dtype(memory, dtype)))

    check_writes(write, to, dtype.itemsize, bits(softmax(seen, axis)))


def test_errors_are_those_of_the_difference_from_the_maximum():
    """X - m is off by at most half a unit, exp by 2 ULP, and the sum by some units."""
    array = numbers((50, 3000)) * 2
    exact = array.astype(np.float64) - array.max(1, keepdims=True)
    logs = np.log(np.exp(exact).sum(1, keepdims=True))
    bound = (np.abs(exact) + 32) * 2.0**-24
    found = nn.softmax(dml_vk.asarray(array)).numpy()
    assert (np.abs(found / np.exp(exact - logs) - 1) <= bound).all()
    found = nn.log_softmax(dml_vk.asarray(array)).numpy()
    assert (np.abs(found - (exact - logs)) <= np.abs(exact) * 2.0**-23 + 16 * 2.0**-24).all()
    found = nn.logsumexp(dml_vk.asarray(array)).numpy()
    wanted = array.max(1) + logs[:, 0]
    assert (np.abs(found - wanted) <= np.abs(wanted) * 2.0**-24 + 16 * 2.0**-24).all()
    assert np.abs(found - wanted).any()


@tier.parametrize("shape dtype", [(2, 20, 6, 5), (1, 3, 1, 1)], DTYPES)
def test_all_of_them_have_the_same_bits_in_every_format(shape, dtype):
    array = numbers(shape, dtype)
    for function, axis in tier.crossed(FUNCTIONS, (1, (1, 3), (0, 2))):
        first, second = [function(x, axis=axis) for x in formats_of(array)]
        assert first.dtype is dtype
        assert same(first.numpy(), second.numpy()).all()
        if function is not nn.logsumexp:
            assert second.layout.order == (0, 2, 3, 1)


# Rows, and what PyTorch answers: softmax, log_softmax and logsumexp.
ROWS = [
    ([-INF, -INF, -INF], [NAN] * 3, [NAN] * 3, -INF),
    ([INF, 1, 2], [NAN] * 3, [NAN] * 3, INF),
    ([INF, INF, -INF], [NAN] * 3, [NAN] * 3, INF),
    ([NAN, 1, 2], [NAN] * 3, [NAN] * 3, NAN),
    ([INF, NAN, 1], [NAN] * 3, [NAN] * 3, NAN),
    ([-INF, NAN, -INF], [NAN] * 3, [NAN] * 3, NAN),
    ([0, -INF, -INF], [1, 0, 0], [0, -INF, -INF], 0),
    ([-1e30, 3e38, -3e38], [0, 1, 0], [-3e38, 0, -INF], 3e38),
    ([-1e30, -1e30, -INF], [0.5, 0.5, 0], [-0.6931472] * 2 + [-INF], -1e30),
]


@tier.parametrize("row padding", ROWS, [0, 13, 40])
def test_special_values(row, padding):
    """In one chunk, across a chunk's end, and in several."""
    given, powers, logs, total = row
    x = np.float32([*given[:1], *[-INF] * padding, *given[1:]])
    at = [0, padding + 1, padding + 2]
    found = nn.softmax(dml_vk.asarray(x)).numpy()
    assert np.array_equal(found[at], np.float32(powers), equal_nan=True)
    found = nn.logsumexp(dml_vk.asarray(x)).numpy()
    assert np.array_equal(found, np.float32(total), equal_nan=True)
    found = nn.log_softmax(dml_vk.asarray(x)).numpy()[at]
    assert np.allclose(found, np.float32(logs), rtol=1e-7, equal_nan=True)


def test_a_negative_nan_is_a_nan():
    x = dml_vk.asarray(np.copysign(np.float32([NAN, 1, 2]), np.float32([-1, 1, 1])))
    for function in (nn.softmax, nn.log_softmax, nn.logsumexp):
        assert np.isnan(function(x).numpy()).all()


def test_hardmax_is_one_at_the_first_largest():
    array = np.float32([[1, 3, 3], [2, 0, 1], [NAN, 5, NAN]])
    x = dml_vk.asarray(array)
    assert nn.hardmax(x).tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert nn.hardmax(x[:2], axis=(0, 1)).tolist() == [[0, 1, 0], [0, 0, 0]]
    assert nn.hardmax(x[:2], axis=0).tolist() == [[0, 1, 1], [1, 0, 0]]


@tier.examples(15)
@given(data=st.data())
def test_hardmax_of_any_layout_to_any_layout(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    layout = data.draw(layouts(max_rank=5, min_size=1))
    axes = sorted(data.draw(st.sets(st.integers(0, layout.rank - 1)))) if layout.rank else []
    memory, moved = memory_for(layout, dtype.itemsize)
    values = chance().integers(0, 4, memory.size).astype(dtype.numpy_name)
    seen = elements(values, moved)
    kept = [dim for dim in range(layout.rank) if dim not in axes]
    rows = seen.transpose(*kept, *axes).reshape(*[layout.sizes[dim] for dim in kept], -1)
    ones = np.arange(rows.shape[-1]) == rows.argmax(-1)[..., None]
    ones = ones.reshape([layout.sizes[dim] for dim in (*kept, *axes)])
    wanted = ones.transpose(np.argsort([*kept, *axes])).astype(dtype.numpy_name)
    x, to = dml_vk.asarray(values).over(moved), data.draw(targets(sizes=layout.sizes))

    def write(memory):
        nn.hardmax(x, axis=tuple(axes), out=Tensor(with_dtype(memory, dtype)))

    check_writes(write, to, dtype.itemsize, bits(wanted))


def test_hardmax_takes_memory_for_rows_alone():
    x = dml_vk.ones((4, 2**22))
    device = x.device
    device.synchronize()
    device.release_cached()
    stats = device.memory_stats()
    device.memory_limit = stats.in_use + stats.cached + 2**25
    try:
        assert dml_vk.sum(nn.hardmax(x, out=x)).item() == 4
    finally:
        device.memory_limit = None


def test_no_elements():
    x = dml_vk.empty((3, 0))
    for function in FUNCTIONS[:3]:
        assert function(x).shape == (3, 0)
    assert nn.logsumexp(x).tolist() == [-INF] * 3
    assert nn.logsumexp(x, axis=0).shape == (0,)


def test_logsumexp_keeps_dims_or_drops_them():
    array = numbers((2, 3, 4, 5))
    wanted = np.log(np.exp(array.astype(np.float64)).sum((1, 3), keepdims=True))
    for x in formats_of(array):
        kept = nn.logsumexp(x, axis=(1, -1), keepdims=True)
        assert np.allclose(kept.numpy(), wanted, rtol=1e-6)
        assert np.array_equal(nn.logsumexp(x, axis=(3, 1)).numpy(), kept.numpy()[:, 0, :, 0])
    out = dml_vk.empty((2, 4))
    assert nn.logsumexp(x, axis=(1, 3), out=out) is out


def test_in_place_and_over_a_part_of_itself():
    array = numbers((6, 50))
    x = dml_vk.asarray(array)
    assert nn.softmax(x, out=x) is x
    assert same(x.numpy(), softmax(array)).all()
    memory = dml_vk.asarray(np.concatenate([array, array[:1]]))
    nn.softmax(memory[:6], out=memory[1:])
    assert same(memory[1:].numpy(), softmax(array)).all()


MESSAGES = {
    "softmax: x must be a Tensor": lambda x: nn.softmax([1.0]),
    "softmax: dtype must be one of float16, float32": lambda x: nn.softmax(x.to("int32")),
    "softmax: out must have the dtype float64": lambda x: nn.softmax(x.to("float64"), out=x),
    "softmax: axis must be from -2 to 1; got axis=2": lambda x: nn.softmax(x, axis=2),
    "softmax: axis must not repeat": lambda x: nn.softmax(x, axis=(0, -2)),
    "softmax: axis must be an integer or a tuple of integers": lambda x: nn.softmax(x, axis=None),
    "softmax: axis must be an integer; got": lambda x: nn.softmax(x, axis="rows"),
    "softmax: out must have the shape": lambda x: nn.softmax(x, out=x[0]),
    "softmax: out must have the dtype": lambda x: nn.softmax(x, out=x.to("float16")),
    "log_softmax: axis must be from": lambda x: nn.log_softmax(x, axis=-3),
    "log_softmax: out has overlapping elements": lambda x: nn.log_softmax(
        x, out=x[:1].expand(2, 3)
    ),
    "hardmax: dtype must be one of": lambda x: nn.hardmax(x.to("int32")),
    "hardmax: axis must be": lambda x: nn.hardmax(x, axis=None),
    "logsumexp: keepdims must be a bool": lambda x: nn.logsumexp(x, keepdims=2),
    "logsumexp: axis must be": lambda x: nn.logsumexp(x, axis=1.5),
    "logsumexp: dtype must be one of": lambda x: nn.logsumexp(x.to("bool")),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_bad_input_is_an_error_before_any_work(message):
    x = dml_vk.ones((2, 3))
    with pytest.raises(DmlVkError) as raised:
        MESSAGES[message](x)
    assert str(raised.value).startswith(message)


def exact_softmax(array, axis):
    """Softmax, its logarithm, and that of the sum of exponentials, in long double."""
    wide = array.astype(np.longdouble)
    most = wide.max(axis, keepdims=True)
    powers = np.exp(wide - most)
    total = powers.sum(axis, keepdims=True)
    return powers / total, wide - most - np.log(total), np.log(total) + most


@pytest.mark.parametrize("axis", tier.some([1, (2, 3), -1, (0, 1, 2, 3)], 2))
def test_softmax_of_float64(axis):
    array = chance().normal(size=(2, 3, 5, 40)) * 30
    bits_of = []
    for x in formats_of(array):
        found = [
            *(nn.softmax(x, axis=axis), nn.log_softmax(x, axis=axis)),
            nn.logsumexp(x, axis=axis, keepdims=True),
        ]
        for one, wanted in zip(found, exact_softmax(array, axis)):
            # The difference to the largest element is rounded, to an exponent of up to 250.
            allowed = 300 * 2.0**-53 * (abs(wanted) if one is found[0] else 1 + abs(wanted) / 100)
            assert (np.abs(one.numpy() - wanted) <= allowed).all()
            assert one.memory_format is x.memory_format
        bits_of.append([bits(one.numpy()) for one in found])
        rows = nn.logsumexp(x, axis=axis)
        assert np.array_equal(rows.numpy().ravel(), found[2].numpy().ravel())
        target = dml_vk.empty_like(x)
        assert nn.softmax(x, axis=axis, out=target) is target
        assert np.array_equal(target.numpy(), found[0].numpy())
    assert all(np.array_equal(a, b) for a, b in zip(*bits_of))


def test_special_rows_of_float64():
    x = dml_vk.asarray([[INF, 0.0], [-INF, -INF], [NAN, 0.0], [-INF, 1000.0]], "float64")
    assert same(nn.softmax(x).numpy(), np.array([[NAN, NAN]] * 3 + [[0.0, 1.0]])).all()
    assert same(nn.log_softmax(x).numpy()[3], np.array([-INF, 0.0])).all()
    assert same(nn.logsumexp(x).numpy(), np.array([INF, -INF, NAN, 1000.0])).all()
    empty = dml_vk.zeros((3, 0), dtype="float64")
    assert nn.softmax(empty).shape == (3, 0)
    assert nn.logsumexp(empty).tolist() == [-INF] * 3
