"""On how many levels functions of rows and images run, how often they read, what they allocate."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from tests.chance import chance
from tests.kernel.launches import launches

FORMATS = [dml_vk.contiguous_format, dml_vk.channels_last]
IMAGE = (8, 32, 12, 12)
OF_ROWS = {
    "softmax": lambda x, w: nn.softmax(x),
    "log_softmax": lambda x, w: nn.log_softmax(x),
    "layer_norm": lambda x, w: nn.layer_norm(x, x.shape[-1:], w, w, activation="relu"),
    "rms_norm": lambda x, w: nn.rms_norm(x, x.shape[-1:], w),
    "normalize": lambda x, w: nn.normalize(x, axis=-1),
}
OF_IMAGES = {
    "softmax": lambda x, w: nn.softmax(x, axis=1),
    "instance_norm": lambda x, w: nn.instance_norm(x, w, w),
    "group_norm": lambda x, w: nn.group_norm(x, 4, w, w, activation="relu"),
    "batch_norm": lambda x, w: nn.batch_norm(x, w, w, w, w, activation="relu"),
    "batch_norm_train": lambda x, w: nn.batch_norm_train(x, w, w, activation="relu"),
    "mean_variance_norm": lambda x, w: nn.mean_variance_norm(x, axes=(0, 2, 3)),
}
# All levels on which x is read twice at most.
ONE = ("softmax", "instance_norm", "group_norm")
OF_ONE_LEVEL = {
    **{f"max_pool {size}": lambda x, size=size: nn.max_pool(x, size, stride=2) for size in (2, 3)},
    "avg_pool": lambda x: nn.avg_pool(x, 3, stride=2, padding=1),
    "lp_pool": lambda x: nn.lp_pool(x, 2, 3),
    **{
        f"{mode} {spatial}": lambda x, mode=mode, spatial=spatial: nn.resample(
            x.reshape(*x.shape[:2], *(2,) * (spatial - 1), -1), scale=1.5, mode=mode
        )
        for mode in ("nearest", "nearest_exact", "linear", "cubic")
        for spatial in (1, 2, 3)
    },
}


def watched(function, x, *operands):
    with launches(runs=False):
        function(x, *operands)
    with launches(runs=False) as seen:
        results = function(x, *operands)
    return seen, results


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("dtype", [float32, float16], ids=str)
@pytest.mark.parametrize("shape", [(64, 768), (64, 8), (24, 33, 40)])
def test_rows_that_fit_a_workgroup_take_one_launch(name, dtype, shape, profile):
    x, w = dml_vk.ones(shape, dtype=dtype), dml_vk.ones(shape[-1])
    seen, y = watched(OF_ROWS[name], x, w)
    assert (len(seen), seen.levels) == (1, 1)
    assert seen.bytes_of(x, writes=False) == x.nbytes
    assert seen.bytes_of(y, writes=True) == y.nbytes


@pytest.mark.parametrize("name", OF_IMAGES)
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_norms_of_images_take_two_levels_at_most_and_read_twice(name, form, profile):
    x, w = dml_vk.ones(IMAGE, memory_format=form), dml_vk.ones(IMAGE[1])
    seen, _ = watched(OF_IMAGES[name], x, w)
    # Rows that cross items of the batch are split, so that many share them; and where a GPU reads
    # channels side by side, those of a group.
    split = name in ("batch_norm_train", "mean_variance_norm")
    split = split or (name == "group_norm" and form is FORMATS[1] and profile.coalesces)
    assert seen.levels <= (3 if split else 2)
    assert seen.bytes_of(x, writes=False) <= 2 * x.nbytes
    if name in ONE and not profile.coalesces:
        assert seen.levels == 1


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_long_rows_that_are_split_take_three_levels_and_groups_one_more(form, profile):
    """More than 65,536 elements, more than a workgroup holds; and read twice even so."""
    x = dml_vk.ones((1, 4, 260, 260), memory_format=form)
    ones = dml_vk.ones(4)
    for most, function in (
        (3, lambda x: nn.softmax(x, axis=(2, 3))),
        (3, lambda x: nn.instance_norm(x, ones, ones)),
        (4, lambda x: nn.group_norm(x, 1, ones, ones, activation="relu")),
    ):
        seen, _ = watched(function, x)
        assert seen.levels <= most
        assert seen.bytes_of(x, writes=False) <= 2 * x.nbytes


@pytest.mark.parametrize("name", OF_ONE_LEVEL)
@pytest.mark.parametrize("form", FORMATS, ids=str)
@pytest.mark.parametrize("dtype", [float32, float16], ids=str)
def test_windows_and_resampling_take_one_launch(name, form, dtype, profile):
    x = dml_vk.ones((2, 8, 12, 12), dtype=dtype, memory_format=form)
    if name[-1] in "13" and name[-2] == " " and "pool" not in name:
        x = dml_vk.ones((2, 8, 12, 12), dtype=dtype)  # which can be seen with other dims
    seen, _ = watched(OF_ONE_LEVEL[name], x)
    assert (len(seen), seen.levels) == (1, 1)


def test_results_are_all_that_rows_allocate_besides_pairs():
    """A temporary of 16 bytes for each row and part of one, at most."""
    x = dml_vk.asarray(chance().normal(size=(4, 8, 128, 128)).astype(np.float32))
    for function in (
        lambda: nn.softmax(x),
        lambda: nn.instance_norm(x, activation="gelu"),
        lambda: nn.group_norm(x.to(float16), 2, activation="gelu"),
        lambda: nn.resample(x, scale=2, mode="cubic"),
    ):
        with launches(runs=False):
            function()
        with launches(runs=False):
            before = dml_vk.device().memory_stats().in_use
            held = function()
            assert dml_vk.device().memory_stats().in_use - before <= held.nbytes + x.nbytes // 8
