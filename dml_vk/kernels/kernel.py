"""What a kernel is, as data: its source, what it binds, how it is specialised, what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Kernel:
    """One shader source and the variants built from it.

    Bindings, specialization constants and push words stand in the order of their numbers.
    """

    name: str
    bindings: tuple[str, ...]  # storage buffers; the kernel writes those in `writes`
    writes: tuple[str, ...]
    spec: tuple[str, ...]
    push: tuple[tuple[str, int], ...]  # (name, 32-bit words); at most 32 words in all
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """Suffix -> macros. A variant's module is `<name>_<suffix>`."""
    body: str = ""  # the name of its source, where that is not its own

    @property
    def source(self) -> str:
        return f"{self.body or self.name}.comp"

    @property
    def modules(self) -> dict[str, Mapping[str, str]]:
        """Module name -> macros, one SPIR-V binary each."""
        return {f"{self.name}_{suffix}": macros for suffix, macros in self.variants.items()}

    @property
    def push_words(self) -> int:
        return sum(words for _, words in self.push)


# Dims in one launch: of a copy, of a kernel that makes elements and is told more instead, and of
# one that computes with so many sources, beside so many words of scalars.
MAX_RANK = 8
MADE_RANK = 6
COMPUTED_RANK = {1: 7, 2: 5, 3: 4}
SCALAR_WORDS = {1: 4, 2: 4, 3: 3}


def index_push(
    bases: tuple[str, ...],
    rank: int,
    extra: tuple[tuple[str, int], ...] = (),
    sources: int = 1,
) -> tuple[tuple[str, int], ...]:
    """The push block of glsl/index_head.glsl."""
    return (
        *(("first", 1), ("end", 1)),
        *((base, 1) for base in bases),
        *(("whole", 1), ("groups", 1), ("extent", 1)),
        *(("sizes", rank), ("strides", (sources + 1) * rank)),
        *extra,
    )


INDEX_SPEC = ("LOCAL_SIZE", "LANES", "RANK", "EDGES")
ROW_SPEC = (*INDEX_SPEC, "RUN", "UNIT", "STEPS", "DENSE")
WORDS_SPEC = (*ROW_SPEC, "SRC_QUADS", "DST_QUADS")
PACKED_SPEC = (*WORDS_SPEC, "ENDS")
TILE_SPEC = (*INDEX_SPEC, "BLOCK_ACROSS", "BLOCK_DOWN", "RAGGED", "READS", "DST_PIECES")
PATH_SPEC = {"words": WORDS_SPEC, "packed": PACKED_SPEC, "tile": TILE_SPEC}
