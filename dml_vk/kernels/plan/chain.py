"""Elementwise launches as values, and chains of them for one kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.elementwise import Applied
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand

# Beside the kernels of operators: elements as they are, and one element for all.
COPY, FILL = "copy", "fill"
WORD = 4  # bytes


class Computed(NamedTuple):
    """What a plan of an elementwise kernel, a copy or a fill was made for.

    Operands are (strides, offset, item size), dst last. `spec` has the opcode, the step before it,
    a bit for each source that is a scalar or missing, the codes of the dtypes of dst and of the
    computation, and that of each source; copies and fills only move bits, and have none. Offsets
    may be those of another launch of the plan: they only tell how operands are aligned.
    """

    kernel: str
    sizes: Ints
    operands: tuple[Operand, ...]
    spec: Ints


class Node(NamedTuple):
    """One elementwise operation of a chain, as a launch of its own would do it."""

    kernel: str
    spec: Ints  # that of `Computed`; of a copy or a fill, the item size
    sources: tuple[int, ...]
    """Numbers of values, those read first, then those of nodes: of each source but scalars."""


class Chain(NamedTuple):
    """Operations on the elements at each index of `sizes`, which operands have strides over."""

    sizes: Ints
    reads: tuple[Operand, ...]
    nodes: tuple[Node, ...]
    writes: tuple[tuple[int, Operand], ...]  # the number of a value, and where it goes


def node_of(computed: Computed, values: Sequence[int]) -> Node:
    """The node that does what a launch does, with these values for the sources that it has."""
    spec = computed.spec or (computed.operands[-1].itemsize,)
    return Node(computed.kernel, spec, tuple(values))


def present(computed: Computed) -> list[int]:
    """The numbers of the sources that a launch reads: the others are scalars or missing."""
    absent = Applied.of(computed.spec).absent if computed.spec else 0
    return [k for k in range(len(computed.operands) - 1) if not absent >> k & 1]


class AccessPattern(NamedTuple):
    """How a kernel of a chain accesses the elements of an operand."""

    itemsize: int
    rows: Ints  # strides from row to row
    steps: Ints  # along a row: one number if it is the same throughout, else of each of its dims
    align: int  # bytes that each row starts at a multiple of, at most a quad
    across: Ints = ()  # offsets of the elements of a step that goes across rows


class Recipe(NamedTuple):
    """All that a kernel of a chain is made from: see kernels/codegen/chained.py."""

    local_size: int
    lanes: int
    rows: Ints  # the sizes of the dims over rows, innermost first
    row: Ints  # and of those of a row, along which units go step by step
    unit: int  # the length of a whole unit
    quad: int  # elements that are read, computed and written in a step
    step: int  # the length of a step: `quad`, or 1 if it goes across
    least: int  # that of a step at the end of a row
    patterns: tuple[AccessPattern, ...]  # of what is read, then of what is written
    nodes: tuple[Node, ...]
    results: Ints  # the numbers of the values that are written
    phase: int | None = None
    """The number of the pattern at whose whole words units start, if rows start anywhere."""
    shares: bool = False  # words of what is written, between units
    quads: int = 0
    """The steps of a unit, if it reads all of them before it writes any.

    They are as far apart as there are units, so that neighbouring invocations do neighbouring ones.
    """

    @property
    def side_by_side(self) -> bool:
        """Whether lane groups, which are workgroups, do neighbouring units, not ranges of them."""
        return self.lanes == self.local_size

    @property
    def whole(self) -> int:
        """The whole units of all rows; of the last ones, some steps may be too many."""
        return -(-math.prod(self.rows) * self.groups // max(1, self.quads))

    @property
    def ahead(self) -> int:
        """The most elements of a row that come before its first unit."""
        return 0 if self.phase is None else WORD // self.patterns[self.phase].itemsize - 1

    @property
    def groups(self) -> int:
        """The whole units of a row, wherever it starts."""
        return max(0, math.prod(self.row) - self.ahead) // self.unit

    @property
    def left(self) -> int:
        """The elements of a row before and after its whole units."""
        return math.prod(self.row) - self.groups * self.unit


def row_align(operand: Operand) -> int:
    """The bytes, at most a quad, that rows along the innermost dim start at a multiple of."""
    starts = (operand.offset, *operand.strides[1:])
    return math.gcd(QUAD_BYTES, *[start * operand.itemsize for start in starts])


class InlinedChain(NamedTuple):
    """A chain on the elements that a kernel reads or writes at one binding.

    Values have numbers as in `Node`. One is the element that passes `through`, if the chain uses
    it, and `result` takes its place; without one, what the kernel writes is only passed on.
    """

    binding: int
    itemsize: int
    unit: int  # elements that the kernel counts as one
    start: int  # the index that the kernel's base has, in elements
    align: int  # bytes that the first element is at a multiple of, at most a quad
    sizes: Ints  # of the dims that what passes is dense in, innermost first
    operands: tuple[Operand, ...]
    """What is read, then what is written, at bindings of their own, with strides over `sizes`.

    Their offsets are the least to which rows are aligned as these are: kernels know no more.
    """
    reads: Ints  # the numbers of these values
    results: Ints
    first: int  # the number of the first node's value
    nodes: tuple[Node, ...]
    through: int | None
    result: int | None

    def runs(self, count: int) -> bool:
        """Whether so many elements at a multiple of as many are side by side in one row."""
        return not (self.sizes[0] % count or self.align % (count * self.itemsize))

    def width(self, operand: Operand, count: int) -> int:
        """The bytes that are moved at once at a binding, for such elements; 0 if one by one."""
        return min(row_align(operand), count * operand.itemsize) if operand.strides[0] == 1 else 0


class Inlined(NamedTuple):
    """A kernel with a chain inlined at one binding; without `inlined`, a kernel of the package."""

    module: str
    spec: Ints
    fma: bool
    bindings: int  # of the kernel without this chain
    kernel: Inlined | None = None
    inlined: InlinedChain | None = None
    folded: tuple[Ints, ...] = ()  # members of the push block that become constants: start, words
