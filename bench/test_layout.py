"""What the layout core costs a call: every tensor operation goes through it.

Each case runs on layouts seen before, as the loop of a program does, and `first time` cases on
ever new sizes, which no cache knows.
"""

from __future__ import annotations

import itertools

import pytest

from dml_vk.layout import Layout, channels_last, coalesce, elementwise

SIZES = (8, 16, 32, 32)
NCHW = Layout(SIZES)
NHWC = Layout.packed(SIZES, channels_last)
BIAS = Layout((16, 1, 1))
SCALAR = Layout(())

CASES = {
    "construct": {
        "packed": lambda: Layout(SIZES),
        "row-major strides": lambda: Layout(SIZES, (16384, 1024, 32, 1)),
        "channels_last strides": lambda: Layout(SIZES, (16384, 1, 512, 16)),
        "any strides": lambda: Layout(SIZES, (1, 8, 128, 4096)),
        "order": lambda: Layout(SIZES, order=channels_last),
        "name": lambda: Layout.packed(SIZES, "NHWC"),
        "size 1": lambda: Layout((1, 16, 32, 32)),
    },
    "view operations": {
        "permute": lambda: NHWC.permute(0, 2, 3, 1),
        "transpose": lambda: NHWC.transpose(1, 2),
        "movedim": lambda: NHWC.movedim(1, -1),
        "unsqueeze": lambda: NHWC.unsqueeze(0),
        "squeeze": lambda: BIAS.squeeze(1),
        "select": lambda: NHWC.select(0, 1),
        "slice": lambda: NHWC.slice(2, 1, 9, 2),
        "narrow": lambda: NHWC.narrow(1, 2, 3),
        "expand": lambda: BIAS.expand(SIZES),
        "flip": lambda: NHWC.flip(2),
        "unfold": lambda: NHWC.unfold(2, 3, 1),
        "diagonal": lambda: NHWC.diagonal(0, 2, 3),
        "block": lambda: NCHW.block("nChw8c"),
    },
    "view": {
        "merge": lambda: NCHW.view(8, 16, 1024),
        "cut": lambda: NHWC.view(8, 4, 4, 32, 32),
        "flatten": lambda: NCHW.flatten(1),
        "same sizes": lambda: NHWC.view(SIZES),
    },
    "elementwise": {
        "three alike": lambda: elementwise(NHWC, NHWC, NHWC),
        "three, mixed orders": lambda: elementwise(NHWC, NCHW, NHWC),
        "three, broadcast": lambda: elementwise(NHWC, BIAS, SCALAR),
        "three alike, torch": lambda: elementwise(NHWC, NHWC, NHWC, rule="torch"),
        "three, broadcast, torch": lambda: elementwise(NHWC, BIAS, SCALAR, rule="torch"),
    },
    "coalesce": {
        "one": lambda: coalesce(NHWC),
        "three alike": lambda: coalesce(NCHW, NCHW, NCHW),
        "two orders": lambda: coalesce(NHWC, NCHW),
    },
    "question": {
        "is_contiguous": lambda: NHWC.is_contiguous(channels_last),
        "is_packed": lambda: NHWC.is_packed,
        "overlaps": lambda: NHWC.overlaps,
        "to": lambda: NCHW.to(channels_last),
        "hash": lambda: hash(NHWC),
        "equal": lambda: NHWC.like() == NHWC,
    },
}


@pytest.mark.parametrize(
    ("group", "case"), [(group, case) for group, cases in CASES.items() for case in cases]
)
def test_seen_before(benchmark, group, case):
    benchmark.group = group
    assert benchmark(CASES[group][case]) is not None


FIRST_TIME = {
    "construct": lambda sizes: Layout(sizes, (1, 8, 128, 4096)),
    "view": lambda sizes: Layout(sizes).view(-1),
    "elementwise": lambda sizes: elementwise(*[Layout(sizes, order=(3, 2, 1, 0))] * 3),
    "coalesce": lambda sizes: coalesce(*[Layout(sizes)] * 3),
    "overlaps": lambda sizes: Layout(sizes, (16384, 1, 512, 16)).overlaps,
}


@pytest.mark.parametrize("case", FIRST_TIME)
def test_first_time(benchmark, case):
    benchmark.group = "first time, construction included"
    sizes = ((n, 16, 32, 32) for n in itertools.count(2))
    call = FIRST_TIME[case]
    benchmark.pedantic(call, setup=lambda: ((next(sizes),), {}), rounds=5000)
    assert call((8, 16, 32, 32)) == call((8, 16, 32, 32))
