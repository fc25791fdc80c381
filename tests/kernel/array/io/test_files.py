"""Files: tensors come back with their formats, and NumPy and dml_vk read each other's."""

from __future__ import annotations

import errno
import io
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given

import dml_vk
from dml_vk.array.io import files
from dml_vk.array.io.files import ORDER
from dml_vk.dtypes import DTYPES
from dml_vk.errors import DeviceMemoryError, DmlVkError, DTypeError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.tensors import assert_same, tensor_over

GRID = np.arange(1, 121, dtype=np.int16).reshape(2, 3, 4, 5)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_every_dtype_both_ways(tmp_path, dtype):
    array = (GRID % 2 == 0 if dtype.kind == "b" else GRID).astype(dtype.numpy_name)
    x = dml_vk.asarray(array, memory_format=channels_last)
    dml_vk.save(tmp_path / "x.npy", x)
    theirs = np.load(tmp_path / "x.npy")
    assert theirs.dtype == array.dtype
    assert np.array_equal(theirs, array)
    found = dml_vk.load(tmp_path / "x.npy", device=dml_vk.device())
    assert found.layout == x.layout
    assert_same(found, array)
    np.save(tmp_path / "y.npy", array)
    assert_same(dml_vk.load(str(tmp_path / "y.npy")), array)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@tier.examples(60)
@given(layout=layouts())
def test_any_layout_keeps_its_order(folder, layout):
    x, array = tensor_over(layout, 2)
    path = folder / "any.npy"
    dml_vk.save(path, x)
    found = dml_vk.load(path)
    assert_same(found, array)
    assert found.layout == Layout.packed(layout.sizes, layout.order)
    theirs = np.load(path)
    assert np.array_equal(theirs, array)
    dml_vk.save(path.with_suffix(".npz"), x)
    assert dml_vk.load(path.with_suffix(".npz"))["arr_0"].layout == found.layout
    assert np.array_equal(np.load(path.with_suffix(".npz"))["arr_0"], array)


def test_the_order_of_dims_follows_the_array(tmp_path):
    path = tmp_path / "x.npy"
    orders = {
        "plain": (dml_vk.asarray(GRID), None),
        "fortran": (dml_vk.asarray(np.asfortranarray(GRID)), None),
        "channels_last": (dml_vk.asarray(GRID).to(channels_last), [0, 2, 3, 1]),
        "intent alone": (dml_vk.ones((1, 3, 1, 1), memory_format=channels_last), [0, 2, 3, 1]),
        "a row by columns": (dml_vk.ones((1, 5), memory_format=(1, 0)), [1, 0]),
        "a number": (dml_vk.asarray(3), None),
    }
    for x, order in orders.values():
        dml_vk.save(path, x)
        with path.open("rb") as stream:
            first = np.load(stream)
            assert np.array_equal(first, x.numpy())
            if order is None:
                assert not stream.read()
            else:
                assert np.load(stream)["dml_vk_order"].tolist() == order
            assert not stream.read()
        assert dml_vk.load(path).layout == x.layout


def test_several_by_name(tmp_path):
    path = tmp_path / "all.npz"
    tensors = {
        "image": dml_vk.asarray(GRID).to(channels_last),
        "weights/0": dml_vk.asarray([0.5, 1.5]),
        "größe.npy": dml_vk.asarray(np.uint8(3)),
        "nothing": dml_vk.zeros((0, 3)),
    }
    dml_vk.save(path, tensors, path=dml_vk.asarray(True))
    expected = {**tensors, "path": dml_vk.asarray(True)}
    with np.load(path) as theirs:
        assert set(theirs.files) == set(expected)
        for name, x in expected.items():
            assert np.array_equal(theirs[name], x.numpy())
    found = dml_vk.load(path)
    assert list(found) == list(expected)
    for name, x in expected.items():
        assert (found[name].layout, found[name].dtype) == (x.layout, x.dtype)
        assert_same(found[name], x.numpy())
    dml_vk.save(path, {})
    assert dml_vk.load(path) == {}


def test_archives_of_numpy(tmp_path):
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "theirs.npz", GRID, fortran=np.asfortranarray(GRID))
        found = dml_vk.load(tmp_path / "theirs.npz")
        assert set(found) == {"arr_0", "fortran"}
        for x, order in ((found["arr_0"], (0, 1, 2, 3)), (found["fortran"], (3, 2, 1, 0))):
            assert_same(x, GRID)
            assert x.layout.order == order


