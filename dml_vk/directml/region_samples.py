"""What samples of regions send back to an image, and to the corners of the regions.

Samples along both dims are independent of each other: what an element of a region reads is a sum
over rows of one matrix, of sums over columns of another. Largest samples are searched one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.array.creation.arrays import zeros
from dml_vk.array.creation.grids import arange
from dml_vk.array.indexing.take import take_known
from dml_vk.array.manipulation.shapes import concat, permute_dims, reshape, stack
from dml_vk.array.math.clipping import clip
from dml_vk.array.math.elementwise import astype, isnan, maximum, minimum, where
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import float32, int32, int64
from dml_vk.gradients.rules.sorted_sums import sums_at
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor

MOST_ELEMENTS = 2**24  # that are computed at once, of several regions or samples


class Places(NamedTuple):
    """Samples along a dim: the elements on both sides, and how much the upper one counts."""

    low: Tensor
    high: Tensor
    share: Tensor
    is_there: Tensor
    part: Tensor  # of the way from the first corner to the last


class Samples(NamedTuple):
    """The samples of all regions along a dim."""

    columns: Sequence[Tensor]  # the start, the step, and the samples of an element
    elements: int  # of a region
    size: int  # of the image
    input_offset: float
    output_offset: float
    most: int
    is_nearest: bool
    is_aligned: bool

    def places(self, index: Tensor) -> Places:
        """Return where samples are, by a tensor whose first dim is that of regions."""
        start, step, number = [reshape(x, (-1, *(1,) * (index.ndim - 1))) for x in self.columns]
        steps = number * self.elements
        if self.is_aligned:
            steps = maximum(steps - 1, 1)
        shifted = astype(index, float32) - self.output_offset
        at = shifted * step + start - self.input_offset
        is_there = (at >= -1) & (at <= self.size)
        at = clip(where(is_there, at, 0.0), 0, self.size - 1)
        low = minimum(astype(at + 0.5 if self.is_nearest else at, int32), self.size - 1)
        share = at - astype(low, float32)
        if self.is_nearest:
            share = share * 0.0
        high = minimum(low + 1, self.size - 1)
        return Places(low, high, share, is_there, shifted / astype(steps, float32))

    @property
    def number(self) -> Tensor:
        return self.columns[2]

    def indexes(self, numbers: Tensor) -> Tensor:
        """Return the indexes of such samples of each element: (regions, elements, numbers)."""
        regions = self.number.shape[0]
        every = arange(self.elements, dtype=int32, device=numbers.device)
        firsts = every * reshape(self.number, (regions, 1))
        return reshape(firsts, (regions, self.elements, 1)) + numbers

    def exist(self, numbers: Tensor) -> Tensor:
        """Return whether an element has such samples, as (regions, 1, numbers)."""
        return numbers < reshape(self.number, (self.number.shape[0], 1, 1))

    def matrices(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return what an element of a region reads of each element of the image, and its slopes.

        These are (regions, elements, size): averages of samples, and how they vary with the first
        and the last corner.
        """
        regions, device = self.number.shape[0], self.number.device
        every = arange(self.size, dtype=int32, device=device)
        shape = (regions, self.elements, self.size)
        total = first = last = zeros(shape, float32, device=device)
        for numbers in _parts(self.most, math.prod(shape), device):
            low, high, share, is_there, part = [
                reshape(x, (*x.shape, 1)) for x in self.places(self.indexes(numbers))
            ]
            counts = is_there & reshape(self.exist(numbers), (regions, 1, -1, 1))
            is_low, is_high = (low == every) & counts, (high == every) & counts & (share != 0)
            reads = where(is_low, 1 - share, 0.0) + where(is_high, share, 0.0)
            slope = where(is_high, 1.0, 0.0) - where(is_low & (share != 0), 1.0, 0.0)
            total = total + reductions.sum(reads, axis=2)
            first, last = (
                first + reductions.sum(slope * (1 - part), axis=2),
                last + reductions.sum(slope * part, axis=2),
            )
        count = reshape(astype(self.number, float32), (regions, 1, 1))
        return total / count, first / count, last / count


