"""The view methods of a Tensor: other sizes and strides over the same memory."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.tensor.spec import Spec

Dims = int | Sequence[int]


class Viewable(Protocol):
    @property
    def layout(self) -> Layout: ...

    @property
    def spec(self) -> Spec | None: ...

    @property
    def _spec(self) -> Spec | None: ...

    @property
    def _allocation(self) -> MemoryRange: ...

    def _over(self: Seen, layout: Layout) -> Seen: ...

    def _over_memory(self: Seen, allocation: MemoryRange, spec: Spec) -> Seen: ...

    def _view_by(self: Seen, key: Hashable) -> Seen | None: ...

    def _keep_view(self: Seen, key: Hashable, layout: Layout) -> Seen: ...


Seen = TypeVar("Seen", bound=Viewable)


class TensorViews:
    """Methods that apply the `Layout` method of the same name: docs/layouts.md."""

    __slots__ = ()

    def _view_by(self: Seen, key: Hashable) -> Seen | None:
        """The view that a key selects, if it did so of a tensor alike: see `Spec.views`."""
        spec = self._spec or self.spec
        view = None if spec is None else spec.views.get(key)
        return None if view is None else self._over_memory(self._allocation, view)

    def _keep_view(self: Seen, key: Hashable, layout: Layout) -> Seen:
        """Return the view with this layout, which `_view_by` is to return next time."""
        spec = self.spec
        view = None if spec is None else spec.keep(key, layout)
        return self._over(layout) if view is None else self._over_memory(self._allocation, view)

    def permute(self: Seen, *dims: Dims) -> Seen:
        """Reorder dims: dim `i` of the result is dim `dims[i]`."""
        return self._over(self.layout.permute(*dims))

    def transpose(self: Seen, *dims: Dims | None) -> Seen:
        """Swap two dims; without arguments, reverse all; with a sequence, `permute`."""
        return self._over(self.layout.transpose(*dims))

    def movedim(self: Seen, source: Dims, target: Dims) -> Seen:
        """Move dims to other positions; the others keep their order."""
        return self._over(self.layout.movedim(source, target))

    def squeeze(self: Seen, dim: int | None = None) -> Seen:
        """Remove all dims of size 1, or a given one; a dim of another size stays."""
        return self._over(self.layout.squeeze(dim))

    def unsqueeze(self: Seen, dim: int) -> Seen:
        """Insert a dim of size 1."""
        return self._over(self.layout.unsqueeze(dim))

    def expand(self: Seen, *sizes: Dims) -> Seen:
        """Broadcast size-1 dims and new ones, with stride 0; -1 keeps a size."""
        return self._over(self.layout.expand(*sizes))

    def select(self: Seen, dim: int, index: int) -> Seen:
        """Select one index of a dim, and remove the dim."""
        return self._over(self.layout.select(dim, index))

    def narrow(self: Seen, dim: int, start: int, length: int) -> Seen:
        """Select `length` indexes of a dim from `start` on, all of which must exist."""
        return self._over(self.layout.narrow(dim, start, length))

    def chunk(self: Seen, n: int, dim: int = 0) -> tuple[Seen, ...]:
        """Split into at most `n` pieces of equal size, except for the last."""
        return tuple([self._over(piece) for piece in self.layout.chunk(n, dim)])

    def split(self: Seen, size: Dims, dim: int = 0) -> tuple[Seen, ...]:
        """Split into pieces of `size` indexes, the last perhaps smaller, or of the listed sizes."""
        return tuple([self._over(piece) for piece in self.layout.split(size, dim)])

    def unfold(self: Seen, dim: int, size: int, step: int) -> Seen:
        """Return windows of `size` indexes, one every `step`, as a new last dim."""
        return self._over(self.layout.unfold(dim, size, step))

    def diagonal(self: Seen, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Seen:
        """Return the elements with index i in dim1 and i + `offset` in dim2, as a last dim."""
        return self._over(self.layout.diagonal(offset, dim1, dim2))

    def flip(self: Seen, *dims: Dims) -> Seen:
        """Reverse the given dims."""
        return self._over(self.layout.flip(*dims))

    def view(self: Seen, *sizes: Dims) -> Seen:
        """View the same elements in the same order with other sizes; `reshape` copies if needed."""
        layout = self.layout.view(*sizes)
        if layout is None:
            rule = "cannot view without a copy; use reshape"
            raise LayoutError("view", rule, sizes=sizes, layout=self.layout)
        return self._over(layout)

    @property
    def T(self: Seen) -> Seen:  # noqa: N802
        """The transposed matrix."""
        view = self._view_by("T")
        if view is not None:
            return view
        if self.layout.rank != 2:
            rule = "x must be 2-D: use mT to swap the last two dims, or permute"
            raise LayoutError("T", rule, shape=self.layout.sizes)
        return self._keep_view("T", self.layout.transpose(0, 1))

    @property
    def mT(self: Seen) -> Seen:  # noqa: N802
        """The last two dims swapped: each matrix transposed."""
        if self.layout.rank < 2:
            raise LayoutError("mT", "x must have at least two dims", shape=self.layout.sizes)
        return self._over(self.layout.transpose(-2, -1))
