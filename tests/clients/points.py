"""Operands for SciPy's functions, and whether a call gives of tensors what it gives of arrays."""

import numpy as np

from tests.clients.agree import agree, tensors

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(2, 3, 20))
P = RNG.random((3, 20)) * 0.9 + 0.05
FLOATS = ["float32", "float64"]
TOLERANCES = {"float32": 2e-3, "float64": 1e-8}


def namespace(x):
    return np if isinstance(x, np.ndarray) else x.__array_namespace__()


def like(x, array):
    """The array in the dtype and library of `x`."""
    array = np.asarray(array, x.dtype if isinstance(x, np.ndarray) else x.dtype.name)
    return array if isinstance(x, np.ndarray) else tensors(array)


def check(call, dtype, exact_to=None, on_device=True):
    tolerance = TOLERANCES[exact_to or dtype]
    operands = [one.astype(dtype) for one in (X, Y, P)]
    agree(call, *operands, rtol=tolerance, atol=tolerance / 10, on_device=on_device)
