"""Without `kp`, or with one that is not completed or does not fit, there is an error."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dml_vk.driver import probe
from dml_vk.errors import DeviceError
from dml_vk.install import kp_version
from dml_vk.runtime import kompute
from dml_vk.runtime.kompute import Kompute

pytestmark = pytest.mark.kompute


def test_without_kp_opening_a_device_says_so(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "kp", None)
    with pytest.raises(DeviceError, match=r"^device: cannot import kp: .*doctor"):
        Kompute(probe.select())
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.touch()
    monkeypatch.setattr(kompute, "__file__", str(tmp_path / "dml_vk/runtime/kompute.py"))
    with pytest.raises(DeviceError, match=f"or use the clone's own, {python}; got error="):
        Kompute(probe.select())
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    with pytest.raises(DeviceError, match="how to install it; got error="):
        Kompute(probe.select())


@pytest.mark.parametrize("version", ["0.9.0", "0.9.0+dmlvk00000000"])
def test_a_kp_that_is_not_completed_is_refused(monkeypatch, version):
    monkeypatch.setitem(sys.modules, "kp", SimpleNamespace(__version__=version))
    with pytest.raises(DeviceError, match=r"python -m dml_vk doctor --fix`; got kp='0.9.0") as told:
        Kompute(probe.select())
    assert told.value.got == {"kp": version}


@pytest.mark.parametrize(
    ("name", "strides", "told"),
    [
        ("another", 4, "Kompute does not see the devices that Vulkan lists: "),
        (None, 0, "pybind11 that is incompatible with this NumPy: .*doctor --fix"),
    ],
)
def test_a_kp_that_is_wrong_is_refused(monkeypatch, name, strides, told):
    info = probe.select()
    seen = np.lib.stride_tricks.as_strided(np.zeros(7, np.uint32), (7,), (strides,))
    listed = [{"device_name": name or info.name, "timestamps_supported": True}]
    manager = SimpleNamespace(
        list_devices=lambda: listed * (info.index + 1),
        get_features=list,
        empty=lambda size, kind: SimpleNamespace(data=lambda: seen),
    )
    kinds = SimpleNamespace(storage=0, host=1, readback=2, unified=3)
    fake = SimpleNamespace(
        __version__=kp_version.version(), Manager=lambda *given: manager, TensorTypes=kinds
    )
    monkeypatch.setitem(sys.modules, "kp", fake)
    with pytest.raises(DeviceError, match=told):
        Kompute(info)
