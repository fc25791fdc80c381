"""How rows are sorted: keys in the elements' order, sorted runs of a few, and merges of two each.

Keys are words, or pairs of words, in rows without gaps that start at multiples of 16 bytes, and
beside each key lies its place: the index that it had in its row. All arithmetic is on those.
"""

from __future__ import annotations

from functools import lru_cache

from dml_vk.kernels import rounds
from dml_vk.kernels.dims import Dim, offsets
from dml_vk.kernels.kernel import COMPUTED_RANK, INDEX_SPEC, WORDS_SPEC, Kernel, index_push
from dml_vk.kernels.paths import Path, plan_of, rows
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.tasks import Task, quads_a_unit, seen_by_plans, task_of
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

PLACE_BYTES = 4
RUN = 16  # what one invocation sorts by a network
PITCH = 4  # rows start at multiples of so many elements
# What an invocation merges: more is less searching, and less work that can be done side by side.
_CPU_CHUNK, _GPU_CHUNK = 256, 32
# What an element takes one slow core, by the bytes of its key.
_KEY_NS, _RUN_NS, _MERGE_NS = {4: 3.0, 8: 5.0}, {4: 5.0, 8: 8.0}, {4: 9.0, 8: 14.0}

_KEY_SPEC = (*WORDS_SPEC, "OP", "BEFORE", "SCALARS", "TYPE", "COMMON", "A_TYPE")
_ROW_PUSH = (("pitch", 1), ("run", 1), ("chunk", 1))
_BY_WORDS = {"32": {"KEY_WORDS": "1"}, "64": {"KEY_WORDS": "2"}}

KERNELS = (
    Kernel(
        "sort_key_words",
        bindings=("a_words", "Dst"),
        writes=("Dst",),
        spec=_KEY_SPEC,
        push=index_push(("a_base", "dst_base"), COMPUTED_RANK[1], (("scalars", 4),)),
        variants={"32": {"BITS": "32"}, "64": {"BITS": "64"}},
        body="sort_key",
    ),
    Kernel(
        "sort_runs",
        bindings=("Keys", "Dst"),
        writes=("Keys", "Dst"),
        spec=INDEX_SPEC,
        push=index_push(("keys_base", "dst_base"), 1, _ROW_PUSH),
        variants=_BY_WORDS,
    ),
    Kernel(
        "sort_merge",
        bindings=("Keys", "Places", "Merged", "Dst"),
        writes=("Merged", "Dst"),
        spec=INDEX_SPEC,
        push=index_push(("keys_base", "places_base", "merged_base", "dst_base"), 1, _ROW_PUSH),
        variants=_BY_WORDS,
    ),
)


def plan_keys(
    sizes: Ints,
    elements: tuple[Ints, int, int],
    keys: tuple[Ints, int, int],
    dtype_code: int,
    limits: Limits,
) -> Plan:
    """Keys of elements, told a mask that turns the order round.

    Operands are (strides, offset, item size).
    """
    return _keys(
        sizes,
        *seen_by_plans((elements, keys)),
        dtype_code,
        limits.max_invocations,
        quads_a_unit(limits),
    )


@lru_cache(maxsize=1024)
def _keys(
    sizes: Ints,
    strides: tuple[Ints, ...],
    bases: Ints,
    itemsizes: Ints,
    dtype_code: int,
    invocations: int,
    quads: int,
) -> Plan:
    rank = COMPUTED_RANK[1]
    task, starts = task_of(sizes, strides, bases, itemsizes, rank, quads)
    path = rows(task).costing(_KEY_NS[itemsizes[-1]])
    module = f"sort_key_words_{8 * itemsizes[-1]}"
    launches = offsets(task.outer, starts)
    spec = (0, 0, 0, dtype_code, dtype_code, dtype_code)
    return plan_of(
        module, task, path, rank, launches, invocations, sources=itemsizes[:1], spec=spec
    )


@lru_cache(maxsize=1024)
def plan_runs(count: int, length: int, pitch: int, key_bytes: int, limits: Limits) -> Plan:
    """Sort runs of each row in place, and write their places."""
    told = (pitch, RUN, RUN)
    return _over_rows("sort_runs", count, length, told, _RUN_NS, (key_bytes, PLACE_BYTES), limits)


@lru_cache(maxsize=1024)
def plan_merge(
    count: int, length: int, pitch: int, run: int, key_bytes: int, limits: Limits
) -> Plan:
    """Make one of each two runs of a row, from keys and places to other keys and places."""
    most = _CPU_CHUNK if limits.wants_few_groups else _GPU_CHUNK
    told = (pitch, run, min(most, 2 * run))
    itemsizes = (key_bytes, PLACE_BYTES) * 2
    return _over_rows("sort_merge", count, length, told, _MERGE_NS, itemsizes, limits)


def _over_rows(
    kernel: str,
    count: int,
    length: int,
    told: Ints,
    element_ns: dict[int, float],
    itemsizes: Ints,
    limits: Limits,
) -> Plan:
    """A unit is what the last word that the kernel is told says, in elements of one row."""
    key_bytes, chunk = itemsizes[0], told[-1]
    dims = [Dim((1, 1), 1)]
    groups = -(-length // chunk)
    task = Task(dims, [], itemsizes, (0,) * len(itemsizes), quads_a_unit(limits))
    path = Path(
        kernel.removeprefix("sort_"),
        dims,
        (),
        count * groups,
        0,
        groups,
        extent=length,
        unit_ns=chunk * element_ns[key_bytes],
        unit_rounds=rounds.merge(told[1], chunk, RUN) if kernel == "sort_merge" else 0,
        elements=chunk,
    )
    launches = [(0,) * len(itemsizes)]
    return plan_of(
        *(f"{kernel}_{8 * key_bytes}", task, path, 1, launches, limits.max_invocations),
        sources=itemsizes[:-1],
        tail=told,
        inside=(count, length),
    )
