"""Programs of random steps give the same bits compiled as they do step by step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests import tier
from tests.kernel.compiler.both_ways import check
from tests.kernel.compiler.language import NUMBERS

steps = st.tuples(*[st.integers(0, 255)] * NUMBERS)


@tier.examples(25)
@given(steps, st.lists(steps, max_size=14), st.integers(0, 2**24 - 1))
def test_compiled_programs_have_the_same_bits(start, steps, returned):
    check(start, steps, returned)
