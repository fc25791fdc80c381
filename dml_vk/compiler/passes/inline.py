"""Inline elementwise launches in the kernels that make what they read, or read what they write.

So a value goes from a product or reduction to what is computed of it, and to a reduction from what
it was computed of, without a pass through memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from dml_vk.compiler.passes.aliasing import accesses_of, used_of
from dml_vk.compiler.passes.liveness import Step, cost
from dml_vk.kernels.codegen.inlined import outline
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import WORD, Chain
from dml_vk.kernels.plan.chain_part import part_of
from dml_vk.kernels.plan.fused import computing_ns
from dml_vk.kernels.plan.inlined import InlinedPlan, Passing, kernel_for, plan_inlined
from dml_vk.kernels.plan.recompute import recompute_ns
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.limits import Profile
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.step import Chained, Launch, Verify

Merged = dict[int, Launch]  # by the id of the step in whose place it is


def inlined(steps: Sequence[Step], outer: set[int], profile: Profile) -> list[Step]:
    """Return steps that do the same; `outer` are the slots that are used after them."""
    inlining = _Inlining(steps, outer, profile)
    for is_read in (False, True):
        for step in steps:
            inlining.inline(step, is_read=is_read)
    return inlining.steps


class _Inlining:
    def __init__(self, steps: Sequence[Step], outer: set[int], profile: Profile) -> None:
        self.steps = list(steps)
        self._profile = profile
        self._outer = outer
        self._now: dict[int, Step] = {}  # what became of a step
        self._merged: list[Step] = []  # keeps their ids
        self._readers: dict[int, list[Step]] = {}  # of each slot
        self._writers: dict[int, list[Step]] = {}
        for step in steps:
            for access in accesses_of(step):
                users = self._writers if access.writes else self._readers
                users.setdefault(access.slot, []).append(step)

    def inline(self, step: Step, *, is_read: bool) -> None:
        """Make one of a step and one before it, if it can be done.

        If `is_read`, the step is the kernel, and what it reads is computed by a chain; else the
        step is the chain, and the kernel comes before it. A chain whose results several kernels
        read becomes part of each, or of none.
        """
        later = self._current(step)
        if not isinstance(later, Launch) or (not is_read and later.chained is None):
            return
        for slot in [access.slot for access in accesses_of(later) if not access.writes]:
            earlier = self._only_writer(slot)
            if earlier is None or earlier is later:
                continue
            merged = self._read_by(earlier) if is_read else self._after(earlier, later, slot)
            if merged is not None:
                self._put(earlier, merged)
                for launch in merged.values():
                    self.inline(launch, is_read=is_read)
                return

    def _after(self, kernel: Launch, chain: Launch, slot: int) -> Merged | None:
        """A kernel, and a chain after it, as one step."""
        if self._readers_of(slot) != [chain] or not self._can_meet(kernel, chain, {slot}):
            return None
        merged = self._inlined_launch(kernel, chain, slot)
        if merged is None or cost(merged) > cost(kernel) + cost(chain):
            return None
        return {id(chain): merged}

    def _read_by(self, step: Launch) -> Merged | None:
        """The kernels that read what a chain computes, each with its part of the chain."""
        if step.chained is None:
            return None
        chained = step.chained
        slots = [access.slot for access in chained.accesses if access.writes]
        if any(self._only_writer(slot) is not step for slot in slots):
            return None
        merged: dict[int, Launch] = {}
        kernels: dict[int, Launch] = {}
        more_ns = -_again_ns(chained.chain)
        for write, slot in enumerate(slots):
            part, more = _part(step, chained, write)
            for reader in self._readers_of(slot):
                if not isinstance(reader, Launch) or not self._can_meet(step, reader, set(slots)):
                    return None
                launch = self._inlined_launch(merged.get(id(reader), reader), part, slot)
                if launch is None:
                    return None
                merged[id(reader)], kernels[id(reader)] = launch, reader
                more_ns += more
        # Estimates are of a chain that is computed once, but here all kernels but one do it again.
        before = cost(step) + sum(map(cost, kernels.values())) + more_ns
        return merged if sum(map(cost, merged.values())) <= before else None

    def _put(self, earlier: Launch, by_reader: Merged) -> None:
        """Put merged steps in the place of those that read."""
        slots = {access.slot for access in accesses_of(earlier) if not access.writes}
        users = {
            slot: [reader for reader in self._readers_of(slot) if reader is not earlier]
            for slot in slots
        }
        readers = [step for step in self.steps if id(step) in by_reader]
        merged = list(by_reader.values())
        self.steps = [by_reader.get(id(step), step) for step in self.steps if step is not earlier]
        self._now |= by_reader
        self._now[id(earlier)] = merged[0]
        self._merged += (earlier, *readers)
        self._readers |= {slot: [*others, *merged] for slot, others in users.items()}

    def _current(self, step: Step) -> Step:
        while id(step) in self._now:
            step = self._now[id(step)]
        return step

    def _readers_of(self, slot: int) -> list[Step]:
        return list({id(step): step for step in map(self._current, self._readers[slot])}.values())

    def _only_writer(self, slot: int) -> Launch | None:
        """The step that writes all that is read here, if nothing outside uses it."""
        writers = self._writers.get(slot, [])
        if len(writers) != 1 or slot in self._outer:
            return None
        writer = self._current(writers[0])
        return writer if isinstance(writer, Launch) else None

    def _can_meet(self, earlier: Launch, later: Step, slots: set[int]) -> bool:
        """Whether the earlier step can wait until the later one, and be one with it.

        Nothing else that reads these slots waits for the earlier step any more. Of all else, a
        launch must not read what it writes: its invocations come in no order.
        """
        start, end = _index(self.steps, earlier), _index(self.steps, later)
        own = [access for access in accesses_of(earlier) if access.slot not in slots]
        checks = [step for step in self.steps[start + 1 : end] if isinstance(step, Verify)]
        if end < start or (checks and any(access.writes for access in own)):
            return False  # What is written before a check is there even if that fails.
        between = [access for step in self.steps[start + 1 : end] for access in accesses_of(step)]
        return not any(
            access.slot == other.slot
            and (access.writes or other.writes)
            and access.low < other.high
            and other.low < access.high
            for other in (*between, *accesses_of(later))
            for access in own
        )

    def _inlined_launch(self, kernel: Launch, step: Launch, slot: int) -> Launch | None:
        """One launch for a kernel and a chain, where the chain's result, or source, is a slot."""
        assert step.chained is not None
        chained, plan = step.chained, kernel.work
        chain = chained.chain
        numbers = [k for k, access in enumerate(chained.accesses) if access.slot == slot]
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
        if (
            not whole
            or (not is_read and (its.low, its.high) != (mine.low, mine.high))
            or (is_read and reads == 0)
        ):
            return None
        passing = Passing(binding, operand, number - reads if is_read else number, is_read, apart)
        first, then = (step, kernel) if is_read else (kernel, step)
        groups = *(first.groups or ((first,),)), *(then.groups or ((then,),))
        wanted = kernel_for(plan, passing, chain)
        # The outline counts loads and stores in the text that is left once constants are folded,
        # loops unrolled and dead branches removed. It can't stand in the manifest, which lists
        # modules: constants have any values, such as the sizes of a tile or a window, and a module
        # with a chain in it has more loads. Nor does it follow from rows, unless these repeat what
        # the passes decide to unroll and to remove. So the folded module is counted, once a kernel.
        outlined = wanted and outline(wanted, binding, is_read, self._profile.unrolls)
        if wanted is None or outlined is None:
            return None
        params = len(kernel.params)
        inlined = plan_inlined(plan, wanted, params, passing, chain, self._profile, outlined)
        if inlined is None:
            return None
        return _work(kernel, chained, number, binding, inlined, groups)


