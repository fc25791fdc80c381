"""Copies from one device to another: through the host, in pieces that all three work on at once."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceError
from dml_vk.layout import channels_last
from dml_vk.runtime import transfer
from tests.chance import chance
from tests.kernel.memory import bits
from tests.kernel.runtime.test_device import WAYS, open_by


@pytest.fixture(scope="module")
def devices():
    return {way: open_by(way) for way in WAYS}


@pytest.fixture(params=itertools.product(WAYS, WAYS), ids="-".join)
def pair(request, devices):
    source, target = (devices[way] for way in request.param)
    return source, open_by(request.param[1]) if source is target else target


def random(shape, kind):
    nbytes = int(np.prod(shape)) * np.dtype(kind).itemsize
    below = 2 if kind is np.bool_ else 256
    return chance().integers(0, below, nbytes, np.uint8).view(kind).reshape(shape)


@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.float16, np.int64, np.complex128])
def test_elements_arrive_in_pieces_with_their_bits_and_order(pair, kind, monkeypatch):
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 1000)
    source, target = pair
    x = dml_vk.asarray(random((5, 3, 7, 11), kind), device=source, memory_format=channels_last)
    views = {
        "whole": x,
        "in the middle": x[1:4],
        "at an odd byte": x[2, 1, 3, 5:],
        "with gaps": x[:, ::2, :, 1::3],
        "backwards": x[::-1, :, ::-1],
        "broadcast": x[:1, :, :1].expand(4, 3, 7, 11),
        "turned": x.permute(3, 0, 2, 1),
        "one": x[4, 2, 6, 10],
        "none": x[:0],
    }
    for name, view in views.items():
        y = view.to(device=target)
        assert y.device is target, name
        assert np.array_equal(bits(y.numpy()), bits(view.numpy())), name
        assert y.layout == view.layout.like(), name


def test_pieces_are_read_copied_and_written_at_the_same_time(devices, monkeypatch):
    """The device copies piece n + 1 before the host waits for piece n."""
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 4096)
    source, target = devices["staged"], open_by("staged")
    x = dml_vk.asarray(random((3, 1024), np.float32), device=source)
    source.synchronize()
    happened = []
    copy, seen = transfer._copy, transfer._seen

    def copying(device, *given):
        happened.append("out" if device is source else "in")
        copy(device, *given)

    def seeing(device, staging):
        happened.append("read")
        return seen(device, staging)

    monkeypatch.setattr(transfer, "_copy", copying)
    monkeypatch.setattr(transfer, "_seen", seeing)
    y = x.to_device(target)
    assert happened == ["out", "out", "read", "in", "out", "read", "in", "read", "in"]
    assert np.array_equal(bits(y.numpy()), bits(x.numpy()))


def test_what_is_pending_is_waited_for_and_later_work_changes_nothing(pair):
    source, target = pair
    x = dml_vk.asarray(np.arange(1, 1001, dtype=np.float32), device=source)
    y = x * 2.0
    z = y.to(device=target)
    y += 1.0
    assert z.tolist() == list(range(2, 2002, 2))
    z *= 0.5
    assert (y - 1.0).tolist() == list(range(2, 2002, 2))


def test_a_move_is_a_copy_of_the_host_which_a_strict_trace_lets_pass(devices):
    source, target = devices["mapped"], devices["staged"]
    x = dml_vk.asarray(np.ones((2, 3, 4, 5), np.float32), device=source)
    with dml_vk.trace(strict=True) as log:
        x.permute(0, 2, 3, 1).to(device=target)
        x[..., ::2].to(device=target)
    assert {entry.reason for entry in log.entries} == {"host"}
    assert log.entries[0].op == "to"
    assert [entry.nbytes for entry in log.entries if entry.op == "to"][:1] == [480]


def test_an_operation_says_how_operands_come_together(devices):
    x, y = (dml_vk.ones(3, device=devices[way]) for way in ("mapped", "staged"))
    with pytest.raises(DeviceError, match=r"add: .*x\.to\(device=\.\.\.\) makes a copy"):
        x + y
    assert (x.to(device=y.device) + y).tolist() == [2.0] * 3


def test_a_compiled_function_does_not_move_tensors(devices):
    other = devices["staged"]
    moved = dml_vk.compile(lambda x: x.to(device=other))
    with pytest.raises(DeviceError, match="a compiled function runs on one device"):
        moved(dml_vk.ones(3))


def test_others_move_tensors_while_a_function_is_captured(devices):
    x, found = dml_vk.arange(3), []

    def move():
        found.append(x.to(device=devices["staged"]).tolist())

    @dml_vk.compile
    def function(y):
        other = threading.Thread(target=move)
        other.start()
        other.join()
        return y + 1

    assert function(x).tolist() == [1, 2, 3]
    assert found == [[0, 1, 2]]
