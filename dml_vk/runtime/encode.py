"""Encode plans as dispatches: push words, number of groups and pipeline."""

from __future__ import annotations

import functools
import itertools
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.errors import DmlVkError
from dml_vk.kernels.plan.base import BASES, END, FIRST, SIZES, Plan
from dml_vk.kernels.plan.copy import plan_flat_copy
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.limits import Profile
from dml_vk.observe import dispatches
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Bound, Copy, Dispatch, Fill, Groups, Range, Words, Work
from dml_vk.runtime.pipelines import Cached, Key, Pipelines, arenas_of, group_count
from dml_vk.runtime.rates import LEAST_COPY, Rates

MAX_SUBMISSION_NS = 40e6  # signals wait for a submission to end, and estimates may be off by two
MIN_NS = 20e3  # the least that a dispatch takes, in a software driver
LEAST_BYTES = 2**16  # of a part of a copy or fill: 13 us on a slow core
MAX_KNOWN = 4096  # entries of each cache
_WHOLE = itertools.repeat((0, 0))


class Known(NamedTuple):
    """A cached encoding of a plan of one short dispatch, for given arenas."""

    cached: Cached
    bound: Bound
    tail: Ints  # the words after the bases
    groups: Groups
    ns: float


class Dispatched(NamedTuple):
    """One dispatch of any shader."""

    spirv: bytes
    spec: Ints
    push: Words  # with zeros where bases are
    bases: tuple[tuple[int, int, int], ...]  # (place in `push`, operand, unit in bytes) of each
    groups: Groups


