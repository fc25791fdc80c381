"""`x.flat`: the elements in row-major order, along one axis, whatever the layout."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from dml_vk.array.indexing.put import repeated
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.observe.callers import writes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike


class Flat:
    """The elements of a tensor along one axis, to be read, written and iterated over.

    What is read is a copy. Values that are written are repeated as often as needed.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]]).T
    >>> x.flat[1:3].tolist(), [int(one) for one in x.flat]
    ([3, 2], [1, 3, 2, 4])
    >>> x.flat[::2] = 0
    >>> x.tolist()
    [[0, 3], [0, 4]]
    """

    __slots__ = ("base",)
    __array_ufunc__ = None  # Operators work on tensors: x.reshape(-1).

    def __init__(self, base: Tensor) -> None:
        self.base = base

    def copy(self) -> Tensor:
        """The elements as a new tensor."""
        return reshape(self.base, -1, copy=True)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return self.copy().__array__(dtype, copy)

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.copy())

    def __getitem__(self, key: object) -> Tensor:
        selected = reshape(self.base, -1)[key]
        return selected.clone() if selected.allocation is self.base.allocation else selected

    @writes
    def __setitem__(self, key: object, value: ArrayLike) -> None:
        base = self.base
        along = base.layout.view([base.size])
        flat = self.copy() if along is None else base.over(along)
        if isinstance(value, (Tensor, list, tuple, np.ndarray)):
            part = flat[key]
            if not part.size:
                return
            value = repeated("flat", value, base, part.size)
            value = reshape(value, part.shape) if isinstance(value, Tensor) else value
        flat[key] = value
        if along is None:
            base[...] = reshape(flat, base.shape)

    def __repr__(self) -> str:
        return f"<the elements of a tensor of shape {self.base.shape}, along one axis>"
