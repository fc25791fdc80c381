"""A small language of tensor programs: steps are numbers, so that any list of them is a program.

A step picks its operation and its operands from a pool of tensors, and adds what it makes. What an
operation refuses adds nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

import dml_vk
from dml_vk.dtypes import DType, to_dtype
from dml_vk.errors import CaptureError, DeviceMemoryError, DmlVkError
from tests.kernel.compiler import functions
from tests.kernel.elementwise import random_values

Step = tuple[int, ...]
NUMBERS = 6  # of a step
DTYPES = [
    to_dtype("program", name)
    for name in (
        *("float32", "float16", "int32", "bool", "float64", "uint8", "complex64", "int64", "int16"),
        *("int8", "uint16", "uint32", "uint64", "complex128", "float32", "float32", "float16"),
    )
]
SHAPES = (
    ((5,), (1,)),
    ((4, 6), (6,), (4, 1)),
    ((2, 3, 4, 5), (3, 1, 1), (2, 1, 4, 1), (5,)),
    ((33,), ()),
    ((3, 64), (64,), (3, 1)),
    ((1, 1), (1,)),
    ((0, 3), (3,), (1, 3)),
    ((7, 130), (7, 1)),
    ((2, 8, 3, 4), (8, 1, 1), (1, 8, 3, 4)),
    ((), (1,)),
    ((2, 3, 2, 1, 5), (3, 1, 1, 1), (2, 1, 5)),
    ((3, 0, 2, 1, 4), (1, 2, 1, 4)),
    ((4, 4), (4, 4)),
)
MOST = 4000  # elements of a tensor

UNARY = (
    *("negative", "abs", "sqrt", "exp", "square", "sign", "logical_not", "floor", "tanh", "sin"),
    *("reciprocal", "isfinite", "log1p", "bitwise_invert", "conj", "round"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "atan2"),
    *("floor_divide", "remainder", "bitwise_xor", "logical_or", "pow", "hypot", "copysign"),
)
SCALARS = (2, 0.5, -1, True, -0.0, float("inf"), 1 + 2j)  # the function's own
GIVEN = (3, 0.25, 1, -0.0, 1e-3)  # that each call gives, and of the next call others
LATER = (4, -1.5, 2, 0.0, 7.5)
REDUCTIONS = ("sum", "max", "mean", "any", "prod", "min", "std", "argmax", "count_nonzero")


class Pool:
    """The tensors and numbers that there are; the first are the arguments."""

    def __init__(
        self,
        tensors: Sequence[dml_vk.Tensor],
        numbers: Sequence[float],
        generator: dml_vk.random.Generator,
    ) -> None:
        self.tensors = list(tensors)
        self.generator = generator
        self.numbers = (*SCALARS, *numbers)

    def number(self, number: int) -> complex:
        return self.numbers[number % len(self.numbers)]

    def pick(self, number: int) -> dml_vk.Tensor:
        return self.tensors[number % len(self.tensors)]

    def like(self, x: dml_vk.Tensor, number: int) -> dml_vk.Tensor:
        """One that broadcasts with x: there is x itself."""
        found = [one for one in self.tensors if _broadcasts(one.shape, x.shape)]
        return found[number % len(found)]

    def into(self, x: dml_vk.Tensor, number: int) -> dml_vk.Tensor:
        """One that broadcasts to x, or x itself."""
        found = [x, *[one for one in self.tensors if _broadcasts(one.shape, x.shape, x.shape)]]
        return found[number % len(found)]

    def do(self, step: Step) -> None:
        operation = OPERATIONS[step[0] % len(OPERATIONS)]
        try:
            made = operation(self, *step[1:])
        except (CaptureError, DeviceMemoryError):
            raise
        except DmlVkError:
            return
        self.tensors += [one for one in (made or ()) if one.size <= MOST]


def _broadcasts(a: Sequence[int], b: Sequence[int], to: Sequence[int] | None = None) -> bool:
    try:
        shape = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        return False
    return to is None or shape == tuple(to)


def _unary(pool, a, b, c, p, q):
    return [getattr(dml_vk, UNARY[p % len(UNARY)])(pool.pick(a))]


def _binary(pool, a, b, c, p, q):
    x = pool.pick(a)
    pair = (x, pool.like(x, b)) if q % 2 else (pool.like(x, b), x)
    return [getattr(dml_vk, BINARY[p % len(BINARY)])(*pair)]


def _scalar(pool, a, b, c, p, q):
    x, number = pool.pick(a), pool.number(b)
    call = getattr(dml_vk, BINARY[p % len(BINARY)])
    return [call(x, number) if q % 2 else call(number, x)]


def _where(pool, a, b, c, p, q):
    x = pool.pick(a)
    y, z = pool.like(x, b), pool.like(x, c)
    return [dml_vk.where(y, x, z) if q % 2 else dml_vk.clip(x, y, z)]


def _cast(pool, a, b, c, p, q):
    return [pool.pick(a).astype(DTYPES[p % len(DTYPES)])]


def _reduce(pool, a, b, c, p, q):
    x, name = pool.pick(a), REDUCTIONS[p % len(REDUCTIONS)]
    axis = None if not x.ndim or b % 4 == 0 else b % x.ndim
    if axis is not None and c % 3 == 0 and not name.startswith("arg"):
        axis = tuple({axis, c % x.ndim})
    return [getattr(dml_vk, name)(x, axis=axis, keepdims=bool(q % 2))]


def _key(x, b, c, p):
    steps = (1, 2, -1, 3, -2)
    key = [slice(None)] * x.ndim
    if x.ndim:
        dim, size = b % x.ndim, x.shape[b % x.ndim]
        step = steps[p % len(steps)]
        low = c % (size + 1)
        key[dim] = slice(low, None, step) if step > 0 else slice(None, low or None, step)
        if p % 7 == 6 and size:
            key[dim] = c % size
    return tuple(key)


def _slice(pool, a, b, c, p, q):
    x = pool.pick(a)
    return [x[_key(x, b, c, p)]]


def _view(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 8
    dim = b % x.ndim if x.ndim else 0
    if way == 0:
        return [x.permute(*[(k + b) % x.ndim for k in range(x.ndim)])]
    if way == 1:
        return [x.reshape(-1)]
    if way == 2:
        return [x.flip(dim)]
    if way == 3:
        return [x.real, x.imag]
    if way == 4:
        return [dml_vk.expand_dims(x, axis=dim)]
    if way == 5:
        return [x.expand(*pool.like(x, c).shape)]
    if way == 6:
        return [x.transpose(dim, c % max(1, x.ndim))]
    return [x[_key(x, b, c, 6)]]


def _in_place(pool, a, b, c, p, q):
    x = pool.pick(a)
    y = pool.into(x, b) if q % 3 else pool.number(b)
    way = p % 6
    if way == 0:
        x += y
    elif way == 1:
        x *= y
    elif way == 2:
        x -= y
    elif way == 3:
        x[...] = y
    elif way == 4:
        np.copyto(x, y) if not q % 3 else dml_vk.copy(y, x)
    else:
        x |= y
    return []


def _assign(pool, a, b, c, p, q):
    x = pool.pick(a)
    part = x[_key(x, b, c, p)]
    if q % 3 == 0:
        x[_key(x, b, c, p)] = pool.number(q)
    elif q % 3 == 1:
        x[_key(x, b, c, p)] = pool.into(part, q)
    else:
        x[_key(x, b, c, p)] += pool.into(part, q)
    return []


def _format(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 4
    if way == 0:
        return [x.to(dml_vk.channels_last)]
    if way == 1:
        return [x.clone()]
    if way == 2:
        return [x.to(dml_vk.contiguous_format)]
    return [dml_vk.asarray(x, copy=True)]


def _along(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 5
    dim = b % max(1, x.ndim)
    if way == 0:
        return [dml_vk.cumulative_sum(x, axis=dim)]
    if way == 1:
        return [dml_vk.sort(x, axis=dim, descending=bool(q % 2))]
    if way == 2:
        return [dml_vk.argsort(x, axis=dim)]
    if way == 3:
        return [dml_vk.roll(x, c, axis=dim)]
    if 0 in x.shape:
        return []  # A step must not fail for its values: they are not known at its line.
    index = dml_vk.remainder(dml_vk.asarray([c, q, 1]), x.shape[dim] if x.ndim else 1)
    return [dml_vk.take(x, index, axis=dim)]


def _several(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 3
    y = pool.like(x, b)
    if way == 0:
        return [dml_vk.concat([x, y], axis=c % max(1, x.ndim))]
    if way == 1:
        return [x @ (y.mT if y.ndim > 1 and q % 2 else y)]
    return [dml_vk.stack([x, y])]


def _out(pool, a, b, c, p, q):
    x = pool.pick(a)
    y, z = pool.into(x, b), pool.into(x, c)
    name = BINARY[p % len(BINARY)]
    if q % 2:
        return [getattr(dml_vk, name)(y, z, out=x)]
    return [getattr(dml_vk, UNARY[p % len(UNARY)])(y, out=x)]


def _made(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 4
    if way == 0:
        return [dml_vk.zeros_like(x)]
    if way == 1:
        return [dml_vk.full(x.shape, pool.number(b))]
    if way == 2:
        return [dml_vk.asarray(np.arange(x.size, dtype=np.float32).reshape(x.shape))]
    return [dml_vk.arange(c % 9)]


# Elementwise steps and writes are what is fused: they come most often.
OPERATIONS = (
    *(_binary, _unary, _scalar, _in_place, _slice, _binary, _scalar, _cast, _assign, _where),
    *(_view, _in_place, _reduce, _out, _format, _along, _several, _made, _binary, _unary),
    *(functions.network, functions.drawn, functions.of_arrays, functions.read_twice),
)


def random_step(rng: random.Random) -> Step:
    return tuple(rng.randrange(256) for _ in range(NUMBERS))


class Inputs:
    """Bases in memory and the arguments over them, of which some share memory."""

    def __init__(self, start: Step, seed: int) -> None:
        shapes, first, second, share, form, tame = start
        self._tame = tame % 4
        self.bases: list[dml_vk.Tensor] = []
        self.arguments: list[dml_vk.Tensor] = []
        for k, shape in enumerate(SHAPES[shapes % len(SHAPES)]):
            dtype = DTYPES[(first if k % 2 == 0 else second) % len(DTYPES)]
            count = int(np.prod(shape)) + 3
            base = dml_vk.asarray(_values(dtype, count, seed + k, self._tame))
            self.bases.append(base)
            x = base[: count - 3].reshape(shape)
            if form % 3 == 1 and len(shape) == 4:
                x = base[: count - 3].reshape([shape[n] for n in (0, 2, 3, 1)]).permute(0, 3, 1, 2)
            if form % 3 == 2:
                x = x.flip(0) if x.ndim else x
            self.arguments.append(x)
            if share % 3 > k:  # the same elements, further on or backwards
                other = base[share % 4 : share % 4 + count - 3].reshape(shape)
                self.arguments.append(other.flip(-1) if share % 5 == 4 and shape else other)

    def put(self, seed: int) -> None:
        """Put other values where these are."""
        for k, base in enumerate(self.bases):
            base[...] = dml_vk.asarray(_values(base.dtype, base.size, seed + k, self._tame))


def _values(dtype: DType, count: int, seed: int, tame: int) -> np.ndarray:
    """Any bits, or small numbers, of which few things overflow."""
    if tame == 0:
        return random_values(dtype, count, seed)
    rng = np.random.default_rng(seed)
    values = rng.integers(0 if dtype.kind in "ub" else -4, 5, count)
    return (values / (2 if tame == 1 and dtype.kind in "fc" else 1)).astype(dtype.numpy_name)
