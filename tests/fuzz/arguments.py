"""Arguments that fit, by the names of parameters: expressions, and tensors beside NumPy's views."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dml_vk
from dml_vk.dtypes import DTYPES, DType
from tests.fuzz import hostile
from tests.fuzz.tensors import Drawn, Draws


@dataclass
class Argument:
    """What is given to us, and the same for NumPy."""

    text: str
    ours: Any
    numpys: Any
    drawn: Drawn | None = None


def of_text(text: str) -> Argument:
    ours = hostile.value_of(text)
    return Argument(text, ours, numpys(ours, lambda: hostile.value_of(text)))


def of_tensor(drawn: Drawn) -> Argument:
    return Argument(drawn.text, drawn.tensor, drawn.array, drawn)


def numpys(value: Any, again: Callable[[], Any]) -> Any:
    """Our dtypes and tensors as NumPy's, and of what is used up another one."""
    if type(value) is DType:
        return np.dtype(value.numpy_name)
    if type(value) in (np.int8, np.intp, np.uint64):
        return int(value)  # NumPy computes in the types of its own scalars, and wraps.
    if type(value) is dml_vk.Tensor:
        return value.numpy() if value.size < 10**6 else value
    return value if type(value) in (int, float, str, slice, type(None)) else again()


def listed(parts: list[Argument], form: type = list) -> Argument:
    """Several as one."""
    ends = "[]" if form is list else "()"
    comma = "," if form is tuple and len(parts) == 1 else ""
    return Argument(
        ends[0] + ", ".join([part.text for part in parts]) + comma + ends[1],
        form([part.ours for part in parts]),
        form([part.numpys for part in parts]),
    )


def _dim(d: Draws) -> str:
    rank = len(d.sizes)
    return str(d.rng.randrange(-rank, rank)) if rank else "0"


def _dims(d: Draws) -> str:
    return str(tuple(d.rng.sample(range(len(d.sizes)), d.rng.randrange(len(d.sizes) + 1))))


def _order(d: Draws) -> str:
    return str(tuple(d.rng.sample(range(len(d.sizes)), len(d.sizes))))


def _axis(d: Draws) -> str:
    return d.rng.choice((_dim(d), _dim(d), "None", _dims(d)))


def _shape(d: Draws) -> str:
    chance = d.rng.random()
    if chance < 0.4:
        return str(d.rng.sample(d.sizes, len(d.sizes)))
    if chance < 0.6:
        return str((*d.sizes[:1], -1))
    if chance < 0.8:
        return str((d.rng.randrange(1, 4), *d.sizes))
    return str(math.prod(d.sizes))


def _int(low: int, high: int) -> Callable[[Draws], str]:
    return lambda d: str(d.rng.randrange(low, high))


def _one_of(*texts: str) -> Callable[[Draws], str]:
    return lambda d: d.rng.choice(texts)


def _ints(low: int, high: int) -> Callable[[Draws], str]:
    return lambda d: str(tuple([d.rng.randrange(low, high) for _ in d.sizes]))


def _dtype(d: Draws) -> str:
    name = d.rng.choice(list(DTYPES))
    return d.rng.choice((f"dml_vk.{name}", f"dml_vk.{name}", repr(name.rstrip("_"))))


