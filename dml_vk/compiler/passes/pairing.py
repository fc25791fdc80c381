"""Complex numbers that are computed part by part, as floats, are complex again beside others.

A sum of complex numbers is a launch on floats with one more dim, of size 2. Where other steps of a
program compute with the same numbers as complex ones, it can be in one kernel with these if it is
seen as they are: see `of_parts` in kernels/plan/nodes.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dml_vk.compiler.passes.liveness import Step
from dml_vk.dtypes import DTYPES
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Computed, present
from dml_vk.kernels.plan.nodes import TARGET, of_parts, scalar_places
from dml_vk.tracing.step import Launch

_WHOLE = {one.part.code: one.code for one in DTYPES.values() if one.kind == "c"}


def paired(steps: Sequence[Step]) -> list[Step]:
    """Return the same steps, those that see parts of what others see as complex numbers too."""
    complex_ones: set[tuple[int, int]] = set()  # slots, and the sizes of elements there
    floats: dict[int, tuple[Launch, Plan, Computed]] = {}
    for number, step in enumerate(steps):
        plan = step.work if isinstance(step, Launch) else None
        computed = plan.computed if isinstance(plan, Plan) else None
        if not isinstance(step, Launch) or not isinstance(plan, Plan) or computed is None:
            continue
        pairs = _pairs(computed)
        if pairs is not None:
            floats[number] = step, plan, pairs
        elif any(code in _WHOLE.values() for code in computed.spec[TARGET:]):
            complex_ones |= _places(step, computed)
    made = list(steps)
    waiting = list(floats) if complex_ones else []
    while waiting:
        found = [one for one in waiting if complex_ones & _places(floats[one][0], floats[one][2])]
        waiting = [one for one in waiting if one not in found] if found else []
        for number in found:
            step, plan, pairs = floats[number]
            complex_ones |= _places(step, pairs)
            made[number] = replace(step, work=replace(plan, computed=pairs))
    return made


def _places(step: Launch, computed: Computed) -> set[tuple[int, int]]:
    used = (*present(computed), len(computed.operands) - 1)
    return {(step.accesses[k].slot, computed.operands[k][2]) for k in used}


def _pairs(computed: Computed) -> Computed | None:
    """A launch on floats as one on pairs of them, if all are pairs."""
    kernel, sizes, operands, spec = computed
    if not spec or sizes[-1:] != (2,):
        return None
    codes = tuple([_WHOLE.get(code, code) for code in spec[TARGET:]])
    whole = (*spec[:TARGET], *codes)
    used = [operands[k] for k in (*present(computed), len(operands) - 1)]
    are_pairs = all(
        strides[-1] == 1 and not any(one % 2 for one in (*strides[:-1], offset))
        for strides, offset, _ in used
    )
    if not are_pairs or of_parts(kernel, whole) != spec or scalar_places(kernel, spec):
        return None
    pairs = [
        (tuple([stride // 2 for stride in strides[:-1]]), offset // 2, 2 * itemsize)
        for strides, offset, itemsize in operands
    ]
    return Computed(kernel, sizes[:-1], tuple(pairs), whole)
