"""Cases by kernel of what computes each element: operators, reductions, scans, sorts.

`bench/test_kernels.py` times these beside NumPy and PyTorch, into existing memory where functions
have `out`. They are finer than the cases that users see: operators, dtypes, axes and memory orders.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from dml_vk.commands.cases.case import Array, Case, Module, Sizes, Values, copy_into
from dml_vk.kernels.operators import OPERATORS

BIG: Sizes = (16, 64, 128, 128)


def cases() -> Iterator[Case]:
    yield from _operators()
    yield from _casts()
    yield from _reductions()
    yield from _scans()
    yield from _sorts()


def values(kind: str, sizes: tuple[int, ...], order: str = "NCHW", seed: int = 0) -> Array:
    """Floats between 0 and 1, whole numbers below 100, or bools, in this memory order."""
    draw = np.random.default_rng(seed).uniform(0.1, 0.9, sizes)
    values = draw > 0.5 if kind == "bool" else draw * (100 if np.dtype(kind).kind in "iu" else 1)
    array: Array = values.astype(kind)
    if order == "NHWC":
        array = np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    return array


def _tolerance(kind: str) -> float:
    """Of results that are rounded more than once, or in another order than NumPy's."""
    return {"float16": 2e-3, "float32": 1e-4, "float64": 1e-9}.get(kind, 0.0)


def _operators() -> Iterator[Case]:
    for name in (
        *("abs", "sqrt", "rsqrt", "reciprocal", "floor", "exp", "expm1", "log", "log1p", "sin"),
        *("cos", "tan", "tanh", "sinh", "atan", "asin", "erf", "gelu", "sigmoid", "softplus"),
        "relu",
    ):
        yield _operator("unary", name, name, "float32")
    for name in ("abs", "exp"):
        yield _operator("unary", f"{name}, float16", name, "float16")
    for name in ("sqrt", "exp", "log", "sin", "tanh", "atan"):
        yield _operator("unary", f"{name}, float64", name, "float64")
    for name in ("add", "multiply", "divide", "pow", "atan2", "maximum", "less"):
        yield _operator("binary", name, name, "float32", "float32")
    yield _operator("binary", "add (1,64,1,1)", "add", "float32", "float32 bias")
    yield _operator("binary", "add NCHW + NHWC", "add", "float32", "float32 NHWC")
    for kind in ("float16", "uint8", "int64", "float64"):
        yield _operator("binary", f"add, {kind}", "add", kind, kind)
    for kind in ("int32", "int64"):
        yield _operator("binary", f"floor_divide, {kind}", "floor_divide", kind, kind)
    yield _operator("binary", "pow, float64", "pow", "float64", "float64")
    yield _operator("where", "where", "where", "bool", "float32", "float32")
    yield _operator("where", "where, bias", "where", "bool", "float32", "float32 bias")
    yield _operator("where", "where, float16", "where", "bool", "float16", "float16")


def _operator(group: str, case: str, name: str, *operands: str) -> Case:
    """Operands are dtypes, with `bias` if there is one number a channel, or a memory order."""
    kinds = [operand.split()[0] for operand in operands]
    result = "bool" if name == "less" else kinds[-1]

    def arrays() -> list[Array]:
        inputs = []
        for seed, operand in enumerate(operands):
            kind, _, form = operand.partition(" ")
            inputs.append(values(kind, (1, 64, 1, 1) if form == "bias" else BIG, form, seed))
        like = inputs[-1] if "NHWC" in operands[-1] else inputs[0]
        return [np.zeros_like(like, dtype=result), *inputs]

    def by_numpy(xp: Module, out: Values, *xs: Values) -> Values:
        if name == "where":
            np.copyto(out, np.where(*xs))
            return out
        return getattr(np, OPERATORS[name].numpy or name)(*xs, out=out)

    def by_torch(xp: Module, out: Values, *xs: Values) -> Values:
        if name in ("relu", "gelu", "softplus"):
            return getattr(xp.nn.functional, name)(*xs)
        if name == "add":  # as it is written
            return xs[0] + xs[1]
        return getattr(xp, {"less": "lt"}.get(name, name))(*xs, out=out)

    return Case(
        case,
        arrays,
        lambda xp, out, *xs: getattr(xp, name)(*xs, out=out),
        {"numpy": by_numpy if OPERATORS[name].numpy is not None else None, "torch": by_torch},
        group=group,
        tolerance=_tolerance(result),
    )


