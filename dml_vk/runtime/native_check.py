"""Find the operations for which a device's own float64 gives the bits of our kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.kernels.spirv.library import load_for
from dml_vk.runtime.interface import Dispatch, Runtime

FEATURE = "shaderFloat64"
ALL = 0b1111  # as in glsl/include/math/native.glsl: add, multiply, divide, sqrt
Bits = np.ndarray[Any, np.dtype[np.uint64]]

_MODULE = "double_check_float64"
_LOCAL_SIZE = 64
_QUAD_BYTES = 16
_NAN = np.uint64(0x7FF8 << 48)  # what all operations of ours give
_RANDOM = 2048  # pairs
# Pairs of these give ties in both directions, cancellation, overflow and underflow.
_LEAST, _STEP = 2.0**-1022, 2.0**-52
_SIZES = [0.0, 1.0, 1 + _STEP, 1 + 3 * _STEP, 2 - _STEP, 3.0, 10.0, 1 / 3, 1e-3, np.pi, 1e5 + 1 / 3]
_SIZES += [_STEP / 2, _STEP / 2 * (1 + _STEP), _STEP / 4, 2.0**53, 2.0**53 + 2, 2.0**54 + 4]
_SIZES += [1e154, 1e240, 1.7976931348623157e308, 1e-80, 1e-154, 1e-240, 3 * _LEAST]
_SIZES += [
    _LEAST,
    _LEAST * (1 + _STEP),
    _LEAST * (1 - _STEP),
    _LEAST / 2,
    2.0**-1074,
    3 * 2.0**-1074,
]
_SIZES += [np.inf, np.nan, 2.0**511, 2.0**-511, 2.0**-537, 5e-324 * 2.0**26, 1 - _STEP / 2]


def native_operations(runtime: Runtime) -> int:
    """Return a bit for each operation whose bits are right for all pairs, by one small kernel."""
    if FEATURE not in runtime.features:
        return 0
    pairs = operands()
    count = len(pairs)
    src = runtime.allocate(_QUAD_BYTES * count, "upload")
    dst = runtime.allocate(2 * _QUAD_BYTES * count, "readback")
    runtime.view(src)[:] = pairs.view(np.uint32).ravel()
    pipeline = runtime.pipeline(load_for(_MODULE, (ALL,)), (), 3, 2)
    bound = runtime.bind(pipeline, [src, dst])
    push = np.array([0, 0, count], np.uint32).tobytes()
    ticket = runtime.record([Dispatch(bound, push, (-(-count // _LOCAL_SIZE), 1, 1))])
    runtime.submit(ticket)
    runtime.wait(ticket)
    return judge(runtime.view(dst).view(np.uint64).reshape(count, 4))


def operands() -> Bits:
    """Pairs of difficult numbers with either sign, NaNs of several kinds, and random bits."""
    sizes = np.array(_SIZES).view(np.uint64)
    nans = np.array([1, 1 << 51, (1 << 52) - 1], np.uint64) | np.uint64(0x7FF << 52)
    positive = np.concatenate([sizes, nans])
    values = np.concatenate([positive, positive | np.uint64(1 << 63)])
    hard = np.stack([np.repeat(values, values.size), np.tile(values, values.size)], axis=1)
    # A linear congruential generator: NumPy's own may change with its version.
    state, words = 1, []
    for _ in range(2 * _RANDOM):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        words.append(state)
    random = np.array(words, np.uint64).reshape(-1, 2)
    # Half of them of similar size, so that sums round.
    near = random[::2] & np.uint64(0x800FFFFFFFFFFFFF) | np.uint64(0x3FF << 52)
    random[::2] = near ^ (random[1::2] & np.uint64(0x7 << 52))
    return np.concatenate([hard, random])


def expected(pairs: Bits) -> Bits:
    """The results of the operations by the host's arithmetic, which is that of IEEE 754."""
    a, b = pairs.view(np.float64).T
    with np.errstate(all="ignore"):
        found = np.stack([a + b, a * b, a / b, np.sqrt(a)], axis=1)
    return np.where(np.isnan(found), _NAN, found.view(np.uint64))


def judge(found: Bits) -> int:
    """Return a bit for each column that is as expected."""
    right = (found == expected(operands())).all(axis=0)
    return int(sum(1 << k for k, one in enumerate(right) if one))
