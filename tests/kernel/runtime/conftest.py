from __future__ import annotations

import pytest

from dml_vk.driver import probe
from dml_vk.runtime.kompute import Kompute
from dml_vk.spirv import glslang
from tests.kernel.runtime.steps import STEP, Made


@pytest.fixture(scope="module")
def runtime():
    return Kompute(probe.select())


@pytest.fixture(scope="module")
def spirv():
    return glslang.compile(STEP)


@pytest.fixture
def made(runtime, spirv):
    return Made(runtime, spirv)
