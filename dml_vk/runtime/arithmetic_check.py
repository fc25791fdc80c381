"""Examine a device's arithmetic by small kernels, against the host's, which is that of IEEE 754.

Each trait is something that some driver does otherwise: it rounds a product and a sum at once,
loses a NaN or the sign of a zero, or divides integers of 64 bits wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dml_vk.kernels.codegen.library import load
from dml_vk.runtime.interface import Dispatch, Runtime

Floats = np.ndarray[Any, np.dtype[np.float32]]
Table = np.ndarray[Any, np.dtype[Any]]  # of words: a row for each pair of operands

LOCAL_SIZE = 64
LEAST = 2.0**-126  # the smallest normal number
_LEAST_HALF = 2.0**-14
_STEP = 2.0**-23
# Pairs of these give ties in both directions, cancellation, overflow and underflow.
_SIZES = [0.0, 1.0, 1 + _STEP, 1 + 3 * _STEP, 2 - _STEP, 3.0, 10.0, 1 / 3, 1e-3, np.pi]
_SIZES += [1e5 + 1 / 3, _STEP / 2, _STEP / 2 * (1 + _STEP), _STEP / 4, 2.0**24, 2.0**24 + 2]
_SIZES += [2.0**25 + 4, 1e19, 1e30, 3.4028235e38, 1e-10, 1e-19, 1e-30]
_SIZES += [LEAST, LEAST * (1 + _STEP), 3 * LEAST, 2.0**-149, LEAST / 2, LEAST * (1 - _STEP)]
# Where integers end.
_SIZES += [0.5, 255.5, 2.0**31, 2.0**31 - 2**7, 2.0**32, 2.0**32 - 2**8, np.inf, np.nan]
_HALVES = 256  # sums next to the middle between two float16
_COUNTS = (0, 1, 2, 3, 7, 10, 31, 32, 33, 63, 64, 65, 255)
_LARGE = (2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 10**12 + 39, 3 * 2**61 + 5, 2**63 - 1)


def examine(runtime: Runtime, module: str) -> dict[str, bool]:
    """Run one of the kernels on a device that may be working, outside its queue."""
    tables, wanted = operands(module), expected(module)
    blocks = []
    for table in tables:
        blocks.append(runtime.allocate(table.nbytes, "upload"))
        runtime.view(blocks[-1])[:] = table.view(np.uint32).ravel()
    dst = runtime.allocate(wanted.nbytes, "readback")
    more = [1] if module == "float_check_float32" else []
    push = np.array([*[0] * (len(tables) + 1), len(wanted), *more], np.uint32)
    pipeline = runtime.pipeline(load(module), (), push.size, len(tables) + 1)
    bound = runtime.bind(pipeline, [*blocks, dst])
    groups = -(-len(wanted) // LOCAL_SIZE)
    ticket = runtime.record([Dispatch(bound, push.tobytes(), (groups, 1, 1))])
    runtime.submit(ticket)
    runtime.wait(ticket)
    return judge(module, runtime.view(dst).view(wanted.dtype).reshape(wanted.shape), wanted)


def operands(module: str) -> list[Table]:
    """What a kernel gets."""
    if module == "integer_check_int64":
        longs = _longs()
        return [np.stack([np.repeat(longs, longs.size), np.tile(longs, longs.size)], axis=1)]
    a, b = _pairs()
    if module == "function_check_float32":
        return [a, b]
    with np.errstate(all="ignore"):
        return [a, b, a * b]


def _pairs() -> tuple[Floats, Floats]:
    """All pairs of difficult numbers with either sign, and sums that halves must round once."""
    sizes = np.array(_SIZES, np.float32)
    values = np.concatenate([sizes, -sizes])
    # Midway between two float16, and a little more or less, which float32 rounds away.
    lower = (0x0400 + np.arange(_HALVES) * 119).astype(np.uint16)
    middle = (np.float32(lower.view(np.float16)) + np.float32((lower + 1).view(np.float16))) / 2
    little = middle * np.where(np.arange(_HALVES) % 4 < 2, 1, -1) * np.float32(2.0**-26)
    a = np.concatenate([np.repeat(values, values.size), middle]).astype(np.float32)
    b = np.concatenate([np.tile(values, values.size), little]).astype(np.float32)
    return a, b


def _longs() -> Table:
    sizes = (*_COUNTS, *_LARGE)
    return np.array([*sizes, *[-size for size in sizes], -(2**63)], np.int64)


def expected(module: str) -> Table:
    """The results of a kernel for its operands, by the host."""
    tables = operands(module)
    with np.errstate(all="ignore"):
        if module == "integer_check_int64":
            return _integers(*tables[0].T)
        compute = _sums if module == "float_check_float32" else _functions
        return compute(tables[0], tables[1])


def _sums(a: Floats, b: Floats) -> Table:
    zero = np.float32(0)
    total, product = a + b, a * b
    nothing = product - product  # 0, or NaN
    columns = [total, product, total - a, *[nothing] * 7, a + zero, a * zero, zero - a]
    return np.stack([*map(_bits, columns), _half(total)], axis=1)


def _functions(a: Floats, b: Floats) -> Table:
    first, second = _order(a), _order(b)
    nan = np.isnan(a) | np.isnan(b)
    larger = np.where(nan, np.float32(np.nan), np.where(first < second, b, a))
    smaller = np.where(nan, np.float32(np.nan), np.where(second < first, b, a))
    whole = np.nan_to_num(np.trunc(np.float64(a)), posinf=2.0**40, neginf=-(2.0**40))
    columns = [
        _half(a + b),
        *map(_bits, (a / b, np.sqrt(a), larger, smaller)),
        (a < b) | (a == b).astype(np.uint32) << 1,
        np.clip(whole, -(2**31), 2**31 - 1).astype(np.int64) & 0xFFFFFFFF,
        np.clip(whole, 0, 2**32 - 1),
    ]
    return np.stack([column.astype(np.uint32) for column in columns], axis=1)


def _bits(x: Floats) -> Table:
    return np.ascontiguousarray(x, np.float32).view(np.uint32)


def _half(x: Floats) -> Table:
    return x.astype(np.float16).view(np.uint16).astype(np.uint32)


def _order(x: Floats) -> Table:
    """Numbers in the order of the floats, of which -0 comes before 0."""
    bits = x.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)


def _integers(a: Table, b: Table) -> Table:
    large, divisor = a.astype(np.uint64), b.astype(np.uint64)
    low, other = a.astype(np.int32), b.astype(np.int32)
    within, short = divisor < 64, other.view(np.uint32) < 32
    by, few = np.where(within, divisor, 63), np.where(short, other, 31)
    columns = [
        *(a // b, a % b, large // divisor, large % divisor),
        *((low // other).view(np.uint32), (low % other).view(np.uint32)),
        np.where(within, large << by, 0),
        a >> by.astype(np.int64),
        np.where(within, large >> by, 0),
        np.where(short, low << few, 0).view(np.uint32),
        (low >> few).view(np.uint32),
        np.where(short, low.view(np.uint32) >> few.astype(np.uint32), 0),
    ]
    return np.stack([np.asarray(column).astype(np.int64) for column in columns], axis=1)


def judge(module: str, results: Table, wanted: Table) -> dict[str, bool]:
    """Derive a device's traits from the results of a kernel, and from those by the host."""
    if module == "integer_check_int64":
        same = results == wanted
        return {"divides_integers": bool(same[:, :6].all()), "shifts": bool(same[:, 6:].all())}
    if module == "float_check_float32":
        return _judged_sums(results, wanted)
    return _judged_functions(results, wanted)


