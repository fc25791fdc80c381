"""The one table of cases, by which commands and benchmarks time the library."""

from __future__ import annotations

from collections.abc import Iterator

from dml_vk.commands.beside import computes, moves
from dml_vk.commands.beside.case import Case


def cases(scale: int) -> Iterator[Case]:
    """All cases with operands of up to `scale` Mi elements."""
    yield from moves.cases(scale)
    yield from computes.cases(scale)
