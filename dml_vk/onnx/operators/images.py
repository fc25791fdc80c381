"""Regions, grids and columns of images."""

from __future__ import annotations

from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk import directml, nn
from dml_vk.dtypes import DType
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.elementwise import either
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

Weighted = tuple[Tensor, "Tensor | None"]  # a position along an axis, and its factor


def _described(x: Tensor) -> directml.BufferTensorDesc:
    kind = getattr(directml.DataType, str(x.dtype.directml))
    return directml.BufferTensorDesc(kind, x.shape)


@operator("RoiAlign", first=10)
def roi_align(node: Context, x: Tensor, rois: Tensor, images: Tensor) -> Tensor:
    """Average or maximum of interpolated samples in each bin of each region."""
    sizes = (rois.shape[0], x.shape[1], node["output_height"], node["output_width"])
    target = dv.empty(sizes, x.dtype, device=x.device)
    scale, ratio = node["spatial_scale"], node["sampling_ratio"]
    half = node.get("coordinate_transformation_mode", "output_half_pixel") == "half_pixel"
    if not half:
        # Regions are at least one pixel large.
        ends = dv.maximum(rois[:, 2:], dv.add(rois[:, :2], 1 / scale))
        rois = dv.concat([rois[:, :2], ends], axis=1)
    places = dv.astype(images, "uint32")
    largest = node["mode"] == "max"
    function = directml.ReduceFunction.MAX if largest else directml.ReduceFunction.AVERAGE
    offset = 0.5 if half else 0.0
    least, most = (ratio, ratio) if ratio else (1, 2**16)
    tensors = (x, rois, places, target)
    kind: Any = directml.RoiAlign1  # type checkers do not see its parameters
    aligned = kind(
        *[_described(tensor) for tensor in tensors],
        function,
        directml.InterpolationMode.LINEAR,
        *(scale, scale, offset, -0.5, 0.0, least, most, False),
    )
    aligned._compute(*tensors)
    return target


@operator("MaxRoiPool")
def max_roi_pool(node: Context, x: Tensor, rois: Tensor) -> Tensor:
    height, width = node["pooled_shape"]
    rows = dv.reshape(rois, (1, 1, *rois.shape))
    sizes = (rois.shape[0], x.shape[1], height, width)
    target = dv.empty(sizes, x.dtype, device=x.device)
    tensors = (x, rows, target)
    size = directml.Size2D(width=width, height=height)
    described = [_described(tensor) for tensor in tensors]
    kind: Any = directml.RoiPooling
    pooled = kind(*described, node["spatial_scale"], size)
    pooled._compute(*tensors)
    return target


@operator("Col2Im", first=18, host=(1, 2))
def col2im(node: Context, x: Tensor, image: Array, block: Array) -> Tensor:
    """Add each column to its window, in the order of the window's elements."""
    sizes, kernel = [int(number) for number in image], [int(number) for number in block]
    rank = len(sizes)
    stride = node.get("strides") or [1] * rank
    dilation = node.get("dilations") or [1] * rank
    amounts = node.get("pads") or [0] * (2 * rank)
    pads = list(zip(amounts[:rank], amounts[rank:]))
    if rank == 2:
        return nn.fold(x, sizes, kernel, dilation=dilation, padding=pads, stride=stride)
    windows = [
        (size + sum(pad) - (window - 1) * gap - 1) // step + 1
        for size, pad, window, gap, step in zip(sizes, pads, kernel, dilation, stride)
    ]
    channels = x.shape[1] // int(np.prod(kernel))
    columns = dv.reshape(x, (x.shape[0], channels, -1, *windows))
    full = [size + sum(pad) for size, pad in zip(sizes, pads)]
    total = dv.zeros((x.shape[0], channels, *full), x.dtype, device=x.device)
    for tap, offset in enumerate(np.ndindex(*kernel)):
        cut: list[slice] = [slice(None), slice(None)]
        for at, gap, step, count in zip(offset, dilation, stride, windows):
            cut.append(slice(at * gap, at * gap + (count - 1) * step + 1, step))
        part = total[tuple(cut)]
        dv.add(part, columns[:, :, tap], out=part)
    inner = [slice(begin, begin + size) for (begin, _), size in zip(pads, sizes)]
    every = slice(None)
    cut = [every, every, *inner]
    return total[tuple(cut)]


