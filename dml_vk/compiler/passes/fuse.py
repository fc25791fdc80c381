"""Fusion: elementwise steps on the same indexes become one kernel, where that saves time.

Steps are put into groups in their order. A step joins the group that made what it reads, if nothing
that it waits for has to wait for that group. Inside of a group, a value goes from step to step
without memory; it is written only if something else reads it.
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
from dml_vk.kernels.plan.chain import Chain, Computed, Node, Operand, node_of, present
from dml_vk.kernels.plan.fused import is_known, params_of, plan_fused
from dml_vk.limits import Profile
from dml_vk.tracing.step import Chained, Launch, SlotAccess, Verify

MOST_STEPS = 64  # in a kernel
_COMPLEX = {dtype.code for dtype in DTYPES.values() if dtype.kind == "c"}


class Place(NamedTuple):
    """Where the elements of an operand are: the same place has the same values."""

    slot: int
    base: int
    strides: Ints  # 0 for dims of size 1
    itemsize: int


class Reach(NamedTuple):
    """The bytes of a slot that a step uses, and at which place, if it is elementwise."""

    step: int
    low: int
    high: int
    writes: bool
    place: Place | None

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


def fused(steps: Sequence[Step], kept: set[int], profile: Profile) -> list[Step]:
    """Return steps that do the same; `kept` are the slots that are used after them."""
    return _Fusion(_of_complex(steps), kept, profile).run()


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
    return {(step.accesses[k].slot, computed.operands[k][2]) for k in used}


class _Fusion:
    def __init__(self, steps: Sequence[Step], kept: set[int], profile: Profile) -> None:
        self.steps = steps
        self.kept = kept
        self.profile = profile
        self.groups: list[Group] = []
        self.of: list[Group] = []  # of each step
        self.checked: int | None = None  # the last check so far
        self.reaches = [list(reaches_of(number, step)) for number, step in enumerate(steps)]
        self.by_slot: dict[int, list[Reach]] = {}
        for one, step in zip(self.reaches, steps):
            for slot, reach in zip(_slots(step), one):
                self.by_slot.setdefault(slot, []).append(reach)

    def run(self) -> list[Step]:
        for number in range(len(self.steps)):
            self._put(number)
        found: list[Step] = []
        for group in self._in_order():
            found += self._merged(group.steps)
        return found

    def _put(self, number: int) -> None:
        """Put a step into a group."""
        before = self._waits_for(number)
        groups = {self.of[one].number: self.of[one] for one in before}
        near = groups | {self.of[one].number: self.of[one] for one in self._beside(number)}
        joined = next((one for one in near.values() if self._joins(number, one, groups)), None)
        if joined is None:
            computed = computed_of(self.steps[number])
            joined = Group(len(self.groups), None if computed is None else _sizes(computed))
            self.groups.append(joined)
        joined.steps.append(number)
        self.of.append(joined)
        for one in groups.values():
            if one is not joined:
                joined.before |= one.before | 1 << one.number
        for one in self.groups:
            if one.before >> joined.number & 1:
                one.before |= joined.before

    def _waits_for(self, number: int) -> list[int]:
        """The earlier steps that must be done before this one.

        A check comes after all that the function did before it, and before all that follows.
        """
        if isinstance(self.steps[number], Verify):
            self.checked = number
            return list(range(number))[::-1]
        found = set() if self.checked is None else {self.checked}
        for slot, reach in zip(_slots(self.steps[number]), self.reaches[number]):
            for other in self.by_slot[slot]:
                if other.step < number and reach.meets(other):
                    found.add(other.step)
        return sorted(found, reverse=True)

    def _beside(self, number: int) -> list[int]:
        """The earlier steps that read the same elements."""
        return [
            other.step
            for slot, reach in zip(_slots(self.steps[number]), self.reaches[number])
            for other in self.by_slot[slot]
            if other.step < number and other.place is not None and other.place == reach.place
        ]

    def _joins(self, number: int, group: Group, others: dict[int, Group]) -> bool:
        step = self.steps[number]
        computed = computed_of(step)
        if computed is None or group.sizes != _sizes(computed) or len(group.steps) >= MOST_STEPS:
            return False
        if any(one.before >> group.number & 1 for one in others.values()):
            return False  # something else comes between them
        for slot, reach in zip(_slots(step), self.reaches[number]):
            for other in self.by_slot[slot]:
                inside = other.step < number and self.of[other.step] is group
                if inside and reach.meets(other) and reach.place != other.place:
                    return False
        together = [*group.steps, number]
        launch = self._launch(together, number)
        return launch is not None and cost(launch) <= sum(
            [cost(one) for one in self._merged(group.steps, number)] + [cost(step)]
        )

    def _merged(self, steps: Sequence[int], until: int | None = None) -> list[Step]:
        """Return one step for these, or if it cannot be, several."""
        if len(steps) == 1:
            (step,) = [self.steps[one] for one in steps]
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
        parts = tuple([one for one in merged if isinstance(one, Launch)])
        last = parts[-1]
        params, accesses = chained.params, chained.accesses
        return Launch(plan, accesses, params, last.what, last.caller, (parts,), chained)

    def _chained(self, steps: Sequence[int], until: int | None) -> Chained | None:
        """Elementwise steps as a chain; None if one of them cannot be in it.

        Only what steps before `until` read counts as read by others: later ones may join.
        """
        reads: dict[Place, SlotAccess] = {}
        writes: dict[Place, SlotAccess] = {}
        works = [step for step in (self.steps[one] for one in steps) if isinstance(step, Launch)]
        nodes: list[tuple[Computed, list[Place], Place]] = []
        for number, work in zip(steps, works):
            computed = computed_of(work)
            assert computed is not None
            places = [one.place for one in self.reaches[number]]
            used = [place for place in (places[k] for k in present(computed)) if place is not None]
            for k, place in zip(present(computed), used):
                if place not in writes:
                    reads.setdefault(place, work.accesses[k])
            target = places[-1]
            assert target is not None
            writes[target] = work.accesses[-1]
            nodes.append((computed, used, target))
        values = {place: number for number, place in enumerate(reads)}
        made: list[Node] = []
        for computed, used, target in nodes:
            made.append(node_of(computed, [values[place] for place in used]))
            values[target] = len(reads) + len(made) - 1
        last = None if until is None else nodes[-1][-1]
        stored = {
            place: access
            for place, access in writes.items()
            if place == last or self._is_read(place.slot, access, steps, until)
        }
        chain = Chain(
            _sizes(nodes[0][0]),
            tuple(map(_operand, reads)),
            tuple(made),
            tuple([(values[place], _operand(place)) for place in stored]),
        )
        if not (stored and is_known(chain)):
            return None
        params = params_of(chain, [work.params for work in works])
        return Chained(chain, (*reads.values(), *stored.values()), params)

    def _is_read(
        self, slot: int, access: SlotAccess, steps: Sequence[int], until: int | None
    ) -> bool:
        """Whether what is written there is used by others than these steps."""
        if slot in self.kept or not steps:
            return True
        own = set(steps)
        return any(
            not one.writes
            and one.step not in own
            and (until is None or one.step < until)
            and one.low < access.high
            and access.low < one.high
            for one in self.by_slot[slot]
        )

    def _in_order(self) -> Iterable[Group]:
        """The groups, each after all that it waits for."""
        done, left = 0, self.groups
        while left:
            ready = [one for one in left if not one.before & ~done]
            left = [one for one in left if one.before & ~done]
            for one in ready:
                done |= 1 << one.number
                yield one


def _is_in_place(chained: Chained) -> bool:
    """Whether a chain reads from words that it writes: here one invocation, there another."""
    written = [one for one in chained.accesses if one.writes]
    return any(
        not one.writes and one.slot == other.slot and one.low < other.high and other.low < one.high
        for one in chained.accesses
        for other in written
    )


def _slots(step: Step) -> list[int]:
    return [one.slot for one in step.accesses] if isinstance(step, Launch) else [step.slot]


def reaches_of(number: int, step: Step) -> Iterable[Reach]:
    if not isinstance(step, Launch):
        yield Reach(number, step.start, step.start + step.nbytes, False, None)
        return
    computed = computed_of(step)
    # Scalars and missing sources are bound to the target, and not read.
    there = None if computed is None else {*present(computed), len(step.accesses) - 1}
    for k, one in enumerate(step.accesses):
        if computed is None or there is None:
            yield Reach(number, one.low, one.high, one.writes, None)
        elif k in there:
            strides, _, itemsize = computed.operands[k]
            place = Place(one.slot, one.base, _strides(computed, strides), itemsize)
            yield Reach(number, one.low, one.high, one.writes, place)
        else:
            yield Reach(number, one.low, one.low, False, None)


def _sizes(computed: Computed) -> Ints:
    return tuple([size for size in computed.sizes if size != 1])


def _strides(computed: Computed, strides: Ints) -> Ints:
    return tuple([stride for size, stride in zip(computed.sizes, strides) if size != 1])


def _operand(place: Place) -> Operand:
    return Operand(place.strides, place.base // place.itemsize, place.itemsize)
