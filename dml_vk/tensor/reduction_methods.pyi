# Made by `python -m tests.made_files`. There is no such module at run time.
"""What type checkers know of the methods that `methods` makes out of the reductions' table."""

from typing import Any

from dml_vk.arguments import Axes
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor

class ReductionMethods:
    __slots__ = ()

    def all(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.all`."""

    def any(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.any`."""

    def argmax(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.argmax`."""

    def argmin(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.argmin`."""

    def max(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.max`."""

    def min(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.min`."""

    def prod(
        self: Any,
        axis: Axes | None = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """See `dml_vk.prod`."""

    def sum(
        self: Any,
        axis: Axes | None = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """See `dml_vk.sum`."""
