"""NumPy's objects that make tensors of slices: `mgrid[0:5, 0:1:3j]`, `r_[x, 0, 1:4]`."""

from __future__ import annotations

from typing import Any

from dml_vk.array.creation import asarray, full
from dml_vk.array.elementwise import astype
from dml_vk.array.grids import arange, linspace, meshgrid
from dml_vk.array.host_operands import beside_tensor
from dml_vk.array.manipulation import concat, stack
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

    def __getitem__(self, key: Any) -> Any:
        what = self._name
        with ErrorsAs(what):
            if not isinstance(key, tuple):
                return _row(what, key)
            rows = [_row(what, one) for one in key]
            if any(one.dtype.kind == "f" for one in rows):
                rows = [astype(one, float32, copy=False) for one in rows]
            if not rows:
                return () if self._sparse else arange(0)
            found = meshgrid(*rows, indexing="ij", sparse=self._sparse)
            return found if self._sparse else stack(found)

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

    def __init__(self, name: str, axis: int, dims: int, place: int) -> None:
        self._name, self._defaults = name, (axis, dims, place)

    def __getitem__(self, key: Any) -> Tensor:
        what = self._name
        parts = list(key) if isinstance(key, tuple) else [key]
        axis, dims, place = self._defaults
        if parts and isinstance(parts[0], str):
            axis, dims, place = self._directive(parts.pop(0))
        if not parts:
            raise LayoutError(what, "there must be at least one part", key=key)
        near = next((one for one in parts if isinstance(one, Tensor)), None)
        with ErrorsAs(what):
            made = [one if type(one) in _NUMBERS else _made(what, one, near) for one in parts]
            strong = [one for one in made if isinstance(one, Tensor)]
            weak = [one for one in made if not isinstance(one, Tensor)]
            kind = common_dtype(what, [one.dtype for one in strong], weak) if strong else None
            device = strong[0].device if strong else None
            whole = [
                one if isinstance(one, Tensor) else full((), one, kind, device=device)
                for one in made
            ]
            return concat([_with_dims(what, one, max(dims, 1), place) for one in whole], axis=axis)

    def _directive(self, given: str) -> tuple[int, int, int]:
        found = list(self._defaults)
        try:
            words = [int(one) for one in given.split(",")]
            if not 1 <= len(words) <= len(found):
                raise ValueError
        except ValueError:
            rule = "a text must be of one to three integers, such as '0,2'"
            raise DTypeError(self._name, rule, directive=given) from None
        found[: len(words)] = words
        return found[0], found[1], found[2]

    def __repr__(self) -> str:
        return f"<dml_vk.{self._name}>"


def _row(what: str, given: Any, near: Tensor | None = None) -> Tensor:
    """Return the numbers of a slice."""
    if not isinstance(given, slice):
        raise DTypeError(what, "each part of the key must be a slice", key=type(given).__name__)
    start = 0 if given.start is None else given.start
    step = 1 if given.step is None else given.step
    if given.stop is None:
        raise LayoutError(what, "a slice must have an end", key=given)
    device = None if near is None else near.device
    if isinstance(step, complex):
        return linspace(start, given.stop, int(abs(step)), device=device)
    return arange(start, given.stop, step, device=device)


def _made(what: str, given: Any, near: Tensor | None) -> Tensor:
    """Return a part that is no number of Python's as a tensor."""
    if isinstance(given, Tensor):
        return given
    if isinstance(given, slice):
        return _row(what, given, near)
    if is_scalar(given):
        device = None if near is None else near.device
        return full((), plain(given), scalar_dtype(given), device=device)
    return asarray(given) if near is None else beside_tensor(what, given, near)


def _with_dims(what: str, x: Tensor, dims: int, place: int) -> Tensor:
    """Add dims of size 1, so that x's own begin at `place` among them."""
    missing = dims - x.ndim
    if missing <= 0:
        return x
    first = place + missing + 1 if place < 0 else place
    if not 0 <= first <= missing:
        rule = f"the place of own dims must be from {-missing - 1} to {missing}"
        raise LayoutError(what, rule, place=place)
    return x.view([1] * first + [*x.shape] + [1] * (missing - first))


mgrid = Grid("mgrid", sparse=False)
"""Grids of coordinates, `mgrid[0:2, 0:3]`, in one tensor: its first dim counts the coordinates."""
ogrid = Grid("ogrid", sparse=True)
"""Grids of coordinates, `ogrid[0:2, 0:3]`, each of size 1 along all dims but its own."""
r_ = Joiner("r_", 0, 1, -1)
"""Parts joined along the first dim: `r_[x, 0, 5:8]`."""
c_ = Joiner("c_", -1, 2, 0)
"""Vectors joined as columns, `c_[x, y]`, and matrices along the last dim."""
