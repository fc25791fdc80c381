"""Memory that cannot be had is refused in words, and nothing dies."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dml_vk.driver import guard, host_memory, probe, vulkan
from dml_vk.driver.guard import Guard
from dml_vk.driver.logical_device import open_device
from dml_vk.errors import DeviceError

MIB = 2**20


@pytest.fixture(scope="module")
def info():
    return probe.select()


@pytest.fixture(scope="module")
def opened(info):
    return Guard(info)


@pytest.mark.parametrize("host_visible", [True, False])
def test_what_is_there_is_not_refused(opened, host_visible):
    for nbytes in (1, 4096, 16 * MIB, 16 * MIB + 1):
        assert opened.refusal(nbytes, host_visible) is None


@pytest.mark.parametrize("host_visible", [True, False])
def test_more_than_the_heap_is_refused(opened, info, host_visible):
    most = max(heap.nbytes for heap in info.heaps)
    assert "heap of" in opened.refusal(most + 1, host_visible)
    assert "heap of" in opened.refusal(1 << 63, host_visible)


def test_a_trial_leaves_nothing_behind(opened):
    code = f"""
import resource
from dml_vk.driver import probe
from dml_vk.driver.guard import Guard
guard = Guard(probe.select())
{limited(1600)}
# Ten that stayed would not fit. One does, beside what the C library maps for each thread, and what
# the threads of the last one still hold where the machine is busy.
assert all(guard.refusal(256 * {MIB}, True) is None for _ in range(10))
print("done")
"""
    assert run(code) == "done"


def limited(mib):
    """Code for a limit on addresses that leaves room for so many MiB more."""
    return f"""
with open("/proc/self/statm") as file:
    held = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + {mib} * {MIB},) * 2)
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("host_visible", [True, False])
def test_a_limit_on_the_process_is_met_in_words(host_visible):
    code = f"""
import resource
from dml_vk.driver import probe
from dml_vk.driver.guard import Guard
guard = Guard(probe.select())
assert guard.refusal(500 * {MIB}, {host_visible}) is None
{limited(400)}
print(guard.refusal(100 * {MIB}, {host_visible}), guard.refusal(500 * {MIB}, {host_visible}))
"""
    assert run(code) == "None the driver refused (VkResult -2)"


def test_a_trial_that_fails_halfway_gives_back_what_it_took(monkeypatch, opened):
    taken, freed = [], []

    def allocate(device, request, callbacks, memory):
        if taken:
            return -2
        memory._obj.value = 77
        taken.append(request._obj.nbytes)
        return 0

    fake = SimpleNamespace(
        vkAllocateMemory=allocate,
        vkFreeMemory=lambda device, memory, callbacks: freed.append(memory.value),
    )
    monkeypatch.setattr(opened, "_vk", fake)
    assert opened.refusal(MIB, True) == "the driver refused (VkResult -2)"
    assert (taken, freed) == ([MIB], [77])


def test_a_kernel_is_compiled_only_where_there_is_slack(monkeypatch, opened):
    assert opened.no_slack() is None
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 64 * MIB - 1)
    assert opened.no_slack() == "the host has 64 MiB free, of which 64 MiB are reserved"
    monkeypatch.setattr(host_memory, "available_bytes", lambda: None)
    assert opened.no_slack() is None

    def full(*_):
        raise OSError

    monkeypatch.setattr("mmap.mmap", full)
    assert opened.no_slack() == "this process has less than 64 MiB free for the compiler"


def test_room_is_left_for_the_compiler(monkeypatch, opened):
    left = 300 * MIB
    monkeypatch.setattr(host_memory, "available_bytes", lambda: left)
    monkeypatch.setattr(opened, "_unified", True)
    assert opened.refusal(left - 192 * MIB, True) is None
    refusal = opened.refusal(left - 192 * MIB + 1, True)
    assert refusal == "the host has 300 MiB free, of which 192 MiB are reserved"
    monkeypatch.setattr(host_memory, "available_bytes", lambda: None)
    assert opened.refusal(left, True) is None


def test_what_is_held_counts_where_the_heap_is_the_devices_own(monkeypatch, opened):
    monkeypatch.setattr(opened, "_unified", False)
    heap = opened._memory.heaps[opened._memory.types[opened._types[False]].heap]
    assert heap.flags & vulkan.DEVICE_LOCAL
    free = heap.nbytes - 64 * MIB
    assert opened.refusal(64 * MIB, False, held_bytes=free) is None
    assert "has 64 MiB free" in opened.refusal(64 * MIB + 1, False, held_bytes=free)
    assert "has 0 MiB free" in opened.refusal(1, False, held_bytes=2 * heap.nbytes)
    # A small device's own memory is no matter of the host's.
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 0)
    assert opened.refusal(1, False) is None
    monkeypatch.setattr(opened, "_unified", True)
    assert opened.refusal(64 * MIB, False, held_bytes=2 * heap.nbytes).startswith("the host has")


