"""Dead-code elimination: write a folded module without what is not used."""

from __future__ import annotations

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction, packed
from dml_vk.spirv.passes.fold import Body, Folder

_FLOAT64 = instruction(op.CAPABILITY, op.Capability.FLOAT64)
_DOUBLE = instruction(op.TYPE_FLOAT, 0, 64)[0]


class Pruner:
    """Finds what is used, from the entry point on."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.used: set[int] = set()
        self._defined: dict[int, Words] = {}
        self._bodies = {body.name: body for body in folder.bodies}
        self._stores: dict[int, list[Words]] = {}  # by variable, if nothing else sees them
        self._waiting: list[int] = []

    def run(self) -> None:
        folder, waiting, used, defined = self.folder, self._waiting, self.used, self._defined
        for line in folder.all.lines:
            kind = line[0] & 0xFFFF
            defined[line[1 if kind in op.TYPES else 2]] = line
            if kind == op.VARIABLE and line[3] == op.Storage.INPUT:
                waiting.append(line[2])
        waiting.append(folder.module.main)
        while waiting:
            name = waiting.pop()
            if name in used:
                continue
            used.add(name)
            if name in self._bodies:
                self._enter(self._bodies[name])
                continue
            line = defined[name]
            kind = line[0] & 0xFFFF
            if kind in op.TYPES:
                waiting += line[op.TYPES[kind]]
            elif kind == op.EXT_INST:
                waiting += line[5:]
                waiting.append(line[1])
            elif kind == op.PHI:
                waiting += line[1::2]
            else:
                if kind == op.VARIABLE:
                    for stored in self._stores.pop(name, ()):
                        waiting += stored[1:3]
                waiting.append(line[1])
                if not op.CONSTANT_TRUE <= kind <= op.CONSTANT:
                    waiting += line[3 : op.LITERALS.get(kind)]

    def _enter(self, body: Body) -> None:
        """Everything that a function does is needed, and what it stores if it is loaded."""
        defined, waiting, stores = self._defined, self._waiting, self._stores
        used = self.used
        waiting += (body.result, body.type)
        for param in body.params:
            defined[param[2]] = param
            waiting.append(param[2])
        params = {param[2] for param in body.params}
        for line in body.variables:
            defined[line[2]] = line
        for line in body.lines:
            kind = line[0] & 0xFFFF if line else op.LABEL
            ids = op.NO_RESULT.get(kind)
            if ids is None:
                defined[line[2]] = line
                if kind in op.EFFECTS and not (
                    kind == op.FUNCTION_CALL and line[3] in self.folder.pure
                ):
                    waiting.append(line[2])
            elif kind == op.STORE:
                variable = self.variable(line)
                if variable is None or variable in params or variable in used:
                    waiting += line[1:3]
                else:
                    stores.setdefault(variable, []).append(line)
            else:
                waiting += line[ids]

    def variable(self, store: Words) -> int | None:
        """The variable that is stored to, if its contents are followed."""
        pointer = store[1]
        if pointer in self.folder.pointees:
            return pointer
        pointed = self.folder.chains.get(pointer)
        return pointed and pointed[0]

    def stays(self, line: Words) -> bool:
        """Whether an instruction in a function that is used is needed."""
        if not line:
            return False
        kind = line[0] & 0xFFFF
        if kind == op.STORE:
            variable = self.variable(line)
            return variable is None or variable in self.used
        return kind in op.NO_RESULT or line[2] in self.used


def written(folder: Folder) -> bytes:
    """The module as bytes, without dead code."""
    pruner, module = Pruner(folder), folder.module
    pruner.run()
    used, stays = pruner.used, pruner.stays
    doubles = {line[1] for line in folder.all.lines if line[::2] == (_DOUBLE, 64)}
    lines = [_sized(line, folder) for line in module.preamble if line != _FLOAT64 or doubles & used]
    lines += [line for line in module.decorated.lasting if line[1] in used]
    precise = instruction(op.DECORATE, 0, op.Decoration.NO_CONTRACTION)
    lines += [(precise[0], name, precise[2]) for name in folder.precise if name in used]
    lines += [
        line for line in folder.all.lines if line[1 if line[0] & 0xFFFF in op.TYPES else 2] in used
    ]
    for body in folder.bodies:
        if body.name in used:
            lines.append(instruction(op.FUNCTION, body.result, body.name, 0, body.type))
            lines += body.params
            lines.append(instruction(op.LABEL, body.first))
            lines += [line for line in body.variables if line[2] in used]
            lines += [line for line in body.lines if stays(line)]
            lines.append(instruction(op.FUNCTION_END))
    return packed(module.head, lines, folder.all.bound)


def _sized(line: Words, folder: Folder) -> Words:
    """Set the local size, if it is not a literal."""
    parts = folder.all.parts.get(folder.module.decorated.local_size)
    if parts is None or line[0] & 0xFFFF != op.EXECUTION_MODE or line[2] != op.Execution.LOCAL_SIZE:
        return line
    return (*line[:3], *[folder.all.values[part] for part in parts])
