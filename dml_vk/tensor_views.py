"""The view methods of a Tensor: other sizes and strides over the same memory, and no launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from dml_vk.errors import LayoutError, explain
from dml_vk.layout import Layout

Dims = int | Sequence[int]


class Viewable(Protocol):
    @property
    def layout(self) -> Layout: ...

    def over(self: Seen, layout: Layout) -> Seen: ...


Seen = TypeVar("Seen", bound=Viewable)


class TensorViews:
    """What each does is `Layout`'s method of the same name: docs/layouts.md."""

    __slots__ = ()

    def permute(self: Seen, *dims: Dims) -> Seen:
        """Dim `i` of the result is dim `dims[i]`."""
        return self.over(self.layout.permute(*dims))

    def transpose(self: Seen, *dims: Dims | None) -> Seen:
        """Two dims swapped; without any, all reversed; in a sequence, or of more, as `permute`."""
        return self.over(self.layout.transpose(*dims))

    def movedim(self: Seen, source: Dims, target: Dims) -> Seen:
        """Dims moved to other places, the rest in order round them."""
        return self.over(self.layout.movedim(source, target))

    def squeeze(self: Seen, dim: int | None = None) -> Seen:
        """Without its size-1 dims, or without that one; a dim of another size stays."""
        return self.over(self.layout.squeeze(dim))

    def unsqueeze(self: Seen, dim: int) -> Seen:
        """With a dim of size 1 more."""
        return self.over(self.layout.unsqueeze(dim))

    def expand(self: Seen, *sizes: Dims) -> Seen:
        """Repeated along size-1 dims and new ones, by stride 0; -1 keeps a size."""
        return self.over(self.layout.expand(*sizes))

    def select(self: Seen, dim: int, index: int) -> Seen:
        """What one index of a dim holds, without that dim."""
        return self.over(self.layout.select(dim, index))

    def narrow(self: Seen, dim: int, start: int, length: int) -> Seen:
        """`length` indexes of a dim from `start` on, all of which must exist."""
        return self.over(self.layout.narrow(dim, start, length))

    def chunk(self: Seen, n: int, dim: int = 0) -> tuple[Seen, ...]:
        """At most `n` pieces of equal size, but for the last."""
        return tuple([self.over(piece) for piece in self.layout.chunk(n, dim)])

    def split(self: Seen, size: Dims, dim: int = 0) -> tuple[Seen, ...]:
        """Pieces of `size` indexes, the last perhaps smaller; or pieces of the sizes listed."""
        return tuple([self.over(piece) for piece in self.layout.split(size, dim)])

    def unfold(self: Seen, dim: int, size: int, step: int) -> Seen:
        """Windows of `size` indexes every `step`, as a last dim."""
        return self.over(self.layout.unfold(dim, size, step))

    def diagonal(self: Seen, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Seen:
        """The elements whose dim2 index is their dim1 index plus `offset`, as a last dim."""
        return self.over(self.layout.diagonal(offset, dim1, dim2))

    def flip(self: Seen, *dims: Dims) -> Seen:
        """The named dims backwards."""
        return self.over(self.layout.flip(*dims))

    def view(self: Seen, *sizes: Dims) -> Seen:
        """Other sizes over the same elements in the same order; `reshape` copies where need be."""
        layout = self.layout.view(*sizes)
        if layout is None:
            must = "sizes must be a view of these strides: reshape copies where it must"
            raise LayoutError(explain("view", must, sizes=sizes, layout=self.layout))
        return self.over(layout)

    @property
    def T(self: Seen) -> Seen:  # noqa: N802
        """A matrix transposed."""
        if self.layout.rank != 2:
            must = "x must have two dims: mT swaps the last two, permute takes any"
            raise LayoutError(explain("T", must, shape=self.layout.sizes))
        return self.over(self.layout.transpose(0, 1))

    @property
    def mT(self: Seen) -> Seen:  # noqa: N802
        """Each matrix of the last two dims transposed."""
        if self.layout.rank < 2:
            raise LayoutError(
                explain("mT", "x must have two dims or more", shape=self.layout.sizes)
            )
        return self.over(self.layout.transpose(-2, -1))
