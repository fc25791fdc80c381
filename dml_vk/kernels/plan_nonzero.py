"""How what is not 0 is found: first counted by units of a few elements each, then written."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from dml_vk.kernels import rounds
from dml_vk.kernels.dims import Dim
from dml_vk.kernels.kernel import MAX_RANK, ROW_SPEC, Kernel, index_push
from dml_vk.kernels.paths import ANY, Path, plan_of
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.tasks import QUAD_BYTES, Task, quads_a_unit
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

_COUNT_BYTES = 4
# What a unit has of elements, and how many units keep a CPU and a GPU busy.
_LEAST, _MOST = 32, 4096
_CPU_UNITS, _GPU_UNITS = 1024, 2**15

KERNELS = (
    Kernel(
        "nonzero",
        bindings=("Src", "Carry", "Dst"),
        writes=("Dst",),
        spec=(*ROW_SPEC, "TYPE", "COUNTS", "SRC_QUADS"),
        push=index_push(("src_base", "carry_base", "dst_base"), MAX_RANK),
        variants={"uint32": {"WORDS": "1"}, "int64": {"WORDS": "2"}},
    ),
)


class Found(NamedTuple):
    """Two passes. The last of the units that count has no elements."""

    counts: Plan
    indexes: Plan


def plan_nonzero(
    sizes: Ints,
    strides: Ints,
    offset: int,
    itemsize: int,
    type_code: int,
    index_bytes: int,
    limits: Limits,
) -> Found | None:
    """Indexes of 4 or 8 bytes; None where there are too many dims."""
    residue = offset * itemsize % QUAD_BYTES
    invocations, quads = limits.max_invocations, quads_a_unit(limits)
    return _found(sizes, strides, residue, itemsize, type_code, index_bytes, invocations, quads)


@lru_cache(maxsize=1024)
def _found(
    sizes: Ints,
    strides: Ints,
    residue: int,
    itemsize: int,
    type_code: int,
    index_bytes: int,
    invocations: int,
    quads: int,
) -> Found | None:
    dims = _in_order(sizes, strides)
    if len(dims) > MAX_RANK:
        return None
    numel, step = math.prod(sizes), dims[0].strides[0]
    contiguous = len(dims) == 1 and step == 1
    src_quads = contiguous and residue == 0
    unit = _LEAST
    while unit < _MOST and numel >= 2 * unit * (_CPU_UNITS if quads > 1 else _GPU_UNITS):
        unit *= 2
    units = -(-numel // unit)

    def plan(counts: bool) -> Plan:
        path = Path(
            "nonzero",
            dims,
            (
                *(len(dims), unit, 1 if contiguous else ANY, 0),
                *(type_code, int(counts), int(src_quads)),
            ),
            whole=units + int(counts),
            edges=0,
            groups=1,
            extent=numel,
            unit_rounds=rounds.nonzero(unit),
            elements=unit,
            unit_ns=unit * ((1.0 if src_quads else 5.0) + (0.0 if counts else 3.0)),
        )
        launches = [(0, 0, 0)]
        nbytes = _COUNT_BYTES if counts else index_bytes
        task = Task(dims, [], (itemsize, nbytes), (residue, 0), quads)
        module = "nonzero_uint32" if nbytes == 4 else "nonzero_int64"
        return plan_of(
            *(module, task, path, MAX_RANK, launches, invocations),
            sources=(itemsize, _COUNT_BYTES),
        )

    return Found(plan(True), plan(False))


def _in_order(sizes: Ints, strides: Ints) -> list[Dim]:
    """Dims in logical order, innermost first, merged."""
    merged: list[Dim] = []
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size == 1:
            continue
        if merged and stride == merged[-1].strides[0] * merged[-1].size:
            merged[-1] = Dim(merged[-1].strides, merged[-1].size * size)
        else:
            merged.append(Dim((stride, 0), size))
    return merged or [Dim((1, 0), 1)]
