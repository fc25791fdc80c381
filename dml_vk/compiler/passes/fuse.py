"""Fusion: elementwise steps on the same indexes become one kernel, where that saves time.

Steps are put into groups in their order. A step joins the group that made what it reads, if nothing
that it waits for has to wait for that group; then groups join those that read what they made, as
the products do in `a * b + c * d`. Inside of a group, a value goes from step to step without
memory; it is written only if something else reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.compiler.passes.liveness import Step, cost
from dml_vk.dtypes import DTYPES
from dml_vk.kernels.elementwise import Applied
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Chain, Computed, Node, node_of, present
from dml_vk.kernels.plan.fused import is_known, params_of, plan_fused
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.limits import Profile
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.step import Chained, Launch, Verify

MOST_STEPS = 64  # in a kernel
_COMPLEX = {dtype.code for dtype in DTYPES.values() if dtype.kind == "c"}


class Elements(NamedTuple):
    """The elements of an operand, by where they are: the same have the same values."""

    slot: int
    base: int
    strides: Ints  # 0 for dims of size 1
    itemsize: int


class Reach(NamedTuple):
    """The bytes of a slot that a step uses, and which elements, if it is elementwise."""

    step: int
    low: int
    high: int
    writes: bool
    elements: Elements | None

    def meets(self, other: Reach) -> bool:
        """Whether one of them must wait for the other."""
        apart = self.high <= other.low or other.high <= self.low
        return (self.writes or other.writes) and not apart


class Group:
    """Steps that become one, and the groups that must be done before."""

    def __init__(self, number: int, sizes: Ints | None) -> None:
        self.number = number
        self.sizes = sizes  # None if nothing can join it
        self.steps: list[int] = []
        self.before = 0  # a bit for each group


def fused(steps: Sequence[Step], outer: set[int], profile: Profile) -> list[Step]:
    """Return steps that do the same; `outer` are the slots that are used after them."""
    return _Fusion(_of_complex(steps), outer, profile).run()


def computed_of(step: Step) -> Computed | None:
    """What an elementwise step does, else None."""
    return step.computed if isinstance(step, Launch) else None


def _of_complex(steps: Sequence[Step]) -> list[Step]:
    """The same steps; what they do to parts of complex numbers that others see whole, to these.

    So it can be in one kernel with the others. Without them, floats take less time.
    """
    seen: set[tuple[int, int]] = set()  # slots with complex numbers, and the sizes of these
    waiting: dict[int, tuple[Launch, Computed]] = {}
    for number, step in enumerate(steps):
        if not isinstance(step, Launch) or step.computed is None:
            continue
        whole = step.work.of_complex if isinstance(step.work, Plan) else None
        if whole is not None:
            waiting[number] = step, whole
        elif step.computed.spec and _COMPLEX.intersection(Applied.of(step.computed.spec).types):
            seen |= _elements_of(step, step.computed)
    changed = list(steps)
    while ready := [number for number in waiting if seen & _elements_of(*waiting[number])]:
        for number in ready:
            step, whole = waiting.pop(number)
            seen |= _elements_of(step, whole)
            changed[number] = replace(step, computed=whole)
    return changed


def _elements_of(step: Launch, computed: Computed) -> set[tuple[int, int]]:
    """The slots that an elementwise step uses, with the sizes of elements there."""
    used = (*present(computed), len(computed.operands) - 1)
    return {(step.accesses[k].slot, computed.operands[k].itemsize) for k in used}


class _Fusion:
    def __init__(self, steps: Sequence[Step], outer: set[int], profile: Profile) -> None:
        self.steps = steps
        self.outer = outer
        self.profile = profile
        self.groups: list[Group] = []
        self.of: list[Group] = []  # of each step
        self.checked: int | None = None  # the last check so far
        self.reaches = [list(reaches_of(number, step)) for number, step in enumerate(steps)]
        self.by_slot: dict[int, list[Reach]] = {}
        for reaches, step in zip(self.reaches, steps):
            for slot, reach in zip(_slots(step), reaches):
                self.by_slot.setdefault(slot, []).append(reach)

    def run(self) -> list[Step]:
        for number in range(len(self.steps)):
            self._put(number)
        for group in self.groups[::-1]:
            while any(self._takes(group, other) for other in self._made_for(group)):
                pass
        merged: list[Step] = []
        for group in self._in_order():
            merged += self._merged(group.steps)
        return merged

    def _put(self, number: int) -> None:
        """Put a step into a group."""
        before = self._waits_for(number)
        groups = {self.of[earlier].number: self.of[earlier] for earlier in before}
        near = groups | {
            self.of[earlier].number: self.of[earlier] for earlier in self._beside(number)
        }
        joined = next(
            (group for group in near.values() if self._joins(number, group, groups)), None
        )
        if joined is None:
            computed = computed_of(self.steps[number])
            joined = Group(len(self.groups), None if computed is None else _sizes(computed))
            self.groups.append(joined)
        joined.steps.append(number)
        self.of.append(joined)
        for group in groups.values():
            if group is not joined:
                joined.before |= group.before | 1 << group.number
        for group in self.groups:
            if group.before >> joined.number & 1:
                group.before |= joined.before

    def _waits_for(self, number: int) -> list[int]:
        """The earlier steps that must be done before this one.

        A check comes after all that the function did before it, and before all that follows.
        """
        if isinstance(self.steps[number], Verify):
            self.checked = number
            return list(range(number))[::-1]
        earlier = set() if self.checked is None else {self.checked}
        for slot, reach in zip(_slots(self.steps[number]), self.reaches[number]):
            for other in self.by_slot[slot]:
                if other.step < number and reach.meets(other):
                    earlier.add(other.step)
        return sorted(earlier, reverse=True)

    def _beside(self, number: int) -> list[int]:
        """The earlier steps that read the same elements."""
        return [
            other.step
            for slot, reach in zip(_slots(self.steps[number]), self.reaches[number])
            for other in self.by_slot[slot]
            if other.step < number
            and other.elements is not None
            and other.elements == reach.elements
        ]

    def _joins(self, number: int, group: Group, others: dict[int, Group]) -> bool:
        step = self.steps[number]
        computed = computed_of(step)
        if computed is None or group.sizes != _sizes(computed) or len(group.steps) >= MOST_STEPS:
            return False
        if any(other.before >> group.number & 1 for other in others.values()):
            return False  # something else comes between them
        for slot, reach in zip(_slots(step), self.reaches[number]):
            for other in self.by_slot[slot]:
                inside = other.step < number and self.of[other.step] is group
                if inside and reach.meets(other) and reach.elements != other.elements:
                    return False
        together = [*group.steps, number]
        launch = self._launch(together, number)
        return launch is not None and cost(launch) <= sum(
            [cost(before) for before in self._merged(group.steps, number)] + [cost(step)]
        )

    def _made_for(self, group: Group) -> list[Group]:
        """The groups that made what a group reads."""
        makers = {
            other.step
            for number in group.steps
            for slot, reach in zip(_slots(self.steps[number]), self.reaches[number])
            for other in self.by_slot[slot]
            if other.writes and other.step < number and reach.meets(other)
        }
        others = {self.of[step].number: self.of[step] for step in sorted(makers, reverse=True)}
        return [other for other in others.values() if other is not group]

    def _takes(self, group: Group, other: Group) -> bool:
        """Make one group of two, of which the other one made what this one reads."""
        steps = sorted((*other.steps, *group.steps))
        if group.sizes is None or group.sizes != other.sizes or len(steps) > MOST_STEPS:
            return False
        if any(
            group.before >> between.number & 1 and between.before >> other.number & 1
            for between in self.groups
        ):
            return False
        reaches = [
            [pair for k in own.steps for pair in zip(_slots(self.steps[k]), self.reaches[k])]
            for own in (other, group)
        ]
        if any(
            slot == later_slot and reach.meets(later) and reach.elements != later.elements
            for slot, reach in reaches[0]
            for later_slot, later in reaches[1]
        ):
            return False
        launch = self._launch(steps, None)
        apart = [*self._merged(other.steps), *self._merged(group.steps)]
        if launch is None or cost(launch) > sum(map(cost, apart)):
            return False
        self.groups.remove(other)
        group.steps = steps
        for number in other.steps:
            self.of[number] = group
        other.steps = []
        group.before = (group.before | other.before) & ~(1 << other.number)
        for later in self.groups:
            if later.before >> other.number & 1:
                later.before = (later.before | group.before | 1 << group.number) & ~(
                    1 << other.number
                )
        return True

    def _merged(self, steps: Sequence[int], until: int | None = None) -> list[Step]:
        """Return one step for these, or if it cannot be, several."""
        if len(steps) == 1:
            (step,) = [self.steps[number] for number in steps]
            if until is not None or computed_of(step) is None or not isinstance(step, Launch):
                return [step]
            return [replace(step, chained=self._chained(steps, until))]
        launch = self._launch(steps, until)
        if launch is not None:
            return [launch]
        half = len(steps) // 2
        return [*self._merged(steps[:half], until), *self._merged(steps[half:], until)]

    def _launch(self, steps: Sequence[int], until: int | None) -> Launch | None:
        """Make one launch of elementwise steps; None if a kernel cannot do it."""
        chained = self._chained(steps, until)
        plan = None if chained is None else plan_fused(chained.chain, self.profile)
        if chained is None or plan is None or (plan.shares_words and _is_in_place(chained)):
            return None
        merged = [self.steps[number] for number in steps]
        parts = tuple([step for step in merged if isinstance(step, Launch)])
        last = parts[-1]
        params, accesses = chained.params, chained.accesses
        return Launch(plan, accesses, params, last.what, last.caller, (parts,), chained)

    def _chained(self, steps: Sequence[int], until: int | None) -> Chained | None:
        """Elementwise steps as a chain; None if one of them cannot be in it.

        Only what steps before `until` read counts as read by others: later ones may join.
        """
        reads: dict[Elements, Access] = {}
        writes: dict[Elements, Access] = {}
        works = [
            step for step in (self.steps[number] for number in steps) if isinstance(step, Launch)
        ]
        nodes: list[tuple[Computed, list[Elements], Elements]] = []
        for number, work in zip(steps, works):
            computed = computed_of(work)
            assert computed is not None
            places = [reach.elements for reach in self.reaches[number]]
            used = [
                elements
                for elements in (places[k] for k in present(computed))
                if elements is not None
            ]
            for k, elements in zip(present(computed), used):
                if elements not in writes:
                    reads.setdefault(elements, work.accesses[k])
            target = places[-1]
            assert target is not None
            writes[target] = work.accesses[-1]
            nodes.append((computed, used, target))
        values = {elements: number for number, elements in enumerate(reads)}
        chain_nodes: list[Node] = []
        for computed, used, target in nodes:
            chain_nodes.append(node_of(computed, [values[elements] for elements in used]))
            values[target] = len(reads) + len(chain_nodes) - 1
        last = None if until is None else nodes[-1][-1]
        stored = {
            elements: access
            for elements, access in writes.items()
            if elements == last or self._is_read(elements.slot, access, steps, until)
        }
        chain = Chain(
            _sizes(nodes[0][0]),
            tuple(map(_operand, reads)),
            tuple(chain_nodes),
            tuple([(values[elements], _operand(elements)) for elements in stored]),
        )
        if not (stored and is_known(chain)):
            return None
        params = params_of(chain, [work.params for work in works])
        return Chained(chain, (*reads.values(), *stored.values()), params)

    def _is_read(self, slot: int, access: Access, steps: Sequence[int], until: int | None) -> bool:
        """Whether what is written there is used by others than these steps."""
        if slot in self.outer or not steps:
            return True
        own = set(steps)
        return any(
            not reach.writes
            and reach.step not in own
            and (until is None or reach.step < until)
            and reach.low < access.high
            and access.low < reach.high
            for reach in self.by_slot[slot]
        )

    def _in_order(self) -> Iterable[Group]:
        """The groups, each after all that it waits for."""
        done, left = 0, self.groups
        while left:
            ready = [group for group in left if not group.before & ~done]
            left = [group for group in left if group.before & ~done]
            for group in ready:
                done |= 1 << group.number
                yield group


def _is_in_place(chained: Chained) -> bool:
    """Whether a chain reads from words that it writes: here one invocation, there another."""
    written = [access for access in chained.accesses if access.writes]
    return any(
        not access.writes
        and access.slot == other.slot
        and access.low < other.high
        and other.low < access.high
        for access in chained.accesses
        for other in written
    )


def _slots(step: Step) -> list[int]:
    return [access.slot for access in step.accesses] if isinstance(step, Launch) else [step.slot]


def reaches_of(number: int, step: Step) -> Iterable[Reach]:
    if not isinstance(step, Launch):
        yield Reach(number, step.start, step.start + step.nbytes, False, None)
        return
    computed = computed_of(step)
    # Scalars and missing sources are bound to the target, and not read.
    there = None if computed is None else {*present(computed), len(step.accesses) - 1}
    for k, access in enumerate(step.accesses):
        if computed is None or there is None:
            yield Reach(number, access.low, access.high, access.writes, None)
        elif k in there:
            strides, _, itemsize = computed.operands[k]
            elements = Elements(access.slot, access.base, _strides(computed, strides), itemsize)
            yield Reach(number, access.low, access.high, access.writes, elements)
        else:
            yield Reach(number, access.low, access.low, False, None)


def _sizes(computed: Computed) -> Ints:
    return tuple([size for size in computed.sizes if size != 1])


def _strides(computed: Computed, strides: Ints) -> Ints:
    return tuple([stride for size, stride in zip(computed.sizes, strides) if size != 1])


def _operand(elements: Elements) -> Operand:
    return Operand(elements.strides, elements.base // elements.itemsize, elements.itemsize)
