"""Plan kernels that generate elements instead of reading them, into any layout.

They are planned like a copy from a virtual source, whose addresses are the elements' indexes in
logical row-major order. Their own parameters, such as the value of a fill, are appended to the
plan's push block at launch.
"""

from __future__ import annotations

from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import (
    BY_BITS,
    BY_WORDS,
    MADE_RANK,
    PACKED_SPEC,
    WORDS_SPEC,
    WRITES,
    Kernel,
    by_name,
    index_push,
)
from dml_vk.kernels.plan import draws, transfer
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import FILL, Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.draws import DRAWN_NS, DRAWN_RANK, DRAWN_ROUNDS
from dml_vk.kernels.plan.paths import plan_of, rows
from dml_vk.kernels.plan.rounds import loop
from dml_vk.kernels.plan.tasks import starts_of, task_of, widest
from dml_vk.limits import Profile
from dml_vk.strides.order import packed_strides, row_major

_FILL_PUSH = index_push(("dst_base",), MADE_RANK, (("value", 4),))
_SEQUENCE_PUSH = index_push(
    ("dst_base",), MADE_RANK, (("index_base", 1), ("start", 2), ("delta", 2))
)
_PHILOX_PUSH = index_push(
    ("state_base", "dst_base"), MADE_RANK, (("index_base", 1), ("counter", 4), ("key", 2))
)
_WORDS_32, _WORDS_64 = BY_WORDS["32"], BY_WORDS["64"]
_INTEGER = "sequence_int(i, start, delta)"
_FLOAT = "sequence_float(i, start, delta, {}u, {}u)"
KERNELS = (
    Kernel(
        "fill_words",
        inlines="a chain has the value itself",
        bindings=("Dst",),
        spec=WORDS_SPEC,
        push=_FILL_PUSH,
        params=("value",),
        variants=BY_WORDS,
    ),
    Kernel(
        "fill_packed",
        inlines="a chain has the value itself",
        bindings=("Dst",),
        spec=PACKED_SPEC,
        push=_FILL_PUSH,
        params=("value",),
        variants=BY_BITS,
    ),
    Kernel(
        "sequence_words",
        inlines=(WRITES,),
        bindings=("Dst",),
        spec=WORDS_SPEC,
        push=_SEQUENCE_PUSH,
        params=("start", "delta"),
        variants={
            "int32": {**_WORDS_32, "ELEMENT": _INTEGER},
            "int64": {**_WORDS_64, "ELEMENT": _INTEGER},
            "float32": {**_WORDS_32, "ELEMENT": _FLOAT.format(23, 8)},
            "float64": {**_WORDS_64, "ELEMENT": _FLOAT.format(52, 11)},
        },
    ),
    Kernel(
        "sequence_packed",
        inlines=(WRITES,),
        bindings=("Dst",),
        spec=PACKED_SPEC,
        push=_SEQUENCE_PUSH,
        params=("start", "delta"),
        variants={
            "int8": {"BITS": "8", "ELEMENT": _INTEGER},
            "int16": {"BITS": "16", "ELEMENT": _INTEGER},
            "float16": {"BITS": "16", "ELEMENT": _FLOAT.format(10, 5)},
        },
    ),
    Kernel(
        "philox_words",
        inlines=(WRITES,),
        bindings=("State", "Dst"),
        spec=(*WORDS_SPEC, "FROM_BUFFER"),
        push=_PHILOX_PUSH,
        params=("counter", "key"),
        variants={
            "uint32": {**_WORDS_32, "MAKE": ""},
            "uint64": {**_WORDS_64, "MAKE": ""},
            "float32": {**_WORDS_32, "MAKE": "uniform32"},
            "float64": {**_WORDS_64, "MAKE": "uniform64"},
        },
    ),
    Kernel(
        "philox_packed",
        inlines=(WRITES,),
        bindings=("State", "Dst"),
        spec=(*PACKED_SPEC, "FROM_BUFFER"),
        push=_PHILOX_PUSH,
        params=("counter", "key"),
        variants={"float16": {"BITS": "16", "MAKE": "uniform16"}},
    ),
    Kernel(
        "philox_advance",
        inlines="it moves a state on",
        bindings=("State", "Dst"),
        writes=("State", "Dst"),
        spec=("LOCAL_SIZE",),
        push=(
            *(("first", 1), ("end", 1), ("state_base", 1), ("dst_base", 1)),
            *(("blocks", 1), ("state_stride", 1), ("dst_stride", 1)),
        ),
        variants={"uint32": {}},
    ),
    *draws.KERNELS,
)
_BY_NAME = by_name(KERNELS)
# Estimated time per element on one slow core, by the kind of its dtype, without writing it.
_ELEMENT_NS = {"sequence": {"f": 14.0, "i": 3.0}, "philox": {"f": 5.0, "u": 5.0}, **DRAWN_NS}
_ELEMENT_ROUNDS = {"sequence": 3 * loop(4), "philox": 0, **DRAWN_ROUNDS}


@cached_plan(offset="itemsize")
def plan_fill(sizes: Ints, strides: Ints, itemsize: int, offset: int, profile: Profile) -> Plan:
    """Plan a fill with one value, which is passed as a pattern of 16 bytes."""
    computed = Computed(FILL, sizes, ((strides, offset, itemsize),), ())
    # The virtual source does not matter; this one is as contiguous as the destination.
    both = (strides, strides), (offset * itemsize,) * 2, (itemsize, itemsize)
    task, (_, start) = task_of(sizes, *both, MADE_RANK, profile)
    simple = transfer.filled(task, start)
    if simple is not None:
        return replace(simple, computed=computed)
    task = widest(task)
    launches = [(dst,) for _, dst in offsets(task.outer, starts_of(task, both[1]))]
    path = rows(task)
    kernel, variant = _BY_NAME[f"fill_{path.name}"], str(8 * task.itemsize)
    return replace(plan_of(kernel, variant, task, path, launches), computed=computed)


@cached_plan(offset="itemsize")
def plan_indexed(
    kernel: str,
    dtype: str,
    sizes: Ints,
    strides: Ints,
    itemsize: int,
    offset: int,
    profile: Profile,
    *,
    first: int = 0,
    whole: Ints = (),
    sources: Ints = (),
    constants: tuple[tuple[str, int], ...] = (),
) -> Plan | None:
    """Plan elements computed from their indexes; None where the dims do not fit one launch.

    Indexes are those in an array of the sizes `whole`, of which these are a part whose first
    element has the index `first`. The kernel also reads buffers, whose bases have the granularities
    `sources`, in bytes.
    """
    indexes = packed_strides(whole or sizes, row_major(len(sizes)))
    rank = DRAWN_RANK if kernel in DRAWN_NS else MADE_RANK
    bases, itemsizes = (first * itemsize, offset * itemsize), (itemsize, itemsize)
    task, (moved, start) = task_of(sizes, (indexes, strides), bases, itemsizes, rank, profile)
    if task.outer:
        return None
    path = rows(task).costing(_ELEMENT_NS[kernel][dtype[0]], _ELEMENT_ROUNDS[kernel])
    launches = [(*(0 for _ in sources), start)]
    return plan_of(
        *(_BY_NAME[f"{kernel}_{path.name}"], dtype, task, path, launches),
        sources=sources,
        push={"index_base": first + moved},
        constants=dict(constants),
    )
