"""What a call comes to, as a value: which module runs, how it is specialised, what it is told."""

from __future__ import annotations

from dataclasses import dataclass

from dml_vk.kernels.rounds import AROUND

# Every kernel's push block starts with these two: the half-open range of work units to do.
# After them comes one base for each binding, then whatever is the kernel's own.
FIRST, END, BASES = 0, 1, 2
SIZES = 3  # words after the bases


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One kernel, ready to run but for where its operands lie.

    Who plans keeps his plans, so that a plan seen before is known by being the same object.

    Invocations share the work units from `first` to `end` among them. So any number of groups does
    the work, and any range of units can be a dispatch.
    """

    module: str  # the built SPIR-V: a kernel's name and a variant's suffix
    spec: tuple[int, ...]  # specialization constants; the first is the local size
    push: tuple[int, ...]  # the whole push block as 32-bit words; range and bases are filled in
    units: int
    unit_ns: float  # what a unit takes on one slow core, so that long work can be cut in time
    unit_rounds: int  # of loops, the longest unit's: kernels/rounds.py
    base_bytes: tuple[int, ...]  # what each base counts in
    # Element offsets from the operands' bases, one tuple a launch: more where one launch won't do.
    launches: tuple[tuple[int, ...], ...]
    # Invocations may change different bits of one word, which nobody else may read meanwhile.
    shares_words: bool = False
    # Sizes and strides that the push block has no room for. They lie in the arena of the operand
    # that is written, from the word on that the first of the push block's sizes tells.
    arguments: tuple[int, ...] = ()
    # For those who read the log: the way through the task, and the sizes of its dims.
    path: str = "single"
    sizes: tuple[int, ...] = ()

    def rounds(self, units: int, groups: int) -> int:
        """Of its loops that an invocation goes at most, where groups share so many units.

        Those of whole units and of others are done in two loops, of which either may go once more.
        """
        lanes, strands = self._strands(groups)
        stretch = -(-units // strands)
        turns = -(-stretch // lanes)
        return AROUND + (turns + 1) * (1 + self.unit_rounds)

    def most_units(self, rounds: int, groups: int) -> int:
        """The most units that so many groups can share without an invocation's going further."""
        lanes, strands = self._strands(groups)
        turns = (rounds - AROUND) // (1 + self.unit_rounds) - 1
        return max(0, turns) * lanes * strands

    def _strands(self, groups: int) -> tuple[int, int]:
        """(invocations that share a stretch of units, how many such there are)."""
        local, lanes = (*self.spec, 1)[:2]
        return lanes, groups * (local // lanes)