class Encoder:
    """Encodes plans as dispatches for one device."""

    def __init__(self, pipelines: Pipelines, profile: Profile, *, binds_ranges: bool) -> None:
        self.profile = profile  # all work on the device is planned and encoded for it
        self.binds_ranges = binds_ranges  # else whole arenas, which takes far less time
        self.is_fresh = False  # whether pipelines are compiling on the device
        self._pipelines = pipelines
        self.rates = Rates()
        self._known: dict[object, Known] = {}  # by plan and arenas
        self._same: dict[object, tuple[Cached, Dispatch]] = {}  # by plan, params and accesses

    def forget(self) -> None:
        """Clear the caches, because pipelines were dropped."""
        self._known.clear()
        self._same.clear()

    def again(self, plan: Plan, accesses: Sequence[Access], params: Ints) -> Dispatch | None:
        """Return the single dispatch of a plan that was encoded before for these arenas, or None.

        In a loop even the accesses repeat, since memory that is freed is allocated next.
        """
        key = (plan, params, *accesses)
        same = self._same.get(key)
        if same is None:
            known = self._known_over(plan, accesses)
            if known is None:
                return None
            push = self._push(plan, accesses, params, known)
            dispatch = Dispatch(known.bound, push, known.groups, known.ns)
            same = known.cached, dispatch
            if len(self._same) >= MAX_KNOWN:
                self._same.clear()
            self._same[key] = same
        cached, dispatch = same
        cached.used = self._pipelines.now()
        return dispatch

    def _known_over(self, plan: Plan, accesses: Sequence[Access]) -> Known | None:
        first = accesses[0].arena
        for access in accesses:
            if access.arena is not first:
                return self._known.get((plan, *[access.arena for access in accesses]))
        return self._known.get((plan, first))

    def _push(self, plan: Plan, accesses: Sequence[Access], params: Ints, known: Known) -> bytes:
        bases = zip(accesses, plan.base_bytes, plan.launches[0])
        words = [0, plan.units]
        words += [access.base // unit + offset & 0xFFFFFFFF for access, unit, offset in bases]
        words += known.tail
        words += params
        return _packer(len(words))(*words)

    def encode(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        offsets: Ints,
        params: Ints,
        arguments: Access | None,
        is_logged: bool,
    ) -> Sequence[Work]:
        """Encode one launch of a plan, in as many dispatches as keep each of them short.

        If ranges are bound, each access must start where a binding may.

        `params` are the words that follow the plan's own in the push block; `arguments` is the
        memory of the plan's arguments, if it has any.
        """
        if plan.module == COPY and self._is_copied_by_kernel(plan, accesses):
            return self._copied_by_kernel(plan, accesses, offsets, is_logged)
        if plan.module in (COPY, FILL):
            return self._transfers(plan, accesses, offsets, params, is_logged)
        push = [*plan.push, *params]
        ranges = _ranges(accesses) if self.binds_ranges and arguments is None else []
        bases = zip(accesses, plan.base_bytes, offsets, ranges or _WHOLE)
        for at, (access, unit, offset, (start, _)) in enumerate(bases, BASES):
            push[at] = (access.base - start) // unit + offset
        if arguments is not None:
            push[BASES + len(accesses) + SIZES] = arguments.base // 4
        arenas = arenas_of(accesses)
        unit_ns = self.unit_ns(plan)
        step = self.units_at_once(plan, unit_ns)
        cached, bound = self.pipeline(Key.of(plan, len(push), len(arenas)), arenas, ranges)
        works = []
        for first in range(0, plan.units, step):
            end = min(plan.units, first + step)
            push[FIRST], push[END] = first, end
            each = 1 if plan.by_teams else plan.spec[0]
            groups = group_count(-(-(end - first) // each), self.profile)
            ns = MIN_NS + (end - first) * unit_ns
            origin = dispatches.asked(plan, end - first, groups) if is_logged else None
            words = _packer(len(push))(*[word & 0xFFFFFFFF for word in push])
            works.append(Dispatch(bound, words, (groups, 1, 1), ns, origin))
        if len(works) == len(plan.launches) == 1 and arguments is None and not ranges:
            tail = tuple([word & 0xFFFFFFFF for word in plan.push[BASES + len(plan.base_bytes) :]])
            came = (plan, *(arenas[:1] if len(set(arenas)) == 1 else arenas))
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[came] = Known(cached, bound, tail, works[0].groups, works[0].ns)
        return works

    def dispatch(self, work: Dispatched, accesses: Sequence[Access], is_logged: bool) -> Dispatch:
        """Encode one dispatch of any shader."""
        push = work.push.copy()
        for at, operand, unit in work.bases:
            push[at] = accesses[operand].base // unit
        arenas = arenas_of(accesses)
        _, bound = self.pipeline(Key(work.spirv, work.spec, len(push), len(arenas)), arenas)
        origin = dispatches.asked_of_user(math.prod(work.groups)) if is_logged else None
        return Dispatch(bound, push.tobytes(), work.groups, MIN_NS, origin)

    def make_pipelines(
        self, works: Iterable[tuple[Plan | Dispatched, Sequence[Access], Ints]]
    ) -> None:
        """Make the pipelines of much work at once, unless the driver compiles them later."""
        if not self.profile.compiles_late:
            self._pipelines.make_together(
                Key.of(plan, len(plan.push) + len(params), len(accesses))
                for plan, accesses, params in works
                if isinstance(plan, Plan) and plan.module not in (COPY, FILL)
            )

    def _transfers(
        self, plan: Plan, accesses: Sequence[Access], offsets: Ints, params: Ints, is_logged: bool
    ) -> list[Work]:
        """Encode a plan of a plain copy or fill, whose units are bytes."""
        unit_ns = self.unit_ns(plan)
        step = max(LEAST_BYTES, int(MAX_SUBMISSION_NS / unit_ns) // 4 * 4)
        blocks = [access.arena.block for access in accesses]
        works: list[Work] = []
        for first in range(0, plan.units, step):
            nbytes = min(plan.units - first, step)
            starts = [access.base + at + first for access, at in zip(accesses, offsets)]
            ns = MIN_NS + nbytes * unit_ns
            origin = dispatches.asked(plan, nbytes, 0) if is_logged else None
            if plan.module == FILL:
                works.append(Fill(blocks[0], starts[0], nbytes, params[0], ns, origin))
            else:
                works.append(Copy(blocks[0], starts[0], blocks[1], starts[1], nbytes, ns, origin))
        return works

    def _is_copied_by_kernel(self, plan: Plan, accesses: Sequence[Access]) -> bool:
        """Whether a copy is a kernel's, which is faster on some devices, but not from the host."""
        if plan.units < LEAST_COPY:
            return False
        hosts = {access.arena.bytes is None for access in accesses}
        return len(hosts) == 1 and self.rates.kernels_copy(plan.units)

    def _copied_by_kernel(
        self, plan: Plan, accesses: Sequence[Access], offsets: Ints, is_logged: bool
    ) -> list[Work]:
        """Encode a copy by a kernel between the first and the last multiple of 16 in the target.

        What is before and after is copied by command.
        """
        source, target = (access.base + at for access, at in zip(accesses, offsets))
        head = -target % QUAD_BYTES
        whole = (plan.units - head) // QUAD_BYTES * QUAD_BYTES
        by_kernel = plan_flat_copy(whole, (source + head) % QUAD_BYTES, self.profile)
        # A base alone need not be aligned, as that of a reversed tensor.
        units = [
            (access.base + at + head) // unit - access.base // unit
            for access, at, unit in zip(accesses, offsets, by_kernel.base_bytes)
        ]
        works = [*self.encode(by_kernel, accesses, tuple(units), (), None, is_logged)]
        for at, nbytes in (0, head), (head + whole, plan.units - head - whole):
            if nbytes:
                part = replace(plan, units=nbytes, sizes=(nbytes,))
                starts = tuple([offset + at for offset in offsets])
                works += self._transfers(part, accesses, starts, (), is_logged)
        return works

    def unit_ns(self, plan: Plan) -> float:
        """The estimated time of a work item on this device."""
        was_known = self.rates.is_known(plan.rate)
        unit_ns = plan.unit_ns / self.rates.of(plan.rate, plan.units * plan.unit_ns)
        if not was_known and self.rates.is_known(plan.rate):
            self.forget()  # encodings that were estimated without it
        return unit_ns

    def pipeline(
        self, key: Key, arenas: tuple[Arena, ...], ranges: Sequence[Range] = ()
    ) -> tuple[Cached, Bound]:
        count = len(self._pipelines)
        cached = self._pipelines.get(key)
        bound = self._pipelines.bind(cached, arenas, ranges)
        if len(self._pipelines) > count and self.profile.compiles_late:
            self._pipelines.compile(bound, key.push_words)
            self.is_fresh = True
        return cached, bound

    def units_at_once(self, plan: Plan, unit_ns: float) -> int:
        """Return how many units a dispatch may take within the limits of time and loop rounds."""
        most = group_count(self.profile.max_groups, self.profile)
        units = plan.most_units(self.profile.max_rounds, most)
        if not units:
            rule = f"{plan.module} has too many loop iterations for this device: please report it"
            raise DmlVkError("launch", rule, rounds=plan.unit_rounds)
        step = min(max(1, int(MAX_SUBMISSION_NS / unit_ns)), units)
        return max(plan.together, step // plan.together * plan.together)


def _ranges(accesses: Sequence[Access]) -> list[Range]:
    """The part of its arena that each binding accesses."""
    return [(access.low, access.high - access.low) for access in accesses]


@functools.cache
def _packer(count: int) -> Callable[..., bytes]:
    return struct.Struct(f"<{count}I").pack
