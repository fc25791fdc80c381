"""Arrays in memory of the host that a device copies from and to, on each kind of memory."""

# ruff: noqa: F811 (fixtures of another file)

from __future__ import annotations

import gc

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import CaptureError, DeviceMemoryError, DTypeError, LayoutError
from dml_vk.runtime import transfer
from tests.kernel.runtime.test_device import both, on  # noqa: F401


@pytest.fixture
def moved(monkeypatch):
    """The bytes that the host writes in transfers."""
    found = []
    move = transfer.move
    written = transfer.written

    def counted(device, allocation, start, nbytes):
        found.append(nbytes)
        return written(device, allocation, start, nbytes)

    monkeypatch.setattr(transfer, "move", lambda a, b: found.append(a.nbytes) or move(a, b))
    monkeypatch.setattr(transfer, "written", counted)
    return found


def numbers(shape, kind):
    return np.random.default_rng(len(shape)).integers(1, 100, shape).astype(kind)


@pytest.mark.parametrize("kind", ["uint8", "float16", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(1,), (7,), (5, 3, 4, 2), (257, 129)])
def test_values_come_and_go(on, kind, shape, moved):
    host = dml_vk.pinned(shape, kind, device=on)
    assert type(host) is np.ndarray
    assert (host.shape, host.dtype.name) == (shape, kind)
    host[...] = numbers(shape, kind)
    x = dml_vk.asarray(host, device=on)
    host[...] = 3  # which x must not see
    back = dml_vk.pinned(shape, kind, device=on)
    assert x.numpy(out=back) is back
    np.testing.assert_array_equal(back, numbers(shape, kind))
    assert (moved == []) == (not on.unified)


def test_more_than_a_chunk_and_parts_of_an_array(on, monkeypatch, moved):
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 4096)
    host = dml_vk.pinned((3, 5000), "int32", device=on)
    host[...] = numbers((3, 5000), "int32")
    x = dml_vk.asarray(host[1, 17:], device=on)
    back = dml_vk.pinned((6000,), "int32", device=on)
    back[:] = -1
    x.numpy(out=back[13 : 13 + x.size])
    expected = np.full(6000, -1, "int32")
    expected[13 : 13 + x.size] = numbers((3, 5000), "int32")[1, 17:]
    np.testing.assert_array_equal(back, expected)
    assert (moved == []) == (not on.unified)


def test_formats_and_layouts(on):
    host = dml_vk.pinned((2, 3, 4, 5), device=on)
    host[...] = numbers((2, 3, 4, 5), "float32")
    for given in (host, host[:, ::2], host[::-1], host.transpose(0, 2, 3, 1), host[..., None]):
        x = dml_vk.asarray(given, device=on)
        np.testing.assert_array_equal(x.numpy(), given)
        into = dml_vk.pinned(given.shape, device=on)
        np.testing.assert_array_equal(x.numpy(out=into), given)
        last = dml_vk.asarray(given, "float64", device=on)
        np.testing.assert_array_equal(last.numpy(), given)
    x = dml_vk.asarray(host, device=on).contiguous(memory_format=dml_vk.channels_last)
    rows = dml_vk.pinned((2, 4, 5, 3), device=on)
    for out in (rows.transpose(0, 3, 1, 2), dml_vk.pinned((2, 3, 4, 5), device=on)):
        np.testing.assert_array_equal(x.numpy(out=out), host)
    part = x[1:, 1:, ::2, 3:]
    out = dml_vk.pinned(part.shape, device=on)
    np.testing.assert_array_equal(part.numpy(out=out), host[1:, 1:, ::2, 3:])


