"""The functions that work element by element, named as in the array API standard and NumPy.

`dml_vk.kernels.operators` says which dtypes each takes and how exact it is. Operands are tensors of
any layouts, repeated as NumPy broadcasts them, and numbers. The result keeps the memory format of
the operands, or goes to `out`, which may be an operand.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from dml_vk.creation import full
from dml_vk.dtypes import DTYPES, DType, bool_, float32, int64, to_dtype
from dml_vk.error_names import ErrorsAs
from dml_vk.errors import DTypeError, LayoutError, explain
from dml_vk.function_examples import example
from dml_vk.function_meanings import MEANINGS
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.operators import OPERATORS, Operator
from dml_vk.layout import broadcast_sizes, elementwise
from dml_vk.operands import Operand, check_dtype, check_out, plain, to_tensor, to_tensors, typed
from dml_vk.ops.elementwise import (
    Typed,
    cast_elements,
    compute,
    element_words,
    scalar_words,
)
from dml_vk.promotion import check_weak, common_dtype
from dml_vk.recall import recall, remember
from dml_vk.strides.order import Ints, to_bool
from dml_vk.tensor import Tensor, tensor_over
from dml_vk.tracing import ASKED, record


class Named(Protocol):
    __name__: str
    __qualname__: str


class Unary(Named, Protocol):
    def __call__(self, x: Tensor, /, *, out: Tensor | None = None) -> Tensor: ...


class Binary(Named, Protocol):
    def __call__(self, x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor: ...


class Told(Named, Protocol):
    def __call__(
        self, x: Tensor, /, *values: float, out: Tensor | None = None, **named: float
    ) -> Tensor: ...


Function = TypeVar("Function", Unary, Binary, Told)


def _common(what: str, operator: Operator, operands: Sequence[Any], tensors: list[Tensor]) -> DType:
    common = common_dtype(what, [tensor.dtype for tensor in tensors])
    for operand in operands:
        if not isinstance(operand, Tensor):
            check_weak(what, plain(operand), common)
    if not operator.takes(common):
        check_dtype(what, common, filter(operator.takes, DTYPES.values()))
    return common


def _target(what: str, tensors: list[Tensor], dtype: DType, out: Any) -> Tensor:
    """Where the result goes: `out`, if it fits, or a new tensor."""
    layouts = [tensor.layout for tensor in tensors]
    try:
        if out is None:
            near = tensors[0].strided.allocation
            return tensor_over(what, elementwise(*layouts), dtype, tensors[0].device, near)
        sizes = broadcast_sizes(*[layout.sizes for layout in layouts])
    except LayoutError as error:
        raise LayoutError(f"{what}: {str(error).partition(': ')[2]}") from None
    return check_out(what, out, sizes, dtype, tensors[0])


def _apply(operator: Operator, operands: Sequence[Any], out: Any, told: Ints = ()) -> Tensor:
    found = recall(operator, operands, out, told)
    if found is not None:
        return found
    what, scalars = operator.name, told
    tensors = to_tensors(what, operands)
    common = _common(what, operator, operands, tensors)
    dtype = DTYPES[operator.result] if operator.result else common
    sources: list[Typed | None] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            sources.append(typed(operand))
        else:
            sources.append(None)
            scalars = scalar_words(what, "number", common, plain(operand))
    target = _target(what, tensors, dtype, out)
    plan = compute(what, operator, sources, typed(target), common, scalars)
    remember(operator, operands, out, told, target, common, plan)
    return target


def _unary(name: str) -> Unary:
    operator = OPERATORS[name]

    def function(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
        return _apply(operator, (x,), out)

    return _named(function, operator)


def _binary(name: str) -> Binary:
    operator = OPERATORS[name]

    def function(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
        return _apply(operator, (x1, x2), out)

    return _named(function, operator)


def _told(name: str) -> Told:
    """With parameters, which are numbers."""
    operator = OPERATORS[name]
    names = [parameter for parameter, _ in operator.parameters]

    def function(x: Tensor, /, *values: float, out: Tensor | None = None, **named: float) -> Tensor:
        told = dict(zip(names, values))
        if len(values) > len(names) or not set(named) <= set(names) - set(told):
            must = f"parameters must be among {', '.join(names)}, each once"
            raise DTypeError(explain(name, must, values=values, named=tuple(named)))
        told = {**dict(operator.parameters), **told, **named}
        for parameter, value in told.items():
            if not isinstance(value, (numbers.Real, np.bool_)):
                must = f"{parameter} must be a real number"
                raise DTypeError(explain(name, must, **{parameter: value}))
        words = [element_words(name, each, float32, plain(told[each])) for each in told]
        return _apply(operator, (x,), out, sum(words, ()))

    vars(function)["__signature__"] = _spelled(inspect.signature(function), operator)
    return _named(function, operator)


def _spelled(signature: inspect.Signature, operator: Operator) -> inspect.Signature:
    """With the operator's parameters in place of any numbers."""
    x, *_, out, _ = signature.parameters.values()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    told = [
        inspect.Parameter(name, kind, default=float(f"{value:.8g}"), annotation="float")
        for name, value in operator.parameters
    ]
    return signature.replace(parameters=[x, *told, out])


