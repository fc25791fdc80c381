"""Activations within norms: bit for bit as after them in float32, and in the same launch."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import RangeError
from dml_vk.kernels.operators import OPERATORS
from tests import tier
from tests.chance import chance
from tests.kernel.launches import launches
from tests.kernel.memory import bits
from tests.kernel.nn import activations

SHAPE = (2, 6, 5, 7)
NORMS = {
    "layer_norm": lambda x, w, b, **how: nn.layer_norm(x, 7, **how),
    "rms_norm": lambda x, w, b, **how: nn.rms_norm(x, (5, 7), **how),
    "instance_norm": lambda x, w, b, **how: nn.instance_norm(x, w, **how),
    "group_norm": lambda x, w, b, **how: nn.group_norm(x, 2, w, b, **how),
    "mean_variance_norm": lambda x, w, b, **how: nn.mean_variance_norm(x, axes=(0, 3), **how),
    "batch_norm": lambda x, w, b, **how: nn.batch_norm(x, b, w, w, b, **how),
    "batch_norm_train": lambda x, w, b, **how: nn.batch_norm_train(x, None, b, **how)[0],
}


def special():
    """Numbers, zeros of both signs, infinities and NaN, each in rows of its own."""
    array = chance().normal(size=SHAPE).astype(np.float32)
    array[0, 0, 0], array[0, 1, 1] = 0.0, -0.0
    array[1, 5, 4, 2], array[1, 4, 3, 1] = np.nan, -np.inf
    return array


@tier.parametrize("norm dtype", NORMS, [float32, float16])
def test_activations_come_before_the_only_rounding(norm, dtype):
    array = special().astype(dtype.numpy_name)
    weight, bias = dml_vk.asarray(chance().uniform(0.1, 2, size=(2, 6)).astype(np.float32))
    names = ("scaled_elu", "tanh")
    if norm == "group_norm" and (dtype is float16 or not tier.is_all()):
        names = activations.of("norms")
    forms = (dml_vk.contiguous_format, dml_vk.channels_last)
    for name, form in tier.crossed(names, forms):
        x = dml_vk.asarray(array, memory_format=form)
        given = {one: 0.5 + k for k, (one, _) in enumerate(OPERATORS[name].parameters)}
        apart = NORMS[norm](x.to(float32), weight, bias)
        wanted = getattr(dml_vk, name)(apart, **given).to(dtype).numpy()
        found = NORMS[norm](x, weight, bias, activation=(name, given))
        assert found.layout.order == x.layout.order
        found = found.numpy()
        same = (bits(found) == bits(wanted)) | (np.isnan(found) & np.isnan(wanted))
        assert same.all(), name


@pytest.mark.parametrize("norm", NORMS)
def test_an_activation_takes_no_launch_and_no_memory(norm):
    x = dml_vk.asarray(special().astype(np.float16))
    ones = dml_vk.ones(6)
    with launches(runs=False) as plain:
        NORMS[norm](x, ones, ones)
    with launches(runs=False) as fused:
        NORMS[norm](x, ones, ones, activation="gelu")
    assert len(fused) == len(plain) > 0
    assert fused.levels == plain.levels
    assert fused.bytes_of(x, writes=False) == plain.bytes_of(x, writes=False)


@pytest.mark.parametrize("norm", NORMS)
def test_an_unknown_activation_is_an_error_before_any_work(norm):
    x, ones = dml_vk.ones(SHAPE), dml_vk.ones(6)
    with launches() as none, pytest.raises(RangeError, match="activation must be one of"):
        NORMS[norm](x, ones, ones, activation="relux")
    assert len(none) == 0
