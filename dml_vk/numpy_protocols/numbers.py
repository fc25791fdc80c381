"""NumPy's numeric functions without a direct equivalent, composed of our functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk.dtypes import to_dtype
from dml_vk.errors import LayoutError
from dml_vk.numpy_protocols.calls import check_casting, ours
from dml_vk.numpy_protocols.shapes import ravel
from dml_vk.strides.order import to_bool, to_index, to_int
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


def along(name: str) -> Callable[..., Any]:
    """Adapt a function so that axis None, the default, flattens: `cumsum(x)`."""

    def adapter(a: Any, *, axis: Any = None, **named: Any) -> Any:
        given = to_tensor(name, "a", a)
        if axis is None:
            given, axis = ravel(given), 0
        return getattr(ours, name)(given, axis=axis, **named)

    return adapter


def along_last(name: str) -> Callable[..., Any]:
    """Adapt a function so that axis None flattens, and the default is the last axis."""
    function = along(name)

    def adapter(a: Any, *, axis: Any = -1, **named: Any) -> Any:
        return function(a, axis=axis, **named)

    return adapter


def can_cast(from_: Any, to: Any, casting: Any = None) -> bool:
    """Apply our rules, or NumPy's if `casting` names one."""
    if casting is None:
        return bool(ours.can_cast(from_, to))
    given = from_.dtype if isinstance(from_, Tensor) else to_dtype("can_cast", from_)
    check_casting("can_cast", casting)
    wanted = to_dtype("can_cast", to).numpy_name
    return bool(np.can_cast(given.numpy_name, wanted, casting))


def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    dtype: Any = None,
    what: str = "cov",
) -> Any:
    """Rows are variables and columns observations; transposed with `rowvar=False`."""
    rows = []
    for one in _in_dtype(dtype, (m,) if y is None else (m, y)):
        given = to_tensor(what, "m", one)
        if given.ndim > 2:
            raise LayoutError(what, "m must have at most two dims", shape=given.shape)
        if given.ndim < 2:
            given = ours.reshape(given, (1, -1))
        elif not _switch(what, "rowvar", rowvar):
            given = given.T
        rows.append(given)
    observed = rows[0] if y is None else ours.concat(rows)
    centred = ours.subtract(observed, ours.mean(observed, axis=1, keepdims=True))
    correction = 1 - _switch(what, "bias", bias) if ddof is None else to_int(what, "ddof", ddof)
    products = ours.matmul(centred, ours.conj(centred).T)
    return ours.divide(products, float(observed.shape[1] - correction)).squeeze()


def _switch(what: str, name: str, value: Any) -> bool:
    """Convert a bool, or an int, which SciPy passes."""
    return to_bool(what, name, bool(value) if isinstance(value, int) else value)


def corrcoef(x: Any, y: Any = None, rowvar: Any = True, dtype: Any = None) -> Any:
    found = cov(x, y, rowvar, dtype=dtype, what="corrcoef")
    if not found.ndim:
        return ours.divide(found, found)
    spread = ours.sqrt(found.diagonal())
    return ours.clip(ours.divide(ours.divide(found, spread[:, None]), spread), -1.0, 1.0)


def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """The direction of the bins is determined from their ends."""
    ends = to_tensor("digitize", "bins", bins)
    side = "left" if to_bool("digitize", "right", right) else "right"
    if ends.size and bool(ends[0] > ends[-1]):
        return ours.subtract(ends.size, ours.searchsorted(ends[::-1], x, side=side))
    return ours.searchsorted(ends, x, side=side)


def dot(a: Any, b: Any, out: Tensor | None = None) -> Any:
    if not _rank(a) or not _rank(b):
        return ours.multiply(a, b, out=out)
    if _rank(a) <= 2 and _rank(b) <= 2:
        return ours.matmul(a, b, out=out)
    return ours.tensordot(a, b, ((-1,), (-2 if b.ndim > 1 else -1,)), out=out)


def einsum(*operands: Any, dtype: Any = None, optimize: Any = None, **named: Any) -> Any:
    """Ignore `optimize`: ours contracts from left to right."""
    return ours.einsum(operands[0], *_in_dtype(dtype, operands[1:]), **named)


def in_dtype(name: str) -> Callable[..., Any]:
    """Adapt a function such as `mean`, so that `dtype` is that of the computation."""

    def adapter(a: Any, dtype: Any = None, **named: Any) -> Any:
        return getattr(ours, name)(*_in_dtype(dtype, (a,)), **named)

    return adapter


