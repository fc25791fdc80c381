"""Ufuncs on tensors: NumPy's, their reductions, and some of `scipy.special`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from dml_vk.array.host_operands import is_on_host, number_as_tensor, upload_array, upload_operands
from dml_vk.array.math.cumulative_extremes import cumulative_extreme
from dml_vk.array.math.inverse_erf import erfinv
from dml_vk.dtypes import DType, bool_, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.numpy_protocols import folded
from dml_vk.numpy_protocols.calls import (
    Adapter,
    Arguments,
    Options,
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
from dml_vk.tensor.operands import Operand, to_tensors

# NumPy's name -> ours. `clip`, `round` and `where` are not ufuncs, and drop out below.
_NAMES = {
    operator.numpy or name: name
    for name, operator in OPERATORS.items()
    if operator.numpy is not None
}
_NAMES |= {"conjugate": "conj", "deg2rad": "radians", "rad2deg": "degrees", "rint": "round"}
_COMPOSED = "cbrt degrees fabs fmax fmin frexp gcd lcm ldexp matmul modf radians vecdot"
_NAMES |= {name: name for name in _COMPOSED.split()}
UFUNCS: dict[np.ufunc, str] = {
    getattr(np, numpy): name
    for numpy, name in _NAMES.items()
    if isinstance(getattr(np, numpy, None), np.ufunc)
}
REDUCED: dict[np.ufunc, str] = {
    getattr(np, OPERATORS[row.join].numpy or row.join): row.name
    for row in REDUCTIONS.values()
    if row.join
}
ACCUMULATIONS: dict[np.ufunc, str] = {np.add: "cumulative_sum", np.multiply: "cumulative_prod"}
EXTREMES: dict[np.ufunc, int] = {
    np.maximum: MAXIMUM,
    np.minimum: MINIMUM,
    np.logical_and: MINIMUM,
    np.logical_or: MAXIMUM,
}
_OPTIONS = ("casting", "dtype", "out")


def _entr(x: Tensor) -> Tensor:
    return ours.where(ours.less(x, 0.0), -np.inf, ours.negative(ours.xlogy(x, x)))


def _log_expit(x: Tensor) -> Tensor:
    return ours.negative(ours.softplus(ours.negative(x)))


def _logit(x: Tensor) -> Tensor:
    """Use atanh near 1/2 and log elsewhere: each is accurate where the other is not."""
    near = ours.less(ours.abs(ours.subtract(x, 0.5)), 0.25)
    inner = ours.multiply(2.0, ours.atanh(ours.subtract(ours.multiply(2.0, x), 1.0)))
    return ours.where(near, inner, ours.log(ours.divide(x, ours.subtract(1.0, x))))


def _xlog1py(x: Tensor, y: Tensor) -> Tensor:
    """Multiply x by log(1 + y), with 0 where x is 0, unless y is NaN."""
    zero = ours.logical_and(ours.equal(x, 0), ours.equal(y, y))
    return ours.where(zero, 0.0, ours.multiply(x, ours.log1p(y)))


# By name, since `scipy.special` need not be imported.
SPECIAL: dict[str, str | Adapter] = {
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


def ufunc(function: np.ufunc, method: str, inputs: Arguments, named: Options) -> Any:
    """Implement `__array_ufunc__`: a call, or a method of the ufunc."""
    out = named.get("out", ())
    if any(_overrides_ufuncs(operand) for operand in (*inputs, *out)):
        return NotImplemented
    # None is meaningful for `axis`.
    options = {
        name: value
        for name, value in named.items()
        if name == "axis" or not has_no_effect(name, value)
    }
    if out:
        options["out"] = out if function.nout > 1 else out[0]
    what = public_name(function) + ("" if method == "__call__" else f".{method}")
    if method == "reduce" and function in REDUCED:
        return _reduce(what, REDUCED[function], inputs, options)
    if method == "accumulate" and function in ACCUMULATIONS:
        check_names(what, ("axis", "dtype", "out"), options)
        return getattr(ours, ACCUMULATIONS[function])(*inputs, **{"axis": 0, **options})
    if method == "accumulate" and function in EXTREMES:
        check_names(what, ("axis", "out"), options)
        logical = function in (np.logical_and, np.logical_or)
        x = ours.astype(inputs[0], "bool", copy=False) if logical else inputs[0]
        return cumulative_extreme(what, EXTREMES[function], x, options.pop("axis", 0), **options)
    is_binary = function in UFUNCS and function.nin == 2 and function.signature is None
    if method in ("reduce", "accumulate") and is_binary:
        fold = folded.reduce if method == "reduce" else folded.accumulate
        return fold(what, function, getattr(ours, UFUNCS[function]), inputs[0], options)
    if method == "at":
        return at(what, function, *inputs)
    if method == "reduceat":
        check_names(what, ("axis", "dtype", "out"), options)
        return reduceat(what, function, *inputs, **options)
    if method == "outer" and function in UFUNCS and len(inputs) == function.nin == 2:
        return _call(what, UFUNCS[function], _outer(*inputs), options)
    if method != "__call__":
        raise no_such(what)
    if "where" in options and (function in UFUNCS or function is np.divmod):
        return _where(what, function, inputs, options)
    if function is np.divmod:
        return _divmod(what, inputs, options)
    if function in UFUNCS:
        return _call(what, UFUNCS[function], inputs, options)
    special = SPECIAL.get(function.__name__)
    if special is None or not _is_scipys(function):
        raise no_such(what)
    if isinstance(special, str):
        return _call(what, special, inputs, options)
    check_names(what, (), options)
    first = to_tensors(what, inputs)[0]
    return special(
        *[
            operand if isinstance(operand, Tensor) else number_as_tensor(what, operand, first)
            for operand in inputs
        ]
    )


def _where(what: str, function: np.ufunc, inputs: Arguments, options: Options) -> object:
    """Compute all elements, and write those where the mask is true to `out`, or to zeros."""
    mask, out = options.pop("where"), options.pop("out", None)
    near = next(x for x in (*inputs, mask, *_each(out)) if isinstance(x, Tensor))
    _, mask = upload_operands(what, near, mask)
    mask = mask if isinstance(mask, Tensor) else ours.asarray(mask, device=near.device)
    if mask.dtype is not bool_:
        raise DTypeError(what, "where must be bools", where=mask.dtype)
    if function is np.divmod:
        results = _divmod(what, inputs, options)
    else:
        results = _each(_call(what, UFUNCS[function], inputs, options))
    targets = (None,) * len(results) if out is None else _each(out)
    with ErrorsAs(what):
        written = []
        for result, target in zip(results, targets):
            if target is None:
                target = ours.zeros(
                    ours.broadcast_shapes(result.shape, mask.shape),
                    result.dtype,
                    device=near.device,
                )
            check_casts(what, [result.dtype], target.dtype, "same_kind")
            result = ours.astype(result, target.dtype, copy=False)
            written.append(ours.where(mask, result, target, out=target))
    return tuple(written) if function.nout > 1 else written[0]


def _each(one_or_more: object) -> Arguments:
    return one_or_more if isinstance(one_or_more, tuple) else (one_or_more,)


def _outer(x1: Any, x2: Any) -> tuple[Operand, Operand]:
    """Return operands that broadcast to all pairs of elements, as `outer` does."""
    near = x1 if isinstance(x1, Tensor) else x2
    operands = [
        upload_array("outer", operand, near) if is_on_host(operand) else operand
        for operand in (x1, x2)
    ]
    if isinstance(operands[0], Tensor):
        dims = getattr(operands[1], "ndim", 0)
        operands[0] = ours.reshape(operands[0], (*operands[0].shape, *(1,) * dims))
    return operands[0], operands[1]


def _divmod(what: str, inputs: Arguments, options: Options) -> tuple[Tensor, Tensor]:
    """Quotients and remainders; a target may be an operand."""
    x1, x2 = _converted(what, "floor_divide", inputs, options)
    results = ours.floor_divide(x1, x2), ours.remainder(x1, x2)
    first, second = [
        result if out is None else ours.positive(result, out=out)
        for result, out in zip(results, options.get("out", (None, None)))
    ]
    return first, second


def _call(what: str, name: str, inputs: Arguments, options: Options) -> object:
    inputs = _converted(what, name, inputs, options)
    return getattr(ours, name)(*inputs, **options)


def _converted(what: str, name: str, inputs: Arguments, options: Options) -> Arguments:
    """Take `casting` and `dtype` off the options, and return the operands in this dtype."""
    check_names(what, {"vecdot": ("axis", *_OPTIONS)}.get(name, _OPTIONS), options)
    casting, dtype = options.pop("casting", "same_kind"), options.pop("dtype", None)
    if dtype is None:
        return inputs
    return _in_dtype(what, name, inputs, to_dtype(what, dtype), casting)


def _in_dtype(what: str, name: str, inputs: Arguments, dtype: DType, casting: str) -> Arguments:
    """Convert operands to the dtype of the computation, but leave them for bool results.

    Numbers need no conversion: they take the dtype of the tensors.
    """
    check_casting(what, casting)
    operator = OPERATORS.get(name)
    if operator is not None and operator.result:
        if dtype.kind != "b":
            raise DTypeError(what, "dtype must be bool, the dtype of the result", dtype=dtype)
        return inputs
    check_casts(
        what, [operand.dtype for operand in inputs if isinstance(operand, Tensor)], dtype, casting
    )
    return tuple(
        [
            ours.astype(operand, dtype, copy=False) if isinstance(operand, Tensor) else operand
            for operand in inputs
        ]
    )


def _reduce(what: str, name: str, inputs: Arguments, options: Options) -> object:
    allowed = {"axis", "initial", "keepdims", "out", "where"}
    check_names(what, allowed | {"dtype"} if REDUCTIONS[name].accumulates else allowed, options)
    return reduction(name)(*inputs, **{"axis": 0, **options})


def _overrides_ufuncs(operand: object) -> bool:
    """Whether an operand is of another library that may implement ufuncs with our tensors."""
    known = isinstance(operand, (Tensor, np.ndarray, np.generic))
    return not known and hasattr(type(operand), "__array_ufunc__")


def _is_scipys(function: np.ufunc) -> bool:
    """Whether a ufunc is SciPy's own; newer versions wrap it, to dispatch by array namespace."""
    homes = [sys.modules.get(name) for name in ("scipy.special", "scipy.special._ufuncs")]
    return any(getattr(home, function.__name__, None) is function for home in homes)
