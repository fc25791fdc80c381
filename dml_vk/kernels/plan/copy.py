"""Plan copies between layouts of equal sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import (
    BY_BITS,
    BY_WORDS,
    INDEX_SPEC,
    MAX_RANK,
    PACKED_SPEC,
    READS,
    TILE_SPEC,
    WORDS_SPEC,
    WRITES,
    Kernel,
    by_name,
    index_push,
)
from dml_vk.kernels.plan import transfer
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import COPY, Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.flat import apart, flat
from dml_vk.kernels.plan.paths import Path, interleaved, plan_of, rows, tile
from dml_vk.kernels.plan.tasks import Operand, Task, starts_of, task_of, widest
from dml_vk.limits import Profile

_PUSH = index_push(("src_base", "dst_base"), MAX_RANK)
KERNELS = (
    Kernel(
        "copy_words",
        by_position=True,
        inlines=(READS, WRITES),
        rests=(),
        bindings=("Src", "Dst"),
        spec=WORDS_SPEC,
        push=_PUSH,
        variants=BY_WORDS,
    ),
    Kernel(
        "copy_packed",
        by_position=True,
        inlines=(READS, WRITES),
        rests=(),
        bindings=("Src", "Dst"),
        spec=PACKED_SPEC,
        push=_PUSH,
        variants=BY_BITS,
    ),
    Kernel(
        "copy_zip",
        by_position=True,
        inlines=(READS, WRITES),
        rests=(),
        bindings=("Src", "Dst"),
        spec=(*INDEX_SPEC, "CHANNELS", "ZIP"),
        push=_PUSH,
        variants={bits: {"BITS": bits} for bits in ("8", "16", "32")},
    ),
    Kernel(
        "copy_tile",
        by_position=True,
        inlines=(READS, WRITES),
        rests=(),
        bindings=("Src", "Dst"),
        spec=TILE_SPEC,
        push=_PUSH,
        variants={bits: {"BITS": bits} for bits in ("8", "16", "32", "64")},
    ),
)
_BY_NAME = by_name(KERNELS)


@lru_cache(maxsize=64)
def plan_flat_copy(nbytes: int, past: int, profile: Profile) -> Plan:
    """Plan a copy of a range of bytes by a kernel, to a start that is a multiple of 16.

    That of the source is `past` such a multiple. Words are copied if it is one of 4.
    """
    itemsize = 4 if (nbytes | past) % 4 == 0 else 1
    sizes, strides = (nbytes // itemsize,), ((1,), (1,))
    task, _ = task_of(sizes, strides, (past, 0), (itemsize, itemsize), MAX_RANK, profile)
    task = widest(task)
    path = flat(task) or rows(task)
    return _plan(task, path, ((0, 0),))


@cached_plan(4096, src_offset="itemsize", dst_offset="itemsize")
def plan_copy(
    sizes: Ints,
    src_strides: Ints,
    dst_strides: Ints,
    itemsize: int,
    src_offset: int,
    dst_offset: int,
    profile: Profile,
) -> Plan:
    """Plan a copy from src to dst.

    The elements of dst must not overlap each other, nor those of src.
    """
    source = Operand(src_strides, src_offset, itemsize)
    target = Operand(dst_strides, dst_offset, itemsize)
    computed = Computed(COPY, sizes, (source, target), ())
    strides, bases = (src_strides, dst_strides), (src_offset * itemsize, dst_offset * itemsize)
    task, starts = task_of(sizes, strides, bases, (itemsize, itemsize), MAX_RANK, profile)
    simple = transfer.copied(task, starts)
    if simple is not None:
        return replace(simple, computed=computed)
    task = widest(task)
    path = flat(task) or interleaved(task) or tile(task) or apart(task) or rows(task)
    plan = _plan(task, path, offsets(task.outer, starts_of(task, bases)))
    return replace(plan, computed=computed)


def _plan(task: Task, path: Path, launches: Sequence[Ints]) -> Plan:
    kernel = _BY_NAME[f"copy_{path.name}"]
    return plan_of(kernel, str(8 * task.itemsize), task, path, launches, sources=(task.itemsize,))
