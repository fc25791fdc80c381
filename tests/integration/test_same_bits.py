"""Functions give the same bits on every device at hand.

These are the devices of the drivers that the environment names, and those of all others: under
`./dev swiftshader` that is SwiftShader and what `./dev test` runs on. On one device alone they say
nothing that the stored results do not say: test_stored_bits.py has these.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import dml_vk
from tests.hanging import HANGING
from tests.integration import same_bits
from tests.integration.process import run
from tests.stored_bits import table

ANY_DRIVER = {"VK_DRIVER_FILES": "", "VK_ICD_FILENAMES": ""}
DEVICES = "import json; print(json.dumps([info.name for info in dml_vk.devices()]))"
COMPUTE = "from tests.integration import same_bits; same_bits.main({!r})"


def devices(environment: dict[str, str]) -> list[str]:
    return json.loads(run(DEVICES, **environment).stdout)


def others() -> list[tuple[str, dict[str, str]]]:
    """(name, environment) of each device but that of this process."""
    found = {}
    for drivers in (ANY_DRIVER, {}):
        for index, name in enumerate(devices(drivers)):
            found[name] = {**drivers, "DML_VK_DEVICE": str(index)}
    found.pop(dml_vk.device().name)
    return list(found.items())


@pytest.fixture(scope="module")
def own():
    return {(one.name, dtype): same_bits.result(one, dtype) for one, dtype in same_bits.cases()}


@pytest.fixture(scope="module")
def arrays():
    return same_bits.arrays()


@pytest.mark.product
def test_the_stored_table_has_these_bits(own, arrays):
    found = {f"{operator}-{dtype.name}": result for (operator, dtype), result in own.items()}
    found |= {f"array-{name}": array for name, array in arrays.items()}
    stored = table.stored()
    wrong = [name for name in found if stored[name][1] != table.digest([found[name]])]
    assert wrong == [], "`python -m tests.stored_bits write`, if they are meant to be others"


@pytest.mark.product
def test_every_device_gives_the_same_bits(tmp_path, own, arrays):
    for name in same_bits.CHUNKED:
        whole = arrays[f"{name}-{dml_vk.contiguous_format}"].reshape(-1)
        assert np.array_equal(arrays[f"{name}-chunks"], whole), name
    compared = others()
    assert compared or dml_vk.device().name in devices(ANY_DRIVER)
    for name, environment in compared:
        folder = tmp_path / name.replace("/", " ")
        folder.mkdir()
        done = run(COMPUTE.format(str(folder)), seconds=5 * HANGING, **environment)
        assert (done.returncode, done.stderr) == (0, ""), name
        for (operator, dtype), expected in own.items():
            check(name, operator, dtype, np.load(folder / f"{operator}-{dtype.name}.npy"), expected)
        for case, expected in arrays.items():
            found = np.load(folder / f"array-{case}.npy")
            assert np.array_equal(found, expected), (name, case)


def check(device, operator, dtype, found, expected) -> None:
    wrong = np.flatnonzero(found != expected)
    if wrong.size:
        given = same_bits.operands(dml_vk.OPERATORS[operator], dtype)
        at = [each[wrong[:3]] for each in given]
        told = f"{found[wrong[:3]]} on {device}, {expected[wrong[:3]]} on {dml_vk.device().name}"
        raise AssertionError(f"{operator}{at}: {told}, {wrong.size} of {found.size} differ")


def test_subnormals_and_nan_payloads_are_not_compared():
    x = same_bits.result(dml_vk.OPERATORS["exp"], dml_vk.float32).view(np.float32)
    assert not ((np.abs(x) <= 2.0**-126) & (x != 0)).any()
    assert np.isnan(x).any()
    assert np.unique(x[np.isnan(x)].view(np.uint32)).size == 1


def test_the_test_covers_every_function_with_an_error():
    named = {operator.name for operator, _ in same_bits.cases()}
    assert named >= {one.name for one in dml_vk.OPERATORS.values() if one.ulp}


@pytest.mark.product
def test_results_of_array_functions_vary_and_are_the_same_in_both_formats(arrays):
    whole = [(name, array) for name, array in arrays.items() if not name.endswith("-chunks")]
    assert len(whole) == 216
    for (name, rows), (_, pixels) in zip(whole[::2], whole[1::2]):
        assert np.array_equal(rows, pixels), name
        least = 1 if re.search("hardmax|corrcoef|det-", name) else 4
        assert rows.size == 1 or np.unique(rows).size > least, name
