"""Count the loop iterations of a shader, as far as its SPIR-V alone determines them.

A loop counts if it has a single exit, which compares a variable that moves by a constant with a
constant. Other loops count as 0, since their iterations are unknown, and so do those marked
`[[unroll]]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import (
    Blocks,
    Words,
    blocks_of,
    reached,
    targets,
)
from dml_vk.spirv.integers import COMPARISONS
from dml_vk.spirv.module import Module

_WORD = 2**32


@lru_cache(maxsize=256)
def fixed_rounds(spirv: bytes, spec: tuple[int, ...], most: int) -> int:
    """The iterations of an invocation that enters every loop, under these specialization constants.

    Counting stops above `most`.
    """
    return _Shader(spirv, dict(enumerate(spec)), most).rounds()


class _Shader:
    def __init__(self, spirv: bytes, spec: Mapping[int, int], most: int) -> None:
        self.most = most
        module = Module(spirv)
        self.functions, self.main, numbers = module.functions, module.main, module.decorated.numbers
        self.constants: dict[int, int] = {}
        for line in module.declared:
            code = line[0] & 0xFFFF
            if code == op.CONSTANT and len(line) == 4:
                self.constants[line[2]] = line[3]
            elif code == op.SPEC_CONSTANT:
                self.constants[line[2]] = spec.get(numbers.get(line[2], -1), line[3])

    def rounds(self) -> int:
        return self._of_function(self.main)

    def _of_function(self, name: int) -> int:
        blocks = blocks_of(self.functions[name])
        return self._of_blocks(blocks, set(blocks))

    def _of_blocks(self, blocks: Blocks, left: set[int]) -> int:
        """The iterations of the loops in these blocks, and of the functions that they call."""
        total = 0
        for label in [label for label in blocks if label in left]:
            if label not in left or total > self.most:  # part of a loop that has been counted
                continue
            left.discard(label)
            merge = next(
                (line for line in blocks[label] if line[0] & 0xFFFF == op.LOOP_MERGE), None
            )
            if merge is not None:
                inside = reached(blocks, label, merge[1:2])
                turns = (
                    0
                    if merge[3] & op.LoopControl.UNROLL
                    else self._turns(blocks, label, merge, inside)
                )
                within = self._of_blocks(blocks, inside - {label})
                left -= inside
                total += turns * (1 + within) + 1 if turns else 0
            calls = [line[3] for line in blocks[label] if line[0] & 0xFFFF == op.FUNCTION_CALL]
            total += sum(map(self._of_function, calls))
        return total

    def _turns(self, blocks: Blocks, head: int, merge: Words, inside: set[int]) -> int:
        """The iterations of a loop, 0 if unknown."""
        leaving = [label for label in inside if merge[1] in targets(blocks[label][-1])]
        if len(leaving) != 1:
            return 0
        last = blocks[leaving[0]][-1]
        defined = {line[2]: line for label in inside for line in blocks[label] if len(line) > 2}
        test = defined.get(last[1])
        compare = COMPARISONS.get(test[0] & 0xFFFF) if test else None
        if (
            last[0] & 0xFFFF != op.BRANCH_CONDITIONAL
            or last[3] != merge[1]
            or not test
            or compare is None
        ):
            return 0
        for phi in [line for line in blocks[head] if line[0] & 0xFFFF == op.PHI and len(line) == 7]:
            first, again = (phi[3], phi[5]) if phi[6] in inside else (phi[5], phi[3])
            moved = defined.get(again, (0,))
            if test[-2] in (phi[2], again) and moved[0] & 0xFFFF in (op.I_ADD, op.I_SUB):
                numbers = [self.constants.get(operand) for operand in (first, moved[4], test[-1])]
                start, step, end = numbers
                if moved[3] != phi[2] or start is None or step is None or end is None:
                    break
                step = step if moved[0] & 0xFFFF == op.I_ADD else -step
                # The condition tests the variable, or after the body its next value.
                value, turns = start + (step if test[-2] == again else 0), 0
                while turns <= self.most and compare(value % _WORD, end):
                    turns, value = turns + 1, value + step
                return turns
        return 0
