"""Make the module of a chain: the walk of glsl/include/index/ with pieces of elementwise kernels.

Sizes and strides are constants of the module. The push block has the range of units, the bases, and
the scalars that nodes take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from dml_vk.kernels.plan.base import BASES, END, FIRST
from dml_vk.kernels.plan.chain import COPY, FILL, Recipe, Way
from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.kernels.spirv import instructions as op
from dml_vk.kernels.spirv.assembler import (
    ADD,
    AND,
    DIVIDE,
    EQUAL,
    LEFT,
    MODULO,
    MULTIPLY,
    OR,
    RIGHT,
    SUBTRACT,
    Assembler,
)
from dml_vk.kernels.spirv.pieces import module_of, piece, scalars_of
from dml_vk.strides.order import Ints

_GROUPS, _INVOCATION = 24, 28  # built-ins
_QUAD = 16
Values = list[int]  # of one number, for elements that follow each other
Maker = Callable[[dict[int, Values]], Values]
Place = Callable[[int], int]


def scalar_places(kernel: str, spec: Ints) -> Ints:
    """Which words of the scalars of a launch of its own a node takes."""
    if kernel == COPY:
        return ()
    if kernel == FILL:
        return tuple(range(max(1, spec[0] // 4)))
    return scalars_of(kernel, spec)


def is_native(recipe: Recipe) -> bool:
    """Whether the module depends on the operations that the device has for float64."""
    kernels = {kernel for kernel, _, _ in recipe.nodes} - {COPY, FILL}
    return any(module_of(kernel) in NATIVE_MODULES for kernel in kernels)


@lru_cache(maxsize=256)
def built(recipe: Recipe, native: int) -> bytes:
    """The module."""
    return _Chained(recipe, native).module()


class _Chained:
    def __init__(self, recipe: Recipe, native: int) -> None:
        self.recipe = recipe
        self.reads = len(recipe.ways) - len(recipe.results)
        self.extent = math.prod(recipe.row)
        self.groups = self.extent // recipe.unit
        at = BASES + len(recipe.ways)
        places = []  # of the scalars of each step
        for kernel, spec, _ in recipe.nodes:
            count = len(scalar_places(kernel, spec))
            places.append(tuple(range(at, at + count)))
            at += count
        self.asm = Assembler(at)
        linked: dict[tuple[str, Ints, Ints], int] = {}
        self.makers: list[Maker] = []
        for (kernel, spec, sources), words in zip(recipe.nodes, places):
            if kernel == COPY:
                self.makers.append(self._copy(sources))
            elif kernel == FILL:
                self.makers.append(self._fill(spec[0], words))
            else:
                key = kernel, spec, words
                if key not in linked:
                    is_native = module_of(kernel) in NATIVE_MODULES
                    made = piece(kernel, spec, native if is_native else 0)
                    linked[key] = self.asm.link(made, words)
                self.makers.append(self._call(linked[key], sources))

    def module(self) -> bytes:
        asm, recipe = self.asm, self.recipe
        constant, number = asm.constant, asm.number
        lanes = constant(recipe.lanes)
        self.bases = [asm.push(BASES + k) for k in range(len(recipe.ways))]
        first, units = asm.push(FIRST), 0
        units = number(SUBTRACT, asm.push(END), first)
        invocation = asm.input(_INVOCATION)
        strands = number(MULTIPLY, asm.input(_GROUPS), constant(recipe.local_size // recipe.lanes))
        more = number(ADD, units, number(ADD, strands, constant(-1)))
        stretch = number(DIVIDE, more, strands)
        start = number(MULTIPLY, number(DIVIDE, invocation, lanes), stretch)
        start = asm.least(start, units)
        stop = number(ADD, first, asm.least(number(ADD, start, stretch), units))
        begin = number(ADD, number(ADD, first, start), number(MODULO, invocation, lanes))
        at = asm.variable(begin)
        whole = math.prod(recipe.rows) * self.groups
        if whole:
            end = asm.least(stop, constant(whole))
            asm.loop(at, end, recipe.lanes, self._whole)
        if self.extent % recipe.unit:
            asm.loop(at, stop, recipe.lanes, lambda n: self._edge(number(ADD, n, constant(-whole))))
        return asm.assembled(recipe.local_size)

    # ----- steps

    def _copy(self, sources: Ints) -> Maker:
        return lambda values: values[sources[0]]

    def _fill(self, size: int, places: Ints) -> Maker:
        words = [self.asm.push(place) for place in places]
        if size < 4:
            words = [self._cut(words[0], size)]
        filled = self.asm.vector(*words, *[self.asm.constant(0)] * (2 - len(words)))
        return lambda values: [filled] * self.quad

    def _call(self, name: int, sources: Ints) -> Maker:
        def call(values: dict[int, Values]) -> Values:
            made: dict[Ints, int] = {}  # Where sources stand still, so does the result.
            results = []
            for k in range(self.quad):
                given = tuple([values[one][k] for one in sources])
                if given not in made:
                    made[given] = self.asm.make(op.CALL, self.asm.vectors[2], name, *given)
                results.append(made[given])
            return results

        return call

    def _cut(self, word: int, size: int) -> int:
        return self.asm.number(AND, word, self.asm.constant((1 << 8 * size) - 1))

    # ----- units

    def _whole(self, n: int) -> None:
        constant, number = self.asm.constant, self.asm.number
        group, row = n, constant(0)
        if self.recipe.rows:
            # Pieces across rows that lie side by side are those of neighbouring lanes.
            (beside, *_) = self.recipe.rows if self.recipe.ways[0].across else (1,)
            piece, others = self._coordinates(n, (beside, 0))
            group, above = self._coordinates(others, (self.groups, 0))
            row = number(ADD, number(MULTIPLY, above, constant(beside)), piece)
        element = number(MULTIPLY, group, constant(self.recipe.unit))
        self._stretch(row, element, self.recipe.unit, self.recipe.step)

    def _edge(self, row: int) -> None:
        done = self.groups * self.recipe.unit
        self._stretch(row, self.asm.constant(done), self.extent - done, self.recipe.least)

    def _stretch(self, row: int, element: int, count: int, step: int) -> None:
        """A part of a row, step by step."""
        asm, number, recipe = self.asm, self.asm.number, self.recipe
        rows = self._coordinates(row, self.recipe.rows)
        at = []
        for base, way in zip(self.bases, self.recipe.ways):
            place = self._moved(base, rows, way.rows)
            if len(way.steps) == 1:
                along = number(MULTIPLY, element, asm.constant(way.steps[0]))
                place = number(ADD, place, along)
            at.append(place)
        self.quad = recipe.quad if recipe.ways[0].across else step
        values = self._still(at)

        def follow(i: int) -> None:
            self._step(at, number(ADD, element, i), i, dict(values))

        if count == step:
            follow(asm.constant(0))
        else:
            asm.loop(asm.variable(asm.constant(0)), asm.constant(count), step, follow)

    def _still(self, at: Sequence[int]) -> dict[int, Values]:
        """The values that are the same in all steps of a unit."""
        values: dict[int, Values] = {}
        for k, way in enumerate(self.recipe.ways[: self.reads]):
            if way.steps == (0,):
                place = self._places(way, at[k], self.asm.constant(0), [])
                values[k] = self._read(k, way, place)
        self._compute(values)
        return values

    def _compute(self, values: dict[int, Values]) -> None:
        """Compute the values that are not known, if those are that it takes."""
        for k, (make, node) in enumerate(zip(self.makers, self.recipe.nodes), self.reads):
            if k not in values and all(source in values for source in node.sources):
                values[k] = make(values)

    def _coordinates(self, index: int, sizes: Ints) -> list[int]:
        """The coordinates of a linear index."""
        constant, number = self.asm.constant, self.asm.number
        coordinates = []
        for size in sizes[:-1]:
            if size == 1:
                coordinates.append(constant(0))
                continue
            rest = number(DIVIDE, index, constant(size))
            whole = number(MULTIPLY, rest, constant(size))
            coordinates.append(number(SUBTRACT, index, whole))
            index = rest
        return [*coordinates, index] if sizes else []

    def _moved(self, place: int, coordinates: Sequence[int], strides: Ints) -> int:
        constant, number = self.asm.constant, self.asm.number
        for at, stride in zip(coordinates, strides):
            place = number(ADD, place, number(MULTIPLY, at, constant(stride)))
        return place

    # ----- elements

    def _step(self, at: Sequence[int], element: int, i: int, values: dict[int, Values]) -> None:
        ways = self.recipe.ways
        walked = self._walked(element)
        places = [self._places(way, place, i, walked) for place, way in zip(at, ways)]
        for k, way in enumerate(ways[: self.reads]):
            if k not in values:
                values[k] = self._read(k, way, places[k])
        self._compute(values)
        for k, result in enumerate(self.recipe.results, self.reads):
            self._write(k, ways[k], places[k], values[result])

    def _places(self, way: Way, at: int, i: int, walked: list[list[int]]) -> Place:
        """Where the elements of a step are."""
        constant, number = self.asm.constant, self.asm.number
        if len(way.steps) > 1:
            return cache(lambda k: self._moved(at, walked[k], way.steps))
        (step,) = way.steps
        start = number(ADD, at, number(MULTIPLY, i, constant(step)))
        offsets = way.across or tuple([k * step for k in range(self.quad)])
        place = cache(lambda offset: number(ADD, start, constant(offset)))
        return lambda k: place(offsets[k])

    def _walked(self, element: int) -> list[list[int]]:
        """The coordinates in the row of elements that follow each other."""
        asm, number = self.asm, self.asm.number
        if len(self.recipe.row) == 1:
            return []
        walked = [self._coordinates(element, self.recipe.row)]
        for _ in range(1, self.quad):
            (first, *others) = walked[-1]
            more = [number(ADD, first, asm.constant(1))]
            for other, size in zip(others, self.recipe.row):
                carry = asm.make(EQUAL, asm.bool, more[-1], asm.constant(size))
                more[-1] = asm.make(op.SELECT, asm.uint, carry, asm.constant(0), more[-1])
                by = asm.make(op.SELECT, asm.uint, carry, asm.constant(1), asm.constant(0))
                more.append(number(ADD, other, by))
            walked.append(more)
        return walked

    def _width(self, way: Way, count: int) -> int:
        """The bytes that are moved at once where elements follow each other."""
        follow = way.across == tuple(range(count)) if way.across else way.steps == (1,)
        return min(way.align, count * way.itemsize, _QUAD) if follow else 0

    def _read(self, binding: int, way: Way, place: Place) -> list[int]:
        asm, number, size = self.asm, self.asm.number, way.itemsize
        width = self._width(way, self.quad)
        if width < 4:
            read = cache(lambda at: self._element(binding, way, at))
            return [read(place(k)) for k in range(self.quad)]
        start = number(DIVIDE, place(0), asm.constant(width // size))
        words: list[int] = []
        pieces = []
        for k in range(self.quad * size // width):
            pieces.append(asm.read(binding, width // 4, number(ADD, start, asm.constant(k))))
            if width == 4:
                words.append(pieces[-1])
            elif width != size:
                words += [asm.part(pieces[-1], word) for word in range(width // 4)]
        if width == size == 8:
            return pieces
        if size == 8:
            return [asm.vector(*words[k : k + 2]) for k in range(0, len(words), 2)]
        zero, per = asm.constant(0), 4 // size
        if size == 4:
            return [asm.vector(word, zero) for word in words]
        shifted = [
            number(RIGHT, words[k // per], asm.constant(k % per * 8 * size))
            for k in range(self.quad)
        ]
        return [asm.vector(self._cut(word, size), zero) for word in shifted]

    def _element(self, binding: int, way: Way, place: int) -> int:
        """One element."""
        asm, number, size = self.asm, self.asm.number, way.itemsize
        if size == 8:
            return asm.read(binding, 2, place)
        if size == 4:
            return asm.vector(asm.read(binding, 1, place), asm.constant(0))
        per = asm.constant(4 // size)
        word = asm.read(binding, 1, number(DIVIDE, place, per))
        shift = number(MULTIPLY, number(MODULO, place, per), asm.constant(8 * size))
        cut = self._cut(number(RIGHT, word, shift), size)
        return asm.vector(cut, asm.constant(0))

    def _write(self, binding: int, way: Way, place: Place, values: Sequence[int]) -> None:
        asm, number, size = self.asm, self.asm.number, way.itemsize
        width = self._width(way, self.quad)
        if width <= size:
            for k, value in enumerate(values):
                stored = value if size == 8 else asm.part(value, 0)
                asm.store(binding, size // 4, place(k), stored)
            return
        if size == 8:
            words = [asm.part(value, word) for value in values for word in (0, 1)]
        else:
            words = [asm.part(value, 0) for value in values]
            per = 4 // size
            for k in range(1, per):
                by = asm.constant(k * 8 * size)
                words[::per] = [
                    number(OR, word, number(LEFT, more, by))
                    for word, more in zip(words[::per], words[k::per])
                ]
            words = words[::per]
        start = number(DIVIDE, place(0), asm.constant(width // size))
        for k in range(0, len(words), width // 4):
            part = words[k : k + width // 4]
            value = asm.vector(*part) if len(part) > 1 else part[0]
            at = number(ADD, start, asm.constant(k // (width // 4)))
            asm.store(binding, width // 4, at, value)
