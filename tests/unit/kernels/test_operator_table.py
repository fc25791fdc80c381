"""The table of operators, and that nothing it names is missing anywhere."""

from __future__ import annotations

import json
import os
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk import directml
from dml_vk.kernels.codegen.library import GLSL
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import CASTS, NOT_PUBLIC, OPERATORS, opcodes_of
from dml_vk.kernels.registry import KERNELS

ROOT = Path(__file__).parents[3]
# The element-wise functions of 2025.12, but for views of complex numbers' parts.
_STANDARD = """
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1
floor floor_divide greater greater_equal hypot isfinite isinf isnan less less_equal log log1p
log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply
negative nextafter not_equal positive pow reciprocal remainder round sign signbit sin sinh
square sqrt subtract tan tanh trunc
"""
STANDARD = set(re.findall(r"\w+", _STANDARD))
CODES = json.loads((ROOT / "tests" / "data" / "operator_codes.json").read_text())
NEW_IN_NUMPY_2 = {"bitwise_count"}
KERNELS_THAT_PASS_ON = {"cast", "where"}  # They move bits, and have no opcodes.


def spelled(kernel):
    """The opcodes that a kernel's source, or what it includes, has a case for."""
    text = (GLSL / f"{kernel}.comp").read_text()
    included = [GLSL / "include" / name for name in re.findall(r'#include "(.+)"', text)]
    text = "".join([text, *[one.read_text() for one in included]])
    return set(re.findall(r"(?<=case )\w+(?=:)|(?<=OP == )\w+", text))


def test_the_whole_standard_is_there():
    named = {name for name, operator in OPERATORS.items() if operator.array_api}
    assert named - {"where"} == STANDARD  # which counts `where` among its searching functions
    for name in STANDARD:
        assert callable(getattr(dml_vk, name))


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda operator: operator.name)
def test_an_operator_is_everywhere(operator):
    assert operator.kernels
    for kernel in operator.kernels:
        assert kernel in COMPUTED
        assert {f"{kernel}_{way.split('_')[0]}" for way in COMPUTED[kernel].variants} <= set(
            KERNELS
        )
        # Integers have nothing to round, no infinities and no NaN.
        left_out = {"POSITIVE", "CEIL", "FLOOR", "TRUNC", "ROUND", "ISNAN", "ISINF", "ISFINITE"}
        if kernel not in KERNELS_THAT_PASS_ON and operator.opcode not in left_out:
            assert operator.opcode in spelled(kernel)
    if operator.name not in NOT_PUBLIC:
        assert callable(getattr(dml_vk, operator.name))
        assert operator.name in dml_vk.__all__
    for name in operator.directml:
        assert name.replace("_", "") in {cls.upper() for cls in directml.__all__}
    if operator.numpy is not None and operator.name not in NEW_IN_NUMPY_2:
        assert callable(getattr(np, operator.numpy or operator.name))


def test_no_code_was_ever_another_operators():
    """`python -m tests.made_files` adds new operators to those that are known, and changes none."""
    assert {name: operator.code for name, operator in OPERATORS.items()}.items() <= CODES.items()
    assert len(set(CODES.values())) == len(CODES)


def test_no_kernel_has_a_case_for_what_it_is_never_asked():
    assert spelled("cast") == set(CASTS) - {"CAST_BITS"}
    for kernel in set(COMPUTED) - KERNELS_THAT_PASS_ON:
        assert spelled(kernel) <= set(opcodes_of(kernel))


def test_the_documented_formats_are_those_of_the_code(monkeypatch):
    # By calls on a device, whose kernels are as good as new: only layouts are looked at.
    monkeypatch.setenv("DML_VK_CACHE", os.environ["DML_VK_TESTS_CACHE"])
    tables = runpy.run_path(str(ROOT / "docs" / "operator_table.py"))
    page, formats = (ROOT / "docs" / "operators.md").read_text(), tables["format_table"]()
    assert len(tables["table"]().splitlines()) == 2 + len(OPERATORS)
    assert formats in page
    # By the rules of memory_formats.md: a format stays where all dims do.
    told = {line.split(" | ")[0][2:]: line.split(" | ")[1] for line in formats.splitlines()[2:]}
    for call in ("`add(y, x)`", "`concat([x, y], axis=1)`", "`sort(x, axis=1)`", "`x.clone()`"):
        assert told[call] == "channels_last"
    assert told["`matmul(x, matrix_transpose(y))`"] == "contiguous_format"
