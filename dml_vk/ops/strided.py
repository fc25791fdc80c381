"""Elements in device memory: a layout over an allocation, as every operation takes its operands."""

from __future__ import annotations

import functools
from typing import NamedTuple

from dml_vk.errors import DeviceError, LayoutError, explain
from dml_vk.layout import Layout
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.device import Device
from dml_vk.runtime.launch import Operand
from dml_vk.strides.order import Ints

MOST_ELEMENTS = 2**31  # that a kernel goes through: it counts in 32 bits


class Strided(NamedTuple):
    """Where the elements of one operand lie."""

    device: Device
    allocation: Allocation
    layout: Layout
    itemsize: int

    def over(self, layout: Layout) -> Strided:
        """The same memory under another layout."""
        return Strided(self.device, self.allocation, layout, self.itemsize)

    def operand(self, writes: bool) -> Operand:
        low, high = reach(self.layout.sizes, self.layout.strides)
        base, itemsize = self.layout.offset, self.itemsize
        return Operand(
            self.allocation,
            base * itemsize,
            (base + low) * itemsize,
            (base + high) * itemsize,
            writes,
        )

    def meets(self, other: Strided) -> bool:
        """The two may share bytes."""
        if self.allocation is not other.allocation:
            return False
        a, b = self.operand(False), other.operand(False)
        return a.low < b.high and b.low < a.high

    def check_fits(self, what: str, name: str) -> None:
        """Every element lies inside the allocation; views without elements may be anywhere."""
        if self.layout.numel and self.operand(False).high > self.allocation.nbytes:
            must = f"{name} must lie within its {self.allocation.nbytes} bytes of memory"
            raise LayoutError(explain(what, must, layout=self.layout, itemsize=self.itemsize))

    def check_count(self, what: str, name: str) -> None:
        """Kernels can count the elements, which where some are repeated may be any number."""
        if self.layout.numel > MOST_ELEMENTS:
            must = f"{name} must have at most 2**31 elements, repeated ones included"
            raise LayoutError(explain(what, must, shape=self.layout.sizes))

    def check_target(self, what: str, name: str) -> None:
        """No two elements share an address, so that a write means one thing."""
        if self.layout.overlaps:
            must = f"elements of {name} must not share an address"
            raise LayoutError(explain(what, must, **{name.removeprefix("the "): self.layout}))


def check_devices(what: str, **operands: Strided) -> None:
    """Operands, by their names in the call, are on one device."""
    devices = [operand.device for operand in operands.values()]
    if devices.count(devices[0]) < len(devices):
        named = dict(zip(operands, devices))
        raise DeviceError(explain(what, "operands must be on one device", **named))


def room(what: str, layout: Layout, itemsize: int, near: Strided) -> Strided:
    """New memory for the elements of a packed layout, best beside what it is used with."""
    allocation = near.device.allocate(what, layout.numel * itemsize, near.allocation)
    return Strided(near.device, allocation, layout, itemsize)


@functools.lru_cache(maxsize=4096)
def reach(sizes: Ints, strides: Ints) -> tuple[int, int]:
    """The half-open range of addresses, relative to the first element's, of a layout not empty."""
    low = high = 0
    for size, stride in zip(sizes, strides):
        if stride < 0:
            low += stride * (size - 1)
        else:
            high += stride * (size - 1)
    return low, high + 1
