"""Beside PyTorch: significant strides agree, and where size-1 dims decide they rarely differ."""

from __future__ import annotations

import pytest

from dml_vk.layout import Layout, channels_last, concatenate, elementwise
from tests import torch_answers

CASES = torch_answers.load(1500)


def cases(kind):
    return [case for case in CASES if case["kind"] == kind]


def significant(sizes, strides):
    return [(dim, stride) for dim, (n, stride) in enumerate(zip(sizes, strides)) if n > 1]


def same(layout, sizes, strides):
    return list(layout.sizes) == sizes and significant(sizes, layout.strides) == significant(
        sizes, strides
    )


def operands(case):
    return [Layout(sizes, strides) for sizes, strides in case["operands"]]


@pytest.mark.parametrize("kind", ["layout", "elementwise", "concatenate", "view", "views"])
def test_there_are_cases_of_every_kind(kind):
    assert len(cases(kind)) >= 100


def test_contiguity_and_density_are_those_of_torch():
    for case in cases("layout"):
        layout = Layout(case["sizes"], case["strides"])
        assert layout.is_contiguous() == case["contiguous"], case
        assert layout.is_dense == case["dense"], case
        assert same(layout.like(), case["sizes"], case["like"]), case
        if "dim_order" in case:
            assert list(layout.order) == case["dim_order"], case
        if "channels_last" in case:
            assert layout.is_contiguous(channels_last) == case["channels_last"], case
            assert same(layout.to(channels_last)[0], case["sizes"], case["to"]), case


def test_view():
    for case in cases("view"):
        view = Layout(case["sizes"], case["strides"]).view(case["new"])
        if case["answer"] is None:
            assert view is None, case
        else:
            assert same(view, case["new"], case["answer"]), case


def test_view_operations():
    for case in cases("views"):
        layout = Layout(case["sizes"], case["strides"], case["offset"])
        for step in case["steps"]:
            layout = torch_answers.apply_view(layout, *step["call"])
            assert list(layout.sizes) == step["sizes"], (case, step)
            if layout.numel:  # an empty layout addresses nothing, wherever it starts
                assert same(layout, step["sizes"], step["strides"]), (case, step)
                assert layout.offset == step["offset"], (case, step)


def assert_rarely_differ(verdicts):
    """(case, whether it has dims of size 1, whether we agree): those without agree always."""
    differ = [case for case, _, agrees in verdicts if not agrees]
    assert not [case for case, ambiguous, agrees in verdicts if not agrees and not ambiguous]
    ambiguous = sum(ambiguous for _, ambiguous, _ in verdicts)
    assert ambiguous > 10
    assert len(differ) < 0.03 * ambiguous, differ


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("elementwise", lambda case: elementwise(*operands(case), rule="torch")),
        ("concatenate", lambda case: concatenate(operands(case), case["dim"], rule="torch")),
    ],
)
def test_results(kind, answer):
    assert_rarely_differ(
        [
            (
                case,
                any(1 in sizes for sizes, _ in case["operands"]),
                same(answer(case), case["sizes"], case["strides"]),
            )
            for case in cases(kind)
        ]
    )


def test_follows():
    assert_rarely_differ(
        [
            (
                case,
                1 in case["sizes"],
                Layout(case["sizes"], case["strides"]).follows(channels_last) == case["follows"],
            )
            for case in cases("layout")
            if "follows" in case
        ]
    )


@pytest.mark.parametrize(
    "verdicts",
    [
        [({}, True, True)] * 99 + [({}, False, False)],
        [({}, True, True)] * 96 + [({}, True, False)] * 4,
        [({}, True, True)] * 5,
    ],
)
def test_the_check_for_rare_differences_can_fail(verdicts):
    with pytest.raises(AssertionError):
        assert_rarely_differ(verdicts)


def test_the_comparison_can_fail():
    assert same(Layout((2, 1, 3)), [2, 1, 3], [3, 99, 1])
    assert not same(Layout((2, 1, 3)), [2, 1, 3], [4, 3, 1])
    assert not same(Layout((2, 1, 3)), [2, 3, 1], [3, 3, 1])
