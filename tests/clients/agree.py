"""Whether a library computes on tensors what it computes on NumPy's arrays."""

from __future__ import annotations

import numpy as np

import dml_vk

_RNG = np.random.default_rng(7)
# Matrices whose elements have either sign, no zeros and no ties.
A, B = (_RNG.normal(size=(4, 6)).astype(np.float32) for _ in range(2))
COUNTS = _RNG.integers(0, 5, (4, 6)).astype(np.int32)


def tensors(given):
    """The same nest of tuples, lists and dicts with tensors for arrays."""
    if isinstance(given, np.ndarray):
        return dml_vk.asarray(given)
    if isinstance(given, dict):
        return {name: tensors(one) for name, one in given.items()}
    return type(given)(map(tensors, given)) if isinstance(given, (tuple, list)) else given


def leaves(found):
    if isinstance(found, (tuple, list)):
        return [leaf for one in found for leaf in leaves(one)]
    return [found]


def agree(call, *operands, rtol=1e-4, atol=1e-5, on_device=True):
    """Assert that `call` gives of tensors what it gives of arrays, in tensors if `on_device`."""
    wanted = leaves(call(*operands))
    found = leaves(call(*map(tensors, operands)))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        if on_device:
            assert isinstance(one, dml_vk.Tensor), type(one)
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=rtol, atol=atol)
