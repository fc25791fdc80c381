"""Operations of a captured function that could be done in another memory format, and how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.layout import Layout, MemoryFormat, channels_last, contiguous_format
from dml_vk.strides.order import CHANNELS_LAST
from dml_vk.tensor.core import Tensor
from dml_vk.tracing.capture import Capture
from dml_vk.tracing.step import Launch, Operation, Step, Upload

FORMATS: tuple[MemoryFormat, MemoryFormat] = (contiguous_format, channels_last)  # by label

# Where functions are that depend on nothing of their operands' layouts but through the operands.
_OF_NETWORKS = "dml_vk.nn."
_OF_ARRAYS = frozenset(
    f"dml_vk.array.{name}"
    for name in ("elementwise", "statistics", "moments", "manipulation", "padding")
)
# Of networks, those that are of images, for which a format may be asked for: norms and activations
# go along with these. And those whose next operand is a weight, which is read faster in
# channels_last.
_OF_IMAGES = frozenset(
    f"{_OF_NETWORKS}{name}"
    for name in (
        *("conv", "conv_integer", "conv_transpose", "pooling", "resampling", "responses"),
        "shuffling",
    )
)
_WITH_WEIGHT = frozenset(f"{_OF_NETWORKS}{name}" for name in ("conv", "conv_transpose"))


def items_of(capture: Capture) -> list[Operation | Step]:
    """All steps in order, those of operations together."""
    found: list[Operation | Step] = []
    done = 0
    for one in capture.operations:
        found += capture.steps[done : one.begin]
        found.append(one)
        done = one.begin + len(one.steps)
    return [*found, *capture.steps[done:]]


def flexible(one: Operation) -> Ints:
    """The indexes of the operands whose format an operation may choose.

    There are none if it cannot be repeated on other memory.
    """
    if not (one.is_known and all(isinstance(step, Launch) for step in one.steps)):
        return ()
    return _flexible(one.function, one.params, one.operands)


def is_of_images(one: Operation) -> bool:
    """Whether a format may be asked for."""
    return one.function.__module__ in _OF_IMAGES


def has_weight(one: Operation) -> bool:
    """Whether operand 1 is a weight that may be channels_last but is not."""
    return one.function.__module__ in _WITH_WEIGHT and label_of(one.operands[1].layout) == 0


def touched(step: Step) -> list[tuple[int, bool]]:
    """The slots that a step uses, and whether it writes them."""
    if isinstance(step, Launch):
        return [(one.slot, one.writes) for one in step.accesses]
    return [(step.slot, isinstance(step, Upload))]


def label_of(layout: Layout) -> int | None:
    """0 for an order that is row-major, 1 for channels_last, else None."""
    if layout.order == CHANNELS_LAST.get(layout.rank):
        return 1
    return 0 if layout.memory_format is contiguous_format else None


def _flexible(function: Any, params: Iterable[Any], operands: Sequence[Any]) -> Ints:
    """The numbers of the operands whose format a call may choose."""
    module = function.__module__
    tensors = [k for k, one in enumerate(operands) if isinstance(one, Tensor)]
    if _holds_layout(params):
        return ()
    if module.startswith(_OF_NETWORKS):
        found = tensors[:1]  # the others are weights
    elif module in _OF_ARRAYS:
        rank = max([operands[k].ndim for k in tensors], default=0)
        found = [k for k in tensors if operands[k].ndim == rank and not _repeats(operands[k])]
    else:
        return ()
    given = [operands[k] for k in found]
    known = all(x.ndim in CHANNELS_LAST and label_of(x.layout) is not None for x in given)
    return tuple(found) if known else ()


def _repeats(x: Tensor) -> bool:
    return any(stride == 0 and size > 1 for size, stride in zip(x.shape, x.strides))


def _holds_layout(params: Iterable[Any]) -> bool:
    return any(
        isinstance(one, Layout) or (isinstance(one, tuple) and _holds_layout(one)) for one in params
    )
