"""`where` and `initial` of NumPy's reductions on tensors, beside NumPy's own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import RangeError
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms

STARTING = ("sum", "prod", "max", "min", "amax", "amin")
NAMES = (*STARTING, "any", "all", "mean", "std", "var")


def numbers(kind):
    array = chance().normal(size=(3, 4, 5, 2)) * 3
    if kind == "complex64":
        return array.view(np.complex128)[..., 0].astype(kind)
    return (array[..., 0] > 0) if kind == "bool" else array[..., 0].astype(kind)


@pytest.mark.filterwarnings("ignore")  # NumPy's own, of slices with too few elements
@tier.parametrize("name kind", NAMES, ["float32", "int64", "complex64", "bool"])
def test_masks_and_what_is_there_before(name, kind):
    array, starts = numbers(kind), name in STARTING and kind != "bool"
    masks = (chance().random((3, 4, 5)) < 0.6, chance().random(5) < 0.5, True)
    for turn, (mask, axis) in enumerate(itertools.product(masks, (None, 0, (0, 2)))):
        named = {"initial": 2} if starts else {}
        named["where"] = mask
        if kind == "bool" and name in ("max", "min", "amax", "amin"):
            named["initial"] = True
        for keepdims in (False, True):
            with np.errstate(all="ignore"):
                expected = np.asarray(
                    getattr(np, name)(array, axis=axis, keepdims=keepdims, **named)
                )
            for x in few_forms(array, turn):
                mine = dict(named)
                if isinstance(mask, np.ndarray):
                    mine["where"] = dml_vk.asarray(mask)
                found = getattr(np, name)(x, axis=axis, keepdims=keepdims, **mine)
                assert found.shape == expected.shape
                assert found.dtype.kind == expected.dtype.kind
                np.testing.assert_allclose(found.numpy(), expected, 1e-5, 1e-5)


def test_methods_of_ufuncs_results_in_out_and_nothing():
    array, mask = numbers("float32"), chance().random((3, 4, 5)) < 0.6
    x, named = dml_vk.asarray(array), {"axis": 1, "initial": 3.0}
    for function in (np.add, np.multiply, np.maximum, np.minimum):
        expected = function.reduce(array, where=mask, **named)
        found = function.reduce(x, where=dml_vk.asarray(mask), **named)
        np.testing.assert_allclose(found.numpy(), expected, 1e-5)
    out = dml_vk.empty((3, 5))
    assert np.sum(x, where=mask, out=out, **named) is out
    np.testing.assert_allclose(out.numpy(), np.sum(array, where=mask, **named), 1e-5)
    none = dml_vk.zeros((2, 0))
    assert np.max(none, axis=1, initial=-5).tolist() == [-5, -5]
    assert np.min(none, initial=7.5).item() == 7.5
    assert np.std(x, ddof=1, where=mask).item() == pytest.approx(np.std(array, ddof=1, where=mask))
    with np.errstate(all="ignore"):
        assert np.isnan(np.mean(x, where=False).item())
    with pytest.raises(RangeError, match=r"^max: a mask needs initial"):
        np.max(x, where=mask)
