"""Plan passes of a radix sort of rows, each by one digit of 8 bits, the least significant first.

A pass counts how often each digit occurs in each chunk of a row. The counts, in the order of digits
and then of chunks, are scanned, which gives each chunk the positions of its elements. One
invocation moves the elements of a chunk, one after the other, so equal digits keep their order.

Where lanes load together, a workgroup moves each chunk, which it sorts in shared memory by the
digit. Offsets then count from the first element of their digit, and the counts of each digit end
with their sum: see kernels/plan/offsets.py. Of few chunks the counts are added where they are used,
and a row that is one chunk needs none.
"""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, by_name, index_push, is_not
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.passes import team_lanes
from dml_vk.kernels.plan.paths import NOTHING, Path, plan_of
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Task
from dml_vk.limits import Profile

DIGIT_BITS, DIGITS = 8, 256
# What is written for each element: see glsl/radix_move.comp.
VALUE, PLACED, PLACE, JOINED, UNJOINED = range(5)
MOST_JOINED = 2**24  # elements of a row whose places share a word with a digit
LEAST_CHUNK = 512  # elements; smaller chunks would be dominated by their counts
# Rows from which on counting takes less time than merging, by the bytes of an element.
SHORTEST = {1: 256, 2: 256, 4: 2048, 8: 2**17}
# And by workgroups: merges take more launches, each of which moves as much.
SHORTEST_BY_TEAMS = {1: 64, 2: 128, 4: 512, 8: 1024}
# What a workgroup reads of a row: nothing, counts that it adds, or offsets.
ALONE, FEW, MANY = range(3)
MOST_ADDED = 16  # chunks of which there are few
TEAM_ELEMENTS = 15  # of a chunk, for each invocation: as much as shared memory holds
_WORD = 4
_BY_BITS = {str(bits): {"BITS": str(bits)} for bits in (8, 16, 32, 64)}
_COUNT_NS, _MOVE_NS, _DIGIT_NS = 3.0, 8.0, 2.0

_OWN = "keys, places and counts are no elements"
_SPEC = (*INDEX_SPEC, "TYPE")
_PARAMS = ("src_places", "dst_places", "shift", "turned")
_EXTRA = tuple([(name, 1) for name in ("src_pitch", "dst_pitch", "chunk", *_PARAMS)])
KERNELS = (
    Kernel(
        "radix_count",
        inlines=_OWN,
        rests=(),
        bindings=("Src", "Dst"),
        spec=_SPEC,
        push=index_push(("src_base", "dst_base"), 1, _EXTRA),
        params=_PARAMS,
        variants=_BY_BITS,
    ),
    Kernel(
        "radix_move",
        inlines=_OWN,
        rests=(),
        bindings=("Src", "Counts", "Dst"),
        spec=(*_SPEC, "FORM", "HAS_PLACES"),
        push=index_push(("src_base", "counts_base", "dst_base"), 1, _EXTRA),
        params=_PARAMS,
        variants=_BY_BITS,
    ),
    Kernel(
        "radix_team_count",
        inlines=_OWN,
        rests=(),
        bindings=("Src", "Dst"),
        spec=_SPEC,
        push=index_push(("src_base", "dst_base"), 1, _EXTRA),
        params=_PARAMS,
        variants=_BY_BITS,
    ),
    Kernel(
        "radix_team_move",
        inlines=_OWN,
        rests=(),
        bindings=("Src", "Counts", "Dst"),
        optional={"Counts": is_not("KNOWN", ALONE)},
        spec=(*_SPEC, "FORM", "HAS_PLACES", "KNOWN"),
        push=index_push(("src_base", "counts_base", "dst_base"), 1, _EXTRA),
        params=_PARAMS,
        variants=_BY_BITS,
    ),
)


_BY_NAME = by_name(KERNELS)


class Rows(NamedTuple):
    """Rows to sort: how many, their length, and their pitches in elements."""

    number: int
    length: int
    source: int
    target: int


class Chunks(NamedTuple):
    """How each row is split: into `number` chunks of `size` elements, the last ones empty.

    The counts of a digit are `number` words, or one more where they end with their sum.
    """

    size: int
    number: int
    by_teams: bool = False

    @property
    def words(self) -> int:
        return self.number + self.by_teams

    @property
    def known(self) -> int:
        """What is needed of the other chunks of a row: ALONE, FEW or MANY."""
        if not self.by_teams:
            return MANY
        return ALONE if self.number == 1 else FEW if self.number <= MOST_ADDED else MANY


