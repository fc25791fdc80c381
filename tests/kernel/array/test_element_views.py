"""Views of single elements and of slices, read and written one after another."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.layout import Layout
from dml_vk.runtime.queue import Queue
from dml_vk.tensor import spec
from tests.chance import chance


def test_elements_are_read_while_work_on_others_is_pending(monkeypatch):
    x = dml_vk.asarray(chance().integers(1, 9, 200).astype(np.uint8))
    if not x.device.unified:
        pytest.skip("elements are copied by work of their own, in order")
    expected = x.numpy()
    dml_vk.synchronize()
    x[101::3] = 0
    with monkeypatch.context() as patched:
        patched.setattr(Queue, "_send_pending", None)
        assert [int(x[at]) for at in (0, 77, 99, -200)] == expected[[0, 77, 99, 0]].tolist()
        assert np.array_equal(x[:100].numpy(), expected[:100])
        with pytest.raises(TypeError):
            int(x[100])  # It shares a word with what is written.
    expected[101::3] = 0
    assert [int(x[at]) for at in (100, 101, 199)] == expected[[100, 101, 199]].tolist()
    assert np.array_equal(x.numpy(), expected)


def test_the_cache_of_views_is_bounded(monkeypatch):
    monkeypatch.setattr(spec, "MOST_OF_ONE", 3)
    monkeypatch.setattr(spec, "MOST_VIEWS", 7)
    array = np.arange(40, dtype=np.int32).reshape(5, 8)
    x = dml_vk.asarray(array)
    for _ in range(2):
        for row in range(-5, 5):
            for key in (row, (row, slice(1, 6, 2))):
                array[key] = array[key] + 3
                x[key] = x[key] + 3
            for seen in (x.spec, x[row].spec):
                assert len(seen.views) <= 3
            assert len(spec.Spec._views) <= 7
    assert np.array_equal(x.numpy(), array)


def test_a_transpose_of_tensors_alike_is_laid_out_once(monkeypatch):
    laid_out, plain = [], Layout.transpose
    monkeypatch.setattr(
        Layout, "transpose", lambda layout, *of: laid_out.append(of) or plain(layout, *of)
    )
    for k in range(5):
        array = np.arange(6, dtype=np.float32).reshape(2, 3) + k
        assert np.array_equal(dml_vk.asarray(array).T.numpy(), array.T)
    assert len(laid_out) <= 1


def test_keys_of_the_same_numbers_are_kept_apart():
    array = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    x = dml_vk.asarray(array)
    every, back = slice(None), slice(None, None, -1)
    keys = (1, (1,), slice(1, None), (slice(1, None),), slice(None, 1), (1, None), (None, 1), True)
    more = ((1, ...), (..., 1), (..., None, 1), (None, ..., 1), (every, None, 1), (back, 1, None))
    for _ in range(2):
        for key in (*keys, *more, (), (...,), (None,), (slice(True, None), 1), np.int64(1)):
            assert np.array_equal(x[key].numpy(), array[key])
            x[key] += 1
            array[key] += 1
            assert np.array_equal(x.numpy(), array)
    for key in ((..., ...), (1, 1, 1, 1), (..., 1, 1, 1, None, 1), (0, 4)):
        for _ in range(2):
            with pytest.raises(dml_vk.errors.LayoutIndexError):
                x[key]
            with pytest.raises(dml_vk.errors.LayoutIndexError):
                x[key] = 1
