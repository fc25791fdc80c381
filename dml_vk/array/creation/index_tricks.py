"""NumPy's objects that make tensors of slices: `mgrid[0:5, 0:1:3j]`, `r_[x, 0, 1:4]`."""

from __future__ import annotations

from typing import Any

from dml_vk.array.creation.arrays import asarray, full
from dml_vk.array.creation.grids import arange, linspace, meshgrid
from dml_vk.array.host_operands import upload_array
from dml_vk.array.manipulation.shapes import concat, stack
from dml_vk.array.math.elementwise import astype
from dml_vk.dtypes import float32
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import is_scalar, plain, scalar_dtype

_NUMBERS = (bool, int, float, complex)


class Grid:
    """What makes grids of coordinates: a dim for each slice of the key.

    A slice is as of `arange`, and with an imaginary step, of as many numbers as `linspace`, with
    both ends. If one coordinate is a float, all are float32.

    >>> import dml_vk
    >>> dml_vk.mgrid[0:2, 0:3].tolist()
    [[[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]]]
    >>> dml_vk.mgrid[-1:1:3j].tolist()
    [-1.0, 0.0, 1.0]
    >>> [one.shape for one in dml_vk.ogrid[0:2, 0:3]]
    [(2, 1), (1, 3)]
    """

    def __init__(self, name: str, sparse: bool) -> None:
        self._name, self._sparse = name, sparse

    def __getitem__(self, key: object) -> Any:
        what = self._name
        with ErrorsAs(what):
            if not isinstance(key, tuple):
                return _row(what, key)
            rows = [_row(what, part) for part in key]
            if any(part.dtype.kind == "f" for part in rows):
                rows = [astype(part, float32, copy=False) for part in rows]
            if not rows:
                return () if self._sparse else arange(0)
            grids = meshgrid(*rows, indexing="ij", sparse=self._sparse)
            return grids if self._sparse else stack(grids)

    def __repr__(self) -> str:
        return f"<dml_vk.{self._name}>"


class Joiner:
    """What joins the parts of the key: tensors, numbers, lists, and slices as of `mgrid`.

    A first part such as "1,2" has the axis along which they are joined, the least number of dims,
    and where the own dims of parts with fewer come in those: "0,2,0" puts them first.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2])
    >>> dml_vk.r_[x, 0, 5:8].tolist()
    [1, 2, 0, 5, 6, 7]
    >>> dml_vk.c_[x, x].tolist()
    [[1, 1], [2, 2]]
    """

    def __init__(self, name: str, axis: int, dims: int, position: int) -> None:
        self._name, self._defaults = name, (axis, dims, position)

    def __getitem__(self, key: Any) -> Tensor:
        what = self._name
        parts = list(key) if isinstance(key, tuple) else [key]
        axis, dims, position = self._defaults
        if parts and isinstance(parts[0], str):
            axis, dims, position = self._directive(parts.pop(0))
        if not parts:
            raise LayoutError(what, "there must be at least one part", key=key)
        near = next((part for part in parts if isinstance(part, Tensor)), None)
        with ErrorsAs(what):
            operands = [
                part if type(part) in _NUMBERS else _to_tensor(what, part, near) for part in parts
            ]
            strong = [part for part in operands if isinstance(part, Tensor)]
            weak = [part for part in operands if not isinstance(part, Tensor)]
            kind = common_dtype(what, [part.dtype for part in strong], weak) if strong else None
            device = strong[0].device if strong else None
            whole = [
                part if isinstance(part, Tensor) else full((), part, kind, device=device)
                for part in operands
            ]
            return concat(
                [_with_dims(what, part, max(dims, 1), position) for part in whole], axis=axis
            )

    def _directive(self, directive: str) -> tuple[int, int, int]:
        values = list(self._defaults)
        try:
            words = [int(word) for word in directive.split(",")]
            if not 1 <= len(words) <= len(values):
                raise ValueError
        except ValueError:
            rule = "a text must be of one to three integers, such as '0,2'"
            raise DTypeError(self._name, rule, directive=directive) from None
        values[: len(words)] = words
        return values[0], values[1], values[2]

    def __repr__(self) -> str:
        return f"<dml_vk.{self._name}>"


def _row(what: str, part: object, near: Tensor | None = None) -> Tensor:
    """Return the numbers of a slice."""
    if not isinstance(part, slice):
        raise DTypeError(what, "each part of the key must be a slice", key=type(part).__name__)
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if part.stop is None:
        raise LayoutError(what, "a slice must have an end", key=part)
    device = None if near is None else near.device
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)), device=device)
    return arange(start, part.stop, step, device=device)


def _to_tensor(what: str, part: Any, near: Tensor | None) -> Tensor:
    """Return a part that is no number of Python's as a tensor."""
    if isinstance(part, Tensor):
        return part
    if isinstance(part, slice):
        return _row(what, part, near)
    if is_scalar(part):
        device = None if near is None else near.device
        return full((), plain(part), scalar_dtype(part), device=device)
    return asarray(part) if near is None else upload_array(what, part, near)


def _with_dims(what: str, x: Tensor, dims: int, position: int) -> Tensor:
    """Add dims of size 1, so that x's own begin at `place` among them."""
    missing = dims - x.ndim
    if missing <= 0:
        return x
    first = position + missing + 1 if position < 0 else position
    if not 0 <= first <= missing:
        rule = f"the place of own dims must be from {-missing - 1} to {missing}"
        raise LayoutError(what, rule, place=position)
    return x.view([1] * first + [*x.shape] + [1] * (missing - first))


mgrid = Grid("mgrid", sparse=False)
"""Grids of coordinates, `mgrid[0:2, 0:3]`, in one tensor: its first dim counts the coordinates."""
ogrid = Grid("ogrid", sparse=True)
"""Grids of coordinates, `ogrid[0:2, 0:3]`, each of size 1 along all dims but its own."""
r_ = Joiner("r_", 0, 1, -1)
"""Parts joined along the first dim: `r_[x, 0, 5:8]`."""
c_ = Joiner("c_", -1, 2, 0)
"""Vectors joined as columns, `c_[x, y]`, and matrices along the last dim."""