def _in_dtype(dtype: Any, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    if dtype is None:
        return operands
    return tuple([ours.astype(one, dtype, copy=False) for one in operands])


def inner(a: Any, b: Any) -> Any:
    if not _rank(a) or not _rank(b):
        return ours.multiply(a, b)
    return ours.tensordot(a, b, ((-1,), (-1,)))


def _rank(one: Any) -> int:
    """The rank of a tensor, or 0 for anything else."""
    return one.ndim if isinstance(one, Tensor) else 0


def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False) -> Any:
    """Search in the sorted test elements. NaN is never found."""
    given = to_tensor("isin", "element", element)
    among = ours.sort(ravel(to_tensor("isin", "test_elements", test_elements)))
    if not among.size:
        return ours.full(given.shape, to_bool("isin", "invert", invert), device=given.device)
    places = ours.clip(ours.searchsorted(among, given), max=among.size - 1)
    found = ours.reshape(ours.take(among, ravel(places), axis=0), given.shape)
    return (ours.not_equal if to_bool("isin", "invert", invert) else ours.equal)(given, found)


def kron(a: Any, b: Any) -> Any:
    if not _rank(a) or not _rank(b):
        return ours.multiply(a, b)
    rank = max(a.ndim, b.ndim)
    pairs = list(zip(*[(1,) * (rank - one.ndim) + one.shape for one in (a, b)]))
    left = ours.reshape(a, [size for first, _ in pairs for size in (first, 1)])
    right = ours.reshape(b, [size for _, second in pairs for size in (1, second)])
    return ours.reshape(ours.multiply(left, right), [first * second for first, second in pairs])


def norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    dims = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if ord is None or dims == 1:
        two = 2 if ord is None else ord
        return ours.linalg.vector_norm(x, axis=axis, ord=two, keepdims=keepdims)
    if axis is not None or dims != 2:
        rule = "with ord, axis must be an integer, or None for 1-D or 2-D x"
        raise LayoutError("norm", rule, ord=ord, axis=axis, shape=x.shape)
    return ours.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)


def partition(name: str) -> Callable[..., Any]:
    """Implement a partition by a full sort."""
    function, what = along_last(name), name.replace("sort", "partition")

    def adapter(a: Any, kth: Any, axis: Any = -1) -> Any:
        given = to_tensor(what, "a", a)
        size = given.size if axis is None else given.shape[to_index(what, "axis", axis, given.ndim)]
        for place in np.atleast_1d(np.asarray(kth, object)):
            to_index(what, "kth", place, size)
        return function(a, axis=axis)

    return adapter


def round_to(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """Round to decimal places by Python's `round`, which needs dims to return a tensor."""
    if not decimals:
        return ours.round(a, out=out)
    given = to_tensor("round", "a", a)
    rounded = round(given if given.shape else given[None], decimals)
    rounded = rounded if given.shape else rounded[0]
    if out is None:
        return rounded
    to_tensor("round", "out", out)[...] = rounded
    return out


def searchsorted(a: Any, v: Any, **named: Any) -> Any:
    """Also take numbers for v."""
    given = to_tensor("searchsorted", "a", a)
    if isinstance(v, (bool, int, float, np.generic)):
        v = ours.asarray(v, ours.result_type(given, v), device=given.device)
    return ours.searchsorted(given, v, **named)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Choose by the first condition that is true."""
    if not condlist or len(condlist) != len(choicelist):
        rule = "condlist and choicelist must have the same length, at least 1"
        raise LayoutError("select", rule, condlist=len(condlist), choicelist=len(choicelist))
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        result = ours.where(condition, choice, result)
    return result


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, **named: Any) -> Any:
    given = to_tensor("trace", "a", a)
    return ours.sum(given.diagonal(offset, axis1, axis2), axis=-1, **named)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """Integrate by the trapezoidal rule."""
    given = ours.moveaxis(to_tensor("trapezoid", "y", y), axis, -1)
    if x is not None:
        at = to_tensor("trapezoid", "x", x)
        dx = ours.diff(at if at.ndim == 1 else ours.moveaxis(at, axis, -1))
    ends = ours.add(given[..., 1:], given[..., :-1])
    return ours.sum(ours.divide(ours.multiply(ends, dx), 2.0), axis=-1)


def vdot(a: Any, b: Any) -> Any:
    return ours.vecdot(ravel(a), ravel(b))


def iscomplexobj(x: Tensor) -> bool:
    return x.dtype.kind == "c"


def isrealobj(x: Tensor) -> bool:
    return x.dtype.kind != "c"
