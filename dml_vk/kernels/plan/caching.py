"""Caching of plans, with offsets reduced to their alignment."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from dml_vk.kernels.plan.tasks import QUAD_BYTES

P = ParamSpec("P")
R = TypeVar("R")


def cached_plan(maxsize: int = 1024, **offsets: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache a planner, so that equal calls return the same plan object.

    A plan depends on an offset only through its position within a quad. So offsets are reduced
    modulo a quad before the lookup, and views at different offsets share plans. `offsets` maps each
    parameter that is an offset to the parameter with its item size; an `operands` parameter is a
    sequence of (strides, offset, item size). Both kinds must be passed by position.
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
                key[at] = tuple(
                    [
                        (strides, offset % (QUAD_BYTES // itemsize), itemsize)
                        for strides, offset, itemsize in key[at]
                    ]
                )
            return lookup(*key, **options)

        return planned

    return cached
