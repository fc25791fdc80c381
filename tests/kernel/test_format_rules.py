"""The memory format RFC, row by row, as tensors answer it: docs/memory_formats.md has the rows.

Each test is named after the row that it answers; the last one looks whether any row is left out.
"""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import LayoutError
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.layout import (
    Layout,
    MemoryFormat,
    channels_first,
    channels_last,
    contiguous_format,
    preserve_format,
)

PAGE = Path(__file__).parents[2] / "docs" / "memory_formats.md"
ARRAY = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
AMBIGUOUS = ((1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1), (1, 3, 1, 1), (2, 1, 1, 1), (1, 1, 4, 5))


@pytest.fixture
def x():
    return dml_vk.asarray(ARRAY, memory_format=channels_last)


@pytest.fixture
def nchw():
    return dml_vk.asarray(ARRAY)


def is_nhwc(*tensors):
    return all(t.memory_format is channels_last and t.is_contiguous(channels_last) for t in tensors)


def test_r1_sizes_indexes_and_dims_are_logical(x):
    assert x.shape == ARRAY.shape
    assert x[1, 2, 3, 4].item() == ARRAY[1, 2, 3, 4]
    assert np.array_equal(dml_vk.sum(x, axis=1).numpy(), ARRAY.sum(1))


def test_r2_formats_are_constants_that_compare():
    assert channels_first is contiguous_format
    assert len({channels_last, contiguous_format, preserve_format}) == len(MemoryFormat) == 3
    assert dml_vk.channels_last is channels_last


def test_r3_one_name_serves_three_ranks():
    for sizes, strides in (
        ((2, 3, 4), (12, 1, 3)),
        ((2, 3, 4, 5), (60, 1, 15, 3)),
        ((2, 3, 2, 4, 5), (120, 1, 60, 15, 3)),
    ):
        assert dml_vk.ones(sizes, memory_format=channels_last).strides == strides
    with pytest.raises(LayoutError, match="channels_last"):
        dml_vk.ones((3, 4), memory_format=channels_last)


def test_r4_is_contiguous_asks_about_a_format(x, nchw):
    assert x.is_contiguous(channels_last)
    assert not x.is_contiguous()
    assert nchw.is_contiguous()
    assert not nchw.is_contiguous(channels_last)
    assert not nchw[0, 0].is_contiguous(channels_last)


def test_r5_contiguous_converts_or_is_the_tensor_itself(x, nchw):
    y = nchw.contiguous(channels_last)
    assert is_nhwc(y)
    assert np.array_equal(y.numpy(), ARRAY)
    assert x.contiguous(channels_last) is x
    assert x.contiguous().strides == (60, 20, 5, 1)


def test_r6_to_and_contiguous_follow_one_rule():
    for sizes in ((2, 3, 4, 5), *AMBIGUOUS):
        for made in (contiguous_format, channels_last):
            t = dml_vk.full(sizes, 1.5, memory_format=made)
            for wanted in (contiguous_format, channels_last):
                a, b = t.to(wanted), t.contiguous(wanted)
                assert a.layout == b.layout
                assert a.is_contiguous(wanted)
                assert a.memory_format is wanted


def test_r7_conversion_is_permute_contiguous_permute(x, nchw):
    y = nchw.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    assert y.strides == x.strides == (60, 1, 15, 3)
    assert is_nhwc(y)


def test_r8_the_format_can_be_asked_for(x, nchw):
    assert (x.memory_format, nchw.memory_format) == (channels_last, contiguous_format)
    assert nchw.permute(3, 2, 1, 0).memory_format is None


def test_r9_the_physical_order_can_be_asked_for(x, nchw):
    assert (x.layout.order, nchw.layout.order) == ((0, 2, 3, 1), (0, 1, 2, 3))


