"""The one table of cases, by which commands and benchmarks time the library."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dml_vk.commands.cases import NAMES, arithmetic, computed, indexes, layers, memory, moved
from dml_vk.commands.cases.case import Case, Sizes


def cases(scale: int) -> Iterator[Case]:
    """Those that are timed beside other libraries, with operands of up to `scale` Mi elements."""
    sizes = (scale, 64, 128, 128)
    for case in (
        *memory.cases(sizes),
        *indexes.cases(sizes, scale * 2**18),
        *arithmetic.cases(scale),
    ):
        if case.call is not None:
            yield case


def by_kernel() -> Iterator[Case]:
    """Those in groups, finer than what users see."""
    yield from moved.cases()
    yield from computed.cases()
    yield from layers.cases()


def against_numpy(sizes: Sizes) -> dict[str, Case]:
    """Those of NAMES, which are timed against NumPy; large operands have these sizes."""
    part = max(math.prod(sizes) // 16, 1)
    rows = (
        *memory.cases(sizes),
        *indexes.cases(sizes, part),
        arithmetic.product("product", (math.isqrt(part),) * 2, "f4"),
    )
    by_name = {case.into.name: case for case in rows if case.into is not None}
    return {name: by_name[name] for name in NAMES}
