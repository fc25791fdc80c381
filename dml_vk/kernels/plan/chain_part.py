"""The part of a chain that one of its results is made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.chain import Chain
from dml_vk.kernels.plan.nodes import scalar_places


class Part(NamedTuple):
    chain: Chain
    reads: Ints  # by their numbers in the whole chain, as nodes are
    nodes: Ints
    params: Ints


def part_of(chain: Chain, params: Sequence[int], write: int) -> Part:
    """The part that makes and writes one result."""
    reads = len(chain.reads)
    value, operand = chain.writes[write]
    needed, waiting = {value}, [value]
    while waiting:
        number = waiting.pop()
        more = chain.nodes[number - reads].sources if number >= reads else ()
        waiting += set(more) - needed
        needed.update(more)
    numbers = sorted(needed)
    new = {number: new_number for new_number, number in enumerate(numbers)}
    read = tuple([number for number in numbers if number < reads])
    computed = tuple([number - reads for number in numbers if number >= reads])
    nodes = [chain.nodes[k] for k in computed]
    nodes = [
        node._replace(sources=tuple([new[source] for source in node.sources])) for node in nodes
    ]
    left, words = iter(params), []
    for k, node in enumerate(chain.nodes):
        own = list(islice(left, len(scalar_places(node.kernel, node.spec))))
        words += own if k in computed else []
    inputs = tuple([chain.reads[number] for number in read])
    part = Chain(chain.sizes, inputs, tuple(nodes), ((new[value], operand),))
    return Part(part, read, computed, tuple(words))
