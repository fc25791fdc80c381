"""Kernels on disk: read if they were made of the same, else made."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dml_vk import cache_files
from dml_vk.kernels.codegen import kernel_cache, library
from dml_vk.kernels.codegen.kernel_cache import get

MODULES = ("copy_words_32",)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("DML_VK_CACHE", str(tmp_path))
    yield tmp_path / "kernels"
    for one in (kernel_cache._code, kernel_cache._content, kernel_cache._opened):
        one.cache_clear()


def test_what_was_made_is_not_made_again(folder):
    assert get(("kernel", 1), MODULES, lambda: b"made") == (b"made", False)
    assert get(("kernel", 1), MODULES, lambda: b"again") == (b"made", True)
    assert get(("kernel", 2), MODULES, lambda: b"other") == (b"other", False)
    assert get(("kernel", 1), (), lambda: b"none") == (b"none", False)
    assert len(list(folder.iterdir())) == 3


def test_nothing_is_kept_if_it_is_off(folder, monkeypatch):
    monkeypatch.setenv("DML_VK_CACHE", "off")
    for made in (b"one", b"two"):
        assert get(("kernel", 1), MODULES, lambda made=made: made) == (made, False)
    assert not folder.exists()


def test_another_module_code_or_version_makes_it_again(monkeypatch, tmp_path):
    def again():
        for one in (kernel_cache._code, kernel_cache._content):
            one.cache_clear()
        return get((), MODULES, lambda: b"made")[1]

    assert [again(), again()] == [False, True]
    with monkeypatch.context() as patched:
        patched.setattr(library, "load", lambda module: b"changed")
        assert [again(), again()] == [False, True]
    with monkeypatch.context() as patched:
        patched.setattr("dml_vk.__version__", "0.0.0")
        assert [again(), again()] == [False, True]
    for folder in ("KERNELS", "SPIRV"):
        with monkeypatch.context() as patched:
            (tmp_path / "code.py").write_text("a = 1")
            patched.setattr(kernel_cache, folder, tmp_path)
            assert [again(), again()] == [False, True]
            (tmp_path / "code.py").write_text("a = 2")
            assert [again(), again()] == [False, True]
    assert again()


def test_a_file_that_is_not_whole_is_made_again(folder):
    get((), MODULES, lambda: b"made")
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert get((), MODULES, lambda: b"made") == (b"made", False)
    assert get((), MODULES, lambda: b"?") == (b"made", True)


def test_a_folder_that_cannot_be_is_tried_once(folder, monkeypatch):
    folder.write_text("in the way")
    tried = []
    monkeypatch.setattr(cache_files, "write", lambda path, data: bool(tried.append(path)))
    for number in range(5):
        assert get((number,), MODULES, lambda: b"made") == (b"made", False)
    assert len(tried) == 1


def test_what_is_too_large_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(kernel_cache, "MOST_FILE_BYTES", 3)
    assert get((), MODULES, lambda: b"made") == (b"made", False)
    assert not folder.exists()


def test_the_folder_is_bounded(folder, monkeypatch):
    monkeypatch.setattr(kernel_cache, "MOST_BYTES", 2000)
    monkeypatch.setattr(kernel_cache, "LOOK_FILES", 4)
    for number in range(33):
        get((number,), MODULES, lambda: b"x" * 68)  # 100 with the digest
    assert sum(one.stat().st_size for one in folder.iterdir()) <= 2000


RUN = """
import dml_vk
from dml_vk.observe import builds
x = dml_vk.asarray([1.0, 2.0, 3.0, -0.5])
with builds.counted() as made:
    y = dml_vk.compile(lambda x: dml_vk.exp(x) * 0.25 + dml_vk.where(x > 1.5, x, 7.0))(x)
    z = dml_vk.sort(dml_vk.astype(y, dml_vk.float64) / 3)
print(made.kernels, made.saved, y.numpy().tobytes().hex(), z.numpy().tobytes().hex())
"""


def test_another_process_has_the_same_kernels_with_the_same_bits(tmp_path):
    """Also if the folder is full of rubbish; and where it is off."""

    def run(cache=str(tmp_path)):
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            env={**os.environ, "DML_VK_CACHE": cache},
            capture_output=True,
            text=True,
            check=True,
        )
        kernels, from_disk, *bits = done.stdout.split()
        return int(kernels), int(from_disk), bits

    kernels, from_disk, bits = run()
    assert kernels >= 3
    assert from_disk == 0
    assert run() == (kernels, kernels, bits)
    names = sorted((tmp_path / "kernels").iterdir())
    whole = [one.read_bytes() for one in names]
    for name, data in zip(names, whole[1:] + whole[:1]):
        name.write_bytes(data)  # each that of another
    assert run() == (kernels, 0, bits)
    assert [one.read_bytes() for one in names] == whole
    assert run("off") == (kernels, 0, bits)
