"""Arrays of other libraries by DLPack: values and orders of memory arrive as they are."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from tests.kernel.tensors import assert_same


class Lender:
    """Another library's array, which speaks DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Bfloat16(Lender):
    """An array of what NumPy lacks."""

    dtype = "torch.bfloat16"

    def __init__(self) -> None:
        super().__init__(np.ones(2))

    def __dlpack__(self, **options):
        raise BufferError("Unsupported dtype in DLTensor.")


def relaid(array: np.ndarray, stride: int) -> np.ndarray:
    """With another stride, in elements, for all dims of size 1: PyTorch gives 1."""
    steps = [stride * array.itemsize if n == 1 else s for n, s in zip(array.shape, array.strides)]
    return np.lib.stride_tricks.as_strided(array, strides=steps)


GRID = np.arange(1, 121, dtype=np.int16).reshape(2, 3, 4, 5)


def test_memory_of_others_keeps_its_order():
    nhwc = np.ascontiguousarray(GRID.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    for stride in (1, 77):
        for array, order in (
            (GRID, (0, 1, 2, 3)),
            (nhwc, (0, 2, 3, 1)),
            (nhwc[:1], (0, 2, 3, 1)),
            (np.ascontiguousarray(GRID[:, :1]), (0, 1, 2, 3)),
            (np.asfortranarray(GRID), (3, 2, 1, 0)),
            (GRID[:, ::2, 1:], (0, 1, 2, 3)),
            (np.float64(2.5)[None], (0,)),
        ):
            lent = relaid(array, stride)
            for x in (dml_vk.from_dlpack(Lender(lent)), dml_vk.asarray(Lender(lent))):
                assert_same(x, array)
                assert x.layout.order == order
    assert_same(dml_vk.asarray(Lender(GRID), "float32"), GRID.astype(np.float32))
    assert_same(dml_vk.asarray(GRID, "int8"), GRID.astype(np.int8))


def test_arrays_and_tensors_by_dlpack():
    x = dml_vk.from_dlpack(np.asfortranarray(GRID), device=dml_vk.device(), copy=True)
    assert_same(x, GRID)
    assert dml_vk.from_dlpack(x) is dml_vk.from_dlpack(x, copy=False) is x
    assert dml_vk.from_dlpack(x, copy=True).allocation is not x.allocation
    read_only = np.arange(3)
    read_only.flags.writeable = False
    assert_same(dml_vk.from_dlpack(read_only), read_only)


class Broken(Lender):
    def __dlpack__(self, **options):
        raise BufferError("it is elsewhere")


class Stubborn:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("detach it first")


ERRORS = [
    (lambda: dml_vk.from_dlpack(GRID, copy=False), LayoutError, "from_dlpack: copy=False needs "),
    (
        lambda: dml_vk.from_dlpack(Bfloat16()),
        DTypeError,
        "from_dlpack: bfloat16 must become float32",
    ),
    (lambda: dml_vk.from_dlpack(3), DTypeError, "from_dlpack: cannot import this"),
    (lambda: dml_vk.from_dlpack(Broken(GRID)), DTypeError, r"from_dlpack: .* \(it is elsewhere\)"),
    (lambda: dml_vk.asarray(Broken(GRID)), DTypeError, r"asarray: .* \(it is elsewhere\); got"),
    (lambda: dml_vk.asarray(Stubborn()), DTypeError, r"asarray: .* \(detach it first\); got type="),
    (
        lambda: dml_vk.from_dlpack(GRID.astype(str)),
        DTypeError,
        "from_dlpack: elements must be numbers",
    ),
]


@pytest.mark.parametrize(("call", "kind", "must"), ERRORS, ids=[one[2] for one in ERRORS])
def test_errors(call, kind, must):
    with pytest.raises(kind, match=f"^{must}"):
        call()
