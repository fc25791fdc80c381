"""What the doctor says of a device's float arithmetic, and of what its driver is told."""

from __future__ import annotations

import pytest

from dml_vk.driver import probe
from dml_vk.driver.float_controls import Control, FloatControls, Mode
from dml_vk.install import build_kp, doctor, traits
from dml_vk.runtime.arithmetic import TEXTS

pytestmark = pytest.mark.linux


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ((), "nothing; not to be told, so see numbers: subnormals, signed zeros"),
        (((Mode.ROUNDING_MODE_RTE, (16, 64)),), "nothing; not"),
        (
            ((Mode.ROUNDING_MODE_RTE, (32,)),),
            "rounding to nearest; not to be told, so see numbers: ",
        ),
        (tuple((mode, (32,)) for mode in Mode), "NaN, rounding to nearest"),
    ],
)
def test_what_a_driver_is_told_of_floats(listed, told):
    found = doctor._float_controls(FloatControls(Control(*one) for one in listed))
    assert found.topic == "modes"
    assert told in found.text
    assert ("not to be told" in found.text) == (len(listed) < len(Mode))


def test_numbers_are_tried_without_kp(monkeypatch):
    monkeypatch.setenv("DML_VK_RUNTIME", "vulkan")
    monkeypatch.setattr(build_kp, "state", lambda device: ("absent", ""))
    (numbers,) = [found for found in doctor._python() if found.topic == "numbers"]
    assert numbers.text.startswith("all right; functions give the same bits as elsewhere")


def test_numbers_are_not_tried_without_a_device(monkeypatch):
    monkeypatch.setattr(probe, "devices", lambda: probe.Devices((), "the reason"))
    monkeypatch.setattr(build_kp, "state", lambda device: ("absent", ""))
    assert [found.topic for found in doctor._python()] == ["NumPy", "kp"]


@pytest.mark.parametrize(
    ("fails", "text"),
    [
        ((), "all right; functions give the same bits as elsewhere"),
        (("keeps_subnormals",), "all right; functions give the same bits as elsewhere, except"),
        (("keeps_constants",), "elsewhere; kernels of your own cannot count on it to: compute x +"),
        (("rounds", "keeps_subnormals"), "the device does not: round to nearest"),
        (("divides_integers", "shifts"), "not: divide integers, shift by counts beyond the width"),
    ],
)
def test_what_follows_from_how_a_device_computes(monkeypatch, fails, text):
    found = {trait: trait not in fails for trait in TEXTS}
    monkeypatch.setattr(traits, "examine", lambda: found)
    numbers = doctor._numbers()
    assert text in numbers.text
    assert ("other bits than elsewhere" in numbers.advice) == ("does not" in numbers.text)
    assert not numbers.is_fatal


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("; raise RuntimeError('lost')", "not tried: RuntimeError: lost"),
        ("; import os; os.abort()", "not tried: it died with -6"),
        ("; print('surprise')", "not tried: it died with 0"),
    ],
)
def test_a_device_that_cannot_be_asked_how_it_computes(monkeypatch, code, told):
    monkeypatch.setattr(traits, "_EXAMINED", code)
    found = doctor._numbers()
    assert found.text == told
    assert "import dml_vk; dml_vk.device()" in found.advice
    assert not found.is_fatal
    assert traits.examine(probe.devices()[0]) == told.removeprefix("not tried: ")


def test_what_a_driver_prints_is_no_answer(monkeypatch):
    monkeypatch.setattr(traits, "_EXAMINED", f"; print('MESA: warning')\n{traits._EXAMINED}")
    assert set(traits.examine()) == set(TEXTS)
