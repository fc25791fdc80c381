"""Plan kernels with inlined chains: on the elements that they read, or write, at one binding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import READS, WRITES
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import BASES, Load, Plan
from dml_vk.kernels.plan.chain import WORD, Chain, Inlined, InlinedChain, row_align
from dml_vk.kernels.plan.dims import Dim, ascending, dense
from dml_vk.kernels.plan.fused import (
    FAR_NS,
    NEAR_NS,
    PART_NS,
    QUAD_NS,
    computing_ns,
    is_known,
    node_rounds,
)
from dml_vk.kernels.plan.nodes import has_rare, scalar_words
from dml_vk.kernels.plan.paths import LINE_BYTES
from dml_vk.kernels.plan.recompute import recompute_ns
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.kernels.registry import OF_MODULES
from dml_vk.limits import Profile
from dml_vk.spirv.module import Member
from dml_vk.spirv.outline import Outline

# A chain is written as often as a kernel's text loads or stores words: what it then takes to
# compile, by its time in nanoseconds and its nodes. What is read several times is computed by less
# than a CPU keeps of a kernel's instructions.
_MOST_TEXT, _MOST_UNROLLED = 1024, 384


class InlinedPlan(NamedTuple):
    """A kernel with a chain inlined, and what its operands are."""

    plan: Plan
    through: int | None  # the operand of the chain that is at the kernel's binding
    moved: int  # bytes from its first element to where the kernel counts from
    others: Ints  # those at further bindings, in order
    filled: int  # words that the kernel's own params lack


class Passing(NamedTuple):
    """The elements that pass from a kernel to a chain, or from a chain to a kernel."""

    binding: int
    operand: Operand
    number: int  # among what the chain reads, or writes
    is_read: bool  # by the kernel
    apart: int  # elements from the first to where the kernel counts from


def kernel_for(plan: Plan, passing: Passing, chain: Chain) -> Inlined | None:
    """The kernel that a chain would be inlined into: None if it is not suited, whatever its module.

    Planning goes on with the outline of its module, which `codegen.inlined` has.
    """
    kernel = kernel_of(plan)
    if kernel is None or not _is_suited(plan, kernel, passing, chain):
        return None
    row = OF_MODULES[module_of(kernel)]
    if row.tile and not passing.is_read and kernel.kernel is None:
        constants = dict(zip(row.spec, plan.spec, strict=True))
        kernel = kernel._replace(spec=row.constants({**constants, "BY_ROWS": 1}))
    return kernel


def plan_inlined(
    plan: Plan,
    kernel: Inlined,
    params: int,
    passing: Passing,
    chain: Chain,
    profile: Profile,
    outline: Outline,
) -> InlinedPlan | None:
    """Plan one launch for a kernel, which has so many words of params, and a chain.

    What passes must be all that the kernel writes at its binding, or all that it may read there and
    the only result of the chain: the kernel may read some elements several times, others never.
    The launch takes the kernel's accesses, of which that of the binding is replaced, and the others
    of the chain. `kernel` is what `kernel_for` returns, and `outline` that of its module, at the
    binding.
    """
    if kernel.kernel is None:
        plan = replace(plan, spec=kernel.spec)
    joined = _joined(plan, passing, chain)
    if joined is None:
        return None
    if outline.narrowest * WORD < passing.operand.itemsize:
        return None  # Its halves are moved one after the other.
    inlined, through, others = joined
    work = _work(plan, kernel, passing, chain, outline)
    bindings = len(plan.base_bytes) + len(others)
    if not work.is_short or work.rounds > rounds.MOST or bindings > profile.max_storage_buffers:
        return None
    words = BASES + bindings + scalar_words(chain.nodes)
    fixed = _folded(outline.push, plan, profile.max_push_bytes // WORD - words)
    if fixed is None:
        return None
    own, folded = fixed
    moves = _moves(inlined, outline)
    combined = replace(
        plan,
        recipe=Inlined("", (), False, len(plan.base_bytes), kernel, inlined, folded),
        computed=None,  # It has more operands now.
        fma=False,
        push=(0, plan.units, *(0,) * bindings, *_words_of_members(plan.push, own)),
        unit_ns=_unit_ns(plan, chain, work.elements, sum(moves)),
        unit_rounds=work.rounds,
        base_bytes=(*plan.base_bytes, *[operand.itemsize for operand in inlined.operands]),
        launches=((*plan.launches[0], *(0,) * len(others)),),
        shares_words=plan.shares_words or PART_NS in moves,
    )
    end = max([member.start + member.words for member in outline.push])
    moved = passing.apart * passing.operand.itemsize
    return InlinedPlan(combined, through, moved, others, max(0, end - len(plan.push) - params))


def _is_suited(plan: Plan, kernel: Inlined, passing: Passing, chain: Chain) -> bool:
    """Whether a kernel could compute a chain, as far as that is known without its module."""
    is_once = OF_MODULES[module_of(kernel)].takes_chain(READS if passing.is_read else WRITES)
    if not is_once and _load(plan, passing) is None:
        return False
    if len(plan.launches) != 1 or plan.arguments or not is_known(chain) or 0 in chain.sizes:
        return False
    if plan.base_bytes[passing.binding] % passing.operand.itemsize:
        return False
    # A CPU would execute their slow branches.
    return not has_rare(chain.nodes)


def _load(plan: Plan, passing: Passing) -> Load | None:
    """What a work item reads where each element may be read several times."""
    if not passing.is_read or passing.binding >= len(plan.loads):
        return None
    return plan.loads[passing.binding]


def _joined(
    plan: Plan, passing: Passing, chain: Chain
) -> tuple[InlinedChain, int | None, Ints] | None:
    """(how a chain is inlined, its operand that is at the kernel's binding, all the others)."""
    binding, passed, number, is_read, apart = passing
    operands = [*chain.reads, *[operand for _, operand in chain.writes]]
    reads = len(chain.reads)
    ours = number + (reads if is_read else 0)
    candidates = range(reads) if is_read else range(reads, len(operands))
    through = next((k for k in candidates if _is_alike(operands[k], passed)), None)
    others = [k for k in range(len(operands)) if k not in (ours, through)]
    dims, starts = ascending(chain.sizes, [*[operands[k].strides for k in others], passed.strides])
    if dense(dims) < len(dims) or any(starts):
        return None
    values = [value for value, _ in chain.writes]
    replaced, unit = ours if is_read else through, plan.base_bytes[binding] // passed.itemsize
    inlined = InlinedChain(
        binding,
        passed.itemsize,
        unit,
        plan.launches[0][binding] * unit + apart,
        math.gcd(QUAD_BYTES, passed.offset * passed.itemsize),
        tuple([dim.size for dim in dims]),
        tuple([_chain_operand(operands[k], number, dims) for number, k in enumerate(others)]),
        tuple([k for k in others if k < reads]),
        tuple([values[k - reads] for k in others if k >= reads]),
        reads,
        chain.nodes,
        through if is_read else ours,
        None if replaced is None else values[replaced - reads],
    )
    return inlined, through, tuple(others)


class _Work(NamedTuple):
    """What a kernel does in addition when it computes a chain."""

    elements: float  # that it computes in all
    rounds: int
    is_short: bool  # to compile, and for the caches of a CPU


def _work(plan: Plan, kernel: Inlined, passing: Passing, chain: Chain, outline: Outline) -> _Work:
    size, each, load = passing.operand.itemsize, node_rounds(chain), _load(plan, passing)
    text = outline.words * max(1, WORD // size)
    if load is not None:
        unit = plan.base_bytes[passing.binding] // size
        if outline.widest == 1 and size < WORD:
            unit *= WORD // size  # It reads an element, and all that are in its word are computed.
        elements = math.ceil(load.elements * unit)
        most = max(text, load.unrolled * unit) * (len(chain.nodes) + recompute_ns(chain.nodes))
        total = plan.unit_rounds * (1 + each) + each * -(-elements // load.lanes)
        return _Work(float(plan.units * elements), total, most <= _MOST_UNROLLED)
    most = plan.unit_rounds + each * (plan.unit_rounds + 1) * text
    row = OF_MODULES[module_of(kernel)]
    if row.tile and not passing.is_read and kernel.kernel is None:
        down, text = [plan.spec[row.spec.index(name)] for name in row.tile]
        most = plan.unit_rounds + rounds.loop(down, text * each)
    is_short = text * (len(chain.nodes) + computing_ns(chain)) <= _MOST_TEXT
    return _Work(float(math.prod(chain.sizes)), most, is_short)


def _unit_ns(plan: Plan, chain: Chain, evaluated: float, moved_ns: float) -> float:
    """The estimated time of a work item that computes a chain too."""
    count = math.prod(chain.sizes)
    added_ns = min(count, evaluated) * computing_ns(chain) + evaluated * moved_ns
    added_ns += max(0.0, evaluated - count) * recompute_ns(chain.nodes)
    return plan.unit_ns + max(added_ns / plan.units, -plan.unit_ns / 2)


def _chain_operand(operand: Operand, number: int, dims: Sequence[Dim]) -> Operand:
    over = operand._replace(strides=tuple([dim.strides[number] for dim in dims]))
    return over._replace(offset=row_align(over) // over.itemsize).residue()


def _moves(inlined: InlinedChain, outline: Outline) -> list[float]:
    """The estimated time of moving an element of each operand."""
    count = outline.widest * WORD // inlined.itemsize
    count = count if inlined.runs(count) else 1
    moves = []
    if None in (inlined.through, inlined.result):  # It moves nothing itself.
        moves.append(-QUAD_NS * inlined.itemsize / QUAD_BYTES if count > 1 else -NEAR_NS)
    for k, operand in enumerate(inlined.operands):
        width = inlined.width(operand, count)
        if k >= len(inlined.reads) and operand.itemsize < WORD and width < WORD:
            moves.append(PART_NS)
        elif count > 1 and (
            operand.strides[0] == 0 or width >= min(count * operand.itemsize, QUAD_BYTES)
        ):
            moves.append(QUAD_NS * operand.itemsize / QUAD_BYTES)
        else:
            is_far = abs(operand.strides[0]) * operand.itemsize >= LINE_BYTES
            moves.append(FAR_NS if is_far else NEAR_NS)
    return moves


def _folded(
    push: Sequence[Member], plan: Plan, most: int
) -> tuple[list[Member], tuple[Ints, ...]] | None:
    """(what stays of the push block, what becomes constants), to leave at most so many words.

    What is not used goes first. Sizes as constants mean another kernel for each shape.
    """
    own = [member for member in push if member.start >= BASES + len(plan.base_bytes)]
    known = [
        member
        for member in own
        if member.is_static and member.start + member.words <= len(plan.push)
    ]
    for gone in ([], [member for member in known if not member.is_used], known):
        left = [member for member in own if member not in gone]
        if sum([member.words for member in left]) <= most:
            values = [
                (member.start, plan.push[member.start : member.start + member.words])
                for member in gone
            ]
            return left, tuple([(start, *words) for start, words in values])
    return None


def module_of(kernel: Inlined) -> str:
    """The module that chains are inlined into."""
    return kernel.module if kernel.kernel is None else module_of(kernel.kernel)


def used_by(kernel: Inlined) -> list[int]:
    """The bindings that a kernel uses, those of its chains' operands among them."""
    if kernel.kernel is None:
        return OF_MODULES[kernel.module].used(kernel.spec)
    own = kernel.inlined
    assert own is not None
    return [*used_by(kernel.kernel), *range(kernel.bindings, kernel.bindings + len(own.operands))]


def kernel_of(plan: Plan) -> Inlined | None:
    """The kernel of a plan, if chains can be inlined into it."""
    if plan.module in (COPY, FILL):  # commands of the runtime's
        return None
    if plan.recipe is None:
        return Inlined(plan.module, plan.spec, plan.fma, len(plan.base_bytes))
    return plan.recipe if isinstance(plan.recipe, Inlined) else None


def _is_alike(operand: Operand, other: Operand) -> bool:
    """Whether elements are at the same places from their bases, which are as well aligned."""
    at = [operand.offset * operand.itemsize % QUAD_BYTES for operand in (operand, other)]
    return operand[::2] == other[::2] and at[0] == at[1]


def _words_of_members(push: Ints, members: Iterable[Member]) -> Iterable[int]:
    """The words of a push block that belong to these members."""
    for start, words, *_ in members:
        yield from push[start : start + words]
