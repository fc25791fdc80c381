"""A launch plan as a value: module, specialization constants and push constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from dml_vk.kernels.plan.chain import Computed, Inlined, Recipe
from dml_vk.kernels.plan.rounds import AROUND

# Every kernel's push block starts with the half-open range of work items to process, then one base
# per binding, then the kernel's own parameters.
FIRST, END, BASES = 0, 1, 2
SIZES = 3  # words after the bases

Rate = Literal["bytes", "float32", "float64"]
"""What limits a plan: memory bandwidth, or multiply-adds of a dtype."""


class Load(NamedTuple):
    """The reads of a work item at a binding, into which a chain can be inlined."""

    elements: float
    unrolled: float  # of these, how many are in unrolled code
    lanes: int = 1  # invocations that share them


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One kernel, ready to run except for the addresses of its operands.

    Plans compare by identity: planners cache them, so equal arguments give the same object.

    Invocations stride over the work items from `first` to `end`. So any number of workgroups can
    do the work, and any range of items can be a dispatch of its own.
    """

    module: str  # the built SPIR-V: a kernel's name and a variant's suffix
    spec: tuple[int, ...]  # specialization constants; the first is the local size
    push: tuple[int, ...]  # the whole push block in 32-bit words; range and bases are set at launch
    units: int  # work items
    unit_ns: float  # estimated time per work item on one slow core, to split long work
    unit_rounds: int  # loop iterations of the longest work item: see kernels/plan/rounds.py
    base_bytes: tuple[int, ...]  # the granularity of each base
    # Element offsets from the operands' bases, one tuple per launch. There are several launches
    # where one cannot cover all dims.
    launches: tuple[tuple[int, ...], ...]
    # Invocations may modify different bits of the same word, so nothing else may read it meanwhile.
    shares_words: bool = False
    # Sizes and strides that do not fit the push block. They are stored in the arena of the output;
    # the first size in the push block is then the index of their first word.
    arguments: tuple[int, ...] = ()
    # Products and the sums that they are added to are rounded once: see spirv/passes/fma.py.
    fma: bool = False
    # The invocations of a workgroup do each work item together.
    by_teams: bool = False
    rate: Rate = "bytes"
    # Work items that lanes do together: each range starts and ends at a multiple of it.
    together: int = 1
    # The reads of the first bindings, if elements may be read several times, or never.
    loads: tuple[Load, ...] = ()
    # Only for the log: the chosen variant and its dim sizes.
    path: str = "single"
    sizes: tuple[int, ...] = ()
    # The operation of the plan, if it can be a node of a chain: see kernels/plan/fused.py.
    computed: Computed | None = None
    # The same on complex numbers, where it does it to their parts.
    of_complex: Computed | None = None
    # The recipe of a generated module: of a chain, or of a kernel with chains inlined.
    recipe: Recipe | Inlined | None = None

    def rounds(self, units: int, groups: int) -> int:
        """The most loop iterations of any invocation when `groups` share `units` work items.

        Whole and edge work items run in two separate loops, and each may need one more iteration.
        """
        lanes, lane_groups = self._lane_groups(groups)
        stretch = -(-units // lane_groups)
        turns = -(-stretch // lanes)
        return AROUND + (turns + 1) * (1 + self.unit_rounds)

    def most_units(self, rounds: int, groups: int) -> int:
        """The most work items that `groups` can share within `rounds` iterations each."""
        lanes, lane_groups = self._lane_groups(groups)
        turns = (rounds - AROUND) // (1 + self.unit_rounds) - 1
        return max(0, turns) * lanes * lane_groups

    def _lane_groups(self, groups: int) -> tuple[int, int]:
        """(items at a time, lane groups or teams), each taking a contiguous range of items."""
        if self.by_teams:
            return 1, groups
        local, lanes = (*self.spec, 1)[:2]
        return lanes, groups * (local // lanes)
