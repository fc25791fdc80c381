"""Operators on the device against NumPy: operands in any memory, and nothing written beside."""

from __future__ import annotations

import functools

import numpy as np

import dml_vk
from dml_vk.dtypes import DType, to_dtype
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import compute
from dml_vk.ops.numbers import scalar_words
from dml_vk.testing import elementwise
from dml_vk.testing.elementwise import ulps_apart
from tests.kernel.memory import KINDS, elements, memory_for

LEAST = {np.dtype(np.float32): 2.0**-126, np.dtype(np.float64): 2.0**-1022}

# What tells a kernel its way: true or not, and so many bits for each source, which are never all 1.
TOLD = ("EDGES", "DENSE", "DST_QUADS", "RAGGED", "DST_PIECES")
TOLD_OF_SOURCES = {"STEPS": 2, "SRC_QUADS": 1, "READS": 2}
KERNEL_OF = {module: kernel for kernel in KERNELS.values() for module in kernel.modules}


def random_values(dtype: DType, count: int, seed: int = 0) -> np.ndarray:
    """All of a dtype's hard values, and then half any bits and half numbers of usual sizes."""
    random = np.random.default_rng([seed, dtype.code])
    if dtype.kind == "c":
        return random_values(dtype.part, 2 * count, seed).view(dtype.name)
    kind = KINDS[dtype.itemsize]
    if dtype.kind == "b":
        return random.integers(0, 2, count, np.uint8).view(np.bool_)
    values = random.integers(0, 2 ** (8 * dtype.itemsize), count, kind, False).view(dtype.name)
    usual = random.random(count) < 0.5
    if dtype.kind == "f":
        values[usual] = (random.normal(size=count) * 2.0 ** random.integers(-8, 9, count))[usual]
    else:
        values[usual] = random.integers(0, 100, count)[usual].astype(dtype.name)
        if dtype.kind == "i":
            values[usual] -= 50
    hard = hard_values(dtype)
    at = random.permutation(count)[: hard.size]
    values[at] = random.permutation(hard)[: at.size]
    return values


