"""Run the instructions of a block with the values that are known, and write the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.integers import EVALUATED, evaluate
from dml_vk.spirv.passes import stores
from dml_vk.spirv.passes.stores import Path, State

if TYPE_CHECKING:
    from dml_vk.spirv.passes.fold import Body, Folder


class Compute:
    """Instructions of an old function, written to a new one."""

    def __init__(self, folder: Folder, env: dict[int, int], body: Body, state: State) -> None:
        self.folder, self.body, self.state = folder, body, state
        self.all = folder.all
        self.env = {**folder.all.same, **env}  # old ids -> new; all others are the same
        self.lines = body.lines

    def run(self, lines: Iterable[Words]) -> None:
        """Write instructions of a block."""
        env, out, precise = self.env, self.lines, self.folder.was_precise
        get, new, scalars = env.get, self.all.new, self.all.scalars
        for line in lines:
            kind = line[0] & 0xFFFF
            if kind in _EFFECTS:
                _EFFECTS[kind](self, line)
                continue
            if kind in _RESULTS:
                env[line[2]] = _RESULTS[kind](self, line)
                continue
            end = op.LITERALS.get(kind, len(line))
            operands = [get(name, name) for name in line[3:end]]
            if kind in EVALUATED and line[1] in scalars:
                known = self._evaluated(kind, line[1], operands)
                if known is not None:
                    env[line[2]] = known
                    continue
            name = env[line[2]] = new()
            out.append((line[0], line[1], name, *operands, *line[end:]))
            if line[2] in precise:
                self.folder.precise.append(name)

    def value(self, old: int) -> int:
        """The id in the new module."""
        return self.env.get(old, old)

    def _evaluated(self, kind: int, of_type: int, operands: list[int]) -> int | None:
        """The result of an operation on integers or booleans, if it is known."""
        values = self.all.values
        known = [values[operand] for operand in operands if operand in values]
        if not known:
            return None
        if len(known) == len(operands):
            value = evaluate(kind, *known)
            return None if value is None else self.all.constant(of_type, value)
        if kind == op.LOGICAL_AND or kind == op.LOGICAL_OR:
            first, second = operands
            if known[0] == (kind == op.LOGICAL_AND):
                return second if first in values else first
            return self.all.constant(of_type, known[0])
        return None

    def _emitted(self, line: Words, operands: Iterable[int]) -> int:
        """Write an instruction with new operands, and return its result."""
        name = self.all.new()
        self.lines.append((line[0], line[1], name, *operands))
        return name

    def _select(self, line: Words) -> int:
        chosen, a, b = operands = [self.value(operand) for operand in line[3:]]
        value = self.all.values.get(chosen)
        if value is None:
            return self._emitted(line, operands)
        return a if value else b

    def _extended(self, line: Words) -> int:
        # First the id of the set and the number of the instruction, which is no id.
        return self._emitted(line, (*line[3:5], *[self.value(operand) for operand in line[5:]]))

    def _barrier(self, line: Words) -> None:
        self.lines.append((line[0], *[self.value(operand) for operand in line[1:]]))

    def _construct(self, line: Words) -> int:
        parts = tuple([self.value(operand) for operand in line[3:]])
        name = self._emitted(line, parts)
        if self.all.counts.get(line[1], len(parts)) == len(parts):
            self.all.parts[name] = parts
        return name

    def _extract(self, line: Words) -> int:
        value, path = self._part(self.value(line[3]), line[4:])
        return self._extracted(line[1], value, path) if path else value

    def _extracted(self, of_type: int, value: int, path: Path) -> int:
        name = self.all.new()
        self.lines.append(instruction(op.COMPOSITE_EXTRACT, of_type, name, value, *path))
        return name

    def _part(self, value: int, path: Path) -> tuple[int, Path]:
        """Go down a path as far as it is known what the composites are made of."""
        parts = self.all.parts
        while path and value in parts and path[0] < len(parts[value]):
            value, path = parts[value][path[0]], path[1:]
        return value, path

    def _variable(self, line: Words) -> int:
        return self.folder.variable(self.body, line[1])

    def _pointee(self, pointer: int) -> tuple[int, Path | None] | None:
        """The followed variable that a pointer points into, and where, if that is constant."""
        if pointer in self.folder.pointees:
            return pointer, ()
        return self.folder.chains.get(pointer)

    def _chain(self, line: Words) -> int:
        base, *indices = operands = [self.value(index) for index in line[3:]]
        name = self._emitted(line, operands)
        pointed = self._pointee(base)
        if pointed is not None:
            values, (variable, path) = self.all.values, pointed
            if path is not None and all(index in values for index in indices):
                self.folder.chains[name] = variable, (*path, *[values[index] for index in indices])
            else:
                self.folder.chains[name] = variable, None
        return name

    def _load(self, line: Words) -> int:
        pointer = self.value(line[3])
        variable, path = self._pointee(pointer) or (0, None)
        if path is None:
            return self._emitted(line, (pointer, *line[4:]))
        known = stores.find(self.state, variable, path)
        value = None if known is None else self._loaded(line[1], variable, *known)
        if value is None:
            value = self._emitted(line, (pointer, *line[4:]))
        stores.note(self.state, variable, path, value)
        return value

    def _loaded(self, of_type: int, variable: int, value: int, path: Path) -> int | None:
        """A part of what is known to be in a variable, if it can be had from there."""
        value, path = self._part(value, path)
        if not path:
            return value
        # Of an array, or at an index out of range, it is left to the driver.
        if len(path) == 1 and path[0] < self.all.counts.get(self.folder.pointees[variable], 0):
            return self._extracted(of_type, value, path)
        return None

    def _store(self, line: Words) -> None:
        pointer, value = self.value(line[1]), self.value(line[2])
        self.lines.append((line[0], pointer, value, *line[3:]))
        pointed = self._pointee(pointer)
        if pointed is not None:
            self.body.stored.add(pointed[0])
            stores.store(self.state, *pointed, value)

    def _call(self, line: Words) -> int:
        arguments = [self.value(operand) for operand in line[4:]]
        self.state, result = self.folder.call(line[3], arguments, self.body, self.state)
        return result


_RESULTS: dict[int, Callable[[Compute, Words], int]] = {
    op.EXT_INST: Compute._extended,
    op.FUNCTION_CALL: Compute._call,
    op.VARIABLE: Compute._variable,
    op.LOAD: Compute._load,
    op.ACCESS_CHAIN: Compute._chain,
    op.COMPOSITE_CONSTRUCT: Compute._construct,
    op.COMPOSITE_EXTRACT: Compute._extract,
    op.SELECT: Compute._select,
}
_EFFECTS: dict[int, Callable[[Compute, Words], None]] = {
    op.STORE: Compute._store,
    op.CONTROL_BARRIER: Compute._barrier,
    op.MEMORY_BARRIER: Compute._barrier,
}
