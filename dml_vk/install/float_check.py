"""Check a device's float arithmetic: sums and products of difficult operands, against NumPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.array.creation import asarray, empty
from dml_vk.kernels.spirv.library import load
from dml_vk.kernels.spirv.reader import read
from dml_vk.runtime.device import Device
from dml_vk.user_kernel import Shader, kernel

Array = np.ndarray[Any, np.dtype[np.float32]]

_LEAST = 2.0**-126  # the smallest normal number
_THIRD, _STEP = 1 / 3, 2.0**-23
# Pairs of these give ties in both directions, cancellation, overflow and underflow.
_SIZES = [
    0.0,
    1.0,
    1 + _STEP,
    1 + 3 * _STEP,
    2 - _STEP,
    3.0,
    10.0,
    _THIRD,
    1e-3,
    np.pi,
    1e5 + _THIRD,
]
_SIZES += [_STEP / 2, _STEP / 2 * (1 + _STEP), _STEP / 4, 2.0**24, 2.0**24 + 2, 2.0**25 + 4]
_SIZES += [1e19, 1e30, 3.4028235e38, 1e-10, 1e-19, 1e-30, _LEAST, _LEAST * (1 + _STEP), 3 * _LEAST]
_SIZES += [np.inf, np.nan, 2.0**-149, _LEAST / 2, _LEAST * (1 - _STEP)]


class Floats(NamedTuple):
    """Properties of a device's float32 arithmetic."""

    rounds: bool  # to nearest, ties to even, each sum and product separately
    keeps_nan: bool
    keeps_subnormals: bool

    @property
    def are_trusted(self) -> bool:
        """Whether functions give the same bits as elsewhere, except for subnormals."""
        return self.rounds and self.keeps_nan


def examine(device: Device | None = None) -> Floats:
    """Examine a device by a small kernel."""
    a, b = operands()
    spirv = load("float_check_float32")
    check = kernel(Shader(spirv, read(spirv)), name="float_check")
    dst = empty((a.size, 4), "float32", device=device)
    given = [asarray(each, device=device) for each in (a, b)]
    check(*given, dst, groups=-(-a.size // 64), push=(a.size,))
    return judge(dst.numpy())


def operands() -> tuple[Array, Array]:
    """All pairs of the difficult numbers, with either sign."""
    sizes = np.array(_SIZES, np.float32)
    values = np.concatenate([sizes, -sizes])
    return np.repeat(values, values.size), np.tile(values, values.size)


def results(a: Array, b: Array) -> Array:
    """The expected results of glsl/float_check.comp."""
    with np.errstate(all="ignore"):
        total, product = a + b, a * b
        return np.stack([total, product, total - a, product - product], axis=1)


def judge(found: Array) -> Floats:
    """Derive the properties of a device from its results for `operands`."""
    a, b = operands()
    expected = results(a, b)
    nan = np.isnan(expected)
    same = np.where(nan, np.isnan(found), found.view(np.uint32) == expected.view(np.uint32))
    # A flushed subnormal also changes results computed from it.
    involved = np.stack([a, b, expected[:, 0], expected[:, 1], expected[:, 2]])
    subnormal = ((np.abs(involved) < _LEAST) & (involved != 0)).any(axis=0)[:, None]
    return Floats(
        bool(same[~nan & ~subnormal].all()),
        bool(same[nan & ~subnormal].all()),
        bool(same[subnormal & ~nan].all()),
    )
