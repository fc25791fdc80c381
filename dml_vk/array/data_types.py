"""Functions about dtypes: casts, promotion, and limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dml_vk.arguments import to_bool
from dml_vk.array.math import elementwise
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import PYTHON, DType, DTypeLike, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.ops.parts import imag_part, real_part
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, is_scalar, scalar_dtype, to_number, to_tensor

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@dataclass(frozen=True)
class FloatLimits:
    """The limits of a float dtype; for a complex one, of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerLimits:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


def can_cast(from_: DTypeLike | Tensor, to: DTypeLike, /) -> bool:
    """Return whether `from_`, a dtype or a tensor, and the dtype `to` together promote to `to`.

    >>> import dml_vk
    >>> dml_vk.can_cast(dml_vk.uint8, dml_vk.int16), dml_vk.can_cast(dml_vk.int16, dml_vk.float32)
    (True, True)
    >>> dml_vk.can_cast(dml_vk.float32, dml_vk.int64)
    False
    """
    source, wanted = _dtype_of("can_cast", from_), to_dtype("can_cast", to)
    try:
        return common_dtype("can_cast", [source, wanted]) is wanted
    except DTypeError:
        return False


def finfo(type: DTypeLike | Tensor, /) -> FloatLimits:
    """Return the limits of a float dtype, or of a tensor's dtype.

    >>> import dml_vk
    >>> dml_vk.finfo(dml_vk.float16).max
    65504.0
    """
    dtype = _dtype_of("finfo", type)
    if dtype.kind not in "fc":
        raise DTypeError("finfo", "dtype must be floating-point", dtype=dtype)
    limits = np.finfo(dtype.part.numpy_name)
    return FloatLimits(
        bits=int(limits.bits),
        eps=float(limits.eps),
        max=float(limits.max),
        min=float(limits.min),
        smallest_normal=float(limits.smallest_normal),
        dtype=dtype.part,
    )


def iinfo(type: DTypeLike | Tensor, /) -> IntegerLimits:
    """Return the limits of an integer dtype, or of a tensor's dtype.

    >>> import dml_vk
    >>> dml_vk.iinfo(dml_vk.uint64).max == 2**64 - 1
    True
    """
    dtype = _dtype_of("iinfo", type)
    if dtype.kind not in "iu":
        raise DTypeError("iinfo", "dtype must be an integer dtype", dtype=dtype)
    limits = np.iinfo(dtype.numpy_name)
    return IntegerLimits(
        bits=int(limits.bits), max=int(limits.max), min=int(limits.min), dtype=dtype
    )


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Return whether a dtype is of a kind, is another dtype, or is any of several in a tuple.

    The kinds are those of the array API: "bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating" and "numeric".

    >>> import dml_vk
    >>> dml_vk.isdtype(dml_vk.uint8, ("real floating", "unsigned integer"))
    True
    """
    dtype = to_dtype("isdtype", dtype)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(_is_of_kind(dtype, allowed) for allowed in kinds)


def _is_of_kind(dtype: DType, kind: DTypeLike) -> bool:
    if not isinstance(kind, str):
        return dtype is to_dtype("isdtype", kind)
    if kind not in _KINDS:
        rule = f"kind must be a dtype, or one of {', '.join(_KINDS)}"
        raise DTypeError("isdtype", rule, kind=kind)
    return dtype.kind in _KINDS[kind]


def real_if_close(x: Tensor, /, tol: float = 100) -> Tensor:
    """Return the real parts of complex numbers if all imaginary parts are small, else x itself.

    `tol` counts units of the dtype's epsilon, or is the limit itself if it is at most 1. This waits
    for the answer.

    >>> import dml_vk
    >>> dml_vk.real_if_close(dml_vk.asarray([2.5 + 1e-9j])).tolist()
    [2.5]
    """
    what = "real_if_close"
    x, limit = to_tensor(what, "x", x), to_number(what, "tol", tol)
    if x.dtype.kind != "c":
        return x
    if limit > 1:
        limit *= finfo(x.dtype).eps
    parts = imag(x)
    small = elementwise.less(elementwise.abs(parts), limit)
    return real(x) if reductions.all(small) else x


def result_type(*arrays_and_dtypes: DTypeLike | Operand) -> DType:
    """Return the dtype in which an operation on these tensors, dtypes and numbers is computed.

    Complex numbers take precedence over floats, floats over integers, and integers over bools.
    Python's numbers take the dtype of the other operands, or the default dtype of their kind if
    that is higher, which is the one that `asarray` gives them. NumPy's scalars have their own.

    >>> import dml_vk
    >>> dml_vk.result_type(dml_vk.uint8, dml_vk.int8, 300)
    dml_vk.int16
    >>> dml_vk.result_type(dml_vk.int64, dml_vk.float16), dml_vk.result_type(dml_vk.int64, 0.5)
    (dml_vk.float16, dml_vk.float32)
    """
    what = "result_type"
    dtypes: list[DType] = []
    numbers: list[object] = []
    for operand in arrays_and_dtypes:
        if is_scalar(operand):
            dtypes.append(scalar_dtype(operand))
        elif type(operand) in PYTHON:
            numbers.append(operand)
        else:
            dtypes.append(_dtype_of(what, operand))
    if not dtypes and not numbers:
        rule = "at least one tensor, dtype or number is needed"
        raise DTypeError(what, rule, given=arrays_and_dtypes)
    return common_dtype(what, dtypes, numbers)


def _dtype_of(what: str, operand: object) -> DType:
    return operand.dtype if isinstance(operand, Tensor) else to_dtype(what, operand)


def real(x: Tensor, /) -> Tensor:
    """Return the real parts: a view of the same memory, which can be written to; x itself if real.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1 + 2j, 3 + 4j])
    >>> dml_vk.real(x).tolist(), dml_vk.real(x).strides
    ([1.0, 3.0], (2,))
    """
    x = _numeric("real", x)
    return Tensor(real_part(x)) if x.dtype.kind == "c" else x


def imag(x: Tensor, /) -> Tensor:
    """Return the imaginary parts: a view of the same memory, which can be written to.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1 + 2j, 3 + 4j])
    >>> dml_vk.imag(x)[0] = 7
    >>> x.tolist()
    [(1+7j), (3+4j)]
    """
    x = to_tensor("imag", "x", x)
    if x.dtype.kind != "c":
        raise DTypeError("imag", "x must be complex: use zeros_like", dtype=x.dtype)
    return Tensor(imag_part(x))


def angle(x: Tensor, /, *, deg: bool = False, out: Tensor | None = None) -> Tensor:
    """Return the angles of complex numbers from the positive real axis, in radians or degrees.

    Those of negative real numbers are pi, those of others 0.

    >>> import dml_vk
    >>> dml_vk.angle(dml_vk.asarray([1 + 1j, -1, 2])).tolist()
    [0.7853981852531433, 3.1415927410125732, 0.0]
    """
    x = to_tensor("angle", "x", x)
    turned = to_bool("angle", "deg", deg)
    with ErrorsAs("angle"):
        is_complex = x.dtype.kind == "c"
        parts = (imag(x), real(x)) if is_complex else (0.0, x)
        if not turned:
            return elementwise.atan2(*parts, out=out)
        return elementwise.multiply(elementwise.atan2(*parts), 180 / math.pi, out=out)


def _numeric(what: str, x: Tensor) -> Tensor:
    x = to_tensor(what, "x", x)
    if x.dtype.kind == "b":
        raise DTypeError(what, "dtype must be numeric", dtype=x.dtype)
    return x