def test_a_truncated_order_is_an_error(tmp_path):
    path = tmp_path / "x.npy"
    dml_vk.save(path, dml_vk.asarray(GRID).to(channels_last))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(
        RangeError, match="load: the file is truncated: the order of its dims is cut off"
    ):
        dml_vk.load(path)


def test_what_others_wrote_after_an_array_is_left_alone(tmp_path):
    path = tmp_path / "x.npy"
    wrong = np.array([0, 0, 1, 2], np.uint8).view(ORDER)
    extras = [np.arange(4), np.arange(4, dtype=np.uint8), wrong, wrong[:2], np.zeros(5000)]
    for extra in extras:
        with path.open("wb") as stream:
            np.save(stream, GRID)
            np.save(stream, extra)
        found = dml_vk.load(path)
        assert found.memory_format is dml_vk.contiguous_format
        assert_same(found, GRID)
    dml_vk.save(path, dml_vk.asarray(GRID))
    path.write_bytes(path.read_bytes() + b"\x93NUMPY rubbish")
    assert_same(dml_vk.load(path), GRID)


def test_big_endian_arrays(tmp_path):
    np.save(tmp_path / "x.npy", GRID.astype(">f8"))
    assert_same(dml_vk.load(tmp_path / "x.npy"), GRID.astype(np.float64))


def written(tmp_path, name, *arrays, **options):
    path = tmp_path / name
    with path.open("wb") as stream:
        (np.savez if name.endswith("z") else np.save)(stream, *arrays, **options)
    return path


def test_arrays_that_cannot_be_tensors_are_refused(tmp_path):
    objects = np.array([None, "x"], object)
    for name in ("x.npy", "x.npz"):
        path = written(tmp_path, name, objects, allow_pickle=True)
        with pytest.raises(RangeError, match=r"load: cannot read .* \(Object arrays cannot"):
            dml_vk.load(path)
        for array in (np.array(["b"]), np.array(["a"]), np.zeros(2, "M8[s]"), np.zeros(2, ORDER)):
            with pytest.raises(DTypeError, match="load: elements must be numbers"):
                dml_vk.load(written(tmp_path, name, array))


def test_files_that_are_not_what_they_say(tmp_path):
    whole = io.BytesIO()
    np.save(whole, GRID)
    text = whole.getvalue()
    huge = text.replace(b"5), }" + b" " * 9, b"5, 99999), }  ")
    assert huge != text
    for content in (
        b"",
        b"rubbish",
        text[:50],
        text[:-1],
        text[:8] + b"\xff" * 90,
        b"PK\3\4",
        huge,
    ):
        for suffix in (".npy", ".npz"):
            path = (tmp_path / "x").with_suffix(suffix)
            path.write_bytes(content)
            with pytest.raises(
                RangeError,
                match=r"^load: cannot read the file \(.*; got f",
            ):
                dml_vk.load(path)
    path = written(tmp_path, "x.npz", GRID)
    # Where the archive's own table begins, as its end tells: before the file's start.
    at, end = path.read_bytes().rindex(b"PK\5\6") + 16, path.read_bytes()
    table = int.from_bytes(end[at : at + 4], "little")
    path.write_bytes(end[:at] + (table + 10**6).to_bytes(4, "little") + end[at + 4 :])
    with pytest.raises(RangeError, match=r"load: cannot read the file \("):
        dml_vk.load(path)
    path = written(tmp_path, "x.npz", GRID)
    path.write_bytes(path.read_bytes().replace(GRID.tobytes(), GRID[::-1].tobytes()))
    with pytest.raises(RangeError, match="Bad CRC-32"):
        dml_vk.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no array")
    with pytest.raises(RangeError, match=r"; got file='.*x\.npz/readme\.txt'"):
        dml_vk.load(path)


def test_more_than_the_host_can_hold(tmp_path, monkeypatch):
    path = written(tmp_path, "x.npy", GRID)

    def full(*_, **__):
        raise MemoryError("Unable to allocate")

    monkeypatch.setattr(np.lib.format, "read_array", full)
    with pytest.raises(DeviceMemoryError, match=r"load: out of host memory \(Unable to allocate\)"):
        dml_vk.load(path)


