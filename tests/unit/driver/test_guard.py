"""Memory that cannot be had is refused in words, and nothing dies."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dml_vk.driver import host_memory, probe, vulkan
from dml_vk.driver.guard import Guard
from dml_vk.errors import DeviceError
from tests.hanging import HANGING

MIB = 2**20


@pytest.fixture(scope="module")
def info():
    return probe.select()


@pytest.fixture(scope="module")
def opened(info):
    return Guard(info)


KINDS = ("device", "upload", "readback", "unified")


@pytest.mark.parametrize("kind", KINDS)
def test_memory_that_is_available_is_not_refused(opened, kind):
    for nbytes in (1, 4096, 16 * MIB, 16 * MIB + 1):
        assert opened.refusal(nbytes, kind) is None


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_the_heap_is_refused(opened, info, kind):
    most = max(heap.nbytes for heap in info.heaps)
    assert "heap of" in opened.refusal(most + 1, kind)
    assert "heap of" in opened.refusal(1 << 63, kind)


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=HANGING
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.linux
def test_a_limit_on_the_process_is_met_in_words():
    code = f"""
import resource
from dml_vk.driver import probe
from dml_vk.driver.guard import Guard
guard = Guard(probe.select())
assert guard.refusal(500 * {MIB}, "unified") is None
with open("/proc/self/statm") as file:
    held = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 400 * {MIB},) * 2)
print(guard.refusal(100 * {MIB}, "unified"), guard.refusal(500 * {MIB}, "unified"), sep="; ")
print(guard.no_slack())
resource.setrlimit(resource.RLIMIT_AS, (held + 50 * {MIB},) * 2)
print(guard.no_slack())
"""
    assert run(code).splitlines() == [
        "None; this process can have less than 692 MiB more",
        "None",
        "this process can have less than 64 MiB more",
    ]


def test_a_kernel_is_compiled_only_where_there_is_slack(monkeypatch, opened):
    assert opened.no_slack() is None
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 64 * MIB - 1)
    assert opened.no_slack() == "the host has 64 MiB free, of which 64 MiB are reserved"
    monkeypatch.setattr(host_memory, "available_bytes", lambda: None)
    assert opened.no_slack() is None


def test_exhausted_address_space_is_reported_like_memory(monkeypatch, opened):
    def full(*_):
        raise OSError

    monkeypatch.setattr("mmap.mmap", full)
    assert opened.no_slack() == "this process can have less than 64 MiB more"


def test_memory_is_left_for_the_compiler(monkeypatch, opened):
    left = 300 * MIB
    monkeypatch.setattr(host_memory, "available_bytes", lambda: left)
    monkeypatch.setattr(opened, "_unified", True)
    assert opened.refusal(left - 192 * MIB, "unified") is None
    refusal = opened.refusal(left - 192 * MIB + 1, "unified")
    assert refusal == "the host has 300 MiB free, of which 192 MiB are reserved"
    monkeypatch.setattr(host_memory, "available_bytes", lambda: None)
    assert opened.refusal(left, "unified") is None


# Memory types, as (heap, flags), of a card with a window to its memory.
VISIBLE = vulkan.HOST_VISIBLE | vulkan.HOST_COHERENT
WINDOW = ((0, vulkan.DEVICE_LOCAL), (1, VISIBLE), (2, vulkan.DEVICE_LOCAL | VISIBLE))


def card(types, *heaps):
    memory = vulkan.MemoryProperties(type_count=len(types), heap_count=len(heaps))
    for number, (heap, flags) in enumerate(types):
        memory.types[number].heap, memory.types[number].flags = heap, flags
    for number, (mib, flags) in enumerate(heaps):
        memory.heaps[number].nbytes, memory.heaps[number].flags = mib * MIB, flags
    return memory


def test_each_kind_of_memory_comes_from_its_heap(monkeypatch, opened):
    monkeypatch.setattr(opened, "_unified", False)
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 2**40)
    local = vulkan.DEVICE_LOCAL
    monkeypatch.setattr(opened, "_memory", card(WINDOW, (80, local), (50, 0), (7, local)))
    heaps = [opened.refusal(2**30, kind).partition(" MiB")[0] for kind in KINDS]
    assert [heap.rpartition(" ")[2] for heap in heaps] == ["80", "50", "50", "7"]
    # As the runtime takes it: where nothing is both, the host's is what the two share.
    monkeypatch.setattr(opened, "_memory", card(WINDOW[:2], (80, local), (50, 0)))
    assert "heap of 50 MiB" in opened.refusal(2**30, "unified")
    monkeypatch.setattr(opened, "_memory", card(WINDOW[:1], (80, local)))
    assert opened.refusal(1, "unified") == "the device has no memory of this type"


def test_held_memory_counts_against_heaps_of_device_memory(monkeypatch, opened):
    monkeypatch.setattr(opened, "_unified", False)
    local = vulkan.DEVICE_LOCAL
    monkeypatch.setattr(opened, "_memory", card(WINDOW, (80, local), (50, 0), (7, local)))
    assert opened.refusal(64 * MIB, "device", held_bytes=16 * MIB) is None
    assert "has 64 MiB free" in opened.refusal(64 * MIB + 1, "device", held_bytes=16 * MIB)
    assert "has 0 MiB free" in opened.refusal(1, "device", held_bytes=160 * MIB)
    assert opened.refusal(30 * MIB, "upload", held_bytes=40 * MIB) is None
    # The device's own memory is no matter of the host's.
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 0)
    assert opened.refusal(1, "device") is None
    assert opened.refusal(1, "upload").startswith("the host has")
    monkeypatch.setattr(opened, "_unified", True)
    assert opened.refusal(1, "device").startswith("the host has")


def budgeted(info, monkeypatch, kind="discrete"):
    """A guard of a card whose driver knows budgets, and the heaps' (budget, used), in MiB."""
    listed = info.extensions | {"VK_EXT_memory_budget"}
    of_card = replace(info, type=kind, extensions=listed)
    monkeypatch.setattr(probe, "devices", lambda: [of_card])
    guard = Guard(of_card)
    local = vulkan.DEVICE_LOCAL
    monkeypatch.setattr(guard, "_memory", card(WINDOW, (80, local), (50, 0), (7, local)))
    now = [(80, 0), (50, 0), (7, 0)]

    def ask(physical, asked):
        head = asked._obj
        assert head.type == 1000059006
        budget = vulkan.MemoryBudget.from_address(head.next)
        assert budget.type == 1000237000
        for heap, (most, used) in enumerate(now):
            budget.budgets[heap], budget.used[heap] = most * MIB, used * MIB

    fake = SimpleNamespace(vkGetPhysicalDeviceMemoryProperties2=ask)
    monkeypatch.setattr(guard._instance, "vk", fake)
    return guard, now


