"""What functions that draw random numbers have in common."""

from __future__ import annotations

from typing import Any

from dml_vk.array.creation import check_one_shape
from dml_vk.dtypes import DType, to_dtype
from dml_vk.errors import DTypeError


def dtype_of_draw(what: str, shape: Any, given: Any, allowed: tuple[DType, ...]) -> DType:
    """Check the dtype of a draw, which must be one of these."""
    check_one_shape(what, shape, given)
    dtype = to_dtype(what, given)
    if dtype not in allowed:
        names = ", ".join(kind.name for kind in allowed)
        raise DTypeError(what, f"dtype must be one of {names}", dtype=dtype)
    return dtype
