"""Tensors as messages of dask.distributed: the bits, the dtype and the format arrive."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from distributed.protocol import deserialize, deserialize_bytes, serialize, serialize_bytelist

import dml_vk
from dml_vk.dtypes import DTYPES
from dml_vk.layout import channels_last
from tests.chance import chance
from tests.kernel.memory import bits

X = np.arange(1, 2 * 3 * 4 * 5 + 1, dtype=np.float32).reshape(2, 3, 4, 5)
VIEWS = {
    "NHWC": lambda x: x.to(channels_last),
    "with gaps": lambda x: x[:, ::2, 1:],
    "backwards": lambda x: x[::-1, :, ::-1],
    "broadcast": lambda x: x[:1].expand(3, 3, 4, 5),
    "turned": lambda x: x.permute(3, 1, 0, 2),
    "size 1, NHWC": lambda x: x[:, :1].to(channels_last),
    "no dims": lambda x: x[1, 2, 3, 4],
    "nothing": lambda x: x[:0],
}


def is_same(found, x):
    assert (found.dtype, found.shape, found.layout) == (x.dtype, x.shape, x.layout.like())
    one, other = (np.ascontiguousarray(each.numpy()) for each in (found, x))
    return np.array_equal(bits(one), bits(other))


@pytest.mark.parametrize("view", VIEWS)
def test_views_and_formats_arrive(view, staged):
    for x in (dml_vk.asarray(X), dml_vk.asarray(X, device=staged)):
        sent = VIEWS[view](x)
        assert is_same(deserialize(*serialize(sent)), sent)
        assert is_same(deserialize_bytes(b"".join(serialize_bytelist(sent))), sent)
        assert is_same(deserialize(*serialize(sent)) + 0, sent)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_every_dtype_arrives(dtype):
    nbytes = 24 * dtype.itemsize
    below = 2 if dtype.kind == "b" else 256
    values = chance().integers(0, below, nbytes, np.uint8).view(dtype.numpy_name).reshape(2, 3, 4)
    sent = dml_vk.asarray(values)
    assert is_same(deserialize(*serialize(sent)), sent)
    assert is_same(pickle.loads(pickle.dumps(sent)), sent)


def test_bytes_are_not_copied_where_the_host_sees_them(seen):
    x = dml_vk.asarray(X, device=seen, memory_format=channels_last)
    header, frames = serialize(x)
    if seen.unified:
        assert np.frombuffer(frames[1], np.float32).ctypes.data == np.asarray(x).ctypes.data
    assert header["serializer"] == "pickle"  # which a worker has without being told of tensors
    buffers = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 480 <= sum(memoryview(one).nbytes for one in buffers)
    assert is_same(pickle.loads(data, buffers=buffers), x)


def test_a_process_that_was_told_nothing_takes_tensors_and_knows_their_size():
    """As a worker of Dask's that was started by hand."""
    header, frames = serialize(dml_vk.asarray(X))
    message = pickle.dumps((header, [bytes(one) for one in frames]))
    code = """
import pickle, sys
from dask.sizeof import sizeof
from distributed.protocol import deserialize
x = deserialize(*pickle.loads(sys.stdin.buffer.read()))
assert "dml_vk.dask" not in sys.modules
print(sizeof(x) >= x.nbytes, x.tolist())
"""
    run = subprocess.run(
        [sys.executable, "-c", code], input=message, capture_output=True, check=True
    )
    assert run.stdout.decode().strip() == f"True {X.tolist()}"
