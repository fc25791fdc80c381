"""Who does the work that functions ask for: a device, or what records it in the device's place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.runtime.arenas import Bytes, MemoryRange
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.hazards import Access

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.runtime.device_work import DeviceWork
    from dml_vk.tensor.core import Tensor

# Checks bytes that a device has computed. The function that it gets returns the memory that stands
# behind a slot, where the call was recorded.
Check = Callable[[Bytes, Callable[[MemoryRange], MemoryRange]], None]
Operands: TypeAlias = Sequence[object]  # tensors, numbers, and what an operation refuses
# Does an operation on its operands and `out`.
Do: TypeAlias = "Callable[[Operands, Tensor | None], Tensor]"
Source = TypeVar("Source")  # of a write: a view or a number


class Executor(Protocol):
    """Does work on one device, or records it."""

    def allocate(self, what: str, nbytes: int, near: MemoryRange | None = None) -> MemoryRange: ...

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None: ...

    def launch_new(
        self,
        what: str,
        plan: Plan,
        accesses: list[Access],
        span: tuple[int, int, int, bool],
        nbytes: int,
        params: Ints,
    ) -> MemoryRange: ...

    def launch_over(self, plan: Plan, accesses: Sequence[Access], params: Ints) -> None: ...

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None: ...

    def mapped(
        self, allocation: MemoryRange, write: bool, part: Access | None = None
    ) -> Bytes | None: ...

    def written(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]: ...

    def upload(self, data: Bytes, allocation: MemoryRange, start: int = 0) -> None: ...

    def download(self, allocation: MemoryRange, start: int, data: Bytes) -> None: ...

    def pieces(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> Iterator[tuple[int, Bytes]]: ...

    def verify(
        self,
        allocation: MemoryRange,
        start: int,
        nbytes: int,
        check: Check,
        shown: Sequence[Access] = (),
    ) -> None: ...


class Records(Executor, Protocol):
    """A recorder: it notes the work of a context on one device."""

    is_in_call: bool  # whether a public operation is being recorded, with all that it calls
    is_over: bool  # whether it records no longer
    notes_writes: bool  # whether `write` is to be asked for what is copied, converted or filled
    capture: Any  # that of a program, if this work becomes part of one, or None

    def on(self, device: DeviceWork) -> Executor:
        """Return what records work on this device; an error if it is another one."""

    def operation(
        self,
        function: Callable[..., Tensor],
        params: tuple[object, ...],
        do: Do,
        operands: Operands,
        out: Tensor | None,
    ) -> Tensor:
        """Return `do(operands, out)`, and note it as a public operation and its steps."""

    def write(self, do: Callable[[Source, View], None], source: Source, target: View) -> None:
        """Call `do` on these: it writes the elements of a view, or a number, to another view."""

    def whole(
        self,
        function: Callable[..., object],
        params: tuple[object, ...],
        operands: Operands,
        out: Tensor | None,
    ) -> Any:
        """Do a function whose result or results are noted as those of one operation."""

    def claim(self, own: Callable[[], Ints]) -> Ints:
        """Return the words of a generator's state that `own` returns, or did before."""
