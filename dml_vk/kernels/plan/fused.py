"""Plan chains of elementwise operations as one kernel."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.dtypes import DTYPES
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import BASES, Plan
from dml_vk.kernels.plan.chain import COPY, FILL, Chain, Operand, Recipe, Way
from dml_vk.kernels.plan.dims import Dim, ascending, dense
from dml_vk.kernels.plan.elementwise import ELEMENT_NS
from dml_vk.kernels.plan.paths import LINE_BYTES, LOCAL_SIZE, MAX_DIVIDEND
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.kernels.registry import COMPUTED
from dml_vk.kernels.spirv.nodes import scalar_words
from dml_vk.kernels.spirv.pieces import RARE, scalar_places
from dml_vk.limits import Profile
from dml_vk.strides.order import Ints

FUSED = "fused"  # in place of a module's name
_WORD = 4
_ITEMSIZES = [dtype.itemsize for dtype in DTYPES.values()]
_MOST_BYTES = 8  # of an element
_TARGET = 3  # where the codes of dtypes start in the constants of a node
_REFUSED = {
    # They compute with pairs of float64.
    *("complex_exp", "complex_log", "complex_trig", "complex_arc", "complex_pow"),
}
# Estimated times on one slow core: of a quad that is moved, and of an element that is moved alone,
# near the one before or far from it.
_QUAD_NS, _NEAR_NS, _FAR_NS = 4.0, 2.0, 6.0
# Of a step across rows: what takes longer, is also long to compile for so many elements.
_MOST_ACROSS_NS = 400.0
_MOST_STEPS = 32  # of a unit that has a bit for each
_STEPS, _LEAST_STEPS = 4, 4  # of a unit across rows, for each quad that others have


def plan_fused(chain: Chain, profile: Profile) -> Plan | None:
    """Plan one kernel for a chain; None where there must be several.

    A launch takes the accesses of what is read, then of what is written, and `params_of` as its
    params. Elements that are written may be those that are read, at the same index.
    """
    reads = tuple([_reduced(one) for one in chain.reads])
    writes = tuple([(value, _reduced(one)) for value, one in chain.writes])
    return _planned(chain._replace(reads=reads, writes=writes), profile)


def params_of(chain: Chain, words: Sequence[Ints]) -> Ints:
    """The params of a launch, from those that each node would have in a launch of its own."""
    return tuple(
        [
            given[place]
            for node, given in zip(chain.nodes, words)
            for place in scalar_places(node.kernel, node.spec)
        ]
    )


def _reduced(operand: Operand) -> Operand:
    """A plan depends on offsets only through the position within a quad."""
    return operand._replace(offset=operand.offset % max(1, QUAD_BYTES // operand.itemsize))


def is_known(chain: Chain) -> bool:
    """Whether all its nodes can be computed beside others."""
    for kernel, spec, _ in chain.nodes:
        sizes = spec
        if kernel not in (COPY, FILL):
            if kernel not in COMPUTED or kernel in _REFUSED:
                return False
            sizes = tuple([_ITEMSIZES[code] for code in spec[_TARGET:]])
        if max(sizes) > _MOST_BYTES:
            return False
    operands = (*chain.reads, *[operand for _, operand in chain.writes])
    return max([one.itemsize for one in operands]) <= _MOST_BYTES


def node_rounds(chain: Chain) -> int:
    """The most loop iterations that an element takes."""
    return sum(
        [
            rounds.computed(kernel, *spec[:2])
            for kernel, spec, _ in chain.nodes
            if kernel in COMPUTED
        ]
    )


def _is_supported(chain: Chain, operands: Sequence[Operand], profile: Profile) -> bool:
    if math.prod(chain.sizes) >= MAX_DIVIDEND or len(operands) > profile.max_storage_buffers:
        return False
    words = BASES + len(operands)
    return is_known(chain) and (
        _WORD * (words + scalar_words(chain.nodes)) <= profile.max_push_bytes
    )


@functools.lru_cache(maxsize=1024)
def _planned(chain: Chain, profile: Profile) -> Plan | None:
    operands = (*chain.reads, *[operand for _, operand in chain.writes])
    if not _is_supported(chain, operands, profile):
        return None
    dims, starts = ascending(chain.sizes, [one.strides for one in operands])
    given = operands, dims, profile, len(chain.writes)
    ns = computing_ns(chain)
    across = [one for one in _across(*given) if one.quad <= 4 or one.quad * ns <= _MOST_ACROSS_NS]
    for row in (*across, *_along(*given)):
        ways = [_way(one, row, k, dims, starts[k]) for k, one in enumerate(operands)]
        if _writes_words(row, ways[len(chain.reads) :]):
            lanes = profile.lanes
            recipe = Recipe(
                min(LOCAL_SIZE, profile.max_invocations // lanes * lanes),
                lanes,
                tuple([dim.size for dim in row.outer]),
                tuple([dim.size for dim in row.dims]),
                row.unit,
                row.quad,
                row.step,
                row.least,
                tuple(ways),
                chain.nodes,
                tuple([value for value, _ in chain.writes]),
            )
            return _plan(chain, recipe, starts, profile)
    return None


def _quad(operands: Sequence[Operand], writes: int) -> int:
    """The elements that are computed at once."""
    return min(4, QUAD_BYTES // min([one.itemsize for one in operands[-writes:]]))


class _Row(NamedTuple):
    """How the elements of all operands are split into rows, and rows into units and steps."""

    dims: list[Dim]  # along a row
    outer: list[Dim]  # over rows
    unit: int
    quad: int
    step: int
    least: int
    across: Sequence[Ints]  # coordinates of the elements of a step that goes across


def _along(
    operands: Sequence[Operand], dims: list[Dim], profile: Profile, writes: int
) -> list[_Row]:
    """Rows of the innermost dims, as many as may be one, the best number first."""
    quad = _quad(operands, writes)
    least = max(1, _WORD // min([one.itemsize for one in operands[-writes:]]))
    full, inner = dense(dims), dims[0].size
    counts = [1, full] if inner >= quad and inner % quad * 8 <= inner else [full]
    rows = []
    for count in counts if full > 1 else [1]:
        extent = math.prod([dim.size for dim in dims[:count]])
        unit = _fitting(quad * profile.quads_per_unit, quad, extent)
        rows.append(_Row(dims[:count], dims[count:], unit, quad, quad, least, []))
    return rows


def _fitting(unit: int, least: int, extent: int) -> int:
    """Halve units until little is left of a row."""
    while unit > least and extent % unit * 8 > extent:
        unit //= 2
    return unit


def _across(
    operands: Sequence[Operand], dims: list[Dim], profile: Profile, writes: int
) -> list[_Row]:
    """Rows of the second dim, if what is the same along it is not along the first.

    A step is a quad of the first dim, or as many times all of it as quads are. So what belongs to
    channels is read once for many pixels.
    """
    if len(dims) < 2 or not any(
        one and not two for one, two in zip(dims[0].strides, dims[1].strides)
    ):
        return []
    (inner, along, *outer), quad = dims, _quad(operands, writes)
    times = 1
    if inner.size % quad:
        times = quad // math.gcd(inner.size, quad)
        quad = inner.size * times
        if quad > QUAD_BYTES:
            return []
    steps, left = divmod(along.size, times)
    if left or steps < _LEAST_STEPS:
        return []
    pieces = Dim(tuple([stride * quad for stride in inner.strides]), max(1, inner.size // quad))
    row = Dim(tuple([stride * times for stride in along.strides]), steps)
    unit = _fitting(_STEPS * profile.quads_per_unit, 1, steps)
    across = [(k % inner.size, k // inner.size) for k in range(quad)]
    return [_Row([row], [pieces, *outer], unit, quad, 1, 1, across)]


def _writes_words(row: _Row, ways: Sequence[Way]) -> bool:
    """Whether all that is written are whole words."""
    extent = row.quad if row.across else math.prod([dim.size for dim in row.dims])
    for way in ways:
        per = _WORD // way.itemsize
        follows = way.across == tuple(range(row.quad)) if row.across else way.steps == (1,)
        if per > 1 and not (follows and way.align >= _WORD and extent % per == 0):
            return False
    return True


def _way(operand: Operand, row: _Row, number: int, dims: list[Dim], start: int) -> Way:
    """How to come to an operand's elements."""
    size = operand.itemsize
    along = [dim.strides[number] for dim in row.dims]
    outer = [dim.strides[number] for dim in row.outer]
    step, at = along[0], 1
    is_even = True
    for stride, dim in zip(along, row.dims):
        is_even &= stride == step * at
        at *= dim.size
    moves = [*outer, *(along if row.across else ())]
    align = math.gcd(QUAD_BYTES, (operand.offset + start) * size, *[s * size for s in moves])
    inner = [dim.strides[number] for dim in dims[:2]]
    across = tuple([sum(map(operator.mul, at, inner)) for at in row.across])
    return Way(size, tuple(outer), (step,) if is_even else tuple(along), align, across)


