"""What Python and other libraries ask of tensors: numbers, memory, a namespace."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import math
import operator

import array_api_compat
import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import channels_last
from dml_vk.tensor import protocols
from dml_vk.tensor.core import Tensor
from tests.real_dtypes import DTYPES

A = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
NUMPY_ASKS = protocols.NUMPY_HAS_VERSIONS


class Asking:
    """A tensor, asked for in the way that an older NumPy has no words for."""

    def __init__(self, tensor, **asked):
        self.tensor, self.asked = tensor, asked

    def __dlpack__(self):
        return self.tensor.__dlpack__(**self.asked)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def to_numpy(x: Tensor, **asked) -> np.ndarray:
    return np.from_dlpack(x, **asked) if NUMPY_ASKS else np.from_dlpack(Asking(x, **asked))


def without_copy(x: Tensor, dtype=None) -> np.ndarray:
    """NumPy 2's `asarray` with `copy=False`, and what it asks of the tensor."""
    return np.asarray(x, dtype, copy=False) if NUMPY_ASKS else x.__array__(dtype, copy=False)


CONSUMERS = {"numpy": to_numpy}
if importlib.util.find_spec("torch"):
    import torch

    CONSUMERS["torch"] = torch.from_dlpack


def address(lent) -> int:
    """Where the first element lies, in memory of NumPy's or of PyTorch's."""
    return lent.ctypes.data if isinstance(lent, np.ndarray) else lent.data_ptr()


def strides(lent) -> tuple[int, ...]:
    own = isinstance(lent, np.ndarray)
    return tuple(s // lent.itemsize for s in lent.strides) if own else lent.stride()


def views(x: Tensor) -> dict[str, Tensor]:
    return {
        "whole": x,
        "permuted": x.permute(2, 0, 1),
        "sliced": x.over(x.layout.slice(2, 1, None, 2).narrow(0, 1, 1)),
        "repeated": x.narrow(1, 2, 1).expand(2, 5, 4),
        "0-D integer": x.select(0, 1).select(0, 2).select(0, 3),
        "empty": x.narrow(1, 3, 0),
        "channels_last": x.to(channels_last),
    }


@pytest.mark.parametrize("library", CONSUMERS)
def test_dlpack_lends_the_memory_itself(seen, library):
    lend = CONSUMERS[library]
    x = dml_vk.asarray(A, device=seen)
    for name, view in views(x).items():
        lent = lend(view)
        assert lent.tolist() == view.tolist(), name
        if not view.size:
            continue
        is_copied = view.layout.overlaps and not seen.unified
        assert strides(lent) == view.strides or 1 in view.shape or is_copied, name
        if seen.unified:
            with view.map() as memory:
                assert address(lent) == memory.ctypes.data, name
    lent = lend(x)
    assert (address(lend(x, copy=True)) != address(lent)) is True
    assert (address(lend(x)) == address(lent)) is seen.unified


@pytest.mark.parametrize("library", CONSUMERS)
def test_writes_are_seen_both_ways(seen, library):
    x = dml_vk.asarray(A, device=seen)
    pending = dml_vk.add(x, 1.0)
    lent = CONSUMERS[library](pending)
    assert lent.tolist() == (A + 1).tolist(), "what was asked for before is there"
    if not seen.unified:
        return
    if library == "torch" or NUMPY_ASKS:
        lent[1, 2, 3] = -7.0
    else:  # An older NumPy does not write to what it was lent; others do.
        ctypes.c_float.from_address(address(lent[1, 2, 3:])).value = -7.0
    assert dml_vk.multiply(pending, 2.0).tolist()[1][2][3] == -14.0
    dml_vk.multiply(pending, 3.0, out=pending)
    assert lent[1, 2, 3] == -21.0
    assert lent[0, 0, 0] == 6.0


@pytest.mark.parametrize("library", CONSUMERS)
def test_memory_lent_lives_as_long_as_somebody_holds_it(seen, library):
    gc.collect()
    seen.synchronize()
    before = seen.memory_stats().in_use
    x = dml_vk.asarray(A, device=seen)
    lent = CONSUMERS[library](x.permute(1, 2, 0))
    del x
    gc.collect()
    others = [dml_vk.full((2, 3, 4), -1.0, device=seen) for _ in range(9)]
    seen.synchronize()
    assert lent.tolist() == A.transpose(1, 2, 0).tolist()
    del others
    gc.collect()
    seen.synchronize()
    assert (seen.memory_stats().in_use > before) is seen.unified
    del lent
    gc.collect()
    seen.synchronize()
    assert seen.memory_stats().in_use == before
    x = dml_vk.asarray(A, device=seen)
    CONSUMERS[library](x)
    gc.collect()
    assert x.tolist() == A.tolist(), "who borrowed it has gone, and the tensor has it still"


@pytest.mark.parametrize("library", CONSUMERS)
def test_every_dtype_is_lent_and_taken(library):
    for dtype in DTYPES.values():
        array = np.array([[0, 1, 3], [5, 6, 7]]).astype(dtype.numpy_name)
        x = dml_vk.asarray(array)
        lent = CONSUMERS[library](x)
        assert dtype.numpy_name in str(lent.dtype)
        assert lent.tolist() == array.tolist(), dtype
        y = dml_vk.from_dlpack(lent.T)
        assert (y.dtype, y.strides) == (dtype, (1, 3))
        assert y.tolist() == array.T.tolist(), dtype


@pytest.mark.parametrize("library", CONSUMERS)
def test_negative_strides_are_exported_as_copies(seen, library):
    """PyTorch ends the process where it is given a negative stride."""
    view = dml_vk.asarray(A, device=seen).flip(1, 2)
    assert CONSUMERS[library](view).tolist() == A[:, ::-1, ::-1].tolist()
    assert min(strides(CONSUMERS[library](view))) > 0
    with pytest.raises(BufferError, match="__dlpack__: copy=False needs "):
        CONSUMERS[library](view, copy=False)
    if seen.unified:
        assert without_copy(view).strides == (48, -16, -4)


@pytest.mark.parametrize("library", CONSUMERS)
def test_memory_that_the_host_does_not_see_is_copied(staged, library):
    for name, view in views(dml_vk.asarray(A, device=staged)).items():
        lent = CONSUMERS[library](view)
        assert lent.tolist() == view.tolist(), name
        assert CONSUMERS[library](view, copy=True).tolist() == view.tolist(), name
        with pytest.raises(BufferError, match="needs host-visible memory"):
            CONSUMERS[library](view, copy=False)
        with pytest.raises(LayoutError, match="__array__: copy=False needs "):
            without_copy(view)


def test_arguments_of_dlpack_are_checked():
    x = dml_vk.asarray(A)
    assert x.__dlpack_device__() == (1, 0)
    newest = "dltensor_versioned" if NUMPY_ASKS else "dltensor"
    for version, kind in ((None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), newest)):
        assert f'"{kind}"' in repr(x.__dlpack__(max_version=version, dl_device=(1, 0)))
    for wrong in ({"stream": 1}, {"dl_device": (2, 0)}, {"dl_device": (1, 1)}, {"dl_device": "x"}):
        with pytest.raises(
            BufferError, match="__dlpack__: can only export to the host, without a stream"
        ):
            x.__dlpack__(**wrong)
    for wrong in ("x", 3, (1,), (1, 0.5), (1, 2**70), "ab"):
        with pytest.raises(DTypeError, match="__dlpack__: max_version must be a pair of integers"):
            x.__dlpack__(max_version=wrong)
    with pytest.raises(DTypeError, match="__dlpack__: copy must be a bool or None; got copy=3"):
        x.__dlpack__(copy=3)


