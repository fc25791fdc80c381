"""The elementwise functions, named as in the array API standard and NumPy.

`dml_vk.kernels.operators` lists the dtypes and accuracy of each. Operands are numbers, and tensors
of any layout, which broadcast as in NumPy. The result keeps the memory format of the operands, or
is written to `out`, which may be an operand.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

import numpy as np

from dml_vk.arguments import to_bool
from dml_vk.array.calls import call
from dml_vk.array.creation.arrays import full
from dml_vk.array.host_operands import upload_operands, with_arrays, with_dtypes, with_integers
from dml_vk.array.math import exact_comparisons as exact
from dml_vk.array.math.operations import common_of, computed, target_of, to_floats
from dml_vk.array.sorting.searching import nonzero
from dml_vk.dtypes import DType, DTypeLike, bool_, float32, float64, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.operators import OPERATORS, Operator
from dml_vk.observe.copies import ASKED, record
from dml_vk.ops.elementwise import cast_elements, compute, converted
from dml_vk.ops.numbers import element_words
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.operands import (
    Operand,
    plain,
    to_tensor,
    to_tensors,
)
from dml_vk.tracing.formats import operation
from dml_vk.tracing.numbers import LiveNumber

_PLAIN = {Tensor, int, float}  # types of operands that need no conversion
_MOST_BYTES = 4 * SCALAR_WORDS[3]  # of the scalars of `where`


class Named(Protocol):
    __name__: str
    __qualname__: str


class Unary(Named, Protocol):
    def __call__(self, x: Tensor, /, *, out: Tensor | None = None) -> Tensor: ...


class Binary(Named, Protocol):
    def __call__(self, x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor: ...


class Parametric(Named, Protocol):
    def __call__(
        self, x: Tensor, /, *values: float, out: Tensor | None = None, **named: float
    ) -> Tensor: ...


Function = TypeVar("Function", Unary, Binary, Parametric)


def _unary(operator: Operator) -> Unary:
    def function(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
        return call(computed, (x,), out, operator, ())

    return _with_name(function, operator)


def _binary(operator: Operator) -> Binary:
    def function(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
        return call(computed, (x1, x2), out, operator, ())

    return _with_name(function, operator)


def _comparison(operator: Operator) -> Binary:
    """Define a comparison, which is exact between integers and floats."""

    def function(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
        name, pair = operator.name, (type(x1), type(x2))
        if type(x1) is Tensor and x1.dtype.kind in "iu":
            if type(x2) is not Tensor or x2.dtype is not x1.dtype:
                return _compare_integers(name, x1, x2, out)
        elif type(x2) is Tensor and x2.dtype.kind in "iu":
            with ErrorsAs(name):
                return _compare_integers(exact.COMPARISONS[name].turned, x2, x1, out)
        elif Tensor in pair and not _PLAIN.issuperset(pair):
            first, second = with_integers(name, x1, x2)
            if first is not x1 or second is not x2:
                return function(first, second, out=out)
        return call(computed, (x1, x2), out, operator, ())

    return _with_name(function, operator)


def _compare_integers(name: str, x: Tensor, other: Any, out: Tensor | None) -> Tensor:
    value = other if type(other) in (int, float, Tensor) else plain(other)
    if isinstance(value, np.ndarray):
        x, value = upload_operands(name, x, value)
    if type(value) in (int, float):
        name, value = exact.bounded(name, value, x.dtype)
    elif x.dtype.itemsize == 8 and issubclass(type(value), LiveNumber) and value.kind is float:
        value = full((), value, float64, device=x.device)
    if x.dtype.itemsize < 8 or type(value) is not Tensor or value.dtype.kind != "f":
        return call(computed, (x, value), out, OPERATORS[name], ())
    # Of 64 bits: floats are rounded to the integer that decides, where there is one.
    wide = astype(value, float64, copy=False)
    row = exact.COMPARISONS[name]
    near = FUNCTIONS["ceil" if row.rounds_up else "floor"](wide)
    limits = exact.limits_as_floats(x.dtype)
    low, high = [FUNCTIONS["greater_equal"](near, limit) for limit in limits]
    inside = FUNCTIONS["greater"](low, high)
    result = call(computed, (x, astype(near, x.dtype)), None, OPERATORS[name], ())
    if row.is_ordered:  # NaN is neither below nor above.
        beyond = high if row.above else FUNCTIONS["less"](near, limits[0])
        return where(inside, result, beyond, out=out)
    whole = FUNCTIONS["logical_and"](inside, FUNCTIONS["equal"](near, wide))
    pair = (result, whole) if name == "equal" else (result, FUNCTIONS["logical_not"](whole))
    joined: Tensor = FUNCTIONS["logical_and" if name == "equal" else "logical_or"](*pair, out=out)
    return joined


def _parametric(operator: Operator) -> Parametric:
    """Define a function of an operator with parameters, which are numbers."""
    what = operator.name
    names = [parameter for parameter, _ in operator.parameters]

    def function(x: Tensor, /, *values: float, out: Tensor | None = None, **named: float) -> Tensor:
        params = dict(zip(names, values))
        if len(values) > len(names) or not set(named) <= set(names) - set(params):
            rule = f"parameters must be among {', '.join(names)}, each at most once"
            raise DTypeError(what, rule, values=values, named=tuple(named))
        params = {**dict(operator.parameters), **params, **named}
        for parameter, value in params.items():
            if not isinstance(value, (numbers.Real, np.bool_)):
                rule = f"{parameter} must be a real number"
                raise DTypeError(what, rule, **{parameter: value})
        kind = float64 if isinstance(x, Tensor) and x.dtype is float64 else float32
        words = [element_words(what, each, kind, plain(params[each])) for each in params]
        return call(computed, (x,), out, operator, sum(words, ()))

    vars(function)["__signature__"] = _with_parameters(inspect.signature(function), operator)
    return _with_name(function, operator)


def _with_parameters(signature: inspect.Signature, operator: Operator) -> inspect.Signature:
    """Replace `*numbers` in a signature with the operator's parameters."""
    x, *_, out, _ = signature.parameters.values()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    params = [
        inspect.Parameter(name, kind, default=float(f"{value:.8g}"), annotation="float")
        for name, value in operator.parameters
    ]
    return signature.replace(parameters=[x, *params, out])


