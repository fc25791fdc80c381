"""The sizes of tiles, and which invocations share what they read."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Load
from dml_vk.kernels.plan.paths import power_of_two
from dml_vk.limits import Profile

READ_NS = 4.0  # four elements of a source, on one slow core
# The fewest rows of a tile that lanes share, and the terms from which on tiles are larger.
LEAST_SHARED, _LARGE = 16, 2**26
SHARED_TERM_NS = 0.03  # of a multiply-add, if lanes share rows


def shared_spans(rows: int, columns: int, times: int, depth: int, profile: Profile) -> Ints:
    """The rows and columns of a tile whose rows lanes share, by the least estimated time.

    Large tiles read less, but take long to compile.
    """
    lanes, wanted = profile.lanes, profile.units_wanted
    large = rows * columns * times * depth >= _LARGE

    def cost(spans: Ints) -> float:
        down, across = spans
        tiles = times * -(-rows // down) * -(-columns // (across * lanes))
        reads = READ_NS / 4 * (down / lanes + across)
        return max(tiles, wanted // lanes) * (SHARED_TERM_NS * down * across + reads)

    return min(((16, 4), (32, 4), (16, 8), (32, 8))[: 4 if large else 3], key=cost)


def load_of(span: float, deep: int, depth: int) -> Load:
    """What a tile reads of `span` rows or columns, `deep` terms at a time."""
    return Load(span * depth, span * deep)


def shared_load(span: int, deep: int, depth: int, piece: int, lanes: int) -> Load:
    """What a lane reads of the rows of a tile that lanes share.

    They are read by pieces of one or four: see glsl/include/families/matmul_source.glsl.
    """
    pieces = -(-span * deep // piece)
    return load_of(-(-pieces // lanes) * piece / deep, deep, depth)


def span_of(size: int) -> int:
    """The rows or columns of a tile."""
    return 1 if size == 1 else 4 if size <= 4 else 8


def block_of(down: int, across: int, lanes: int) -> Ints:
    """The tiles of a lane group: (down, across)."""
    block_across = min(8, power_of_two(across))
    return min(lanes // block_across, power_of_two(down)), block_across
