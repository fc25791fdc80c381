"""What drivers compile of long functions, once they have inlined all that these call.

llvmpipe takes four times as long for twice the code, so that loops have once what two parts of a
number need.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.spirv import spec as op
from dml_vk.spirv.module import Module


def calls(module: Module, name: int) -> list[int]:
    blocks = module.function(name).blocks
    lines = [line for block in blocks for line in block.lines]
    return [line[3] for line in lines if line[0] & 0xFFFF == op.FUNCTION_CALL]


def inlined(module: Module, name: int, each: Callable[[int], int]) -> int:
    """The sum over a function and all that it calls, as often as it does."""
    return each(name) + sum([inlined(module, called, each) for called in calls(module, name)])


@pytest.mark.parametrize("function", ["pow(vu4;vu4;", "exp(vu4;"])
@pytest.mark.parametrize("words", [64, 128])
def test_the_parts_of_a_complex_number_share_the_code_of_their_series(function, words):
    module = library.parsed(f"complex_{function.partition('(')[0]}_words_{words}")
    name = module.by_name[f"double_complex_{function}"]
    for series in ("tangent_series(b1;vu2;", "extended_sine(struct-Extended-vu2-i1-u11;b1;"):
        called = module.by_name.get(series, 0)
        assert inlined(module, name, lambda n, called=called: int(n == called)) <= 1


@pytest.mark.parametrize(
    ("module", "function", "most"),
    [
        ("complex_pow_words_64", "double_complex_pow(vu4;vu4;", 20_000),
        ("complex_log_words_64", "point_log(vu4;", 11_000),
        ("complex_exp_words_64", "double_complex_exp(vu4;", 7_500),
    ],
)
def test_a_long_function_is_short_once_it_is_inlined(module, function, most):
    module = library.parsed(module)
    size = inlined(module, module.by_name[function], lambda name: module.function(name).size)
    assert most / 2 < size <= most


def test_elements_of_a_row_are_computed_in_a_loop_that_first_computes():
    """A loop that begins with its test takes a turn more on llvmpipe, which leaves at the end."""
    module = library.parsed("complex_pow_words_64")
    function = module.function(module.by_name["row_results(vu3;"])
    (loop,) = function.loops.values()
    compute = module.by_name["compute(vu4;vu4;"]
    branches = [block for block in loop.blocks if block.end[0] & 0xFFFF == op.BRANCH_CONDITIONAL]
    computes = [block for block in loop.blocks for line in block.lines if compute in line[3:4]]
    assert loop.blocks.index(computes[0]) <= loop.blocks.index(branches[0])
