"""Complex numbers for tests: hard ones, tensors of them in any layout, and distances."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk.layout import Layout
from dml_vk.testing.elementwise import ulps_apart
from tests import tier
from tests.chance import chance
from tests.kernel.memory import elements, memory_for

DTYPES = ("complex64", "complex128")
# One for functions that are made of others, which are tested in both.
EITHER = tier.some(DTYPES, 1)
WIDE = tier.some(DTYPES[::-1], 1)
INF, NAN = np.inf, np.nan
PARTS = (0.0, -0.0, 1.0, -1.0, 2.5, INF, -INF, NAN)
SPECIAL = [complex(a, b) for a in PARTS for b in PARTS]


def part(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}[dtype]


def usual(dtype: str, sizes, spread: int = 8) -> np.ndarray:
    """Parts of either sign, some powers of two apart."""
    random = chance()
    shape = (*np.atleast_1d(sizes), 2) if sizes != () else (2,)
    values = random.normal(size=shape) * 2.0 ** random.integers(-spread, spread + 1, shape)
    return values.astype(part(dtype)).view(dtype)[..., 0]


def in_layout(dtype: str, layout: Layout, values: np.ndarray) -> tuple[dml_vk.Tensor, np.ndarray]:
    """These values at the layout amid random memory, and a view of the same in NumPy."""
    memory, layout = memory_for(layout, np.dtype(dtype).itemsize)
    memory = memory.view(dtype)
    seen = elements(memory, layout)
    seen[...] = values
    return dml_vk.asarray(memory).over(layout), seen


def both(values: np.ndarray) -> np.ndarray:
    """Real and imaginary parts as a last dim."""
    return np.stack([values.real, values.imag], -1)


def assert_bits(found: np.ndarray, expected: np.ndarray) -> None:
    """Bit for bit in both parts, but any NaN for a NaN."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    one, two = both(found), both(expected)
    same = (one == two) & (np.signbit(one) == np.signbit(two)) | np.isnan(one) & np.isnan(two)
    assert same.all(), (found[~same.all(-1)][:5], expected[~same.all(-1)][:5])


def ulps(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest distance of a part from one of an exact result, in last places of it."""
    exact = both(expected).astype(part(found.dtype.name))
    return float(ulps_apart(both(found), exact).max(initial=0.0))
