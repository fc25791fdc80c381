"""A family of kernels has one word: for its planner, what launches it, its GLSL and its tests."""

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
TESTS = Path(__file__).parents[2]
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
# References whose documented names, `dml_vk.testing.<name>`, are older than the words of kernels.
REFERENCES = {
    "conv": "convolutions",
    "depthwise": "convolutions",
    "matmul": "products",
    "pool": "pooling",
    "pool_tile": "pooling",
    "reduce": "reductions",
    "resample": "moves",
    "roi": "regions",
    "scan": "scans",
}
# Families that are tested where a public function of another word is.
TESTED = {
    "nonzero": "kernel/array/sorting/test_searching.py",
    "offsets": "unit/kernels/plan/test_radix.py",
    "pool_tile": "kernel/nn/test_pool.py",
    "resample": "kernel/nn/test_resampling.py",
    "roi": "kernel/directml/test_regions.py",
    "search": "kernel/array/sorting/test_searching.py",
}


def word_of(planner):
    return planner.__name__.rpartition(".")[2]


@pytest.mark.parametrize("planner", FAMILIES, ids=word_of)
def test_the_planner_the_launcher_and_the_shaders_share_a_word(planner):
    word = word_of(planner)
    assert (PACKAGE / "ops" / f"{LAUNCHED.get(word, word)}.py").exists()
    for kernel in planner.KERNELS:
        body = kernel.body or kernel.name
        assert body.startswith(word) or body in OTHERS[word], body


@pytest.mark.parametrize("word", [word_of(planner) for planner in FAMILIES])
def test_the_tests_of_a_family_have_its_word_or_are_listed(word):
    named = [path.name for path in TESTS.rglob(f"test_{word}*.py")]
    if word in TESTED:
        assert (TESTS / TESTED[word]).exists()
        assert f"test_{word}.py" not in named, "it need not be listed"
    else:
        assert named


@pytest.mark.parametrize("word", REFERENCES)
def test_references_of_another_word_are_there_and_no_others_have_the_word(word):
    assert (PACKAGE / "testing" / f"{REFERENCES[word]}.py").exists()
    assert not (PACKAGE / "testing" / f"{word}.py").exists()


def test_no_kernel_is_without_a_family():
    planned = {kernel.name for planner in FAMILIES for kernel in planner.KERNELS}
    planned |= {kernel.name for kernel in elementwise.KERNELS}
    assert {name for name in set(KERNELS) - planned if not name.endswith("_check")} == set()