class _Compared(NamedTuple):
    """Results as floats."""

    same: Table  # to the bit, but for the kind of NaN
    equal: Table  # whatever the sign of a zero
    nan: Table
    normal: Table  # rows without subnormals, which drivers may flush


def _compared(results: Table, wanted: Table, columns: slice) -> _Compared:
    """A flushed subnormal also changes results that are computed from it."""
    values, right = (table[:, columns].copy().view(np.float32) for table in (results, wanted))
    nan = np.isnan(right)
    same = np.where(nan, np.isnan(values), values.view(np.uint32) == right.view(np.uint32))
    involved = np.column_stack([*_pairs(), right])
    subnormal = (np.abs(involved) < LEAST) & (involved != 0)
    equal = same | (values == right)
    return _Compared(same, equal, nan, ~subnormal.any(axis=1, keepdims=True))


def _judged_sums(results: Table, wanted: Table) -> dict[str, bool]:
    same, equal, nan, normal = _compared(results, wanted, slice(13))
    sums, apart, constants = slice(3), slice(3, 10), slice(10, 13)
    holds = {
        "rounds": equal[:, sums] | nan[:, sums] | ~normal,
        "multiplies_apart": equal[:, apart] | nan[:, apart] | ~normal,
        "keeps_nan": same[:, sums] | ~nan[:, sums] | ~normal,
        "keeps_zeros": same[:, sums] | ~equal[:, sums] | nan[:, sums] | ~normal,
        "keeps_subnormals": same[:, sums] | nan[:, sums] | normal,
        "keeps_constants": same[:, constants] | ~normal,
        "packs_halves": _halves(results[:, 13], wanted[:, 13], normal),
    }
    return {trait: bool(right.all()) for trait, right in holds.items()}


def _judged_functions(results: Table, wanted: Table) -> dict[str, bool]:
    same, _, _, normal = _compared(results, wanted, slice(1, 5))
    whole = results == wanted
    holds: Mapping[str, Table] = {
        "compares": np.column_stack([same[:, 2:], whole[:, 5]]) | ~normal,
        "narrows": _halves(results[:, 0], wanted[:, 0], normal),
        "divides": same[:, :2] | ~normal,
        "converts": whole[:, 6:] | ~normal,
    }
    return {trait: bool(right.all()) for trait, right in holds.items()}


def _halves(results: Table, wanted: Table, normal: Table) -> Table:
    """Whether a sum became the right float16, where that is neither NaN nor subnormal."""
    half = wanted.astype(np.uint16).view(np.float16)
    exempt = np.isnan(half) | (np.abs(half) < _LEAST_HALF) | ~normal[:, 0]
    right: Table = (results == wanted) | exempt
    return right
