"""Every kernel, once, as data: its source, what it binds, and how it is specialised.

The GLSL says the same in its own words; a test compares the two in the built SPIR-V.
"""

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

    @property
    def source(self) -> str:
        return f"{self.name}.comp"

    @property
    def modules(self) -> dict[str, Mapping[str, str]]:
        """Module name -> macros, one SPIR-V binary each."""
        return {f"{self.name}_{suffix}": macros for suffix, macros in self.variants.items()}

    @property
    def push_words(self) -> int:
        return sum(words for _, words in self.push)


# The push block of glsl/index_head.glsl.
MAX_RANK = 8
_INDEX_PUSH = (
    ("first", 1),
    ("end", 1),
    ("src_base", 1),
    ("dst_base", 1),
    ("whole", 1),
    ("groups", 1),
    ("extent", 1),
    ("sizes", MAX_RANK),
    ("src_strides", MAX_RANK),
    ("dst_strides", MAX_RANK),
)
_INDEX_SPEC = ("LOCAL_SIZE", "LANES", "RANK", "EDGES")
_ROW_SPEC = (*_INDEX_SPEC, "RUN", "UNIT", "STEP", "DENSE")

_KERNELS = (
    Kernel(
        "copy_words",
        bindings=("Src", "Dst"),
        writes=("Dst",),
        spec=(*_ROW_SPEC, "SRC_QUADS", "DST_QUADS"),
        push=_INDEX_PUSH,
        variants={
            "32": {"T": "uint", "WORDS": "1"},
            "64": {"T": "uvec2", "WORDS": "2"},
            "128": {"T": "uvec4", "WORDS": "4"},
        },
    ),
    Kernel(
        "copy_packed",
        bindings=("Src", "Dst"),
        writes=("Dst",),
        spec=(*_ROW_SPEC, "ALIGNED"),
        push=_INDEX_PUSH,
        variants={"8": {"BITS": "8"}, "16": {"BITS": "16"}},
    ),
    Kernel(
        "copy_tile",
        bindings=("Src", "Dst"),
        writes=("Dst",),
        spec=(*_INDEX_SPEC, "DOWN", "SRC_QUADS", "DST_PIECES"),
        push=_INDEX_PUSH,
        variants={bits: {"BITS": bits} for bits in ("8", "16", "32", "64")},
    ),
)

# Kernel name -> kernel.
KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in _KERNELS}
