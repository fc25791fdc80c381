"""Follow the control flow of a function as far as it is known, and write what is left of it.

Selections and loops stay what SPIR-V calls structured: a merge block exists even if nothing comes
to it, and a loop keeps a block that goes back to its header. Of a loop marked `[[unroll]]` the
iterations are written one after another where their number is known: drivers do the same, but go
through all of the kernel again after each such loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.functions import Block, Function
from dml_vk.spirv.instructions import Words, instruction, targets
from dml_vk.spirv.passes import stores
from dml_vk.spirv.passes.evaluate import Compute
from dml_vk.spirv.passes.stores import State

if TYPE_CHECKING:
    from dml_vk.spirv.passes.fold import Body, Folder


MOST_ROUNDS = 32  # of a loop that is unrolled: Mesa's drivers leave longer ones alone
MOST_LINES = 2**9  # that it becomes
# What is known of a function while it is written, but for values and states, which blocks set anew.
_KNOWN: tuple[str, ...] = (
    "_source",
    "_level",
    "_deepest",
    "_levels",
    "_names",
    "_edges",
    "_ends",
    "_dropped",
)
_KNOWN += ("_loops", "_open", "_phis", "_unrolled", "_returns")


class Edge(NamedTuple):
    """A branch that may be taken."""

    label: int  # of the new block that it leaves
    state: State


class Return(NamedTuple):
    """A place where the function may return."""

    value: int  # 0 if there is none
    position: int  # of the line in the body
    state: State


class Dropped(NamedTuple):
    """A switch that became a branch."""

    level: int
    position: int  # of the line before the branch
    chosen: int


class Loop(NamedTuple):
    """A loop that is being written."""

    merge: int  # label in the old module
    turn: int  # a block of its own that goes back, or 0: the old module's does


class _Progress(NamedTuple):
    """How far a function is written, and what is known there."""

    lines: int
    variables: int
    label: int
    known: dict[str, Any]


class _NotUnrolledError(Exception):
    """A loop has iterations that depend on what is not known."""


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
        self._phis: list[tuple[int, int, Words]] = []  # of a loop: place, result, phi
        self._unrolled: dict[int, int] = {}  # level, by label to which only a sure branch may lead
        self._returns: list[Return] = []

    def walk(self) -> list[Return]:
        """Write the function."""
        self._walk(self.function.blocks)
        return self._returns

    def _walk(self, blocks: Sequence[Block]) -> None:
        """Write blocks, of which those of a loop are in one piece."""
        number = 0
        while number < len(blocks):
            loop = self.function.loops.get(blocks[number].label)
            inside = blocks[number : number + 1] if loop is None else loop.blocks
            if loop is None or not self._edges.get(inside[0].label):
                for block in inside:
                    self._come_to(block)
            elif not self._unroll(inside):
                self._roll(inside)
            number += len(inside)

    def _come_to(self, block: Block) -> None:
        """Write a block if a branch leads to it."""
        label, edges = block.label, self._edges.get(block.label, {})
        if edges:
            self._begin(label)
            self._enter(block, edges)
        elif not self._source:  # the first block
            self._enter(block, edges)
        elif label in self._ends:
            self._begin(label)
            self.lines.append(self._ends[label])

    def _enter(self, block: Block, edges: dict[int, Edge]) -> None:
        if edges:
            self.state = stores.merged([edge.state for edge in edges.values()])
        self._source = block.label
        self._level = self._levels.get(block.label, 0)
        self._block(block, edges)

    def _roll(self, blocks: Sequence[Block]) -> None:
        """Write a loop as a loop."""
        header, *others = blocks
        outer, self._phis = self._phis, []
        self._come_to(header)
        phis, self._phis = self._phis, outer
        self._walk(others)
        if header.merge and header.merge[1] in self._open:  # It always ends in its first round.
            self._turn(header.label)
        for position, name, phi in phis:
            self.lines[position] = self._phi_of_loop(phi, name, self._edges[header.label])

    def _unroll(self, blocks: Sequence[Block]) -> bool:
        """Write the iterations of a loop one after another, if it is known how many there are."""
        header, merge = blocks[0], blocks[0].merge
        stays = self.folder.rolled
        if merge is None or not merge[3] & op.LoopControl.UNROLL or header.label in stays:
            return False
        if not self.folder.unrolls:
            return False
        before, first = self._progress(), len(self.lines)
        plain = header._replace(merge=None)
        level = self._levels.get(header.label, 0)
        jumps = (header.label, *merge[1:3])
        self._unrolled.update(dict.fromkeys(jumps, level))
        try:
            for _ in range(MOST_ROUNDS + 1):
                edges = self._edges.pop(header.label)
                self._begin(header.label)
                self._forget(blocks)
                self._levels[header.label] = level
                self._enter(plain, edges)
                self._walk(blocks[1:])
                if header.label not in self._edges:
                    # The loop around it may come to it again, by any branch.
                    for label in jumps:
                        self._unrolled.pop(label, None)
                    return True
                if len(self.lines) - first > MOST_LINES:
                    break
        except _NotUnrolledError:
            pass
        self._go_back(before)
        stays.add(header.label)
        return False

    def _forget(self, blocks: Sequence[Block]) -> None:
        """Forget the iteration before."""
        by_label: tuple[dict[int, Any], ...] = (self._names, self._edges, self._ends, self._levels)
        by_label += (self._loops, self._dropped)
        for known in by_label:
            for block in blocks:
                known.pop(block.label, None)

    def _progress(self) -> _Progress:
        known = {name: copy(getattr(self, name)) for name in _KNOWN}
        known["_edges"] = {label: dict(edges) for label, edges in self._edges.items()}
        return _Progress(len(self.lines), len(self.body.variables), self.body.label, known)

    def _go_back(self, to: _Progress) -> None:
        """Forget what was written since."""
        del self.lines[to.lines :], self.body.variables[to.variables :]
        self.body.label = to.label
        vars(self).update(to.known)

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
            values = [self._phi(phi, edges) for phi in block.phis]
            self.env.update(zip((phi[2] for phi in block.phis), values))
            self.run(block.lines)
            self._leave(block.end, merge)
            return
        merge = self._enter_loop(block, merge)
        if any(line[0] & 0xFFFF == op.FUNCTION_CALL for line in block.lines):
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
            self._phis.append((len(self.lines), name, phi))
            self.lines.append(())
        _, pointers, calls = self.function.loops[header]
        stores.forget(self.state, map(self.value, pointers))
        if calls:
            stores.forget(self.state, self.all.private)
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
        if kind == op.BRANCH_CONDITIONAL:
            return end[2] if value else end[3]
        return dict(zip(end[3::2], end[4::2])).get(value, end[2])

    def _go_on(self, end: Words, kind: int, merge: Words | None, target: int) -> None:
        if merge is not None:
            self._levels[merge[1]] = self._level
            if kind == op.SWITCH and target != merge[1]:
                # Blocks deep inside may break to its merge block, which only a switch allows.
                position, chosen = len(self.lines), self.value(end[1])
                self._dropped[merge[1]] = Dropped(self._level, position, chosen)
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
        labels = targets(end)
        if not self._unrolled.keys().isdisjoint(labels):
            raise _NotUnrolledError
        names = [self._to(label, inside) for label in labels]
        if kind == op.SWITCH:
            cases = [word for pair in zip(end[3::2], names[1:]) for word in pair]
            self.lines.append((end[0], self.value(end[1]), names[0], *cases))
        else:
            self.lines.append((end[0], self.value(end[1]), *names))
        self._turn_after(labels)

    def _to(self, target: int, level: int) -> int:
        """Note a branch, and return the name of the block that it leads to."""
        if self._unrolled.get(target, self._level) != self._level:
            raise _NotUnrolledError
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

    def _keep(self, merge: int, level: int, position: int, chosen: int) -> None:
        """Make a switch again of one that became a branch, with a default only."""
        target = self.lines[position + 1][1]
        self.lines[position] = instruction(op.SELECTION_MERGE, self._name(merge), 0)
        self.lines[position + 1] = instruction(op.SWITCH, chosen, target)
