"""What layout a result gets: the commutative rule, and the rows of the memory format RFC.

docs/memory_formats.md has the rows.
"""

from __future__ import annotations

import itertools

import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import (
    Layout,
    broadcast_sizes,
    channels_last,
    concatenate,
    contiguous_format,
    elementwise,
    preserve_format,
)

SIZES = (2, 3, 4, 5)
NCHW = Layout(SIZES)
NHWC = Layout.packed(SIZES, channels_last)
CHWN = Layout.packed(SIZES, "CHWN")
EMPTY = Layout.packed((2, 0, 4, 5), channels_last)
NHCW = Layout.packed(SIZES, "NHCW")

# Sizes at which the strides of both formats fit one another's memory.
AMBIGUOUS = [(1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1), (2, 1, 1, 1), (1, 1, 1, 1), (1, 3, 1, 1)]
AMBIGUOUS += [(2, 1, 4), (2, 3, 1), (1, 1, 1), (2, 1, 1, 4, 5), (2, 3, 1, 1, 1), (1, 1, 1, 1, 1)]


@pytest.mark.parametrize(
    ("sizes", "result"),
    [
        ([], ()),
        ([()], ()),
        ([(2, 3)], (2, 3)),
        ([(2, 3), (3,)], (2, 3)),
        ([(2, 1), (1, 3)], (2, 3)),
        ([(), (4, 1), (1,)], (4, 1)),
        ([(2, 1, 4), (3, 1), (1, 1, 1, 1)], (1, 2, 3, 4)),
        ([(0, 3), (1, 1)], (0, 3)),
        ([(1,), (0,)], (0,)),
        ([[2, 3], (2, 1)], (2, 3)),
    ],
)
def test_broadcast_sizes(sizes, result):
    assert broadcast_sizes(*sizes) == result


def test_broadcast_sizes_must_be_sizes():
    with pytest.raises(
        LayoutError, match=r"broadcast_sizes: sizes must not be negative; got sizes=\(2"
    ):
        broadcast_sizes((2, -3))


@pytest.mark.parametrize("sizes", [((2, 3), (2,)), ((0,), (2,)), ((3, 1, 5), (1, 2, 1), (1, 1, 4))])
def test_broadcast_sizes_that_disagree_name_the_dim(sizes):
    with pytest.raises(LayoutError, match="must agree or be 1 in dim -1; got"):
        broadcast_sizes(*sizes)
    with pytest.raises(LayoutError, match="elementwise: sizes must agree or be 1"):
        elementwise(*map(Layout, sizes))


# The commutative rule


@pytest.mark.parametrize(
    ("operands", "winner"),
    [
        ([NCHW], NCHW),
        ([NHWC], NHWC),
        ([CHWN], CHWN),
        ([NHWC, NCHW], NHWC),
        ([NHWC, CHWN], NHWC),
        ([NCHW, CHWN], CHWN),
        ([CHWN, NHCW], NHCW),  # the smaller order tuple
        ([NHWC, Layout(())], NHWC),
        ([NHWC, Layout((3, 1, 1))], NHWC),
        ([NHWC, Layout((1, 3, 1, 1))], NHWC),
        ([NHWC, Layout((4, 5))], NHWC),
        ([NHWC, Layout((5,))], NHWC),
        ([NHWC, Layout((3, 4, 5))], NHWC),
        ([NCHW, Layout.packed((1, 3, 4, 5), channels_last)], NCHW),  # full outweighs broadcast
        ([NCHW, Layout.packed((1, 3, 4, 5), channels_last).expand(SIZES)], NCHW),
        # No operand of full size: those of full rank decide.
        ([Layout.packed((2, 3, 1, 5), channels_last), Layout((4, 1))], NHWC),
        ([Layout.packed((2, 3, 4, 1), channels_last), Layout((2, 1, 4, 5))], NHWC),
        ([Layout.packed((1, 3, 4, 5), channels_last).expand(SIZES)], NHWC),
        ([Layout((2, 3, 1, 1)), Layout((4, 5))], NCHW),
        ([Layout.packed((3, 4, 5), (2, 0, 1)), Layout((2, 1, 1, 1))], NCHW),
        # Gaps, offsets and direction do not count.
        ([Layout(SIZES, (200, 2, 40, 8), 7), NCHW], NHWC),
        ([NHWC.flip(1, 2), NCHW], NHWC),
        # In an empty operand nothing is broadcast, whatever its strides.
        ([EMPTY, Layout(EMPTY.sizes)], EMPTY),
        ([EMPTY, Layout(EMPTY.sizes, (0, 0, 0, 0))], EMPTY),
    ],
    ids=str,
)
def test_commutative_rule(operands, winner):
    for order in itertools.permutations(operands):
        assert elementwise(*order) == winner
        assert elementwise(*order, rule="commutative") == winner


