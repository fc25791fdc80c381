"""Views of elements in device memory: the operands of operations."""

from __future__ import annotations

import functools

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.errors import ONE_DEVICE, DeviceError, LayoutError
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.hazards import Access

MOST_ELEMENTS = 2**31  # of one launch: kernels count in 32 bits


class View:
    """Memory, and the layout and dtype of the elements in it. Tensors are views too."""

    __slots__ = ("_allocation", "_device", "_dtype", "_layout")

    def __init__(
        self, device: Device, allocation: MemoryRange, layout: Layout, dtype: DType
    ) -> None:
        self._device = device
        self._allocation = allocation
        self._layout = layout
        self._dtype = dtype

    @property
    def allocation(self) -> MemoryRange:
        """The memory, from whose start the layout's addresses count."""
        return self._allocation

    @property
    def device(self) -> Device:
        return self._device

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def layout(self) -> Layout:
        return self._layout


def with_layout(view: View, layout: Layout) -> View:
    """Return the same memory with another layout, which must lie within it."""
    return View(view.device, view.allocation, layout, view.dtype)


def with_dtype(view: View, dtype: DType) -> View:
    """Return the same bits as elements of another dtype of the same size."""
    return View(view.device, view.allocation, view.layout, dtype)


def temporary(what: str, layout: Layout, dtype: DType, near: View) -> View:
    """Allocate memory for a packed layout, if possible in the arena of `near`."""
    nbytes = layout.numel * dtype.itemsize
    return View(near.device, near.device.allocate(what, nbytes, near.allocation), layout, dtype)


def temporary_like(what: str, view: View, dtype: DType) -> View:
    """Allocate memory for as many elements of another dtype, packed in the same order."""
    return temporary(what, Layout.packed(view.layout.sizes, view.layout.order), dtype, view)


def access(view: View, writes: bool) -> Access:
    """Return the access of a kernel that reads or writes all elements."""
    layout, itemsize = view.layout, view.dtype.itemsize
    low, high = reach(layout.sizes, layout.strides)
    base = layout.offset
    return Access.of(
        view.allocation,
        base * itemsize,
        (base + low) * itemsize,
        (base + high) * itemsize,
        writes,
    )


def operand(view: View, strides: Ints | None = None) -> Operand:
    """Return the elements as planners see them, with strides of their own or others."""
    layout = view.layout
    own = layout.strides if strides is None else strides
    # Faster than a call of the class.
    return tuple.__new__(Operand, (own, layout.offset, view.dtype.itemsize))


def overlap(a: View, b: View) -> bool:
    """Whether the two may share bytes."""
    if a.allocation is not b.allocation:
        return False
    first, second = access(a, False), access(b, False)
    return first.low < second.high and second.low < first.high


def held_bytes(view: View) -> int:
    """Return how many bytes of memory elements take: broadcast ones are there once."""
    low, high = reach(view.layout.sizes, view.layout.strides)
    return min(view.layout.numel, high - low) * view.dtype.itemsize


def allocation_bytes(layout: Layout, dtype: DType) -> int:
    """Return the number of bytes that the elements of a layout span."""
    low, high = reach(layout.sizes, layout.strides)
    return (high - low) * dtype.itemsize if layout.numel else 0


def check_fits(what: str, view: View, name: str) -> None:
    """Check that every element lies inside the memory; views without elements may be anywhere."""
    layout, itemsize, nbytes = view.layout, view.dtype.itemsize, view.allocation.nbytes
    _, high = reach(layout.sizes, layout.strides)
    if layout.numel and (layout.offset + high) * itemsize > nbytes:
        rule = f"{name} must lie within its {nbytes} bytes of memory"
        raise LayoutError(what, rule, layout=layout, itemsize=itemsize)


def check_count(what: str, view: View, name: str) -> None:
    """Check that kernels can count the elements: broadcast ones may be any number."""
    if view.layout.numel > MOST_ELEMENTS:
        rule = f"{name} must have at most 2**31 elements, counting broadcast ones"
        raise LayoutError(what, rule, shape=view.layout.sizes)


READ_ONLY = (
    "must not be read-only, as imaginary parts of real tensors and what a pullback needs are"
)


def check_target(what: str, view: View, name: str) -> None:
    """Check that this can be written to, and that no two elements share an address."""
    if view.allocation.is_fixed:
        raise LayoutError(what, f"{name} {READ_ONLY}", shape=view.layout.sizes)
    if view.layout.overlaps:
        rule = f"{name} has overlapping elements"
        raise LayoutError(what, rule, **{name.removeprefix("the "): view.layout})


def check_devices(what: str, **operands: View) -> None:
    """Check that operands, by their names in the call, are on one device."""
    devices = [operand.device for operand in operands.values()]
    if devices.count(devices[0]) < len(devices):
        named = dict(zip(operands, devices))
        raise DeviceError(what, ONE_DEVICE, **named)


@functools.lru_cache(maxsize=4096)
def reach(sizes: Ints, strides: Ints) -> tuple[int, int]:
    """Return the half-open address range of a nonempty layout, relative to its first element."""
    low = high = 0
    for size, stride in zip(sizes, strides):
        if stride < 0:
            low += stride * (size - 1)
        else:
            high += stride * (size - 1)
    return low, high + 1


def used_strides(layout: Layout) -> Ints:
    """The strides; 0 where it is never multiplied, which spares plans."""
    return tuple([0 if size == 1 else step for size, step in zip(layout.sizes, layout.strides)])