def _named(function: Function, operator: Operator) -> Function:
    function.__name__ = function.__qualname__ = operator.name
    says = f"{MEANINGS[operator.name]} Dtypes and accuracy: docs/operators.md."
    function.__doc__ = f"{says}\n\n{example(operator.name)}\n"
    return function


def astype(
    x: Tensor,
    dtype: Any,
    /,
    *,
    copy: bool = True,
    device: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The same numbers in another dtype; `copy=False` gives x itself where it has that already.

    Floats become integers towards zero, what is out of range the nearest limit, and NaN 0. Integers
    keep their low bits. What becomes a float is rounded to the nearest, ties to even. A bool is
    whether it is not 0.

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
    cast, told = OPERATORS["cast"], (dtype.code,)  # which the kernel has no use for
    found = recall(cast, (x,), out, told)
    if found is None:
        found = _target("astype", [x], dtype, out)
        plan = cast_elements("astype", typed(x), typed(found))
        remember(cast, (x,), out, told, found, dtype, plan)
    if dtype is x.dtype:
        record("astype", ASKED, x.layout, found.layout, x.nbytes)
    return found


def where(condition: Tensor, x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Elements of x1 where the condition is true, that is not 0, and else of x2.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, -2.0, 3.0])
    >>> dml_vk.where(dml_vk.asarray([True, False, True]), x, 0.0).tolist()
    [1.0, 0.0, 3.0]
    """
    operator, operands = OPERATORS["where"], (condition, x1, x2)
    only_tensors = all(type(x) is Tensor for x in operands)
    found = recall(operator, operands, out) if only_tensors else None
    if found is not None:
        return found
    tensors = to_tensors("where", operands)
    condition = to_tensor("where", "condition", condition)
    choices = [x for x in (x1, x2) if isinstance(x, Tensor)]
    common = _common("where", operator, (x1, x2), choices) if choices else _weak(x1, x2)
    words: list[Ints] = [
        () if isinstance(x, Tensor) else element_words("where", "number", common, plain(x))
        for x in (x1, x2)
    ]
    if len(words[0] + words[1]) > SCALAR_WORDS[3]:
        x1, words[0] = full((), plain(x1), common, device=condition.device), ()
    target = _target("where", tensors, common, out)
    sources = [typed(x) if isinstance(x, Tensor) else None for x in (condition, x1, x2)]
    # Those of the third follow the first of the second.
    scalars = (*words[0], *words[1]) if words[0] else (0, *words[1])
    plan = compute("where", operator, sources, typed(target), common, scalars)
    remember(operator, operands, out, (), target, common, plan if only_tensors else None)
    return target


def clip(
    x: Tensor,
    /,
    min: Operand | None = None,
    max: Operand | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Elements below `min` become `min`, and then those above `max` become `max`.

    >>> import dml_vk
    >>> dml_vk.clip(dml_vk.asarray([-5, 5, 50]), 0, 9).tolist()
    [0, 5, 9]
    """
    given = [bound for bound in (min, max) if bound is not None]
    tensors = to_tensors("clip", (x, *given))
    x = to_tensor("clip", "x", x)
    common = _common("clip", OPERATORS["clip"], (x, *given), tensors)
    if common is not x.dtype:
        raise DTypeError(explain("clip", f"bounds must fit {x.dtype.name}", dtype=common))
    if len(tensors) > 1:
        if min is not None:
            x = _apply(OPERATORS["maximum"], (x, min), out if max is None else None)
        return x if max is None else _apply(OPERATORS["minimum"], (x, max), out)
    told = _bound_words(common, "min", min) + _bound_words(common, "max", max)
    return _apply(OPERATORS["clip"], (x,), out, told)


def _bound_words(dtype: DType, name: str, bound: Any) -> Ints:
    """A bound beyond all numbers of the dtype, as one that is left out, is the last of them."""
    limit: float = np.inf if name == "max" else -np.inf
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.numpy_name)
        limit = limits.max if name == "max" else limits.min
    number = limit if bound is None else plain(bound)
    if number > limit if name == "max" else number < limit:
        number = limit
    return scalar_words("clip", name, dtype, number)


