"""Mutants of dtypes and promotion, of indexing, and of functions of arrays."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_ARRAY = "dml_vk/array"
_TESTS = "tests/kernel/array"
_OPS = "tests/kernel/ops"

MUTANTS = (
    Mutant(
        "promotion-of-int64-beside-complex",
        "int64 beside a complex number is computed in complex128",
        "dml_vk/promotion.py",
        'if dtype.kind in "fc" and dtype.part.itemsize == 8 else complex64',
        "if dtype.part.itemsize == 8 else complex64",
        ("tests/unit/test_promotion.py", f"{_TESTS}/math/test_kinds.py"),
    ),
    Mutant(
        "promotion-of-numpys-scalars",
        "a scalar of NumPy's takes the dtype of the tensor",
        "dml_vk/array/host_operands.py",
        '    if common_dtype("operands", tensors, [*python, *map(plain, scalars)]) is common:',
        "    if True:",
        (f"{_TESTS}/test_numpys_scalars.py",),
    ),
    Mutant(
        "promotion-of-a-stored-number",
        "an integer tensor takes a float number, which is cut",
        "dml_vk/promotion.py",
        "if _RANKS[_default_dtype(value).kind] > _RANKS[dtype.kind]:",
        "if _RANKS[_default_dtype(value).kind] > _RANKS[dtype.kind] + 1:",
        ("tests/unit/test_promotion.py", f"{_TESTS}/indexing/test_indexing.py"),
    ),
    Mutant(
        "dtype-of-swapped-bytes",
        "a dtype equals the one of the same name whose bytes are in the other order",
        "dml_vk/dtypes.py",
        "return same and (self.itemsize == 1 or _is_native(other))",
        "return same",
        ("tests/unit/test_dtypes.py",),
    ),
    Mutant(
        "index-beside-an-integer",
        "an integer in a key does not join the indexes on the other side of a slice",
        f"{_ARRAY}/indexing/keys.py",
        "        if type(part) is int or isinstance(part, (np.ndarray, Tensor)):",
        "        if isinstance(part, (np.ndarray, Tensor)):",
        (f"{_TESTS}/indexing/test_indexing.py",),
    ),
    Mutant(
        "index-of-the-first-from-the-end",
        "the lowest negative index of a list is out of bounds",
        f"{_ARRAY}/indexing/positions.py",
        "if index.size and not -part.size <= int(index.min())",
        "if index.size and not -part.size < int(index.min())",
        (
            f"{_TESTS}/indexing/test_take.py",
            f"{_TESTS}/indexing/test_indexing.py",
        ),
    ),
    Mutant(
        "index-writes-of-the-device",
        "several writes to one place by indexes on the device end in any order",
        f"{_ARRAY}/indexing/positions.py",
        "    if any(isinstance(part.array, View) for part in parts):\n        return False\n",
        "    if any(isinstance(part.array, View) for part in parts):\n        return True\n",
        (f"{_OPS}/test_last_writers.py", f"{_OPS}/test_scatter.py"),
    ),
    Mutant(
        "calls-forget-exactness",
        "a call is repeated as it was recorded, whether results must be exact or not",
        f"{_ARRAY}/calls.py",
        "parts = [function, params, shares, now.settings.exact]",
        "parts = [function, params, shares]",
        (f"{_OPS}/test_inexact.py",),
    ),
    Mutant(
        "calls-forget-what-out-shares",
        "a call whose result lies over an operand is the one whose result does not",
        f"{_ARRAY}/calls.py",
        "return spec, *[type(x) is Tensor and x._allocation is memory for x in operands]",
        "return spec, *[False for _ in operands]",
        (f"{_TESTS}/test_calls.py",),
    ),
    Mutant(
        "count-nonzero-of-counts",
        "a count in several passes counts the partial counts",
        "dml_vk/ops/reduce.py",
        "reducer = reducer_of(reducer.then, target.dtype)",
        "reducer = reducer_of(reducer.name, target.dtype)",
        (f"{_OPS}/test_reduce.py::test_reductions_in_several_passes",),
    ),
    Mutant(
        "sum-of-float64-to-float32",
        "sums of float64 in float32 are added in float32",
        f"{_ARRAY}/statistics/reductions.py",
        "if x.dtype in (float64, complex128) and wanted.kind == x.dtype.kind"
        " and wanted is not x.dtype:",
        "if x.dtype is complex128 and wanted.kind == x.dtype.kind and wanted is not x.dtype:",
        (f"{_TESTS}/statistics/test_statistics.py::test_sums_in_other_dtypes",),
    ),
    Mutant(
        "radix-descending-places",
        "a descending sort by counting turns the keys at every digit",
        "dml_vk/ops/radix.py",
        "            self._turned = 0  # it is part of the keys\n",
        "            pass\n",
        (f"{_OPS}/test_radix.py",),
    ),
    Mutant(
        "sort-parts-of-many-rows",
        "rows that are too many to be sorted at once are cut in the dim that is sorted",
        "dml_vk/ops/sort.py",
        "max([(n, k) for k, n in enumerate(sizes) if k != dim], default=(1, dim))",
        "max([(n, k) for k, n in enumerate(sizes)], default=(1, dim))",
        (f"{_OPS}/test_sort.py::test_rows_that_are_many_are_sorted_in_parts",),
    ),
    Mutant(
        "roll-through-several-dims",
        "a shift through several dims that do not merge loses the carry from the inner ones",
        f"{_ARRAY}/manipulation/padding.py",
        "grown.append(((Piece(0, size - by, by), *pieces), 1))",
        "grown.append(((Piece(0, size - by, by), *pieces), 0))",
        (f"{_TESTS}/manipulation/test_padding.py",),
    ),
    Mutant(
        "diff-across-parts",
        "differences between x and what is appended go by the first row of x",
        f"{_ARRAY}/math/cumulative.py",
        "pairs.append((_piece(parts[k + 1], axis, 0, 1), _piece(part, axis, within, 1), 1))",
        "pairs.append((_piece(parts[k + 1], axis, 0, 1), _piece(part, axis, 0, 1), 1))",
        (f"{_OPS}/test_scan.py::test_differences",),
    ),
    Mutant(
        "concat-operand-in-the-result",
        "an operand of a join that lies in the result is read after parts of it were written",
        f"{_ARRAY}/manipulation/shapes.py",
        "parts = [copy_if_overlapping(what, source, result) for source in operands]",
        "parts = [*operands]",
        (
            f"{_TESTS}/manipulation/test_manipulation.py::test_an_operand_of_a_join_may_be_where_it_is_written",
        ),
    ),
    Mutant(
        "error-overlapping-target",
        "a result whose elements share addresses is not refused",
        "dml_vk/ops/view.py",
        "    if view.layout.overlaps:",
        "    if view.layout.overlaps and not view.layout.numel:",
        (f"{_OPS}/test_copy.py::test_a_target_whose_elements_overlap_is_refused",),
    ),
    Mutant(
        "error-index-beyond-its-memory",
        "a view that ends one element beyond its memory is not refused",
        "dml_vk/ops/view.py",
        "if layout.numel and (layout.offset + high) * itemsize > nbytes:",
        "if layout.numel and (layout.offset + high - 1) * itemsize > nbytes:",
        ("tests/kernel/test_buffer.py", "tests/kernel/runtime/test_largest.py"),
    ),
)
