"""Plan chains of elementwise operations as one kernel."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.elementwise import COMPUTED, element_rounds
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import BASES, Plan
from dml_vk.kernels.plan.chain import COPY, FILL, WORD, AccessPattern, Chain, Recipe
from dml_vk.kernels.plan.chain_rows import Row, RowAccess, access_of, rows_of
from dml_vk.kernels.plan.dims import ascending
from dml_vk.kernels.plan.flat import flat_lanes
from dml_vk.kernels.plan.nodes import has_rare, of_parts, scalar_places, scalar_words
from dml_vk.kernels.plan.paths import LINE_BYTES, MAX_DIVIDEND, local_size
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand
from dml_vk.limits import Profile

FUSED = "fused"  # in place of a module's name
# Of all in a kernel that compute with pairs of float64, which a driver compiles for each element of
# a step. Those that take longest gain least by a pass that is saved: see docs/programs.md.
_MOST_LONG_NS = 240.0
# Estimated times on one slow core: of a quad that is moved, and of an element that is moved alone,
# near the one before or far from it.
QUAD_NS, NEAR_NS, FAR_NS = 4.0, 2.0, 6.0
# Of an element that is written alone, as a part of a word: anywhere, and at the ends of rows.
PART_NS, _END_NS = 6.0, 20.0
_MOST_STEPS = 32  # of a unit that has a bit for each


def plan_fused(chain: Chain, profile: Profile) -> Plan | None:
    """Plan one kernel for a chain; None where there must be several.

    A launch takes the accesses of what is read, then of what is written, and `params_of` as its
    params. Elements that are written may be those that are read, at the same index.
    """
    reads = tuple([operand.residue() for operand in chain.reads])
    writes = tuple([(value, operand.residue()) for value, operand in chain.writes])
    return _planned(chain._replace(reads=reads, writes=writes), profile)


def params_of(chain: Chain, words: Sequence[Ints]) -> Ints:
    """The params of a launch, from those that each node would have in a launch of its own."""
    return tuple(
        [
            own[word]
            for node, own in zip(chain.nodes, words)
            for word in scalar_places(node.kernel, node.spec)
        ]
    )


def is_known(chain: Chain) -> bool:
    """Whether all its nodes can be computed beside others."""
    kernels = [node.kernel for node in chain.nodes if node.kernel not in (COPY, FILL)]
    families = [COMPUTED[kernel] for kernel in kernels if kernel in COMPUTED]
    long_ns = sum([family.ns for family in families if family.is_long])
    return len(families) == len(kernels) and long_ns <= _MOST_LONG_NS


def node_rounds(chain: Chain) -> int:
    """The most loop iterations that an element takes."""
    return sum(
        [
            element_rounds(kernel, *spec[:2]) * (1 + (of_parts(kernel, spec) is not None))
            for kernel, spec, _ in chain.nodes
            if kernel in COMPUTED
        ]
    )


def _is_supported(chain: Chain, operands: Sequence[Operand], profile: Profile) -> bool:
    if math.prod(chain.sizes) >= MAX_DIVIDEND or len(operands) > profile.max_storage_buffers:
        return False
    words = BASES + len(operands)
    return is_known(chain) and (
        WORD * (words + scalar_words(chain.nodes)) <= profile.max_push_bytes
    )


@functools.lru_cache(maxsize=1024)
def _planned(chain: Chain, profile: Profile) -> Plan | None:
    operands = (*chain.reads, *[operand for _, operand in chain.writes])
    if not _is_supported(chain, operands, profile):
        return None
    dims, starts = ascending(chain.sizes, [operand.strides for operand in operands])
    writes = len(chain.writes)
    plans: list[tuple[float, Plan]] = []
    for row in rows_of(operands, dims, profile, writes, computing_ns(chain)):
        access = access_of(row, operands, dims, starts, writes)
        plan = _plan(chain, row, access, starts, profile)
        if not access.alone:
            return plan
        if plan is not None:
            plans.append((plan.units * plan.unit_ns, plan))
    return min(plans, key=operator.itemgetter(0), default=(0.0, None))[1]


def _plan(chain: Chain, row: Row, access: RowAccess, starts: Ints, profile: Profile) -> Plan | None:
    lanes = flat_lanes(profile) if profile.coalesces else profile.lanes
    recipe = Recipe(
        local_size(profile, lanes),
        lanes,
        tuple([dim.size for dim in row.outer]),
        tuple([dim.size for dim in row.dims]),
        access.unit,
        row.quad,
        row.step,
        access.least,
        access.patterns,
        chain.nodes,
        tuple([value for value, _ in chain.writes]),
        access.phase,
        access.shares,
    )
    rows, left = math.prod(recipe.rows), recipe.left
    units = rows * (recipe.groups + (left > 0)) if 0 not in chain.sizes else 0
    each = node_rounds(chain)
    most = max(
        rounds.loop(recipe.unit // recipe.step, recipe.quad * each),
        rounds.loop(left // recipe.least, (recipe.quad if row.across else recipe.least) * each),
    )
    if has_rare(chain.nodes):
        most *= 2  # Steps with rare values are made twice.
        if max(recipe.unit // recipe.step, left // recipe.least) > _MOST_STEPS:
            return None
    if most > rounds.MOST:
        return None
    moved_ns = sum([_moved_ns(pattern, recipe.quad) for pattern in recipe.patterns])
    elements = math.prod(chain.sizes) / max(1, units)  # the last of a row may have fewer
    ends = 0 if row.across or recipe.least > 1 else left  # of a row, written one by one
    small = [pattern.itemsize < WORD for pattern in recipe.patterns[len(chain.reads) :]]
    parts_ns = PART_NS * elements * len(access.alone)
    parts_ns += _END_NS * ends * sum(small) * rows / max(1, units)
    return Plan(
        module=FUSED,
        spec=(recipe.local_size, recipe.lanes),
        push=(0, units, *(0 for _ in recipe.patterns)),
        units=units,
        unit_ns=elements * (computing_ns(chain) + moved_ns) + parts_ns,
        unit_rounds=most,
        base_bytes=tuple([pattern.itemsize for pattern in recipe.patterns]),
        launches=(starts,),
        shares_words=recipe.shares,
        path=FUSED,
        sizes=tuple([n for n in (*recipe.rows[::-1], *recipe.row[::-1]) if n != 1]),
        recipe=recipe,
    )


def computing_ns(chain: Chain) -> float:
    """The estimated time of computing an element."""
    return sum(
        [
            COMPUTED[kernel].ns * (1 + (of_parts(kernel, spec) is not None))
            for kernel, spec, _ in chain.nodes
            if kernel in COMPUTED
        ]
    )


def _moved_ns(pattern: AccessPattern, quad: int) -> float:
    """The estimated time of moving an element."""
    if pattern.steps == (0,):
        return 0.0
    step = max(map(abs, pattern.steps))
    if len(pattern.across) > 1:
        step = pattern.across[1] - pattern.across[0]
    if step == 1 and pattern.align >= min(QUAD_BYTES, quad * pattern.itemsize):
        return QUAD_NS * pattern.itemsize / QUAD_BYTES
    return FAR_NS if abs(step) * pattern.itemsize >= LINE_BYTES else NEAR_NS
