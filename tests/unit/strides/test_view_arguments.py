"""Views refuse wrong arguments by name."""

from __future__ import annotations

import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last

NHWC = Layout.packed((2, 3, 4, 5), channels_last)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: x.permute(0, 1),
            r"permute: each of the 4 dims must be listed once; got dims=\(0, 1",
        ),
        (lambda x: x.permute(0, 1, 2, 2), r"permute: dims must not repeat; got dims=\(0, 1, 2, 2"),
        (lambda x: x.permute(0, 1, 2, 4), "permute: dim must be from -4 to 3; got dim=4"),
        (lambda x: x.permute("a", 1, 2, 3), "permute: dim must be an integer; got dim='a'"),
        (lambda x: x.transpose(0, 4), "transpose: dim must be from -4 to 3; got dim=4"),
        (lambda x: x.transpose(0, 1.0), "transpose: dim must be an integer; got dim=1.0"),
        (
            lambda x: x.transpose(0),
            r"transpose: each of the 4 dims must be listed once; got dims=\(0,",
        ),
        (lambda x: x.transpose((0, 1, 2, 2)), r"transpose: dims must not repeat; got dims=\(0, 1"),
        (lambda x: x.transpose("abcd"), "transpose: dim must be an integer; got dim='abcd'"),
        (
            lambda x: x.movedim((0, 1), 2),
            "movedim: the numbers of source and destination dims must be equal",
        ),
        (lambda x: x.movedim((0, 0), (1, 2)), "movedim: dims must not repeat"),
        (lambda x: x.squeeze(4), "squeeze: dim must be from -4 to 3; got dim=4"),
        (lambda x: x.unsqueeze(5), "unsqueeze: dim must be from -5 to 4; got dim=5"),
        (lambda x: x.select(1, 3), "select: i must be from -3 to 2; got i=3"),
        (lambda x: x.select(1, None), "select: i must be an integer; got i=None"),
        (lambda x: x.slice(1, 0, 3, 0), "slice: start, stop and step must be integers or None"),
        (lambda x: x.slice(1, 0.5), "slice: start, stop and step must be integers or None"),
        (lambda x: x.chunk(0), "chunk: n must be at least 1; got n=0"),
        (
            lambda x: Layout((0,)).chunk(2**40),
            "chunk: n must be at least 1 and, of an empty dim, at most 1048576",
        ),
        (lambda x: x.split(0), "split: size must be at least 1; got size=0"),
        (lambda x: x.split((1, 2)), r"split: sizes must add up to 2; got size=\(1, 2"),
        (lambda x: x.split((-1, 3)), "split: sizes must add up to 2"),
        (lambda x: x.expand(3, 4, 5), "expand: sizes must have at least 4 dims; got sizes="),
        (lambda x: x.expand(2, 4, 4, 5), r"expand: cannot broadcast from \(2, 3, 4, 5\); got"),
        (lambda x: x.expand(-1, 2, 3, 4, 5), "expand: cannot broadcast from"),
        (lambda x: x.expand(2, 3, 4, -2), "expand: cannot broadcast from"),
        (lambda x: x.unfold(1, 4, 1), "unfold: size must be from 0 to 3, and step at least 1; got"),
        (lambda x: x.unfold(1, 2, 0), "unfold: size must be from 0 to 3, and step at least 1"),
        (lambda x: x.diagonal(0, 1, 1), "diagonal: dims must not repeat"),
        (lambda x: x.flatten(2, 1), "flatten: a must not come after b; got a=2, b=1"),
        (lambda x: x.flip(1, -3), r"flip: dims must not repeat; got dims=\(1, -3\)"),
        (lambda x: Layout(()).flatten(1), "flatten: dim must be from -1 to 0; got dim=1"),
        (
            lambda x: x.view(7),
            r"view: sizes must multiply to 120, with at most one -1 to infer; got",
        ),
        (lambda x: x.view(-1, -1), "view: sizes must multiply to 120, with at most one -1"),
        (lambda x: x.view(-1, 7), "view: sizes must multiply to 120"),
        (lambda x: x.view(-2, -60), "view: sizes must multiply to 120"),
        (lambda x: x.view(0, -1), "view: sizes must multiply to 120"),
        (lambda x: x.offset_of(0, 0, 0), "offset_of: index must have 4 coordinates; got index="),
        (lambda x: x.offset_of(0, 3, 0, 0), r"offset_of: index\[1\] must be from -3 to 2; got"),
        (
            lambda x: Layout((0,)).offset_of(0),
            r"offset_of: index\[0\] is out of range: there are none",
        ),
        (lambda x: Layout(()).select(0, 0), "select: dim is out of range: there are none"),
        (lambda x: Layout((0, 2)).view(0, -1), "view: sizes must multiply to 0"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(LayoutError, match=message):
        call(NHWC)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.transpose(0, 4),
        lambda x: x.unsqueeze(-6),
        lambda x: x.select(0, 2),
        lambda x: x.narrow(0, 0, 3),
        lambda x: x.offset_of(2, 0, 0, 0),
        lambda x: x.offset_of(0),
    ],
)
def test_what_is_out_of_range_is_an_index_error_too(call):
    with pytest.raises(IndexError):
        call(NHWC)
