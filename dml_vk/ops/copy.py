"""Copy: any layout to any layout of the same sizes."""

from __future__ import annotations

from dml_vk.errors import LayoutError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.layout import Layout
from dml_vk.observe.copies import record
from dml_vk.ops.noted import tape
from dml_vk.ops.view import View, access, check_devices, check_target, overlap, temporary


def copy_elements(what: str, source: View, target: View, reason: str | None = None) -> None:
    """Write each source element to the target element with the same index.

    If the two share memory, the source is read before the target is written. With a reason the
    copy is recorded in the trace; without one it is how an operation writes its result.
    """
    check_devices(what, source=source, target=target)
    if source.layout.sizes != target.layout.sizes:
        raise LayoutError(
            what,
            "source and target must have equal sizes: copy does not broadcast",
            source=source.layout.sizes,
            target=target.layout.sizes,
        )
    check_target(what, target, "target")
    if not target.layout.numel:
        return
    meets = overlap(source, target)
    if meets and same_addresses(source.layout, target.layout):
        return
    if reason is not None:
        nbytes = target.layout.numel * target.dtype.itemsize
        record(what, reason, source.layout, target.layout, nbytes)
    _launch(copied(what, source, "overlap") if meets else source, target)


def same_addresses(a: Layout, b: Layout) -> bool:
    """Whether two layouts have the same offset and strides, whatever their sizes."""
    return a.offset == b.offset and a.strides == b.strides


def copied(what: str, source: View, reason: str = "layout") -> View:
    """Copy the elements to a temporary.

    The reason is for the trace: "overlap" of operand and result, a "layout" that kernels do not
    support, or the "host", which needs packed elements.
    """
    layout = Layout.packed(source.layout.sizes, source.layout.order)
    record(what, reason, source.layout, layout, layout.numel * source.dtype.itemsize)
    target = temporary(what, layout, source.dtype, source)
    _launch(source, target)
    return target


def copy_if_overlapping(what: str, source: View, target: View, *, in_place: bool = False) -> View:
    """Return the source, or a copy of it if it shares memory with the target.

    With `in_place`, no copy is made if each element is at the address of its result.
    """
    if not overlap(source, target):
        return source
    a, b = source.layout, target.layout
    matches = source.dtype.itemsize == target.dtype.itemsize and a.sizes == b.sizes
    if in_place and matches and same_addresses(a, b):
        return source
    return copied(what, source, "overlap")


def _launch(source: View, target: View) -> None:
    if (noting := tape()) is not None:
        noting.write(_launch, source, target)
        return
    a, b = source.layout, target.layout
    device = source.device
    plan = plan_copy(
        a.sizes, a.strides, b.strides, source.dtype.itemsize, a.offset, b.offset, device.profile
    )
    device.launch(plan, (access(source, False), access(target, True)))
