"""The file of compiled pipelines: read if it is whole, written if there is news, never an error."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest

import dml_vk
from dml_vk.driver.vulkan import DeviceProperties
from dml_vk.runtime.vulkan.pipeline_cache import PipelineCache


class Opened:
    """A device whose driver has compiled something."""

    def __init__(self, data=b"compiled"):
        self.handle = None
        self.given = None  # what the cache began with
        self.data, self.results = data, [0, 0]
        self.properties = DeviceProperties(vendor_id=0x10DE, device_id=1, driver_version=0xABC)
        self.calls = SimpleNamespace(vkGetPipelineCacheData=self.get)

    def check(self, call, device, request, allocator, handle):
        info = request._obj
        self.given = ctypes.string_at(info.data, info.nbytes) if info.nbytes else b""

    def get(self, device, cache, size, data):
        if data is None:
            size._obj.value = len(self.data)
        else:
            data.raw = self.data
        return self.results.pop(0)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("DML_VK_CACHE", str(tmp_path))
    return tmp_path / "pipelines"


def began_with(opened=None):
    opened = opened or Opened()
    PipelineCache(opened)
    return opened.given


def test_what_was_saved_is_there_again(folder):
    assert began_with() == b""
    PipelineCache(Opened()).save()
    (path,) = folder.iterdir()
    assert path.name == f"{dml_vk.__version__}-10de-1-abc-{'00' * 16}"
    assert began_with() == b"compiled"


def test_nothing_new_is_not_written(folder):
    PipelineCache(Opened()).save()
    (path,) = folder.iterdir()
    inode = path.stat().st_ino
    PipelineCache(Opened()).save()
    assert path.stat().st_ino == inode
    PipelineCache(Opened(b"compiled more")).save()
    assert began_with() == b"compiled more"
    assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize("name", ["vendor_id", "device_id", "driver_version"])
def test_another_driver_has_another_file(name):
    PipelineCache(Opened()).save()
    other = Opened()
    setattr(other.properties, name, 7)
    assert began_with(other) == b""


def test_the_file_of_another_driver_is_ignored_by_this_name(folder):
    PipelineCache(Opened()).save()
    other = Opened()
    other.properties.vendor_id = 7
    (path,) = folder.iterdir()
    path.rename(PipelineCache(other)._path)
    assert began_with(other) == b""


def test_nothing_is_kept_if_the_cache_is_off(folder, monkeypatch):
    PipelineCache(Opened()).save()
    monkeypatch.setenv("DML_VK_CACHE", "off")
    assert began_with() == b""
    PipelineCache(Opened(b"more")).save()
    monkeypatch.setenv("DML_VK_CACHE", str(folder.parent))
    assert began_with() == b"compiled"


def test_another_build_of_a_driver_has_another_file():
    PipelineCache(Opened()).save()
    other = Opened()
    other.properties.pipeline_cache_uuid[15] = 1
    assert began_with(other) == b""


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[:10],
        lambda data: data[:-1] + b"?",
        lambda data: b"?" + data[1:],
    ],
)
def test_a_file_that_is_not_whole_is_ignored_and_replaced(folder, spoil):
    PipelineCache(Opened()).save()
    (path,) = folder.iterdir()
    path.write_bytes(spoil(path.read_bytes()))
    opened = Opened()
    cache = PipelineCache(opened)
    assert opened.given == b""
    cache.save()
    assert began_with() == b"compiled"


def test_a_folder_that_cannot_be_is_no_error(folder):
    folder.write_text("in the way")
    PipelineCache(Opened()).save()
    assert folder.read_text() == "in the way"


def test_a_file_that_cannot_be_replaced_leaves_nothing(folder):
    cache = PipelineCache(Opened())
    cache._path.mkdir(parents=True)
    cache.save()
    assert list(folder.iterdir()) == [cache._path]


@pytest.mark.parametrize("results", [[-1], [0, 5]])
def test_a_driver_that_does_not_give_its_data_is_no_error(folder, results):
    PipelineCache(Opened()).save()
    opened = Opened(b"more")
    opened.results = results
    PipelineCache(opened).save()
    assert began_with() == b"compiled"


def test_a_driver_without_data_needs_no_file(folder):
    PipelineCache(Opened(b"")).save()
    assert not folder.exists()
