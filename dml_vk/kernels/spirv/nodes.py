"""What the nodes of a chain compute, as calls of pieces in a module that is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dml_vk.kernels import registry
from dml_vk.kernels.plan.base import END
from dml_vk.kernels.plan.chain import COPY, FILL, Node
from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.kernels.spirv import instructions as op
from dml_vk.kernels.spirv.elements import Values, cut
from dml_vk.kernels.spirv.module import OR, RIGHT, Module
from dml_vk.kernels.spirv.pieces import (
    COMMON,
    COMPUTE,
    IS_RARE,
    RARE,
    could_be_known,
    module_of,
    piece,
    scalar_places,
)
from dml_vk.strides.order import Ints

Maker = Callable[[dict[int, Values], int], Values]


def scalar_words(nodes: Sequence[Node]) -> int:
    """How many words of the push block are the scalars of nodes."""
    return sum([len(scalar_places(kernel, spec)) for kernel, spec, _ in nodes])


def modules_of(nodes: Sequence[Node]) -> tuple[str, ...]:
    """The shipped modules that nodes are pieces of."""
    kernels = {kernel for kernel, _, _ in nodes} - {COPY, FILL}
    return tuple(sorted(map(module_of, kernels)))


def checks_of(nodes: Sequence[Node]) -> frozenset[str]:
    """Whose operations of a device nodes depend on, by dtype."""
    kinds = [
        registry.checks_of(module_of(kernel), spec)
        for kernel, spec, _ in nodes
        if kernel not in (COPY, FILL)
    ]
    return frozenset().union(*kinds)


class Nodes:
    """The nodes of a chain, linked into a module."""

    def __init__(
        self, asm: Module, nodes: Sequence[Node], first: int, at: int, native: int
    ) -> None:
        """Link them; the value of the first one has the number `first`.

        Their scalars are in the push block from word `at` on.
        """
        self._asm, self._nodes, self._first = asm, nodes, first
        self._zeros = 0
        self._makers: list[Maker] = []
        # By the number of a value: what computes it if it is common, and tells whether it is not.
        self.rare: dict[int, tuple[Maker, Maker]] = {}
        linked = cache(self._linked)
        for kernel, spec, sources in nodes:
            count = len(scalar_places(kernel, spec))
            words = tuple(range(at, at + count))
            at += count
            if kernel == COPY:
                self._makers.append(_copy(sources))
            elif kernel == FILL:
                self._makers.append(self._fill(spec[0], words))
            else:
                bits = native if module_of(kernel) in NATIVE_MODULES else 0
                raw, given = asm.vectors[2], (kernel, spec, words, bits)
                if kernel in RARE:
                    common = self._call(linked(*given, COMMON), kernel, sources, raw)
                    told = self._call(linked(*given, IS_RARE), kernel, sources, asm.bool)
                    self.rare[first + len(self._makers)] = common, told
                self._makers.append(self._call(linked(*given, COMPUTE), kernel, sources, raw))

    def begin(self) -> None:
        """Begin a function in which nodes are computed."""
        asm = self._asm
        # There are less than 2^31 units, but no driver knows it.
        zero = asm.number(RIGHT, asm.push(END), asm.constant(31))
        self._zeros = asm.vector(zero, zero)

    def compute(self, values: dict[int, Values], count: int, *, common: bool = False) -> None:
        """Compute the values that are not known, if their sources are.

        If `common`, those that are rare come out wrong.
        """
        for number, (make, node) in enumerate(zip(self._makers, self._nodes), self._first):
            if number not in values and all(source in values for source in node.sources):
                if common and number in self.rare:
                    make, _ = self.rare[number]
                values[number] = make(values, count)

    def hidden(self, number: int, values: Values, by: str = "") -> Values:
        """These values of a number, for a kernel: such that no driver knows them."""
        if not could_be_known(self._made_by(number), by):
            return values
        asm = self._asm
        return [asm.make(OR, asm.vectors[2], value, self._zeros) for value in values]

    def _made_by(self, number: int) -> str:
        kernel = COPY
        while kernel == COPY and number >= self._first:
            kernel, _, sources = self._nodes[number - self._first]
            (number, *_) = sources or (0,)
        return kernel

    def _linked(self, kernel: str, spec: Ints, words: Ints, native: int, of: str) -> int:
        places = dict(zip(scalar_places(kernel, spec), words))
        return self._asm.link(piece(kernel, spec, native, of), places)

    def _fill(self, size: int, places: Ints) -> Maker:
        asm = self._asm

        def fill(values: dict[int, Values], count: int) -> Values:
            words = [asm.push(place) for place in places]
            if size < 4:
                words = [cut(asm, words[0], size)]
            return [asm.vector(*words, *[asm.constant(0)] * (2 - len(words)))] * count

        return fill

    def _call(self, name: int, kernel: str, sources: Ints, of_type: int) -> Maker:
        def call(values: dict[int, Values], count: int) -> Values:
            made: dict[Ints, int] = {}  # Where sources stand still, so does the result.
            results = []
            for k in range(count):
                given = tuple([values[one][k] for one in sources])
                if given not in made:
                    taken = [
                        self.hidden(one, [value], kernel)[0] for one, value in zip(sources, given)
                    ]
                    made[given] = self._asm.make(op.CALL, of_type, name, *taken)
                results.append(made[given])
            return results

        return call


def _copy(sources: Ints) -> Maker:
    return lambda values, count: values[sources[0]]
