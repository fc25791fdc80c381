"""Mutants of planners: which units a launch has, how they read, and what each bounds."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_PLAN = "dml_vk/kernels/plan"
_UNIT = "tests/unit/kernels/plan"
_OPS = "tests/kernel/ops"

MUTANTS = (
    Mutant(
        "plan-tile-without-edges",
        "a tile leaves out the columns that are no whole piece",
        f"{_PLAN}/paths.py",
        "edges=batch if inner.size % across else 0,",
        "edges=0,",
        (f"{_OPS}/test_copy.py",),
    ),
    Mutant(
        "plan-packed-ends",
        "rows of small elements that start anywhere have as many ends as the shortest needs",
        f"{_PLAN}/paths.py",
        "ends = max([-(-(phase + extent) // per) for phase in phases]) - groups",
        "ends = min([-(-(phase + extent) // per) for phase in phases]) - groups",
        (f"{_OPS}/test_copy.py",),
    ),
    Mutant(
        "plan-zip-planes-anywhere",
        "pixels are zipped from planes whose distance is no multiple of a quad",
        f"{_PLAN}/paths.py",
        "or pixel.size % per or plane % per:",
        "or pixel.size % per:",
        (f"{_OPS}/test_copy.py",),
    ),
    Mutant(
        "plan-words-quads-of-a-source",
        "quads of a source are read although its second dim does not keep to them",
        f"{_PLAN}/paths.py",
        "        step == 1 and task.aligned(k, task.run_bytes(k), dims[1:])"
        " for k, step in enumerate(steps)",
        "        step == 1 and task.aligned(k, task.run_bytes(k), dims[2:])"
        " for k, step in enumerate(steps)",
        (f"{_OPS}/test_copy.py", f"{_OPS}/test_elementwise.py"),
    ),
    Mutant(
        "plan-reduce-sixteen-chunks",
        "a sum of exactly 16 chunks has a tree of one tier too few",
        f"{_PLAN}/reduce.py",
        "sum([chunks > 1, chunks > 15, chunks > 255]), chunk",
        "sum([chunks > 1, chunks > 16, chunks > 255]), chunk",
        (f"{_UNIT}/test_reduce.py", f"{_OPS}/test_reduce.py"),
    ),
    Mutant(
        "plan-arg-index-of-outer-dims",
        "in blocks of rows, the index of the first leaf counts too few elements of outer dims",
        f"{_PLAN}/passes.py",
        "math.prod([dim.size for dim in work.leaves[at + 1 :]])",
        "math.prod([dim.size for dim in work.leaves[at + 2 :]])",
        (f"{_OPS}/test_reduce.py::test_reductions_in_several_passes",),
    ),
    Mutant(
        "plan-rows-full-chunks",
        "rows of whole quads are taken for rows of whole chunks of 16",
        f"{_PLAN}/rows.py",
        '"GAPS": int(inner.size % _CHUNK > 0),',
        '"GAPS": int(inner.size % 4 > 0),',
        (
            "tests/kernel/nn/test_whole_rows.py::"
            "test_channels_and_groups_have_the_bits_of_the_reference",
        ),
    ),
    Mutant(
        "plan-scan-columns-anywhere",
        "columns are scanned in quads although the rows below do not start at quads",
        f"{_PLAN}/scan.py",
        "all(_aligned(task, k, QUAD_BYTES, (row, *rest)) for k in range(2))",
        "all(_aligned(task, k, QUAD_BYTES, rest) for k in range(2))",
        (f"{_OPS}/test_scan.py::test_layouts_with_long_rows",),
    ),
    Mutant(
        "plan-scan-totals-of-a-launch",
        "launches of a scan of several columns put their totals too near to each other",
        f"{_PLAN}/scan.py",
        "pitch = units * rows.columns",
        "pitch = units",
        (f"{_OPS}/test_scan.py::test_each_launch_of_a_scan_has_its_own_totals",),
    ),
    Mutant(
        "plan-matmul-depth-of-quads",
        "factors are read by quads along a depth that is no multiple of four",
        f"{_PLAN}/matmul_tile.py",
        "if step == 1 and terms.size % 4 == 0 and task.aligned(",
        "if step == 1 and task.aligned(",
        (f"{_OPS}/test_matmul.py",),
    ),
    Mutant(
        "plan-gather-wide-rows",
        "rows are gathered in elements that are wider than an index's step",
        f"{_PLAN}/gather.py",
        "nbytes = math.gcd(inner.size * task.itemsize, stride * task.itemsize, QUAD_BYTES)",
        "nbytes = math.gcd(inner.size * task.itemsize, QUAD_BYTES)",
        (f"{_OPS}/test_gather.py", "tests/kernel/array/indexing/test_indexing.py"),
    ),
    Mutant(
        "plan-fft-points-at-pairs",
        "two points are read at once where they only start at a multiple of two numbers",
        f"{_PLAN}/fft.py",
        "if not is_aligned or any(number % 4 for number in (*strides, task.starts[side])):",
        "if not is_aligned or any(number % 2 for number in (*strides, task.starts[side])):",
        (f"{_OPS}/test_fft.py::test_points_side_by_side_are_read_at_once",),
    ),
    Mutant(
        "plan-pool-last-box",
        "the last box of a large window is as large as the others",
        f"{_PLAN}/pool.py",
        "sizes = (*(1,) * split, min(step, kernel[split] - at), *kernel[split + 1 :])",
        "sizes = (*(1,) * split, step, *kernel[split + 1 :])",
        (f"{_UNIT}/test_pool.py", "tests/kernel/nn/test_pool.py"),
    ),
    Mutant(
        "plan-windows-one-beyond",
        "windows that reach exactly one element beyond the input are taken to lie within",
        "dml_vk/windows.py",
        "return self.before > 0 or self.start(self.count - 1, self.taps - 1) >= self.size",
        "return self.before > 0 or self.start(self.count - 1, self.taps - 1) > self.size",
        ("tests/kernel/nn/test_depthwise.py::test_every_way_in_both_formats",),
    ),
    Mutant(
        "plan-radix-offset",
        "a sort reads rows by quads although the first does not start at one",
        "dml_vk/ops/radix.py",
        "and pitch >= 0 and not any(start % per for start in starts):",
        "and pitch >= 0 and not any(start % per for start in starts[1:]):",
        (
            f"{_OPS}/test_radix.py::test_rows_are_read_and_written_where_they_are",
            f"{_OPS}/test_radix.py",
        ),
    ),
    Mutant(
        "plan-chain-units-ahead",
        "rows of small elements that start anywhere have a whole unit too many",
        f"{_PLAN}/chain.py",
        "return max(0, math.prod(self.row) - self.ahead) // self.unit",
        "return math.prod(self.row) // self.unit",
        (f"{_OPS}/test_fused_parts.py",),
    ),
    Mutant(
        "plan-inlined-alike",
        "a chain works in place of what a kernel writes although that is aligned otherwise",
        f"{_PLAN}/inlined.py",
        "return operand[::2] == other[::2] and at[0] == at[1]",
        "return operand[::2] == other[::2]",
        ("tests/kernel/compiler/test_inlining.py",),
    ),
)
