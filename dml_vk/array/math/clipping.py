"""Limits of elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.array.calls import call, whole
from dml_vk.array.host_operands import number_as_tensor, upload_operands
from dml_vk.array.math.elementwise import astype, maximum, minimum
from dml_vk.array.math.operations import common_of, computed, target_of
from dml_vk.array.statistics.complex_extremes import limited
from dml_vk.dtypes import DType, bool_
from dml_vk.kernels.operators import OPERATORS
from dml_vk.ops.elementwise import converted
from dml_vk.ops.numbers import scalar_words
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, plain, to_tensor, to_tensors


def clip(
    x: Tensor,
    /,
    min: Operand | None = None,
    max: Operand | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Limit elements to at least `min`, and then to at most `max`.

    Complex numbers are compared by their real parts, and those that are equal by their imaginary
    ones.

    >>> import dml_vk
    >>> dml_vk.clip(dml_vk.asarray([-5, 5, 50]), 0, 9).tolist()
    [0, 5, 9]
    """
    x, min, max = upload_operands("clip", x, min, max)
    bounds = [bound for bound in (min, max) if bound is not None]
    tensors = to_tensors("clip", (x, *bounds))
    x = to_tensor("clip", "x", x)
    kinds = [x.dtype.kind] if len(tensors) == 1 else [tensor.dtype.kind for tensor in tensors]
    if "c" in kinds or isinstance(min, complex) or isinstance(max, complex):
        return _clip_complex(tensors, x, min, max, out)
    bools = x.dtype is bool_ and all(map(_is_bool, bounds))
    common = common_of("clip", OPERATORS["maximum" if bools else "clip"], (x, *bounds))
    if common is not x.dtype:
        out = target_of("clip", tensors, common, out)
        x = Tensor(converted("clip", x, common))
    if bools and not bounds:
        return astype(x, x.dtype, out=out)
    if len(tensors) > 1 or bools:
        result: Tensor = whole(_between, (x, min, max), out)
        return result
    params = _bound_words(common, "min", min) + _bound_words(common, "max", max)
    return call(computed, (x,), out, OPERATORS["clip"], params)


def _between(operands: Sequence[Operand], out: Tensor | None = None, /) -> Tensor:
    x, least, most = operands
    if least is not None:
        x = maximum(x, least, out=out if most is None else None)
    return x if most is None else minimum(x, most, out=out)


def _clip_complex(
    tensors: list[Tensor], x: Tensor, min: Operand | None, max: Operand | None, out: Tensor | None
) -> Tensor:
    numbers = [
        number for number in (min, max) if number is not None and not isinstance(number, Tensor)
    ]
    common = common_dtype("clip", [tensor.dtype for tensor in tensors], numbers)
    result = astype(x, common, copy=False)
    for bound, below in ((min, True), (max, False)):
        if bound is not None:
            whole = bound if isinstance(bound, Tensor) else number_as_tensor("clip", bound, result)
            result = limited(result, astype(whole, common, copy=False), below)
    return astype(result, common, out=out)


def _is_bool(bound: Operand) -> bool:
    return bound.dtype is bool_ if isinstance(bound, Tensor) else type(plain(bound)) is bool


def _bound_words(dtype: DType, name: str, bound: Operand | None) -> Ints:
    """Return the words of a bound; one that is omitted or out of range becomes the limit."""
    limit: float = np.inf if name == "max" else -np.inf
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.numpy_name)
        limit = limits.max if name == "max" else limits.min
    number = limit if bound is None else plain(bound)
    if number > limit if name == "max" else number < limit:
        number = limit
    return scalar_words("clip", name, dtype, number)
