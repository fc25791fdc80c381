"""Ufuncs on tensors: NumPy's, their reductions, and some of `scipy.special`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk.array.cumulative_extremes import cumulative_extreme
from dml_vk.array.host_operands import beside, beside_tensor, is_of_host, number_beside
from dml_vk.array.inverse_erf import erfinv
from dml_vk.dtypes import DType, bool_, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.numpy_protocols import folded
from dml_vk.numpy_protocols.calls import (
    check_names,
    has_no_effect,
    no_such,
    ours,
    public_name,
)
from dml_vk.numpy_protocols.masked import reduction
from dml_vk.numpy_protocols.repeated import at
from dml_vk.numpy_protocols.segments import reduceat
from dml_vk.ops.scan import MAXIMUM, MINIMUM
from dml_vk.promotion import check_casting, check_casts
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensors

# NumPy's name -> ours. `clip`, `round` and `where` are not ufuncs, and drop out below.
_NAMES = {
    operator.numpy or name: name
    for name, operator in OPERATORS.items()
    if operator.numpy is not None
}
_NAMES |= {"conjugate": "conj", "deg2rad": "radians", "rad2deg": "degrees", "rint": "round"}
_COMPOSED = "cbrt degrees fabs fmax fmin frexp gcd lcm ldexp matmul modf radians vecdot"
_NAMES |= {name: name for name in _COMPOSED.split()}
UFUNCS: dict[Any, str] = {
    getattr(np, numpy): name
    for numpy, name in _NAMES.items()
    if isinstance(getattr(np, numpy, None), np.ufunc)
}
REDUCED: dict[Any, str] = {
    getattr(np, OPERATORS[row.join].numpy or row.join): row.name
    for row in REDUCTIONS.values()
    if row.join
}
ACCUMULATIONS: dict[Any, str] = {np.add: "cumulative_sum", np.multiply: "cumulative_prod"}
EXTREMES: dict[Any, int] = {
    np.maximum: MAXIMUM,
    np.minimum: MINIMUM,
    np.logical_and: MINIMUM,
    np.logical_or: MAXIMUM,
}
_OPTIONS = ("casting", "dtype", "out")


def _entr(x: Any) -> Any:
    return ours.where(ours.less(x, 0.0), -np.inf, ours.negative(ours.xlogy(x, x)))


def _log_expit(x: Any) -> Any:
    return ours.negative(ours.softplus(ours.negative(x)))


def _logit(x: Any) -> Any:
    """Use atanh near 1/2 and log elsewhere: each loses accuracy where the other does not."""
    near = ours.less(ours.abs(ours.subtract(x, 0.5)), 0.25)
    inner = ours.multiply(2.0, ours.atanh(ours.subtract(ours.multiply(2.0, x), 1.0)))
    return ours.where(near, inner, ours.log(ours.divide(x, ours.subtract(1.0, x))))


def _xlog1py(x: Any, y: Any) -> Any:
    """Multiply x by log(1 + y), with 0 where x is 0, unless y is NaN."""
    zero = ours.logical_and(ours.equal(x, 0), ours.equal(y, y))
    return ours.where(zero, 0.0, ours.multiply(x, ours.log1p(y)))


# By name, since `scipy.special` need not be imported.
SPECIAL: dict[str, str | Callable[..., Any]] = {
    "digamma": "digamma",
    "entr": _entr,
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": erfinv,
    "exp2": "exp2",
    "expit": "sigmoid",
    "expm1": "expm1",
    "gammaln": "gammaln",
    "i0e": "i0e",
    "i1e": "i1e",
    "log1p": "log1p",
    "log_expit": _log_expit,
    "logit": _logit,
    "psi": "digamma",
    "xlog1py": _xlog1py,
    "xlogy": "xlogy",
}


def ufunc(function: np.ufunc, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Implement `__array_ufunc__`: a call, or a method of the ufunc."""
    out = named.get("out", ())
    if any(_overrides_ufuncs(one) for one in (*inputs, *out)):
        return NotImplemented
    # None is meaningful for `axis`.
    given = {
        name: value
        for name, value in named.items()
        if name == "axis" or not has_no_effect(name, value)
    }
    if out:
        given["out"] = out if function.nout > 1 else out[0]
    what = public_name(function) + ("" if method == "__call__" else f".{method}")
    if method == "reduce" and function in REDUCED:
        return _reduced(what, REDUCED[function], inputs, given)
    if method == "accumulate" and function in ACCUMULATIONS:
        check_names(what, ("axis", "dtype", "out"), given)
        return getattr(ours, ACCUMULATIONS[function])(*inputs, **{"axis": 0, **given})
    if method == "accumulate" and function in EXTREMES:
        check_names(what, ("axis", "out"), given)
        logical = function in (np.logical_and, np.logical_or)
        x = ours.astype(inputs[0], "bool", copy=False) if logical else inputs[0]
        return cumulative_extreme(what, EXTREMES[function], x, given.pop("axis", 0), **given)
    is_binary = function in UFUNCS and function.nin == 2 and function.signature is None
    if method in ("reduce", "accumulate") and is_binary:
        fold = folded.reduced if method == "reduce" else folded.accumulated
        return fold(what, function, getattr(ours, UFUNCS[function]), inputs[0], given)
    if method == "at":
        return at(what, function, *inputs)
    if method == "reduceat":
        check_names(what, ("axis", "dtype", "out"), given)
        return reduceat(what, function, *inputs, **given)
    if method == "outer" and function in UFUNCS and len(inputs) == function.nin == 2:
        return _called(what, UFUNCS[function], _apart(*inputs), given)
    if method != "__call__":
        raise no_such(what)
    if "where" in given and (function in UFUNCS or function is np.divmod):
        return _where(what, function, inputs, given)
    if function is np.divmod:
        return _divmod(what, inputs, given)
    if function in UFUNCS:
        return _called(what, UFUNCS[function], inputs, given)
    special = SPECIAL.get(function.__name__)
    if special is None or not _is_scipys(function):
        raise no_such(what)
    if isinstance(special, str):
        return _called(what, special, inputs, given)
    check_names(what, (), given)
    first = to_tensors(what, inputs)[0]
    return special(
        *[one if isinstance(one, Tensor) else number_beside(what, one, first) for one in inputs]
    )


