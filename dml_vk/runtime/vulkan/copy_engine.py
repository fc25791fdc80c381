"""The queue of a DMA engine, which copies beside the kernels of the other queue."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.runtime.interface import Copy
from dml_vk.runtime.vulkan.driver_queue import TRANSFER, DriverQueue
from dml_vk.runtime.vulkan.fence import Fence
from dml_vk.runtime.vulkan.opened import Opened
from dml_vk.runtime.vulkan.recording import Recorder, Ticket


class CopyEngine:
    """Records copies, and keeps them in order with the device's other queue."""

    def __init__(self, opened: Opened, others: DriverQueue) -> None:
        assert opened.copy_family is not None
        self._opened, self._others = opened, others
        self._queue = DriverQueue(opened, opened.copy_family, TRANSFER)
        self._recorder = Recorder(opened, self._queue)

    def record(self, commands: Sequence[Copy]) -> Ticket[Fence]:
        self._opened.check_alive()
        return self._recorder.record(commands)

    def follow(self) -> None:
        self._opened.check_alive()
        self._queue.follow(self._others)

    def precede(self) -> None:
        self._opened.check_alive()
        self._others.follow(self._queue)
