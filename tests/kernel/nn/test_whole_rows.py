"""Rows in one launch, by lanes and by workgroups, against `dml_vk.testing.rows`, bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.testing.rows import moments, normalised, of_groups, softmax
from tests import tier
from tests.chance import chance
from tests.kernel.launches import launches
from tests.kernel.memory import bits
from tests.kernel.profiled import profiled
from tests.profiles import PROFILES

# However few rows there are, one launch is wanted.
EAGER = {name: dataclasses.replace(one, units_wanted=1) for name, one in PROFILES.items()}
# A workgroup, where lanes would do such short rows; and as large ones as lavapipe has room for.
EAGER["teams"] = dataclasses.replace(PROFILES["GPU"], units_wanted=2**30)
WIDE = {"max_invocations": 1024, "max_shared_bytes": 2**15}
EAGER["wide"] = dataclasses.replace(EAGER["teams"], **WIDE)
# The elements of the longest row of a workgroup, and of the longest column.
LONGEST = {"GPU": (2**11, 2**8), "teams": (2**11, 2**8), "wide": (2**12, 2**11)}
ROWS = {"CPU": 2**13, **{name: row for name, (row, _) in LONGEST.items()}}
SIZES = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 64, 97, 128, 257])
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504.0, -1e-7]


def numbers(draw, shape, dtype):
    """With a mean far from 0, and in some rows what is special."""
    array = (chance().normal(size=shape) + 2).astype(dtype)
    for value in draw(st.lists(st.sampled_from(SPECIAL), max_size=3)):
        array.reshape(-1)[draw(st.integers(0, array.size - 1))] = value
    return array


def assert_same(found, wanted):
    found = found.numpy()
    same = (bits(found) == bits(wanted)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), (found[~same][:4], wanted[~same][:4])


@pytest.mark.parametrize("eager", EAGER)
@tier.examples(12)
@given(data=st.data())
def test_rows_of_any_size_have_the_bits_of_the_reference(eager, data):
    draw = data.draw
    dtype = draw(st.sampled_from(["float32", "float16"]))
    array = numbers(draw, (draw(SIZES) % 19 + 1, draw(SIZES)), dtype)
    axis = draw(st.sampled_from([0, 1]))
    x = dml_vk.asarray(array)
    if draw(st.booleans()):
        x = dml_vk.asarray(np.concatenate([array, array], 1))[:, : array.shape[1]]
    weight = chance().normal(size=array.shape[axis]).astype(draw(st.sampled_from(["f4", "f2"])))
    wide = weight[:, None] if axis == 0 else weight
    with profiled(dml_vk.device(), EAGER[eager]):
        assert_same(nn.softmax(x, axis=axis), softmax(array, axis))
        w = dml_vk.asarray(np.ascontiguousarray(wide))
        got = nn.mean_variance_norm(x, w, w, axes=axis, activation="relu")
        single = array.astype(np.float32)
        wanted = normalised(single, moments(array, axis), 1e-5, wide, wide)
        with np.errstate(over="ignore"):
            assert_same(got, np.where(wanted <= 0, np.float32(0), wanted).astype(dtype))


@pytest.mark.parametrize("eager", tier.some(EAGER, 2))
@tier.examples(6)
@given(data=st.data())
def test_channels_and_groups_have_the_bits_of_the_reference(eager, data):
    draw = data.draw
    dtype = draw(st.sampled_from(["float32", "float16"]))
    each, groups = draw(st.sampled_from([1, 2, 3, 4, 8, 20])), draw(st.sampled_from([1, 3, 4]))
    shape = (draw(st.integers(1, 3)), each * groups, draw(SIZES) % 40 + 1, draw(SIZES) % 24 + 1)
    array = numbers(draw, shape, dtype)
    weight = chance().normal(size=shape[1]).astype(np.float32)
    wide, w = weight[:, None, None], dml_vk.asarray(weight)
    found = moments(array, (2, 3))
    forms = [dml_vk.contiguous_format, dml_vk.channels_last]
    for form in forms if tier.is_all() else [draw(st.sampled_from(forms))]:
        x = dml_vk.asarray(array, memory_format=form)
        with profiled(dml_vk.device(), EAGER[eager]), np.errstate(over="ignore"):
            assert_same(nn.instance_norm(x, w), normalised(array, found, 1e-5, wide))
            wanted = normalised(array, of_groups(found, groups), 1e-5, wide, wide)
            assert_same(nn.group_norm(x, groups, w, w), wanted)
            assert_same(nn.softmax(x, axis=1), softmax(array, 1))


def beside(size, longest):
    """Profiles for which the size is a limit or one more than that, and one of the others."""
    near = [name for name, most in longest.items() if size - 1 <= most <= size]
    others = [name for name in longest if name not in near]
    return tier.plus(near + others[:1], others[1:])


# The longest rows and columns of workgroups, and those of one element more.
@pytest.mark.parametrize("size", tier.plus([2048, 2049, 4096, 4097, 70001], [1021, 4095]))
def test_rows_up_to_more_than_a_workgroup_holds(size):
    array = (chance().normal(size=(2, size)) + 4).astype(np.float32)
    x = dml_vk.asarray(array)
    of_norms = tier.some(EAGER, 1 if size % 2 == 0 else 2)
    for name in beside(size, ROWS):
        with profiled(dml_vk.device(), EAGER[name]):
            if name in of_norms:
                assert_same(nn.layer_norm(x, size), normalised(array, moments(array, 1), 1e-5))
            with launches() as seen:
                found = nn.softmax(x)
            assert_same(found, softmax(array))
            assert (len(seen) == 1) is (size <= ROWS[name])


@pytest.mark.parametrize("size", tier.plus([256, 257, 2048, 2049], [255, 2047]))
def test_columns_up_to_more_than_a_workgroup_holds(size):
    array = (chance().normal(size=(size, 11)) + 4).astype(np.float32)
    x = dml_vk.asarray(array)
    of_norms = tier.some(LONGEST, 1)
    for name in beside(size, {name: columns for name, (_, columns) in LONGEST.items()}):
        longest = LONGEST[name][1]
        with profiled(dml_vk.device(), EAGER[name]):
            if name in of_norms:
                wanted = normalised(array, moments(array, 0), 1e-5)
                assert_same(nn.mean_variance_norm(x, axes=0), wanted)
            with launches() as seen:
                found = nn.softmax(x, axis=0)
            assert_same(found, softmax(array, 0))
            assert (len(seen) == 1) is (size <= longest)


@tier.parametrize("name dtype", LONGEST, ["float32", "float16"])
def test_workgroups_write_nothing_but_their_rows(name, dtype):
    """In place and into a part of a tensor, with more rows than a workgroup has, and odd sizes."""
    with profiled(dml_vk.device(), EAGER[name]):
        for sizes in tier.plus(((70, 1), (33, 100), (2, 1, 40)), ((9, 64), (5, 1021))):
            for axis in (0, len(sizes) - 1):
                array = (chance().normal(size=sizes) + 4).astype(dtype)
                wanted = softmax(array, axis)
                x = dml_vk.asarray(array)
                nn.softmax(x, axis=axis, out=x)
                assert_same(x, wanted)
                around = np.full([size + 3 for size in sizes], -9.0, dtype)
                part = tuple([slice(1, 1 + size) for size in sizes])
                into = dml_vk.asarray(around)
                nn.softmax(dml_vk.asarray(array), axis=axis, out=into[part])
                around[part] = wanted
                assert_same(into, around)


@pytest.mark.parametrize("axis", [0, 1])
def test_what_comes_before_rows_joins_the_launch_of_workgroups(axis):
    """Also where it takes loops, of which each invocation does only those of its own elements."""
    array = (chance().normal(size=(4100, 40) if axis else (40, 4100)) + 4).astype(np.float32)
    x, y = dml_vk.asarray(array), dml_vk.asarray(np.float32(3))
    wanted = softmax(array / np.float32(3) + array, axis)
    with profiled(dml_vk.device(), EAGER["wide"]):
        joined = dml_vk.compile(lambda x, y: nn.softmax(x / y + x, axis=axis))
        joined(x, y)
        with launches() as seen:
            found = joined(x, y)
        assert_same(found, wanted)
    assert len(seen) == 1


def test_rows_that_take_a_lane_too_many_rounds_take_several_launches():
    array = (chance().normal(size=(40_000, 64)) + 4).astype(np.float32)
    with profiled(dml_vk.device(), EAGER["CPU"]), launches() as seen:
        assert_same(nn.softmax(dml_vk.asarray(array), axis=0), softmax(array, 0))
    assert len(seen) > 1


def test_more_parts_than_a_row_keeps_take_several_launches():
    array = (chance().normal(size=(16, 600, 2, 2)) + 4).astype(np.float32)
    found = of_groups(moments(array, (2, 3)), 2)
    for profile in EAGER.values():
        with profiled(dml_vk.device(), profile):
            assert_same(nn.group_norm(dml_vk.asarray(array), 2), normalised(array, found, 1e-5))