def _casts() -> Iterator[Case]:
    for source, target in (
        *(("float32", "float16"), ("float16", "float32"), ("uint8", "float32")),
        *(("float32", "uint8"), ("float32", "int32"), ("int32", "float32"), ("int32", "int64")),
        *(("int64", "int32"), ("float32", "float64"), ("float64", "float32"), ("float32", "bool")),
    ):
        yield Case(
            f"{source} to {target}",
            functools.partial(_cast_operands, source, target),
            lambda xp, out, x: xp.astype(x, out.dtype, out=out),
            {"numpy": _cast_by_numpy, "torch": lambda xp, out, x: out.copy_(x)},
            group="cast",
        )


def _cast_operands(source: str, target: str) -> list[Array]:
    return [np.zeros(BIG, target), values(source, BIG)]


def _cast_by_numpy(xp: Module, out: Values, x: Values) -> Values:
    np.copyto(out, x, casting="unsafe")
    return out


def _reductions() -> Iterator[Case]:
    """The copy is the simplest kernel of a device; it writes as many bytes as it reads."""
    yield Case(
        "copy",
        lambda: [np.zeros(BIG, np.float32), values("float32", BIG)],
        copy_into,
        {"torch": lambda xp, out, x: out.copy_(x)},
        group="reduce",
    )
    for name, axis, order in (
        *(("sum", 3, "NCHW"), ("sum", 0, "NCHW"), ("sum", 1, "NCHW"), ("sum", 1, "NHWC")),
        *(("sum", (2, 3), "NCHW"), ("sum", (2, 3), "NHWC"), ("mean", (0, 2, 3), "NHWC")),
        *(("var", (0, 2, 3), "NCHW"), ("max", 1, "NHWC"), ("argmax", 3, "NCHW")),
        *(("argmax", 0, "NCHW"), ("sum", None, "NHWC")),
    ):
        yield _reduction(name, axis, "float32", order)
    yield _reduction("max", None, "float32")
    yield _reduction("any", None, "bool")
    yield _reduction("sum", 3, "float16")
    for kind in ("float32", "int32", "uint8", "float64"):
        yield _reduction("sum", None, kind)


def _reduction(name: str, axis: Any, kind: str, order: str = "NCHW") -> Case:
    over = {None: "all", 0: "first axis", 1: "C", 3: "last axis", (2, 3): "HW", (0, 2, 3): "NHW"}
    about = f"{name}, {over[axis]}"
    if axis in (1, (2, 3), (0, 2, 3)) or order == "NHWC":
        about += f" of {order}"
    about += f", {kind}" * (kind not in ("float32", "bool"))

    def arrays() -> list[Array]:
        x = values(kind, BIG, order)
        if kind == "bool":
            x[...] = False  # so that nobody may stop early
        return [np.zeros_like(np.asarray(getattr(x, name)(axis=axis))), x]

    def by_torch(xp: Module, out: Values, x: Values) -> Values:
        if name == "var":
            return xp.var(x, dim=axis, correction=0)
        if axis is None:
            return getattr(xp, name)(x)
        return getattr(xp, "amax" if name == "max" else name)(x, dim=axis)

    return Case(
        about,
        arrays,
        lambda xp, out, x: getattr(xp, name)(x, axis=axis, out=out),
        {"torch": by_torch},
        group="reduce",
        tolerance=2e-3,
    )