def _plan(chain: Chain, recipe: Recipe, starts: Ints, profile: Profile) -> Plan | None:
    rows, extent = math.prod(recipe.rows), math.prod(recipe.row)
    groups, left = divmod(extent, recipe.unit)
    units = rows * (groups + (left > 0)) if 0 not in chain.sizes else 0
    each = recipe.quad * node_rounds(chain)
    most = max(
        rounds.loop(recipe.unit // recipe.step, each),
        rounds.loop(left // recipe.least, each),
    )
    if any(node.kernel in RARE for node in chain.nodes):
        most *= 2  # Steps with rare values are made twice.
        if max(recipe.unit // recipe.step, left // recipe.least) > _MOST_STEPS:
            return None
    if most > rounds.MOST:
        return None
    element_ns = computing_ns(chain)
    moved_ns = sum([_moved_ns(way, recipe.quad) for way in recipe.ways])
    elements = min(recipe.unit, extent) * recipe.quad // recipe.step
    return Plan(
        module=FUSED,
        spec=(recipe.local_size, recipe.lanes),
        push=(0, units, *(0 for _ in recipe.ways)),
        units=units,
        unit_ns=elements * (element_ns + moved_ns),
        unit_rounds=most,
        base_bytes=tuple([way.itemsize for way in recipe.ways]),
        launches=(starts,),
        path=FUSED,
        sizes=tuple([n for n in (*recipe.rows[::-1], *recipe.row[::-1]) if n != 1]),
        recipe=recipe,
    )


def computing_ns(chain: Chain) -> float:
    """The estimated time of computing an element."""
    return sum([ELEMENT_NS.get(node.kernel, 0.0) for node in chain.nodes])


def _moved_ns(way: Way, quad: int) -> float:
    """The estimated time of moving an element."""
    if way.steps == (0,):
        return 0.0
    step = way.across[1] - way.across[0] if len(way.across) > 1 else max(map(abs, way.steps))
    if step == 1 and way.align >= min(QUAD_BYTES, quad * way.itemsize):
        return _QUAD_NS * way.itemsize / QUAD_BYTES
    return _FAR_NS if abs(step) * way.itemsize >= LINE_BYTES else _NEAR_NS
