"""Regions of images: maxima over boxes of elements, and sums and maxima of samples between them.

`dml_vk.testing.regions` is a NumPy model of both.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.dtypes import float32
from dml_vk.kernels.plan.roi import plan_boxes, plan_samples, tiles
from dml_vk.layout import Layout
from dml_vk.ops.numbers import float_words
from dml_vk.ops.view import View, access, temporary


def box_maxima(what: str, image: View, table: View, sizes: Ints) -> View:
    """Return the maximum of each box of a float32 image, of the dims N, C, H and W.

    The result has the sizes (regions, channels, rows, columns), packed. The table has a row of
    uint32 for each region: its image, the first row and the end of each row of boxes, and likewise
    of each column. NaN is the largest; a box without elements has 0.
    """
    maxima = temporary(what, Layout(sizes), float32, image)
    layout, device = image.layout, image.device
    for number, tile in enumerate(tiles(*layout.sizes[2:])):
        plan = plan_boxes(sizes, layout.strides, tile, number > 0, device.profile)
        device.launch(plan, (access(image, False), access(table, False), access(maxima, True)))
    return maxima


def sample_sums(
    what: str,
    image: View,
    table: View,
    sizes: Ints,
    offsets: tuple[float, float],
    outside: float,
    samples: int,
    *,
    largest: bool,
    nearest: bool,
) -> View:
    """Return the sum, or the largest, of the samples of each element, of a float32 image.

    The table has a row for each region: its image; for columns the start and the step, as bits of
    float32, and how many samples an element has, at most `samples`; and likewise for rows. Sample
    number s of a region lies at (s - offsets[0]) * step + start - offsets[1], each step rounded to
    float32. It is between two elements along each dim, or the nearest one, and `outside` if it lies
    before -1 or after the size. Samples are added to 0 in row-major order.
    """
    result = temporary(what, Layout(sizes), float32, image)
    layout, device = image.layout, image.device
    numbers = float_words(*offsets, outside)
    plan = plan_samples(
        *(sizes, layout.strides, layout.sizes[2:], numbers, largest, nearest, samples),
        device.profile,
    )
    device.launch(plan, (access(image, False), access(table, False), access(result, True)))
    return result
