"""Plan tiles of neighbouring windows, in one channel or in four.

A tile reads each row of x once for all of its windows: see glsl/include/families/windows.glsl.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, of_dims
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.paths import NOTHING, local_size
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.limits import Profile
from dml_vk.windows import Window

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
Value = TypeVar("Value")
Dims = tuple[Window, Window, Window]  # innermost first; dims that are not there have one window


def image(source: Operand) -> Operand:
    """Return an input, a weight or a result as planners of windows see it.

    It has the strides of samples, of channels, and of three spatial dims, innermost first; in the
    source these are outermost first. Weights have outputs in place of samples, and the inputs of a
    group in place of channels.
    """
    sample, channel, *spatial = source.strides
    return source._replace(strides=(sample, channel, *from_inside(spatial, 0))).residue()


def from_inside(values: Sequence[Value], fill: Value) -> tuple[Value, Value, Value]:
    """Return the values of three spatial dims, innermost first."""
    inner, outer, last = (*reversed(values), *(fill,) * (3 - len(values)))
    return inner, outer, last


class Tile(NamedTuple):
    channels: int
    down: int
    across: int

    def reads(self, inner: Window, outer: Window) -> int:
        """The elements of a channel from the first to the last that it reads."""
        return inner.reach(self.across) * outer.reach(self.down)


def suits(dims: Dims) -> bool:
    """Whether windows are small enough."""
    inner, outer, _ = dims
    few = math.prod([dim.taps for dim in dims]) <= MOST_TERMS
    return few and Tile(1, 1, 4).reads(inner, outer) <= _MOST_READ


def plan_windows(
    kernel: Kernel,
    variant: str,
    samples: int,
    channels: int,
    dims: Dims,
    x: Operand,
    dst: Operand,
    dtypes: tuple[DType, DType],
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
    """Plan the tiles of all windows.

    `sources` are the item sizes of all operands but the result, `strides` the strides of those
    beside x along two dims, `push` and `constants` those of the kernel's own,
    `widest` the most windows side by side, 4 or 8. `quad_rounds` bounds what is done with four
    results; if it is 0, that is short.
    """
    inner, outer, last = dims
    (x_sample, x_channel, *x_steps), (dst_sample, dst_channel, *dst_steps) = x.strides, dst.strides
    read = _read(x, inner.size, channels)
    tile = _tile(inner, outer, read, widest)
    across, down = -(-inner.count // tile.across), -(-outer.count // tile.down)
    tiles = across * down * last.count * samples
    blocks = channels // tile.channels
    units = blocks * tiles
    groups = blocks if tile.channels > 1 else tiles
    windows = tile.channels * tile.down * tile.across
    terms = math.prod([dim.taps for dim in dims])
    sure = [
        (max(0, dim.before), max(0, dim.size + dim.before - (count - 1) * span * dim.stride))
        for dim, count, span in ((inner, across, tile.across), (outer, down, tile.down))
    ]
    read_at_once = tile.channels * tile.reads(inner, outer)
    one_by_one = quad_rounds > 0 or dst.itemsize < 4
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
                "DST_QUADS": int(_stores_quads(tile, inner.count, dst)),
                "ONE_BY_ONE": int(one_by_one),
                "X_TYPE": dtypes[0].code,
                "DST_TYPE": dtypes[1].code,
                **constants_of(dims),
                "SURE_FROM_0": from_0,
                "SURE_FROM_1": from_1,
                "SURE_TO_0": to_0,
                "SURE_TO_1": to_1,
                "SURE_2": int(not last.reads_padding),
                "X_STRIDE_2": x_steps[2],
                "DST_STRIDE_2": dst_steps[2],
                **constants,
            }
        ),
        push=kernel.words(
            units,
            {
                "whole": units,
                "groups": groups,
                "extent": across,
                "sizes": (inner.count, outer.count),
                "strides": (*x_steps[:2], *strides, *dst_steps[:2]),
                "inner_size": inner.size,
                "outer_size": outer.size,
                "x_sample": x_sample,
                "x_channel": x_channel,
                "dst_sample": dst_sample,
                "dst_channel": dst_channel,
                "tiles_down": down,
                **push,
            },
        ),
        units=units,
        unit_ns=100.0 + _READ_NS * last.taps * read_at_once + _TERM_NS * terms * windows,
        unit_rounds=rounds.loop(last.taps) + one_by_one * rounds.loop(windows // 4, quad_rounds),
        base_bytes=(*sources, dst.itemsize),
        shares_words=dst.itemsize < 4,
        loads=(Load(last.taps * read_at_once, read_at_once),),
        launches=((0,) * (len(sources) + 1),),
        fma=fma,
        path=f"{path}, fused multiply-add" if fma else path,
        sizes=(samples, channels, *[dim.count for dim in dims]),
    )


def constants_of(dims: Dims) -> dict[str, int]:
    """What kernels of windows know of three spatial dims."""
    return {
        **of_dims("WINDOW", tuple([dim.taps for dim in dims])),
        **of_dims("DILATION", tuple([dim.dilation for dim in dims])),
        **of_dims("STRIDE", tuple([dim.stride for dim in dims])),
        **of_dims("PADDING", tuple([dim.before for dim in dims])),
        "DST_SIZE_2": dims[2].count,
        "X_SIZE_2": dims[2].size,
    }


def takes_channels(x: Operand, channels: int) -> bool:
    """Whether a tile has four channels, which are a quad of x."""
    sample, channel, *steps = x.strides
    return channel == 1 and math.gcd(4, channels, x.offset, sample, *steps) == 4


def _read(x: Operand, size: int, channels: int) -> int:
    """How x, with rows of this size, is read: four channels at once, or four positions."""
    if takes_channels(x, channels):
        return _BY_CHANNELS
    sample, channel, inner, *outer = x.strides
    is_line = inner == 1 and math.gcd(4, size, x.offset, sample, channel, *outer) == 4
    return _BY_LINE if is_line else _BY_ELEMENTS


def _tile(inner: Window, outer: Window, read: int, widest: int) -> Tile:
    """The largest tile of those that do not take too long to compile."""
    if read == _BY_CHANNELS:
        return Tile(4, 1, 4)
    down = 2 if outer.count > 1 and inner.taps * outer.taps <= _FEW else 1
    tiles = [Tile(1, down, widest if inner.count > 4 else 4), Tile(1, down, 4)]
    return next((tile for tile in tiles if tile.reads(inner, outer) <= _MOST_READ), Tile(1, 1, 4))


def _stores_quads(tile: Tile, across: int, dst: Operand) -> bool:
    """Whether four results, of channels or of windows side by side, are a quad of the result.

    There are `across` windows side by side.
    """
    sample, channel, inner, *outer = dst.strides
    others = (dst.offset, sample, *outer)
    if tile.channels > 1:
        return channel == 1 and math.gcd(4, inner, *others) == 4
    return inner == 1 and math.gcd(4, across, channel, *others) == 4