@operator("GridSample", first=16)
def grid_sample(node: Context, x: Tensor, grid: Tensor) -> Tensor:
    """Interpolate x at the coordinates of a grid, which are from -1 to 1."""
    rank = x.ndim - 2
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(node["mode"], node["mode"])
    corners, border = bool(node["align_corners"]), node["padding_mode"]
    wide = computed_in(x)
    places = []
    for axis in range(rank):
        size = x.shape[2 + axis]
        at = dv.astype(grid[..., rank - 1 - axis], wide, copy=False)
        if corners:
            places.append(dv.multiply(dv.add(at, 1.0), (size - 1) / 2))
        else:
            places.append(dv.divide(dv.subtract(dv.multiply(dv.add(at, 1.0), size), 1.0), 2.0))
    samples = sampled(x, places, mode, border, corners=corners)
    return dv.reshape(samples, (*x.shape[:2], *grid.shape[1:-1]))


def computed_in(x: Tensor) -> DType:
    """The dtype of coordinates, and in which elements are interpolated."""
    return dv.float64 if x.dtype is dv.float64 else dv.float32


def sampled(
    x: Tensor, places: list[Tensor], mode: str, border: str, *, corners: bool = True
) -> Tensor:
    """Elements of the images x (N, C, ...) at places along each axis: (N, C, as many as there are).

    Places are in elements, and may be between two of them. The first dim of each is N.
    """
    taps = [_taps(at, mode, size, border, corners) for at, size in zip(places, x.shape[2:])]
    flat = dv.reshape(x, (*x.shape[:2], -1))
    flat = dv.astype(flat, computed_in(x), copy=False) if mode != "nearest" else flat
    total: Any = None
    for chosen in np.ndindex(*[len(weights) for weights in taps]):
        index: Any = 0
        factor: Tensor | None = None
        for axis, which in enumerate(chosen):
            at, weight = taps[axis][which]
            index = dv.add(dv.multiply(index, x.shape[2 + axis]), at) if axis else at
            if weight is not None:
                factor = weight if factor is None else dv.multiply(factor, weight)
        columns = dv.reshape(index, (x.shape[0], 1, -1))
        columns = dv.broadcast_to(columns, (*x.shape[:2], columns.shape[2]))
        part = dv.take_along_axis(flat, columns, axis=2)
        if factor is not None:
            factor = dv.reshape(factor, (x.shape[0], 1, -1))
            part = dv.multiply(part, dv.astype(factor, part.dtype, copy=False))
        total = part if total is None else dv.add(total, part)
    return dv.astype(total, x.dtype, copy=False)


def _taps(at: Tensor, mode: str, size: int, border: str, corners: bool) -> list[Weighted]:
    """Indexes along an axis and their weights, which are 0 in zero padding."""
    if mode == "nearest":
        positions: list[Weighted] = [(dv.round(at), None)]
    else:
        whole = dv.floor(at)
        part = dv.subtract(at, whole)
        if mode == "linear":
            positions = [(whole, dv.subtract(1.0, part)), (dv.add(whole, 1.0), part)]
        else:
            positions = [
                (dv.add(whole, float(k)), _cubic(dv.abs(part - float(k)), k)) for k in range(-1, 3)
            ]
    return [_inside(position, factor, size, border, corners) for position, factor in positions]


def _cubic(x: Tensor, shift: int, a: float = -0.75) -> Tensor:
    if shift in (0, 1):
        inner = dv.subtract(dv.multiply(x, a + 2), a + 3)
        return dv.add(dv.multiply(dv.multiply(inner, x), x), 1.0)
    inner = dv.add(dv.multiply(dv.subtract(dv.multiply(x, a), 5 * a), x), 8 * a)
    return dv.subtract(dv.multiply(inner, x), 4 * a)


def _inside(
    position: Tensor, factor: Tensor | None, size: int, border: str, corners: bool
) -> Weighted:
    last = float(size - 1)
    if border == "reflection":
        period = 2 * last if corners else 2.0 * size
        if period:
            at = dv.remainder(position, period)
            turned = dv.subtract(period if corners else period - 1, at)
            position = dv.minimum(at, turned) if corners else either(dv.less(at, size), at, turned)
    elif border == "zeros":
        is_in = dv.logical_and(dv.greater_equal(position, 0.0), dv.less_equal(position, last))
        ones = dv.astype(is_in, position.dtype)
        factor = ones if factor is None else dv.multiply(factor, ones)
    return dv.astype(dv.clip(position, 0.0, last), "int64"), factor