def test_results_are_packed():
    result = elementwise(Layout(SIZES, (999, 99, 9, 1), 3))
    assert result == NCHW
    assert elementwise(Layout((0, 3)), Layout((1, 3))) == Layout((0, 3))


@pytest.mark.parametrize("rule", ["commutative", "torch"])
def test_there_must_be_operands_and_a_known_rule(rule):
    with pytest.raises(LayoutError, match="elementwise: at least one operand is needed"):
        elementwise(rule=rule)
    with pytest.raises(LayoutError, match="concatenate: at least one operand is needed"):
        concatenate([], 0, rule=rule)
    for call in (lambda r: elementwise(NCHW, rule=r), lambda r: concatenate([NCHW], 0, rule=r)):
        with pytest.raises(LayoutError, match="rule must be 'commutative' or 'torch'; got rule='n"):
            call("numpy")


@pytest.mark.parametrize("sizes", AMBIGUOUS, ids=str)
def test_the_intent_survives_where_strides_cannot_carry_it(sizes):
    marked = Layout.packed(sizes, channels_last)
    plain = Layout(sizes)
    one = Layout(())
    for result in (
        elementwise(marked),
        elementwise(marked, marked),
        elementwise(marked, plain),
        elementwise(plain, marked),
        elementwise(marked, one),
        elementwise(one, marked),
        elementwise(elementwise(marked), one),
        concatenate([marked, marked], 0),
        marked.like(),
        marked.view(sizes),
        marked.to(contiguous_format)[0].to(channels_last)[0],
        marked.to(preserve_format)[0],
        marked.flip(0, 1),
        marked.narrow(1, 0, 1),
        marked.chunk(2, 1)[0],
        marked.select(0, 0).unsqueeze(0),
        marked.permute(*reversed(range(len(sizes)))).permute(*reversed(range(len(sizes)))),
    ):
        assert result.memory_format is channels_last
    for result in (elementwise(plain), elementwise(plain, one), plain.like(), plain.view(sizes)):
        assert result.memory_format is contiguous_format


# Concatenation


def test_concatenate_adds_up_one_dim():
    half = Layout((2, 3, 4))
    assert concatenate([half, half], 0) == Layout((4, 3, 4))
    assert concatenate([half, Layout((2, 0, 4)), Layout((2, 5, 4))], -2) == Layout((2, 8, 4))
    assert concatenate(iter([half]), 2) == half


@pytest.mark.parametrize(
    ("operands", "order"),
    [
        ([NHWC, NCHW], NHWC.order),
        ([NCHW, NCHW], NCHW.order),
        ([CHWN, NCHW], CHWN.order),
        ([EMPTY, Layout((2, 6, 4, 5))], NHWC.order),
        ([CHWN, NHWC], NHWC.order),
        ([Layout.packed((2, 3, 4, 1), channels_last).expand(SIZES), NCHW], NCHW.order),
        ([Layout.packed((2, 3, 4, 1), channels_last).expand(SIZES)] * 2, NHWC.order),
    ],
    ids=str,
)
def test_concatenate_is_commutative(operands, order):
    for turned in itertools.permutations(operands):
        result = concatenate(turned, 1)
        assert result == Layout.packed((2, 6, 4, 5), order)


def test_concatenate_torch_wants_all_inputs_channels_last():
    assert concatenate([NHWC, NHWC], 1, rule="torch").memory_format is channels_last
    assert concatenate([NHWC, NCHW], 1, rule="torch").memory_format is contiguous_format
    assert concatenate([NHWC, Layout((0,))], 1, rule="torch") == NCHW
    assert concatenate([Layout((0,)), Layout((0,))], 0, rule="torch") == Layout((0,))
    marked = Layout((1, 1, 1, 1), order=channels_last)
    assert concatenate([marked, marked], 0, rule="torch").memory_format is channels_last


