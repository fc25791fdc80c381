"""Random draws into tensors of any dtype, complex ones too."""

from __future__ import annotations

import math
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.array.creation.arrays import check_one_shape
from dml_vk.array.math.elementwise import add
from dml_vk.array.random.normals import fill_normal
from dml_vk.dtypes import DType, DTypeLike, complex128, float64, to_dtype
from dml_vk.errors import DTypeError
from dml_vk.layout import Layout
from dml_vk.ops import draws
from dml_vk.ops.draws import Draw, fill_drawn
from dml_vk.ops.excerpts import Excerpt
from dml_vk.ops.parts import as_parts
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import to_number

IN_FLOAT64 = (float64, complex128)  # of two uniform floats each


class NormalDraw(NamedTuple):
    """Normal numbers that no kernel makes: by the draw of their parts, or of uniform floats."""

    words: int
    part: Draw
    mean: complex
    std: float


def normals(what: str, dtype: DType, mean: complex, std: float) -> Draw | NormalDraw:
    """Return the normal draw of a dtype with this mean and standard deviation."""
    if dtype in IN_FLOAT64:
        spread = float(draws.deviation(what, float64, std))
        mean = mean if dtype is complex128 else float(draws.centre(what, float64, mean))
        return NormalDraw(4, draws.words(float64), mean, spread)
    if dtype.kind == "c":
        spread = to_number(what, "std", std) / math.sqrt(2)
        return NormalDraw(2, draws.normal(what, dtype.part, 0.0, spread), mean, spread)
    return draws.normal(what, dtype, mean, std)


def draw_into(
    what: str,
    target: Tensor,
    draw: Draw | NormalDraw,
    state: Ints,
    excerpt: Excerpt | None = None,
) -> Tensor:
    """Fill a tensor, in logical order, with draws from the start of this state's stream.

    If it is an excerpt of a larger array, it gets what that would have there.
    """
    if isinstance(draw, Draw):
        fill_drawn(what, target, draw, state, excerpt)
        return target
    of_parts = None if excerpt is None else excerpt.with_parts()
    if target.dtype in IN_FLOAT64:
        sizes = *target.shape, 2
        uniform = tensor_over(what, Layout(sizes), float64, target.device, target.allocation)
        fill_drawn(what, uniform, draw.part, state, of_parts)
        return fill_normal(target, uniform, draw.mean, draw.std)
    fill_drawn(what, as_parts(target), draw.part, state, of_parts)
    return target if draw.mean == 0 else add(target, draw.mean, out=target)


def dtype_of_draw(
    what: str, shape: object, requested: DTypeLike, allowed: tuple[DType, ...]
) -> DType:
    """Check the dtype of a draw, which must be one of these."""
    check_one_shape(what, shape, requested)
    dtype = to_dtype(what, requested)
    if dtype not in allowed:
        names = ", ".join(kind.name for kind in allowed)
        raise DTypeError(what, f"dtype must be one of {names}", dtype=dtype)
    return dtype
