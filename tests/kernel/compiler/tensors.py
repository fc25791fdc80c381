"""Tensors for tests of programs, and all that two results must have in common."""

from __future__ import annotations

import numpy as np

import dml_vk
from tests.chance import chance


def tensor(*shape):
    return dml_vk.asarray(chance().standard_normal(shape).astype(np.float32))


def bits(x):
    return x.numpy().tobytes(), x.layout, x.dtype


def same(found, expected):
    assert list(map(bits, found)) == list(map(bits, expected))
