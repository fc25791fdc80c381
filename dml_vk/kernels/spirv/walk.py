"""Follow the control flow of a function as far as it is known, and write what is left of it.

Selections and loops stay what SPIR-V calls structured: a merge block exists even if nothing comes
to it, and a loop keeps a block that goes back to its header.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from dml_vk.kernels.spirv import instructions as op
from dml_vk.kernels.spirv import memory
from dml_vk.kernels.spirv.compute import Compute
from dml_vk.kernels.spirv.instructions import Words, instruction
from dml_vk.kernels.spirv.memory import State
from dml_vk.kernels.spirv.program import Block, Function

if TYPE_CHECKING:
    from dml_vk.kernels.spirv.fold import Body, Folder


class Edge(NamedTuple):
    """A branch that may be taken."""

    label: int  # of the new block that it leaves
    state: State


class Return(NamedTuple):
    """A place where the function may return."""

    value: int  # 0 if there is none
    place: int  # of the line in the body
    state: State


class Dropped(NamedTuple):
    """A switch that became a branch."""

    level: int
    place: int  # of the line before the branch
    chosen: int


class Loop(NamedTuple):
    """A loop that is being written."""

    merge: int  # label in the old module
    turn: int  # a block of its own that goes back, or 0: the old module's does


class Walk(Compute):
    """A function being written to a body. Labels are the old ones, unless they are called names."""

    def __init__(
        self, folder: Folder, function: Function, env: dict[int, int], body: Body, state: State
    ) -> None:
        super().__init__(folder, env, body, state)
        self.function = function
        self._source = 0  # label of the block that is being written
        self._level = self._deepest = 0
        self._levels: dict[int, int] = {}  # by label: one number for each selection or loop
        self._names: dict[int, int] = {}  # by label
        self._edges: dict[int, dict[int, Edge]] = {}  # by target and source
        self._ends: dict[int, Words] = {}  # of blocks that must exist even if nothing reaches them
        self._dropped: dict[int, Dropped] = {}  # by merge block
        self._loops: dict[int, Loop] = {}  # by header
        self._open: dict[int, int] = {}  # merge block -> header, before anything goes back there
        self._phis: list[tuple[int, int, int, Words]] = []  # of loops: place, result, header, phi
        self._returns: list[Return] = []

    def walk(self) -> list[Return]:
        """Write the function."""
        for block in self.function.blocks:
            label, edges = block.label, self._edges.get(block.label, {})
            if label in self._open:  # The loop before always ends in its first round.
                self._turn(self._open[label])
            if edges:
                self._begin(label)
                self.state = memory.merged([edge.state for edge in edges.values()])
            elif self._source:
                if label in self._ends:
                    self._begin(label)
                    self.lines.append(self._ends[label])
                continue
            self._source = label
            self._level = self._levels.get(label, 0)
            self._block(block, edges)
        for place, name, header, phi in self._phis:
            self.lines[place] = self._phi_of_loop(phi, name, self._edges[header])
        return self._returns

    def _name(self, label: int) -> int:
        name = self._names.get(label)
        if name is None:
            name = self._names[label] = self.all.new()
        return name

    def _begin(self, label: int) -> None:
        self._label(self._name(label))

    def _label(self, name: int) -> None:
        self.body.label = name
        self.lines.append(instruction(op.LABEL, name))

    # ----- blocks

    def _block(self, block: Block, edges: dict[int, Edge]) -> None:
        merge = block.merge
        if merge is None or merge[0] & 0xFFFF != op.LOOP_MERGE:
            for phi in block.phis:
                self.env[phi[2]] = self._phi(phi, edges)
            self.run(block.lines)
            self._leave(block.end, merge)
            return
        merge = self._enter_loop(block, merge)
        if any(line[0] & 0xFFFF == op.CALL for line in block.lines):
            # What is called may have several blocks, and the header must be one.
            inside = self.all.new()
            self.lines += (merge, instruction(op.BRANCH, inside))
            self._label(inside)
            self.run(block.lines)
        else:
            self.run(block.lines)
            self.lines.append(merge)
        self._leave(block.end, None)

    def _phi(self, phi: Words, edges: dict[int, Edge]) -> int:
        pairs = self._incoming(phi, edges)
        if all(value == pairs[0] for value in pairs[::2]):
            return pairs[0]
        name = self.all.new()
        self.lines.append(instruction(op.PHI, phi[1], name, *pairs))
        return name

    def _incoming(self, phi: Words, edges: dict[int, Edge]) -> list[int]:
        """Values and the names of the blocks that they come from."""
        return [
            word
            for value, source in zip(phi[3::2], phi[4::2])
            if source in edges
            for word in (self.value(value), edges[source].label)
        ]

    def _phi_of_loop(self, phi: Words, name: int, edges: dict[int, Edge]) -> Words:
        pairs = self._incoming(phi, edges)
        if 0 in edges:  # A block that is never run goes back: any value will do.
            pairs += (pairs[0], edges[0].label)
        return instruction(op.PHI, phi[1], name, *pairs)

    def _enter_loop(self, block: Block, merge: Words) -> Words:
        """Return the line that makes the block the header of a loop."""
        header, (first, last, again, control) = block.label, merge
        for phi in block.phis:
            name = self.env[phi[2]] = self.all.new()
            self._phis.append((len(self.lines), name, header, phi))
            self.lines.append(())
        pointers, calls = self.function.loops[header]
        memory.forget(self.state, map(self.value, pointers))
        if calls:
            memory.forget(self.state, self.all.private)
        self._levels[last] = self._level
        self._level = self._inside()
        self._ends[last] = instruction(op.UNREACHABLE)
        turn = 0
        if again == header or self.function.entries.get(again) == 1:
            # Nothing but the end of the body goes on at the block that goes back, so that it may
            # belong to the body, and have calls with several blocks; an empty one goes back.
            turn = self.all.new()
            self._open[last] = header
        else:
            self._levels[again] = self._level
            self._ends[again] = instruction(op.BRANCH, self.body.label)
        name = turn or self._name(again)
        self._edges[header][0] = Edge(name, {})
        self._loops[header] = Loop(last, turn)
        return (first, self._name(last), name, control)

    def _turn(self, header: int) -> None:
        """Write the block that goes back to the header of a loop."""
        merge, turn = self._loops[header]
        del self._open[merge]
        self._label(turn)
        self.lines.append(instruction(op.BRANCH, self._name(header)))

    def _inside(self) -> int:
        self._deepest += 1
        return self._deepest

    # ----- branches

    def _leave(self, end: Words, merge: Words | None) -> None:
        kind = end[0] & 0xFFFF
        if kind >= op.RETURN:  # or the end of a block that is never run
            value = self.value(end[1]) if kind == op.RETURN_VALUE else 0
            self._returns.append(Return(value, len(self.lines), self.state))
            self.lines.append((end[0], value) if value else end)
            return
        target = self._only_target(end, kind)
        if target is None:
            self._fork(end, kind, merge)
        else:
            self._go_on(end, kind, merge, target)

    def _only_target(self, end: Words, kind: int) -> int | None:
        """Where a block goes on, if it is known."""
        if kind == op.BRANCH:
            return end[1]
        value = self.all.values.get(self.value(end[1]))
        if value is None:
            return None
        if kind == op.BRANCH_IF:
            return end[2] if value else end[3]
        return dict(zip(end[3::2], end[4::2])).get(value, end[2])

    def _go_on(self, end: Words, kind: int, merge: Words | None, target: int) -> None:
        if merge is not None:
            self._levels[merge[1]] = self._level
            if kind == op.SWITCH and target != merge[1]:
                # Blocks deep inside may break to its merge block, which only a switch allows.
                place, chosen = len(self.lines), self.value(end[1])
                self._dropped[merge[1]] = Dropped(self._level, place, chosen)
                self.lines.append(())
        name = self._to(target, self._level)
        self.lines.append(instruction(op.BRANCH, name))
        self._turn_after([target])

    def _fork(self, end: Words, kind: int, merge: Words | None) -> None:
        inside = self._level
        if merge is not None:
            self._levels[merge[1]] = self._level
            self._ends[merge[1]] = instruction(op.UNREACHABLE)
            self.lines.append((merge[0], self._name(merge[1]), merge[2]))
            inside = self._inside()
        labels = op.targets(end)
        names = [self._to(label, inside) for label in labels]
        if kind == op.SWITCH:
            cases = [word for pair in zip(end[3::2], names[1:]) for word in pair]
            self.lines.append((end[0], self.value(end[1]), names[0], *cases))
        else:
            self.lines.append((end[0], self.value(end[1]), *names))
        self._turn_after(labels)

    def _to(self, target: int, level: int) -> int:
        """Note a branch, and return the name of the block that it leads to."""
        loop = self._loops.get(target)
        if loop is not None:
            edges = self._edges[target]
            edges.pop(0, None)
            edges[self._source] = Edge(loop.turn or self.body.label, {})
            return loop.turn or self._name(target)
        self._levels.setdefault(target, level)
        self._edges.setdefault(target, {})[self._source] = Edge(self.body.label, self.state)
        dropped = self._dropped.get(target)
        if dropped is not None and dropped.level != self._level:
            self._keep(target, *self._dropped.pop(target))
        return self._name(target)

    def _turn_after(self, targets: Iterable[int]) -> None:
        for target in targets:
            if target in self._loops and self._loops[target].turn:
                self._turn(target)

    def _keep(self, merge: int, level: int, place: int, chosen: int) -> None:
        """Make a switch again of one that became a branch, with a default only."""
        target = self.lines[place + 1][1]
        self.lines[place] = instruction(op.SELECTION_MERGE, self._name(merge), 0)
        self.lines[place + 1] = instruction(op.SWITCH, chosen, target)