@pytest.mark.parametrize("kind", ["uint8", "int16", "float64"])
def test_parts_that_begin_within_a_word(on, kind):
    host = dml_vk.pinned((41,), kind, device=on)
    for start in range(5):
        host[:] = numbers((41,), kind)
        x = dml_vk.asarray(host[start : start + 30], device=on)
        for first in range(5):
            part = x[first:]
            out = host[3 : 3 + part.size]
            expected = numbers((41,), kind)
            expected[3 : 3 + part.size] = expected[start + first : start + 30].copy()
            part.numpy(out=out)
            np.testing.assert_array_equal(host, expected)
            host[:] = numbers((41,), kind)


def test_any_array_of_the_shape_and_dtype_can_be_written_to(on):
    x = dml_vk.asarray(numbers((4, 6), "float32"), device=on)
    for out in (
        np.empty((4, 6), "f4"),
        np.empty((6, 4), "f4").T,
        np.empty((8, 12), "f4")[::2, ::2],
    ):
        assert x.numpy(out=out) is out
        np.testing.assert_array_equal(out, numbers((4, 6), "float32"))
    empty = np.empty((0, 3), "f4")
    assert dml_vk.empty((0, 3), device=on).numpy(out=empty) is empty


def test_memory_lives_as_long_as_an_array_of_it(on):
    before = on.memory_stats()
    host = dml_vk.pinned((2**20,), "uint8", device=on)
    part = host[5:9]
    part[:] = [1, 2, 3, 4]
    del host
    gc.collect()
    others = [dml_vk.pinned((2**20,), "uint8", device=on) for _ in range(3)]
    for other in others:
        other[:] = 9
    assert part.tolist() == [1, 2, 3, 4]
    del part, other, others
    gc.collect()
    after = on.memory_stats()
    assert after.in_use == before.in_use


def test_pending_work_is_done_before_the_host_reads_or_writes(on):
    host, back = (dml_vk.pinned((1000,), "int32", device=on) for _ in range(2))
    for step in range(20):
        host[:] = step
        x = dml_vk.asarray(host, device=on)
        for _ in range(5):
            x += 1
        x.numpy(out=back)
        assert (back == step + 5).all()


def test_what_cannot_be():
    for shape in ((0,), (3, 0, 2)):
        assert dml_vk.pinned(shape, "int8").shape == shape
    assert dml_vk.pinned((), "int8").shape == ()
    with pytest.raises(DTypeError, match="pinned"):
        dml_vk.pinned((2,), "bfloat")
    with pytest.raises(LayoutError, match="pinned"):
        dml_vk.pinned((-1,))
    with pytest.raises(DeviceMemoryError, match="pinned"):
        dml_vk.pinned((2**40,))
    x = dml_vk.ones((2, 3))
    frozen = np.empty((2, 3), "f4")
    frozen.flags.writeable = False
    for out in (np.empty((3, 2), "f4"), np.empty((2, 3)), frozen, [[1, 2, 3]] * 2):
        with pytest.raises(LayoutError, match="numpy: out must be a NumPy array of the tensor's"):
            x.numpy(out=out)


def test_arrays_of_another_device_go_through_the_host(both):
    host = dml_vk.pinned((100,), device=both["staged"])
    host[:] = 7
    assert (dml_vk.asarray(host, device=both["mapped"]).numpy() == 7).all()
    dml_vk.full((100,), 8.0, device=both["mapped"]).numpy(out=host)
    assert (host == 8).all()


def test_a_program_keeps_what_it_was_given_when_it_was_captured():
    host = dml_vk.pinned((4,))
    host[:] = 2
    program = dml_vk.compile(lambda x: x + dml_vk.asarray(host))
    x = dml_vk.ones((4,))
    assert program(x).tolist() == [3] * 4
    host[:] = 9
    assert program(x).tolist() == [3] * 4


def test_values_cannot_be_asked_for_while_a_function_is_captured():
    host = dml_vk.pinned((4,))

    @dml_vk.compile
    def function(x):
        x.numpy(out=host)
        return x

    with pytest.raises(CaptureError, match="numpy: values are not known"):
        function(dml_vk.ones((4,)))
