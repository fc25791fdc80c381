"""A family of kernels has one word: for its planner, what launches it, and its GLSL."""

from __future__ import annotations

from pathlib import Path

import pytest

import dml_vk
from dml_vk.kernels import elementwise
from dml_vk.kernels.plan import (
    conv,
    copy,
    depthwise,
    doubling,
    draws,
    fft,
    fill,
    gather,
    linalg,
    matmul,
    nonzero,
    offsets,
    philox,
    pool,
    pool_tile,
    radix,
    reduce,
    resample,
    roi,
    rows,
    scan,
    scatter,
    search,
    segments,
    sequence,
    sort,
)
from dml_vk.kernels.registry import KERNELS

PACKAGE = Path(dml_vk.__file__).parent
FAMILIES = (conv, copy, depthwise, draws, fft, fill, gather, linalg, matmul, nonzero, offsets)
FAMILIES += (
    doubling,
    philox,
    pool,
    pool_tile,
    radix,
    reduce,
    resample,
    roi,
    rows,
    scan,
    scatter,
    search,
    segments,
    sequence,
    sort,
)
# Kernels by other words: of the distributions, and parts of two families.
OTHERS = {
    "draws": {"uniform", "normal", "integers"},
    "scatter": {"pick"},
    "search": {"nonzero_axis"},
    "segments": {"scan_float", "scan_double", "scan_int", "scan_long"},  # which combine values
}
# Tiles of windows belong to convolutions and pools.
LAUNCHED = {"depthwise": "conv", "pool_tile": "pool"}


def word_of(planner):
    return planner.__name__.rpartition(".")[2]


@pytest.mark.parametrize("planner", FAMILIES, ids=word_of)
def test_the_planner_the_launcher_and_the_shaders_share_a_word(planner):
    word = word_of(planner)
    assert (PACKAGE / "ops" / f"{LAUNCHED.get(word, word)}.py").exists()
    for kernel in planner.KERNELS:
        body = kernel.body or kernel.name
        assert body.startswith(word) or body in OTHERS[word], body


def test_no_kernel_is_without_a_family():
    planned = {kernel.name for planner in FAMILIES for kernel in planner.KERNELS}
    planned |= {kernel.name for kernel in elementwise.KERNELS}
    assert {name for name in set(KERNELS) - planned if not name.endswith("_check")} == set()
