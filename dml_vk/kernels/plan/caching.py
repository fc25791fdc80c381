"""Caching of plans, with offsets reduced to their alignment."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand

P = ParamSpec("P")
R = TypeVar("R")


def cached_plan(maxsize: int = 1024, **offsets: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache a planner, so that equal calls return the same plan object.

    Offsets are reduced to their residues before the lookup, so views at different offsets share
    plans. `offsets` maps each parameter that is an offset to the parameter with its item size; a
    parameter `operands` is a sequence of operands. Both kinds must be passed by position.
    """

    def cached(planner: Callable[P, R]) -> Callable[P, R]:
        names = list(inspect.signature(planner).parameters)
        pairs = [(names.index(name), names.index(size)) for name, size in offsets.items()]
        several = [names.index(name) for name in names if name == "operands"]
        lookup: Callable[..., R] = functools.lru_cache(maxsize)(planner)

        @functools.wraps(planner)
        def planned(*args: P.args, **options: P.kwargs) -> R:
            key: list[Any] = list(args)
            for at, size in pairs:
                key[at] %= QUAD_BYTES // key[size]
            for at in several:
                # Most operands start at a quad.
                key[at] = tuple(
                    [
                        each if each[1] * each[2] < QUAD_BYTES else Operand.residue(each)
                        for each in key[at]
                    ]
                )
            return lookup(*key, **options)

        return planned

    return cached
