"""What the doctor says of a device's float arithmetic, and of what its driver is told."""

from __future__ import annotations

import pytest

from dml_vk.driver import probe
from dml_vk.driver.float_controls import Control, FloatControls, Mode
from dml_vk.install import build_kp, doctor

pytestmark = pytest.mark.linux


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ((), "nothing; not to be told, so see floats: subnormals, signed zeros"),
        (((Mode.ROUNDING_MODE_RTE, (16, 64)),), "nothing; not"),
        (
            ((Mode.ROUNDING_MODE_RTE, (32,)),),
            "rounding to nearest; not to be told, so see floats: ",
        ),
        (tuple((mode, (32,)) for mode in Mode), "NaN, rounding to nearest"),
    ],
)
def test_what_a_driver_is_told_of_floats(listed, told):
    found = doctor._float_controls(FloatControls(Control(*one) for one in listed))
    assert found.topic == "modes"
    assert told in found.text
    assert ("not to be told" in found.text) == (len(listed) < len(Mode))


def test_floats_are_tried_without_kp(monkeypatch):
    monkeypatch.setenv("DML_VK_RUNTIME", "vulkan")
    monkeypatch.setattr(build_kp, "state", lambda device: ("absent", ""))
    (floats,) = [found for found in doctor._python() if found.topic == "floats"]
    assert floats.text.startswith("rounds to nearest: ")


def test_floats_are_not_tried_without_a_device(monkeypatch):
    monkeypatch.setattr(probe, "devices", lambda: probe.Devices((), "the reason"))
    monkeypatch.setattr(build_kp, "state", lambda device: ("absent", ""))
    assert [found.topic for found in doctor._python()] == ["NumPy", "kp"]


SAME = "; functions give the same bits as elsewhere"


@pytest.mark.parametrize(
    ("words", "text", "advised"),
    [
        ("1 1 1", "rounds to nearest: yes, keeps NaN: yes, keeps subnormals: yes" + SAME, False),
        (
            *("1 1 0", "rounds to nearest: yes, keeps NaN: yes, keeps subnormals: no" + SAME),
            False,
        ),
        ("0 1 1", "rounds to nearest: no, keeps NaN: yes, keeps subnormals: yes", True),
        ("1 0 0", "rounds to nearest: yes, keeps NaN: no, keeps subnormals: no", True),
    ],
)
def test_what_follows_from_how_a_device_computes(monkeypatch, words, text, advised):
    monkeypatch.setattr(doctor, "_FLOATS", f"; print({words!r})")
    found = doctor._floats()
    assert found.text.removesuffix(", except for subnormals") == text
    assert ("except" in found.text) == (words == "1 1 0")
    assert ("other bits than elsewhere" in found.advice) == advised == bool(found.advice)
    assert not found.is_fatal


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("; raise RuntimeError('lost')", "not tried: RuntimeError: lost"),
        ("; import os; os.abort()", "not tried: it died with -6"),
        ("; print('surprise')", "not tried: it died with 0"),
    ],
)
def test_a_device_that_cannot_be_asked_how_it_computes(monkeypatch, code, told):
    monkeypatch.setattr(doctor, "_FLOATS", code)
    found = doctor._floats()
    assert found.text == told
    assert "import dml_vk; dml_vk.device()" in found.advice
    assert not found.is_fatal
