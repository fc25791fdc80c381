"""What the layout core costs a call: every tensor operation goes through it.

Where NumPy has the same operation on an array it stands beside ours, as the baseline and as the
answer. `again` cases run on layouts seen before, as the loop of a program does; `first time` cases
on ever new sizes, which no cache knows.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from dml_vk.layout import Layout, channels_last, coalesce, elementwise
from tests.layouts import addresses

SIZES, DEEP = (8, 16, 32, 32), (2, 3, 4, 5, 2, 3, 4, 5)
ROW_MAJOR, NHWC_STRIDES, ANY = (16384, 1024, 32, 1), (16384, 1, 512, 16), (1, 8, 128, 4096)
NCHW, NHWC, RANK_8 = Layout(SIZES), Layout(SIZES, NHWC_STRIDES), Layout(DEEP)
BIAS, SCALAR, ONE = Layout((16, 1, 1)), Layout(()), Layout((1, 16, 32, 32))
nchw, nhwc, rank_8, bias, scalar = map(addresses, (NCHW, NHWC, RANK_8, BIAS, SCALAR))
flat = nchw.ravel()


def strided(strides, sizes=SIZES):
    return np.ndarray(sizes, flat.dtype, flat, 0, [stride * 8 for stride in strides])


# group: {case: (ours, NumPy's or None)}
CASES = {
    "construct": {
        "packed": (lambda: Layout(SIZES), None),
        "row-major strides": (lambda: Layout(SIZES, ROW_MAJOR), lambda: strided(ROW_MAJOR)),
        "channels_last strides": (
            lambda: Layout(SIZES, NHWC_STRIDES),
            lambda: strided(NHWC_STRIDES),
        ),
        "any strides": (lambda: Layout(SIZES, ANY), lambda: strided(ANY)),
        "order": (lambda: Layout(SIZES, order=channels_last), None),
        "name": (lambda: Layout.packed(SIZES, "NHWC"), None),
        "size 1": (lambda: Layout((1, 16, 32, 32)), None),
        "rank 8": (lambda: Layout(DEEP, RANK_8.strides), None),
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
        "block": (lambda: NCHW.block("nChw8c"), None),
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
        "three alike": (lambda: elementwise(NHWC, NHWC, NHWC), None),
        "three, mixed orders": (lambda: elementwise(NHWC, NCHW, NHWC), None),
        "three, broadcast": (
            lambda: elementwise(NHWC, BIAS, SCALAR),
            lambda: np.broadcast(nhwc, bias, scalar).shape,
        ),
        "three of rank 8": (lambda: elementwise(RANK_8, RANK_8, RANK_8), None),
        "three alike, torch": (lambda: elementwise(NHWC, NHWC, NHWC, rule="torch"), None),
        "three, broadcast, torch": (lambda: elementwise(NHWC, BIAS, SCALAR, rule="torch"), None),
    },
    "coalesce": {
        "one": (lambda: coalesce(NHWC), None),
        "three alike": (lambda: coalesce(NCHW, NCHW, NCHW), None),
        "two orders": (lambda: coalesce(NHWC, NCHW), None),
    },
    "question": {
        "is_contiguous": (lambda: NCHW.is_contiguous(), lambda: nchw.flags.c_contiguous),
        "is_packed": (lambda: NHWC.is_packed, None),
        "overlaps": (lambda: NHWC.overlaps, None),
        "to": (lambda: NCHW.to(channels_last), None),
        "hash": (lambda: hash(NHWC), None),
    },
}
ROWS = [
    (group, f"{case} ({whose})", index)
    for group, cases in CASES.items()
    for case, calls in cases.items()
    for index, whose in enumerate(("ours", "numpy"))
    if calls[index]
]


@pytest.mark.parametrize(
    ("group", "row", "index"), ROWS, ids=[f"{group}: {row}" for group, row, _ in ROWS]
)
def test_again(benchmark, group, row, index):
    benchmark.group = group
    calls = CASES[group][row.rsplit(" (", 1)[0]]
    answer = benchmark(calls[index])
    if index and isinstance(answer, np.ndarray):
        assert calls[0]().offsets() == answer.ravel().tolist()
    elif index:
        ours = calls[0]()
        assert answer == (ours.sizes if isinstance(ours, Layout) else ours)
    else:
        assert answer == calls[0]()


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
    benchmark.group = "first time, operands built too"
    sizes = ((n, 16, 32, 32) for n in itertools.count(2))
    call = FIRST_TIME[case]
    answer = benchmark.pedantic(call, setup=lambda: ((next(sizes),), {}), rounds=5000)
    assert answer == call((5001, 16, 32, 32)), "the last of 5000 was of size 5001"
