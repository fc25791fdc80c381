"""Elements that are computed from their indexes, in any layout."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.indexed import plan_indexed
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.view import View, access, temporary


def write_indexed(
    what: str,
    kernel: str,
    kind: str,
    target: View,
    words: Ints,
    *,
    first: int = 0,
    whole: Ints = (),
    sources: tuple[View, ...] = (),
    constants: tuple[tuple[str, int], ...] = (),
) -> None:
    """Make elements of their indexes, with a kernel that takes the params `words` and `sources`.

    If they are part of an array of the sizes `whole`, indexes are those there, from `first` on.
    """
    layout, device = target.layout, target.device
    plan = plan_indexed(
        *(kernel, kind, layout.sizes, layout.strides, target.dtype.itemsize, layout.offset),
        device.profile,
        first=first,
        whole=whole,
        sources=tuple([source.dtype.itemsize for source in sources]),
        constants=constants,
    )
    if plan is None:
        # Too many dims remain after merging: write to packed memory and copy.
        packed = temporary(what, Layout.packed(layout.sizes), target.dtype, target)
        operation = what, kernel, kind, packed, words
        write_indexed(*operation, first=first, whole=whole, sources=sources, constants=constants)
        copy_elements(what, packed, target)
        return
    operands = [access(source, False) for source in sources]
    device.launch(plan, (*operands, access(target, True)), words)