def _where(what: str, function: np.ufunc, inputs: Any, given: dict[str, Any]) -> Any:
    """Compute all, and write what the mask chooses to `out`, or to zeros."""
    mask, out = given.pop("where"), given.pop("out", None)
    near = next(one for one in (*inputs, mask, *_each(out)) if isinstance(one, Tensor))
    _, mask = beside(what, near, mask)
    mask = mask if isinstance(mask, Tensor) else ours.asarray(mask, device=near.device)
    if mask.dtype is not bool_:
        raise DTypeError(what, "where must be bools", where=mask.dtype)
    if function is np.divmod:
        results = _divmod(what, inputs, given)
    else:
        results = _each(_called(what, UFUNCS[function], inputs, given))
    targets = (None,) * len(results) if out is None else _each(out)
    with ErrorsAs(what):
        found = []
        for one, target in zip(results, targets):
            if target is None:
                target = ours.zeros(
                    ours.broadcast_shapes(one.shape, mask.shape), one.dtype, device=near.device
                )
            check_casts(what, [one.dtype], target.dtype, "same_kind")
            one = ours.astype(one, target.dtype, copy=False)
            found.append(ours.where(mask, one, target, out=target))
    return tuple(found) if function.nout > 1 else found[0]


def _each(one_or_more: Any) -> tuple[Any, ...]:
    return one_or_more if isinstance(one_or_more, tuple) else (one_or_more,)


def _apart(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Operands of which each element of one meets each of the other."""
    near = x1 if isinstance(x1, Tensor) else x2
    found = [beside_tensor("outer", one, near) if is_of_host(one) else one for one in (x1, x2)]
    if isinstance(found[0], Tensor):
        dims = getattr(found[1], "ndim", 0)
        found[0] = ours.reshape(found[0], (*found[0].shape, *(1,) * dims))
    return found[0], found[1]


def _divmod(what: str, inputs: tuple[Any, ...], given: dict[str, Any]) -> tuple[Any, Any]:
    """Quotients and remainders; a target may be an operand."""
    x1, x2 = _converted(what, "floor_divide", inputs, given)
    found = ours.floor_divide(x1, x2), ours.remainder(x1, x2)
    first, second = [
        one if out is None else ours.positive(one, out=out)
        for one, out in zip(found, given.get("out", (None, None)))
    ]
    return first, second


def _called(what: str, name: str, inputs: tuple[Any, ...], given: dict[str, Any]) -> Any:
    inputs = _converted(what, name, inputs, given)
    return getattr(ours, name)(*inputs, **given)


def _converted(what: str, name: str, inputs: tuple[Any, ...], given: dict[str, Any]) -> Any:
    """Take `casting` and `dtype` off the options, and return the operands in this dtype."""
    check_names(what, {"vecdot": ("axis", *_OPTIONS)}.get(name, _OPTIONS), given)
    casting, dtype = given.pop("casting", "same_kind"), given.pop("dtype", None)
    if dtype is None:
        return inputs
    return _in_dtype(what, name, inputs, to_dtype(what, dtype), casting)


def _in_dtype(
    what: str, name: str, inputs: tuple[Any, ...], dtype: DType, casting: Any
) -> tuple[Any, ...]:
    """Convert operands to the dtype of the computation, but leave them for bool results.

    Numbers need no conversion: they take the dtype of the tensors.
    """
    check_casting(what, casting)
    operator = OPERATORS.get(name)
    if operator is not None and operator.result:
        if dtype.kind != "b":
            raise DTypeError(what, "dtype must be bool, the dtype of the result", dtype=dtype)
        return inputs
    check_casts(what, [one.dtype for one in inputs if isinstance(one, Tensor)], dtype, casting)
    return tuple(
        [ours.astype(one, dtype, copy=False) if isinstance(one, Tensor) else one for one in inputs]
    )


def _reduced(what: str, name: str, inputs: tuple[Any, ...], given: dict[str, Any]) -> Any:
    allowed = {"axis", "initial", "keepdims", "out", "where"}
    check_names(what, allowed | {"dtype"} if REDUCTIONS[name].accumulates else allowed, given)
    return reduction(name)(*inputs, **{"axis": 0, **given})


def _overrides_ufuncs(one: Any) -> bool:
    """Whether an operand is of another library that may implement ufuncs with our tensors."""
    known = isinstance(one, (Tensor, np.ndarray, np.generic))
    return not known and hasattr(type(one), "__array_ufunc__")


def _is_scipys(function: np.ufunc) -> bool:
    """Whether a ufunc is SciPy's own; newer versions wrap it, to dispatch by array namespace."""
    homes = [sys.modules.get(name) for name in ("scipy.special", "scipy.special._ufuncs")]
    return any(getattr(home, function.__name__, None) is function for home in homes)