def _again_ns(chain: Chain) -> float:
    """How much less time a chain takes beside a kernel that has computed it before."""
    again = computing_ns(chain) - recompute_ns(chain.nodes)
    return math.prod(chain.sizes) * max(0.0, again)


def _part(step: Launch, chained: Chained, write: int) -> tuple[Launch, float]:
    """What a step does for one of its results, and how much less time that takes again."""
    part, accesses = part_of(chained.chain, chained.params, write), chained.accesses
    own = *[accesses[k] for k in part.reads], accesses[len(chained.chain.reads) + write]
    groups = (tuple([step.parts[k] for k in part.nodes]),) if step.groups else ()
    partial = replace(step, chained=Chained(part.chain, own, part.params), groups=groups)
    return partial, _again_ns(part.chain)


def _work(
    kernel: Launch,
    chained: Chained,
    number: int,
    binding: int,
    inlined: InlinedPlan,
    groups: tuple[tuple[Launch, ...], ...],
) -> Launch:
    accesses, mine = list(kernel.accesses), chained.accesses[number]
    if inlined.through is not None:
        own, its = chained.accesses[inlined.through], accesses[binding]
        low, high = own.low + its.low - mine.low, own.low + its.high - mine.low
        accesses[binding] = Access.of(own.arena, own.base + inlined.moved, low, high, own.writes)
    else:  # The kernel only counts from it.
        first, at = chained.accesses[inlined.others[0]], accesses[binding].base
        base = first.low // QUAD_BYTES * QUAD_BYTES + at % QUAD_BYTES
        accesses[binding] = Access.of(first.arena, base, first.low, first.high, first.writes)
    base, low, high, _ = accesses[binding].span
    for k in set(range(len(accesses))) - {*used_of(kernel)}:  # Its slot may be gone.
        accesses[k] = Access.of(accesses[binding].arena, base, low, high, False)
    accesses += [chained.accesses[k] for k in inlined.others]
    params = (*kernel.params, *(0,) * inlined.filled, *chained.params)
    return Launch(inlined.plan, tuple(accesses), params, kernel.what, kernel.caller, groups)


def _index(steps: Sequence[Step], wanted: Step) -> int:
    return next(number for number, step in enumerate(steps) if step is wanted)
