"""Write the module of a chain: loops over its elements, which call functions of its nodes.

The loops are those of glsl/include/index/. Sizes and strides are constants of the module. The push
block has the range of units, the bases, and the scalars that nodes take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

from dml_vk.kernels.codegen import elements
from dml_vk.kernels.codegen.elements import Address, Values, coordinates, moved
from dml_vk.kernels.codegen.nodes import Nodes
from dml_vk.kernels.plan.base import BASES, END, FIRST
from dml_vk.kernels.plan.chain import AccessPattern, Recipe
from dml_vk.kernels.plan.nodes import scalar_words
from dml_vk.spirv import spec as op
from dml_vk.spirv.builder import Main

_QUAD = 16


@lru_cache(maxsize=256)
def built(recipe: Recipe, native: int, unrolls: bool = True) -> bytes:
    """The module."""
    return _Chained(recipe, native, unrolls).module()


class _Chained:
    def __init__(self, recipe: Recipe, native: int, unrolls: bool) -> None:
        self.recipe = recipe
        self.reads = len(recipe.patterns) - len(recipe.results)
        at = BASES + len(recipe.patterns)
        self.main = Main(at + scalar_words(recipe.nodes))
        self.nodes = Nodes(self.main, recipe.nodes, self.reads, at, native, unrolls)

    def module(self) -> bytes:
        main, recipe = self.main, self.recipe
        constant, number = main.constant, main.number
        self.bases = [main.push(BASES + k) for k in range(len(recipe.patterns))]
        self.nodes.begin()
        begin, stop, by = self._side_by_side() if recipe.side_by_side else self._ranges()
        at = main.variable(begin)
        if recipe.whole:
            end = main.least(stop, constant(recipe.whole))
            main.loop(at, end, by, self._apart if recipe.quads else self._whole)
        if recipe.left:
            main.loop(
                at, stop, by, lambda n: self._edge(number(op.I_ADD, n, constant(-recipe.whole)))
            )
        return main.emit(recipe.local_size)

    def _side_by_side(self) -> tuple[int, int, int]:
        """(the first unit of an invocation, the end, how far it goes): it takes no quotient."""
        main, number = self.main, self.main.number
        begin = number(op.I_ADD, main.push(FIRST), main.input(op.BuiltIn.GLOBAL_INVOCATION_ID))
        groups = main.input(op.BuiltIn.NUM_WORKGROUPS)
        return begin, main.push(END), number(op.I_MUL, groups, main.constant(self.recipe.lanes))

    def _ranges(self) -> tuple[int, int, int]:
        """The same where each lane group has a range of units."""
        main, constant, number = self.main, self.main.constant, self.main.number
        lanes = constant(self.recipe.lanes)
        first = main.push(FIRST)
        units = number(op.I_SUB, main.push(END), first)
        invocation = main.input(op.BuiltIn.GLOBAL_INVOCATION_ID)
        lane_groups = number(
            op.I_MUL,
            main.input(op.BuiltIn.NUM_WORKGROUPS),
            constant(self.recipe.local_size // self.recipe.lanes),
        )
        more = number(op.I_ADD, units, number(op.I_ADD, lane_groups, constant(-1)))
        share = number(op.U_DIV, more, lane_groups)
        start = number(op.I_MUL, number(op.U_DIV, invocation, lanes), share)
        start = main.least(start, units)
        stop = number(op.I_ADD, first, main.least(number(op.I_ADD, start, share), units))
        begin = number(
            op.I_ADD, number(op.I_ADD, first, start), number(op.U_MOD, invocation, lanes)
        )
        return begin, stop, lanes

    # ----- units

    def _whole(self, n: int) -> None:
        row, element = self._part(n)
        self._range(row, element, self.recipe.unit, self.recipe.step)

    def _apart(self, n: int) -> None:
        """The steps of a unit: all are read before any is written."""
        main, recipe, steps = self.main, self.recipe, []
        count, self.quad = math.prod(recipe.rows) * recipe.groups, recipe.quad
        for k in range(recipe.quads):
            at = main.number(op.I_ADD, n, main.constant(k * recipe.whole))
            beyond = None
            if (k + 1) * recipe.whole > count:
                # What would lie beyond is read again, and not written.
                beyond = main.make(op.U_LESS_THAN, main.bool, main.constant(count - 1), at)
                at = main.least(at, main.constant(count - 1))
            row, element = self._part(at)
            starts = self._along(self._starts(row), element)
            steps.append((beyond, *self._read_step(starts, element, main.constant(0), {})))
        for beyond, places, values in steps:
            self.nodes.compute(values, self.quad)
            if beyond is None:
                self._write(places, values)
            else:
                main.unless(beyond, partial(self._write, places, values))

    def _part(self, n: int) -> tuple[int, int]:
        """The row of a step, or of a unit that goes step by step, and its first element there."""
        constant, number, recipe = self.main.constant, self.main.number, self.recipe
        group, row = n, constant(0)
        if recipe.rows:
            # Pieces across rows that lie side by side are those of neighbouring lanes.
            (pieces, *_) = recipe.rows if recipe.patterns[0].across else (1,)
            piece, others = coordinates(self.main, n, (pieces, 0))
            group, above = coordinates(self.main, others, (recipe.groups, 0))
            row = number(op.I_ADD, number(op.I_MUL, above, constant(pieces)), piece)
        return row, number(op.I_MUL, group, constant(recipe.unit))

    def _edge(self, row: int) -> None:
        recipe = self.recipe
        done = recipe.groups * recipe.unit
        if recipe.phase is None:
            self._range(row, self.main.constant(done), recipe.left, recipe.least)
        else:
            self._range(row, self.main.constant(0), recipe.left, recipe.least, done)

    def _range(
        self, row: int, element: int, count: int, step: int, between: int | None = None
    ) -> None:
        """A part of a row, step by step, or what is on both sides of so many elements of it."""
        main, number, recipe = self.main, self.main.number, self.recipe
        starts = self._starts(row)
        ahead = main.constant(0)
        if recipe.phase is not None:
            back = number(op.I_SUB, main.constant(0), starts[recipe.phase])
            ahead = number(op.U_MOD, back, main.constant(recipe.ahead + 1))
        if between is None:
            element = number(op.I_ADD, element, ahead)
        at = self._along(starts, element)

        def skipping(i: int) -> int:
            if not between:
                return i
            is_ahead = main.make(op.U_LESS_THAN, main.bool, i, ahead)
            skipped = (is_ahead, main.constant(0), main.constant(between))
            return number(op.I_ADD, i, main.make(op.SELECT, main.uint, *skipped))

        self.quad = recipe.quad if recipe.patterns[0].across else step
        still = self._still(at)

        def follow(i: int) -> None:
            values, i = dict(still), skipping(i)
            write = self._step(at, number(op.I_ADD, element, i), i, values)
            write()

        if self.nodes.rare.keys() <= still.keys():
            self._steps(count, step, follow)
            return
        # A CPU would execute slow branches for all elements. So steps are made for common values;
        # those with rare ones are not written, but made again with their branches.
        left = main.variable(main.constant(0))  # a bit for each such step

        def follow_common(i: int) -> None:
            values, there = dict(still), skipping(i)
            write = self._step(at, number(op.I_ADD, element, there), there, values, common=True)
            rare = self._is_any_rare(values, still)
            main.unless(rare, write)
            told = main.make(op.SELECT, main.uint, rare, main.constant(1), main.constant(0))
            bit = number(op.SHIFT_LEFT_LOGICAL, told, number(op.U_DIV, i, main.constant(step)))
            bits = main.make(op.LOAD, main.uint, left)
            main.write(op.STORE, left, number(op.BITWISE_OR, bits, bit))

        self._steps(count, step, follow_common)
        main.each_bit(left, lambda bit: follow(number(op.I_MUL, bit, main.constant(step))))

    def _starts(self, row: int) -> list[int]:
        """Where a row starts in each operand."""
        rows = coordinates(self.main, row, self.recipe.rows)
        return [
            moved(self.main, base, rows, pattern.rows)
            for base, pattern in zip(self.bases, self.recipe.patterns)
        ]

    def _along(self, starts: Sequence[int], element: int) -> list[int]:
        """Where an element of a row is, in operands with one step along it."""
        main, at = self.main, []
        for start, pattern in zip(starts, self.recipe.patterns):
            if len(pattern.steps) == 1:
                along = main.number(op.I_MUL, element, main.constant(pattern.steps[0]))
                start = main.number(op.I_ADD, start, along)
            at.append(start)
        return at

    def _steps(self, count: int, step: int, follow: Callable[[int], None]) -> None:
        main = self.main
        if count == step:
            follow(main.constant(0))
        else:
            at = main.variable(main.constant(0))
            main.loop(at, main.constant(count), main.constant(step), follow)

    def _is_any_rare(self, values: dict[int, Values], still: dict[int, Values]) -> int:
        told = [
            value
            for number, (_, is_rare) in self.nodes.rare.items()
            if number not in still
            for value in is_rare(values, self.quad)
        ]
        either, *others = dict.fromkeys(told)
        for value in others:
            either = self.main.make(op.LOGICAL_OR, self.main.bool, either, value)
        return either

    def _still(self, at: Sequence[int]) -> dict[int, Values]:
        """The values that are the same in all steps of a unit."""
        values: dict[int, Values] = {}
        for k, pattern in enumerate(self.recipe.patterns[: self.reads]):
            if pattern.steps == (0,):
                address = self._places(pattern, at[k], self.main.constant(0), [])
                values[k] = self._read(k, pattern, address)
        self.nodes.compute(values, self.quad)
        return values

    # ----- elements

    def _step(
        self,
        at: Sequence[int],
        along: int,
        i: int,
        values: dict[int, Values],
        *,
        common: bool = False,
    ) -> Callable[[], None]:
        """Add the values of a step to those that stand still, and return what writes them."""
        places, values = self._read_step(at, along, i, values)
        self.nodes.compute(values, self.quad, common=common)
        return partial(self._write, places, values)

    def _read_step(
        self, at: Sequence[int], along: int, i: int, values: dict[int, Values]
    ) -> tuple[list[Address], dict[int, Values]]:
        """(where the elements of a step are, its values that are known or read)."""
        patterns = self.recipe.patterns
        at_elements = self._coordinates_along(along)
        places = [
            self._places(pattern, address, i, at_elements) for address, pattern in zip(at, patterns)
        ]
        for k, pattern in enumerate(patterns[: self.reads]):
            if k not in values:
                values[k] = self._read(k, pattern, places[k])
        return places, values

    def _write(self, places: list[Address], values: dict[int, Values]) -> None:
        patterns = self.recipe.patterns
        for k, result in enumerate(self.recipe.results, self.reads):
            where = k, patterns[k].itemsize, self._width(patterns[k], self.quad), places[k]
            elements.write(self.main, *where, values[result], shared=self.recipe.shares)

    def _places(
        self, pattern: AccessPattern, at: int, i: int, at_elements: list[list[int]]
    ) -> Address:
        """Where the elements of a step are."""
        constant, number = self.main.constant, self.main.number
        if len(pattern.steps) > 1:
            return cache(lambda k: moved(self.main, at, at_elements[k], pattern.steps))
        (step,) = pattern.steps
        start = number(op.I_ADD, at, number(op.I_MUL, i, constant(step)))
        offsets = pattern.across or tuple([k * step for k in range(self.quad)])
        address = cache(lambda offset: number(op.I_ADD, start, constant(offset)))
        return lambda k: address(offsets[k])

    def _coordinates_along(self, along: int) -> list[list[int]]:
        """The coordinates in the row of elements that follow each other."""
        main, number = self.main, self.main.number
        if len(self.recipe.row) == 1:
            return []
        at_elements = [coordinates(self.main, along, self.recipe.row)]
        for _ in range(1, self.quad):
            (first, *others) = at_elements[-1]
            more = [number(op.I_ADD, first, main.constant(1))]
            for other, size in zip(others, self.recipe.row):
                carry = main.make(op.I_EQUAL, main.bool, more[-1], main.constant(size))
                more[-1] = main.make(op.SELECT, main.uint, carry, main.constant(0), more[-1])
                by = main.make(op.SELECT, main.uint, carry, main.constant(1), main.constant(0))
                more.append(number(op.I_ADD, other, by))
            at_elements.append(more)
        return at_elements

    def _width(self, pattern: AccessPattern, count: int) -> int:
        """The bytes that are moved at once where elements follow each other."""
        follow = pattern.across == tuple(range(count)) if pattern.across else pattern.steps == (1,)
        return min(pattern.align, count * pattern.itemsize, _QUAD) if follow else 0

    def _read(self, binding: int, pattern: AccessPattern, address: Address) -> Values:
        width = self._width(pattern, self.quad)
        return elements.read(self.main, binding, pattern.itemsize, width, address, self.quad)
