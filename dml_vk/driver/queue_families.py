"""Which of a device's queue families can copy beside the kernels of another."""

from __future__ import annotations

from collections.abc import Iterable

from dml_vk.driver.vulkan import COMPUTE, QueueFamily

_GRAPHICS, _TRANSFER = 1, 4  # VkQueueFlagBits


def for_copies(families: Iterable[QueueFamily], unified: bool) -> int | None:
    """The family of a DMA engine, which has transfers but neither graphics nor compute.

    Video engines can copy too, so the one with the fewest other abilities is taken. There is no use
    for any where host and device share memory.
    """
    engines = [
        (family.flags.bit_count(), index)
        for index, family in enumerate(families)
        if family.flags & _TRANSFER and not family.flags & (_GRAPHICS | COMPUTE)
    ]
    return min(engines)[1] if engines and not unified else None
