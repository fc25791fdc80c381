"""Attach elementwise launches to the kernels that make what they read, or read what they write.

So a value goes from a product or reduction to what is computed of it, and to a reduction from what
it was computed of, without a pass through memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from dml_vk.compiler.passes.aliasing import accesses_of, used_of
from dml_vk.compiler.passes.liveness import Step, cost
from dml_vk.kernels.codegen.attached import outline
from dml_vk.kernels.plan.attached import Attaching, Passing, kernel_for, plan_attached
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import WORD, Chain
from dml_vk.kernels.plan.chain_part import part_of
from dml_vk.kernels.plan.fused import computing_ns
from dml_vk.kernels.plan.recompute import recompute_ns
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.limits import Profile
from dml_vk.tracing.step import Chained, Launch, Verify

Merged = dict[int, Launch]  # by the id of the step in whose place it is


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
        self._readers: dict[int, list[Step]] = {}  # of each slot
        self._writers: dict[int, list[Step]] = {}
        for step in steps:
            for one in accesses_of(step):
                users = self._writers if one.writes else self._readers
                users.setdefault(one.slot, []).append(step)

    def attach(self, step: Step, *, is_read: bool) -> None:
        """Make one of a step and one before it, if it can be done.

        If `is_read`, the step is the kernel, and what it reads is computed by a chain; else the
        step is the chain, and the kernel comes before it. A chain whose results several kernels
        read becomes part of each, or of none.
        """
        later = self._found(step)
        if not isinstance(later, Launch) or (not is_read and later.chained is None):
            return
        for slot in [one.slot for one in accesses_of(later) if not one.writes]:
            earlier = self._only_writer(slot)
            if earlier is None or earlier is later:
                continue
            made = self._read_by(earlier) if is_read else self._after(earlier, later, slot)
            if made is not None:
                self._put(earlier, made)
                for one in made.values():
                    self.attach(one, is_read=is_read)
                return

    def _after(self, kernel: Launch, chain: Launch, slot: int) -> Merged | None:
        """A kernel, and a chain after it, as one step."""
        if self._readers_of(slot) != [chain] or not self._can_meet(kernel, chain, {slot}):
            return None
        one = self._one(kernel, chain, slot)
        if one is None or cost(one) > cost(kernel) + cost(chain):
            return None
        return {id(chain): one}

    def _read_by(self, step: Launch) -> Merged | None:
        """The kernels that read what a chain computes, each with its part of the chain."""
        if step.chained is None:
            return None
        chained = step.chained
        slots = [one.slot for one in chained.accesses if one.writes]
        if any(self._only_writer(slot) is not step for slot in slots):
            return None
        made: dict[int, Launch] = {}
        kernels: dict[int, Launch] = {}
        more_ns = -_again_ns(chained.chain)
        for write, slot in enumerate(slots):
            part, more = _part(step, chained, write)
            for reader in self._readers_of(slot):
                if not isinstance(reader, Launch) or not self._can_meet(step, reader, set(slots)):
                    return None
                one = self._one(made.get(id(reader), reader), part, slot)
                if one is None:
                    return None
                made[id(reader)], kernels[id(reader)] = one, reader
                more_ns += more
        # Estimates are of a chain that is computed once, but here all kernels but one do it again.
        before = cost(step) + sum(map(cost, kernels.values())) + more_ns
        return made if sum(map(cost, made.values())) <= before else None

    def _put(self, earlier: Launch, made: Merged) -> None:
        """Put merged steps in the place of those that read."""
        slots = {one.slot for one in accesses_of(earlier) if not one.writes}
        users = {
            slot: [one for one in self._readers_of(slot) if one is not earlier] for slot in slots
        }
        readers = [step for step in self.steps if id(step) in made]
        merged = list(made.values())
        self.steps = [made.get(id(step), step) for step in self.steps if step is not earlier]
        self._now |= made
        self._now[id(earlier)] = merged[0]
        self._merged += (earlier, *readers)
        self._readers |= {slot: [*others, *merged] for slot, others in users.items()}

    def _found(self, step: Step) -> Step:
        while id(step) in self._now:
            step = self._now[id(step)]
        return step

    def _readers_of(self, slot: int) -> list[Step]:
        return list({id(one): one for one in map(self._found, self._readers[slot])}.values())

    def _only_writer(self, slot: int) -> Launch | None:
        """The step that writes all that is read here, if nothing outside uses it."""
        writers = self._writers.get(slot, [])
        if len(writers) != 1 or slot in self._kept:
            return None
        found = self._found(writers[0])
        return found if isinstance(found, Launch) else None

    def _can_meet(self, earlier: Launch, later: Step, slots: set[int]) -> bool:
        """Whether the earlier step can wait until the later one, and be one with it.

        Nothing else that reads these slots waits for the earlier step any more. Of all else, a
        launch must not read what it writes: its invocations come in no order.
        """
        start, end = _index(self.steps, earlier), _index(self.steps, later)
        own = [one for one in accesses_of(earlier) if one.slot not in slots]
        checks = [step for step in self.steps[start + 1 : end] if isinstance(step, Verify)]
        if end < start or (checks and any(one.writes for one in own)):
            return False  # What is written before a check is there even if that fails.
        between = [one for step in self.steps[start + 1 : end] for one in accesses_of(step)]
        return not any(
            one.slot == other.slot
            and (one.writes or other.writes)
            and one.low < other.high
            and other.low < one.high
            for other in (*between, *accesses_of(later))
            for one in own
        )

    def _one(self, kernel: Launch, step: Launch, slot: int) -> Launch | None:
        """One launch for a kernel and a chain, where the chain's result, or source, is a slot."""
        assert step.chained is not None
        chained, plan = step.chained, kernel.work
        chain = chained.chain
        numbers = [k for k, one in enumerate(chained.accesses) if one.slot == slot]
        bindings = [k for k in used_of(kernel) if kernel.accesses[k].slot == slot]
        if len(numbers) != 1 or len(bindings) != 1 or not isinstance(plan, Plan):
            return None
        (number,), (binding,) = numbers, bindings
        mine, its = chained.accesses[number], kernel.accesses[binding]
        reads = len(chain.reads)
        is_read = number >= reads
        operand = chain.writes[number - reads][1] if is_read else chain.reads[number]
        left = mine.high - mine.low - math.prod(chain.sizes) * operand.itemsize
        apart, odd = divmod(its.base - mine.base, operand.itemsize)
        if odd or (apart and not is_read) or mine.low != mine.base or not 0 <= left < WORD:
            return None
        whole = mine.low <= its.low and its.high <= mine.high
        if not whole or (not is_read and its[2:4] != mine[2:4]) or (is_read and reads == 0):
            return None
        passing = Passing(binding, operand, number - reads if is_read else number, is_read, apart)
        first, then = (step, kernel) if is_read else (kernel, step)
        groups = *(first.groups or ((first,),)), *(then.groups or ((then,),))
        wanted = kernel_for(plan, passing, chain)
        outlined = wanted and outline(wanted, binding, is_read, self._profile.unrolls)
        params = len(kernel.params)
        made = plan_attached(plan, params, passing, chain, self._profile, outlined)
        return None if made is None else _work(kernel, chained, number, binding, made, groups)


