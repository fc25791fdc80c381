"""Mutants of functions: networks, linear algebra, transforms, random numbers, and DirectML's."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_NN = "dml_vk/nn"
_LINALG = "dml_vk/linalg"
_DIRECTML = "dml_vk/directml"
_TESTS = "tests/kernel/nn"

MUTANTS = (
    Mutant(
        "nn-same-padding",
        "of an odd number of padded elements the begin gets one more",
        "dml_vk/windows.py",
        "return (total - less, less) if lower else (less, total - less)",
        "return (total - less, less) if not lower else (less, total - less)",
        ("tests/unit/nn/test_windows.py", f"{_TESTS}/test_conv.py::test_same_and_valid"),
    ),
    Mutant(
        "nn-last-window-of-ceil-mode",
        "a last window that would start in the padding at the end counts",
        "dml_vk/windows.py",
        "count -= (count - 1) * stride >= before + size",
        "count -= (count - 1) * stride > before + size",
        ("tests/unit/nn/test_windows.py", f"{_TESTS}/test_pool_torch.py"),
    ),
    Mutant(
        "nn-causal-mask",
        "a query sees the key after its own",
        f"{_NN}/attention.py",
        "((0, queries, 0.0), (queries, keys - 1, -math.inf))",
        "((0, queries + 1, 0.0), (queries + 1, keys - 2, -math.inf))",
        (f"{_TESTS}/test_attention.py",),
    ),
    Mutant(
        "nn-mask-of-a-block",
        "blocks of queries after the first have the mask of the batch's first rows",
        f"{_NN}/attention.py",
        "return part(added, box if added.layout.rank > len(box) else box[-1:])",
        "return part(added, box if added.layout.rank >= len(box) else box[-1:])",
        (f"{_TESTS}/test_attention.py",),
    ),
    Mutant(
        "nn-ignored-class-outside-the-dtype",
        "a target that cannot hold the ignored class is compared with its low bits",
        f"{_NN}/losses.py",
        "ignores = limits.min <= ignored <= limits.max",
        "ignores = ignored <= limits.max",
        (f"{_TESTS}/test_losses.py",),
    ),
    Mutant(
        "nn-axes-of-a-norm",
        "axes of a norm are taken in the order in which they are given",
        f"{_NN}/norms.py",
        "params = tuple(sorted(dims)), to_eps(what, eps), to_activation(what, activation)",
        "params = tuple(dims), to_eps(what, eps), to_activation(what, activation)",
        (f"{_TESTS}/test_norms.py::test_the_order_of_axes_does_not_count",),
    ),
    Mutant(
        "nn-statistics-without-images",
        "the statistics of no elements are 0 instead of NaN",
        f"{_NN}/batches.py",
        "fill_constant(what, numbers, kind, nan)",
        "fill_constant(what, numbers, kind, 0)",
        (f"{_TESTS}/test_norms.py::test_no_elements",),
    ),
    Mutant(
        "linalg-norm-of-complex-matrices",
        "spectral norms of complex matrices are those of their magnitudes",
        f"{_LINALG}/norms.py",
        's = singular_values(what, x if x.dtype.kind == "c" else _wide(what, x))',
        "s = singular_values(what, _wide(what, x))",
        ("tests/kernel/linalg/test_following.py",),
    ),
    Mutant(
        "linalg-rows-of-earlier-blocks",
        "rows are not exchanged in the blocks of an LU decomposition that are done",
        f"{_LINALG}/lu.py",
        "        swap_rows(work, pivots, start, end, 0, start)\n",
        "",
        ("tests/kernel/linalg/test_decompositions.py::test_large_matrices_in_blocks",),
    ),
    Mutant(
        "linalg-diagonal-of-a-hermitian",
        "the imaginary parts on the diagonal of a Hermitian matrix are read",
        f"{_LINALG}/eigen.py",
        '    if work.dtype.kind == "c":\n',
        '    if work.dtype.kind == "b":\n',
        (
            "tests/kernel/linalg/test_decompositions.py::"
            "test_only_one_triangle_of_a_matrix_is_read_and_the_real_parts_of_its_diagonal",
        ),
    ),
    Mutant(
        "linalg-rank-of-tall-matrices",
        "singular values count by the number of columns, also if there are more rows",
        f"{_LINALG}/least_squares.py",
        "rtol = max(x.shape[-2:]) * epsilon",
        "rtol = x.shape[-1] * epsilon",
        ("tests/kernel/linalg/test_following.py::test_singular_values_that_count",),
    ),
    Mutant(
        "fft-shift-back-of-odd-lengths",
        "an odd number of frequencies is shifted back by one more than it was shifted",
        "dml_vk/fft.py",
        "sign * (x.shape[dim] // 2)",
        "sign * x.shape[dim] // 2",
        ("tests/kernel/array/math/test_fft.py::test_frequencies_and_shifts",),
    ),
    Mutant(
        "fft-pairs-of-odd-numbers",
        "real numbers are read in twos also where zeros follow the first of a pair",
        "dml_vk/kernels/plan/fft.py",
        "whole = (ends.present or 0) % (4 if ends.halves else 2) == 0",
        "whole = (ends.present or 0) % 2 == 0",
        (
            "tests/kernel/array/math/test_fft.py::"
            "test_an_odd_number_of_reals_is_filled_with_zeros_in_any_layout",
        ),
    ),
    Mutant(
        "random-zeros-of-either-sign",
        "normal numbers with the mean -0 have zeros of either sign",
        "dml_vk/ops/draws.py",
        "return abs(number) if number == 0 else number",
        "return number",
        ("tests/kernel/random/test_draws.py", "tests/kernel/random/test_generator.py"),
    ),
    Mutant(
        "random-range-of-2-to-the-32",
        "a range of 2^32 + 1 integers takes one word for each",
        "dml_vk/ops/draws.py",
        "wide = most >= 2**32",
        "wide = most > 2**32",
        ("tests/kernel/random/test_draws.py",),
    ),
    Mutant(
        "random-second-split",
        "a generator that is split twice gives the same generators",
        "dml_vk/random.py",
        "key, counter = self._move(1)",
        "key, counter = self._move(0)",
        ("tests/kernel/random/test_generator.py",),
    ),
    Mutant(
        "directml-slice-one-beyond",
        "a slice that ends one element beyond its input is not refused",
        f"{_DIRECTML}/slicing.py",
        "if at + (count - 1) * step >= size:",
        "if at + (count - 1) * step > size:",
        ("tests/unit/directml/test_moves.py", "tests/kernel/directml/test_moves.py"),
    ),
    Mutant(
        "directml-wide-reflection",
        "reflected padding that goes on beyond the opposite edge turns too late",
        f"{_DIRECTML}/padding.py",
        "period = 2 * size if twice else max(1, 2 * (size - 1))",
        "period = 2 * size if twice else max(1, 2 * size - 1)",
        ("tests/kernel/directml/test_moves.py",),
    ),
    Mutant(
        "directml-window-from-its-end",
        "a window that is read backwards begins at its second last element",
        f"{_DIRECTML}/slicing.py",
        "at + (count - 1 if stride < 0 else 0)",
        "at + (count - 2 if stride < -1 else count - 1 if stride < 0 else 0)",
        ("tests/kernel/directml/test_moves.py",),
    ),
    Mutant(
        "directml-largest-tensor",
        "a tensor that spans 2^32 - 1 elements is refused",
        f"{_DIRECTML}/descriptors.py",
        "if elements_spanned(sizes, strides) > MAX_ELEMENTS:",
        "if elements_spanned(sizes, strides) >= MAX_ELEMENTS:",
        ("tests/unit/directml/test_descriptors.py",),
    ),
)