_flag = _one_of("True", "False")
_number = _one_of("0", "1", "-1", "2", "0.5", "-1.5", "3", "True", "nan", "inf", "1000")
_format = _one_of("dml_vk.channels_last", "dml_vk.contiguous_format", "dml_vk.preserve_format")
_order_like = _one_of("dml_vk.channels_last", "'NHWC'", "'NCHW'", "(1, 0)", "'nChw4c'", "None")
_subscripts = _one_of("ij,jk->ik", "ij->ji", "ii->i", "i,i->", "...i,...i->...", "ij,ij", "abc->ca")
SIMPLE: dict[str, Callable[[Draws], str]] = {
    "a": _dim,
    "b": _dim,
    "axes": _order,
    "axis": _axis,
    "blocks": _int(-5, 2**20),
    "broadcast": lambda d: str(tuple([d.rng.random() < 0.3 for _ in d.sizes])),
    "correction": _one_of("0", "1", "0.5", "2.0", "-1"),
    "copy": _one_of("None", "True", "False"),
    "counter": _int(0, 2**128),
    "descending": _flag,
    "destination": _dim,
    "device": _one_of("None", "dml_vk.device()", "0", "dml_vk.device().name"),
    "dim": _dim,
    "dim1": _dim,
    "dim2": _dim,
    "dims": _order,
    "dst": _dim,
    "dtype": _dtype,
    "endpoint": _flag,
    "fill_value": _number,
    "form": _one_of("''", "'.3f'", "'d'", "'x'"),
    "from_": _dtype,
    "groups": _one_of("1", "(1, 1)", "(2, 1, 1)"),
    "high": _one_of("1", "3", "10", "2**20", "1.5"),
    "i": _dim,
    "include_initial": _flag,
    "index": _ints(-2, 3),
    "indexing": _one_of("'xy'", "'ij'"),
    "k": _int(-4, 5),
    "keepdims": _flag,
    "key": _int(0, 2**64),
    "kind": _one_of("'bool'", "'integral'", "('real floating', 'bool')", "dml_vk.int8"),
    "labels": _one_of("None", "'abcdefgh' * 80", "range(700)"),
    "layout": _order_like,
    "length": _int(0, 4),
    "low": _one_of("0", "-3", "-1.5"),
    "macros": _one_of("None", "{'SCALE': 2}"),
    "max": _number,
    "mean": _number,
    "memory_format": _format,
    "min": _number,
    "mode": _one_of("'constant'", "'reflect'", "'edge'", "'wrap'", "'symmetric'"),
    "n": _int(0, 9),
    "s": _ints(1, 9),
    "d": _one_of("1.0", "0.5", "-2", "0"),
    "norm": _one_of("'backward'", "'ortho'", "'forward'", "None"),
    "n_cols": _int(0, 9),
    "n_rows": _int(0, 9),
    "name": _one_of("'kernel'", "'nChw4c'"),
    "nbytes": _int(1, 99),
    "num": _int(0, 9),
    "offset": _int(-3, 4),
    "ord": _one_of("2", "1", "inf", "-inf", "'fro'", "0"),
    "order": _order_like,
    "path": _one_of("'missing.npy'", "'missing.npz'"),
    "push": _one_of("(2.5,)", "{'factor': 2}"),
    "repeats": _int(0, 4),
    "repetitions": _ints(0, 3),
    "rule": _one_of("'torch'", "'commutative'"),
    "scale": _one_of("1", "0.5"),
    "seed": _int(-5, 2**70),
    "shape": _shape,
    "shift": _int(-9, 9),
    "side": _one_of("'left'", "'right'"),
    "UPLO": _one_of("'L'", "'U'"),
    "casting": _one_of("'same_kind'", "'unsafe'"),
    "size": _int(1, 4),
    "sizes": lambda d: str(d.sizes),
    "source": _dim,
    "spec": _one_of("()", "{}"),
    "src": _dim,
    "stable": _flag,
    "start": _int(-3, 4),
    "step": _one_of("1", "2", "-1", "3", "0.5"),
    "stop": _one_of("None", "5", "-2", "9", "2.5"),
    "stream": _one_of("None"),
    "strict": _flag,
    "strides": _ints(0, 20),
    "subscripts": lambda d: repr(_subscripts(d)),
    "to": _dtype,
    "type": _dtype,
    "value": _number,
    "wanted": _one_of("None", "0"),
    "widths": _one_of("1", "(1, 2)", "0", "((1, 0),)"),
    "words": lambda d: str(tuple([d.rng.randrange(2**32) for _ in range(6)])),
    "writes": _one_of("None", "('a',)"),
    "api_version": _one_of("None", "'2025.12'"),
    "max_version": _one_of("None", "(1, 0)"),
    "dl_device": _one_of("None", "(1, 0)"),
    "q": _one_of("0.5", "0", "1", "[0.25, 0.7]", "np.float32([[0.1], [0.9]])", "[]"),
    "percent": _one_of("50", "0", "100", "[25.0, 70]", "dml_vk.asarray([10.0, 90.0])"),
    "method": _one_of("'linear'", "'lower'", "'nearest'", "'midpoint'", "'hazen'"),
    "rtol": _one_of("1e-05", "0", "0.5"),
    "atol": _one_of("1e-08", "0", "2"),
    "equal_nan": _flag,
    "nan": _number,
    "posinf": _number,
    "neginf": _number,
    "ddof": _one_of("None", "0", "1"),
    "minlength": _int(0, 9),
    "bins": _one_of("1", "7", "[0, 1, 2.5]", "dml_vk.asarray([-1.0, 0.5, 3.0])"),
    "range": _one_of("None", "(-1, 1)", "(0, 9.5)"),
    "density": _flag,
    "returned": _flag,
    "return_index": _flag,
    "return_inverse": _flag,
    "return_counts": _flag,
    "data": _one_of("b'abcd'", "np.arange(3.0)"),
    "source_text": _one_of("''"),
}
INTEGERS = ("int8", "int32", "int64", "uint8", "uint32")


