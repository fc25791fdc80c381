"""Plan chains of elementwise operations as one kernel."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from dml_vk.dtypes import DTYPES
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import BASES, Plan
from dml_vk.kernels.plan.chain import COPY, FILL, Chain, Operand, Recipe, Way
from dml_vk.kernels.plan.dims import Dim, ascending, dense
from dml_vk.kernels.plan.elementwise import ELEMENT_NS
from dml_vk.kernels.plan.paths import LINE_BYTES, LOCAL_SIZE, MAX_DIVIDEND
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.kernels.registry import COMPUTED
from dml_vk.kernels.spirv.chained import scalar_places
from dml_vk.limits import Profile
from dml_vk.strides.order import Ints

FUSED = "fused"  # in place of a module's name
_WORD = 4
_ITEMSIZES = [dtype.itemsize for dtype in DTYPES.values()]
_MOST_BYTES = 8  # of an element
_TARGET = 3  # where the codes of dtypes start in the constants of a node
# Kernels whose slow branch, for rare values, a CPU would execute for all: on their own they do not.
_REFUSED = {"float_trig"}
# Estimated times on one slow core: of a quad that is moved, and of an element that is moved alone,
# near the one before or far from it.
_QUAD_NS, _NEAR_NS, _FAR_NS = 4.0, 2.0, 6.0
# Loops are short enough for any device, and so many operations are compiled at most.
_MOST_ROUNDS = rounds.MOST


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


def _is_supported(chain: Chain, operands: Sequence[Operand], profile: Profile) -> bool:
    if math.prod(chain.sizes) >= MAX_DIVIDEND or len(operands) > profile.max_storage_buffers:
        return False
    words = BASES + len(operands)
    for kernel, spec, _ in chain.nodes:
        sizes = spec
        if kernel not in (COPY, FILL):
            if kernel not in COMPUTED or kernel in _REFUSED:
                return False
            sizes = tuple([_ITEMSIZES[code] for code in spec[_TARGET:]])
        if max(sizes) > _MOST_BYTES:
            return False
        words += len(scalar_places(kernel, spec))
    return _WORD * words <= profile.max_push_bytes


@functools.lru_cache(maxsize=1024)
def _planned(chain: Chain, profile: Profile) -> Plan | None:
    operands = (*chain.reads, *[operand for _, operand in chain.writes])
    if not _is_supported(chain, operands, profile):
        return None
    dims, starts = ascending(chain.sizes, [one.strides for one in operands])
    for run in _runs(dims, operands):
        recipe = _recipe(chain, operands, dims, starts, run, profile)
        if recipe is not None:
            return _plan(chain, recipe, starts, profile)
    return None


def _runs(dims: list[Dim], operands: Sequence[Operand]) -> list[int]:
    """How many of the innermost dims may be a row, the best number first."""
    full, inner, quad = dense(dims), dims[0].size, _quad(operands)
    if full < 2:
        return [1]
    return [1, full] if inner >= quad and inner % quad * 8 <= inner else [full]


def _quad(written: Sequence[Operand]) -> int:
    """The elements that are computed at once."""
    return min(4, QUAD_BYTES // min([one.itemsize for one in written]))


def _recipe(
    chain: Chain,
    operands: Sequence[Operand],
    dims: list[Dim],
    starts: Ints,
    run: int,
    profile: Profile,
) -> Recipe | None:
    """The recipe for rows of so many dims; None where they do not write whole words."""
    row, outer = dims[:run], dims[run:]
    extent = math.prod([dim.size for dim in row])
    ways = [
        _way(one, [dim.strides[k] for dim in row], row, [d.strides[k] for d in outer], starts[k])
        for k, one in enumerate(operands)
    ]
    written = [one for _, one in chain.writes]
    quad = _quad(written)
    least = max(1, _WORD // min([one.itemsize for one in written]))
    for way in ways[len(chain.reads) :]:
        per = _WORD // way.itemsize
        if per > 1 and (way.steps != (1,) or way.align < _WORD or extent % per):
            return None
    unit = quad * profile.quads_per_unit
    while unit > quad and extent % unit * 8 > extent:
        unit //= 2
    lanes = profile.lanes
    return Recipe(
        min(LOCAL_SIZE, profile.max_invocations // lanes * lanes),
        lanes,
        tuple([dim.size for dim in outer]),
        tuple([dim.size for dim in row]),
        unit,
        quad,
        least,
        tuple(ways),
        chain.nodes,
        tuple([value for value, _ in chain.writes]),
    )


def _way(operand: Operand, along: list[int], row: list[Dim], outer: list[int], start: int) -> Way:
    """How to come to an operand's elements, with these strides along a row and over rows."""
    step, at = along[0], 1
    is_even = True
    for stride, dim in zip(along, row):
        is_even &= stride == step * at
        at *= dim.size
    size = operand.itemsize
    align = math.gcd(QUAD_BYTES, (operand.offset + start) * size, *[s * size for s in outer])
    return Way(size, tuple(outer), (step,) if is_even else tuple(along), align)


def _plan(chain: Chain, recipe: Recipe, starts: Ints, profile: Profile) -> Plan | None:
    rows, extent = math.prod(recipe.rows), math.prod(recipe.row)
    groups, left = divmod(extent, recipe.unit)
    units = rows * (groups + (left > 0)) if 0 not in chain.sizes else 0
    node_rounds = sum(
        [
            rounds.computed(kernel, *spec[:2])
            for kernel, spec, _ in chain.nodes
            if kernel in COMPUTED
        ]
    )
    most = max(
        rounds.loop(recipe.unit // recipe.quad, recipe.quad * node_rounds),
        rounds.loop(left // recipe.least, recipe.least * node_rounds),
    )
    if most > _MOST_ROUNDS:
        return None
    element_ns = sum([ELEMENT_NS.get(node.kernel, 0.0) for node in chain.nodes])
    moved_ns = sum([_moved_ns(way, recipe.quad) for way in recipe.ways])
    elements = min(recipe.unit, extent)
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


def _moved_ns(way: Way, quad: int) -> float:
    """The estimated time of moving an element."""
    if way.steps == (0,):
        return 0.0
    if way.steps == (1,) and way.align >= min(QUAD_BYTES, quad * way.itemsize):
        return _QUAD_NS * way.itemsize / QUAD_BYTES
    far = max(map(abs, way.steps)) * way.itemsize >= LINE_BYTES
    return _FAR_NS if far else _NEAR_NS
