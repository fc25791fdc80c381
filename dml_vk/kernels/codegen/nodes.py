"""Compute the nodes of a chain: link their functions into a module, and call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dml_vk.arguments import Ints
from dml_vk.kernels import registry
from dml_vk.kernels.codegen.elements import Values, cut, from_words, to_words
from dml_vk.kernels.codegen.node_functions import COMMON, COMPUTE, IS_RARE, could_be_known, piece
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.plan.base import END
from dml_vk.kernels.plan.chain import COPY, FILL, Node
from dml_vk.kernels.plan.nodes import (
    ITEMSIZES,
    TARGET,
    WIDEST,
    module_of,
    of_parts,
    scalar_places,
)
from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.spirv import spec as op
from dml_vk.spirv.builder import Builder
from dml_vk.spirv.linking import link

Maker = Callable[[dict[int, Values], int], Values]


def modules_of(nodes: Sequence[Node]) -> tuple[str, ...]:
    """The shipped modules that nodes are pieces of."""
    modules = {module_of(kernel, spec) for kernel, spec, _ in nodes if kernel not in (COPY, FILL)}
    return tuple(sorted(modules))


def checks_of(nodes: Sequence[Node]) -> frozenset[str]:
    """Whose operations of a device nodes depend on, by dtype."""
    kinds = [
        registry.checks_of(module_of(kernel, spec), of_parts(kernel, spec) or spec)
        for kernel, spec, _ in nodes
        if kernel not in (COPY, FILL)
    ]
    return frozenset().union(*kinds)


class Nodes:
    """The nodes of a chain, linked into a module."""

    def __init__(
        self,
        builder: Builder,
        nodes: Sequence[Node],
        first: int,
        at: int,
        native: int,
        unrolls: bool,
    ) -> None:
        """Link them; the value of the first one has the number `first`.

        Their scalars are in the push block from word `at` on.
        """
        self._builder, self._nodes, self._first, self._unrolls = builder, nodes, first, unrolls
        self._zero = 0
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
            elif (own := of_parts(kernel, spec)) is not None:
                bits = native if module_of(kernel, own) in NATIVE_MODULES else 0
                sizes = [ITEMSIZES[code] for code in (spec[TARGET], *spec[TARGET + 2 :])]
                function = linked(kernel, own, words, bits, COMPUTE)
                self._makers.append(self._by_parts(function, kernel, sources, sizes))
            else:
                bits = native if module_of(kernel, spec) in NATIVE_MODULES else 0
                arguments = kernel, spec, words, bits
                result_words = 4 if ITEMSIZES[spec[TARGET]] == WIDEST else 2
                if COMPUTED[kernel].is_rare:
                    common = self._call(linked(*arguments, COMMON), kernel, sources, result_words)
                    told = self._call(linked(*arguments, IS_RARE), kernel, sources)
                    self.rare[first + len(self._makers)] = common, told
                self._makers.append(
                    self._call(linked(*arguments, COMPUTE), kernel, sources, result_words)
                )

    def begin(self) -> None:
        """Begin a function in which nodes are computed."""
        builder = self._builder
        # There are less than 2^31 units, but no driver knows it, for the lowest bit and the sign.
        high = builder.number(op.SHIFT_RIGHT_LOGICAL, builder.push(END), builder.constant(31))
        self._zero = builder.number(op.I_MUL, high, builder.constant(0x80000001))

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
        """Values for kernel `by`, OR-ed with a run-time zero where drivers could fold them."""
        if not could_be_known(*self._made_by(number), by):
            return values
        builder, hidden = self._builder, []
        for value in values:
            of_type = builder.types[value]
            zeros = builder.vector(*[self._zero] * (4 if of_type == builder.vectors[4] else 2))
            hidden.append(builder.make(op.BITWISE_OR, of_type, value, zeros))
        return hidden

    def _made_by(self, number: int) -> tuple[str, Ints]:
        kernel: str = COPY
        spec: Ints = ()
        while kernel == COPY and number >= self._first:
            kernel, spec, sources = self._nodes[number - self._first]
            (number, *_) = sources or (0,)
        return kernel, spec

    def _linked(
        self, kernel: str, spec: Ints, words: Ints, native: int, of: str
    ) -> tuple[int, int]:
        """(a piece's function, the words of what it takes and makes)."""
        places = dict(zip(scalar_places(kernel, spec), words))
        linked = piece(kernel, spec, native, of, unrolls=self._unrolls)
        return link(self._builder.module, linked, places), linked.words

    def _fill(self, size: int, places: Ints) -> Maker:
        builder = self._builder

        def fill(values: dict[int, Values], count: int) -> Values:
            words = [builder.push(word) for word in places]
            if size < 4:
                words = [cut(builder, words[0], size)]
            return [builder.vector(*words, *[builder.constant(0)] * (2 - len(words)))] * count

        return fill

    def _call(
        self, function: tuple[int, int], kernel: str, sources: Ints, made_words: int = 0
    ) -> Maker:
        """Call a piece; it makes so many words, or if these are 0, a truth."""
        builder, (name, words) = self._builder, function
        of_type = builder.vectors[words] if made_words else builder.bool

        def called(*arguments: int) -> int:
            taken = [self._fitted(value, words) for value in arguments]
            result = builder.make(op.FUNCTION_CALL, of_type, name, *taken)
            return self._fitted(result, made_words) if made_words else result

        return self._maker(called, kernel, sources)

    def _by_parts(
        self, function: tuple[int, int], kernel: str, sources: Ints, sizes: Sequence[int]
    ) -> Maker:
        """Call a piece for both parts of complex numbers: item sizes of the result and sources."""
        builder, (name, _) = self._builder, function

        def called(*arguments: int) -> int:
            parts = [
                from_words(builder, to_words(builder, [value], size), size // 2)
                for value, size in zip(arguments, sizes[1:])
            ]
            results = [
                builder.make(op.FUNCTION_CALL, builder.vectors[2], name, *taken)
                for taken in zip(*parts)
            ]
            (result,) = from_words(builder, to_words(builder, results, sizes[0] // 2), sizes[0])
            return result

        return self._maker(called, kernel, sources)

    def _maker(self, called: Callable[..., int], kernel: str, sources: Ints) -> Maker:
        def make(values: dict[int, Values], count: int) -> Values:
            known: dict[Ints, int] = {}  # Where sources stand still, so does the result.
            results = []
            for k in range(count):
                arguments = tuple([values[number][k] for number in sources])
                if arguments not in known:
                    taken = [
                        self.hidden(number, [value], kernel)[0]
                        for number, value in zip(sources, arguments)
                    ]
                    known[arguments] = called(*taken)
                results.append(known[arguments])
            return results

        return make

    def _fitted(self, value: int, words: int) -> int:
        """A value with two words or four: those that it lacks are 0."""
        builder = self._builder
        if builder.types[value] == builder.vectors[words]:
            return value
        zeros = [builder.constant(0)] * (words - 2)
        return builder.vector(builder.part(value, 0), builder.part(value, 1), *zeros)


def _copy(sources: Ints) -> Maker:
    return lambda values, count: values[sources[0]]
