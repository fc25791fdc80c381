"""Tensors with sentinels round them, and what NumPy says ought to be in them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

import dml_vk
from dml_vk.kernels.codegen import library
from dml_vk.kernels.plan.base import Plan
from dml_vk.layout import Layout
from dml_vk.spirv import interface
from tests import tier
from tests.chance import chance

Case = TypeVar("Case")

WIDE = np.dtype([("low", np.uint64), ("high", np.uint64)])  # NumPy has no integers of 128 bits
KINDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: WIDE}
ITEMSIZES = (1, 2, 4, 8)
MARGIN = 5  # elements on either side of what a layout reaches; prime to the words of every size
QUAD = 16 - MARGIN  # the offset that puts elements of any size at a multiple of 16 bytes


def aligned(*sizes: int) -> Layout:
    """Starts where a quad does, with the margin in front that elements get here."""
    return Layout(sizes, offset=QUAD)


def moved(layout: Layout, elements: int) -> Layout:
    return Layout(layout.sizes, layout.strides, layout.offset + elements, layout.order)


def memory_for(layout: Layout, itemsize: int) -> tuple[np.ndarray, Layout]:
    """Random elements, and the layout moved so that there are sentinels on both sides."""
    top = layout.offset + sum(
        max(0, s) * (n - 1) for n, s in zip(layout.sizes, layout.strides) if n
    )
    nbytes = (max(top, 0) + 1 + 2 * MARGIN) * itemsize
    random = chance().integers(0, 256, nbytes, np.uint8).view(KINDS[itemsize])
    return random, Layout(layout.sizes, layout.strides, layout.offset + MARGIN, layout.order)


def elements(memory: np.ndarray, layout: Layout) -> np.ndarray:
    """The layout over memory, as NumPy sees it."""
    size = memory.itemsize
    strides = [stride * size for stride in layout.strides]
    return np.ndarray(layout.sizes, memory.dtype, memory, layout.offset * size, strides)


def bits(values: np.ndarray) -> np.ndarray:
    """The elements as unsigned integers, so that every NaN and either zero equals only itself."""
    return np.asarray(values).view(KINDS[values.itemsize])


def check_writes(call, layout: Layout, itemsize: int, expected: np.ndarray) -> None:
    """`call(tensor)` writes `expected` to the layout's elements, and not one bit beside them."""
    memory, layout = memory_for(layout, itemsize)
    tensor = dml_vk.asarray(memory.view(np.complex128) if itemsize == 16 else memory)
    call(tensor.over(layout))
    elements(memory, layout)[...] = expected
    found = tensor.numpy().view(memory.dtype)
    if not np.array_equal(found, memory):
        at = np.flatnonzero(found != memory)
        raise AssertionError(
            f"{layout!r}: {at.size} wrong, first at {at[:5]}: {found[at[:5]]} for {memory[at[:5]]}"
        )


def used_by(plans) -> dict[str, set[tuple[int, ...]]]:
    """Module -> the specializations of it that these plans use."""
    used: dict[str, set[tuple[int, ...]]] = {}
    for plan in plans:
        used.setdefault(plan.module, set()).add(plan.spec)
    return used


@functools.cache
def switches(module: str) -> dict[int, str]:
    """The constants that choose how a module reads and writes: their numbers, and names."""
    return {
        constant.number: constant.name
        for constant in interface.read(library.load(module)).spec
        # These have so many bits for each source.
        if constant.type == "bool" or constant.name in ("STEPS", "SRC_QUADS", "READS")
    }


def told_by(plan: Plan | None) -> set[Any]:
    """Its module, and each pair of values of the module's switches."""
    if plan is None or not plan.spec:  # of several launches, or without a kernel
        return {plan and plan.module}
    values = [(number, plan.spec[number]) for number in switches(plan.module)]
    return {(plan.module, *pair) for pair in itertools.combinations(values, min(2, len(values)))}


def telling(cases: Iterable[Case], plan_of: Callable[[Case], Plan | None]) -> list[Case]:
    """Cases that use as many modules and pairs of their switches as all do; with --all, all."""
    every = list(cases)
    if tier.is_all():
        return every
    told = {case: told_by(plan_of(case)) for case in every}
    wanted, chosen = set().union(*told.values()), set()
    while wanted:
        best = max(told, key=lambda case: len(told[case] & wanted))
        chosen.add(best)
        wanted -= told[best]
    tier.leave_out(len(every) - len(chosen))
    return [case for case in every if case in chosen]


def assert_complete(used, kernel, never=()) -> None:
    """Every module of the kernel was used, with both values of every switch and every step.

    `never` has what cannot occur: (module, constant, value).
    """
    profile = dml_vk.device().profile
    one_quad = profile.quads_per_unit == 1
    for module in kernel.modules:
        if one_quad and module.endswith("words_128"):  # A unit is one element: nothing is left.
            never = {*never, (module, "EDGES", 1)}
        for number, name in switches(module).items():  # of one source here
            values = {0, 1, 2} if name == "STEPS" else {0, 1}
            seen = {spec[number] for spec in used.get(module, ())}
            values -= {value for value in values if (module, name, value) in never}
            if profile.coalesces and "_words_" in module and name != "STEPS":
                values &= seen  # Lanes share all quads, as far as there are any.
            assert seen == values, (module, name, seen)
