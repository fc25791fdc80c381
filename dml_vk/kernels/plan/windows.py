"""Plan tiles of neighbouring windows, in one channel or in four.

A tile reads each row of x once for all of its windows: see glsl/include/families/windows.glsl.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, of_dims
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.paths import NOTHING, local_size
from dml_vk.limits import Profile

MOST_TERMS = 64  # elements of a window
_BY_ELEMENTS, _BY_CHANNELS, _BY_LINE = range(3)  # how x is read
_FEW = 16  # elements of a window, for which a tile has several rows of windows
_MOST_READ = 2**9  # elements of a channel that a tile reads, since all of that is unrolled
_READ_NS, _TERM_NS = 2.0, 0.5  # an element of x, and one of a window, on one slow core
_OF_DIMS = ("WINDOW", "DILATION", "STRIDE", "PADDING")
SPEC = (
    *INDEX_SPEC,
    *("CHANNELS", "DOWN", "ACROSS", "X_READ", "DST_QUADS", "ONE_BY_ONE", "X_TYPE", "DST_TYPE"),
    *(f"{name}_{dim}" for name in _OF_DIMS for dim in range(3)),
    *("SURE_FROM_0", "SURE_FROM_1", "SURE_TO_0", "SURE_TO_1", "SURE_2"),
    *("DST_SIZE_2", "X_SIZE_2", "X_STRIDE_2", "DST_STRIDE_2"),
)
PUSH = tuple(
    [
        (name, 1)
        for name in (
            *("inner_size", "outer_size", "x_sample", "x_channel"),
            *("dst_sample", "dst_channel", "tiles_down"),
        )
    ]
)


class Spatial(NamedTuple):
    """One spatial dim: windows, and the strides of the operands."""

    size: int = 1  # of the input
    windows: int = 1
    window: int = 1  # its elements
    dilation: int = 1
    stride: int = 1
    padding: int = 0  # before the first element; elements that are left out if it is negative
    x: int = 0
    weight: int = 0
    dst: int = 0

    @property
    def is_bounded(self) -> bool:
        """Whether an element of a window is outside of the input."""
        last = (self.windows - 1) * self.stride + (self.window - 1) * self.dilation
        return self.padding > 0 or last - self.padding >= self.size


class Side(NamedTuple):
    """The input or the result: strides of samples and channels, and the offset, modulo 4."""

    sample: int
    channel: int
    offset: int
    dtype: DType


class Tile(NamedTuple):
    channels: int
    down: int
    across: int

    def reads(self, inner: Spatial, outer: Spatial) -> int:
        """The elements of a channel from the first to the last that it reads."""
        size = 1
        for dim, windows in ((inner, self.across), (outer, self.down)):
            size *= (windows - 1) * dim.stride + (dim.window - 1) * dim.dilation + 1
        return size


def suits(spatial: Sequence[Spatial]) -> bool:
    """Whether windows are small enough."""
    inner, outer, _ = (*spatial, Spatial(), Spatial())[:3]
    few = math.prod([dim.window for dim in spatial]) <= MOST_TERMS
    return few and Tile(1, 1, 4).reads(inner, outer) <= _MOST_READ


def plan_windows(
    kernel: Kernel,
    variant: str,
    samples: int,
    channels: int,
    spatial: Sequence[Spatial],
    x: Side,
    dst: Side,
    profile: Profile,
    *,
    sources: Ints,
    strides: Ints = (),
    push: Mapping[str, int | Ints] = NOTHING,
    constants: Mapping[str, int] = NOTHING,
    widest: int = 4,
    quad_rounds: int = 0,
    fma: bool = False,
) -> Plan:
    """Plan the tiles of all windows. Spatial dims are innermost first.

    `sources` are the item sizes of all operands but the result, `strides` the strides of those
    beside x along two dims, `push` and `constants` those of the kernel's own,
    `widest` the most windows side by side, 4 or 8. `quad_rounds` bounds what is done with four
    results; if it is 0, that is short.
    """
    inner, outer, last = dims = (*spatial, Spatial(), Spatial())[:3]
    read = _read(x, dims, channels)
    tile = _tile(inner, outer, read, widest)
    across, down = -(-inner.windows // tile.across), -(-outer.windows // tile.down)
    tiles = across * down * last.windows * samples
    blocks = channels // tile.channels
    units = blocks * tiles
    groups = blocks if tile.channels > 1 else tiles
    windows = tile.channels * tile.down * tile.across
    terms = math.prod([dim.window for dim in dims])
    sure = [
        (max(0, dim.padding), max(0, dim.size + dim.padding - (count - 1) * span * dim.stride))
        for dim, count, span in ((inner, across, tile.across), (outer, down, tile.down))
    ]
    read_at_once = tile.channels * tile.reads(inner, outer)
    one_by_one = quad_rounds > 0 or dst.dtype.itemsize < 4
    (from_0, to_0), (from_1, to_1) = sure
    path = f"tile, {tile.channels} by {tile.down} by {tile.across} windows, {terms} terms"
    return Plan(
        module=f"{kernel.name}_{variant}",
        spec=kernel.constants(
            {
                "LOCAL_SIZE": local_size(profile),
                "LANES": profile.lanes,
                "RANK": 2,
                "EDGES": 0,
                "CHANNELS": tile.channels,
                "DOWN": tile.down,
                "ACROSS": tile.across,
                "X_READ": read,
                "DST_QUADS": int(_stores_quads(tile, dims, dst)),
                "ONE_BY_ONE": int(one_by_one),
                "X_TYPE": x.dtype.code,
                "DST_TYPE": dst.dtype.code,
                **constants_of(dims),
                "SURE_FROM_0": from_0,
                "SURE_FROM_1": from_1,
                "SURE_TO_0": to_0,
                "SURE_TO_1": to_1,
                "SURE_2": int(not last.is_bounded),
                "X_STRIDE_2": last.x,
                "DST_STRIDE_2": last.dst,
                **constants,
            }
        ),
        push=kernel.words(
            units,
            {
                "whole": units,
                "groups": groups,
                "extent": across,
                "sizes": (inner.windows, outer.windows),
                "strides": (inner.x, outer.x, *strides, inner.dst, outer.dst),
                "inner_size": inner.size,
                "outer_size": outer.size,
                "x_sample": x.sample,
                "x_channel": x.channel,
                "dst_sample": dst.sample,
                "dst_channel": dst.channel,
                "tiles_down": down,
                **push,
            },
        ),
        units=units,
        unit_ns=100.0 + _READ_NS * last.window * read_at_once + _TERM_NS * terms * windows,
        unit_rounds=rounds.loop(last.window) + one_by_one * rounds.loop(windows // 4, quad_rounds),
        base_bytes=(*sources, dst.dtype.itemsize),
        shares_words=dst.dtype.itemsize < 4,
        loads=(Load(last.window * read_at_once, read_at_once),),
        launches=((0,) * (len(sources) + 1),),
        fma=fma,
        path=f"{path}, fused multiply-add" if fma else path,
        sizes=(samples, channels, *[dim.windows for dim in dims]),
    )


def constants_of(dims: Sequence[Spatial]) -> dict[str, int]:
    """What kernels of windows know of three spatial dims, innermost first."""
    return {
        **of_dims("WINDOW", tuple([dim.window for dim in dims])),
        **of_dims("DILATION", tuple([dim.dilation for dim in dims])),
        **of_dims("STRIDE", tuple([dim.stride for dim in dims])),
        **of_dims("PADDING", tuple([dim.padding for dim in dims])),
        "DST_SIZE_2": dims[-1].windows,
        "X_SIZE_2": dims[-1].size,
    }


def takes_channels(x: Side, dims: tuple[Spatial, ...], channels: int) -> bool:
    """Whether a tile has four channels, which are a quad of x."""
    others = (x.offset, x.sample, *[dim.x for dim in dims])
    return x.channel == 1 and math.gcd(4, channels, *others) == 4


def _read(x: Side, dims: tuple[Spatial, ...], channels: int) -> int:
    """How x is read: four channels at once, or four positions."""
    inner, outer, last = dims
    if takes_channels(x, dims, channels):
        return _BY_CHANNELS
    others = (x.offset, x.sample, x.channel, outer.x, last.x)
    is_line = inner.x == 1 and math.gcd(4, inner.size, *others) == 4
    return _BY_LINE if is_line else _BY_ELEMENTS


def _tile(inner: Spatial, outer: Spatial, read: int, widest: int) -> Tile:
    """The largest tile of those that do not take too long to compile."""
    if read == _BY_CHANNELS:
        return Tile(4, 1, 4)
    down = 2 if outer.windows > 1 and inner.window * outer.window <= _FEW else 1
    tiles = [Tile(1, down, widest if inner.windows > 4 else 4), Tile(1, down, 4)]
    return next((one for one in tiles if one.reads(inner, outer) <= _MOST_READ), Tile(1, 1, 4))


def _stores_quads(tile: Tile, dims: tuple[Spatial, ...], dst: Side) -> bool:
    """Whether four results, of channels or of windows side by side, are a quad of the result."""
    inner, outer, last = dims
    others = (dst.offset, dst.sample, outer.dst, last.dst)
    if tile.channels > 1:
        return dst.channel == 1 and math.gcd(4, inner.dst, *others) == 4
    return inner.dst == 1 and math.gcd(4, inner.windows, dst.channel, *others) == 4
