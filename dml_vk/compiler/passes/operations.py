"""Operations of a captured function that could be done in another memory format, and how."""

from __future__ import annotations

from collections.abc import Iterable

from dml_vk.arguments import Ints
from dml_vk.layout import Layout, MemoryFormat, channels_last, contiguous_format
from dml_vk.strides.order import CHANNELS_LAST
from dml_vk.tensor.core import Tensor
from dml_vk.tracing.capture import Capture
from dml_vk.tracing.formats import formats_of
from dml_vk.tracing.step import Launch, Operation, Step, Upload, Verify

FORMATS: tuple[MemoryFormat, MemoryFormat] = (contiguous_format, channels_last)  # by label


def items_of(capture: Capture) -> list[Operation | Step]:
    """All steps in order, those of operations together."""
    items: list[Operation | Step] = []
    done = 0
    for operation in capture.operations:
        items += capture.steps[done : operation.begin]
        items.append(operation)
        done = operation.begin + len(operation.steps)
    return [*items, *capture.steps[done:]]


def flexible(operation: Operation) -> Ints:
    """The indexes of the operands whose format an operation may choose.

    There are none if it cannot be repeated on other memory.
    """
    rule = formats_of(operation.function).flexible
    if not (
        rule and operation.is_known and all(isinstance(step, Launch) for step in operation.steps)
    ):
        return ()
    if _holds_layout(operation.params):
        return ()
    indexes = [k for k, x in enumerate(operation.operands) if isinstance(x, Tensor)]
    if rule == "first":
        indexes = indexes[:1]
    else:
        rank = max([operation.operands[k].ndim for k in indexes], default=0)
        indexes = [k for k in indexes if operation.operands[k].ndim == rank]
        indexes = [k for k in indexes if not _repeats(operation.operands[k])]
    chosen = [operation.operands[k] for k in indexes]
    known = all(x.ndim in CHANNELS_LAST and label_of(x.layout) is not None for x in chosen)
    return tuple(indexes) if known else ()


def is_of_images(operation: Operation) -> bool:
    """Whether a format may be asked for."""
    return formats_of(operation.function).images


def weight_of(operation: Operation) -> int | None:
    """The operand that is a weight, if it may be channels_last but is not."""
    weight = formats_of(operation.function).weight
    is_other = weight is not None and label_of(operation.operands[weight].layout) == 0
    return weight if is_other else None


def touched(step: Step) -> list[tuple[int, bool]]:
    """The slots that a step uses, and whether it writes them."""
    if isinstance(step, Launch):
        return [(access.slot, access.writes) for access in step.accesses]
    shown = step.shown if isinstance(step, Verify) else ()
    return [(step.slot, isinstance(step, Upload)), *[(access.slot, False) for access in shown]]


def label_of(layout: Layout) -> int | None:
    """0 for an order that is row-major, 1 for channels_last, else None."""
    if layout.order == CHANNELS_LAST.get(layout.rank):
        return 1
    return 0 if layout.memory_format is contiguous_format else None


def _repeats(x: Tensor) -> bool:
    return any(stride == 0 and size > 1 for size, stride in zip(x.shape, x.strides))


def _holds_layout(params: Iterable[object]) -> bool:
    return any(
        isinstance(value, Layout) or (isinstance(value, tuple) and _holds_layout(value))
        for value in params
    )
