"""What the array namespace says of itself, as the array API standard's inspection functions ask."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk.dtypes import DTYPES, float16
from dml_vk.errors import DeviceError, DTypeError

INFO = dml_vk.__array_namespace_info__()


def test_capabilities():
    assert INFO.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert repr(INFO) == "<dml_vk's __array_namespace_info__>"


def test_devices_are_ours():
    assert INFO.default_device() is dml_vk.default_device()
    found = INFO.devices()
    assert [device.index for device in found] == [info.index for info in dml_vk.devices()]
    assert INFO.default_device() in found
    assert dml_vk.zeros(2, device=found[-1]).device is found[-1]


def test_default_dtypes_are_what_creation_makes():
    for device in (None, dml_vk.device(), 0):
        defaults = INFO.default_dtypes(device=device)
        assert defaults["real floating"] is dml_vk.zeros(1).dtype is dml_vk.asarray([0.5]).dtype
        assert defaults["integral"] is dml_vk.arange(1).dtype is dml_vk.asarray([5]).dtype
        assert defaults["indexing"] is dml_vk.argsort(dml_vk.zeros(1)).dtype
        assert defaults["complex floating"] is dml_vk.complex64


def test_dtypes_of_a_kind():
    everything = INFO.dtypes()
    standard = {dtype for dtype in DTYPES.values() if dtype is not float16}
    assert set(everything.values()) == standard
    for name, dtype in everything.items():
        assert getattr(dml_vk, name) is dtype
    for kind in (
        "bool",
        "unsigned integer",
        "numeric",
        ("bool", "real floating"),
        "complex floating",
    ):
        found = INFO.dtypes(kind=kind)
        assert set(found.values()) == {one for one in standard if dml_vk.isdtype(one, kind)}


def test_invalid_arguments_are_refused():
    with pytest.raises(DTypeError, match="isdtype: kind must be"):
        INFO.dtypes(kind="floats")
    for call in (INFO.dtypes, INFO.default_dtypes):
        with pytest.raises(
            DeviceError, match="device: wanted must be a device's index or part of its name"
        ):
            call(device="no such device")
