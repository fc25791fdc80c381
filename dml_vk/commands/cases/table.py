"""The one table of cases, by which commands and benchmarks time the library."""

from __future__ import annotations

from collections.abc import Iterator

from dml_vk.commands.cases import arithmetic, memory
from dml_vk.commands.cases.case import Case


def cases(scale: int) -> Iterator[Case]:
    """All cases with operands of up to `scale` Mi elements."""
    yield from memory.cases(scale)
    yield from arithmetic.cases(scale)
