"""Products of complex numbers: a tree, in at most two launches."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from tests import tier
from tests.kernel.ops.test_variance import counted, laid_out
from tests.kernel.profiled import profiled
from tests.profiles import PROFILES

DTYPES = ("complex64", "complex128")
# Around what an invocation and a workgroup multiply; by rows, by columns, and over several dims.
CASES = (
    *[((n,), (0,)) for n in (1, 2, 3, 4, 5, 8, 9, 63, 65, 2047, 2049, 4097)],
    *[((rows, n), (1,)) for rows, n in ((5, 9), (33, 250), (1, 9))],
    *[((n, columns), (0,)) for n, columns in ((16, 33), (17, 3), (250, 33), (5000, 5))],
    *[((3, 40, 33), axes) for axes in ((1,), (0, 2), (0, 1, 2))],
    *[((2, 3, 2, 3, 2, 3, 2), axes) for axes in ((0, 2, 4, 6), (1, 3, 5))],
    ((3, 4), ()),
)


def product(a, b):
    """Each operation on parts is rounded: some of NumPy's are fused."""
    result = np.empty_like(a)
    result.real = a.real * b.real - a.imag * b.imag
    result.imag = a.real * b.imag + a.imag * b.real
    return result


def expected(a, axes):
    """The left of two neighbours times the right one, round by round; an odd last one stays."""
    others = [axis for axis in range(a.ndim) if axis not in axes]
    nodes = a.transpose(*others, *axes).reshape(*[a.shape[axis] for axis in others], -1)
    while (count := nodes.shape[-1]) > 1:
        even = count // 2 * 2
        products = product(nodes[..., 0:even:2], nodes[..., 1:even:2])
        nodes = np.concatenate([products, nodes[..., even:]], axis=-1)
    return nodes[..., 0]


@tier.parametrize("kind dtype layout case", PROFILES, DTYPES, ("packed", "transposed"), CASES)
def test_bits(kind, dtype, layout, case):
    shape, axes = case
    rng = np.random.default_rng(7)
    a = np.exp(6j * rng.random(shape)) * (1 + rng.standard_normal(shape) / 1000)
    x, device = laid_out(a.astype(dtype), layout), dml_vk.device()
    profile = dataclasses.replace(PROFILES[kind], features=device.profile.features)
    with profiled(device, profile), counted(device) as launches:
        result = dml_vk.prod(x, axis=axes)
    assert len(launches) <= 2 + (len(axes) > 3)  # a copy before them
    assert result.numpy().tobytes() == expected(a.astype(dtype), axes).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_missing_numbers_are_no_factors(dtype):
    """Infinity times 1 has a NaN in it, and -0.0 times 1 is 0.0."""
    a = np.array([[complex(np.inf, 2)] * 3, [complex(-0.0, -0.0)] * 3, [complex(0, np.nan)] * 3])
    for count in (1, 2, 3):
        rows = a[:, :count].astype(dtype)
        x, found = dml_vk.asarray(rows), rows[:, 0]
        for k in range(1, count):
            found = (dml_vk.asarray(found) * x[:, k]).numpy()
        assert dml_vk.prod(x, axis=1).numpy().tobytes() == found.tobytes()


def test_nothing_beside_a_product_is_written_and_it_may_lie_in_what_is_read():
    a = np.exp(1j * np.arange(60)).reshape(6, 10).astype(np.complex64)
    memory = dml_vk.full((6, 3), 7, dtype="complex64")
    dml_vk.prod(dml_vk.asarray(a), axis=1, out=memory[:, 1])
    assert (memory.numpy()[:, ::2] == 7).all()
    assert memory.numpy()[:, 1].tobytes() == expected(a, (1,)).tobytes()
    x = dml_vk.asarray(a)
    dml_vk.prod(x, axis=0, out=x[2])
    assert x.numpy()[2].tobytes() == expected(a, (0,)).tobytes()
    assert (x.numpy()[3:] == a[3:]).all()
