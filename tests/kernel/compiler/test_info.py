"""What compiled functions say of their first calls."""

from __future__ import annotations

import re

import pytest

import dml_vk
from dml_vk.kernels.codegen import kernel_cache
from tests.kernel.compiler.tensors import tensor


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """No kernels in memory, and none on disk."""
    monkeypatch.setenv("DML_VK_CACHE", str(tmp_path))
    queue = dml_vk.device().queue

    def forget():
        monkeypatch.setattr(queue.pipelines, "_cached", {})
        monkeypatch.setattr(queue.encoder, "_known", {})
        monkeypatch.setattr(queue.encoder, "_same", {})

    forget()
    yield forget
    kernel_cache._opened.cache_clear()


def test_a_function_tells_what_its_first_calls_took(fresh):
    def function(x):
        return dml_vk.sort(x * 1.75 + 0.125), dml_vk.exp(x) - 0.375

    compiled = dml_vk.compile(function)
    assert compiled.info() == (0, 0, 0, 0, 0.0, 0.0)
    compiled(tensor(60))
    first = compiled.info()
    assert first.programs == 1
    assert first.kernels == compiled.explain().count("\n") - 1
    assert 2 <= first.kernels_made <= first.kernels
    assert first.kernels_from_disk == 0
    assert min(first.capture_seconds, first.build_seconds) > 0
    compiled(tensor(60))
    assert compiled.info() == first
    fresh()
    compiled(dml_vk.ones((3, 5)))
    second = compiled.info()
    assert second.programs == 2
    assert second.kernels_made > first.kernels_made
    assert second.capture_seconds > first.capture_seconds
    fresh()
    again = dml_vk.compile(function)
    again(tensor(60))
    assert again.info().kernels_from_disk == again.info().kernels_made == first.kernels_made


def test_the_log_says_how_long_kernels_took(fresh, caplog):
    compiled = dml_vk.compile(lambda x: x * 3.5 + 1)
    with caplog.at_level("INFO", logger="dml_vk"):
        compiled(tensor(30))
        compiled(tensor(30))
    said = [one.getMessage() for one in caplog.records if " built " in one.getMessage()]
    assert len(said) == 1
    form = r"test_info\.py:\d+\): built <lambda> kernels=1 from_disk=0 us=\d+\.\d$"
    assert re.search(form, said[0])


def test_a_program_that_could_not_run_yet_has_built_nothing():
    weight = tensor(4)
    compiled = dml_vk.compile(lambda x: x + weight)
    compiled(weight)  # called as it is
    assert compiled.info().kernels_made == 0
    assert compiled.info().programs == 1
