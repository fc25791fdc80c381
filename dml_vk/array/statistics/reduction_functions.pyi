# Made by `python -m tests.made_files`. There is no such module at run time.
"""What type checkers know of the functions that `statistics` makes out of the reductions' table."""

from dml_vk.arguments import Axes
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor

def all(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return whether all elements over these axes are true (not 0); NaN is true."""

def any(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return whether any element over these axes is true (not 0); NaN is true."""

def argmax(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the index of the first maximum, or of the first NaN, along an axis, as int64.

    Without an axis it is the index in the flattened tensor.
    """

def argmin(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the index of the first minimum, or of the first NaN, as in `argmax`."""

def count_nonzero(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Count the elements over these axes that are not 0, as int64; NaN is not 0."""

def max(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the maxima over these axes; NaN if any element is NaN. +0 is greater than -0.

    Complex numbers are compared by their real parts, and then by their imaginary parts.
    """

def min(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the minima over these axes; NaN if any element is NaN. -0 is less than +0.

    Complex numbers are compared as by `max`.
    """

def prod(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the products over these axes, or over all, with the dtypes and the order of `sum`."""

def sum(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sums over these axes, or over all.

    Unless `dtype` is given, integers are added as int64 or uint64, bools as int64, and floats in
    their own dtype; float16 is added in float32 and rounded once.
    """
