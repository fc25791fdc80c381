# Made by `python -m tests.made_files`. There is no such module at run time.
"""What type checkers know of the methods that `methods` makes out of the reductions' table."""

# mypy: disable-error-code="misc"
# What is called `self` is a Tensor.
from dml_vk.arguments import Axes
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor

class ReductionMethods:
    __slots__ = ()

    def all(self: Tensor, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.all`."""

    def any(self: Tensor, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.any`."""

    def argmax(self: Tensor, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.argmax`."""

    def argmin(self: Tensor, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.argmin`."""

    def max(self: Tensor, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.max`."""

    def min(self: Tensor, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.min`."""

    def prod(
        self: Tensor,
        axis: Axes | None = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """See `dml_vk.prod`."""

    def sum(
        self: Tensor,
        axis: Axes | None = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """See `dml_vk.sum`."""
