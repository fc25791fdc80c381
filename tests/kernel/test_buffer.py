"""Buffer: bytes on a device, written, read, filled, copied and seen as tensors."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.directml import DataType
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout, channels_last
from tests.integration.process import says

SIZES = [1, 3, 4, 7, 255, 256, 257, 100_003]


def filled(nbytes, seed=0, device=None):
    data = np.random.default_rng(seed).integers(1, 256, nbytes, np.uint8)
    buffer = dml_vk.Buffer(nbytes, device)
    buffer.write(data)
    return buffer, data


@pytest.fixture(params=["seen", "staged", "bar"])
def device(request):
    return request.getfixturevalue(request.param)


def test_directml_buffer_is_the_same_class():
    assert dml_vk.directml.Buffer is dml_vk.Buffer
    buffer = dml_vk.Buffer(5)
    assert (buffer.nbytes, buffer.device) == (5, dml_vk.default_device())
    assert repr(buffer) == f"Buffer(5, device={buffer.device.name!r})"


@pytest.mark.parametrize("nbytes", SIZES)
def test_parts_are_written_and_read(device, nbytes):
    buffer, data = filled(nbytes, device=device)
    assert buffer.read().tolist() == data.tolist()
    half = nbytes // 2
    assert buffer.read(offset=half).tolist() == data[half:].tolist()
    assert buffer.read(half).tolist() == data[:half].tolist()
    assert buffer.read(nbytes - half, half).tolist() == data[half:].tolist()
    buffer.write(b"\xff", half)
    data[half] = 255
    assert buffer.read().tolist() == data.tolist()


@pytest.mark.parametrize("dtype", ["int16", np.int16, np.dtype("int16"), DataType.INT16])
def test_bytes_are_read_as_elements(dtype):
    buffer, data = filled(24)
    expected = data.view(np.int16)
    for found in (buffer.read(dtype), buffer.read(dtype=dtype), buffer.read(24, dtype=dtype)):
        assert found.dtype == np.int16
        assert found.tolist() == expected.tolist()
    assert buffer.read(4, 2, dtype=dtype).tolist() == expected[1:3].tolist()


@pytest.mark.parametrize("nbytes", SIZES)
def test_fill_writes_words_into_the_buffer_only(device, nbytes):
    before, after = filled(256, 1, device), None
    buffer = dml_vk.Buffer(nbytes, device)
    after = filled(256, 2, device)
    for word in (0x01020304, -2, 2**32 - 1, 7):
        buffer.fill(word)
        expected = np.full(-(-nbytes // 4), word % 2**32, np.uint32).view(np.uint8)[:nbytes]
        assert buffer.read().tolist() == expected.tolist()
    for neighbour, data in (before, after):
        assert neighbour.read().tolist() == data.tolist()


@pytest.mark.parametrize("nbytes", SIZES)
def test_a_buffer_is_copied_from_another(device, nbytes):
    source, data = filled(nbytes, 3, device)
    target = dml_vk.Buffer(nbytes, device)
    with dml_vk.trace(strict=True) as log:
        target.copy_from(source)
    assert [(entry.op, entry.reason) for entry in log.entries] == [("Buffer.copy_from", "asked")]
    source.fill(0)
    assert target.read().tolist() == data.tolist()
    target.copy_from(target)
    assert target.read().tolist() == data.tolist()


def test_a_buffer_is_copied_from_another_device(seen, staged):
    source, data = filled(1001, 4, seen)
    target = dml_vk.Buffer(1001, staged)
    target.copy_from(source)
    assert target.read().tolist() == data.tolist()


def test_map_gives_the_buffers_memory(device):
    buffer, data = filled(1000, 5, device)
    with buffer.map() as array:
        assert (array.dtype, array.tolist()) == (np.uint8, data.tolist())
        array[::3] = 9
    data[::3] = 9
    assert buffer.read().tolist() == data.tolist()


def test_tensors_over_a_buffer_share_its_memory():
    buffer = dml_vk.Buffer(4 * 120)
    layout = Layout.packed((2, 3, 4, 5), channels_last)
    x = buffer.tensor(layout, "float32")
    array = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
    x[...] = dml_vk.asarray(array)
    assert (x.layout, x.dtype, x.device) == (layout, dml_vk.float32, buffer.device)
    assert buffer.read("float32").tolist() == array.transpose(0, 2, 3, 1).ravel().tolist()
    flat = buffer.tensor((60,), DataType.FLOAT64)
    assert (flat.layout, flat.dtype) == (Layout((60,)), dml_vk.float64)
    buffer.fill(0x40000000)
    assert x.tolist() == np.full((2, 3, 4, 5), 2.0).tolist()
    del buffer
    assert (x + x).numpy().max() == 4


def test_a_buffer_is_on_the_requested_device(staged):
    with staged:
        assert dml_vk.Buffer(4).device is staged
    assert dml_vk.Buffer(4, staged).device is staged


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda b: dml_vk.Buffer(0), LayoutError, "^Buffer: nbytes"),
        (lambda b: dml_vk.Buffer(1.5), LayoutError, "^Buffer: nbytes"),
        (lambda b: b.write(b"123", 6), LayoutError, r"^Buffer\.write: .* 8 bytes"),
        (lambda b: b.write("abc"), DTypeError, r"^Buffer\.write: .*data='str'"),
        (lambda b: b.read(5, 4), LayoutError, r"^Buffer\.read: .* 8 bytes"),
        (lambda b: b.read(-1), LayoutError, r"^Buffer\.read: .*nbytes=-1"),
        (lambda b: b.read(offset=9), LayoutError, r"^Buffer\.read: .*offset=9"),
        (lambda b: b.read(3, dtype="int16"), LayoutError, r"^Buffer\.read: .* 3 bytes"),
        (lambda b: b.read("int7"), DTypeError, r"^Buffer\.read: .*dtype='int7'"),
        (lambda b: b.read(1.5), LayoutError, r"^Buffer\.read: .*nbytes=1.5"),
        (lambda b: b.fill(2**32), RangeError, r"^Buffer\.fill: .*word=4294967296"),
        (lambda b: b.fill(1.0), LayoutError, r"^Buffer\.fill: .*word=1.0"),
        (lambda b: b.copy_from(b"12345678"), DTypeError, r"^Buffer\.copy_from: .*buffer='bytes'"),
        (lambda b: b.copy_from(dml_vk.Buffer(9)), LayoutError, r"^Buffer\.copy_from: .* 8 bytes"),
        (lambda b: b.tensor((3,), "float32"), LayoutError, r"^Buffer\.tensor: .* 8 bytes"),
        (lambda b: b.tensor((2,), "complex32"), DTypeError, r"^Buffer\.tensor: "),
        (lambda b: b.tensor(2, "float32"), LayoutError, r"^Buffer\.tensor: layout"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(call, kind, said):
    buffer, data = filled(8, 6)
    with pytest.raises(kind, match=said):
        call(buffer)
    assert buffer.read().tolist() == data.tolist()


def test_tensors_over_it_have_their_methods_whatever_was_imported():
    says("print((dml_vk.Buffer(4).tensor((0,), 'float32') + 1).shape)", "(0,)")


def test_a_dtype_is_given_once():
    with pytest.raises(LayoutError, match=r"^Buffer\.read: dtype must be given once; got nbytes="):
        filled(8)[0].read("float32", dtype="int8")


def test_sizes_that_are_none_are_refused_as_the_layout():
    with pytest.raises(LayoutError, match=r"^Buffer\.tensor: .*; got layout="):
        filled(8)[0].tensor((2, -1), "uint8")


def test_a_tensor_is_a_view_of_a_buffer(device):
    x = dml_vk.asarray(np.arange(1, 7, dtype=np.int32).reshape(2, 3), device=device)
    buffer = x.T[1:].buffer
    assert (buffer.nbytes, buffer.device) == (24, x.device)
    assert buffer.read("int32").tolist() == [1, 2, 3, 4, 5, 6]
    buffer.write(np.int32([70]), offset=4)
    assert x.tolist() == [[1, 70, 3], [4, 5, 6]]
    assert buffer.tensor(x.layout, x.dtype).tolist() == x.tolist()
    del x
    assert buffer.tensor((3, 2), "int32").tolist() == [[1, 70], [3, 4], [5, 6]]
    assert dml_vk.Buffer(8, device).tensor((2,), "int32").buffer.nbytes == 8


def test_a_tensor_without_elements_has_no_bytes():
    assert dml_vk.empty((0, 3)).buffer.read().size == 0


@pytest.mark.parametrize("module", ["buffer", "tensor.core", "array.math.elementwise", "linalg"])
def test_tensors_have_their_methods_whichever_module_comes_first(module):
    says(f"import dml_vk.{module}, dml_vk.buffer as b; print(hasattr(b.Tensor, 'sum'))", "True")