def _with_name(function: Function, operator: Operator) -> Function:
    function.__name__ = function.__qualname__ = operator.name
    function.__doc__ = operator.docstring
    return function


def astype(
    x: Tensor,
    dtype: DTypeLike,
    /,
    *,
    copy: bool = True,
    device: DeviceLike = None,
    out: Tensor | None = None,
) -> Tensor:
    """Convert the elements to another dtype; with `copy=False`, x itself if it already has it.

    Complex numbers can only become complex numbers of another size, and bools: use `real` or `abs`.
    Floats are truncated to integers, values out of range become the nearest limit, and NaN becomes
    0. Integers keep their low bits. Conversions to floats round to nearest, ties to even. A bool is
    false for 0, else true.

    >>> import dml_vk
    >>> dml_vk.astype(dml_vk.asarray([-1.5, 2.5, 300.0]), dml_vk.uint8).tolist()
    [0, 2, 255]
    """
    (x,) = to_tensors("astype", (x,))
    dtype = to_dtype("astype", dtype)
    if device is not None:
        x = x.to_device(device)
    if not to_bool("astype", "copy", copy) and dtype is x.dtype and out is None:
        return x
    return call(_cast, (x,), out, dtype)


@operation(flexible="all")
def _cast(operands: Sequence[Tensor], out: Tensor | None, dtype: DType) -> Tensor:
    (x,) = operands
    target = target_of("astype", [x], dtype, out)
    if dtype is x.dtype:
        record("astype", ASKED, x.layout, target.layout, x.nbytes)
    cast_elements("astype", x, target)
    return target