def suits(
    count: int, length: int, itemsize: int, profile: Profile, digits: int | None = None
) -> bool:
    """Whether rows are sorted by counting, and not by merging.

    If their keys have few digits, by teams it takes fewer launches whatever the length.
    """
    words = max(1, itemsize // _WORD) + 1  # a key and a place, in one buffer
    fits = count * (length + QUAD_BYTES) * words * _WORD <= profile.max_range_bytes
    if profile.coalesces:
        return fits and (digits is not None or length >= SHORTEST_BY_TEAMS[itemsize])
    return fits and profile.sort_chunk > 0 and length >= SHORTEST[itemsize]


def chunks_of(count: int, length: int, profile: Profile) -> Chunks:
    """Split rows so that the device is busy, into as few chunks as that takes."""
    if profile.coalesces:
        size = team_lanes(profile) * TEAM_ELEMENTS
        return Chunks(size, -(-length // size), by_teams=True)
    size = profile.sort_chunk
    while size > LEAST_CHUNK and count * length < size * profile.units_wanted:
        size //= 2
    number = -(-length // size)
    # Counts of one chunk lie so far apart that they must not compete for the same cache lines.
    return Chunks(size, number if number < 16 else (number + 15) // 16 * 16 | 16)


@cached_plan()
def plan_count(rows: Rows, chunks: Chunks, itemsize: int, code: int, profile: Profile) -> Plan:
    """Plan counting the digits of elements of a type."""
    constants = {"TYPE": code}
    if chunks.by_teams:
        turns = 2 * rounds.loop(4 * DIGITS // team_lanes(profile))
    else:
        turns = rounds.loop(-(-chunks.size // (QUAD_BYTES // itemsize))) + 2 * rounds.loop(DIGITS)
    return _plan("count", rows, chunks, itemsize, constants, _COUNT_NS, turns, profile)


@cached_plan()
def plan_move(
    rows: Rows,
    chunks: Chunks,
    itemsize: int,
    code: int,
    form: int,
    has_places: bool,
    profile: Profile,
) -> Plan:
    """Plan moving elements of a type to the positions that the scanned counts give, in a form."""
    constants = {"TYPE": code, "FORM": form, "HAS_PLACES": int(has_places)}
    if chunks.by_teams:
        lanes = team_lanes(profile)
        digits = rounds.loop(DIGITS // lanes, rounds.loop(MOST_ADDED))
        turns = 3 * rounds.team_sum(lanes) + 2 * digits
        constants["KNOWN"] = chunks.known
    else:
        per = QUAD_BYTES // itemsize
        each = rounds.loop(per) if itemsize < _WORD else 0
        turns = rounds.loop(-(-chunks.size // per), each) + rounds.loop(DIGITS)
    return _plan("move", rows, chunks, itemsize, constants, _MOVE_NS, turns, profile)


def _plan(
    name: str,
    rows: Rows,
    chunks: Chunks,
    itemsize: int,
    constants: dict[str, int],
    element_ns: float,
    turns: int,
    profile: Profile,
) -> Plan:
    dims = [Dim((1, 1), 1)]
    operands = 2 if name == "count" else 3
    path = Path(
        f"{name} by teams" if chunks.by_teams else name,
        dims,
        NOTHING,
        whole=rows.number * chunks.number,
        edges=0,
        groups=chunks.number,
        extent=rows.length,
        unit_ns=min(chunks.size, rows.length) * element_ns + DIGITS * _DIGIT_NS,
        unit_rounds=turns,
        elements=chunks.size,
    )
    kernel = _BY_NAME[f"radix_team_{name}" if chunks.by_teams else f"radix_{name}"]
    return plan_of(
        *(kernel, str(8 * itemsize)),
        Task(dims, [], (QUAD_BYTES, _WORD), (0, 0), profile),
        path,
        [(0,) * operands],
        sources=(QUAD_BYTES, _WORD)[: operands - 1],
        push={"src_pitch": rows.source, "dst_pitch": rows.target, "chunk": chunks.size},
        inside=(rows.number, rows.length),
        constants=constants,
        lanes=team_lanes(profile) if chunks.by_teams else None,
        by_teams=chunks.by_teams,
    )
