"""View operations: new sizes, strides, offset and order over the same memory, without copies.

Dims keep their position in the order when they are moved. `unsqueeze` and `expand` document where
they insert new ones. Operations that combine dims (`view`, `flatten`, `unfold`, `diagonal`) derive
a new order from the strides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dml_vk.arguments import Ints, is_one, several, to_dim, to_dims, to_index, to_int, to_ints
from dml_vk.errors import LayoutError, LayoutIndexError
from dml_vk.strides import blocks, reshape
from dml_vk.strides.order import UNBATCHED, packed_strides, read_order, row_major

if TYPE_CHECKING:
    from dml_vk.layout import Layout


MOST_PIECES = 1 << 20


def check_pieces(what: str, count: int) -> None:
    """Limit the number of pieces, which are all created at once."""
    if count > MOST_PIECES:
        rule = f"cannot make more than {MOST_PIECES} pieces"
        raise LayoutError(what, rule, pieces=count)


def one_tuple(args: tuple[Any, ...]) -> Iterable[int]:
    """Normalize variadic arguments, so that `f(0, 1)` and `f((0, 1))` mean the same."""
    values: Iterable[int] = several(args[0]) if len(args) == 1 else args
    return values


class Views:
    """The view operations of a Layout, with PyTorch's names and meanings."""

    __slots__ = ()

    if TYPE_CHECKING:
        # Slots of Layout, declared as properties so that type checkers reject assignments.
        @property
        def sizes(self) -> Ints: ...
        @property
        def strides(self) -> Ints: ...
        @property
        def offset(self) -> int: ...
        @property
        def order(self) -> Ints: ...

        @staticmethod
        def _make(sizes: Ints, strides: Ints, offset: int, order: Ints) -> Layout: ...

    def permute(self, *dims: int | Sequence[int]) -> Layout:
        """Dim `i` of the result is dim `dims[i]` of this layout."""
        return self._permuted(self._each("permute", dims))

    def transpose(self, *dims: Any) -> Layout:
        """Swap two dims. Without arguments, reverse all; else permute, as `permute` does."""
        rank = len(self.sizes)
        if len(dims) != 2:
            if not dims or (len(dims) == 1 and dims[0] is None):
                return self._permuted(row_major(rank)[::-1])
            return self._permuted(self._each("transpose", dims))
        a, b = [to_dim("transpose", dim, rank) for dim in dims]
        sizes, strides = list(self.sizes), list(self.strides)
        sizes[a], sizes[b] = sizes[b], sizes[a]
        strides[a], strides[b] = strides[b], strides[a]
        order = [b if dim == a else a if dim == b else dim for dim in self.order]
        return self._make(tuple(sizes), tuple(strides), self.offset, tuple(order))

    def movedim(self, src: int | Sequence[int], dst: int | Sequence[int]) -> Layout:
        """Move dims to new positions; the others keep their relative order."""
        rank = len(self.sizes)
        if type(src) is int and type(dst) is int:  # the common case
            dims = list(row_major(rank))
            dims.insert(to_dim("movedim", dst, rank), dims.pop(to_dim("movedim", src, rank)))
            return self._permuted(dims)
        sources = to_dims("movedim", several(src), rank)
        targets = to_dims("movedim", several(dst), rank)
        if len(sources) != len(targets):
            raise LayoutError(
                "movedim",
                "the numbers of source and destination dims must be equal",
                src=src,
                dst=dst,
            )
        dims = [dim for dim in range(rank) if dim not in sources]
        for target, moved in sorted(zip(targets, sources)):
            dims.insert(target, moved)
        return self._permuted(dims)

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Layout:
        """Remove all dims of size 1, or those of the given dims that have size 1."""
        sizes = self.sizes
        named: Iterable[int] = range(len(sizes))
        if dim is not None:
            named = to_dims("squeeze", several(dim), len(sizes))
        return self._without([at for at in named if sizes[at] == 1], self.offset)

    def unsqueeze(self, dim: int) -> Layout:
        """Insert a dim of size 1.

        In memory order it comes just outside the dim that was at this position, or innermost if
        there is none. Exception: dim 0 of an unbatched channels_last layout becomes outermost, so
        that `x[0].unsqueeze(0)` is channels_last again.
        """
        rank = len(self.sizes)
        dim = to_dim("unsqueeze", dim, rank + 1)
        order = [at + 1 if at >= dim else at for at in self.order]
        unbatched = dim == 0 and self.order == UNBATCHED.get(rank)
        order.insert(0 if unbatched else order.index(dim + 1) if dim < rank else rank, dim)
        return self._make(
            (*self.sizes[:dim], 1, *self.sizes[dim:]),
            (*self.strides[:dim], 1, *self.strides[dim:]),
            self.offset,
            tuple(order),
        )

    def select(self, dim: int, i: int) -> Layout:
        """Select one index of a dim and remove that dim."""
        dim = to_dim("select", dim, len(self.sizes))
        i = to_index("select", "i", i, self.sizes[dim])
        return self._without((dim,), self.offset + i * self.strides[dim])

    def slice(
        self, dim: int, start: int | None = None, stop: int | None = None, step: int | None = None
    ) -> Layout:
        """Take `start:stop:step` of a dim, clamped as in Python; the step may be negative."""
        dim = to_dim("slice", dim, len(self.sizes))
        try:
            first, end, every = slice(start, stop, step).indices(self.sizes[dim])
        except (TypeError, ValueError):
            raise LayoutError(
                "slice",
                "start, stop and step must be integers or None, and step nonzero",
                start=start,
                stop=stop,
                step=step,
            ) from None
        return self._take(dim, first, max(0, -((first - end) // every)), every)

    def narrow(self, dim: int, start: int, length: int) -> Layout:
        """Take `length` indexes of a dim from `start`, which must all exist."""
        dim = to_dim("narrow", dim, len(self.sizes))
        size = self.sizes[dim]
        first, count = to_int("narrow", "start", start), to_int("narrow", "length", length)
        if first < 0:
            first += size
        if count < 0 or first < 0 or first + count > size:
            raise LayoutIndexError(
                "narrow",
                f"start and length must stay within size {size} of dim {dim}",
                start=start,
                length=length,
            )
        return self._take(dim, first, count)

    def chunk(self, n: int, dim: int = 0) -> tuple[Layout, ...]:
        """Split into at most `n` pieces of equal size, except the last; exactly `n` if empty."""
        dim = to_dim("chunk", dim, len(self.sizes))
        size = self.sizes[dim]
        n = to_int("chunk", "n", n)
        if n < 1 or (size == 0 and n > MOST_PIECES):
            most = "" if size else f" and, of an empty dim, at most {MOST_PIECES}"
            raise LayoutError("chunk", f"n must be at least 1{most}", n=n)
        return self.split(-(-size // n), dim) if size else self.split(0, dim) * n

    def split(self, size: int | Sequence[int], dim: int = 0) -> tuple[Layout, ...]:
        """Split into pieces of `size` indexes, the last perhaps smaller, or of the sizes listed."""
        dim = to_dim("split", dim, len(self.sizes))
        total = self.sizes[dim]
        counts = to_ints("split", "size", several(size))
        if is_one(size):
            each, least = counts[0], min(1, total)
            if each < least:
                raise LayoutError("split", f"size must be at least {least}", size=size)
            check_pieces("split", -(-total // (each or 1)))
            starts: Iterable[int] = range(0, total or 1, each or 1)
            return tuple([self._take(dim, at, min(each, total - at)) for at in starts])
        if min(counts, default=0) < 0 or sum(counts) != total:
            raise LayoutError("split", f"sizes must add up to {total}", size=size)
        starts = accumulate(counts, initial=0)
        return tuple([self._take(dim, at, count) for at, count in zip(starts, counts)])

    def expand(self, *sizes: int | Sequence[int]) -> Layout:
        """Broadcast: repeat size-1 dims and add outer dims by stride 0; -1 keeps a size."""
        target = to_ints("expand", "sizes", one_tuple(sizes))
        own, lead = self.sizes, len(target) - len(self.sizes)
        if lead < 0:
            raise LayoutError("expand", f"sizes must have at least {len(own)} dims", sizes=target)
        full = list(target)
        strides = [0] * lead + list(self.strides)
        for dim, (want, size) in enumerate(zip(target, (-1,) * lead + own)):
            if want == -1 and dim >= lead:
                full[dim] = size
            elif want < 0 or (dim >= lead and want != size != 1):
                raise LayoutError("expand", f"cannot broadcast from {own}", sizes=target)
            elif want != size:
                strides[dim] = 0
        order = row_major(lead) + tuple([dim + lead for dim in self.order])
        return self._make(tuple(full), tuple(strides), self.offset, order)

    def unfold(self, dim: int, size: int, step: int) -> Layout:
        """Sliding windows of `size` indexes every `step`; a new last dim runs inside a window."""
        dim = to_dim("unfold", dim, len(self.sizes))
        size, step = to_int("unfold", "size", size), to_int("unfold", "step", step)
        if not 0 <= size <= self.sizes[dim] or step < 1:
            raise LayoutError(
                "unfold",
                f"size must be from 0 to {self.sizes[dim]}, and step at least 1",
                size=size,
                step=step,
            )
        sizes, strides = list(self.sizes), list(self.strides)
        sizes[dim] = (sizes[dim] - size) // step + 1
        strides[dim] *= step
        return self._read((*sizes, size), (*strides, self.strides[dim]), self.offset)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Layout:
        """Take the elements whose dim2 index is their dim1 index plus `offset`, as a last dim."""
        a, b = to_dims("diagonal", (dim1, dim2), len(self.sizes))
        k = to_int("diagonal", "offset", offset)
        sizes, strides = self.sizes, self.strides
        length = max(0, min(sizes[a] - max(0, -k), sizes[b] - max(0, k)))
        start = max(0, k) * strides[b] + max(0, -k) * strides[a] if length else 0
        a, b = min(a, b), max(a, b)
        return self._read(
            (*sizes[:a], *sizes[a + 1 : b], *sizes[b + 1 :], length),
            (*strides[:a], *strides[a + 1 : b], *strides[b + 1 :], strides[a] + strides[b]),
            self.offset + start,
        )

    def flip(self, *dims: int | Sequence[int]) -> Layout:
        """Reverse the given dims by negating their strides."""
        sizes, strides, offset = self.sizes, list(self.strides), self.offset
        for dim in to_dims("flip", one_tuple(dims), len(sizes)):
            offset += max(0, sizes[dim] - 1) * strides[dim]
            strides[dim] = -strides[dim]
        return self._make(sizes, tuple(strides), offset, self.order)

    def view(self, *sizes: int | Sequence[int]) -> Layout | None:
        """Reshape; None where that needs a copy."""
        new = to_ints("view", "sizes", one_tuple(sizes))
        if new != self.sizes:
            new, strides, order = reshape.view(self.sizes, self.strides, new)
            if new != self.sizes:
                return None if strides is None else self._make(new, strides, self.offset, order)
        return self._make(new, self.strides, self.offset, self.order)

    def flatten(self, a: int = 0, b: int = -1) -> Layout | None:
        """Merge the dims from `a` to `b` inclusive; None where that needs a copy."""
        sizes, rank = self.sizes, max(1, len(self.sizes))  # rank 0 flattens to one dim
        first, last = to_dim("flatten", a, rank), to_dim("flatten", b, rank)
        if first > last:
            raise LayoutError("flatten", "a must not come after b", a=a, b=b)
        merged = math.prod(sizes[first : last + 1])
        return self.view((*sizes[:first], merged, *sizes[last + 1 :]))

    def block(self, name: str) -> Layout:
        """The blocked view of this plain layout: `block("nChw16c")` splits C into blocks of 16.

        post: plain.offset_of((n, c, h, w)) == blocked.offset_of((n, c // 16, h, w, c % 16))
        """
        blocking = blocks.parse_blocks("block", name)
        sizes, strides, order = blocks.cut(self.sizes, self.strides, self.order, blocking)
        return self._make(sizes, strides, self.offset, order)

    def unblock(self, name: str) -> tuple[Layout, bool]:
        """(the plain layout of a blocked view, whether the data must be copied into it).

        This is the inverse of `block`. Where no strides describe the same addresses, the plain
        layout is packed in the order without the blocks: NCHW for "nChw16c".
        """
        blocking = blocks.parse_blocks("unblock", name)
        counts = tuple([count for _, count in blocking.blocks])
        if len(self.sizes) != blocking.rank + len(counts) or self.sizes[blocking.rank :] != counts:
            raise LayoutError(
                "unblock", f"sizes must end in the blocks of {name!r}", sizes=self.sizes
            )
        plain, same = blocks.join(self.sizes, self.strides, self.order, blocking)
        sizes, strides, order = plain
        if same:
            return self._make(sizes, strides, self.offset, order), False
        return self._make(sizes, packed_strides(sizes, order), 0, order), 0 not in sizes

    def _each(self, what: str, dims: tuple[int | Sequence[int], ...]) -> Ints:
        """Check that the dims are a permutation."""
        moved = to_dims(what, one_tuple(dims), len(self.sizes))
        if len(moved) != len(self.sizes):
            rule = f"each of the {len(self.sizes)} dims must be listed once"
            raise LayoutError(what, rule, dims=moved)
        return moved

    def _take(self, dim: int, start: int, count: int, step: int = 1) -> Layout:
        """Take evenly spaced indexes of one dim."""
        sizes, strides, stride = list(self.sizes), list(self.strides), self.strides[dim]
        sizes[dim] = count
        strides[dim] = stride * step
        offset = self.offset + start * stride
        return self._make(tuple(sizes), tuple(strides), offset, self.order)

    def _permuted(self, dims: Sequence[int]) -> Layout:
        sizes, strides = self.sizes, self.strides
        return self._make(
            tuple([sizes[dim] for dim in dims]),
            tuple([strides[dim] for dim in dims]),
            self.offset,
            tuple([dims.index(dim) for dim in self.order]),
        )

    def _without(self, dims: Iterable[int], offset: int) -> Layout:
        """Remove dims, and renumber the others in the order."""
        sizes, strides, order = self.sizes, self.strides, self.order
        for dim in sorted(dims, reverse=True):
            sizes = sizes[:dim] + sizes[dim + 1 :]
            strides = strides[:dim] + strides[dim + 1 :]
            order = tuple([at - 1 if at > dim else at for at in order if at != dim])
        return self._make(sizes, strides, offset, order)

    def _read(self, sizes: Ints, strides: Ints, offset: int) -> Layout:
        """Make a layout whose order is derived from its strides."""
        return self._make(sizes, strides, offset, read_order(sizes, strides))
