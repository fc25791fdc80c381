"""What a captured function returns: arguments, tensors that it made, and anything else as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Any

from dml_vk.compiler.live_numbers import LiveArgument
from dml_vk.compiler.trees import Leaf, build, replace
from dml_vk.errors import CaptureError
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.capture import Capture, Placeholder


class Results:
    """The structure of what a function returns, and the tensors in it that it made."""

    def __init__(self, capture: Capture, arguments: Sequence[Tensor], result: object) -> None:
        """Take what a function returned that was given these tensors without values."""
        self.made: list[tuple[int, Spec]] = []  # slot and spec of each tensor
        self._capture = capture
        self._arguments = len(arguments)
        self._leaves = {id(x): Leaf(number) for number, x in enumerate(arguments)}
        self._arguments_returned: set[int] = set()  # their memory
        self._structure = replace(result, self._leaf)

    @property
    def slots(self) -> set[int]:
        """The memory of all tensors in it, which nothing else may take."""
        return {slot for slot, _ in self.made} | self._arguments_returned

    def build(self, arguments: Sequence[Tensor], tensors: Sequence[Tensor]) -> Any:
        """Return the same with the arguments of a call, and these tensors for those it made."""
        return build(self._structure, [*arguments, *tensors])

    def _leaf(self, x: object) -> object:
        if type(x) is LiveArgument:
            return x.pinned()
        if isinstance(x, (Iterator, AsyncIterator, Awaitable)):
            rule = "a compiled function must not return what computes later, such as a generator"
            raise CaptureError("compile", rule, result=type(x).__name__)
        if not isinstance(x, Tensor):
            return x
        memory = x.allocation
        if not isinstance(memory, Placeholder):
            return x  # from outside
        if id(x) in self._leaves:
            self._arguments_returned.add(memory.number)
            return self._leaves[id(x)]
        if not self._capture.has(memory):
            raise memory.used_late()
        self.made.append((memory.number, Spec.of(x.layout, x.dtype, x.device)))
        leaf = self._leaves[id(x)] = Leaf(self._arguments + len(self.made) - 1)
        return leaf
