"""The cost of the layout core per call: every tensor operation uses it.

Where NumPy has the same operation on an array, it is the baseline and the expected result. `again`
cases run on layouts seen before, as the loop of a program does; `first time` cases on new sizes
each time, which no cache has. Layouts are no arrays, so the cases are not in the table of the
package.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from bench.cases import describe
from dml_vk.layout import Layout, broadcast_sizes, channels_last, coalesce, elementwise
from tests.layouts import addresses

SIZES, DEEP = (8, 16, 32, 32), (2, 3, 4, 5, 2, 3, 4, 5)
ROW_MAJOR, NHWC_STRIDES, ANY = (16384, 1024, 32, 1), (16384, 1, 512, 16), (1, 8, 128, 4096)
NCHW, NHWC, RANK_8 = Layout(SIZES), Layout(SIZES, NHWC_STRIDES), Layout(DEEP)
BIAS, SCALAR = Layout((16, 1, 1)), Layout(())
nchw, nhwc, rank_8, bias = map(addresses, (NCHW, NHWC, RANK_8, BIAS))
flat = nchw.ravel()


def strided(strides, sizes=SIZES):
    return np.ndarray(sizes, flat.dtype, flat, 0, [stride * 8 for stride in strides])


# group: {case: (ours, NumPy's, or the answer where NumPy has no such operation)}
CASES = {
    "construct": {
        "packed": (lambda: Layout(SIZES), NCHW),
        "row-major strides": (lambda: Layout(SIZES, ROW_MAJOR), lambda: strided(ROW_MAJOR)),
        "channels_last strides": (
            lambda: Layout(SIZES, NHWC_STRIDES),
            lambda: strided(NHWC_STRIDES),
        ),
        "any strides": (lambda: Layout(SIZES, ANY), lambda: strided(ANY)),
        "order": (lambda: Layout(SIZES, order=channels_last), NHWC),
        "name": (lambda: Layout.packed(SIZES, "NHWC"), NHWC),
        "size 1": (lambda: Layout((1, 16, 32, 32)), Layout((1, 16, 32, 32), (0, *ROW_MAJOR[1:]))),
        "rank 8": (lambda: Layout(DEEP, RANK_8.strides), RANK_8),
    },
    "view operations": {
        "permute": (lambda: NHWC.permute(0, 2, 3, 1), lambda: nhwc.transpose(0, 2, 3, 1)),
        "transpose": (lambda: NHWC.transpose(1, 2), lambda: nhwc.swapaxes(1, 2)),
        "movedim": (lambda: NHWC.movedim(1, -1), lambda: np.moveaxis(nhwc, 1, -1)),
        "unsqueeze": (lambda: NHWC.unsqueeze(0), lambda: np.expand_dims(nhwc, 0)),
        "squeeze": (lambda: BIAS.squeeze(1), lambda: bias.squeeze(1)),
        "select": (lambda: NHWC.select(0, 1), lambda: nhwc[1]),
        "slice": (lambda: NHWC.slice(2, 1, 9, 2), lambda: nhwc[:, :, 1:9:2]),
        "narrow": (lambda: NHWC.narrow(1, 2, 3), lambda: nhwc[:, 2:5]),
        "expand": (lambda: BIAS.expand(SIZES), lambda: np.broadcast_to(bias, SIZES)),
        "flip": (lambda: NHWC.flip(2), lambda: np.flip(nhwc, 2)),
        "unfold": (lambda: NHWC.unfold(2, 3, 1), lambda: sliding_window_view(nhwc, 3, 2)),
        "diagonal": (lambda: NHWC.diagonal(0, 2, 3), lambda: nhwc.diagonal(0, 2, 3)),
        "block": (
            lambda: NCHW.block("nChw8c"),
            Layout((8, 2, 32, 32, 8), (16384, 8192, 32, 1, 1024), order=(0, 1, 4, 2, 3)),
        ),
        "permute, rank 8": (
            lambda: RANK_8.permute(7, 6, 5, 4, 3, 2, 1, 0),
            lambda: rank_8.transpose(7, 6, 5, 4, 3, 2, 1, 0),
        ),
    },
    "view": {
        "merge": (lambda: NCHW.view(8, 16, 1024), lambda: nchw.reshape(8, 16, 1024)),
        "cut": (lambda: NHWC.view(8, 4, 4, 32, 32), lambda: nhwc.reshape(8, 4, 4, 32, 32)),
        "flatten": (lambda: NCHW.flatten(1), lambda: nchw.reshape(8, -1)),
        "same sizes": (lambda: NHWC.view(SIZES), lambda: nhwc.reshape(SIZES)),
    },
    "elementwise": {
        "three alike": (lambda: elementwise(NHWC, NHWC, NHWC), NHWC),
        "three, mixed orders": (lambda: elementwise(NHWC, NCHW, NHWC), NHWC),
        "three, broadcast": (lambda: elementwise(NHWC, BIAS, SCALAR), NHWC),
        "three of rank 8": (lambda: elementwise(RANK_8, RANK_8, RANK_8), RANK_8),
        "three alike, torch": (lambda: elementwise(NHWC, NHWC, NHWC, rule="torch"), NHWC),
        "three, broadcast, torch": (lambda: elementwise(NHWC, BIAS, SCALAR, rule="torch"), NHWC),
        "sizes alone": (
            lambda: broadcast_sizes(SIZES, (16, 1, 1), ()),
            lambda: np.broadcast_shapes(SIZES, (16, 1, 1), ()),
        ),
    },
    "coalesce": {
        "one": (lambda: coalesce(NHWC), (Layout((8, 16, 1024), (16384, 1, 16)),)),
        "three alike": (lambda: coalesce(NCHW, NCHW, NCHW), (Layout((131072,)),) * 3),
        "two orders": (
            lambda: coalesce(NHWC, NCHW),
            (Layout((8, 16, 1024), (16384, 1, 16)), Layout((8, 16, 1024))),
        ),
    },
    "question": {
        "is_contiguous": (lambda: NCHW.is_contiguous(), lambda: nchw.flags.c_contiguous),
        "is_packed": (lambda: NHWC.is_packed, True),
        "overlaps": (lambda: NHWC.overlaps, False),
        "to": (lambda: NCHW.to(channels_last), (NHWC, True)),
        "hash": (lambda: hash(NHWC), hash(Layout.packed(SIZES, "NHWC"))),
    },
}
ROWS = [
    (group, case, who)
    for group, cases in CASES.items()
    for case, (_, theirs) in cases.items()
    for who in (("dml_vk", "numpy") if callable(theirs) else ("dml_vk",))
]


@pytest.mark.parametrize(("group", "case", "who"), ROWS)
def test_again(benchmark, group, case, who):
    describe(benchmark, group, case, who)
    ours, theirs = CASES[group][case]
    benchmark(ours if who == "dml_vk" else theirs)
    answer, expected = ours(), theirs() if callable(theirs) else theirs
    if isinstance(expected, np.ndarray):
        assert answer.offsets() == expected.ravel().tolist()
    else:
        assert answer == expected


FIRST_TIME = {
    "construct": lambda sizes: Layout(sizes, ANY),
    "view": lambda sizes: Layout(sizes).view(-1),
    "diagonal": lambda sizes: Layout(sizes).diagonal(),
    "elementwise, mixed orders": lambda sizes: elementwise(
        Layout(sizes), Layout(sizes, order=channels_last), Layout(sizes, order=(3, 2, 1, 0))
    ),
    "elementwise, broadcast, torch": lambda sizes: elementwise(
        Layout(sizes, order=channels_last), BIAS, SCALAR, rule="torch"
    ),
    "coalesce": lambda sizes: coalesce(Layout(sizes), Layout(sizes, order=channels_last)),
    "overlaps": lambda sizes: Layout(sizes, (16384, 1, 512, 16)).overlaps,
}


@pytest.mark.parametrize("case", FIRST_TIME)
def test_first_time(benchmark, case):
    describe(benchmark, "first time, operands built too", case, "dml_vk")
    sizes = ((n, 16, 32, 32) for n in itertools.count(2))
    call = FIRST_TIME[case]
    answer = benchmark.pedantic(call, setup=lambda: ((next(sizes),), {}), rounds=5000)
    assert answer == call((5001, 16, 32, 32)), "the last of 5000 was of size 5001"
