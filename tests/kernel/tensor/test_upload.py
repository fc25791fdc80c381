"""Arrays on their way from host to device: any strides, bytes and dtypes, and no copy of them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.layout import channels_last
from dml_vk.runtime import transfer
from dml_vk.testing.elementwise import cast
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import elements, memory_for
from tests.kernel.runtime.test_device import WAYS, open_by
from tests.real_dtypes import DTYPES

NAMES = [dtype.numpy_name for dtype in DTYPES.values()]
FLOATS = [name for name in NAMES if name.startswith("float")]
INTEGERS = [name for name in NAMES if "int" in name]


@pytest.fixture(scope="module", params=WAYS)
def device(request):
    """Devices whose memory the host sees, does not see, and only writes, as far as there are."""
    return open_by(request.param)


@tier.examples(60)
@given(st.data(), layouts(max_rank=4), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_any_array(device, data, layout, source, target):
    memory, layout = memory_for(layout, np.dtype(source).itemsize)
    if source == "bool":
        memory %= 2
    array = elements(memory.view(source), layout)
    if data.draw(st.booleans()):
        array = array.astype(array.dtype.newbyteorder(">"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "CHUNK_BYTES", data.draw(st.sampled_from([8, 24, 2**20])))
        found = dml_vk.asarray(array, target, device=device)
    own = found.numpy()
    assert own.dtype == target
    assert np.array_equal(own, cast(array, target), equal_nan=target in FLOATS)
    assert found.layout == dml_vk.asarray(array).layout


@pytest.mark.parametrize("source", FLOATS)
def test_floats_that_are_no_integers(device, source):
    powers = [2.0**k for k in (7, 8, 15, 16, 31, 32, 63, 64)]
    whole = np.array([*powers, np.inf, np.nan, 0.75, 0.0, 300.5, 1e300])
    with np.errstate(over="ignore"):
        near = np.concatenate([whole, whole - 1, whole * (1 - 2.0**-24), whole * (1 - 2.0**-53)])
        array = np.concatenate([near, -near]).astype(source)
    for target in INTEGERS:
        found = dml_vk.asarray(array[::-1], target, device=device).numpy()
        assert np.array_equal(found, cast(array[::-1], target)), target
        one = dml_vk.asarray(array[0], target, device=device)
        assert one.tolist() == cast(array[0], target).tolist()


def test_python_s_numbers_keep_their_own_rules(device):
    assert dml_vk.asarray([2**53 + 1, 7.5], "int64", device=device).tolist() == [2**53 + 1, 7]
    assert dml_vk.asarray([0.1, 1e300], device=device).tolist() == [float(np.float32(0.1)), np.inf]
    with pytest.raises(dml_vk.DTypeError, match=r"asarray: cannot make an array of numbers"):
        dml_vk.asarray([300, 1], "uint8", device=device)
    big = np.array([1.5, -2.0]).astype(">f8")
    assert dml_vk.from_dlpack(big, device=device).tolist() == [1.5, -2.0]


ROWS = np.arange(2**22, dtype=np.float32).reshape(4, 2**10, 2**10)
LARGE = {
    "as it is": (ROWS, None, None),
    "strided": (ROWS[:, ::2, ::-1], None, None),
    "in another format": (ROWS.reshape(4, 16, 256, 256), None, channels_last),
    "converted": (ROWS.transpose(2, 0, 1), "float16", None),
    "clamped": (ROWS - 2**20, "int16", None),
    "big-endian": (ROWS.astype(">f4"), None, None),
}


@pytest.mark.parametrize("case", LARGE)
def test_no_copy_on_the_host(device, case):
    array, dtype, memory_format = LARGE[case]
    tracemalloc.start()
    try:
        found = dml_vk.asarray(array, dtype, device=device, memory_format=memory_format)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**20
    assert np.array_equal(found.numpy(), array if dtype is None else cast(array, dtype))