@pytest.mark.parametrize(
    ("operands", "dim", "message"),
    [
        (
            [NCHW, Layout((2, 3, 4, 6))],
            0,
            "concatenate: sizes must agree in every dim except 0; got",
        ),
        ([NCHW, Layout((2, 3, 4))], 0, "concatenate: sizes must agree in every dim except 0; got"),
        ([NCHW, Layout((0,))], 0, "concatenate: sizes must agree in every dim except 0"),
        ([NCHW], 4, "concatenate: dim must be from -4 to 3; got dim=4"),
        ([Layout(())], 0, "concatenate: dim is out of range: there are none"),
    ],
)
def test_concatenate_bad_arguments(operands, dim, message):
    with pytest.raises(LayoutError, match=message):
        concatenate(operands, dim)


# Rows of the RFC that the tests above do not name


def test_r4_r5_r6_one_rule_for_contiguous_and_to():
    sliced = NHWC.narrow(1, 0, 2)
    assert sliced.memory_format is channels_last
    assert sliced.to(channels_last) == (Layout.packed(sliced.sizes, channels_last), True)
    transposed = Layout((3, 2)).transpose(0, 1)
    assert transposed.to(contiguous_format) == (Layout((2, 3)), True)


def test_r7_conversion_is_permute_contiguous_permute():
    there, copies = NCHW.permute(0, 2, 3, 1).to(contiguous_format)
    assert copies
    assert there.permute(0, 3, 1, 2) == NCHW.to(channels_last)[0] == NHWC


def test_r22_torch_lets_the_first_full_operand_decide():
    assert elementwise(NHWC, NCHW, rule="torch") == NHWC
    assert elementwise(NCHW, NHWC, rule="torch") == NCHW
    assert elementwise(NHWC, Layout((3, 4, 5)), rule="torch") == NHWC
    assert elementwise(Layout((3, 4, 5)), NHWC, rule="torch") == NCHW


def test_r24_permute_there_and_back_is_the_same_layout():
    assert NHWC.permute(3, 1, 0, 2).permute(2, 1, 3, 0) == NHWC


def test_r25_what_was_permuted_into_channels_last_is_channels_last():
    assert Layout((2, 4, 5, 3)).permute(0, 3, 1, 2).is_contiguous(channels_last)


def test_r27_sums_of_channel_chunks_are_channels_last():
    one, two = Layout.packed((2, 4, 4, 5), channels_last).chunk(2, 1)
    assert not one.is_contiguous(channels_last)
    assert one.follows(channels_last)
    assert elementwise(one, two).memory_format is channels_last
    assert elementwise(two, Layout((2, 2, 4, 5))).memory_format is channels_last


def test_r28_n111_can_be_marked():
    layout, copies = Layout((2, 1, 1, 1)).to(channels_last)
    assert not copies
    assert layout.memory_format is channels_last
    assert elementwise(layout, Layout(())).memory_format is channels_last


def test_r29_reshape_of_channels_last_is_a_view_where_strides_allow():
    assert NHWC.view(2, 3, -1).strides == (60, 1, 3)
    assert NHWC.flatten(1) is None


# PyTorch's rule where strides cannot tell, which the table of its answers does not see


@pytest.mark.parametrize(
    "sizes", [(2, 1, 4, 5), (2, 3, 1, 1), (2, 1, 1, 1), (2, 1, 4), (0, 3, 4, 5)]
)
def test_torch_rule_gives_up_a_format_that_is_row_major_too(sizes):
    marked = Layout.packed(sizes, channels_last)
    assert marked.is_contiguous()
    assert elementwise(marked, marked, rule="torch") == Layout(sizes)


def test_torch_rule_takes_all_that_is_channels_last_for_channels_last():
    odd = Layout((1, 7, 2, 5), order=(2, 3, 0, 1))
    assert odd.memory_format is None
    assert odd.is_contiguous(channels_last)
    assert elementwise(odd, rule="torch") == Layout.packed((1, 7, 2, 5), channels_last)


def test_torch_rule_keeps_dense_strides_that_all_operands_share():
    odd = Layout((3, 1, 1, 3), (1, 1, 1, 3), order=(3, 0, 2, 1))
    assert elementwise(odd, odd, rule="torch") == odd
    assert elementwise(odd, Layout(()), rule="torch") != odd


# PyTorch's rule on layouts that PyTorch does not have


def test_torch_rule_reads_reversed_operands_by_the_size_of_their_strides():
    assert elementwise(NHWC.flip(1), NCHW, rule="torch") == NHWC
    assert elementwise(Layout((2, 3)).flip(0), rule="torch") == Layout((2, 3))
    assert concatenate([NHWC.flip(2), NHWC], 1, rule="torch").memory_format is channels_last