def _scans() -> Iterator[Case]:
    """Bytes are counted as read once and written once, though passes read some of them twice."""
    table = (4096, 4096)
    for about, shape, axis, kind in (
        ("flat", (2**24,), 0, "float32"),
        ("last axis", table, 1, "float32"),
        ("first axis", table, 0, "float32"),
        ("int32", table, 1, "int32"),
        ("float16", table, 1, "float16"),
    ):
        result = "int64" if kind == "int32" else kind
        yield Case(
            f"cumulative_sum, {about}",
            functools.partial(_scanned, shape, kind, result),
            functools.partial(_sum_along, axis),
            {"torch": functools.partial(_cumsum, axis)},
            group="scan",
            is_compared=kind != "float16",  # in which they are exact up to 2048 alone
        )
    for about, part in (("half", 0.5), ("one in 100", 0.01)):
        yield Case(
            f"nonzero, {about}",
            functools.partial(_mask, part),
            lambda xp, mask: xp.nonzero(mask)[0],
            {"torch": lambda xp, mask: xp.nonzero(mask, as_tuple=True)[0]},
            group="scan",
        )
    yield Case(
        "searchsorted, 1M in 64k",
        lambda: [np.sort(values("float32", (2**16,))), values("float32", (2**20,), seed=1)],
        lambda xp, row, keys: xp.searchsorted(row, keys),
        group="scan",
    )


def _scanned(shape: tuple[int, ...], kind: str, result: str) -> list[Array]:
    """Zeros and ones, whose sums are exact."""
    return [np.zeros(shape, result), values("bool", shape).astype(kind)]


def _mask(part: float) -> list[Array]:
    return [np.random.default_rng(1).random(2**24) < part]


def _sum_along(axis: int, xp: Module, out: Values, x: Values) -> Values:
    return xp.cumulative_sum(x, axis=axis, out=out)


def _cumsum(axis: int, xp: Module, out: Values, x: Values) -> Values:
    return xp.cumsum(x, axis, out=out)


def _sorts() -> Iterator[Case]:
    """Stable, into new memory. Bytes count once."""
    for kind in ("float32", "int64", "uint8", "int16", "float16"):
        yield _sort(f"1M {kind}", kind, (2**20,), 0)
    yield _sort("(1024, 1024) uint8 rows", "uint8", (1024, 1024), 1)
    yield _sort("(1024, 1024) rows", "float32", (1024, 1024), 1)
    yield _sort("(1024, 1024) columns", "float32", (1024, 1024), 0)
    yield _sort("4096 rows of 16", "float32", (4096, 16), 1)
    for name in ("unique_values", "unique_counts", "unique_inverse"):
        for kind in ("uint8", "int32"):
            yield Case(
                f"{name}, 256K {kind}",
                functools.partial(_integers, kind, (2**18,), 1000),
                functools.partial(_unique, name),
                {"torch": None},
                group="sort",
                is_compared=False,  # NumPy's need not be sorted
            )


def _sort(case: str, kind: str, sizes: tuple[int, ...], axis: int) -> Case:
    return Case(
        case,
        functools.partial(_integers, kind, sizes, 2**40),
        lambda xp, x: xp.sort(x, axis=axis),
        {
            "numpy": lambda xp, x: xp.sort(x, axis, kind="stable"),
            "torch": lambda xp, x: xp.sort(x, dim=axis, stable=True)[0],
        },
        group="sort",
    )


def _integers(kind: str, sizes: tuple[int, ...], high: int) -> list[Array]:
    """Whole numbers, of which small dtypes keep the low bits; or normal floats."""
    draw = np.random.default_rng(5)
    if kind.startswith("float"):
        return [draw.standard_normal(sizes, np.float32).astype(kind)]
    return [draw.integers(0, high, sizes).astype(kind)]


def _unique(name: str, xp: Module, x: Values) -> Values:
    return getattr(xp, name)(x)