def _again_ns(chain: Chain) -> float:
    """How much less time a chain takes beside a kernel that has computed it before."""
    again = computing_ns(chain) - recompute_ns(chain.nodes)
    return math.prod(chain.sizes) * max(0.0, again)


def _part(step: Launch, chained: Chained, write: int) -> tuple[Launch, float]:
    """What a step does for one of its results, and how much less time that takes again."""
    part, accesses = part_of(chained.chain, chained.params, write), chained.accesses
    own = *[accesses[k] for k in part.reads], accesses[len(chained.chain.reads) + write]
    groups = (tuple([step.parts[k] for k in part.nodes]),) if step.groups else ()
    made = replace(step, chained=Chained(part.chain, own, part.params), groups=groups)
    return made, _again_ns(part.chain)


def _work(
    kernel: Launch,
    chained: Chained,
    number: int,
    binding: int,
    made: Attaching,
    groups: tuple[tuple[Launch, ...], ...],
) -> Launch:
    accesses, mine = list(kernel.accesses), chained.accesses[number]
    if made.through is not None:
        own, its = chained.accesses[made.through], accesses[binding]
        low, high = own.low + its.low - mine.low, own.low + its.high - mine.low
        accesses[binding] = own._replace(base=own.base + made.moved, low=low, high=high)
    else:  # The kernel only counts from it.
        first, at = chained.accesses[made.others[0]], accesses[binding].base
        base = first.low // QUAD_BYTES * QUAD_BYTES + at % QUAD_BYTES
        accesses[binding] = first._replace(base=base)
    for k in set(range(len(accesses))) - {*used_of(kernel)}:
        accesses[k] = accesses[binding]._replace(writes=False)  # Its slot may be gone.
    accesses += [chained.accesses[k] for k in made.others]
    params = (*kernel.params, *(0,) * made.filled, *chained.params)
    return Launch(made.plan, tuple(accesses), params, kernel.what, kernel.caller, groups)


def _index(steps: Sequence[Step], wanted: Step) -> int:
    return next(number for number, step in enumerate(steps) if step is wanted)