def test_a_disk_that_fails_while_it_is_read(tmp_path, monkeypatch):
    path = written(tmp_path, "x.npy", GRID)

    def fail(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(np.lib.format, "read_array", fail)
    with pytest.raises(OSError, match="Input/output error") as error:
        dml_vk.load(path)
    assert not isinstance(error.value, DmlVkError)


def test_a_file_is_there_whole_or_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "x.npy"
    dml_vk.save(path, dml_vk.asarray(GRID))
    x = dml_vk.asarray(GRID + 1)

    def refuse(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(dml_vk.Tensor, "numpy", refuse)
        with pytest.raises(KeyboardInterrupt):
            dml_vk.save(path, x)
    assert os.listdir(tmp_path) == ["x.npy"]
    assert_same(dml_vk.load(path), GRID)


X = dml_vk.asarray(GRID)
ERRORS = [
    (lambda: dml_vk.load(3), DTypeError, "load: path must be a string or a path; got path=3"),
    (lambda: dml_vk.load(b"x.npy"), DTypeError, "load: path must be a string or a path"),
    (lambda: dml_vk.load("x\0.npy"), DTypeError, "load: path must be a string or a path"),
    (
        lambda: dml_vk.load("x"),
        RangeError,
        "load: path must end in .npy, .npz or .safetensors; got",
    ),
    (lambda: dml_vk.save(None, X), DTypeError, "save: path must be a string or a path"),
    (lambda: dml_vk.save("x.npx", X), RangeError, "save: path must end in .npy, .npz or .safet"),
    (lambda: dml_vk.save("x.npy"), DTypeError, "save: x must be a Tensor.*; got x='NoneType'"),
    (lambda: dml_vk.save("x.npy", GRID), DTypeError, "save: x must be a Tensor"),
    (
        lambda: dml_vk.save("x.npy", {"a": X}),
        DTypeError,
        "save: a .npy file holds exactly one Tensor; use .npz for several",
    ),
    (
        lambda: dml_vk.save("x.npy", X, a=X),
        DTypeError,
        "save: a .npy file holds exactly one Tensor; use .npz for several",
    ),
    (
        lambda: dml_vk.save("x.npy", a=X),
        DTypeError,
        "save: a .npy file holds exactly one Tensor; use .npz for several",
    ),
    (lambda: dml_vk.save("x.npz", [X, X]), DTypeError, "save: x must be a Tensor"),
    (lambda: dml_vk.save("x.npz", {"a": 3}), DTypeError, "save: x must be a Tensor"),
    (lambda: dml_vk.save("x.npz", {"a": X}, a=X), RangeError, "save: names must not repeat; got n"),
    (
        lambda: dml_vk.save("x.npz", {3: X}),
        RangeError,
        "save: names must be printable strings of 1 to 999 characters",
    ),
    (
        lambda: dml_vk.save("x.npz", {"": X}),
        RangeError,
        "save: names must be printable strings of 1 to 999 characters",
    ),
    (
        lambda: dml_vk.save("x.npz", {"\ud800": X}),
        RangeError,
        "save: names must be printable strings of 1 to 999 characters",
    ),
]


@pytest.mark.parametrize(("call", "kind", "must"), ERRORS, ids=range(len(ERRORS)))
def test_errors(call, kind, must, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=f"^{must}"):
        call()
    assert not os.listdir(tmp_path)


def test_large_files_go_by_pieces_between_which_ctrl_c_may_come(tmp_path, monkeypatch):
    moved, plain = [], files._by_pieces

    def counted(stream):
        by_pieces = plain(stream)
        write, read = by_pieces.write, by_pieces.read
        by_pieces.write = lambda piece: moved.append(len(piece)) or write(piece)
        by_pieces.read = lambda size=-1: moved.append(size) or read(size)
        return by_pieces

    monkeypatch.setattr(files, "_by_pieces", counted)
    x = dml_vk.arange(5 * 2**20, dtype="int64")
    dml_vk.save(tmp_path / "x.npy", x)
    assert sum(moved) > x.nbytes
    again = dml_vk.load(tmp_path / "x.npy")
    assert sum(moved) > 2 * x.nbytes
    assert max(moved) <= 2**24
    assert bool(dml_vk.all(again == x))


def test_errors_of_the_file_system_are_passed_on(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        dml_vk.load(tmp_path / "none.npy")
    assert not isinstance(error.value, DmlVkError)
    with pytest.raises(FileNotFoundError):
        dml_vk.save(tmp_path / "none" / "x.npy", X)
    (tmp_path / "x.npy").mkdir()
    for call in (
        lambda: dml_vk.load(tmp_path / "x.npy"),
        lambda: dml_vk.save(tmp_path / "x.npy", X),
    ):
        with pytest.raises(OSError, match=r"x\.npy"):
            call()
    assert os.listdir(tmp_path) == ["x.npy"]
