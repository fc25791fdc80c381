"""Devices are found, described as Vulkan has them, and chosen; where there are none, it is said."""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dml_vk.driver import probe, vulkan
from dml_vk.driver.probe import Devices, Heap
from dml_vk.errors import DeviceError
from dml_vk.install import system
from dml_vk.limits import MINIMUM

GIB = 2**30


def run(code, **environment):
    """What a fresh process prints, in another environment."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def info():
    """A device at hand, whichever it is."""
    found = probe.devices()
    assert found, found.reason
    return found[0]


@pytest.fixture
def several(info, monkeypatch):
    """Five devices of five types, none of them where its type would put it."""
    types = ("cpu", "other", "virtual", "integrated", "discrete")
    found = Devices(
        replace(info, index=2 * n, type=kind, name=f"Maker {kind} 4{n}")
        for n, kind in enumerate(types)
    )
    monkeypatch.setattr(probe, "devices", lambda: found)
    monkeypatch.delenv("DML_VK_DEVICE", raising=False)
    return {one.type: one for one in found}


def test_only_subgroups_in_a_known_order_shuffle(info):
    able = replace(
        info, driver="llvmpipe Mesa", subgroup_size=8, subgroup_operations=("basic", "shuffle")
    )
    assert able.profile.shuffles
    for changed in (
        {"driver": "SwiftShader"},
        {"subgroup_size": 4},
        {"subgroup_operations": ("basic",)},
    ):
        assert not replace(able, **changed).profile.shuffles


def test_only_drivers_that_move_elements_one_by_one_get_wide_ones(info):
    able = replace(info, driver="llvmpipe Mesa", features=("shaderInt64",))
    assert able.profile.widens
    for changed in ({"driver": "SwiftShader"}, {"features": ("shaderInt16",)}):
        assert not replace(able, **changed).profile.widens


def test_every_device_meets_what_vulkan_guarantees(info):
    assert info.index == 0
    assert info.name
    assert info.api_version >= (1, 1, 0)
    assert info.driver
    assert info.max_range_bytes >= MINIMUM.max_range_bytes
    assert info.max_push_bytes >= MINIMUM.max_push_bytes
    assert min(info.max_groups) >= MINIMUM.max_groups
    assert info.max_group_size[0] >= MINIMUM.max_invocations
    assert info.max_invocations >= MINIMUM.max_invocations
    assert info.max_shared_bytes >= MINIMUM.max_shared_bytes
    assert info.max_storage_buffers >= MINIMUM.max_storage_buffers
    assert info.max_allocation_bytes >= GIB
    assert any(heap.device_local and heap.nbytes >= 2**27 for heap in info.heaps)
    assert info.subgroup_size & (info.subgroup_size - 1) == 0 < info.subgroup_size
    assert "basic" in info.subgroup_operations
    assert 0 < info.timestamp_period < 1e6
    assert all(name.startswith("VK_") for name in info.extensions)
    assert str(info).startswith(f"0: {info.name} ({info.type}), Vulkan 1.")


@pytest.mark.kompute
def test_the_order_is_that_of_kompute():
    code = """
import kp
from dml_vk.driver import probe
from dml_vk.driver import vulkan
with vulkan.quiet_layers():
    theirs = [device["device_name"] for device in kp.Manager(0).list_devices()]
assert [theirs[info.index] for info in probe.devices()] == [info.name for info in probe.devices()]
print(len(theirs))
"""
    assert int(run(code)) >= len(probe.devices())


@pytest.mark.linux
def test_a_process_probes_once(monkeypatch):
    first = probe.devices()
    assert probe.devices() is first
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("VK_DRIVER_FILES", os.devnull)
        assert not probe.devices()
    assert probe.devices() is first


@pytest.mark.linux
def test_a_fork_probes_anew():
    code = """
import os, sys
from dml_vk.driver import probe
from dml_vk.driver import vulkan
before, instance = probe.devices(), vulkan.instance()
if os.fork() == 0:
    sys.exit(7 if probe.devices() == before and vulkan.instance() is not instance else 1)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert run(code) == "7"


@pytest.mark.linux
def test_no_driver_is_an_empty_list_that_says_why():
    code = "from dml_vk.driver import probe; print(probe.devices(), len(probe.devices()))"
    nowhere = os.path.join(os.devnull, "none.json")
    said = run(code, VK_DRIVER_FILES=nowhere, VK_ICD_FILENAMES=nowhere)
    assert said.startswith("Devices((), reason='Vulkan: no driver provides a device; got result=")
    assert said.endswith(" 0")


