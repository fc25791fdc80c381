"""The few structures and calls of Vulkan, and what opening an instance takes."""

from __future__ import annotations

import ctypes
import os
import sys
from types import SimpleNamespace

import pytest

from dml_vk.driver import vulkan
from dml_vk.errors import DeviceError
from tests.unit.driver.test_probe import run


def test_structures_are_as_large_as_vulkan_says():
    assert ctypes.sizeof(vulkan.DeviceLimits) == 504
    assert ctypes.sizeof(vulkan.DeviceProperties) == 824
    assert ctypes.sizeof(vulkan.MemoryProperties) == 520
    assert ctypes.sizeof(vulkan.MemoryProperties2) == 536
    assert ctypes.sizeof(vulkan.MemoryBudget) == 272
    assert vulkan.DeviceLimits.storage_buffer_range.offset == 28
    assert vulkan.DeviceLimits.compute_shared_memory_size.offset == 216
    assert vulkan.DeviceLimits.timestamp_period.offset == 424


def test_a_loader_knows_the_call_for_budgets():
    """A driver that lists the extension fills in the rest; this one may not."""
    instance = vulkan.instance()
    (device, *_) = instance.physical_devices
    budget = instance.memory_budget(device)
    assert budget.type == vulkan.MemoryBudget.TYPE
    known = "VK_EXT_memory_budget" in instance.extensions(device)
    assert (budget.budgets[0] > 0) is known


def test_an_old_loader_is_refused(monkeypatch):
    monkeypatch.setattr(vulkan, "load", SimpleNamespace)
    with pytest.raises(DeviceError, match=r"the Vulkan loader must be version 1\.1 or newer"):
        vulkan.Instance()


@pytest.mark.parametrize(
    ("code", "created", "listed"), [(-9, -9, 0), (-3, 0, -3), (0, 0, 0)], ids=str
)
def test_a_loader_that_refuses_is_a_device_error(monkeypatch, code, created, listed):
    fake = SimpleNamespace(
        vkGetPhysicalDeviceProperties2=None,
        vkEnumerateInstanceExtensionProperties=lambda *given: 0,
        vkCreateInstance=lambda *given: created,
        vkEnumeratePhysicalDevices=lambda *given: listed,
    )
    monkeypatch.setattr(vulkan, "load", lambda: fake)
    with pytest.raises(DeviceError, match=f"no driver provides a device; got result={code}"):
        vulkan.Instance()


@pytest.mark.parametrize(("listed", "flags"), [("VK_KHR_portability_enumeration", 1), ("other", 0)])
def test_drivers_on_another_api_are_asked_for_where_the_loader_hides_them(
    monkeypatch, listed, flags
):
    seen = []

    def extensions(layer, count, found):
        count._obj.value = 1
        if found is not None:
            found[0].name = listed.encode()

    def create(info, allocator, handle):
        info = info._obj
        seen.append((info.flags, info.extensions[: info.extension_count]))
        return -9

    fake = SimpleNamespace(
        vkGetPhysicalDeviceProperties2=None,
        vkEnumerateInstanceExtensionProperties=extensions,
        vkCreateInstance=create,
    )
    monkeypatch.setattr(vulkan, "load", lambda: fake)
    with pytest.raises(DeviceError, match="no driver provides a device"):
        vulkan.Instance()
    assert seen == [(flags, [b"VK_EXT_debug_report", listed.encode()][: 1 + flags])]


@pytest.mark.parametrize("before", [None, "~implicit~"])
def test_layers_are_quiet_inside_only(monkeypatch, before):
    name = "VK_LOADER_LAYERS_DISABLE"
    monkeypatch.delenv("DML_VK_VALIDATE", raising=False)
    monkeypatch.setenv(name, before or "")
    if before is None:
        monkeypatch.delenv(name)
    with vulkan.quiet_layers(), vulkan.quiet_layers():
        assert os.environ[name] == "~all~"
    assert os.environ.get(name) == before
    monkeypatch.setenv("DML_VK_VALIDATE", "1")
    with vulkan.quiet_layers():
        assert os.environ.get(name) == before


@pytest.mark.parametrize(
    ("platform", "loader"),
    [("win32", "vulkan-1.dll"), ("darwin", "libvulkan.1.dylib"), ("linux", "libvulkan.so.1")],
)
def test_the_loader_has_a_name_on_every_system(platform, loader):
    code = f"""
import importlib, os, sys
from dml_vk.driver import vulkan
sys.platform = {platform!r}
vars(os).pop("register_at_fork", None)
print(importlib.reload(vulkan).LOADERS[0])
"""
    assert run(code) == loader


@pytest.mark.parametrize("platform", ["win32", "darwin", "linux"])
def test_a_loader_not_found_by_name_is_searched_in_folders(monkeypatch, tmp_path, platform):
    """On Windows in those of the PATH, on macOS in those of package managers."""
    tried = []

    def open_library(name):
        tried.append(name)
        if not os.path.isabs(name):
            raise OSError
        return name

    folder = tmp_path / "lib"
    folder.mkdir()
    (folder / "loader").touch()
    monkeypatch.setattr(vulkan, "LOADERS", ("other", "loader"))
    monkeypatch.setattr(vulkan, "_MACOS_FOLDERS", (str(tmp_path / "none"), str(folder)))
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(tmp_path), str(folder)]))
    monkeypatch.setattr(ctypes, "CDLL", open_library)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.chdir(folder)
    found = None if platform == "linux" else str(folder / "loader")
    assert vulkan.load.__wrapped__() == found
    assert tried == ["other", "loader", *[found] * bool(found)]


def test_a_32_bit_python_on_windows_is_refused(monkeypatch):
    monkeypatch.setattr(vulkan, "load", SimpleNamespace)
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    with pytest.raises(DeviceError, match="loader must be"):
        vulkan.Instance()
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(DeviceError, match="a 64-bit Python is needed on Windows; got bits=32"):
        vulkan.Instance()


@pytest.mark.linux
def test_a_lock_that_another_thread_holds_does_not_outlive_a_fork():
    code = """
import os, sys, threading
from dml_vk.driver import vulkan
holding, done = threading.Event(), threading.Event()
def hold():
    with vulkan.quiet_layers():
        holding.set()
        done.wait()
threading.Thread(target=hold).start()
holding.wait()
if os.fork() == 0:
    with vulkan.quiet_layers():
        os._exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
done.set()
"""
    assert run(code) == "7"
    before = vulkan._environment
    vulkan._renew_after_fork()
    assert vulkan._environment is not before