def test_r10_everything_that_creates_takes_a_format():
    generator = dml_vk.random.Generator(7)
    told = {"memory_format": channels_last}
    made = [
        dml_vk.empty((2, 3, 4, 5), **told),
        dml_vk.zeros((2, 3, 4, 5), **told),
        dml_vk.ones((2, 3, 4, 5), **told),
        dml_vk.full((2, 3, 4, 5), 7, **told),
        dml_vk.asarray(ARRAY, **told),
        generator.bits((2, 3, 4, 5), **told),
        generator.random((2, 3, 4, 5), **told),
        generator.uniform(1, 2, (2, 3, 4, 5), **told),
        generator.integers(1, 7, (2, 3, 4, 5), **told),
        generator.normal((2, 3, 4, 5), **told),
    ]
    assert is_nhwc(*made)


def test_r11_like_preserves_and_takes_formats(x):
    for function in (dml_vk.empty_like, dml_vk.ones_like, dml_vk.zeros_like):
        assert is_nhwc(function(x))
        assert function(x, memory_format=contiguous_format).is_contiguous()
    assert is_nhwc(dml_vk.full_like(x, 7))
    sliced = x[:, :2]
    assert dml_vk.empty_like(sliced).strides == (40, 1, 10, 2)


def test_r12_clone_copy_cast_and_device_keep_the_format(x):
    assert is_nhwc(x.clone(), copy.copy(x), x.to(dml_vk.float16), x.to(x.device), x.to_device(0))
    assert is_nhwc(dml_vk.astype(x, dml_vk.int32), dml_vk.asarray(x, copy=True))


def test_r13_dense_tensors_of_any_order_are_one_run(x, nchw):
    odd = nchw.permute(3, 1, 0, 2)
    assert x.layout.is_dense
    assert odd.layout.is_dense
    assert dml_vk.exp(odd).strides == odd.strides
    assert not x[:, :2].layout.is_dense


def test_r17_formats_are_of_strided_tensors_alone(x):
    assert not hasattr(x, "is_sparse")


def test_r19_unary_functions_keep_the_format(x):
    for sizes in ((2, 3, 4, 5), *AMBIGUOUS):
        t = dml_vk.full(sizes, 0.5, memory_format=channels_last)
        assert is_nhwc(dml_vk.exp(t), -t, dml_vk.clip(t, 0.1, 0.4), dml_vk.isnan(t), dml_vk.relu(t))
    flat = [
        plan_computed("float_exp", (2, 3, 4, 5), [(s, 0, 4)] * 2, (0,) * 6, x.device.profile)
        for s in ((60, 20, 5, 1), (60, 1, 15, 3))
    ]
    assert flat[0].push == flat[1].push, "one pass over the same block"
    assert flat[0].spec == flat[1].spec


def test_r20_scalars_keep_the_format(x):
    zero_dim = dml_vk.asarray(2.0)
    assert is_nhwc(x + 1, 1 - x, x * zero_dim, zero_dim * x)


def test_r21_broadcast_operands_keep_the_format(x):
    for sizes in ((3, 1, 1), (1, 3, 1, 1), (4, 5), (5,), (1, 1, 4, 5), (2, 3, 1, 1)):
        for made in (contiguous_format, channels_last)[: 1 + (len(sizes) in (3, 4))]:
            small = dml_vk.full(sizes, 2.0, memory_format=made)
            assert is_nhwc(x + small, small + x, dml_vk.maximum(small, x))


def test_r22_nhwc_with_nchw_is_nhwc_in_either_order(x, nchw):
    assert is_nhwc(x + nchw, nchw + x, dml_vk.where(nchw > 3, nchw, x))
    assert (x + nchw).layout == (nchw + x).layout
    assert is_nhwc(x + nchw[:1], nchw[:1] + x)


