"""Operations of a captured function that could be done in another memory format, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.layout import Layout, MemoryFormat, channels_last, contiguous_format
from dml_vk.observe.callers import Caller
from dml_vk.observe.copies import Copy, collected, record
from dml_vk.strides.order import CHANNELS_LAST
from dml_vk.tensor.core import Tensor
from dml_vk.tracing.capture import Capture, Step, Upload, Work

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


@dataclass(frozen=True, eq=False)
class Operation:
    """A call and its steps; `do` does it on other operands, and `out` or None."""

    do: Callable[[Sequence[Any], Any], Tensor]
    operands: tuple[Any, ...]
    out: Tensor | None
    result: Tensor
    steps: tuple[Step, ...]
    copies: Sequence[Copy]
    flexible: Ints  # which operands may be in another format; none if the call cannot be repeated
    is_of_images: bool
    has_weight: bool  # operand 1, which may be channels_last but is not

    @property
    def caller(self) -> Caller:
        return next(one.caller for one in self.steps if isinstance(one, Work))


class Watch:
    """What a captured function does, with the operations that it consists of."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._operations: list[tuple[int, Operation]] = []  # and where each begins

    def __call__(
        self,
        function: Any,
        params: tuple[Any, ...],
        do: Callable[[Sequence[Any], Any], Tensor],
        operands: Sequence[Any],
        out: Any,
    ) -> Tensor:
        """Do a call, and note it."""
        capture = self._capture
        begin, slots = len(capture.steps), len(capture.slots)
        result, copies = collected(lambda: do(operands, out))
        for copy in copies:
            record(*copy)
        steps = tuple(capture.steps[begin:])
        if steps:
            known = out is not None or getattr(result.allocation, "number", -1) >= slots
            launches = all(isinstance(one, Work) for one in steps)
            flexible = _flexible(function, params, operands) if known and launches else ()
            of_images = bool(flexible) and function.__module__ in _OF_IMAGES
            weighs = bool(flexible) and function.__module__ in _WITH_WEIGHT
            weighs = weighs and label_of(operands[1].layout) == 0
            noted = tuple(operands), out, result, steps, copies, flexible, of_images, weighs
            self._operations.append((begin, Operation(do, *noted)))
        return result

    def items(self) -> list[Operation | Step]:
        """All steps in order, those of operations together."""
        found: list[Operation | Step] = []
        done = 0
        for begin, one in self._operations:
            found += self._capture.steps[done:begin]
            found.append(one)
            done = begin + len(one.steps)
        return [*found, *self._capture.steps[done:]]


def touched(step: Step) -> list[tuple[int, bool]]:
    """The slots that a step uses, and whether it writes them."""
    if isinstance(step, Work):
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
