"""Features are enabled where a device has them, with the extensions that they need."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dml_vk.driver import features

CORE = {"shaderFloat64", "shaderInt64", "shaderInt16"}
STORAGE = "VK_KHR_8bit_storage"
ARITHMETIC = "VK_KHR_shader_float16_int8"


def device(has):
    """An instance whose device has some features, and all that we never want."""

    def fill(physical, head):
        assert physical == "physical"
        for structure in asked(head._obj):
            for field, *_ in structure._fields_:
                if field in has:
                    setattr(structure, field, 1)
                elif field.startswith("_"):
                    rest = getattr(structure, field)
                    setattr(structure, field, type(rest)(*[1] * min(2, len(rest))))

    return SimpleNamespace(vk=SimpleNamespace(vkGetPhysicalDeviceFeatures2=fill))


def choose(has, extensions=()):
    return features.choose(device(has), "physical", extensions)


def asked(head):
    """A structure and those linked to it."""
    kinds = {kind.TYPE: kind for kind in (*features._STRUCTURES, *features._TOLD)}
    found, address = [head], head.next
    while address:
        found.append(kinds[features._Core.from_address(address).type].from_address(address))
        address = found[-1].next
    return found


def enabled(chosen):
    return {
        name
        for structure in chosen.structures
        for name, *_ in structure._fields_
        if not name.startswith("_") and getattr(structure, name)
    }


@pytest.mark.parametrize("name", sorted({*CORE, "storageBuffer16BitAccess"}))
def test_what_the_device_has_is_enabled_and_nothing_else(name):
    chosen = choose({name})
    assert chosen.names == enabled(chosen) == {name}
    assert chosen.extensions == ()
    assert not any(chosen.structures[0]._before)
    assert not any(chosen.structures[0]._after)
    assert not any(chosen.structures[1]._others)


@pytest.mark.parametrize(
    ("extension", "names"),
    [(STORAGE, {"storageBuffer8BitAccess"}), (ARITHMETIC, {"shaderFloat16", "shaderInt8"})],
)
def test_a_feature_of_an_extension_needs_it(extension, names):
    assert choose(names).names == set()
    chosen = choose(names, ["VK_KHR_other", extension])
    assert chosen.names == enabled(chosen) == names
    assert chosen.extensions == (extension,)


def test_a_driver_on_another_api_is_used_as_one():
    portability = "VK_KHR_portability_subset"
    assert choose(CORE, [portability, STORAGE]).extensions == (STORAGE, portability)


def test_what_is_not_enabled_is_told():
    matrices, names = "VK_KHR_cooperative_matrix", ["cooperativeMatrix", "shaderInt64"]
    told = features.names_of(device(names), "physical", [matrices])
    assert told == ("cooperativeMatrix", "shaderInt64")
    assert features.names_of(device(names), "physical", [STORAGE]) == ("shaderInt64",)
    chosen = choose(names, [matrices])
    assert (chosen.names, chosen.extensions) == ({"shaderInt64"}, ())
    assert "cooperativeMatrix" not in features.NAMES