def test_r23_formats_stick(x):
    flipped = dml_vk.flip(x, axis=2)
    assert np.array_equal(flipped.numpy(), ARRAY[:, :, ::-1])
    assert is_nhwc(
        *(flipped + 0.5, dml_vk.roll(x, 2, axis=3), dml_vk.take(x, dml_vk.asarray([1, 0]), axis=2)),
        *(dml_vk.cumulative_sum(x, axis=1), dml_vk.sort(x, axis=3), dml_vk.tril(x)),
        *(dml_vk.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2))), dml_vk.repeat(x, 2, axis=3)),
        *(dml_vk.sum(x, axis=1, keepdims=True), dml_vk.max(x, axis=(2, 3), keepdims=True)),
        dml_vk.take_along_axis(x, dml_vk.argsort(x, axis=1), axis=1),
        dml_vk.where(x > 3, x, 0.0),
    )
    assert dml_vk.sum(x, axis=0).layout.order == (1, 2, 0)
    assert is_nhwc(dml_vk.clip(x, 2.0, 9.0))
    square = dml_vk.full((2, 3, 4, 4), 1.5, memory_format=channels_last)
    assert (square @ square).is_contiguous(), "matmul is row-major"


def test_r24_permuting_there_and_back_changes_nothing(x):
    y = x.permute(0, 2, 3, 1)
    assert y.is_contiguous()
    assert y.permute(0, 3, 1, 2).layout == x.layout


def test_r25_strides_make_the_format():
    t = dml_vk.asarray(np.ones((10, 16, 16, 3), np.float32)).permute(0, 3, 1, 2)
    assert is_nhwc(t)


def test_r26_an_image_out_of_a_batch_and_back(x):
    image = x[0]
    assert image.layout.order == (1, 2, 0)
    assert is_nhwc(image.unsqueeze(0), x[0][None], dml_vk.expand_dims(image, axis=0) * 2)
    assert is_nhwc(dml_vk.stack([x[0], x[1]]))


def test_r27_chunks_of_channels(x):
    first, second = dml_vk.full((2, 4, 4, 5), 1.5, memory_format=channels_last).chunk(2, 1)
    assert not first.is_contiguous(channels_last)
    assert first.memory_format is channels_last
    assert is_nhwc(first + second, dml_vk.exp(first), first.clone())


@pytest.mark.parametrize("sizes", AMBIGUOUS)
def test_r28_ambiguous_shapes_keep_what_was_meant(sizes):
    for made in (contiguous_format, channels_last):
        t = dml_vk.full(sizes, 1.5, memory_format=made)
        kept = (t, t + 1, t.clone(), t.view(sizes), t.reshape(sizes), dml_vk.exp(t), t[...], t + t)
        assert {one.memory_format for one in kept} == {made}
        assert pickle.loads(pickle.dumps(t)).memory_format is made


def test_r29_reshape_is_a_view_where_it_can_be(x):
    with dml_vk.trace(strict=True):
        flat = x.reshape(2, 3, 20)
    assert flat.strides == (60, 1, 3)
    assert np.array_equal(flat.numpy(), ARRAY.reshape(2, 3, 20))
    with dml_vk.trace() as log:
        assert np.array_equal(x.reshape(2, 60).numpy(), ARRAY.reshape(2, 60))
    assert [entry.op for entry in log.entries if entry.reason != "host"] == ["reshape"]


def test_r30_joining_and_splitting_keep_the_format(x, nchw):
    assert is_nhwc(dml_vk.concat([x, nchw], axis=1), dml_vk.concat([nchw, x], axis=0))
    assert {one.memory_format for one in (*x.split(2, 1), *x.chunk(2, 2))} == {channels_last}
    assert {one.layout.order for one in dml_vk.unstack(x)} == {(1, 2, 0)}


def test_r31_a_given_output_keeps_its_format(x, nchw):
    for out in (dml_vk.empty(x.shape), dml_vk.empty(x.shape, memory_format=channels_last)):
        before = out.layout
        assert dml_vk.add(x, nchw, out=out) is out
        assert out.layout == before
        assert np.array_equal(out.numpy(), ARRAY * 2)
    nchw += x
    assert nchw.is_contiguous()


def test_r32_the_order_is_a_tag_that_travels(x):
    tagged = dml_vk.full((2, 3, 1, 1), 1.5).to(channels_last)
    assert tagged.strides == (3, 1, 3, 3)
    assert is_nhwc(tagged, dml_vk.exp(tagged) + 1)