@pytest.mark.linux
@pytest.mark.parametrize(
    "manifest",
    ["", "{", '{"file_format_version": "1.0.0", "ICD": {"library_path": "./broken.so"}}'],
    ids=["empty", "unfinished", "no library"],
)
def test_a_broken_driver_is_no_driver(tmp_path, manifest):
    path = tmp_path / "broken.json"
    path.write_text(manifest)
    (tmp_path / "broken.so").write_text("no library")
    code = "from dml_vk.driver import probe; print(probe.devices().reason)"
    said = run(code, VK_DRIVER_FILES=str(path), VK_ICD_FILENAMES=str(path))
    assert said.startswith("Vulkan: no driver provides a device")


def test_no_loader_is_an_empty_list_that_says_why(monkeypatch):
    monkeypatch.setattr(vulkan, "LOADERS", ("libnosuchvulkan.so.9",))
    assert vulkan.load.__wrapped__() is None
    monkeypatch.setattr(vulkan, "load", lambda: None)
    monkeypatch.setenv("VK_NEW_STATE", "no loader")
    assert probe.devices() == ()
    assert "no Vulkan loader found; got missing='libnosuchvulkan.so.9'" in repr(probe.devices())


class Described:
    """An instance whose one device says what it is told to."""

    physical_devices = (ctypes.c_void_p(),)

    def __init__(self, *, family=0, version=1 << 22 | 3 << 12 | 5, extensions=(), kind=2):
        self.family, self.version, self.found, self.kind = family, version, extensions, kind

        self.vk = SimpleNamespace(vkGetPhysicalDeviceFeatures2=self._features)

    def _features(self, device, asked):
        asked._obj.shaderInt64 = 1

    def queue_family(self, device):
        return self.family

    def extensions(self, device):
        return frozenset(self.found)

    def memory(self, device):
        memory = vulkan.MemoryProperties(heap_count=2)
        memory.heaps[0] = vulkan.MemoryHeap(8 * GIB, vulkan.DEVICE_LOCAL)
        memory.heaps[1] = vulkan.MemoryHeap(16 * GIB, 0)
        return memory

    def properties(self, device, *chain):
        for one in chain:
            if isinstance(one, vulkan.DriverProperties):
                one.name, one.info = b"A driver", b"1.2"
            elif isinstance(one, vulkan.SubgroupProperties):
                one.size, one.stages, one.operations = 32, self.family, 0b1011
        properties = vulkan.DeviceProperties(
            api_version=self.version, driver_version=0xAB, device_type=self.kind
        )
        properties.device_name = b"A device"
        return properties


def described(monkeypatch, **given):
    monkeypatch.setattr(vulkan, "instance", lambda: Described(**given))
    return probe._devices.__wrapped__(())


def test_a_device_is_described(monkeypatch):
    monkeypatch.setenv("DML_VK_RUNTIME", "vulkan")
    (one,) = described(monkeypatch, extensions=["VK_KHR_driver_properties"])
    assert (one.name, one.type, one.api_version) == ("A device", "discrete", (1, 3, 5))
    assert one.driver == "A driver 1.2"
    assert one.heaps == (Heap(8 * GIB, True), Heap(16 * GIB, False))
    assert one.subgroup_operations == ()
    assert one.features == ("shaderInt64",)
    assert str(one) == "0: A device (discrete), Vulkan 1.3.5, A driver 1.2, 16.0 GiB, run by vulkan"


def test_what_a_driver_does_not_say(monkeypatch):
    (one,) = described(monkeypatch, family=0x20, kind=9)
    assert one.type == "other"
    assert one.driver == "version 0xab"
    assert one.subgroup_operations == ("basic", "vote", "ballot")


@pytest.mark.parametrize("given", [{"family": None}, {"version": 1 << 22 | 4}], ids=str)
def test_a_device_that_cannot_run_kernels_does_not_count(monkeypatch, given):
    found = described(monkeypatch, **given)
    assert len(found) == 0
    assert found.reason == "Vulkan: no device supports compute with Vulkan 1.1; got devices=1"


def test_the_list_survives_pickling(info):
    found = Devices([info])
    assert pickle.loads(pickle.dumps(found)) == found == (info,)
    assert repr(found) == f"Devices(({info!r},))"
    assert pickle.loads(pickle.dumps(Devices((), "why"))).reason == "why"


def test_a_discrete_device_comes_before_an_integrated_one_and_a_cpu_last(several, monkeypatch):
    for kind in ("discrete", "integrated", "virtual", "other", "cpu"):
        assert probe.select() is several[kind]
        left = Devices(one for one in probe.devices() if one.type != kind)
        monkeypatch.setattr(probe, "devices", lambda left=left: left)


