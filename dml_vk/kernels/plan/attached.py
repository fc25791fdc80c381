"""Plan kernels with chains attached: to the elements that they read, or write, at one binding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import BASES, Plan
from dml_vk.kernels.plan.chain import Attached, Attachment, Chain, Operand
from dml_vk.kernels.plan.dims import ascending, dense
from dml_vk.kernels.plan.fused import computing_ns, is_known, node_rounds
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.kernels.spirv.attached import module_of, outline
from dml_vk.kernels.spirv.growing import Member
from dml_vk.kernels.spirv.nodes import scalar_words
from dml_vk.kernels.spirv.pieces import RARE
from dml_vk.limits import Profile
from dml_vk.strides.order import Ints

_WORD = 4
# Kernels that write each element once, and those that also read each once.
_READ_ONCE = ("reduce_", "scan_", "copy_")
_WRITTEN_ONCE = (
    *(*_READ_ONCE, "conv_", "depthwise_", "matmul_", "finish_", "rows_", "pool_"),
    *("resample_", "gather_"),
)
# Kernels that store tiles, at once or, if their last constant is set, row after row: a driver takes
# long to compile as many copies of a chain as a tile has elements.
_TILES = ("conv_", "matmul_tile_", "matmul_linear_tile_")
_ROWS = 6  # where their spec has the rows of a tile, and then its columns
_ALONE_NS = 2.0  # the estimated time to move an operand's element alone
# A chain is written as often as a kernel's text loads or stores words: what it then takes to
# compile, by its time in nanoseconds and its nodes.
_MOST_TEXT = 1024


class Attaching(NamedTuple):
    """A kernel with a chain attached, and what its operands are."""

    plan: Plan
    through: int | None  # the operand of the chain that is at the kernel's binding
    others: Ints  # those at further bindings, in order
    filled: int  # words that the kernel's own params lack


class Passing(NamedTuple):
    """The elements that pass from a kernel to a chain, or from a chain to a kernel."""

    binding: int
    operand: Operand
    number: int  # among what the chain reads, or writes
    is_read: bool  # by the kernel


def plan_attached(
    plan: Plan, params: int, passing: Passing, chain: Chain, profile: Profile
) -> Attaching | None:
    """Plan one launch for a kernel, which has so many words of params, and a chain.

    What passes must be all that the kernel reads or writes at its binding. The launch takes the
    kernel's accesses, of which that of the binding is replaced, and the others of the chain.
    """
    binding, passed, number, is_read = passing
    kernel = _kernel(plan)
    once = _READ_ONCE if is_read else _WRITTEN_ONCE
    if kernel is None or not module_of(kernel).startswith(once):
        return None
    if len(plan.launches) != 1 or plan.arguments or not is_known(chain):
        return None
    if any(node.kernel in RARE for node in chain.nodes):  # a CPU would execute their slow branches
        return None
    written = [operand for _, operand in chain.writes]
    operands = [*chain.reads, *written]
    reads = len(chain.reads)
    ours = number + (reads if is_read else 0)
    candidates = range(reads) if is_read else range(reads, len(operands))
    through = next((k for k in candidates if _is_alike(operands[k], passed)), None)
    others = [k for k in range(len(operands)) if k not in (ours, through)]
    dims, starts = ascending(chain.sizes, [*[operands[k].strides for k in others], passed.strides])
    is_dense = dense(dims) == len(dims) and not any(starts) and 0 not in chain.sizes
    if not is_dense or plan.base_bytes[binding] != passed.itemsize:
        return None
    if not is_read and (through is None or passed.itemsize < _WORD):
        return None
    if any(operands[k].itemsize < _WORD for k in others if k >= reads):
        return None
    is_tile = module_of(kernel).startswith(_TILES) and not is_read and kernel.kernel is None
    if is_tile:
        plan = replace(plan, spec=(*plan.spec[:-1], 1))
        kernel = kernel._replace(spec=plan.spec)
    found = outline(kernel, binding, is_read)
    if found is None:
        return None
    ns, each = computing_ns(chain), node_rounds(chain)
    text, most = found.words, plan.unit_rounds + each * (plan.unit_rounds + 1) * found.words
    if is_tile:
        down, text = plan.spec[_ROWS : _ROWS + 2]
        most = plan.unit_rounds + rounds.loop(down, text * each)
    if text * (len(chain.nodes) + ns) > _MOST_TEXT:
        return None
    bindings = len(plan.base_bytes) + len(others)
    if most > rounds.MOST or bindings > profile.max_storage_buffers:
        return None
    words = BASES + bindings + scalar_words(chain.nodes)
    fixed = _folded(found.push, plan, profile.max_push_bytes // _WORD - words)
    if fixed is None:
        return None
    own, folded = fixed
    values = [value for value, _ in chain.writes]
    replaced = ours if is_read else through
    assert replaced is not None
    attachment = Attachment(
        binding,
        passed.itemsize,
        plan.launches[0][binding],
        tuple([dim.size for dim in dims]),
        tuple(
            [
                (operands[k].itemsize, tuple([dim.strides[place] for dim in dims]))
                for place, k in enumerate(others)
            ]
        ),
        tuple([k for k in others if k < reads]),
        tuple([values[k - reads] for k in others if k >= reads]),
        reads,
        chain.nodes,
        through if is_read else ours,
        values[replaced - reads],
    )
    recipe = Attached("", (), False, len(plan.base_bytes), kernel, attachment, folded)
    count = math.prod(chain.sizes)
    moved = _ALONE_NS * len(others)
    made = replace(
        plan,
        recipe=recipe,
        computed=None,  # It has more operands now.
        fused=False,
        push=(0, plan.units, *(0,) * bindings, *_kept(plan.push, own)),
        unit_ns=plan.unit_ns + (ns + moved) * count / plan.units,
        unit_rounds=most,
        base_bytes=(*plan.base_bytes, *[operands[k].itemsize for k in others]),
        launches=((*plan.launches[0], *(0,) * len(others)),),
    )
    end = max([one.start + one.words for one in found.push])
    return Attaching(made, through, tuple(others), max(0, end - len(plan.push) - params))


def _folded(
    push: Sequence[Member], plan: Plan, most: int
) -> tuple[list[Member], tuple[Ints, ...]] | None:
    """(what stays of the push block, what becomes constants), to leave at most so many words.

    What is not used goes first. Sizes as constants mean another kernel for each shape.
    """
    own = [one for one in push if one.start >= BASES + len(plan.base_bytes)]
    known = [one for one in own if one.is_static and one.start + one.words <= len(plan.push)]
    for gone in ([], [one for one in known if not one.is_used], known):
        left = [one for one in own if one not in gone]
        if sum([one.words for one in left]) <= most:
            values = [(one.start, plan.push[one.start : one.start + one.words]) for one in gone]
            return left, tuple([(start, *words) for start, words in values])
    return None


def _kernel(plan: Plan) -> Attached | None:
    if plan.recipe is None:
        return Attached(plan.module, plan.spec, plan.fused, len(plan.base_bytes))
    return plan.recipe if isinstance(plan.recipe, Attached) else None


def _is_alike(one: Operand, other: Operand) -> bool:
    """Whether elements are at the same places from their bases, which are as well aligned."""
    at = [operand.offset * operand.itemsize % QUAD_BYTES for operand in (one, other)]
    return one[::2] == other[::2] and at[0] == at[1]


def _kept(push: Ints, members: Iterable[Member]) -> Iterable[int]:
    """The words of a push block that belong to these members."""
    for start, words, *_ in members:
        yield from push[start : start + words]
