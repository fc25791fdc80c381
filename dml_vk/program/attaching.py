"""Attach elementwise launches to the kernels that make what they read, or read what they write.

So a value goes from a product or reduction to what is computed of it, and to a reduction from what
it was computed of, without a pass through memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.kernels.plan.attached import Attaching, Passing, plan_attached
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import present
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.limits import Profile
from dml_vk.program.fusion import computed_of
from dml_vk.program.liveness import Step, cost
from dml_vk.runtime.capture import Chained, Work
from dml_vk.runtime.recording import SlotAccess

_WORD = 4  # bytes: accesses end at whole ones


def attached(steps: Sequence[Step], kept: set[int], profile: Profile) -> list[Step]:
    """Return steps that do the same; `kept` are the slots that are used after them."""
    attaching = _Attaching(steps, kept, profile)
    for is_read in (False, True):
        for step in steps:
            attaching.attach(step, is_read=is_read)
    return attaching.steps


class _Attaching:
    def __init__(self, steps: Sequence[Step], kept: set[int], profile: Profile) -> None:
        self.steps = list(steps)
        self._profile = profile
        self._kept = kept
        self._now: dict[int, Step] = {}  # what became of a step
        self._merged: list[Step] = []  # keeps their ids
        self._uses: dict[int, int] = {}  # of each slot
        self._writers: dict[int, Step] = {}
        for step in steps:
            for one in _accesses(step):
                self._uses[one.slot] = self._uses.get(one.slot, 0) + 1
                if one.writes:
                    self._writers[one.slot] = step

    def attach(self, step: Step, *, is_read: bool) -> None:
        """Make one of a step and one before it, if it can be done.

        If `is_read`, the step is the kernel, and what it reads is computed by a chain; else the
        step is the chain, and the kernel comes before it.
        """
        later = self._found(step)
        if not isinstance(later, Work) or (not is_read and later.chained is None):
            return
        for access in _accesses(later):
            earlier = self._only_writer(access)
            if earlier is None or earlier is later or not self._can_meet(earlier, later):
                continue
            kernel, chain = (later, earlier) if is_read else (earlier, later)
            one = self._one(kernel, chain, access.slot)
            if one is None or cost(one) > cost(kernel) + cost(chain):
                continue
            self.steps[_index(self.steps, later)] = one
            del self.steps[_index(self.steps, earlier)]
            self._merged += (earlier, later)
            self._now[id(earlier)] = self._now[id(later)] = one
            self.attach(one, is_read=is_read)
            return

    def _found(self, step: Step) -> Step:
        while id(step) in self._now:
            step = self._now[id(step)]
        return step

    def _only_writer(self, access: SlotAccess) -> Work | None:
        """The step that writes what is read here, if nothing else uses it."""
        writer = None if access.writes else self._writers.get(access.slot)
        if writer is None or access.slot in self._kept or self._uses[access.slot] != 2:
            return None
        found = self._found(writer)
        return found if isinstance(found, Work) else None

    def _can_meet(self, earlier: Work, later: Work) -> bool:
        """Whether the earlier step can wait until the later one, and be one with it."""
        start, end = _index(self.steps, earlier), _index(self.steps, later)
        between = [one for step in self.steps[start + 1 : end] for one in _accesses(step)]
        own = _accesses(earlier)
        return not any(
            one.slot == other.slot
            and (one.writes or other.writes)
            and one.low < other.high
            and other.low < one.high
            for others in (between, [one for one in _accesses(later) if one.writes])
            for other in others
            for one in own
        )

    def _one(self, kernel: Work, step: Work, slot: int) -> Work | None:
        """One launch for a kernel and a chain, where the chain's result, or source, is a slot."""
        chained, plan = step.chained, kernel.work
        if chained is None:
            return None
        chain = chained.chain
        numbers = [k for k, one in enumerate(chained.accesses) if one.slot == slot]
        bindings = [k for k in _used(kernel) if kernel.accesses[k].slot == slot]
        if len(numbers) != 1 or len(bindings) != 1 or not isinstance(plan, Plan):
            return None
        (number,), (binding,) = numbers, bindings
        mine, its = chained.accesses[number], kernel.accesses[binding]
        reads = len(chain.reads)
        is_read = number >= reads
        operand = chain.writes[number - reads][1] if is_read else chain.reads[number]
        left = mine.high - mine.low - math.prod(chain.sizes) * operand.itemsize
        if its.base != mine.base or mine.low != mine.base or not 0 <= left < _WORD:
            return None
        whole = mine.low <= its.low and its.high <= mine.high
        if not whole or (not is_read and its[2:4] != mine[2:4]) or (is_read and reads == 0):
            return None
        passing = Passing(binding, operand, number - reads if is_read else number, is_read)
        both = (step, kernel) if is_read else (kernel, step)
        parts = tuple([part for one in both for part in one.parts or (one,)])
        made = plan_attached(plan, len(kernel.params), passing, chain, self._profile)
        return None if made is None else _work(kernel, chained, binding, made, parts)


def _work(
    kernel: Work, chained: Chained, binding: int, made: Attaching, parts: tuple[Work, ...]
) -> Work:
    accesses = list(kernel.accesses)
    if made.through is not None:
        accesses[binding] = chained.accesses[made.through]
    else:  # The kernel only counts from it.
        first, at = chained.accesses[0], accesses[binding].base
        base = first.low // QUAD_BYTES * QUAD_BYTES + at % QUAD_BYTES
        accesses[binding] = first._replace(base=base)
    for k in set(range(len(accesses))) - {*_used(kernel)}:
        accesses[k] = accesses[binding]._replace(writes=False)  # Its slot may be gone.
    accesses += [chained.accesses[k] for k in made.others]
    params = (*kernel.params, *(0,) * made.filled, *chained.params)
    return Work(made.plan, tuple(accesses), params, kernel.what, kernel.caller, parts)


def _accesses(step: Step) -> Sequence[SlotAccess]:
    """What a step uses. A chain does not use what its launch has in place of scalars."""
    if not isinstance(step, Work):
        return [SlotAccess(step.slot, step.start, step.start, step.start + step.nbytes, False)]
    if step.chained is not None:
        return step.chained.accesses
    return [step.accesses[k] for k in _used(step)]


def _used(step: Work) -> Sequence[int]:
    """The accesses of a launch that are not in place of scalars."""
    computed = computed_of(step)
    last = len(step.accesses) - 1
    return range(last + 1) if computed is None else [*present(computed), last]


def _index(steps: Sequence[Step], wanted: Step) -> int:
    return next(number for number, step in enumerate(steps) if step is wanted)
