"""What is in a SPIR-V module, and whether it is valid."""

from __future__ import annotations

import os
import subprocess
from collections import Counter

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of

# ./dev gpu sets it on machines without SPIR-V's tools: there only results are compared.
HAS_TOOLS = os.environ.get("DML_VK_TESTS_TOOLS") != "off"


def check_valid(spirv, path, what=""):
    if not HAS_TOOLS:
        return
    path.write_bytes(spirv)
    said = subprocess.run(
        ["spirv-val", "--target-env", "vulkan1.1", path], capture_output=True, text=True
    )
    assert said.returncode == 0, f"{what}: {said.stderr}"


def codes(spirv):
    """How often each opcode is in a module."""
    return Counter(line[0] & 0xFFFF for line in lines_of(words_of(spirv)))


def stored(spirv):
    """The constants that a module stores, and -1 for everything else."""
    lines = list(lines_of(words_of(spirv)))
    constants = {line[2]: line[3] for line in lines if line[0] & 0xFFFF == op.CONSTANT}
    return [constants.get(line[2], -1) for line in lines if line[0] & 0xFFFF == op.STORE]


def fmas(spirv):
    """The fused multiply-adds of a module, by their results."""
    lines = lines_of(words_of(spirv))
    return {line[2]: line for line in lines if line[0] & 0xFFFF == op.EXT_INST and line[4] == 50}
