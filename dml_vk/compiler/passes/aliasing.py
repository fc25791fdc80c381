"""What launches read and write, and which may write over what they read.

The invocations of a launch come in no order. So none reads what it writes, but for elementwise
work, of which an invocation reads all that it needs at an index before it writes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dml_vk.compiler.passes.fuse import Reach, computed_of, reaches_of
from dml_vk.compiler.passes.liveness import Step
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Recipe, present
from dml_vk.kernels.plan.inlined import kernel_of, used_by
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.step import Launch


def accesses_of(step: Step) -> Sequence[Access]:
    """What a step uses. A chain does not use what its launch has in place of scalars."""
    if not isinstance(step, Launch):
        end = step.start + step.nbytes
        return [Access.of(step.memory, step.start, step.start, end, False), *step.shown]
    if step.chained is not None:
        return step.chained.accesses
    return [step.accesses[k] for k in used_of(step)]


def used_of(step: Launch) -> Sequence[int]:
    """The accesses of a launch that are not in place of scalars, or of what is missing."""
    computed, plan = computed_of(step), step.work
    last = len(step.accesses) - 1
    if computed is not None:
        return [*present(computed), last]
    kernel = kernel_of(plan) if isinstance(plan, Plan) else None
    if kernel is None or len({access.slot for access in step.accesses}) == last + 1:
        return range(last + 1)
    return used_by(kernel)


def check_order(step: Launch, memory: Mapping[int, int]) -> None:
    """Raise an error if a launch that was several would read what it writes.

    `memory` has the number of each slot's memory. What one launch does by itself, such as to write
    a part of a tensor from another part, is right already.
    """
    uses = accesses_of(step)
    over = {*in_place(step)}
    for read in uses:
        for write in uses:
            if (
                write.writes
                and not read.writes
                and memory[read.slot] == memory[write.slot]
                and _overlap(read, write)
                and (write.slot, read.slot) not in over
                and not (read.slot == write.slot and _is_one_chain(step, write))
            ):
                raise AssertionError(f"{step.what} would read what it writes: {read}, {write}")


def _overlap(a: Access, b: Access) -> bool:
    """Whether two accesses to one memory are to some of the same bytes."""
    return max(a.low, b.low) < min(a.high, b.high)


def _is_one_chain(step: Launch, write: Access) -> bool:
    """Whether one of its launches alone uses what is written, or a chain that meets it alike.

    Other parts of the slot may be read by any, as by a product of the rows that are solved already.
    Ranges of bytes may overlap where the elements do not, but only one launch is trusted to know.
    """
    groups = [
        reaches
        for group in step.groups or ((step,),)
        for reaches in [[(part, reach) for part in group for reach in _reaches(part, write)]]
        if reaches
    ]
    return len(groups) == 1 and all(
        a is b
        or not reach.meets(other)
        or (reach.elements is not None and reach.elements == other.elements)
        for a, reach in groups[0]
        for b, other in groups[0]
    )


def _reaches(step: Launch, write: Access) -> list[Reach]:
    return [
        reach
        for access, reach in zip(step.accesses, reaches_of(0, step))
        if access.slot == write.slot and _overlap(access, write)
    ]


def in_place(step: Launch) -> Iterator[tuple[int, int]]:
    """Targets of an elementwise launch, and sources of which it reads just the same elements.

    An invocation reads what it needs at an index before it writes what belongs to it, so it may
    write over it.
    """
    elements = _elements(step)
    places: dict[int, set[object]] = {}  # of each slot that is accessed
    for slot, where in elements:
        places.setdefault(slot, set()).add(where)
    written = {access.slot for access in step.accesses if access.writes}
    for target in written:
        for source, there in places.items():
            if source not in written and len(there) == 1 and there == places[target]:
                yield target, source


def _elements(step: Launch) -> list[tuple[int, object]]:
    """Where the elements are that an elementwise launch accesses: equal places are the same."""
    plan = step.work
    if not isinstance(plan, Plan) or plan.shares_words:
        return []
    if isinstance(plan.recipe, Recipe):
        return [
            (access.slot, (access.base, pattern._replace(align=0)))
            for access, pattern in zip(step.accesses, plan.recipe.patterns)
        ]
    computed = plan.computed
    if computed is None or not computed.spec:
        return []  # A copy may be a command of the runtime's.
    return [
        (access.slot, (access.base, _strides(computed.sizes, computed.operands[k])))
        for k, access in enumerate(step.accesses)
        if access.writes or k in present(computed)
    ]


def _strides(sizes: Sequence[int], operand: tuple[Sequence[int], int, int]) -> tuple[int, ...]:
    strides, _, itemsize = operand
    return itemsize, *[stride for size, stride in zip(sizes, strides) if size != 1]
