"""Questions about dtypes: what holds what, what comes out of several, and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dml_vk.dtypes import PYTHON, DType, complex64, float32, to_any_dtype
from dml_vk.errors import DTypeError, explain
from dml_vk.operands import plain, to_tensor
from dml_vk.promotion import check_weak, common_dtype
from dml_vk.tensor import Tensor

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
    """What a float dtype can hold; of a complex one, its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerLimits:
    """What an integer dtype can hold."""

    bits: int
    max: int
    min: int
    dtype: DType


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether the dtype `to` holds all of `from_`, a dtype or a tensor, by the rules of promotion.

    >>> import dml_vk
    >>> dml_vk.can_cast(dml_vk.uint8, dml_vk.int16), dml_vk.can_cast(dml_vk.int16, dml_vk.float32)
    (True, False)
    """
    given, wanted = _dtype_of("can_cast", from_), to_any_dtype("can_cast", to)
    try:
        return _common("can_cast", [given, wanted]) is wanted
    except DTypeError:
        return False


def finfo(type: Any, /) -> FloatLimits:
    """The limits of a float dtype, or of a tensor's.

    >>> import dml_vk
    >>> dml_vk.finfo(dml_vk.float16).max
    65504.0
    """
    dtype = _dtype_of("finfo", type)
    if dtype.kind not in "fc":
        raise DTypeError(explain("finfo", "dtype must be of floats", dtype=dtype))
    part = float32 if dtype is complex64 else dtype
    found = np.finfo(part.numpy_name)
    return FloatLimits(
        bits=int(found.bits),
        eps=float(found.eps),
        max=float(found.max),
        min=float(found.min),
        smallest_normal=float(found.smallest_normal),
        dtype=part,
    )


def iinfo(type: Any, /) -> IntegerLimits:
    """The limits of an integer dtype, or of a tensor's.

    >>> import dml_vk
    >>> dml_vk.iinfo(dml_vk.uint64).max == 2**64 - 1
    True
    """
    dtype = _dtype_of("iinfo", type)
    if dtype.kind not in "iu":
        raise DTypeError(explain("iinfo", "dtype must be of integers", dtype=dtype))
    found = np.iinfo(dtype.numpy_name)
    return IntegerLimits(bits=int(found.bits), max=int(found.max), min=int(found.min), dtype=dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind, another dtype, or any of several in a tuple.

    The kinds are those of the array API: "bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating" and "numeric".

    >>> import dml_vk
    >>> dml_vk.isdtype(dml_vk.uint8, ("real floating", "unsigned integer"))
    True
    """
    found = to_any_dtype("isdtype", dtype)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(_is_of_kind(found, one) for one in kinds)


def _is_of_kind(dtype: DType, kind: Any) -> bool:
    if not isinstance(kind, str):
        return dtype is to_any_dtype("isdtype", kind)
    if kind not in _KINDS:
        must = f"kind must be a dtype, or one of {', '.join(_KINDS)}"
        raise DTypeError(explain("isdtype", must, kind=kind))
    return dtype.kind in _KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that an operation on these tensors, dtypes and Python numbers computes in.

    Numbers take the dtype of what is beside them; among themselves they are what `asarray` makes.

    >>> import dml_vk
    >>> dml_vk.result_type(dml_vk.uint8, dml_vk.int8, 300)
    dml_vk.int16
    """
    what = "result_type"
    dtypes: list[DType] = []
    numbers: list[Any] = []
    for one in arrays_and_dtypes:
        number = plain(one)
        if type(number) in PYTHON:
            numbers.append(number)
        else:
            dtypes.append(_dtype_of(what, one))
    if not dtypes:
        if not numbers:
            must = "there must be a tensor, a dtype or a number"
            raise DTypeError(explain(what, must, given=arrays_and_dtypes))
        order = list(PYTHON)
        return PYTHON[max(map(type, numbers), key=order.index)]
    if complex in map(type, numbers) and all(dtype.kind in "fc" for dtype in dtypes):
        dtypes.append(complex64)
    common = _common(what, dtypes)
    for number in numbers:
        if common is not complex64:
            check_weak(what, number, common)
    return common


def _dtype_of(what: str, given: Any) -> DType:
    return given.dtype if isinstance(given, Tensor) else to_any_dtype(what, given)


def _common(what: str, dtypes: Sequence[DType]) -> DType:
    """As `common_dtype`, and complex64 for what it holds."""
    kinds = {dtype.kind for dtype in dtypes}
    if "c" not in kinds:
        return common_dtype(what, dtypes)
    if kinds <= {"f", "c"} and all(dtype.kind == "c" or dtype.itemsize <= 4 for dtype in dtypes):
        return complex64
    must = "dtypes beside complex64 must be floats of 32 bits at most"
    raise DTypeError(explain(what, must, dtypes=tuple(dtypes)))


def real(x: Tensor, /) -> Tensor:
    """The real part: x itself, for all tensors are real.

    >>> import dml_vk
    >>> dml_vk.real(dml_vk.asarray([1.5, 2.5])).tolist()
    [1.5, 2.5]
    """
    return _numeric("real", x)


def conj(x: Tensor, /) -> Tensor:
    """The complex conjugate: x itself, for all tensors are real.

    >>> import dml_vk
    >>> dml_vk.conj(dml_vk.asarray([1, 2])).tolist()
    [1, 2]
    """
    return _numeric("conj", x)


def imag(x: Tensor, /) -> Tensor:
    """The imaginary part, which no tensor has as yet: always an error.

    >>> import dml_vk
    >>> dml_vk.imag(dml_vk.asarray([1.5]))
    Traceback (most recent call last):
    dml_vk.errors.DTypeError: imag: x must be complex, and all tensors are real as yet: \
zeros_like(x) makes zeros; got dtype=dml_vk.float32
    """
    dtype = to_tensor("imag", "x", x).dtype
    must = "x must be complex, and all tensors are real as yet: zeros_like(x) makes zeros"
    raise DTypeError(explain("imag", must, dtype=dtype))


def _numeric(what: str, x: Any) -> Tensor:
    found = to_tensor(what, "x", x)
    if found.dtype.kind == "b":
        raise DTypeError(explain(what, "dtype must be numeric", dtype=found.dtype))
    return found
