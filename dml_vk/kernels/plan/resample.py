"""Plan resampling: each element of dst is made from a few taps along each spatial dim of a source.

The kernel sees the source with stride 0 along its spatial dims, and two more sources without
memory: the index along the last spatial dim, and the linear index over the others. So dst may have
its dims in any order. A table has the positions of taps and their factors.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import PACKED_SPEC, SUMS, WORDS_SPEC, WRITES, Kernel, by_name, index_push
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets
from dml_vk.kernels.plan.paths import plan_of, rows
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of, in_bytes
from dml_vk.limits import Profile

_RANK = 4
_TAP_NS = 3.0  # one element that is read, on one slow core
_SPEC = ("TYPE", "SPATIAL", "TAPS")
_PUSH = index_push(("src_base", "table_base", "dst_base"), _RANK, (("scalars", 4),), 3)
KERNELS = tuple(
    [
        Kernel(
            f"resample_{path}",
            by_position=True,
            inlines=(WRITES,),
            rests=SUMS,
            bindings=("x_words", "Table", "Dst"),
            spec=(*spec, *_SPEC),
            push=_PUSH,
            variants={macros["BITS"]: macros},
            body="resample",
        )
        for path, spec, macros in (
            ("words", WORDS_SPEC, {"BITS": "32", "T": "uint", "WORDS": "1"}),
            ("packed", PACKED_SPEC, {"BITS": "16"}),
        )
    ]
)
_BY_NAME = by_name(KERNELS)


@cached_plan(1024)
def plan_resample(
    sizes: Ints,
    operands: Sequence[Operand],
    steps: Ints,
    dtype: DType,
    taps: int,
    profile: Profile,
) -> Plan:
    """Plan a launch over operands: source, both indexes and dst.

    `sizes` are those of dst, whose first two dims are the batch and channels; `steps` are the
    strides of the source's spatial dims.
    """
    strides, bases, itemsizes = columns_of(operands)
    dims, starts = ascending(sizes, strides)
    task = Task(*_split(dims), itemsizes, in_bytes(bases, starts, itemsizes), profile)
    spatial = sizes[2:]
    # Taps are at any multiples of the steps, so a path depends on the alignment of these too.
    taken = [Dim((step, 0, 0, 0), 2) for step in steps]
    path = rows(task._replace(outer=[*task.outer, *taken]))
    path = path.costing(10.0 + _TAP_NS * taps ** len(spatial))
    reads, per = taps ** len(spatial), QUAD_BYTES // task.itemsize
    load = Load(path.elements * reads, per * reads)
    height = spatial[-2] if len(spatial) > 1 else 1
    entry = 1 if taps == 1 else 2 * taps
    launches = offsets(task.outer, (starts[0], 0, 0, starts[3]))
    return plan_of(
        *(_BY_NAME[f"resample_{path.name}"], str(8 * task.itemsize), task, path),
        [(source, 0, to) for source, _, _, to in launches],
        sources=(itemsizes[0], 4),
        push={"scalars": (*starts[1:3], spatial[-1] * entry, height)},
        constants={"TYPE": dtype.code, "SPATIAL": len(spatial), "TAPS": taps},
        loads=(load,),
    )


def _split(dims: list[Dim]) -> tuple[list[Dim], list[Dim]]:
    """(dims of one launch, dims to loop over on the host): small dims that are not spatial.

    Launches share the starts of indexes, which are parameters.
    """
    order = sorted(dims, key=lambda dim: (not any(dim.strides[1:3]), -dim.size))
    inside = order[:_RANK]
    return [dim for dim in dims if dim in inside], [dim for dim in dims if dim not in inside]