def test_an_older_numpy_is_not_asked_for_versions(monkeypatch):
    monkeypatch.setattr(protocols, "NUMPY_HAS_VERSIONS", False)
    assert '"dltensor"' in repr(dml_vk.asarray(A).__dlpack__(max_version=(1, 0)))


def test_arguments_of_array_conversions_are_checked(seen):
    x = dml_vk.asarray(A, device=seen)
    assert np.array(x, dtype=np.int8).dtype == np.int8
    with pytest.raises(LayoutError, match="__array__: copy=False needs "):
        x.__array__(np.int8, copy=False)
    for wrong in ("no such", [3], x):
        with pytest.raises(DTypeError, match=r"__array__: NumPy cannot convert to this dtype \("):
            x.__array__(wrong)
    with pytest.raises(LayoutError, match=r"__array__: NumPy cannot hold this array \("):
        np.asarray(dml_vk.empty((1,) * 65))
    if seen.unified:
        memory = without_copy(x)
        memory[0] = 5
        assert x.tolist() == [np.full((3, 4), 5).tolist(), A[1].tolist()]
        assert without_copy(x, np.float32).ctypes.data == memory.ctypes.data


def test_tensors_of_one_element_are_numbers():
    half, five, true = (
        dml_vk.asarray(0.5),
        dml_vk.asarray([[5]], dtype="uint8"),
        dml_vk.asarray(1 > 0),
    )
    assert (int(five), float(half), complex(half), bool(true)) == (5, 0.5, 0.5 + 0j, True)
    assert [type(one) for one in (int(five), float(five), complex(five), bool(five))] == [
        *(int, float, complex, bool),
    ]
    assert (math.sqrt(dml_vk.asarray(4)), f"{half:.3f}") == (2.0, "0.500")
    assert "abc"[dml_vk.asarray(1)] == "b"
    assert list(range(dml_vk.asarray(3, dtype="int8"))) == [0, 1, 2]
    assert operator.index(dml_vk.asarray(2**64 - 1, dtype="uint64")) == 2**64 - 1
    many = dml_vk.asarray([1, 2])
    for kind in (int, float, complex, bool):
        with pytest.raises(LayoutError, match=f"{kind.__name__}: x must have exactly one element"):
            kind(many)
    for wrong in (half, true, five, many):
        with pytest.raises(DTypeError, match="index: x must be a 0-D integer tensor"):
            operator.index(wrong)


def test_tensors_as_containers():
    x = dml_vk.asarray(A)
    assert [len(x), *[row.tolist() for row in x]] == [2, *A.tolist()]
    assert 24 in x
    assert 25 not in x
    with pytest.raises(DTypeError, match="len: x must have at least one dim"):
        len(dml_vk.asarray(3))
    assert len({x: 1, x.clone(): 2, x[0]: 3}) == 3, "each is a key of its own"
    assert f"{x}" == repr(x)


def test_a_namespace_that_others_find():
    x = dml_vk.asarray(A)
    assert array_api_compat.is_array_api_obj(x)
    assert array_api_compat.array_namespace(x, x, 1.5) is dml_vk
    assert array_api_compat.device(x) is x.device
    assert array_api_compat.to_device(x, x.device) is x
    assert array_api_compat.size(x) == 24
    assert array_api_compat.is_writeable_array(x)
    assert not array_api_compat.is_lazy_array(x)
    assert x.__array_namespace__(api_version="2025.12") is x.__array_namespace__() is dml_vk
    with pytest.raises(DTypeError, match="__array_namespace__: api_version must be one of 2021"):
        x.__array_namespace__(api_version="1999.12")
