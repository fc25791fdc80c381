"""Elementwise launches as values, and chains of them for one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.strides.order import Ints

# Beside the kernels of operators: elements as they are, and one element for all.
COPY, FILL = "copy", "fill"


class Computed(NamedTuple):
    """What a plan of an elementwise kernel, a copy or a fill was made for.

    Operands are (strides, offset, item size), dst last. `spec` has the opcode, the step before it,
    a bit for each source that is a scalar or missing, the codes of the dtypes of dst and of the
    computation, and that of each source; copies and fills only move bits, and have none. Offsets
    may be those of another launch of the plan: they only tell how operands are aligned.
    """

    kernel: str
    sizes: Ints
    operands: tuple[tuple[Ints, int, int], ...]
    spec: Ints


class Operand(NamedTuple):
    """Elements in memory: strides over the sizes of the chain, the rest in elements."""

    strides: Ints
    offset: int
    itemsize: int
    code: int  # of the dtype


class Node(NamedTuple):
    """One elementwise operation of a chain, as a launch of its own would do it."""

    kernel: str
    opcode: int
    before: int
    common: int  # the code of the dtype of the computation
    target: int  # and of the results
    sources: tuple[int | None, ...]
    """Numbers of values, those read first, then those of nodes. None: a scalar or missing."""


class Chain(NamedTuple):
    """Operations on the elements at each index of `sizes`."""

    sizes: Ints
    reads: tuple[Operand, ...]
    nodes: tuple[Node, ...]
    writes: tuple[tuple[int, Operand], ...]  # the number of a value, and where it goes

    def code(self, value: int) -> int:
        """The code of the dtype of a value."""
        at = value - len(self.reads)
        return self.reads[value].code if at < 0 else self.nodes[at].target

    def spec(self, node: Node) -> Ints:
        """The constants of a launch of its own: see `Computed`."""
        absent = sum([(source is None) << k for k, source in enumerate(node.sources)])
        codes = [node.target if one is None else self.code(one) for one in node.sources]
        return (node.opcode, node.before, absent, node.target, node.common, *codes)


def node_of(computed: Computed, values: Sequence[int], code: int = 0) -> Node:
    """The node that does what a launch does, with these values for the sources that it has.

    `code` is the dtype's of what is copied or filled.
    """
    if not computed.spec:
        return Node(computed.kernel, 0, 0, code, code, tuple(values))
    opcode, before, absent, target, common, *codes = computed.spec
    given = iter(values)
    sources = [None if absent >> k & 1 else next(given) for k in range(len(codes))]
    return Node(computed.kernel, opcode, before, common, target, tuple(sources))


class Way(NamedTuple):
    """How a kernel of a chain comes to an operand's elements."""

    itemsize: int
    rows: Ints  # strides from row to row
    steps: Ints  # along a row: one number if it is the same throughout, else of each of its dims
    align: int  # bytes that each row starts at a multiple of, at most a quad


class Recipe(NamedTuple):
    """All that a kernel of a chain is made from: see kernels/spirv/chained.py."""

    local_size: int
    lanes: int
    rows: Ints  # the sizes of the dims over rows, innermost first
    row: Ints  # and of those of a row
    unit: int  # elements of a whole unit
    quad: int  # how many are read, computed and written at once
    least: int  # and at the end of a row
    ways: tuple[Way, ...]  # of what is read, then of what is written
    steps: tuple[tuple[str, Ints, tuple[int, ...]], ...]
    """Of each node the kernel, its constants, and the values that it takes."""
    results: Ints  # the numbers of the values that are written
