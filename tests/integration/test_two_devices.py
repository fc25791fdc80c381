"""Two devices in one process: two drivers, or one that the loader finds by two manifests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.integration.process import says

pytestmark = pytest.mark.linux
LAVAPIPE = "/usr/share/vulkan/icd.d"


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """The driver that tests run on, and lavapipe by a manifest of its own."""
    given = os.environ.get("VK_DRIVER_FILES", "")
    (lavapipe, *_) = sorted(Path(LAVAPIPE).glob("lvp_icd*.json"))
    copy = tmp_path_factory.mktemp("drivers") / "lavapipe.json"
    shutil.copyfile(lavapipe, copy)
    files = f"{given or lavapipe}:{copy}"
    return {"VK_DRIVER_FILES": files, "VK_ICD_FILENAMES": files}


def test_tensors_and_defaults_of_each(two):
    code = """
    import pickle
    assert [one.index for one in dml_vk.devices()] == [0, 1]
    first, second = dml_vk.device(0), dml_vk.device(1)
    assert first is not second
    x = dml_vk.asarray(np.arange(1, 7, dtype=np.float32).reshape(1, 2, 3, 1), device=first)
    x = x.to(dml_vk.channels_last)
    with dml_vk.device(1):
        assert dml_vk.ones(3).device is second
        assert (dml_vk.random.Generator(5).normal(3) + 1).device is second
    y = x.to(device=1)
    assert (y.device, y.layout) == (second, x.layout)
    assert (y * 2).tolist() == (x * 2).tolist() and (y * 2).device is second
    assert pickle.loads(pickle.dumps(y)).device is first
    with second:
        assert pickle.loads(pickle.dumps(x)).device is second
    assert pickle.loads(pickle.dumps(second)) is second
    try:
        x + y
    except dml_vk.DeviceError as error:
        print(error.rule)
    in_use = [dml_vk.memory_stats(one).in_use for one in (0, 1)]
    del y
    freed = [was - dml_vk.memory_stats(one).in_use for one, was in enumerate(in_use)]
    assert freed == [0, 256], freed
    """
    says(code, "operands must be on one device: x.to(device=...) makes a copy on another", **two)


def test_both_work_at_the_same_time(two):
    """While one thread waits for a device, another one gets results of the other.

    What the first device has to do is doubled until it is long enough for this machine.
    """
    code = """
    import threading
    a = dml_vk.random.Generator(1).normal((300, 300)) / 300
    b = dml_vk.ones(4, device=1)
    (b + 1).tolist(), (a @ a)[0, 0].item()  # kernels are compiled
    for doublings in range(12):
        for _ in range(2**doublings):
            a = a @ a
        order = []
        def wait():
            a[0, 0].item()
            order.append("slow")
        waiting = threading.Thread(target=wait)
        waiting.start()
        for _ in range(3):
            (b + 1).tolist()
        order.append("quick")
        waiting.join()
        if order == ["quick", "slow"]:
            break
    print(order)
    """
    says(code, "['quick', 'slow']", **two)


def test_both_give_the_same_bits(two):
    code = """
    found = []
    for one in (0, 1):
        with dml_vk.device(one):
            x = dml_vk.random.Generator(3).normal((37, 41))
            values = [x, dml_vk.exp(x), x @ x.T, dml_vk.sum(x), dml_vk.var(x, axis=0)]
            values += [dml_vk.argsort(x, axis=1), dml_vk.cumulative_sum(x, axis=0)]
            found.append([value.numpy().tobytes() for value in values])
    assert found[0] == found[1]
    print("equal")
    """
    says(code, "equal", **two)