def _weak(x1: Any, x2: Any) -> DType:
    """The dtype of numbers among themselves."""
    types = {type(plain(x)) for x in (x1, x2)}
    return bool_ if types == {bool} else int64 if types <= {bool, int} else float32


_any_power = _binary("pow")
# What is known of the power of such a number, and comes to the same bits.
_POWERS = {1: "positive", 2: "square", 0.5: "sqrt", -1: "reciprocal"}
_SMALL = (3, 4)  # powers that are products of so many


def _to_the_power(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    number = plain(x2)
    if type(number) in (int, float) and isinstance(x1, Tensor):
        operator = _power(x1.dtype, number)
        if operator is not None:
            operands = (x1,) if operator.arity == 1 else (x1, number)
            with ErrorsAs("pow"):
                return _apply(operator, operands, out)
    return _any_power(x1, x2, out=out)


def _power(dtype: DType, number: float) -> Operator | None:
    """What raises to this number, if there is more to say of it than of any."""
    if dtype.kind == "f":
        if number in _POWERS:
            return OPERATORS[_POWERS[number]]
        if number in _SMALL or (dtype.itemsize == 8 and number == number // 1):
            return OPERATORS["whole_power"]
        if dtype.itemsize == 8:
            must = "a number that float64 is raised to must be whole, or 0.5"
            raise DTypeError(explain("pow", must, number=number))
    return OPERATORS["square"] if dtype.kind in "iu" and number == 2 else None


pow = _named(_to_the_power, OPERATORS["pow"])
add = _binary("add")
subtract = _binary("subtract")
multiply = _binary("multiply")
divide = _binary("divide")
trunc_divide = _binary("trunc_divide")
floor_divide = _binary("floor_divide")
remainder = _binary("remainder")
fmod = _binary("fmod")
maximum = _binary("maximum")
minimum = _binary("minimum")
mean_of_two = _binary("mean_of_two")
difference_square = _binary("difference_square")
copysign = _binary("copysign")
nextafter = _binary("nextafter")
positive = _unary("positive")
negative = _unary("negative")
abs = _unary("abs")
sign = _unary("sign")
square = _unary("square")
floor = _unary("floor")
ceil = _unary("ceil")
trunc = _unary("trunc")
round = _unary("round")
sqrt = _unary("sqrt")
reciprocal = _unary("reciprocal")
bitwise_and = _binary("bitwise_and")
bitwise_or = _binary("bitwise_or")
bitwise_xor = _binary("bitwise_xor")
bitwise_left_shift = _binary("bitwise_left_shift")
bitwise_right_shift = _binary("bitwise_right_shift")
bitwise_invert = _unary("bitwise_invert")
bitwise_count = _unary("bitwise_count")
relu_grad = _binary("relu_grad")
equal = _binary("equal")
not_equal = _binary("not_equal")
less = _binary("less")
less_equal = _binary("less_equal")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
logical_not = _unary("logical_not")
isnan = _unary("isnan")
isinf = _unary("isinf")
isposinf = _unary("isposinf")
isneginf = _unary("isneginf")
isfinite = _unary("isfinite")
signbit = _unary("signbit")
rsqrt = _unary("rsqrt")
hypot = _binary("hypot")
exp = _unary("exp")
exp2 = _unary("exp2")
expm1 = _unary("expm1")
sinh = _unary("sinh")
cosh = _unary("cosh")
tanh = _unary("tanh")
log = _unary("log")
log2 = _unary("log2")
log10 = _unary("log10")
log1p = _unary("log1p")
asinh = _unary("asinh")
acosh = _unary("acosh")
atanh = _unary("atanh")
logaddexp = _binary("logaddexp")
sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
asin = _unary("asin")
acos = _unary("acos")
atan = _unary("atan")
atan2 = _binary("atan2")
erf = _unary("erf")
relu = _unary("relu")
elu = _told("elu")
celu = _told("celu")
scaled_elu = _told("scaled_elu")
leaky_relu = _told("leaky_relu")
thresholded_relu = _told("thresholded_relu")
parameterized_relu = _binary("parameterized_relu")
linear = _told("linear")
shrink = _told("shrink")
hard_sigmoid = _told("hard_sigmoid")
hard_swish = _told("hard_swish")
softsign = _unary("softsign")
sigmoid = _unary("sigmoid")
swish = _told("swish")
softplus = _told("softplus")
parametric_softplus = _told("parametric_softplus")
scaled_tanh = _told("scaled_tanh")
gelu = _unary("gelu")
