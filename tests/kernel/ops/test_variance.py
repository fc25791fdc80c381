"""Means and variances by workgroups: the bits of the operations one after the other."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.testing.reductions import tree_sum
from tests import tier
from tests.kernel.profiled import profiled
from tests.profiles import GPU

DTYPES = ("float32", "float16", "float64", "complex64", "complex128")
# Results of an invocation, of a workgroup and of several launches, around each; by rows, by
# columns, and over several dims.
CASES = (
    *[((n,), (0,)) for n in (1, 3, 16, 17, 257, 4097, 2**15 + 1)],
    *[((rows, n), (1,)) for rows, n in ((5, 9), (33, 250), (3, 2**15 + 5))],
    *[((n, columns), (0,)) for n, columns in ((16, 33), (17, 3), (250, 33), (40_000, 5))],
    *[((3, 40, 33), axes) for axes in ((1,), (0, 2), (0, 1, 2))],
    *[((2, 3, 70, 300), (0, 2, 3)), ((4, 2, 3, 2, 5), (1, 3)), ((3, 4), ())],
)
LAYOUTS = ("packed", "transposed", "every second", "backwards")


@pytest.fixture
def as_gpu():
    device = dml_vk.device()
    with profiled(device, dataclasses.replace(GPU, features=device.profile.features)):
        yield


def laid_out(a, layout):
    """A tensor of these elements."""
    if layout == "transposed":
        x = dml_vk.asarray(np.ascontiguousarray(a.transpose()))
        return dml_vk.permute_dims(x, tuple(reversed(range(a.ndim))))
    if layout == "every second":
        wide = np.full((*a.shape[:-1], 2 * a.shape[-1]), 99, a.dtype)
        wide[..., 1::2] = a
        return dml_vk.asarray(wide)[..., 1::2]
    if layout == "backwards":
        return dml_vk.asarray(np.ascontiguousarray(a[..., ::-1]))[..., ::-1]
    return dml_vk.asarray(a)


def expected(a, axes, correction):
    """(mean, variance, deviation), rounded as each operation does.

    The squares of both parts of a complex number are terms beside each other.
    """
    wide = np.dtype("f8" if a.dtype.name in ("float64", "complex128") else "f4").type
    count = wide(np.prod([a.shape[axis] for axis in axes], dtype=int))
    by, shape = wide(max(0.0, float(count) - correction)), a.shape
    is_complex = a.dtype.kind == "c"
    parts = np.ascontiguousarray(a).view(wide).reshape(*shape, 2) if is_complex else a
    summed = (*axes, len(shape)) if is_complex else axes
    with np.errstate(all="ignore"):
        means = tree_sum(parts, axes, keepdims=True, dtype=wide) / count
        squares = np.square(parts.astype(wide) - means)
        variances = tree_sum(squares, summed, dtype=wide) / by
        if is_complex:
            means = np.ascontiguousarray(means).view(a.dtype)
        results = means.reshape(variances.shape), variances, np.sqrt(variances)
        real = a.real.dtype
        return [result.astype(a.dtype if k == 0 else real) for k, result in enumerate(results)]


def same(x, values):
    assert x.dtype.name == values.dtype
    values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    assert x.numpy().tobytes() == np.ascontiguousarray(values).tobytes()


@pytest.mark.usefixtures("as_gpu")
@tier.parametrize("case way", CASES, list(itertools.product(DTYPES, LAYOUTS)))
def test_bits(case, way):
    (shape, axes), (dtype, layout) = case, way
    rng = np.random.default_rng(7)
    a = rng.standard_normal(shape) * 3 + 10
    if dtype.startswith("complex"):
        a = a + 1j * rng.standard_normal(shape)
    a = a.astype(dtype)
    x = laid_out(a, layout)
    mean, variance, deviation = expected(a, axes, 0.0)
    same(dml_vk.mean(x, axis=axes), mean)
    same(dml_vk.var(x, axis=axes), variance)
    same(dml_vk.std(x, axis=axes), deviation)
    same(dml_vk.var(x, axis=axes, correction=1.5), expected(a, axes, 1.5)[1])


@pytest.mark.usefixtures("as_gpu")
@pytest.mark.parametrize("dtype", DTYPES[:3])
def test_results_between_others(dtype):
    """Nothing beside a result is written, and results may be those that are read."""
    a = np.random.default_rng(1).standard_normal((37, 50)).astype(dtype)
    for axis, size in ((1, 37), (0, 50)):
        memory = dml_vk.full((size, 3), 77, dtype=dtype)
        dml_vk.std(dml_vk.asarray(a), axis=axis, out=memory[:, 1])
        values = memory.numpy()
        assert (values[:, ::2] == 77).all()
        assert values[:, 1].tobytes() == expected(a, (axis,), 0.0)[2].tobytes()
        x = dml_vk.asarray(a)
        over = x[:, 0] if axis else x[0]
        dml_vk.var(x, axis=axis, out=over)
        same(over, expected(a, (axis,), 0.0)[1])
        kept = dml_vk.mean(dml_vk.asarray(a), axis=axis, keepdims=True)
        same(kept, np.expand_dims(expected(a, (axis,), 0.0)[0], axis))


@pytest.mark.usefixtures("as_gpu")
def test_special_values():
    for value in (np.inf, -np.inf, np.nan, 3e38, 1e-45):
        a = np.ones((3, 40), np.float32)
        a[1, 7:9] = value
        x = dml_vk.asarray(a)
        mean, variance, deviation = expected(a, (1,), 0.0)
        assert np.array_equal(dml_vk.mean(x, axis=1).numpy(), mean, equal_nan=True)
        assert np.array_equal(dml_vk.var(x, axis=1).numpy(), variance, equal_nan=True)
        assert np.array_equal(dml_vk.std(x, axis=1).numpy(), deviation, equal_nan=True)
    alone = dml_vk.ones((4, 1))
    assert np.isnan(dml_vk.var(alone, axis=1, correction=1).numpy()).all()
    assert np.isnan(dml_vk.mean(dml_vk.zeros((0, 3)), axis=0).numpy()).all()


@contextlib.contextmanager
def counted(device):
    """A list that gets each launch while it lasts."""
    launches, add = [], device.queue.add
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device.queue, "add", lambda *work: (launches.append(work), add(*work)))
        yield launches


@pytest.mark.usefixtures("as_gpu")
@pytest.mark.parametrize("dtype", DTYPES)
def test_launches(dtype):
    """One where a workgroup has all of a result; means are launches of their own otherwise."""
    device = dml_vk.device()
    for shape, axis, mean, var in (
        ((64, 4096), 1, 1, 1),
        ((1024, 70), 0, 1, 1),
        ((64, 9), 1, 1, 1),
        ((2**17,), 0, 2, 4),
    ):
        x = dml_vk.ones(shape, dtype=dtype)
        for function, most in ((dml_vk.mean, mean), (dml_vk.var, var), (dml_vk.std, var)):
            with counted(device) as launches:
                function(x, axis=axis)
            assert len(launches) == most, (shape, function)
