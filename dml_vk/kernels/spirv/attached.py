"""Attach chains to the module of a kernel: to the elements that it reads or writes at one binding.

A function of the chain is written into the module, and called wherever words of the binding are
loaded, or stored. The kernel finds its elements by index as before; the function gets the index,
and finds those of its own operands by the coordinates that belong to it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from dml_vk.kernels import registry
from dml_vk.kernels.plan.base import BASES
from dml_vk.kernels.plan.chain import Attached, Attachment
from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.kernels.spirv import instructions as op
from dml_vk.kernels.spirv import library, nodes
from dml_vk.kernels.spirv.fusing import fused
from dml_vk.kernels.spirv.growing import Kernel, Member, Outline
from dml_vk.kernels.spirv.instructions import Words, instruction
from dml_vk.kernels.spirv.module import (
    ADD,
    ARRAY,
    DIVIDE,
    EQUAL,
    LEFT,
    MODULO,
    MULTIPLY,
    OFFSET,
    OR,
    RIGHT,
    STRIDE,
    STRUCT,
    SUBTRACT,
)
from dml_vk.kernels.spirv.nodes import (
    Nodes,
    coordinates,
    cut,
    element,
    moved,
    put,
    scalar_words,
)
from dml_vk.strides.order import Ints

_BITCAST, _COPY = 124, 83


@lru_cache(maxsize=512)
def outline(kernel: Attached, binding: int, is_read: bool) -> Outline | None:
    """Describe a kernel; None if it does more at a binding than to load, or store, words."""
    return Kernel(_spirv(kernel, 0)).outline(binding, is_read)


@lru_cache(maxsize=256)
def built(recipe: Attached, native: int) -> bytes:
    """The module, for the operations that the device has for float64."""
    return _spirv(recipe, native)


def module_of(recipe: Attached) -> str:
    """The module that chains are attached to."""
    return recipe.module if recipe.kernel is None else module_of(recipe.kernel)


def modules_of(recipe: Attached) -> tuple[str, ...]:
    """The shipped modules that a module is made from."""
    if recipe.kernel is None or recipe.attachment is None:
        return (recipe.module,)
    return (*modules_of(recipe.kernel), *nodes.modules_of(recipe.attachment.nodes))


def checks_of(recipe: Attached) -> frozenset[str]:
    """Whose operations of a device the module depends on, by dtype."""
    if recipe.kernel is None or recipe.attachment is None:
        constants = registry.constants_from_op(recipe.module, recipe.spec)
        return frozenset(registry.checks_of(recipe.module, constants))
    return checks_of(recipe.kernel) | nodes.checks_of(recipe.attachment.nodes)


def _spirv(recipe: Attached, native: int) -> bytes:
    if recipe.attachment is None:
        module = recipe.module
        spec = (*recipe.spec, native) if module in NATIVE_MODULES else recipe.spec
        spirv = library.load_for(module, spec)
        return fused(spirv) if recipe.fused else spirv
    assert recipe.kernel is not None
    return _Attaching(_spirv(recipe.kernel, native), recipe, recipe.attachment, native).module()


class _Attaching(Kernel):
    """A module to which a chain is attached."""

    def __init__(self, spirv: bytes, recipe: Attached, attachment: Attachment, native: int) -> None:
        super().__init__(spirv)
        self.attachment, self.recipe = attachment, recipe
        self.scalars = 0  # the word of the push block from which on the nodes have theirs
        self._push_anew()
        self.nodes = Nodes(self, attachment.nodes, attachment.first, self.scalars, native)
        self.function = self._function()
        self._chains: dict[int, Words] = {}  # into the binding

    def module(self) -> bytes:
        blocks = self.blocks(self.attachment.binding)
        self._lines = []
        for line in self._of_functions:
            kind = line[0] & 0xFFFF
            if kind == op.CHAIN and line[3] in blocks:
                self._chains[line[2]] = line
                self._lines.append(line)
            elif kind == op.LOAD and line[3] in self._chains:
                self._load(line)
            elif kind == op.STORE and line[1] in self._chains:
                self._store(line)
            else:
                self._lines.append(line)
        has = {line[1] for line in self._head if line[0] & 0xFFFF == op.CAPABILITY}
        more = [instruction(op.CAPABILITY, one) for one in sorted(self._capabilities - has)]
        parts = (more, self._head, self._decorations, self._declared, self._lines, self._functions)
        lines = chain.from_iterable(parts)
        words = [*self._start, self._next, 0, *chain.from_iterable(lines)]
        return struct.pack(f"<{len(words)}I", *words)

    # ----- the push block

    def _push_anew(self) -> None:
        """Make room for the bases of more bindings and for scalars; fold what is known."""
        recipe = self.recipe
        bases, scalars = len(self.attachment.operands), scalar_words(self.attachment.nodes)
        constants = {start: words for start, *words in recipe.folded}
        folded = {
            number: constants[member.start]
            for number, member in enumerate(self.members)
            if member.start in constants
        }
        kept = [number for number in range(len(self.members)) if number not in folded]
        places = [self.members[number].start < BASES + recipe.bindings for number in kept]
        first = places.count(True)
        types = [self.block[2 + number] for number in kept]
        sizes = [self.members[number].words for number in kept]
        new = {number: place + (place >= first and bases > 0) for place, number in enumerate(kept)}
        if bases:
            types.insert(first, self._array(bases))
            sizes.insert(first, bases)
        if scalars:
            types.append(self._array(scalars))
            sizes.append(scalars)
        self._fold(folded, new)
        self._declare_block(types, sizes)
        self.scalars = sum(sizes) - scalars

    def _array(self, words: int) -> int:
        array, count = self.new(), self.constant(words)
        self._declare_last(instruction(ARRAY, array, self.uint, count))
        self._decorate(array, STRIDE, 4)
        return array

    def _declare_last(self, line: Words) -> None:
        self._declared.append(line)
        self._lines_by_id[line[1]] = line

    def _declare_block(self, types: Sequence[int], sizes: Sequence[int]) -> None:
        """Declare the push block again, with these members."""
        old, name = self._lines_by_id, self.block[1]
        variable = old[self._push]
        again = (self.block, old[variable[1]], variable)
        self._declared = [line for line in self._declared if line not in again]
        self._decorations = [
            line
            for line in self._decorations
            if line[0] & 0xFFFF != op.MEMBER_DECORATE or line[1] != name
        ]
        self.block = instruction(STRUCT, name, *types)
        self._lines_by_id[name] = self.block
        self._declared += (self.block, *again[1:])
        self.members = []
        start = 0
        for number, words in enumerate(sizes):
            self.members.append(Member(start, words, True, True))
            place = instruction(op.MEMBER_DECORATE, name, number, OFFSET, 4 * start)
            self._decorations.append(place)
            start += words

    def _fold(self, folded: dict[int, list[int]], new: dict[int, int]) -> None:
        """Put constants in place of loads, and renumber the members that are left."""
        known: dict[int, int] = {}  # what a chain leads to
        lines: list[Words] = []
        for line in self._of_functions:
            kind = line[0] & 0xFFFF
            if kind == op.CHAIN and line[3] == self._push:
                number = self.values[line[4]]
                if number in folded:
                    inside = sum([self.values[one] for one in line[5:]])
                    known[line[2]] = folded[number][inside]
                    continue
                line = (*line[:4], self.constant(new[number]), *line[5:])
            elif kind == op.LOAD and line[3] in known:
                value = self.declared(op.CONSTANT, line[1], known[line[3]] & 0xFFFFFFFF)
                line = instruction(_COPY, line[1], line[2], value)
            lines.append(line)
        self._of_functions = lines

    # ----- the function

    def _function(self) -> int:
        """Write the function: from an index and an element at it to the element in its place."""
        attachment, number = self.attachment, self.number
        name, at, raw, pair = self.new(), self.new(), self.new(), self.vectors[2]
        of_type = self.type(op.TYPE_FUNCTION, pair, self.uint, pair)
        self._lines = [instruction(op.LABEL, self.new())]
        self.nodes.begin()
        base = self.push(BASES + attachment.binding)
        index = number(SUBTRACT, at, number(ADD, base, self.constant(-attachment.start)))
        count = math.prod(attachment.sizes)
        if attachment.itemsize < 4:  # other elements of a word may lie beyond
            index = self.least(index, self.constant(count - 1))
        found = coordinates(self, index, attachment.sizes)
        first = self.recipe.bindings
        places = []
        for k, (_, strides) in enumerate(attachment.operands):
            start = self.push(BASES + first + k)
            is_same = strides == _dense(attachment.sizes)
            by = number(ADD, start, index) if is_same else moved(self, start, found, strides)
            places.append(by)
        values = {} if attachment.through is None else {attachment.through: [raw]}
        for k, operand in enumerate(attachment.reads):
            size = attachment.operands[k][0]
            values[operand] = [element(self, first + k, size, places[k])]
        self.nodes.compute(values, 1)
        for k, result in enumerate(attachment.results, len(attachment.reads)):
            size = attachment.operands[k][0]
            put(self, first + k, size, places[k], values[result][0], shared=True)
        (passed,) = self.nodes.hidden(attachment.result, values[attachment.result])
        self.write(op.RETURN_VALUE, passed)
        self._functions += (
            instruction(op.FUNCTION, pair, name, 0, of_type),
            instruction(op.PARAMETER, self.uint, at),
            instruction(op.PARAMETER, pair, raw),
            *self._lines,
            instruction(op.FUNCTION_END),
        )
        return name

    def _passed(self, index: int, words: Sequence[int]) -> list[int]:
        """The words of whole elements, from the index of their first word."""
        number, size = self.number, self.attachment.itemsize
        passed: list[int] = []
        if size < 4:
            per = 4 // size
            for k, word in enumerate(words):
                first = number(MULTIPLY, number(ADD, index, self.constant(k)), self.constant(per))
                made = self.constant(0)
                for part in range(per):
                    shift = self.constant(part * 8 * size)
                    one = cut(self, number(RIGHT, word, shift), size)
                    new = self._call(number(ADD, first, self.constant(part)), one)
                    made = number(OR, made, number(LEFT, cut(self, new[0], size), shift))
                passed.append(made)
            return passed
        per = size // 4
        first = number(DIVIDE, index, self.constant(per))
        for k in range(0, len(words), per):
            at = number(ADD, first, self.constant(k // per))
            passed += self._call(at, *words[k : k + per])[:per]
        return passed

    def _call(self, at: int, *words: int) -> list[int]:
        raw = self.vector(*words, *[self.constant(0)] * (2 - len(words)))
        new = self.make(op.CALL, self.vectors[2], self.function, at, raw)
        return [self.part(new, 0), self.part(new, 1)]

    # ----- where it is called

    def _reached(self, pointer: int) -> tuple[int, int]:
        """How many words a pointer leads to, and the index of the first."""
        number, line = self.number, self._chains[pointer]
        width = self.width(line[1])
        return width, number(MULTIPLY, line[5], self.constant(width))

    def _load(self, line: Words) -> None:
        of_type, name, pointer = line[1:4]
        count, index = self._reached(pointer)
        if 4 * count < self.attachment.itemsize:
            self._load_half(of_type, name, pointer, index)
            return
        words = [self.constant(0)] * count
        if self.attachment.through is not None:
            words = self._words(count, of_type, self.make(op.LOAD, of_type, pointer))
        self._result(of_type, name, self._passed(index, words))

    def _load_half(self, of_type: int, name: int, pointer: int, index: int) -> None:
        """Load a word of an element that has two."""
        constant, line = self.constant, self._chains[pointer]
        first = self.number(DIVIDE, index, constant(2))
        words = [constant(0)] * 2
        if self.attachment.through is not None:
            start = self.number(MULTIPLY, first, constant(2))
            for k in range(2):
                at = self.number(ADD, start, constant(k))
                there = self.make(op.CHAIN, line[1], *line[3:5], at)
                words[k] = self._words(1, of_type, self.make(op.LOAD, of_type, there))[0]
        low, high = self._call(first, *words)
        is_low = self.make(EQUAL, self.bool, self.number(MODULO, index, constant(2)), constant(0))
        self._result(of_type, name, [self.make(op.SELECT, self.uint, is_low, low, high)])

    def _store(self, line: Words) -> None:
        pointer, value = line[1:3]
        count, index = self._reached(pointer)
        of_type = self._lines_by_id[self._chains[pointer][1]][3]
        words = self._passed(index, self._words(count, of_type, value))
        stored = self.new()
        self._result(of_type, stored, words)
        self.write(op.STORE, pointer, stored, *line[3:])

    def _words(self, count: int, of_type: int, value: int) -> list[int]:
        """The words of a value of this type."""
        vector = self.vectors[count]
        if of_type != vector:
            value = self.make(_BITCAST, vector, value)
        return [value] if count == 1 else [self.part(value, k) for k in range(count)]

    def _result(self, of_type: int, name: int, words: Sequence[int]) -> None:
        """Make a value of these words, by this name."""
        vector = self.vectors[len(words)]
        (value, *more) = words
        if of_type != vector:
            whole = self.vector(*words) if more else value
            self.write(_BITCAST, of_type, name, whole)
        elif more:
            self.write(op.CONSTRUCT, of_type, name, *words)
        else:
            self.write(_COPY, of_type, name, value)


def _dense(sizes: Ints) -> Ints:
    return tuple([math.prod(sizes[:k]) for k in range(len(sizes))])
