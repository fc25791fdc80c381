"""Elementwise: one operator over the elements at the same index, whatever the layouts."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.operators import OPCODES, OPERATORS, Operator, cast_way
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.plan_computed import plan_computed
from dml_vk.kernels.registry import COMPUTED
from dml_vk.layout import Layout
from dml_vk.ops.copy import apart
from dml_vk.ops.fill import to_bytes
from dml_vk.ops.strided import Strided, room
from dml_vk.runtime.launch import Operand
from dml_vk.runtime.transfer import upload
from dml_vk.strides.order import Ints
from dml_vk.tracing import record

# What may come before an operator, glsl/fused_head.glsl; of `round`, that halves go away from zero.
SCALED, ADDED, AWAY = 1, 2, 3


class Typed(NamedTuple):
    """Elements, and what they are."""

    strided: Strided
    dtype: DType

    def over(self, layout: Layout) -> Typed:
        """The same memory under another layout."""
        return Typed(self.strided.over(layout), self.dtype)


def compute(
    what: str,
    operator: Operator,
    sources: Sequence[Typed | None],
    target: Typed,
    common: DType,
    scalars: Ints = (),
    before: int = 0,
) -> Plan | None:
    """Write what the operator makes of each index's elements, computed in `common`, to the target.

    The plan comes back where it would do again for such operands, if they are not in each other's
    way.

    Sources are repeated along dims that they lack or have once. None is a scalar: `scalars` are the
    words that the kernel is told. A source that shares memory with the target is read as if the
    target were written afterwards.
    """
    to = target.strided
    to.check_target(what, "out")
    if not to.layout.numel:
        return None
    kernel, count, opcode = _kernel(operator, common)
    told, typed = 0, []  # a bit for each that is a scalar, or is not there
    for k, source in enumerate((*sources, None, None)[:count]):
        told |= (source is None) << k
        typed.append(target if source is None else apart_typed(what, source, to, in_place=True))
    if kernel == "cast":
        opcode = cast_way(typed[0].dtype, target.dtype)
    spec = (
        *(opcode, before, told, target.dtype.code, common.code),
        *[source.dtype.code for source in typed],
    )
    operands = _operands(typed, target, told)
    plan = plan_computed(kernel, to.layout.sizes, operands, spec, to.device.limits)
    if plan.shares_words and any(
        source.strided.meets(to) for k, source in enumerate(typed) if not told >> k & 1
    ):
        # What one invocation reads would be in a word that another one changes.
        typed = [
            source if told >> k & 1 else apart_typed(what, source, to)
            for k, source in enumerate(typed)
        ]
        operands = _operands(typed, target, told)
        plan = plan_computed(kernel, to.layout.sizes, operands, spec, to.device.limits)
    arguments, again = None, plan
    if plan.arguments:
        arguments = _arguments(what, plan, to)
        if arguments is None:
            plan = plan_computed(
                kernel, to.layout.sizes, operands, spec, to.device.limits, arguments=False
            )
    reads = [source.strided.operand(False) for source in typed]
    words = (*scalars, *(0,) * (SCALAR_WORDS[count] - len(scalars)))
    to.device.queue.launch(plan, (*reads, to.operand(True)), words, arguments)
    moved = any(one is not source for one, source in zip(typed, sources) if source is not None)
    return None if plan.arguments or moved or plan is not again else plan


def apart_typed(what: str, source: Typed, target: Strided, *, in_place: bool = False) -> Typed:
    """The source as it is before the target is written: `dml_vk.ops.copy.apart`."""
    strided = apart(what, source.strided, target, in_place=in_place)
    return source if strided is source.strided else Typed(strided, source.dtype)


def typed_room(what: str, layout: Layout, dtype: DType, near: Strided) -> Typed:
    """New memory for the elements of a packed layout."""
    return Typed(room(what, layout, dtype.itemsize, near), dtype)


def room_like(what: str, like: Typed, dtype: DType) -> Typed:
    """New memory for as many elements of another dtype, in the same order."""
    own = like.strided.layout
    return typed_room(what, Layout.packed(own.sizes, own.order), dtype, like.strided)


def converted(what: str, source: Typed, dtype: DType) -> Typed:
    """The same numbers in a dtype that an operation reads, if they are not in it already."""
    if source.dtype is dtype:
        return source
    made = room_like(what, source, dtype)
    nbytes = made.strided.layout.numel * dtype.itemsize
    record(what, "dtype", source.strided.layout, made.strided.layout, nbytes)
    cast_elements(what, source, made)
    return made


def cast_elements(what: str, source: Typed, target: Typed) -> Plan | None:
    """Write each element as the nearest one of the target's dtype: docs/operators.md."""
    return compute(what, OPERATORS["cast"], [source], target, target.dtype)


def scalar_words(what: str, name: str, dtype: DType, value: Any) -> Ints:
    """A number as kernels that compute in this dtype are told it."""
    data = to_bytes(what, name, dtype, value)
    if dtype.itemsize == 8:
        return struct.unpack("<2I", data)
    if dtype.name == "float16":
        return struct.unpack("<I", struct.pack("<f", *struct.unpack("<e", data)))
    return (int.from_bytes(data, "little", signed=dtype.kind == "i") & 0xFFFFFFFF,)


def element_words(what: str, name: str, dtype: DType, value: Any) -> Ints:
    """A number as the bits of an element, for kernels that do not compute."""
    data = to_bytes(what, name, dtype, value)
    return struct.unpack(f"<{-(-len(data) // 4)}I", data + bytes(-len(data) % 4))


def float_words(*values: float) -> Ints:
    """Numbers rounded to float32, as words."""
    with np.errstate(over="ignore"):
        return tuple(np.array(values, np.float32).view(np.uint32).tolist())


def _arguments(what: str, plan: Plan, target: Strided) -> Operand | None:
    """The plan's arguments in the target's arena; None if that has no room for them."""
    device, words = target.device, np.array(plan.arguments, np.uint32)
    allocation = device.allocate(what, words.nbytes, target.allocation)
    if allocation.arena is not target.allocation.arena:
        return None
    upload(device, words.view(np.uint8), allocation)
    return Operand(allocation, 0, 0, words.nbytes, False)


@functools.lru_cache(maxsize=1024)
def _kernel(operator: Operator, common: DType) -> tuple[str, int, int]:
    """What computes it, of how many sources, and what it is called there."""
    kernel = operator.kernel(common)
    return kernel, COMPUTED[kernel][0], int(OPCODES[operator.opcode])


def _operands(sources: Sequence[Typed], target: Typed, scalars: int) -> list[tuple[Ints, int, int]]:
    """(strides over the target's sizes, offset, item size) of all; `scalars` has a bit for each."""
    sizes = target.strided.layout.sizes
    nowhere = (0,) * len(sizes), 0
    return [
        (*(nowhere if scalars >> k & 1 else _over(one.strided, sizes)), one.dtype.itemsize)
        for k, one in enumerate((*sources, target))
    ]


def _over(strided: Strided, sizes: Ints) -> tuple[Ints, int]:
    """(strides, offset) of an operand repeated over more dims."""
    layout = strided.layout
    if layout.sizes == sizes:
        return layout.strides, layout.offset
    return _repeated(layout.sizes, layout.strides, sizes), layout.offset


@functools.lru_cache(maxsize=4096)
def _repeated(own: Ints, strides: Ints, sizes: Ints) -> Ints:
    kept = [0 if size == 1 else stride for size, stride in zip(own, strides)]
    return (0,) * (len(sizes) - len(own)) + tuple(kept)