@functools.cache
def hard_values(dtype: DType) -> np.ndarray:
    """Limits, powers of two, the neighbours of both, zeros, halves, and all special ones."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.name)
        powers = {2**k + near for k in range(0, 64, 3) for near in (-1, 0, 1)}
        wanted = powers | {-power for power in powers} | {limits.min + k for k in range(3)}
        wanted |= {limits.max - k for k in range(3)} | {8, 9, 16, 17, 33, 65, 2**24 + 1, 2**53 + 1}
        return np.array(sorted(w for w in wanted if limits.min <= w <= limits.max), dtype.name)
    info = np.finfo(dtype.name)
    least, tiny, top = info.smallest_subnormal, info.smallest_normal, info.max
    exact = [
        0.0,
        least,
        3 * least,
        tiny,
        np.nextafter(tiny, 0, dtype=dtype.name),
        top,
        np.inf,
        np.nan,
    ]
    exact += [np.nextafter(info.dtype.type(one), near) for one in (1, 2, 1024) for near in (0, 9)]
    exact += [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 10.0, 88.5, 89.0, 103.9, 710.0, 1e4, 65519.0]
    exact += [
        65520.0,
        2.0**-25,
        2.0**23 - 0.5,
        2.0**24 + 2,
        2.0**31,
        2.0**32,
        2.0**52 - 0.5,
        2.0**53 + 2,
        2.0**63,
        2.0**64,
    ]
    exact += [np.pi / 2, np.pi, 1e10, 1e30, 1e-4, 1e-30]
    with np.errstate(over="ignore"):
        made = np.array(exact, np.float64).astype(dtype.name)
    return np.concatenate([made, -made])


def source_of(dtype: DType, layout: Layout, values: np.ndarray | None = None, seed: int = 0):
    """(tensor, what NumPy sees in it): values, or random ones, at the layout amid random memory."""
    memory, layout = memory_for(layout, dtype.itemsize)
    kind = dtype.numpy_name
    if dtype.kind != "b":
        at = elements(memory.view(kind), layout)
        at[...] = (
            random_values(dtype, layout.numel, seed).reshape(at.shape) if values is None else values
        )
    tensor = dml_vk.asarray(memory.view(kind)).over(layout)
    # Bytes of bools are random, and true if they are not 0.
    return tensor, np.asarray(elements(memory, layout) != 0) if dtype.kind == "b" else at


def run(name: str, sources, target, common: DType, **parameters) -> None:
    """The operator by the public function of its name, if there is one that takes this."""
    operator = OPERATORS[name]
    if name == "cast":
        dml_vk.astype(*sources, target.dtype, out=target)
    elif name == "clip_grad" or target.dtype.name not in (operator.result, common.name):
        words = [scalar_words(name, "bound", common, value) for value in parameters.values()]
        compute(name, operator, sources, target, common, tuple(sum(words, ())))
    else:
        getattr(dml_vk, name)(*sources, *parameters.values(), out=target)


def check(name: str, sources, layout: Layout, dtype: DType, **parameters) -> None:
    """The operator of these writes what NumPy says to the layout, and not one bit beside it.

    `sources` are of `source_of`, or numbers; `dtype` is that of the result.
    """
    seen = [source[1] if isinstance(source, tuple) else source for source in sources]
    given = [source[0] if isinstance(source, tuple) else source for source in sources]
    memory, layout = memory_for(layout, dtype.itemsize)
    target = dml_vk.asarray(memory.view(dtype.numpy_name)).over(layout)
    expected, common = expected_of(name, seen, dtype, parameters)
    run(name, given, target, common, **parameters)
    found = target.over(Layout((memory.size,))).numpy().view(memory.dtype)
    compare(name, seen, elements(found.view(dtype.numpy_name), layout), expected)
    elements(memory, layout)[...] = elements(found, layout)
    assert np.array_equal(found, memory), f"{name} to {layout!r}: something is written beside it"


def expected_of(name, seen, dtype: DType, parameters) -> tuple[np.ndarray, DType]:
    """(what must come out, the dtype that it is computed in)."""
    if name == "cast":
        return elementwise.cast(seen[0], dtype), dtype
    arrays = [array for array in seen[name == "where" :] if isinstance(array, np.ndarray)]
    common = np.result_type(*arrays)
    seen = [np.asarray(one, None if isinstance(one, np.ndarray) else common) for one in seen]
    expected = elementwise.reference(name, *seen, **parameters)
    return expected.astype(dtype.numpy_name), to_dtype(name, common)


def compare(name: str, seen, found: np.ndarray, expected: np.ndarray) -> None:
    """Bit for bit, any NaN for a NaN, or as far apart as the table says."""
    if found.dtype.kind == "c":
        for part in ("real", "imag"):
            parts = [getattr(one, part) for one in seen]
            compare(name, parts, getattr(found, part).copy(), getattr(expected, part).copy())
        return
    ulp = OPERATORS[name].ulp
    if name == "where" and found.dtype.kind == "b":
        right = (found.view(np.uint8) != 0) == expected  # It moves a bool's byte as it is.
    elif found.dtype.kind != "f":
        right = found.view(KINDS[found.itemsize]) == expected.view(KINDS[found.itemsize])
    elif ulp:
        apart = ulps_apart(found, expected)
        if name == "logaddexp":
            apart = np.fmin(apart, places_apart(found, expected, np.fmax(*seen)))
        if name in ("gammaln", "digamma"):  # NumPy's are not exact where these are near 0.
            apart = np.fmin(apart, places_apart(found, expected, np.ones_like(expected)))
        # Within an error of float32, what is rounded to float16 may come to lie on the other side.
        right = apart <= (1 if found.itemsize == 2 else ulp)
    else:
        same = found.view(KINDS[found.itemsize]) == expected.view(KINDS[found.itemsize])
        right = same | np.isnan(found) & np.isnan(expected)
    if found.dtype == np.float32 and not keeps_subnormals():
        right |= flushable(seen, expected)
        if OPERATORS[name].parameters:
            right |= (
                np.abs(seen[0]) < 4 * LEAST[found.dtype]
            )  # Products with them may be subnormal.
    if not right.all():
        wrong = np.nonzero(~right)
        first = [index[0] for index in wrong]
        told = [np.broadcast_to(one, expected.shape)[tuple(first)] for one in seen]
        raise AssertionError(
            f"{name}{told}: {found[wrong][:5]} for {expected[wrong][:5]}, {wrong[0].size} wrong"
            f" of {found.size}, first at {first}"
        )


def places_apart(found, expected, beside: np.ndarray) -> np.ndarray:
    """The error in last places of what is larger, the result or what lies beside it."""
    with np.errstate(all="ignore"):
        error = np.abs(found.astype(np.float64) - expected)
        return error / np.spacing(np.fmax(np.abs(expected), np.abs(beside)))


def flushable(seen, expected: np.ndarray) -> np.ndarray:
    """A device that flushes subnormals may answer otherwise here."""
    least = LEAST[expected.dtype]
    subnormal = [(np.abs(one) < least) & (one != 0) for one in seen]
    # What is rounded up to the least normal number was subnormal before.
    subnormal.append((np.abs(expected) <= least) & (expected != 0))
    return np.logical_or.reduce(np.broadcast_arrays(*subnormal))


@functools.cache
def keeps_subnormals() -> bool:
    least = np.array([1e-45], np.float32)
    return bool(dml_vk.multiply(dml_vk.asarray(least), 1.0).numpy()[0])


def variant_values(plan) -> set[tuple[object, ...]]:
    """The module, and (its form, constant, which source, value) of what it is told of its way.

    Modules are of one form if they have as many sources, one path and elements of one size.
    """
    kernel = KERNEL_OF[plan.module]
    sources = len(plan.base_bytes) - 1
    form = (sources, *plan.module.rsplit("_", 2)[1:])
    told = dict(zip(kernel.spec, plan.spec))
    of_sources = {
        (form, name, k, told[name] >> bits * k & (1 << bits) - 1)
        for name, bits in TOLD_OF_SOURCES.items()
        for k in range(sources)
        if name in told
    }
    switches = {(form, name, 0, told[name]) for name in TOLD if name in told}
    return {plan.module, (form, "arguments", bool(plan.arguments))} | of_sources | switches


def all_variant_values(kernel: str) -> set[tuple[object, ...]]:
    """What plans of a kernel can use, as above."""
    wanted: set[tuple[object, ...]] = set()
    sources, ways = COMPUTED[kernel].sources, COMPUTED[kernel].variants
    for way in ways:
        module, form = f"{kernel}_{way}", (sources, *way.split("_"))
        spec = KERNEL_OF[module].spec
        wanted |= {module, (form, "arguments", False), (form, "arguments", True)}
        for name in [name for name in TOLD if name in spec]:
            wanted |= {(form, name, 0, value) for value in (0, 1)}
        for name in [name for name in TOLD_OF_SOURCES if name in spec]:
            values = range(TOLD_OF_SOURCES[name] + 1)
            wanted |= {(form, name, k, value) for k in range(sources) for value in values}
    return wanted


def flushed(values: np.ndarray) -> np.ndarray:
    """Subnormal numbers of float32 as zeros of their sign."""
    return np.where(np.abs(values) < 2.0**-126, np.copysign(np.float32(0), values), values)