def conj(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugates; x itself if it is real and there is no `out`.

    >>> import dml_vk
    >>> dml_vk.conj(dml_vk.asarray([1 + 2j, 3 - 4j])).tolist()
    [(1-2j), (3+4j)]
    """
    x = to_tensor("conj", "x", x)
    if x.dtype.kind == "b":
        raise DTypeError("conj", "dtype must be numeric", dtype=x.dtype)
    if x.dtype.kind == "c":
        return call(computed, (x,), out, OPERATORS["conj"], ())
    return x if out is None else call(computed, (x,), out, OPERATORS["positive"], ())


@overload
def where(condition: Tensor, /) -> tuple[Tensor, ...]: ...


@overload
def where(
    condition: Tensor, x1: Operand, x2: Operand, /, *, out: Tensor | None = None
) -> Tensor: ...


def where(
    condition: Tensor, x1: Any = None, x2: Any = None, /, *, out: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Select elements of x1 where the condition is true (not 0), else of x2.

    With the condition alone, return the indexes where it is true, as `nonzero` does.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, -2.0, 3.0])
    >>> dml_vk.where(dml_vk.asarray([True, False, True]), x, 0.0).tolist()
    [1.0, 0.0, 3.0]
    """
    if type(condition) is Tensor and _fits_params(x1, x2):
        return call(_select, (condition, x1, x2), out)
    near = next((operand for operand in (condition, x1, x2) if isinstance(operand, Tensor)), None)
    if near is not None:
        condition, x1, x2 = with_arrays("where", (condition, x1, x2), near)
    condition = to_tensor("where", "condition", condition)
    if x1 is None and x2 is None and out is None:
        return nonzero(condition)
    to_tensors("where", (condition, x1, x2))
    x1, x2 = with_dtypes((x1, x2), condition)
    common = common_of("where", OPERATORS["where"], (x1, x2))
    # Scalars that do not fit in the params become elements.
    scalars = sum([not isinstance(x, Tensor) for x in (x1, x2)])
    if not isinstance(x1, Tensor) and scalars * common.itemsize > _MOST_BYTES:
        x1 = full((), plain(x1), common, device=condition.device)
    if not isinstance(x2, Tensor) and common.itemsize > _MOST_BYTES:
        x2 = full((), plain(x2), common, device=condition.device)
    return call(_select, (condition, x1, x2), out)


def _fits_params(x1: Operand | None, x2: Operand | None) -> bool:
    """Whether these are tensors, or a tensor and a number that fits in the params."""
    tensor, other = (x1, x2) if type(x1) is Tensor else (x2, x1)
    if type(tensor) is Tensor and type(other) in (int, float, bool):
        return tensor.dtype.itemsize <= 8
    return type(tensor) is type(other) is Tensor


@operation(flexible="all")
def _select(operands: tuple[Tensor, Operand, Operand], out: Tensor | None) -> Tensor:
    operator, (condition, *numbers) = OPERATORS["where"], operands
    if condition.dtype.kind == "c":
        condition = astype(condition, bool_)
    tensors = to_tensors("where", (condition, *numbers))
    common = common_of("where", operator, numbers)
    target = target_of("where", tensors, common, out)
    words = [
        () if isinstance(x, Tensor) else element_words("where", "number", common, plain(x))
        for x in numbers
    ]
    values = to_floats("where", numbers, common)
    sources = [x if isinstance(x, Tensor) else None for x in (condition, *values)]
    # The words of the third operand follow the first word of the second.
    scalars = (*words[0], *words[1]) if words[0] else (0, *words[1])
    compute("where", operator, sources, target, common, scalars)
    return target


_any_power = _binary(OPERATORS["pow"])
# Operators that compute the power by such a number with the same bits.
_POWERS = {1: "positive", 2: "square", 0.5: "sqrt", -1: "reciprocal"}
_SMALL = (3, 4)  # powers that are computed as products


def _to_the_power(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    if type(x1) is not Tensor or type(x2) not in (Tensor, int, float):
        x1, x2 = upload_operands("pow", x1, x2)
    number: Any = x2
    if issubclass(type(number), LiveNumber):
        number = number.kind(number)  # Its value tells the operator.
    if type(number) in (int, float) and isinstance(x1, Tensor):
        common = common_dtype("pow", [x1.dtype], [number])
        operator = _power(common, number)
        if operator is not None:
            with ErrorsAs("pow"):
                if common is not x1.dtype:
                    out = target_of("pow", [x1], common, out)
                    x1 = Tensor(converted("pow", x1, common))
                operands = (x1,) if operator.arity == 1 else (x1, number)
                return call(computed, operands, out, operator, ())
    return _any_power(x1, x2, out=out)


def _power(dtype: DType, number: float) -> Operator | None:
    """Return the operator that computes the power by this number, if there is a special one."""
    if dtype.kind in "fc" and number in _POWERS:
        return OPERATORS[_POWERS[number]]
    whole = number in _SMALL or (dtype.itemsize == 8 and number == number // 1)
    if dtype.kind == "f" and whole:
        return OPERATORS["whole_power"]
    return OPERATORS["square"] if dtype.kind in "iu" and number == 2 else None


def _function(operator: Operator) -> Any:
    if operator.name == "pow":
        return _with_name(_to_the_power, operator)
    if operator.parameters:
        return _parametric(operator)
    if operator.name in exact.COMPARISONS:
        return _comparison(operator)
    return _unary(operator) if operator.arity == 1 else _binary(operator)


# Functions generated from the table; those written by hand above have no `doc` there.
FUNCTIONS = {name: _function(operator) for name, operator in OPERATORS.items() if operator.doc}
globals().update(FUNCTIONS)
if TYPE_CHECKING:
    from dml_vk.array.math.operator_functions import *  # noqa: F403
