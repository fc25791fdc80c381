"""All that is compared: operators, draws, and what becomes of arrays, in every dtype."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import dml_vk
from dml_vk.dtypes import DType, to_dtype
from dml_vk.kernels.operators import Operator
from dml_vk.random import Generator
from dml_vk.testing import elementwise
from tests.integration import same_bits
from tests.kernel.elementwise import random_values
from tests.real_dtypes import DTYPES

Arrays = list[np.ndarray]


class Case(NamedTuple):
    """Operands, and what computes the bits of a result on the device, and perhaps in NumPy."""

    operands: Callable[[], Arrays]
    compute: Callable[[Arrays], np.ndarray]
    exact: Callable[[Arrays], np.ndarray] | None = None
    is_flushed: bool = False  # by devices that flush subnormals


@functools.cache
def cases() -> dict[str, Case]:
    """By name, such as `add-float32` or `argsort-int8`."""
    found = {
        f"{operator.name}-{dtype.name}": _operator(operator, dtype)
        for operator, dtype in same_bits.every_case()
    }
    for name, draw in same_bits.draws().items():
        found[f"array-{name}"] = Case(list, lambda given, draw=draw: draw())
    for name, compute in same_bits.computations().items():
        found[f"array-{name}"] = Case(
            lambda: [same_bits.tame(dml_vk.float32)],
            lambda given, compute=compute: compute(given[0]),
        )
    for dtype in DTYPES.values():
        of_dtype = {f"{name}-{dtype.name}": case for name, case in _of(dtype)}
        assert not found.keys() & of_dtype.keys()
        found |= of_dtype
    found |= dict(_of_halves())
    for name, call in _SUBNORMAL.items():
        compute = functools.partial(_bits, call)
        found[f"subnormal-{name}-float32"] = Case(_tiny, compute, is_flushed=True)
    return found


def _tiny() -> Arrays:
    """Numbers of float32 that are subnormal, or nearly so, with either sign; none is 0."""
    random = np.random.Generator(np.random.PCG64(5)).integers(0, 2**32, (4, 37, 41), np.uint32)
    exponents = random[::-1, ::-1] % 3 << 23
    return [(random & 0x807FFFFF | 1 | exponents).view(np.float32)]


def _bits(call: Callable[[dml_vk.Tensor], dml_vk.Tensor], given: Arrays) -> np.ndarray:
    found = call(dml_vk.asarray(given[0])).numpy()
    return found.view(f"u{found.itemsize}")


def _of_halves() -> Iterator[tuple[str, Case]]:
    """All casts of all float16, casts to it of all that may round, and operators on many pairs.

    Operators of one operand have all float16 anyway.
    """
    for other in DTYPES.values():
        yield f"every-astype-{other.name}-float16", _cast_case(other, lambda: [_halves()])
    for wide in (dml_vk.float32, dml_vk.float64):
        operands = functools.partial(_between_halves, wide)
        yield f"every-astype-float16-{wide.name}", _cast_case(dml_vk.float16, operands)
    for operator, dtype in same_bits.every_case():
        if dtype is dml_vk.float16 and operator.arity == 2:
            yield f"dense-{operator.name}-float16", _operator(operator, dtype, _pairs_of_halves)


def _halves() -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def _pairs_of_halves() -> Arrays:
    """Each 251st with each other: as many of each sign, exponent and NaN."""
    chosen = _halves()[::251]
    return [np.repeat(chosen, chosen.size), np.tile(chosen, chosen.size)]


def _between_halves(wide: DType) -> Arrays:
    """All float16, what lies midway between two neighbours, and the numbers next to that."""
    kind = np.dtype(wide.numpy_name)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(kind)
    beyond = np.append(halves[1:], kind.type(2.0**16))
    middle = (halves + beyond) / 2
    made = [halves, middle, np.nextafter(middle, 0, dtype=kind), np.nextafter(middle, beyond)]
    positive = np.concatenate([*made, np.array([np.inf, np.nan], kind)])
    return [np.concatenate([positive, -positive])]


def _cast_case(dtype: DType, operands: Callable[[], Arrays]) -> Case:
    return Case(operands, functools.partial(_cast, dtype), functools.partial(_exact_cast, dtype))


def _operator(
    operator: Operator, dtype: DType, operands: Callable[[], Arrays] | None = None
) -> Case:
    def exact(given: Arrays) -> np.ndarray:
        told = dict(zip([name for name, _ in operator.parameters], same_bits.told(operator, dtype)))
        with np.errstate(all="ignore"):
            found = elementwise.reference(operator.name, *given, **told)
        return same_bits.comparable(found, given, dtype)

    return Case(
        operands or (lambda: same_bits.operands(operator, dtype)),
        lambda given: same_bits.result(operator, dtype, given),
        None if operator.ulp else exact,
    )


def _of(dtype: DType) -> Iterator[tuple[str, Case]]:
    """What moves elements is given any bits, and what computes with them numbers of usual sizes."""
    anything = functools.partial(_values, dtype)
    numbers = functools.partial(_tame, dtype)
    for name, call in {**_COMPUTING, **_draws(dtype), **_decompositions(dtype)}.items():
        yield name, Case(numbers, functools.partial(_result, call))
    for name, call in _MOVING.items():
        yield name, Case(anything, functools.partial(_result, call))
    for other in DTYPES.values():
        yield f"astype-{other.name}", _cast_case(other, anything)


def _values(dtype: DType) -> Arrays:
    """Any bits, but no subnormal float32, which may be flushed."""
    values = random_values(dtype, 2 * 5 * 37 * 41, 4).reshape(2, 5, 37, 41)
    if dtype is dml_vk.float32:
        values[(np.abs(values) < 2.0**-126) & (values != 0)] = 2.0**-126
    return [values]


def _tame(dtype: DType) -> Arrays:
    return [same_bits.tame(dtype)]


def _result(call: Callable[[dml_vk.Tensor], dml_vk.Tensor], given: Arrays) -> np.ndarray:
    return same_bits.comparable(call(dml_vk.asarray(given[0])).numpy(), [], dml_vk.uint8)


def _cast(dtype: DType, given: Arrays) -> np.ndarray:
    return _comparable_cast(dml_vk.astype(dml_vk.asarray(given[0]), dtype).numpy())


def _exact_cast(dtype: DType, given: Arrays) -> np.ndarray:
    return _comparable_cast(elementwise.cast(given[0], dtype))


def _comparable_cast(found: np.ndarray) -> np.ndarray:
    return same_bits.comparable(found, [], to_dtype("astype", found.dtype))


def _draws(dtype: DType) -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    """Philox in this dtype, for which the operand is of no use."""
    if dtype.kind == "f":
        return {
            "uniform": lambda x: Generator(7).uniform(-1.5, 2.5, 5_003, dtype),
            "normal": lambda x: Generator(7).normal(5_003, dtype),
        }
    return {"integers": lambda x: Generator(7).integers(3, 100, 5_003, dtype)}


def _decompositions(dtype: DType) -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    if dtype.kind != "f":
        return {}
    return {
        "eigvalsh": lambda x: dml_vk.linalg.eigvalsh(x[0, :2, :19, :19]),
        "qr": lambda x: dml_vk.linalg.qr(x[0, :2, :19]).R,
        "solve": lambda x: dml_vk.linalg.solve(x[0, :2, :19, :19], x[1, :2, :19]),
        "svd": lambda x: dml_vk.linalg.svd(x[0, :2, :19, :23]).Vh,
    }


_INDEX = np.arange(1, 58) * 7 % 37


def _put(x: dml_vk.Tensor) -> dml_vk.Tensor:
    made = x.clone()
    made[:, :, dml_vk.asarray(_INDEX)] = x[:, :, :1]
    return made


_COMPUTING: dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]] = {
    "sum": lambda x: dml_vk.sum(x, axis=(1, 3)),
    "sum-all": dml_vk.sum,
    "prod": lambda x: dml_vk.prod(x, axis=1),
    "max": lambda x: dml_vk.max(x, axis=2),
    "min": lambda x: dml_vk.min(x, axis=3),
    "argmax": lambda x: dml_vk.argmax(x, axis=2),
    "argmin": lambda x: dml_vk.argmin(x, axis=3),
    "any": lambda x: dml_vk.any(x, axis=1),
    "all": lambda x: dml_vk.all(x, axis=(0, 2)),
    "count_nonzero": lambda x: dml_vk.count_nonzero(x, axis=2),
    "cumulative_sum": lambda x: dml_vk.cumulative_sum(x, axis=3),
    "matmul": lambda x: x @ x.mT,
    "searchsorted": lambda x: dml_vk.searchsorted(dml_vk.sort(x[0, 0, 0]), x[1, 2, 3]),
    "nonzero": lambda x: dml_vk.nonzero(x)[2],
    "arange": lambda x: dml_vk.arange(3, 99, 7, dtype=x.dtype),
}
_MOVING: dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]] = {
    "sort": lambda x: dml_vk.sort(x, axis=2),
    "argsort": lambda x: dml_vk.argsort(x, axis=3, descending=True),
    "unique": lambda x: dml_vk.unique_counts(x).counts,
    "take": lambda x: dml_vk.take(x, dml_vk.asarray(_INDEX), axis=2),
    "put": _put,
    "channels_last": lambda x: x.to(dml_vk.channels_last).flip(0),
    "channels_first": lambda x: x.permute(0, 3, 1, 2).to(dml_vk.contiguous_format),
    "flip": lambda x: x.flip(1, 3),
    "every_other": lambda x: x[..., ::2, 1::3],
    "concat": lambda x: dml_vk.concat([x, x.flip(2)], axis=1),
    "full": lambda x: dml_vk.full((5, 7), x[0, 1, 2, 3].item(), dtype=x.dtype),
    "chosen": lambda x: dml_vk.where(x == x.flip(0), x, x.flip(3)),
}
# None of these is NaN anywhere.
_SUBNORMAL: dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]] = {
    "add": lambda x: x + x.flip(0),
    "subtract": lambda x: x - x.flip(1),
    "multiply": lambda x: x * 0.7,
    "divide": lambda x: x / 3.0,
    "ratio": lambda x: x / x.flip(1),
    "scaled": lambda x: x * 2.0**120,
    "shrunk": lambda x: x * 2.0**120 * 2.0**-125,
    "sqrt": lambda x: dml_vk.sqrt(abs(x)),
    "log": lambda x: dml_vk.log(abs(x)),
    "exp": lambda x: dml_vk.exp(-100.0 + x * 2.0**127),
    "expm1": dml_vk.expm1,
    "sin": dml_vk.sin,
    "tanh": dml_vk.tanh,
    "less": lambda x: x < x.flip(0),
    "maximum": lambda x: dml_vk.maximum(x, x.flip(2)),
    "float16": lambda x: (x * 2.0**110).astype("float16"),
    "float64": lambda x: x.astype("float64"),
    "from_float64": lambda x: (x.astype("float64") * 0.7).astype("float32"),
    "sum": lambda x: dml_vk.sum(x, axis=1),
    "mean": lambda x: dml_vk.mean(x, axis=(0, 2)),
    "cumulative_sum": lambda x: dml_vk.cumulative_sum(x, axis=2),
    "matmul": lambda x: x @ (x.mT * 2.0**125),
    "sort": lambda x: dml_vk.sort(x, axis=1),
    "resample": lambda x: dml_vk.nn.resample(x[None], scale=1.7, mode="linear"),
}
