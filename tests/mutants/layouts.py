"""Mutants of layouts: strides, orders, memory formats, and what views of them give."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_STRIDES = "dml_vk/strides"
_UNIT = "tests/unit/strides"

MUTANTS = (
    Mutant(
        "layout-canonical-stride-of-empty",
        "a dim of size 1 outside of an empty or broadcast dim gets stride 0",
        f"{_STRIDES}/order.py",
        "step = abs(out[dim]) * size or 1",
        "step = abs(out[dim]) * size",
        (f"{_UNIT}/test_layout.py", f"{_UNIT}/test_order.py"),
    ),
    Mutant(
        "layout-order-of-equal-strides",
        "of dims with equal strides and sizes the later one goes outside",
        f"{_STRIDES}/order.py",
        "        if sizes[a] > sizes[b]:",
        "        if sizes[a] >= sizes[b]:",
        (f"{_UNIT}/test_order.py", f"{_UNIT}/test_torch.py"),
    ),
    Mutant(
        "layout-overlap-of-opposite-steps",
        "indexes that differ in both directions are not searched for shared addresses",
        f"{_STRIDES}/address.py",
        "steps = range(stride * (1 - size), stride * size, stride)",
        "steps = range(0, stride * size, stride)",
        (f"{_UNIT}/test_overlap.py",),
    ),
    Mutant(
        "layout-empty-is-contiguous-in-any-order",
        "an empty layout is contiguous in other orders than row-major, too",
        f"{_STRIDES}/address.py",
        "return 0 in sizes and order == row_major(len(sizes))",
        "return 0 in sizes",
        (f"{_UNIT}/test_layout.py", f"{_UNIT}/test_torch.py"),
    ),
    Mutant(
        "layout-bytes-at-odd-offset",
        "memory is seen in a larger dtype although it does not start at a multiple of it",
        f"{_STRIDES}/reshape.py",
        "any(step % fewer for step in (*steps, offset))",
        "any(step % fewer for step in steps)",
        ("tests/kernel/tensor/test_bytes.py",),
    ),
    Mutant(
        "layout-diagonal-of-oblong",
        "the length of a diagonal off the middle is that of the one on the other side",
        f"{_STRIDES}/views.py",
        "min(sizes[a] - max(0, -k), sizes[b] - max(0, k))",
        "min(sizes[a] - max(0, k), sizes[b] - max(0, -k))",
        (f"{_UNIT}/test_views.py",),
    ),
    Mutant(
        "layout-narrow-takes-negative-lengths",
        "narrow does not refuse a negative length",
        f"{_STRIDES}/views.py",
        "if count < 0 or first < 0 or first + count > size:",
        "if first < 0 or first + count > size:",
        (f"{_UNIT}/test_view_arguments.py", f"{_UNIT}/test_views.py"),
    ),
    Mutant(
        "format-of-broadcast-operands-counts",
        "an operand that is broadcast by stride 0 has a say in the format of a result",
        f"{_STRIDES}/propagate.py",
        "if operand.sizes == sizes and not _is_broadcast(operand)",
        "if operand.sizes == sizes",
        (f"{_UNIT}/test_propagate.py", "tests/kernel/test_format_rules.py"),
    ),
    Mutant(
        "format-of-an-image-out-of-a-batch",
        "an image that was taken out of a channels_last batch goes back as row-major",
        f"{_STRIDES}/views.py",
        "unbatched = dim == 0 and self.order == UNBATCHED.get(rank)",
        "unbatched = dim == 0 and self.order == UNBATCHED.get(rank + 1)",
        (f"{_UNIT}/test_views.py", "tests/kernel/test_format_rules.py"),
    ),
    Mutant(
        "format-lost-by-reductions",
        "a reduction without its dims forgets the order of those that are left",
        "dml_vk/array/statistics/reductions.py",
        "order = [left_dims.index(dim) for dim in layout.order if dim not in axes]",
        "order = list(range(len(left_dims)))",
        ("tests/kernel/test_format_rules.py", "tests/kernel/array/statistics/test_statistics.py"),
    ),
    Mutant(
        "format-of-stacks",
        "the new dim of a stack is always outermost, also where only another place has a name",
        "dml_vk/array/manipulation/shapes.py",
        "return inside if order_format(outermost) is None and order_format(inside) else outermost",
        "return outermost",
        (
            "tests/kernel/array/manipulation/test_manipulation.py::test_where_the_new_dim_of_a_stack_lies",
        ),
    ),
    Mutant(
        "format-of-indexed-dims",
        "a result of indexes of as many dims has the order of the view, whatever dims they are",
        "dml_vk/array/indexing/reads.py",
        "self._same = len(self.sizes) == layout.rank and indexed == self.indexed",
        "self._same = len(self.sizes) == layout.rank",
        (
            "tests/kernel/array/indexing/test_indexing.py::"
            "test_results_of_indexes_and_masks_keep_the_order_of_dims",
        ),
    ),
)
