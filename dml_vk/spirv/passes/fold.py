"""Fold specialization constants into a module, as a driver would, but before it inlines.

Functions are run with the values that are known. What remains to be computed is written to a new
module: in place of the call if the function returns at one place, other functions once for each
combination of known arguments. Structure and order remain, so that the result is valid; `dead_code`
then drops what nothing needs. Floats are never computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.spirv import spec as op
from dml_vk.spirv.functions import Function
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes import stores
from dml_vk.spirv.passes.control_flow import Walk
from dml_vk.spirv.passes.declarations import Declarations
from dml_vk.spirv.passes.stores import Path, State

LEAST_SHARED = 12  # lines of a function that only computes, to be called instead of copied
_BY_VALUE, _BY_POINTER = -1, -2


class Body:
    """A function of the new module."""

    def __init__(self, name: int, result: int) -> None:
        self.name, self.result = name, result
        self.params: list[Words] = []
        self.variables: list[Words] = []
        self.lines: list[Words] = []
        self.first = self.label = 0  # of the first block, and of the one that is being written
        self.type = 0
        self.stored: set[int] = set()  # variables
        self.value: int | None = None  # that it returns whatever happens


class Folder:
    """A module with its specialization constants set."""

    def __init__(self, module: Module, spec: Sequence[int], *, unrolls: bool = True) -> None:
        self.module, self.unrolls = module, unrolls
        self.all = Declarations(module, spec)
        self.bodies: list[Body] = []
        self.was_precise = module.decorated.precise  # results in the old module
        self.precise: list[int] = []  # and in the new one
        self.pointees = dict(self.all.private)  # of variables whose contents are followed
        self.chains: dict[int, tuple[int, Path | None]] = {}  # pointers into them, and where
        self.rolled: set[int] = set()  # loops that were seen to be no sequence of iterations
        self._clones: dict[tuple[int, ...], Body] = {}
        self._computed: set[int] = set()  # pure functions that were written for unknown arguments
        self.pure: set[int] = set()  # functions of the new module that only compute
        self._several: set[int] = set()  # functions that were seen to return at several places
        main = module.function(module.main)
        body = Body(main.name, main.result)
        body.params += main.params
        self._write(main, body, {}, {})

    def call(self, name: int, arguments: list[int], body: Body, state: State) -> tuple[State, int]:
        """Write a call, or what it does, and return what holds afterwards and its result."""
        function = self.module.function(name)
        known = [
            _BY_POINTER
            if param[2] in function.written
            else state.get(argument, {}).get((), _BY_POINTER)
            for param, argument in zip(function.params, arguments)
        ]
        constants = self.all.constants
        kinds = [value if value < 0 or value in constants else _BY_VALUE for value in known]
        if name not in self._several and not self._is_shared(function, kinds):
            env = {param[2]: argument for param, argument in zip(function.params, arguments)}
            done = self._inline(function, env, body, state)
            if done is not None:
                return done
            self._several.add(name)
        key = (name, *kinds)
        clone = self._clones.get(key)
        if clone is None:
            clone = self._clones[key] = self._clone(function, kinds)
            if self.module.is_pure(name):
                self.pure.add(clone.name)
        passed = [
            argument if kind == _BY_POINTER else value
            for argument, kind, value in zip(arguments, kinds, known)
            if kind < 0
        ]
        result = self.all.new()
        body.lines.append(
            instruction(op.FUNCTION_CALL, function.result, result, clone.name, *passed)
        )
        changed = clone.stored & self.all.private.keys()
        body.stored |= changed
        stores.forget(state, changed)
        stores.forget(
            state, [argument for argument, kind in zip(arguments, kinds) if kind == _BY_POINTER]
        )
        return state, result if clone.value is None else clone.value

    def _is_shared(self, function: Function, kinds: list[int]) -> bool:
        """Whether a function that only computes was written before for unknown arguments.

        Drivers copy it faster than it is written again.
        """
        if any(kind != _BY_VALUE for kind in kinds) or function.size < LEAST_SHARED:
            return False
        if not self.module.is_pure(function.name):
            return False
        if function.name in self._computed:
            return True
        self._computed.add(function.name)
        return False

    def _inline(
        self, function: Function, env: dict[int, int], body: Body, state: State
    ) -> tuple[State, int] | None:
        lines, variables, label = len(body.lines), len(body.variables), body.label
        returns = Walk(self, function, env, body, dict(state)).walk()
        # One inside of a loop or selection is not the last line: its merge block comes later.
        if len(returns) == 1 and returns[0].position == len(body.lines) - 1:
            body.lines.pop()
            # Nothing reads its variables any more; a state is copied at each block.
            stores.forget(returns[0].state, [line[2] for line in body.variables[variables:]])
            return returns[0].state, returns[0].value
        del body.lines[lines:], body.variables[variables:]
        body.label = label
        return None

    def _clone(self, function: Function, kinds: list[int]) -> Body:
        body = Body(self.all.new(), function.result)
        env: dict[int, int] = {}
        state: State = {}
        for param, kind in zip(function.params, kinds):
            pointer = param[1]
            of_type = pointer if kind == _BY_POINTER else self.all.pointees[pointer]
            value = kind
            if kind < 0:
                value = self.all.new()
                body.params.append(instruction(op.FUNCTION_PARAMETER, of_type, value))
            if kind == _BY_POINTER:
                env[param[2]] = value
                self.pointees[value] = self.all.pointees[pointer]
            else:
                env[param[2]] = variable = self.variable(body, pointer)
                body.lines.append(instruction(op.STORE, variable, value))
                stores.store(state, variable, (), value)
        self._write(function, body, env, state)
        return body

    def variable(self, body: Body, pointer: int) -> int:
        """Declare a variable of a function."""
        name = self.all.new()
        body.variables.append(instruction(op.VARIABLE, pointer, name, op.Storage.FUNCTION))
        self.pointees[name] = self.all.pointees[pointer]
        return name

    def _write(self, function: Function, body: Body, env: dict[int, int], state: State) -> None:
        """Write a function of its own."""
        body.first = body.label = self.all.new()
        returns = Walk(self, function, env, body, state).walk()
        body.type = self.all.function_type(body.result, *[param[1] for param in body.params])
        values = {returned.value for returned in returns}
        if len(values) == 1 and values <= self.all.constants:
            body.value = values.pop()
        self.bodies.append(body)
