"""dask.array with tensors as chunks, in this process."""

import dask
import dask.array as da
import numpy as np
import pytest

import dml_vk.dask  # noqa: F401
from tests.clients.agree import A, B, agree

dask.config.set(scheduler="synchronous")


def chunked(x, sizes=(2, 3)):
    return da.from_array(x, chunks=sizes, asarray=False)


CALLS = {
    "argmax": lambda x, _: x.argmax(axis=1),
    "concatenate": lambda x, y: da.concatenate([x, y], axis=1),
    "cumsum": lambda x, _: x.cumsum(axis=0),
    "einsum": lambda x, y: da.einsum("ab,cb->ac", x, y),
    "matmul": lambda x, y: x @ y.T,
    "max": lambda x, _: x.max(),
    "mean": lambda x, _: x.mean(axis=0),
    "slice": lambda x, _: x[1:, ::2],
    "stack": lambda x, y: da.stack([x, y]),
    "std": lambda x, _: x.std(axis=1),
    "sum": lambda x, _: x.sum(),
    "tensordot": lambda x, y: da.tensordot(x, y, axes=((1,), (1,))),
    "transpose": lambda x, y: x.T + y.T,
    "ufunc": lambda x, _: np.exp(x),
    "where": lambda x, y: da.where(x > 0, x, y),
    "zeros_like": lambda x, _: da.zeros_like(x),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_dask(call):
    agree(lambda x, y: call(chunked(x), chunked(y)).compute(), A, B)


def test_factors():
    tall = np.concatenate([A.T, B.T])
    agree(lambda x: abs(da.linalg.qr(chunked(x, (6, 4)))[1]).compute(), tall, on_device=False)
    agree(lambda x: da.linalg.svd(chunked(x, (6, 4)))[1].compute(), tall, on_device=False)


def test_transforms():
    agree(lambda x: da.fft.fft(chunked(x, (2, 6))).compute(), A, on_device=False)


def test_histograms():
    agree(
        lambda x: da.histogram(chunked(x), bins=4, range=(-2, 2))[0].compute(), A, on_device=False
    )
