"""Type promotion: the common dtype of several dtypes and Python numbers.

Kinds are ordered: bools, integers, floats, complex numbers. Only operands of the highest kind
count, and are promoted by the rules of the Python array API standard; but complex numbers also hold
the floats beside them. PyTorch and JAX do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dml_vk.dtypes import DTYPES, DType, bool_, complex64, float32, int64
from dml_vk.errors import DTypeError

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def common_dtype(what: str, dtypes: Sequence[DType], numbers: Iterable[object] = ()) -> DType:
    """The dtype in which an operation on these dtypes and Python numbers is computed.

    A number takes the dtype of the other operands, unless it is of a higher kind: then it has the
    default dtype of its kind.

    >>> from dml_vk.dtypes import DTYPES
    >>> from dml_vk.promotion import common_dtype
    >>> common_dtype("add", [DTYPES["int8"], DTYPES["uint8"]])
    dml_vk.int16
    >>> common_dtype("add", [DTYPES["int64"], DTYPES["float16"]])
    dml_vk.float16
    >>> common_dtype("add", [DTYPES["int8"]], [0.5])
    dml_vk.float32
    """
    common = _highest(what, dtypes) if dtypes else bool_
    for number in numbers:
        default = _default_dtype(number)
        if _RANKS[default.kind] > _RANKS[common.kind]:
            common = complex_dtype(common) if default is complex64 else default
    return common


def float_dtype(dtype: DType) -> DType:
    """The dtype in which a function of floats is computed: integers and bools become float32."""
    return dtype if dtype.kind in "fc" else float32


def complex_dtype(dtype: DType) -> DType:
    """The complex dtype whose parts can hold floats of a dtype; complex64 for other dtypes."""
    return DTYPES["complex128"] if dtype.kind in "fc" and dtype.part.itemsize == 8 else complex64


def check_weak(what: str, value: object, dtype: DType) -> None:
    """Check that a Python number to be written into a fixed dtype is of a kind that it can hold."""
    if _RANKS[_default_dtype(value).kind] > _RANKS[dtype.kind]:
        rule = f"cannot store a number of this kind in {dtype!r}: convert with astype"
        raise DTypeError(what, rule, number=value)


def check_casting(what: str, casting: str) -> None:
    """Check that this is one of NumPy's rules of casting."""
    if not isinstance(casting, str) or casting not in CASTINGS:
        rule = f"casting must be one of {', '.join(CASTINGS)}"
        raise DTypeError(what, rule, casting=casting)


def check_casts(what: str, dtypes: Iterable[DType], to: DType, casting: Any) -> None:
    """Check that one of NumPy's rules of casting lets these dtypes become another."""
    check_casting(what, casting)
    for dtype in dtypes:
        if not np.can_cast(dtype.numpy_name, to.numpy_name, casting):
            rule = f"{casting} casting cannot convert the operands to {to.name}: use astype"
            raise DTypeError(what, rule, operand=dtype)


def _default_dtype(number: object) -> DType:
    if isinstance(number, complex):
        return complex64
    return bool_ if isinstance(number, bool) else int64 if isinstance(number, int) else float32


def _highest(what: str, dtypes: Sequence[DType]) -> DType:
    """The smallest dtype that can hold all dtypes of the highest kind."""
    first = dtypes[0]
    if all(dtype is first for dtype in dtypes):
        return first
    rank = max(_RANKS[dtype.kind] for dtype in dtypes)
    if rank == _RANKS["c"]:
        return complex_dtype(_highest(what, [dtype.part for dtype in dtypes if dtype.kind in "fc"]))
    highest = [dtype for dtype in dtypes if _RANKS[dtype.kind] == rank]
    signed = max([dtype.itemsize for dtype in highest if dtype.kind == "i"], default=0)
    unsigned = max([dtype.itemsize for dtype in highest if dtype.kind == "u"], default=0)
    if not signed:
        return max(highest, key=lambda dtype: dtype.itemsize)
    if unsigned < 8:
        return DTYPES[f"int{8 * max(signed, 2 * unsigned)}"]
    rule = "cannot mix uint64 with signed integers: no dtype holds both; use astype"
    raise DTypeError(what, rule, dtypes=tuple(dtypes))
