"""Copy: any layout to any layout of the same sizes."""

from __future__ import annotations

from dml_vk.errors import LayoutError, explain
from dml_vk.kernels.plan_copy import plan_copy
from dml_vk.layout import Layout
from dml_vk.ops.strided import Strided, check_devices, room
from dml_vk.tracing import record


def copy_elements(what: str, source: Strided, target: Strided, reason: str | None = None) -> None:
    """Write each source element to the target element with the same index.

    Where the two share memory, as if through a temporary. With a reason it is a copy that the trace
    shows; else it is how an operation writes its result.
    """
    check_devices(what, source=source, target=target)
    if source.layout.sizes != target.layout.sizes:
        raise LayoutError(
            explain(
                what,
                "source and target must have equal sizes, for a copy does not expand",
                source=source.layout.sizes,
                target=target.layout.sizes,
            )
        )
    target.check_target(what, "target")
    if not target.layout.numel:
        return
    meets = source.meets(target)
    if meets and same_addresses(source.layout, target.layout):
        return
    if reason is not None:
        nbytes = target.layout.numel * target.itemsize
        record(what, reason, source.layout, target.layout, nbytes)
    _launch(copied(what, source, "overlap") if meets else source, target)


def same_addresses(a: Layout, b: Layout) -> bool:
    """Where each index lies, apart from sizes."""
    return a.offset == b.offset and a.strides == b.strides


def copied(what: str, source: Strided, reason: str = "layout") -> Strided:
    """The same elements in memory of their own, for as long as somebody still needs them.

    The reason is why: "overlap" of operand and result, a "layout" that a kernel does not take, or
    the "host" that wants it without gaps.
    """
    layout = Layout.packed(source.layout.sizes, source.layout.order)
    record(what, reason, source.layout, layout, layout.numel * source.itemsize)
    target = room(what, layout, source.itemsize, source)
    _launch(source, target)
    return target


def apart(what: str, source: Strided, target: Strided, *, in_place: bool = False) -> Strided:
    """The source as it is before the target is written: a copy where the two share memory.

    Unless, `in_place`, each element lies just where its result goes.
    """
    if not source.meets(target):
        return source
    a, b = source.layout, target.layout
    alike = source.itemsize == target.itemsize and a.sizes == b.sizes
    if in_place and alike and same_addresses(a, b):
        return source
    return copied(what, source, "overlap")


def _launch(source: Strided, target: Strided) -> None:
    a, b = source.layout, target.layout
    device = source.device
    plan = plan_copy(
        a.sizes, a.strides, b.strides, source.itemsize, a.offset, b.offset, device.limits
    )
    device.queue.launch(plan, (source.operand(False), target.operand(True)))
