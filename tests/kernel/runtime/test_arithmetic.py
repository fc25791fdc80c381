"""What a device's arithmetic is seen to do, and what is said where it does otherwise.

Each trait has a control: results as some driver gives them, of which exactly that trait is denied.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk import cache_files
from dml_vk.__main__ import main
from dml_vk.commands import device_list
from dml_vk.errors import DeviceError, DeviceMemoryError, DeviceWarning
from dml_vk.install import traits
from dml_vk.kernels.codegen import library
from dml_vk.runtime import arithmetic_check
from dml_vk.runtime.arithmetic import FOR_OWN, TEXTS, TRAITS, Arithmetic, lacking, rests_on
from tests.kernel.elementwise import flushed, keeps_subnormals

LEAST = arithmetic_check.LEAST
SUMS, FUNCTIONS, INTEGERS = TRAITS
EVERYTHING = {trait for traits in TRAITS.values() for trait in traits}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def test_this_device_computes_as_ieee_754_says():
    found = {}
    for module in TRAITS:
        found.update(arithmetic_check.examine(dml_vk.device()._runtime, module))
    assert found.pop("keeps_subnormals") == keeps_subnormals()
    # llvmpipe folds constants, and SwiftShader narrows otherwise: only users' kernels would notice.
    promised = {trait: has for trait, has in found.items() if trait not in FOR_OWN}
    assert all(promised.values()), promised


def floats(values):
    return np.ascontiguousarray(values, np.float32).view(np.uint32)


def contracted(a, b, shape):
    """What a product loses, where it is not rounded before it is added."""
    exact = np.float64(a) * b
    lost = np.float32(exact - np.float32(exact))
    return -lost if shape in (1, 4) else lost


def towards_zero(a, b):
    exact = np.float64(a) + b
    found = np.float32(exact)
    return np.where(np.abs(found) > np.abs(exact), np.nextafter(found, np.float32(0)), found)


def is_plain(*numbers):
    """Neither NaN nor infinite nor 0 nor subnormal."""
    return np.all([(np.abs(one) >= LEAST) & np.isfinite(one) for one in numbers], axis=0)


def of_floats(column, change):
    """A control that changes one column of float results."""

    def control(table):
        a, b = arithmetic_check._pairs()
        table[:, column] = floats(change(a, b, table[:, column].copy().view(np.float32)))

    return control


def of_words(column, change):
    def control(table):
        a, b = arithmetic_check._pairs()
        table[:, column] = change(a, b, table[:, column])

    return control


def of_integers(column, change):
    def control(table):
        a, b = arithmetic_check.operands(INTEGERS)[0].T
        table[:, column] = np.where(b == 0, table[:, column], change(a, b, table[:, column]))

    return control


def halves(exact):
    """Rounded to float16 once, as by a driver that narrows a sum before it is a float32."""
    near = np.float16(exact)
    return near.view(np.uint16).astype(np.uint32)


CONTROLS = {
    "folded (x + y) - x": (
        "rounds",
        SUMS,
        of_floats(2, lambda a, b, found: np.where(is_plain(a, b, found), b, found)),
    ),
    "sums towards zero": (
        "rounds",
        SUMS,
        of_floats(
            0, lambda a, b, found: np.where(is_plain(a, b, found), towards_zero(a, b), found)
        ),
    ),
    **{
        f"contracted, shape {shape}": (
            "multiplies_apart",
            SUMS,
            of_floats(3 + shape, lambda a, b, found, shape=shape: contracted(a, b, shape)),
        )
        for shape in range(7)
    },
    "no NaN": (
        "keeps_nan",
        SUMS,
        of_floats(0, lambda a, b, found: np.where(np.isnan(found), np.inf, found)),
    ),
    "products without the sign of zero": (
        "keeps_zeros",
        SUMS,
        of_floats(1, lambda a, b, found: np.where((a == 0) & (np.abs(b) == 3), 0.0, found)),
    ),
    "sums that are flushed": ("keeps_subnormals", SUMS, of_floats(0, lambda a, b, x: flushed(x))),
    "x + 0.0 folded to x": ("keeps_constants", SUMS, of_floats(10, lambda a, b, found: a)),
    "x * 0.0 folded to 0": ("keeps_constants", SUMS, of_floats(11, lambda a, b, found: 0 * b)),
    "0.0 - x folded to -x": ("keeps_constants", SUMS, of_floats(12, lambda a, b, found: -a)),
    "halves packed from the exact sum": (
        "packs_halves",
        SUMS,
        of_words(13, lambda a, b, found: halves(np.float64(a) + b)),
    ),
    "halves narrowed from the exact sum": (
        "narrows",
        FUNCTIONS,
        of_words(0, lambda a, b, found: halves(np.float64(a) + b)),
    ),
    "quotients a unit off": (
        "divides",
        FUNCTIONS,
        of_floats(1, lambda a, b, found: np.where(b == 3, np.nextafter(found, a), found)),
    ),
    "roots by the reciprocal": (
        "divides",
        FUNCTIONS,
        of_floats(2, lambda a, b, found: a * (1 / np.sqrt(a))),
    ),
    "the other operand of a NaN": (
        "compares",
        FUNCTIONS,
        of_floats(3, lambda a, b, found: np.fmax(a, b)),
    ),
    "the first of two zeros": (
        "compares",
        FUNCTIONS,
        of_floats(4, lambda a, b, found: np.where((a == 0) & (b == 0), a, found)),
    ),
    "unordered comparisons": (
        "compares",
        FUNCTIONS,
        of_words(5, lambda a, b, found: found | (np.isnan(a) | np.isnan(b))),
    ),
    "infinity as the least integer": (
        "converts",
        FUNCTIONS,
        of_words(6, lambda a, b, found: np.where(np.isinf(a), 2**31, found)),
    ),
    "negative floats modulo 2^32": (
        "converts",
        FUNCTIONS,
        of_words(7, lambda a, b, found: np.where(a == -1, 2**32 - 1, found)),
    ),
    "quotients towards zero": (
        "divides_integers",
        INTEGERS,
        of_integers(0, lambda a, b, found: found + ((a % b != 0) & ((a < 0) != (b < 0)))),
    ),
    "unsigned remainders": (
        "divides_integers",
        INTEGERS,
        of_integers(
            1, lambda a, b, found: np.int64(np.uint64(a & 2**63 - 1) % np.uint64(b & 2**63 - 1 | 1))
        ),
    ),
    "shifts modulo the width": (
        "shifts",
        INTEGERS,
        of_integers(6, lambda a, b, found: a << (b & 63)),
    ),
    "signs that are not shifted in": (
        "shifts",
        INTEGERS,
        of_integers(7, lambda a, b, found: np.where(a < 0, found & 2**62 - 1, found)),
    ),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_what_some_driver_does_is_seen(name):
    trait, module, control = CONTROLS[name]
    table = arithmetic_check.expected(module)
    assert all(arithmetic_check.judge(module, table, arithmetic_check.expected(module)).values())
    control(table)
    judged = arithmetic_check.judge(module, table, arithmetic_check.expected(module))
    assert [one for one, has in judged.items() if not has] == [trait]


def test_each_trait_has_a_control_and_a_text():
    assert {trait for trait, _, _ in CONTROLS.values()} == EVERYTHING == set(TEXTS)


def test_flushed_subnormals_deny_nothing_else():
    a, b = (flushed(one) for one in arithmetic_check._pairs())
    table = arithmetic_check._sums(a, b)
    table[:, :13] = floats(flushed(table[:, :13].copy().view(np.float32)))
    judged = arithmetic_check.judge(SUMS, table, arithmetic_check.expected(SUMS))
    assert [one for one, has in judged.items() if not has] == ["keeps_subnormals"]


SUMS_AND_PRODUCTS = {129, 131, 133}  # OpFAdd, OpFSub, OpFMul


def test_the_kernels_that_rest_on_sums_are_those_that_have_some():
    has = {True: set(), False: set()}
    for path in Path(library.SPV).glob("*.spv"):
        words = np.fromfile(path, np.uint32).tolist()
        at, found = 5, set()
        while at < len(words):
            found.add(words[at] & 0xFFFF)
            at += words[at] >> 16
        if "_check_" not in path.stem:
            has[bool(found & SUMS_AND_PRODUCTS)].add(path.stem)
    assert all("rounds" in rests_on(module) for module in has[True])
    assert not [module for module in has[False] if "rounds" in rests_on(module)]
    assert len(has[True]) > 100
    assert len(has[False]) > 50


def like(**denied):
    """An examination of a device that fails these."""
    asked = []

    def examine(module):
        asked.append(module)
        return {trait: trait not in denied for trait in TRAITS[module]}

    return examine, asked


def test_a_kernel_that_rests_on_what_fails_says_so_once():
    examine, asked = like(rounds=0, divides_integers=0, keeps_subnormals=0, packs_halves=0)
    known = Arithmetic("a device", examine)
    known.use(["copy_words_32", "gather_words_32"])
    assert not asked
    with pytest.warns(DeviceWarning, match="a device does not round to nearest"):
        known.use(["float_exp_words_32"])
    assert asked == [SUMS]
    with pytest.warns(DeviceWarning, match="a device does not divide integers"):
        known.use(["float_log_words_32", "long_arithmetic_words_64"])
    known.use(["float_exp_words_32", "float_trig_words_32", "int_arithmetic_words_32"])
    assert asked == [SUMS, INTEGERS]


def test_a_warning_names_the_operation_and_the_line(monkeypatch):
    device = dml_vk.device()
    examine, _ = like(compares=0)
    pipelines = device.queue.pipelines
    monkeypatch.setattr(pipelines, "arithmetic", Arithmetic("a device", examine))
    monkeypatch.setattr(pipelines, "_cached", {})
    monkeypatch.setattr(device.queue.encoder, "_known", {})
    monkeypatch.setattr(device.queue.encoder, "_same", {})
    x = dml_vk.asarray(np.float32([1, 2, 3]))
    with pytest.warns(DeviceWarning, match="^maximum: a device does not compare") as told:
        y = dml_vk.maximum(x, x[::-1]).numpy()
    assert [Path(one.filename).name for one in told] == [Path(__file__).name]
    assert y.tolist() == [3, 2, 3]


def test_what_was_seen_is_kept(tmp_path):
    file = tmp_path / "arithmetic"
    examine, asked = like(keeps_nan=0)
    first = Arithmetic("a device", examine, file)
    assert lacking(first.traits()) == ["keep NaN"]
    assert asked == [*TRAITS]
    again = Arithmetic("a device", examine, file)
    assert again.traits() == first.traits()
    assert len(asked) == 3
    with pytest.warns(DeviceWarning, match="keep NaN"):
        again.use(["matmul_tile_float32"])


@pytest.mark.parametrize("data", [b"[1]", b"{", b'{"rounds": 1, "other": true}', b""])
def test_a_file_of_something_else_says_nothing(tmp_path, data):
    file = tmp_path / "arithmetic"
    cache_files.write(file, data)
    examine, asked = like()
    Arithmetic("a device", examine, file).use(["float_exp_words_32"])
    assert asked == [SUMS]


@pytest.mark.parametrize("error", [DeviceMemoryError, DeviceError])
def test_what_cannot_be_examined_is_used_and_the_next_kernel_tries_again(error):
    asked = []

    def examine(module):
        asked.append(module)
        raise error("kernel", "no memory")

    known = Arithmetic("a device", examine)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        known.use(["float_exp_words_32"])
        known.use(["float_exp_words_32"])
    assert asked == [SUMS, SUMS]


def test_devices_names_what_a_device_fails(monkeypatch, capsys):
    right = dict.fromkeys(TEXTS, True)
    monkeypatch.setattr(traits, "of", lambda info: {**right, "keeps_zeros": False})
    assert main(["devices"]) == 0
    assert "does not: keep signs of zeros; see" in capsys.readouterr().out
    monkeypatch.setattr(traits, "of", lambda info: {**right, "keeps_constants": False})
    main(["devices"])
    assert "does not" not in capsys.readouterr().out
    described = device_list.described(dml_vk.device().info)
    assert described["arithmetic"]["keeps_constants"] is False


def test_devices_that_nothing_has_examined_are_examined_apart(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("DML_VK_CACHE", str(tmp_path))
    info = dml_vk.device().info
    found = traits.of(info)
    assert found == dml_vk.device().arithmetic
    monkeypatch.setattr(traits, "examine", lambda info: "it died with -6")
    assert traits.of(info) == found
    monkeypatch.setattr(traits, "read", lambda file: {})
    assert traits.of(info) == {}