def test_a_device_is_selected_by_index_or_part_of_a_name(several, monkeypatch):
    assert probe.select(2) is several["other"]
    assert probe.select(" 2 ") is several["other"]
    assert probe.select(" VIRTUAL ") is several["virtual"]
    assert probe.select("maker") is several["discrete"]
    assert probe.select("43") is several["integrated"]
    monkeypatch.setenv("DML_VK_DEVICE", "cpu")
    assert probe.select() is several["cpu"]
    assert probe.select("virtual") is several["virtual"]
    monkeypatch.setenv("DML_VK_DEVICE", "6")
    assert probe.select() is several["integrated"]


@pytest.mark.parametrize("wanted", [1, -1, True, "9", "nobody's", 2.0, b"cpu"], ids=repr)
def test_what_matches_nothing_is_an_error_that_lists_the_devices(several, wanted):
    with pytest.raises(DeviceError) as caught:
        probe.select(wanted)
    assert f"got wanted={wanted!r}, devices=['0: Maker cpu 40', '2: Maker other 41'" in str(
        caught.value
    )


def test_selecting_where_there_is_nothing_says_what_to_do(monkeypatch):
    monkeypatch.setattr(probe, "devices", lambda: Devices((), "the reason"))
    for name in system.DRIVER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(system, "how_to_install", lambda needs: f"get {needs[0].name}")
    with pytest.raises(DeviceError, match=r"get a Vulkan driver.*reason='the reason'"):
        probe.select()
    monkeypatch.setenv("VK_ICD_FILENAMES", "x.json")
    with pytest.raises(DeviceError, match="unset VK_ICD_FILENAMES"):
        probe.select("any")


def test_the_profile_of_a_gpu(info, monkeypatch):
    monkeypatch.delenv("DML_VK_VALIDATE", raising=False)
    one = replace(
        info,
        type="discrete",
        driver="NVIDIA 580",
        max_range_bytes=2**32 - 1,
        max_allocation_bytes=2**40,
    )
    assert one.profile.max_range_bytes == 2**31 - 4096
    assert replace(one, max_groups=(2**31 - 1, 1, 1)).profile.max_groups == 65535
    assert not one.profile.unified
    assert one.profile.groups_wanted is None
    assert one.profile.coalesces
    assert not one.profile.compiles_late
    assert replace(one, subgroup_size=64).profile.subgroup == 64
    seen = replace(one, subgroup_operations=("basic", "arithmetic"))
    assert seen.profile.features == {"subgroup_basic", "subgroup_arithmetic"}
    assert replace(one, max_allocation_bytes=GIB).profile.max_range_bytes == GIB
    assert replace(one, max_range_bytes=2**27).profile.max_range_bytes == 2**27
    assert replace(one, type="integrated").profile.unified
    assert replace(one, type="virtual", max_storage_buffers=9).profile.max_storage_buffers == 9


def test_the_profile_of_a_cpu(info, monkeypatch):
    cpu = replace(info, type="cpu")
    assert cpu.profile.unified
    monkeypatch.setattr(probe.os, "sched_getaffinity", lambda process: {0, 1, 5}, raising=False)
    assert (cpu.profile.groups_wanted, cpu.profile.units_wanted) == (24, 48)
    assert not cpu.profile.coalesces
    assert cpu.profile.compiles_late
    monkeypatch.delattr(probe.os, "sched_getaffinity")
    monkeypatch.setattr(probe.os, "cpu_count", lambda: None)
    assert cpu.profile.groups_wanted == 8


def test_what_llvmpipe_honours_counts_unless_validating(info, monkeypatch):
    one = replace(
        info,
        driver="llvmpipe Mesa 22.3.6 (LLVM 15.0.6)",
        max_range_bytes=2**27,
        max_allocation_bytes=2**31,
    )
    monkeypatch.delenv("DML_VK_VALIDATE", raising=False)
    assert one.profile.max_range_bytes == 2**31 - 4096
    monkeypatch.setenv("DML_VK_VALIDATE", "0")
    assert one.profile.max_range_bytes == 2**31 - 4096
    monkeypatch.setenv("DML_VK_VALIDATE", "1")
    assert one.profile.max_range_bytes == 2**27


def test_the_probe_needs_no_layer_and_no_kp():
    code = """
import sys
sys.modules["kp"] = sys.modules["numpy"] = None
from dml_vk.driver import probe
print(len(probe.devices()))
"""
    assert int(run(code)) == len(probe.devices())


def test_swiftshader_gets_no_unroll_hints(monkeypatch):
    (one,) = described(monkeypatch)
    assert one.profile.unrolls
    assert not replace(one, driver="SwiftShader driver 5.0.0").profile.unrolls
