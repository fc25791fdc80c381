"""Plan a merge sort of rows: elements to keys, short sorted runs, then pairwise merges.

Keys are unsigned integers of one or two words that order like the elements. They are stored in
contiguous rows that start at multiples of 16 bytes. Each key has a place: the index that it had in
its row.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import COMPUTED_RANK, INDEX_SPEC, WORDS_SPEC, Kernel, by_name, index_push
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, offsets
from dml_vk.kernels.plan.paths import NOTHING, Path, plan_of, rows
from dml_vk.kernels.plan.tasks import Operand, Task, columns_of, task_of
from dml_vk.limits import Profile

PLACE_BYTES = 4
RUN = 16  # elements that one invocation sorts by a network
PITCH = 4  # rows start at multiples of this many elements
# Estimated time per element on one slow core, by key size in bytes.
_KEY_NS, _RUN_NS, _MERGE_NS = {4: 3.0, 8: 5.0}, {4: 5.0, 8: 8.0}, {4: 9.0, 8: 14.0}

_OWN = "keys and places are no elements"
_KEY_SPEC = (*WORDS_SPEC, "OP", "BEFORE", "SCALARS", "TYPE", "COMMON", "A_TYPE")
_ROW_PUSH = (("pitch", 1), ("run", 1), ("chunk", 1))
_BY_KEY = {"32": {"KEY_WORDS": "1"}, "64": {"KEY_WORDS": "2"}}

KERNELS = (
    Kernel(
        "sort_key_words",
        by_position=True,
        inlines=_OWN,
        rests=(),
        bindings=("a_words", "Dst"),
        spec=_KEY_SPEC,
        push=index_push(("a_base", "dst_base"), COMPUTED_RANK[1], (("scalars", 4),)),
        params=("scalars",),
        variants={"32": {"BITS": "32"}, "64": {"BITS": "64"}},
        body="sort_key",
    ),
    Kernel(
        "sort_runs",
        by_position=True,
        inlines=_OWN,
        rests=(),
        bindings=("Keys", "Dst"),
        writes=("Keys", "Dst"),
        spec=INDEX_SPEC,
        push=index_push(("keys_base", "dst_base"), 1, _ROW_PUSH),
        variants=_BY_KEY,
    ),
    Kernel(
        "sort_merge",
        by_position=True,
        inlines=_OWN,
        rests=(),
        bindings=("Keys", "Places", "Merged", "Dst"),
        writes=("Merged", "Dst"),
        spec=INDEX_SPEC,
        push=index_push(("keys_base", "places_base", "merged_base", "dst_base"), 1, _ROW_PUSH),
        variants=_BY_KEY,
    ),
)
_BY_NAME = by_name(KERNELS)


@cached_plan()
def plan_keys(
    sizes: Ints,
    operands: Sequence[Operand],
    dtype_code: int,
    profile: Profile,
) -> Plan:
    """Plan the conversion of elements to keys; a mask in the scalars reverses the order.

    `operands` are the elements and the keys.
    """
    rank = COMPUTED_RANK[1]
    strides, bases, itemsizes = columns_of(operands)
    task, starts = task_of(sizes, strides, bases, itemsizes, rank, profile)
    path = rows(task).costing(_KEY_NS[itemsizes[-1]])
    kernel, variant = _BY_NAME["sort_key_words"], str(8 * itemsizes[-1])
    return plan_of(
        *(kernel, variant, task, path, offsets(task.outer, starts)),
        sources=itemsizes[:1],
        constants={
            "OP": 0,
            "BEFORE": 0,
            "SCALARS": 0,
            **dict.fromkeys(("TYPE", "COMMON", "A_TYPE"), dtype_code),
        },
    )


@cached_plan()
def plan_runs(count: int, length: int, pitch: int, key_bytes: int, profile: Profile) -> Plan:
    """Plan sorting the runs of each row in place, and writing their places."""
    itemsizes = (key_bytes, PLACE_BYTES)
    return _over_rows("sort_runs", count, length, (pitch, RUN, RUN), _RUN_NS, itemsizes, profile)


@cached_plan()
def plan_merge(
    count: int, length: int, pitch: int, run: int, key_bytes: int, profile: Profile
) -> Plan:
    """Plan merging each pair of runs of a row, out of place."""
    params = (pitch, run, min(profile.merge_chunk, 2 * run))
    itemsizes = (key_bytes, PLACE_BYTES) * 2
    return _over_rows("sort_merge", count, length, params, _MERGE_NS, itemsizes, profile)


def _over_rows(
    kernel: str,
    count: int,
    length: int,
    params: Ints,
    element_ns: dict[int, float],
    itemsizes: Ints,
    profile: Profile,
) -> Plan:
    """Plan a kernel over rows with `params` (pitch, run, chunk): a work item is one chunk."""
    key_bytes, (_, run, chunk) = itemsizes[0], params
    dims = [Dim((1, 1), 1)]
    groups = -(-length // chunk)
    task = Task(dims, [], itemsizes, (0,) * len(itemsizes), profile)
    path = Path(
        kernel.removeprefix("sort_"),
        dims,
        NOTHING,
        count * groups,
        0,
        groups,
        extent=length,
        unit_ns=chunk * element_ns[key_bytes],
        unit_rounds=rounds.merge(run, chunk, RUN) if kernel == "sort_merge" else 0,
        elements=chunk,
    )
    launches = [(0,) * len(itemsizes)]
    pitch, *_ = params
    return plan_of(
        *(_BY_NAME[kernel], str(8 * key_bytes), task, path, launches),
        sources=itemsizes[:-1],
        push={"pitch": pitch, "run": run, "chunk": chunk},
        inside=(count, length),
    )
