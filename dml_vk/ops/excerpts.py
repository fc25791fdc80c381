"""Excerpts: tensors that get the elements of a box of a larger array that is never allocated."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.ops.philox import BLOCK_WORDS
from dml_vk.ops.view import View, with_layout
from dml_vk.strides.order import packed_strides, row_major

MOST_WORDS = 2**31  # from the first to the last of a launch: kernels count in 32 bits


class Excerpt(NamedTuple):
    """A box that begins at the index `start` of an array of the sizes `whole`."""

    whole: Ints
    start: Ints

    def with_parts(self) -> Excerpt:
        """The same box of an array whose elements have two parts, one after the other."""
        return Excerpt((*self.whole, 2), (*self.start, 0))

    def pieces(self, target: View, words: int) -> Iterator[tuple[View, int, int]]:
        """Yield (piece of the target, block, element) for each launch; elements take `words` words.

        The first random word of the piece is in this block of the stream, at this element of it.
        """
        steps = packed_strides(self.whole, row_major(len(self.whole)))
        sizes = target.layout.sizes
        index = sum(map(operator.mul, self.start, steps))
        if words * sum([(size - 1) * step for size, step in zip(sizes, steps)]) < MOST_WORDS:
            blocks, word = divmod(index * words, BLOCK_WORDS)
            yield target, blocks, word // words
            return
        dim = next(dim for dim, size in enumerate(sizes) if size > 1)
        half = sizes[dim] // 2
        for first, length in ((0, half), (half, sizes[dim] - half)):
            start = list(self.start)
            start[dim] += first
            piece = with_layout(target, target.layout.narrow(dim, first, length))
            yield from Excerpt(self.whole, tuple(start)).pieces(piece, words)
