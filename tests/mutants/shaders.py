"""Mutants of shaders, whose modules are built anew."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_INCLUDE = "glsl/include"
_OPS = "tests/kernel/ops"

MUTANTS = (
    Mutant(
        "shader-cast-beyond-2-to-the-31",
        "floats from 2^31 to 2^32 become the largest uint32",
        f"{_INCLUDE}/types/cast.glsl",
        "whole = magnitude < 0x4f800000u ? whole : 0xffffffffu;",
        "whole = magnitude < 0x4f000000u ? whole : 0xffffffffu;",
        (f"{_OPS}/test_casts.py",),
    ),
    Mutant(
        "shader-sort-negative-zero",
        "a sort takes -0.0 for less than 0.0",
        f"{_INCLUDE}/types/key.glsl",
        "negative = negative && (magnitude | low) != 0;",
        "negative = negative;",
        (
            f"{_OPS}/test_radix.py::test_double_zeros_keep_their_bits",
            f"{_OPS}/test_sort.py::test_every_dtype",
        ),
    ),
    Mutant(
        "shader-argmax-of-the-least",
        "where all elements are the least of their dtype, argmax is an index that is not there",
        "glsl/reduce_arg.comp",
        "bool other = same ? right.index < left.index :",
        "bool other = same ? false :",
        (f"{_OPS}/test_reduce.py::test_of_elements_at_a_limit_the_first_counts",),
    ),
    Mutant(
        "shader-scan-carry",
        "in a long row, only the first block of a span gets what comes before the span",
        f"{_INCLUDE}/families/scan_alone.glsl",
        "        before = carried;\n",
        "        before = identities();\n",
        (f"{_OPS}/test_scan.py::test_spans_of_every_length_give_the_same_bits",),
    ),
    Mutant(
        "shader-philox-third-carry",
        "a counter that wraps its second word does not carry into the third",
        f"{_INCLUDE}/math/philox.glsl",
        "counter.z = uaddCarry(counter.z, carry, carry);",
        "counter.z = uaddCarry(counter.z, 0u, carry);",
        (f"{_OPS}/test_philox.py::test_counters_carry_through_all_words_and_wrap",),
    ),
    Mutant(
        "shader-tile-of-halves",
        "a tile of 16-bit elements puts the second and the third of four into each other's place",
        "glsl/copy_tile.comp",
        "return words.xz | words.yw << 16;",
        "return words.xy | words.zw << 16;",
        (f"{_OPS}/test_copy.py::test_every_variant",),
    ),
    Mutant(
        "shader-tile-ragged-read",
        "a tile of 64-bit elements reads the last element once more where there is one",
        "glsl/copy_tile.comp",
        "min(down + i, sizes[1] - 1)",
        "min(down + i, sizes[1] - 2)",
        (f"{_OPS}/test_copy.py::test_every_variant",),
    ),
    Mutant(
        "shader-scan-tile-before",
        "of all tiles before one, a workgroup of a scan knows only the last",
        f"{_INCLUDE}/families/scan_team.glsl",
        "carried = combine(carried, sum);",
        "carried = sum;",
        (f"{_OPS}/test_scan_teams.py::test_a_workgroup_that_does_all_tiles_of_its_rows",),
    ),
    Mutant(
        "shader-matmul-zero",
        "sums of products begin with +0, which loses the sign of a sum of negative zeros",
        "glsl/matmul_tile.comp",
        "#define NOTHING uintBitsToFloat(0x80000000u)",
        "#define NOTHING uintBitsToFloat(0u)",
        (f"{_OPS}/test_matmul.py::test_special_values",),
    ),
    Mutant(
        "shader-merge-stability",
        "of equal keys, merging takes those of the second run first",
        "glsl/sort_merge.comp",
        "bool before = !key_less(y, x);",
        "bool before = key_less(x, y);",
        (
            f"{_OPS}/test_sort.py::test_rows_of_every_length_round_those_of_runs",
            f"{_OPS}/test_sort.py",
        ),
    ),
    Mutant(
        "shader-uniform-reaches-high",
        "a uniform number may be rounded up to the end of its range",
        "glsl/uniform.comp",
        "result = sum < most ? sum : most;",
        "result = sum;",
        ("tests/kernel/random/test_generator.py::test_uniforms_stay_below_high",),
    ),
    Mutant(
        "shader-log1p-of-minus-one",
        "log1p(-1) is NaN instead of -infinity",
        f"{_INCLUDE}/math/log.glsl",
        ": bits == (FLOAT_ONE | FLOAT_SIGN) ? FLOAT_SIGN | FLOAT_INFINITY : FLOAT_NAN;\n"
        "    bool plain",
        ": FLOAT_NAN;\n    bool plain",
        (f"{_OPS}/test_special_values.py",),
    ),
    Mutant(
        "shader-hypot-lost-bits",
        "what a short side adds to a long one below the last bit is forgotten",
        f"{_INCLUDE}/math/hypot.glsl",
        "more = more || wide && (sum.x & 3u) != 0u;",
        "more = wide && (sum.x & 3u) != 0u;",
        (f"{_OPS}/test_accuracy.py::test_lengths_a_little_beyond_a_half_go_up",),
    ),
    Mutant(
        "shader-complex-infinity",
        "a complex product with one infinite and one NaN part is not infinite",
        f"{_INCLUDE}/math/complex.glsl",
        "bool lost = float_is_nan(product.x) && float_is_nan(product.y) && (far || other);",
        "bool lost = float_is_nan(product.x) && float_is_nan(product.y) && (far && other);",
        ("tests/kernel/complex/test_arithmetic.py::test_one_infinite_part_is_enough",),
    ),
    Mutant(
        "shader-max-of-negative-nan",
        "a pool takes a NaN whose sign is set for the least of all numbers",
        f"{_INCLUDE}/families/pool_values.glsl",
        "return magnitude > (A_TYPE == FLOAT16 ? 0x7c000000u : 0x7f800000u) ? NAN_KEY : key;",
        "return top > (A_TYPE == FLOAT16 ? 0x7c000000u : 0x7f800000u) && int(top) > 0 ? NAN_KEY"
        " : key;",
        ("tests/kernel/nn/test_pool.py::test_the_last_nan_and_the_first_of_equals_count",),
    ),
    Mutant(
        "shader-pool-resumes-in-3d",
        "an index of a maximum that a later box resumes is of another plane",
        f"{_INCLUDE}/families/pool_window.glsl",
        "row % SIZE(1) * STEP(1) + plane * STEP(2);",
        "row % SIZE(1) * STEP(1);",
        ("tests/kernel/nn/test_pool.py::test_large_volumes_take_several_launches",),
    ),
)
