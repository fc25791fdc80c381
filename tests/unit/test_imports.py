"""The layout core installs and imports anywhere: no NumPy, no kp, no Vulkan, no compiler."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dml_vk

PACKAGE = Path(dml_vk.__file__).parent
FILES = ("errors.py", "layout.py", "views.py", "drawing.py", "strides/*.py", "text_table.py")
FILES += ("plain_philox.py", "commands/layout.py", "commands/philox.py", "commands/options.py")
CORE = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for pattern in FILES
    for path in PACKAGE.glob(pattern)
}
SUBMODULES = {"collections.abc", "importlib.util"}  # of the standard library


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield node.module


@pytest.mark.parametrize("module", CORE)
def test_the_core_imports_the_standard_library_and_itself_only(module):
    allowed = {"dml_vk", *CORE, *sys.stdlib_module_names}
    assert {name for name in imports(CORE[module]) if name not in allowed} <= SUBMODULES


def test_the_test_sees_imports():
    assert "numpy" in set(imports(Path(__file__).parent.parent / "layouts.py"))


def test_the_package_works_where_nothing_is_installed():
    code = """
import sys
for name in ("numpy", "kp", "vulkan"):
    sys.modules[name] = None
import dml_vk, dml_vk.directml
x = dml_vk.Layout.packed((2, 3, 4, 5), dml_vk.channels_last)
print(x.strides, dml_vk.directml.BufferTensorDesc(dml_vk.directml.DataType.INT8, (3,)).layout)
"""
    path = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})"
    done = subprocess.run(
        [sys.executable, "-I", "-c", path + code], capture_output=True, text=True, check=False
    )
    assert done.stdout == "(60, 1, 15, 3) Layout((3,), (1,))\n", done.stderr
