"""Plan reductions of segments: of rows whose sorted keys are equal, each by a tree of its own.

A node of 64 elements, of 64 such nodes and so on is a work item's, and so is the result of a
segment: see glsl/include/families/segments.glsl. Launches grow with the logarithm of the number of
rows, whatever the lengths of segments are.
"""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, by_name, index_push, native
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.paths import Path, plan_of
from dml_vk.kernels.plan.scan import RESTS
from dml_vk.kernels.plan.tasks import Task
from dml_vk.limits import Profile

LOG_WIDE = 6  # of the children of a node
MOST_CHILDREN = 256  # of a result: shorter chains than these do not pay for a launch
_ITEMSIZE = {"float": 4, "int": 4, "long": 8, "double": 8}
_ELEMENT_NS = {"float": 4.0, "int": 4.0, "long": 6.0, "double": 25.0}
_WORD = 4

_SPEC = (*INDEX_SPEC, "OP", "TYPE", "LEVEL", "LEVELS", "BACKWARDS", "ONTO")
_BASES = ("keys_base", "order_base", "src_base", "nodes_base", "dst_base")
_PARAMS = ("row_step", "column_step", "keys_end", "full")
KERNELS = tuple(
    [
        Kernel(
            f"segments_{kind}",
            body=f"scan_{kind}",
            inlines="it reads rows by sorted keys",
            rests=RESTS[kind],
            bindings=("Keys", "Order", "Src", "Nodes", "Dst"),
            optional={
                "Src": lambda values: values["LEVEL"] < 2,
                "Nodes": lambda values: values["LEVEL"] > 1 or values["LEVELS"] > 0,
            },
            spec=_SPEC,
            push=index_push(_BASES, 1, tuple([(name, 1) for name in _PARAMS])),
            params=_PARAMS,
            variants={
                "rows": {"SEGMENTS": "1", **(native(_SPEC) if kind == "double" else {})},
            },
        )
        for kind in _ITEMSIZE
    ]
)
_BY_NAME = by_name(KERNELS)


class Segments(NamedTuple):
    """A reduction of segments, without its operands."""

    kind: str  # of the kernel: how values are computed
    operator: int
    type_code: int  # of the rows
    source_bytes: int  # of one of their elements
    backwards: bool
    onto: bool


def levels_of(length: int) -> int:
    """How many levels of nodes there are below the results of as many rows."""
    levels = 0
    while length >> LOG_WIDE * levels > MOST_CHILDREN:
        levels += 1
    return levels


@cached_plan()
def plan_segments(
    segments: Segments, length: int, columns: int, level: int, profile: Profile
) -> Plan:
    """Plan the nodes of a level, or the results for level 0."""
    kind, levels = segments.kind, 0 if level else levels_of(length)
    dims = [Dim((1, 1), 1)]
    nodes = length >> LOG_WIDE * level
    leaves = 1 << LOG_WIDE if level else min(length, MOST_CHILDREN)
    tree = rounds.tree(leaves // 4 + 1)
    search = 2 * rounds.loop(32)
    path = Path(
        "nodes" if level else "results",
        dims,
        {
            "OP": segments.operator,
            "TYPE": segments.type_code,
            "LEVEL": level,
            "LEVELS": levels,
            "BACKWARDS": int(segments.backwards),
            "ONTO": int(segments.onto),
        },
        whole=nodes * columns,
        edges=0,
        groups=columns,
        extent=length,
        # A result costs little unless a segment begins there, and all of them have these rows.
        unit_ns=_ELEMENT_NS[kind] * (leaves if level else 4),
        unit_rounds=search + (tree if level else rounds.loop(levels + 1, tree)),
        elements=leaves,
    )
    itemsizes = (_ITEMSIZE[kind], _ITEMSIZE[kind])
    return plan_of(
        *(_BY_NAME[f"segments_{kind}"], "rows", Task(dims, [], itemsizes, (0, 0), profile)),
        *(path, [(0,) * len(_BASES)]),
        sources=(_WORD, _WORD, segments.source_bytes, itemsizes[0]),
        inside=(length, columns),
    )
