"""What the module of a kernel is made from: a shipped one, or several."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels import registry
from dml_vk.kernels.codegen import chained, inlined, library, nodes
from dml_vk.kernels.plan.chain import Inlined, Recipe


class Source(NamedTuple):
    """Shipped modules, and how to make one of them."""

    modules: tuple[str, ...]
    checks: frozenset[str]  # whose operations of a device it depends on, by dtype
    make: Callable[[int, bool], bytes]  # with these operations; whether loops are unrolled


def source_of(module: str | Recipe | Inlined, spec: Ints) -> Source:
    """Where a kernel of ours with these constants comes from."""
    if isinstance(module, Recipe):
        return Source(
            nodes.modules_of(module.nodes),
            nodes.checks_of(module.nodes),
            lambda native, unrolls: chained.built(module, native, unrolls),
        )
    if isinstance(module, Inlined):
        return Source(
            inlined.modules_of(module),
            inlined.checks_of(module),
            lambda native, unrolls: inlined.built(module, native, unrolls),
        )
    checks = registry.checks_of(module, registry.constants_from_op(module, spec))

    def load(native: int, unrolls: bool) -> bytes:
        more = (native,) if module in registry.NATIVE_MODULES else ()
        return library.load_for(module, (*spec, *more), unrolls=unrolls)

    return Source((module,), frozenset(checks), load)