def test_a_budget_counts_what_other_processes_have(monkeypatch, info):
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 2**40)
    guard, now = budgeted(info, monkeypatch)
    now[0], now[1] = (60, 40), (30, 29)
    assert guard.refusal(20 * MIB, "device") is None
    told = "the device's budget for this process is 60 MiB, of which it uses 40 MiB"
    assert guard.refusal(20 * MIB + 1, "device") == told
    assert guard.refusal(MIB, "upload") is None
    assert "is 30 MiB, of which it uses 29 MiB" in guard.refusal(MIB + 1, "upload")
    # It is asked each time, and the rest holds as well.
    now[0] = (60, 70)
    assert "is 60 MiB, of which it uses 70 MiB" in guard.refusal(1, "device")
    now[0] = (90, 0)
    assert "heap of 80 MiB has 50 MiB free" in guard.refusal(51 * MIB, "device", 30 * MIB)
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 0)
    assert guard.refusal(1, "upload").startswith("the host has")


def test_a_software_driver_is_not_asked_for_a_budget(monkeypatch, info):
    """It divides the host's memory, which may be more than the heap that it reports."""
    guard, now = budgeted(info, monkeypatch, "cpu")
    now[1] = (0, 0)
    assert guard.refusal(1, "upload") is None


def test_a_device_that_is_gone_is_an_error(info):
    with pytest.raises(DeviceError, match="the device is gone"):
        Guard(replace(info, name="another"))


def test_refusals_in_a_forked_child(monkeypatch, opened, info):
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert "forked" in opened.refusal(1, "unified")
    with pytest.raises(DeviceError, match="cannot use its parent's device: start it by spawn"):
        Guard(info)


def tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


MEMINFO = "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:  4000 kB\n"


@pytest.mark.linux
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