def test_r33_the_same_work_takes_the_same_kernel_in_either_format(x):
    profile = x.device.profile
    plans = [
        plan_computed("float_arithmetic", (2, 3, 4, 5), [(s, 0, 4)] * 3, (0,) * 7, profile)
        for s in ((60, 20, 5, 1), (60, 1, 15, 3))
    ]
    assert (plans[0].module, plans[0].push) == (plans[1].module, plans[1].push)


def test_r35_what_there_is_of_the_list_runs_in_the_format(x):
    with dml_vk.trace(strict=True):
        scaled = (x - x.mean((0, 2, 3), keepdims=True)) / x.std((0, 2, 3), keepdims=True)
        padded = dml_vk.pad(scaled, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="reflect")
        soft = dml_vk.exp(padded - padded.max(1, keepdims=True))
        soft = soft / soft.sum(1, keepdims=True)
    assert is_nhwc(scaled, padded, soft)


def test_r36_no_operation_copies_in_silence(x, nchw):
    with dml_vk.trace(strict=True):
        dml_vk.add(x, nchw)
        dml_vk.sum(x, axis=(1, 3))
        dml_vk.sort(x, axis=1)
        dml_vk.cumulative_sum(x, axis=2)
        x.permute(0, 2, 3, 1) @ nchw.permute(0, 2, 1, 3)
        x[:, [0, 2]]


def test_r38_files_and_pickles_keep_the_format(x, tmp_path):
    assert pickle.loads(pickle.dumps(x)).layout == x.layout
    dml_vk.save(tmp_path / "x.npy", x)
    assert dml_vk.load(tmp_path / "x.npy").layout == x.layout


def test_r39_the_trace_says_who_reordered_memory(x):
    with dml_vk.trace() as log:
        x.contiguous()
    (entry,) = log.entries
    assert (entry.op, entry.source, entry.target) == ("contiguous", channels_last, channels_first)
    assert entry.file == __file__


def test_r42_a_strict_trace_is_the_tool(x):
    with (
        dml_vk.trace(strict=True),
        pytest.raises(LayoutError, match=r"reshape: implicit copy in a strict trace \("),
    ):
        x.reshape(2, 60)


def test_r44_blocked_layouts_are_layouts(nchw):
    values = np.arange(1, 2 * 32 * 4 * 5 + 1, dtype=np.float32).reshape(2, 32, 4, 5)
    plain = dml_vk.asarray(values)
    packed = Layout.packed(values.shape, "nChw16c")
    blocked = dml_vk.empty(packed.numel).over(packed)
    dml_vk.copy(plain.over(plain.layout.block("nChw16c")), blocked)
    expected = values.reshape(2, 2, 16, 4, 5).transpose(0, 1, 3, 4, 2)
    assert np.array_equal(blocked.numpy(), expected)
    assert blocked.is_contiguous()


def test_r40_the_log_says_which_kernel_ran(x, nchw, caplog):
    caplog.set_level("DEBUG", "dml_vk")
    dml_vk.synchronize()
    x.to(contiguous_format)
    dml_vk.add(x, nchw)
    dml_vk.synchronize()
    ran = [record.dispatch.asked for record in caplog.records if hasattr(record, "dispatch")]
    assert [(one.kernel, one.path) for one in ran] == [
        ("copy_zip_32", "zip by quads"),
        ("float_arithmetic_words_32", "words by rows"),
    ]


def test_every_row_of_the_page_has_a_test_or_is_refused():
    answered = {int(name[6:].split("_")[0]) for name in globals() if name.startswith("test_r")}
    page = PAGE.read_text()
    rows = dict(re.findall(r"^\| (R[\dR, ]+) \|.*\| ([^|]+) \|$", page, re.MULTILINE))
    written = {int(number) for names in rows for number in re.findall(r"\d+", names)}
    assert written == {*range(1, 43), 44}
    refused = {
        int(number)
        for names, answer in rows.items()
        for number in re.findall(r"\d+", names)
        if answer.startswith("not offered")
    }
    assert answered | refused == written
    assert not answered & refused
