"""What plans say of the rounds of loops, beside the rounds that every kernel counts."""

from __future__ import annotations

import dataclasses
import re

import pytest

import dml_vk
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.registry import KERNELS
from tests.kernel import long_loops
from tests.kernel.profiled import profiled
from tests.kernel.rounds import counting_queue
from tests.real_dtypes import DTYPES


@pytest.fixture
def counts(monkeypatch):
    """A few invocations do everything, so that each takes many units, one after the other."""
    device = dml_vk.device()
    with profiled(device, dataclasses.replace(device.profile, groups_wanted=1, max_invocations=32)):
        yield from counting_queue(device, monkeypatch)


WHOLE_ROWS = ("rows_softmax", "rows_moments")

FAMILIES = {
    **{kernel: (kernel,) for kernel in COMPUTED if kernel not in ("cast", "where")},
    "copies": ("copy_words", "copy_packed", "copy_zip", "copy_tile"),
    "made": ("fill", "sequence", "philox_words", "philox_packed", "uniform", "normal", "integers"),
    "casts": ("cast", "where"),
    "reductions": (
        *("reduce_tree", "reduce_variance", "reduce_int", "reduce_long"),
        *("reduce_double", "reduce_arg", "reduce_complex", "reduce_double_complex"),
        *("reduce_complex_variance", "reduce_double_variance", "reduce_double_complex_variance"),
    ),
    "rows": ("reduce_softmax", "reduce_moments", "finish", "pairs", *WHOLE_ROWS),
    "scans": ("scan_float", "scan_int", "scan_long", "scan_double", "doubling"),
    # And matmul_linear, of the source of tiles.
    "products": ("matmul_tile", "matmul_row", "matmul_words"),
    "windows": ("pool", "pool_tile", "resample"),
    "regions": ("roi",),
    "convolutions": ("conv", "depthwise"),
    "transforms": ("fft",),
    "orders": ("sort_key", "sort_runs", "sort_merge", "search"),
    "digits": ("radix_count", "radix_move", "radix_team_count", "radix_team_move", "offsets"),
    "decompositions": (
        "linalg",
        "linalg_chase",
        "linalg_rotate",
        "linalg_panel",
        "linalg_panel_product",
    ),
    "cells": ("pick",),
    "places": (
        "nonzero",
        "nonzero_team",
        "nonzero_axis",
        "gather",
        "gather_check",
        "scatter",
        "scatter_claim",
    ),
}
# Without units.
APART = {
    "float_check",
    "function_check",
    "integer_check",
    "double_check",
    "divide_check",
    "rounds_check",
    "philox_advance",
}


def is_of(kernel, family):
    parts = {*FAMILIES[family]}
    return not parts.isdisjoint((kernel.body, kernel.name, kernel.name.rpartition("_")[0]))


def modules_of(family):
    """Those that this device runs."""
    modules = {m for kernel in KERNELS.values() if is_of(kernel, family) for m in kernel.modules}
    shuffles = dml_vk.device().profile.shuffles
    return {module for module in modules if shuffles or "shared" not in module}


def of_few_lanes(family):
    """Those of them that devices run whose lanes do not load together, as in these tests."""
    together = re.compile("_team|^offsets|^matmul_row|^gather_checked|_elect|_variance")
    return {module for module in modules_of(family) if not together.search(module)}


def test_every_kernel_is_of_one_family():
    for kernel in KERNELS.values():
        found = [family for family in FAMILIES if is_of(kernel, family)]
        assert len(found) == (kernel.name not in APART), (kernel.name, found)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_invocation_takes_more_rounds_than_its_plan_says(counts, family):
    if family in COMPUTED:
        long_loops.computed(family)
    else:
        getattr(long_loops, family)()
    closest = dict.fromkeys(modules_of(family), 0.0)
    for one in counts.counted:
        went = max(one.by_source, one.by_driver)
        assert went <= one.said, one
        if one.module in closest:
            closest[one.module] = max(closest[one.module], went / one.said)
    # What is said is not just any large number.
    far = {module for module, share in closest.items() if share < 0.05}
    assert not far


def test_a_plan_that_underestimates_its_rounds_is_found(counts, monkeypatch):
    monkeypatch.setitem(COMPUTED["int_arithmetic"].rounds_of, "pow", 3)
    x = dml_vk.asarray(long_loops.hard(DTYPES["uint32"], (991,)))
    dml_vk.pow(x, x)
    (one,) = [one for one in counts.counted if one.module.startswith("int_arithmetic")]
    assert one.by_source > one.said < one.by_driver