def test_a_kind_of_memory_that_is_not_there(monkeypatch, opened):
    monkeypatch.setitem(opened._types, False, None)
    assert opened.refusal(1, False) == "the device has no memory of this type"


def test_the_types_are_those_that_kompute_takes(monkeypatch, opened):
    memory = vulkan.MemoryProperties(type_count=4)
    flags = (vulkan.HOST_VISIBLE, vulkan.DEVICE_LOCAL, vulkan.HOST_VISIBLE | vulkan.HOST_COHERENT)
    for n, one in enumerate((*flags, 7)):
        memory.types[n].flags = one
    monkeypatch.setattr(opened, "_memory", memory)

    def requirements(device, buffer, needs):
        needs._obj.type_bits = allowed

    fake = SimpleNamespace(
        vkCreateBuffer=lambda *given: 0,
        vkGetBufferMemoryRequirements=requirements,
        vkDestroyBuffer=lambda *given: None,
    )
    monkeypatch.setattr(opened, "_vk", fake)
    allowed = 0b1111
    assert (opened._type(*guard._HOST), opened._type(*guard._STORAGE)) == (2, 1)
    allowed = 0b1011
    assert (opened._type(*guard._HOST), opened._type(*guard._STORAGE)) == (3, 1)
    allowed = 0b0101
    assert (opened._type(*guard._HOST), opened._type(*guard._STORAGE)) == (2, None)
    fake.vkCreateBuffer = lambda *given: -1
    with pytest.raises(DeviceError, match="cannot create a buffer on the device; got result=-1"):
        opened._type(*guard._HOST)


def test_a_device_that_is_gone_or_does_not_open_is_an_error(monkeypatch, info):
    with pytest.raises(DeviceError, match="the device is gone"):
        Guard(replace(info, name="another"))
    instance = SimpleNamespace(
        queue_family=lambda device: 0, vk=SimpleNamespace(vkCreateDevice=lambda *given: -3)
    )
    with pytest.raises(DeviceError, match="cannot open the device; got result=-3"):
        open_device(instance, instance)


def test_a_forked_process_is_refused_and_exits():
    code = """
import os, sys
from dml_vk.driver import probe
from dml_vk.errors import DeviceError
from dml_vk.driver.guard import Guard
guard = Guard(probe.select())
if os.fork() == 0:
    try:
        Guard(probe.select())
    except DeviceError as error:
        print(guard.refusal(1, True), error, sep="; ", flush=True)
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    said = run(code)
    assert said.startswith("this process was forked from the one that opened the device; device: ")
    assert said.endswith("\n7")


def test_refusals_in_a_child(monkeypatch, opened, info):
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert "forked" in opened.refusal(1, True)
    with pytest.raises(DeviceError, match="cannot use its parent's device: start it by spawn"):
        Guard(info)


def tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


MEMINFO = "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:  4000 kB\n"


def test_the_host_says_what_is_available(tmp_path):
    assert host_memory.available_bytes() > 128 * MIB
    files = {"proc/meminfo": MEMINFO}
    assert host_memory.available_bytes(tree(tmp_path / "a", {})) is None
    assert host_memory.available_bytes(tree(tmp_path / "b", files)) == 4000 * 1024
    first = {"proc/meminfo": "MemAvailable: 5 kB\n"}
    assert host_memory.available_bytes(tree(tmp_path / "c", first)) == 5 * 1024


def test_a_cgroup_of_version_2_limits(tmp_path):
    files = {
        "proc/meminfo": MEMINFO,
        "proc/self/cgroup": "0::/outer/inner\n",
        "sys/fs/cgroup/outer/inner/memory.max": "max\n",
        "sys/fs/cgroup/outer/memory.max": "2000000\n",
        "sys/fs/cgroup/outer/memory.current": "1500000\n",
        "sys/fs/cgroup/outer/memory.stat": "anon 3\nactive_file 9\ninactive_file 100000\n",
    }
    assert host_memory.available_bytes(tree(tmp_path, files)) == 600000


def test_a_cgroup_of_version_1_limits(tmp_path):
    files = {
        "proc/meminfo": MEMINFO,
        "proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/of/the/host\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "4000\n",
        "sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 100\n",
    }
    root = tree(tmp_path, files)
    assert host_memory.available_bytes(root) == 0
    tree(tmp_path, {"sys/fs/cgroup/memory/memory.usage_in_bytes": "400\n"})
    assert host_memory.available_bytes(root) == 700
    tree(tmp_path, {"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"})
    assert host_memory.available_bytes(root) == 4000 * 1024
    tree(tmp_path, {"sys/fs/cgroup/memory/memory.limit_in_bytes": "500\n"})
    (tmp_path / "sys/fs/cgroup/memory/memory.stat").unlink()
    assert host_memory.available_bytes(root) == 100
