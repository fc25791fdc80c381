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


# Kernel name -> kernel.
KERNELS: dict[str, Kernel] = {}