def _indices(d: Draws) -> Argument:
    top = max(1, min(d.sizes, default=1))
    values = [d.rng.randrange(-top, top) for _ in range(d.rng.randrange(5))]
    text = f"np.array({values}, np.{d.rng.choice(('int64', 'int32', 'int8'))})"
    return of_text(d.rng.choice((f"dml_vk.asarray({text})", text, str(values))))


def _condition(d: Draws) -> Argument:
    return of_tensor(d.tensor(dtype=DTYPES[d.rng.choice(("bool_", "bool_", "uint8", "float32"))]))


def _operand(d: Draws) -> Argument:
    return of_tensor(d.tensor()) if d.rng.random() < 0.8 else of_text(_number(d))


def _tensor(d: Draws) -> Argument:
    return of_tensor(d.tensor(d.sizes) if d.rng.random() < 0.9 else d.tensor())


def _tensors(d: Draws) -> Argument:
    return listed([_tensor(d) for _ in range(d.rng.randrange(1, 4))])


def _square(d: Draws) -> Argument:
    """For products: sizes that fit in pairs."""
    n = d.rng.choice((0, 1, 2, 3, 5))
    return of_tensor(d.tensor((*d.sizes[:-2][:2], n, n)))


def key_of(d: Draws, sizes: tuple[int, ...]) -> Argument:
    """A key as indexing takes it, of any mixture."""
    rng, parts = d.rng, []
    if rng.random() < 0.1:
        return of_tensor(d.tensor(sizes, DTYPES["bool_"]))
    for size in sizes[: rng.randrange(len(sizes) + 1)]:
        chance, some = rng.random(), [rng.randrange(-size, size) for _ in range(3) if size]
        if chance < 0.35:
            bounds = [rng.choice((None, *range(-size - 1, size + 2))) for _ in range(2)]
            parts.append(
                of_text(f"slice({bounds[0]}, {bounds[1]}, {rng.choice((None, 1, 2, -1))})")
            )
        elif chance < 0.55 and size:
            parts.append(of_text(rng.choice((str(some[0]), f"np.int64({some[0]})"))))
        elif chance < 0.7:
            ways = f"np.array({some}, int)", str(some), f"dml_vk.asarray(np.array({some}, int))"
            parts.append(of_text(rng.choice(ways)))
        elif chance < 0.8:
            parts.append(of_text(str([rng.random() < 0.5 for _ in range(size)])))
        else:
            parts.append(of_text("slice(None)"))
        if rng.random() < 0.1:
            parts.append(of_text("None"))
    if rng.random() < 0.2:
        parts.insert(rng.randrange(len(parts) + 1), of_text("Ellipsis"))
    return parts[0] if len(parts) == 1 and rng.random() < 0.5 else listed(parts, tuple)


FITTING: dict[str, Callable[[Draws], Argument]] = {
    "append": _tensor, "arrays": _tensors, "condition": _condition, "indices": _indices,
    "layouts": lambda d: of_text(f"[Layout({d.sizes}), Layout({d.sizes})]"),
    "other": _operand, "prepend": _tensor, "tup": _tensors, "weights": _tensor,
    "self": _tensor, "sorter": _indices, "square": _square,
    "tensor_src": _tensor, "tensor_dst": lambda d: of_tensor(d.tensor(d.sizes, own=True)),
    "x": _tensor, "x1": _operand, "x2": _operand, "key": lambda d: key_of(d, d.sizes),
}  # fmt: skip


def fitting(draws: Draws, name: str) -> Argument:
    """What a parameter of this name mostly takes; something hostile where nobody knows."""
    if name in FITTING:
        return FITTING[name](draws)
    return of_text(SIMPLE[name](draws) if name in SIMPLE else hostile.draw(draws.rng))
