"""What planning knows of the nodes of a chain: their modules, and the words of their scalars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from dml_vk.arguments import Ints
from dml_vk.dtypes import DTYPES
from dml_vk.kernels.elementwise import ADDED, COMPUTED, SCALED, Applied, operator_of
from dml_vk.kernels.plan.chain import COPY, FILL, Node

ITEMSIZES = [dtype.itemsize for dtype in DTYPES.values()]  # by code
WIDEST = 16  # bytes of an element
TARGET = 3  # where the codes of dtypes start in the constants of a node
# The dtypes of the parts of complex ones, by code.
_PARTS = {dtype.code: dtype.part.code for dtype in DTYPES.values() if dtype.kind == "c"}


def of_parts(kernel: str, spec: Ints) -> Ints | None:
    """The constants for one part of a complex number, if a kernel of real ones does both."""
    if kernel not in COMPUTED or not COMPUTED[kernel].by_parts:
        return None
    types = Applied.of(spec).types
    if types[0] not in _PARTS:
        return None
    return (*spec[:TARGET], *[_PARTS.get(code, code) for code in types])


def module_of(kernel: str, spec: Ints) -> str:
    """A module of a kernel: all compute the same, and differ in how they read and write.

    Some have one for elements of 128 bits, which computes with them.
    """
    family = COMPUTED[kernel]
    return f"{kernel}_{(_is_wide(spec) and family.wide) or family.variants[0]}"


def has_rare(nodes: Iterable[Node]) -> bool:
    """Whether a kernel of one of them has a slow branch for a few values."""
    return any(node.kernel in COMPUTED and COMPUTED[node.kernel].is_rare for node in nodes)


@lru_cache(maxsize=256)
def scalar_places(kernel: str, spec: Ints) -> Ints:
    """Which words of the scalars of a launch of its own a node takes: those that it may read."""
    if kernel == COPY:
        return ()
    if kernel == FILL:
        return tuple(range(max(1, spec[0] // 4)))
    applied = Applied.of(of_parts(kernel, spec) or spec)
    family, operator = COMPUTED[kernel], operator_of(kernel, applied.opcode)
    words = 2 * family.words if _is_wide(spec) and family.wide else family.words
    takes_all = family.takes_all or applied.before == ADDED
    sources = family.sources if operator is None or takes_all else operator.arity
    places: set[int] = set()
    for k in range(sources):
        if applied.absent >> k & 1:  # see glsl/include/families/source.glsl
            places.update((k // 2, k // 2 + 1, 2, 3)[:words])
    if operator is not None:
        places.update(range(words * len(operator.parameters)))
    if applied.before == SCALED:
        places.update((2, 3))
    return tuple(sorted(places))


def scalar_words(nodes: Sequence[Node]) -> int:
    """How many words of the push block are the scalars of nodes."""
    return sum([len(scalar_places(kernel, spec)) for kernel, spec, _ in nodes])


def _is_wide(spec: Ints) -> bool:
    return any(ITEMSIZES[code] == WIDEST for code in Applied.of(spec).types)
