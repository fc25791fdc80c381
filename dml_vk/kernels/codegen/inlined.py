"""Inline chains into the module of a kernel: on the elements that it accesses at one binding.

A function of the chain is written into the module, and called wherever words of the binding are
loaded, or stored. The kernel finds its elements by index as before; the function gets the index,
and finds those of its own operands by the coordinates that belong to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

from dml_vk.arguments import Ints
from dml_vk.kernels import registry
from dml_vk.kernels.codegen import library, nodes
from dml_vk.kernels.codegen.elements import (
    Address,
    Values,
    coordinates,
    from_words,
    moved,
    read,
    to_words,
    write,
)
from dml_vk.kernels.codegen.nodes import Nodes
from dml_vk.kernels.codegen.push_block import push_anew
from dml_vk.kernels.plan.base import BASES
from dml_vk.kernels.plan.chain import Inlined, InlinedChain
from dml_vk.kernels.plan.nodes import scalar_words
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.spirv import spec as op
from dml_vk.spirv.builder import Builder
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.module import Module
from dml_vk.spirv.outline import Outline, outline_of
from dml_vk.spirv.passes.fma import with_fma


@lru_cache(maxsize=512)
def outline(kernel: Inlined, binding: int, is_read: bool, unrolls: bool = True) -> Outline | None:
    """Describe a kernel; None if it does more at a binding than to load, or store, words."""
    return outline_of(Module(_spirv(kernel, 0, unrolls)), binding, is_read)


@lru_cache(maxsize=256)
def built(recipe: Inlined, native: int, unrolls: bool = True) -> bytes:
    """The module, for the operations that the device has for float64."""
    return _spirv(recipe, native, unrolls)


def modules_of(recipe: Inlined) -> tuple[str, ...]:
    """The shipped modules that a module is made from."""
    if recipe.kernel is None or recipe.inlined is None:
        return (recipe.module,)
    return (*modules_of(recipe.kernel), *nodes.modules_of(recipe.inlined.nodes))


def checks_of(recipe: Inlined) -> frozenset[str]:
    """Whose operations of a device the module depends on, by dtype."""
    if recipe.kernel is None or recipe.inlined is None:
        constants = registry.constants_from_op(recipe.module, recipe.spec)
        return frozenset(registry.checks_of(recipe.module, constants))
    return checks_of(recipe.kernel) | nodes.checks_of(recipe.inlined.nodes)


def _spirv(recipe: Inlined, native: int, unrolls: bool = True) -> bytes:
    if recipe.inlined is None:
        module = recipe.module
        spec = (*recipe.spec, native) if module in NATIVE_MODULES else recipe.spec
        spirv = library.load_for(module, spec, unrolls=unrolls)
        return with_fma(spirv) if recipe.fma else spirv
    assert recipe.kernel is not None
    kernel = _spirv(recipe.kernel, native, unrolls)
    return _Inliner(kernel, recipe, recipe.inlined, native, unrolls).emit()


class _Inliner(Builder):
    """A module that a chain is inlined into."""

    def __init__(
        self,
        spirv: bytes,
        recipe: Inlined,
        inlined: InlinedChain,
        native: int,
        unrolls: bool,
    ) -> None:
        module = Module(spirv)
        super().__init__(module)
        self._own = [*module.functions]
        self.inlined, self._first = inlined, recipe.bindings
        bases, scalars = len(inlined.operands), scalar_words(inlined.nodes)
        at = push_anew(module, recipe.bindings, bases, scalars, recipe.folded)
        self.nodes = Nodes(self, inlined.nodes, inlined.first, at, native, unrolls)
        self._defined: dict[int, int] = {}  # functions, by how many elements they take
        self._chains: dict[int, Words] = {}  # into the binding

    def emit(self) -> bytes:
        """Write the module, in which the chain's functions are called."""
        module = self.module
        blocks = module.blocks(self.inlined.binding)
        for name in self._own:
            self.lines = []
            for line in module.functions[name]:
                kind = line[0] & 0xFFFF
                if kind == op.ACCESS_CHAIN and line[3] in blocks:
                    self._chains[line[2]] = line
                    self.lines.append(line)
                elif kind == op.LOAD and line[3] in self._chains:
                    self._load(line)
                elif kind == op.STORE and line[1] in self._chains:
                    self._store(line)
                else:
                    self.lines.append(line)
            module.functions[name] = self.lines
        return module.emit()

    # ----- the functions

    def _function(self, count: int) -> int:
        """A function of the index of the first of so many elements, and of their words.

        It returns the words in their place. A single element may be a part of a word.
        """
        if count not in self._defined:
            outside, self.lines = self.lines, []
            self._defined[count] = self._define(count)
            self.lines = outside
        return self._defined[count]

    def _define(self, count: int) -> int:
        inlined, size = self.inlined, self.inlined.itemsize
        name, at, words_in = [self.module.new() for _ in range(3)]
        words = max(1, count * size // 4)
        vector = self.vectors[words]
        of_type = self.module.type(op.TYPE_FUNCTION, vector, self.uint, vector)
        self.write(op.LABEL, self.module.new())
        self.nodes.begin()
        through, result = inlined.through, inlined.result
        values: dict[int, Values] = {}
        if through is not None:
            parts = [words_in] if words == 1 else [self.part(words_in, k) for k in range(words)]
            values[through] = from_words(self, parts, size)[:count]
        index = self._index(at, count)
        at_coordinates = coordinates(self, index, inlined.sizes)
        bound = list(enumerate(inlined.operands, self._first))
        places = [
            self._places(binding, operand, index, at_coordinates) for binding, operand in bound
        ]
        moves = [
            (binding, operand.itemsize, inlined.width(operand, count), address)
            for (binding, operand), address in zip(bound, places)
        ]
        for number, move in zip(inlined.reads, moves):
            values[number] = read(self, *move, count)
        self.nodes.compute(values, count)
        for number, move in zip(inlined.results, moves[len(inlined.reads) :]):
            write(self, *move, values[number], shared=True)
        passed = words_in
        if result is not None:
            hidden = self.nodes.hidden(result, values[result])
            parts = to_words(self, hidden, size) if count * size >= 4 else [self.part(hidden[0], 0)]
            passed = self.vector(*parts) if words > 1 else parts[0]
        self.write(op.RETURN_VALUE, passed)
        self.module.functions[name] = [
            instruction(op.FUNCTION, vector, name, 0, of_type),
            instruction(op.FUNCTION_PARAMETER, self.uint, at),
            instruction(op.FUNCTION_PARAMETER, vector, words_in),
            *self.lines,
            instruction(op.FUNCTION_END),
        ]
        return name

    def _index(self, at: int, count: int) -> int:
        """The index of an element in what passes, from that in memory."""
        inlined, number = self.inlined, self.number
        unit = self.constant(inlined.unit)
        base = number(op.I_MUL, self.push(BASES + inlined.binding), unit)
        index = number(op.I_SUB, at, number(op.I_ADD, base, self.constant(-inlined.start)))
        if count * inlined.itemsize < 4:  # other elements of a word may lie beyond
            index = self.least(index, self.constant(math.prod(inlined.sizes) - 1))
        return index

    def _places(
        self, binding: int, operand: Operand, index: int, at_coordinates: list[int]
    ) -> Address:
        """Where elements are that follow the one with an index, and coordinates."""
        start = self.push(BASES + binding)
        if operand.strides == _dense(self.inlined.sizes):
            first = self.number(op.I_ADD, start, index)
        else:
            first = moved(self, start, at_coordinates, operand.strides)
        step = operand.strides[0]
        return cache(lambda k: self.number(op.I_ADD, first, self.constant(k * step)))

    def _passed(self, index: int, words: Sequence[int]) -> list[int]:
        """The words of whole elements, from the index of their first word."""
        size = self.inlined.itemsize
        count = 4 * len(words) // size
        if size < 4:
            first = self.number(op.I_MUL, index, self.constant(4 // size))
        else:
            first = self.number(op.U_DIV, index, self.constant(size // 4))
        if self.inlined.runs(count):
            return self._call(count, first, words)
        elements = []
        for k, element in enumerate(from_words(self, words, size)):
            parts = [self.part(element, part) for part in range(max(1, size // 4))]
            new = self._call(1, self.number(op.I_ADD, first, self.constant(k)), parts)
            elements.append(self.vector(*new, *[self.constant(0)] * (2 - len(new))))
        return to_words(self, elements, size)

    def _call(self, count: int, first: int, words: Sequence[int]) -> list[int]:
        vector = self.vectors[len(words)]
        argument = self.vector(*words) if len(words) > 1 else words[0]
        new = self.make(op.FUNCTION_CALL, vector, self._function(count), first, argument)
        return [self.part(new, k) for k in range(len(words))] if len(words) > 1 else [new]

    # ----- where they are called

    def _reached(self, pointer: int) -> tuple[int, int]:
        """How many words a pointer leads to, and the index of the first."""
        number, line = self.number, self._chains[pointer]
        width = self.module.width(line[1])
        return width, number(op.I_MUL, line[5], self.constant(width))

    def _load(self, line: Words) -> None:
        of_type, name, pointer = line[1:4]
        count, index = self._reached(pointer)
        words = [self.constant(0)] * count
        if self.inlined.through is not None:
            words = self._words(count, of_type, self.make(op.LOAD, of_type, pointer))
        self._result(of_type, name, self._passed(index, words))

    def _store(self, line: Words) -> None:
        pointer, value = line[1:3]
        count, index = self._reached(pointer)
        of_type = self.module.lines_by_id[self._chains[pointer][1]][3]
        words = self._passed(index, self._words(count, of_type, value))
        if self.inlined.result is None:
            return
        stored = self.module.new()
        self._result(of_type, stored, words)
        self.write(op.STORE, pointer, stored, *line[3:])

    def _words(self, count: int, of_type: int, value: int) -> list[int]:
        """The words of a value of this type."""
        vector = self.vectors[count]
        if of_type != vector:
            value = self.make(op.BITCAST, vector, value)
        return [value] if count == 1 else [self.part(value, k) for k in range(count)]

    def _result(self, of_type: int, name: int, words: Sequence[int]) -> None:
        """Make a value of these words, by this name."""
        vector = self.vectors[len(words)]
        (value, *more) = words
        if of_type != vector:
            whole = self.vector(*words) if more else value
            self.write(op.BITCAST, of_type, name, whole)
        elif more:
            self.write(op.COMPOSITE_CONSTRUCT, of_type, name, *words)
        else:
            self.write(op.COPY_OBJECT, of_type, name, value)


def _dense(sizes: Ints) -> Ints:
    return tuple([math.prod(sizes[:k]) for k in range(len(sizes))])
