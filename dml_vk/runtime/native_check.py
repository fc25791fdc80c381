"""Find the operations by which a device gives the bits that our kernels compute by integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.kernels.codegen.library import load_for
from dml_vk.runtime.interface import Dispatch, Runtime

FEATURE = "shaderFloat64"
_LOCAL_SIZE = 64
_RANDOM = 2048  # pairs
Bits = np.ndarray[Any, np.dtype[Any]]


class Check(NamedTuple):
    """The operations of a dtype."""

    module: str
    words: type[np.unsignedinteger[Any]]  # of the size of a float
    operations: str  # those of `expected`, from the lowest bit of `bits` on
    bits: int  # as in glsl/include/math/native.glsl

    @property
    def kind(self) -> Any:
        return np.dtype(f"f{np.dtype(self.words).itemsize}")


CHECKS = {
    "float32": Check("divide_check_float32", np.uint32, "/r", 0b110000),
    "float64": Check("double_check_float64", np.uint64, "+*/r", 0b1111),
}


def native_operations(runtime: Runtime, dtype: str) -> int:
    """Return a bit for each operation whose bits are right for all pairs, by one small kernel."""
    check = CHECKS[dtype]
    if dtype == "float64" and FEATURE not in runtime.features:
        return 0
    pairs = operands(check)
    results = np.empty((len(pairs), len(check.operations)), check.words)
    src = runtime.allocate(pairs.nbytes, "upload")
    dst = runtime.allocate(results.nbytes, "readback")
    runtime.view(src)[:] = pairs.view(np.uint32).ravel()
    pipeline = runtime.pipeline(load_for(check.module, (check.bits,)), (), 3, 2)
    bound = runtime.bind(pipeline, [src, dst])
    push = np.array([0, 0, len(pairs)], np.uint32).tobytes()
    ticket = runtime.record([Dispatch(bound, push, (-(-len(pairs) // _LOCAL_SIZE), 1, 1))])
    runtime.submit(ticket)
    runtime.wait(ticket)
    return judge(check, runtime.view(dst).view(check.words).reshape(results.shape))


def operands(check: Check) -> Bits:
    """Pairs of difficult numbers with either sign, NaNs of several kinds, and random bits."""
    info = np.finfo(check.kind)
    fraction, size = info.nmant, check.words(0).itemsize * 8
    ones = (1 << size - 1 - fraction) - 1  # an exponent's
    nans = [1, 1 << fraction - 1, (1 << fraction) - 1]
    words = [payload | ones << fraction for payload in nans]
    positive = np.concatenate(
        [np.array(_sizes(info), check.kind).view(check.words), np.array(words, check.words)]
    )
    values = np.concatenate([positive, positive | check.words(1 << size - 1)])
    hard = np.stack([np.repeat(values, values.size), np.tile(values, values.size)], axis=1)
    # A linear congruential generator: NumPy's own may change with its version.
    state, drawn = 1, []
    for _ in range(2 * _RANDOM):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        drawn.append(state >> 64 - size)
    random = np.array(drawn, check.words).reshape(-1, 2)
    # Half of them of similar size, so that sums round.
    unit = ones >> 1 << fraction
    near = random[::2] & check.words(1 << size - 1 | (1 << fraction) - 1) | check.words(unit)
    random[::2] = near ^ (random[1::2] & check.words(7 << fraction))
    return np.concatenate([hard, random])


def _sizes(info: np.finfo[Any]) -> list[float]:
    """Pairs of these give ties in both directions, cancellation, overflow and underflow."""
    least, step, digits = float(info.smallest_normal), float(info.eps), info.nmant + 1
    half = info.maxexp // 2
    values = [0.0, 1.0, 1 + step, 1 + 3 * step, 2 - step, 3.0, 10.0, 1 / 3, 1e-3, np.pi]
    values += [1e5 + 1 / 3, step / 2, step / 2 * (1 + step), step / 4, 1 - step / 2]
    values += [2.0**digits, 2.0**digits + 2, 2.0 ** (digits + 1) + 4]
    values += [float(info.max), *[1.1 * 2.0 ** (half * k / 8) for k in (-12, -8, -4, 8, 12)]]
    values += [3 * least, least, least * (1 + step), least * (1 - step), least / 2]
    values += [least * step, 3 * least * step, 2.0 ** (digits // 2) * least * step]
    return [*values, np.inf, np.nan, 2.0 ** (half - 1), 2.0 ** (1 - half), 2.0 ** -(half + 25)]


def expected(check: Check, pairs: Bits) -> Bits:
    """The results of the operations by the host's arithmetic, which is that of IEEE 754."""
    a, b = pairs.view(check.kind).T
    with np.errstate(all="ignore"):
        results = {"+": a + b, "*": a * b, "/": a / b, "r": np.sqrt(a)}
    bits = np.stack([results[operation] for operation in check.operations], axis=1)
    info = np.finfo(check.kind)
    nan = np.array(2 * info.maxexp - 1 << info.nmant | 1 << info.nmant - 1, check.words)
    return np.where(np.isnan(bits), nan, bits.view(check.words))  # as all operations of ours


def judge(check: Check, results: Bits) -> int:
    """Return a bit for each column that is as expected."""
    right = (results == expected(check, operands(check))).all(axis=0)
    first = (check.bits & -check.bits).bit_length() - 1
    return int(sum(1 << first + k for k, is_right in enumerate(right) if is_right))
