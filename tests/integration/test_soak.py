"""A long life: after a hundred thousand of everything a process is no larger than at the start."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.layout import Layout
from dml_vk.runtime.arenas import KEPT_S
from dml_vk.runtime.device import Device
from tests import tier
from tests.integration.process import says

MIB = 2**20


def test_a_hundred_thousand_allocations_and_launches():
    """Kompute itself keeps 30 bytes of every sequence; the rest is the wavering of a heap."""
    most = 100_000 if tier.is_all() else 20_000
    says(
        f"        most = {most}\n"
        """
        import random
        from dml_vk.layout import channels_last
        random.seed(4)
        device = dml_vk.device()

        def resident():
            for line in open("/proc/self/status"):
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) / 1024

        shapes = [(n, c, 3, 4) for n in (1, 2) for c in (4, 5)]
        held, seen, done = [], {}, 0
        start = device.memory_stats().in_use
        while done < most:
            sizes = random.choice(shapes)
            x = dml_vk.full(sizes, float(done % 1000))
            y = dml_vk.empty(sizes, memory_format=random.choice((channels_last, "NCHW")))
            dml_vk.copy(x, y)
            held.append((y, done % 1000))
            if len(held) > 200:
                for _ in range(150):
                    y, value = held.pop(random.randrange(len(held)))
                assert set(y.numpy().ravel()) == {value}, value
            done += 2  # two allocations, two launches
            if done in (10_000, most):
                device.synchronize()
                seen[done] = resident()
        held.clear()
        del x, y
        device.synchronize()
        stats = device.memory_stats()
        print(seen[most] - seen[10_000] < 8 or seen)
        print(stats.in_use == start, stats.peak < 2**20, stats.in_use + stats.cached <= 2**25)
        print(len(device.queue.pipelines) < 64 or len(device.queue.pipelines))
        """,
        "True\nTrue True True\nTrue",
    )


@pytest.mark.parametrize("seed", tier.some(range(3), 1))
def test_random_sizes_leave_little_idle(seed):
    """Up to 8 MiB each, freed in any order: what is held stays near what is in use."""
    random = np.random.default_rng(seed)
    device = Device(dml_vk.device().info)
    held, sizes, most = [], 0, 0
    for step in range(3000):
        grows = 0.7 if step < 1000 else 0.5 if step < 2000 else 0.3
        if random.random() < grows or not held:
            nbytes = int(2 ** random.uniform(4, 23))
            held.append(dml_vk.empty((nbytes,), np.uint8, device=device))
            sizes += nbytes
            most = max(most, sizes)
        else:
            sizes -= held.pop(int(random.integers(len(held)))).nbytes
        if step % 10 == 0:
            stats = device.memory_stats()
            held_bytes = stats.in_use + stats.cached
            assert sizes <= stats.in_use <= sizes + 256 * len(held)
            # An arena more has a quarter of what is held, and gaps between tensors add to that.
            assert held_bytes <= 1.5 * most + 32 * MIB, (step, held_bytes / MIB, most / MIB)
    places = sorted(
        (id(a.arena), a.offset, a.offset + a.nbytes) for a in (tensor.allocation for tensor in held)
    )
    for (arena, _, end), (other, start, _) in itertools.pairwise(places):
        assert arena != other or end <= start, "no two share a byte"
    held.clear()
    later = itertools.count(device.memory.clock() + KEPT_S, KEPT_S)
    for memory in (device.memory, *device.staging):
        memory.clock = lambda: next(later)
    for _ in range(3):
        device.synchronize()
    assert device.memory_stats().in_use == 0
    assert device.memory_stats().cached <= 32 * MIB


def test_contents_survive_whatever_is_freed_around_them():
    random = np.random.default_rng(9)
    device = Device(dml_vk.device().info)
    held = []
    for step in range(600):
        count = int(random.integers(1, 60_000))
        x = dml_vk.full((count,), step, np.int32, device=device)
        held.append((x.over(Layout((count,), (-1,), count - 1)).clone(), step))
        if len(held) > 40:
            y, value = held.pop(int(random.integers(len(held))))
            assert y.numpy()[[0, -1]].tolist() == [value, value]
    for y, value in held:
        assert set(y.tolist()) == {value}
    assert device.memory_stats().peak < 2**25


def test_three_hundred_interrupts_at_any_line():
    """Whatever is cut short, the books are right: no range is lost, and none is had twice."""
    count = 300 if tier.is_all() else 60
    says(
        f"        count = {count}\n"
        """
        import random, signal
        armed = []
        def interrupt(*_):
            if armed:
                armed.clear()
                raise KeyboardInterrupt
        held = [(dml_vk.full((k * 37 + 1,), k, np.int32), k) for k in range(60)]
        dml_vk.synchronize()
        start = dml_vk.memory_stats().in_use
        x = y = z = None
        hits = rounds = 0
        signal.signal(signal.SIGALRM, interrupt)
        random.seed(2)
        while hits < count and rounds < 50_000:
            rounds += 1
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 2e-3))
            try:
                armed.append(1)
                for _ in range(3):
                    a = np.arange(random.randrange(1, 5000))
                    x = dml_vk.asarray(a)
                    y = dml_vk.empty((2, a.size), int)
                    dml_vk.copy(x.over(x.layout.unsqueeze(0).expand(2, a.size)), y)
                    z = y.clone()
                    right = np.array_equal(z.numpy()[1], a)
                    if not right:
                        print("wrong", a.size)
                armed.clear()
            except KeyboardInterrupt:
                hits += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(hits, all(set(t.tolist()) == {k} for t, k in held))
        del x, y, z
        dml_vk.synchronize()
        print(dml_vk.memory_stats().in_use - start)
        use()
        """,
        f"{count} True\n0",
    )
