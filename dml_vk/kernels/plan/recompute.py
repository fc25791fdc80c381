"""The cost of computing elements again, in kernels that read each several times."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.dtypes import DTYPES
from dml_vk.kernels.elementwise import COMPUTED, Applied, element_rounds, operator_of
from dml_vk.kernels.plan.chain import COPY, FILL, Node

# Estimated times on one slow core, as measured between operations of a chain: there an operation is
# an instruction or two, while the time of a family bounds all its operations.
_QUICK_NS, _SHORT_NS, _HALF_NS = 0.1, 0.5, 0.3
_BESIDE = 1.5  # how much longer functions take beside what a kernel keeps in registers
_HALF = DTYPES["float16"].code


def recompute_ns(nodes: Sequence[Node]) -> float:
    """The estimated time of computing an element again."""
    return sum(map(_node_ns, nodes))


def _node_ns(node: Node) -> float:
    kernel, spec, _ = node
    if kernel in (COPY, FILL):
        return 0.0
    family, applied = COMPUTED[kernel], Applied.of(spec)
    row = operator_of(kernel, applied.opcode)
    is_short = family.is_short and not element_rounds(kernel, applied.opcode, applied.before)
    is_quick = row is not None and row.quick and (is_short or row.family == "activation")
    if is_quick and not applied.before:
        return _QUICK_NS + _HALF_NS * (_HALF in applied.types)
    return _SHORT_NS if is_short else _BESIDE * family.ns