def _parts(count: int, size: int, device: Device) -> Iterator[Tensor]:
    """Return the numbers of samples in parts, where each has so many elements."""
    each = max(1, MOST_ELEMENTS // size)
    for start in range(0, count, each):
        yield arange(start, min(count, start + each), dtype=int32, device=device)


def images_of(batch: Tensor, count: int) -> Tensor:
    """Return which image each region is of."""
    return astype(clip(reshape(batch, (-1,)), 0, count - 1), int64)


class Sent(NamedTuple):
    """Gradients of regions on their way back to the image x, which the samples of regions read."""

    x: Tensor | None  # None where only its gradient is needed, of averages
    gradient: Tensor  # of the elements of all regions
    image: Tensor  # which one each region is of
    sizes: Ints  # of x
    down: Samples
    across: Samples


class Averages(Sent):
    """The gradients of averages of samples."""

    def to_image(self) -> Tensor:
        """Add columns, then rows of all regions of each image."""
        images, channels, height, width = self.sizes
        regions, _, rows, _ = self.gradient.shape
        down, across = self.down.matrices()[0], self.across.matrices()[0]
        spread = matmul(self.gradient, reshape(across, (regions, 1, -1, width)))
        spread = reshape(permute_dims(spread, (0, 2, 1, 3)), (regions * rows, channels * width))
        every = arange(images, dtype=int64, device=self.image.device)
        is_own = reshape(every, (-1, 1, 1, 1)) == reshape(self.image, (1, 1, -1, 1))
        factors = where(is_own, permute_dims(down, (2, 0, 1)), 0.0)
        total = matmul(reshape(factors, (images * height, regions * rows)), spread)
        total = reshape(total, (images, height, channels, width))
        return permute_dims(total, (0, 2, 1, 3))

    def to_corners(self, scale_x: float, scale_y: float) -> Tensor:
        assert self.x is not None  # since the operator needs it for corners
        regions = self.gradient.shape[0]
        each = max(1, MOST_ELEMENTS * self.sizes[0] // self.x.size)
        (down, top, bottom), (across, left, right) = [
            [reshape(x, (regions, 1, *x.shape[1:])) for x in samples.matrices()]
            for samples in (self.down, self.across)
        ]
        parts = []
        for start in range(0, regions, each):
            part = slice(start, start + each)
            planes = take_known("RoiAlignGrad", self.x, self.image[part], 0)
            rows = matmul(down[part], planes)
            slopes = [
                matmul(rows, left[part].mT) * scale_x,
                matmul(matmul(top[part], planes), across[part].mT) * scale_y,
                matmul(rows, right[part].mT) * scale_x,
                matmul(matmul(bottom[part], planes), across[part].mT) * scale_y,
            ]
            parts.append(_summed(self.gradient[part], slopes))
        return concat(parts, axis=0)


class Maxima(Sent):
    """The gradients of the first largest samples."""

    def to_image(self) -> Tensor:
        total = math.prod(self.sizes)
        down, across = self._largest()
        indexes, terms = [], []
        for rows, row_factors in _sides(down):
            for columns, column_factors in _sides(across):
                factors = row_factors * column_factors
                counts = down.is_there & across.is_there & (factors != 0)
                index = where(counts, self._index(rows, columns), total)
                indexes.append(reshape(index, (-1,)))
                terms.append(reshape(where(counts, self.gradient * factors, 0.0), (-1,)))
        sums = sums_at(concat(indexes, axis=0), concat(terms, axis=0), total + 1)
        return reshape(sums[:total], self.sizes)

    def to_corners(self, scale_x: float, scale_y: float) -> Tensor:
        down, across = self._largest()
        is_there = down.is_there & across.is_there
        upper, lower = [
            [self._read(rows, columns) for columns in (across.low, across.high)]
            for rows in (down.low, down.high)
        ]
        along = _mixed(upper[1] - upper[0], lower[1] - lower[0], down.share)
        below = _mixed(lower[0] - upper[0], lower[1] - upper[1], across.share)
        along = where(is_there & (across.share != 0), along * scale_x, 0.0)
        below = where(is_there & (down.share != 0), below * scale_y, 0.0)
        slopes = [
            *(along * (1 - across.part), below * (1 - down.part)),
            *(along * across.part, below * down.part),
        ]
        return _summed(self.gradient, slopes)

    def _largest(self) -> tuple[Places, Places]:
        """Return where the first largest sample of each element is; NaN is the largest."""
        regions, _, rows, columns = shape = self.gradient.shape
        most = self.across.most
        best = None
        for numbers in _parts(self.down.most * most, math.prod(shape), self.gradient.device):
            down, across = numbers // most, numbers % most
            value = self._sampled(
                self.down.places(reshape(self.down.indexes(down), (regions, 1, rows, 1, -1))),
                self.across.places(
                    reshape(self.across.indexes(across), (regions, 1, 1, columns, -1))
                ),
            )
            exists = self.down.exist(down) & self.across.exist(across)
            value = where(reshape(exists, (regions, 1, 1, 1, -1)), value, -math.inf)
            part = (
                reductions.max(value, axis=-1),
                astype(reductions.argmax(value, axis=-1), int32) + numbers[0],
            )
            if best is None:
                best = part
                continue
            is_larger = (part[0] > best[0]) | (isnan(part[0]) & ~isnan(best[0]))
            best = where(is_larger, part[0], best[0]), where(is_larger, part[1], best[1])
        assert best is not None  # since an element has at least one sample
        down, across = best[1] // most, best[1] % most
        every = arange(rows, dtype=int32, device=down.device)
        down = reshape(every, (rows, 1)) * reshape(self.down.number, (regions, 1, 1, 1)) + down
        every = arange(columns, dtype=int32, device=down.device)
        across = every * reshape(self.across.number, (regions, 1, 1, 1)) + across
        return self.down.places(down), self.across.places(across)

    def _sampled(self, down: Places, across: Places) -> Tensor:
        upper, lower = [
            _mixed(self._read(rows, across.low), self._read(rows, across.high), across.share)
            for rows in (down.low, down.high)
        ]
        return where(down.is_there & across.is_there, _mixed(upper, lower, down.share), 0.0)

    def _read(self, rows: Tensor, columns: Tensor) -> Tensor:
        assert self.x is not None  # since the operator needs it for maxima
        return take_known("RoiAlignGrad", reshape(self.x, (-1,)), self._index(rows, columns), 0)

    def _index(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Return the index in the flattened image of elements of regions."""
        _, channels, height, width = self.sizes
        others = (1,) * (rows.ndim - 2)
        channel = reshape(arange(channels, dtype=int64, device=self.image.device), (-1, *others))
        planes = reshape(self.image, (-1, 1, *others)) * channels + channel
        return (planes * height + rows) * width + columns


def _sides(places: Places) -> list[tuple[Tensor, Tensor]]:
    """Return the elements on both sides of samples, and how much they count."""
    return [(places.low, 1 - places.share), (places.high, places.share)]


def _mixed(first: Tensor, second: Tensor, share: Tensor) -> Tensor:
    """Return what is between two elements; one that has no share may be infinite."""
    return where(share == 0, first, (1 - share) * first + share * second)


def _summed(gradient: Tensor, slopes: list[Tensor]) -> Tensor:
    """Return the gradient for each corner, from slopes of elements, as (regions, 4)."""
    return stack([reductions.sum(gradient * slope, axis=(1, 2, 3)) for slope in slopes], axis=1)
