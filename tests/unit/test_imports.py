"""The layout core installs and imports anywhere: no NumPy, no kp, no Vulkan, no compiler."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

import dml_vk

PACKAGE = Path(dml_vk.__file__).parent
FILES = (
    "arguments.py",
    "errors.py",
    "layout.py",
    "strides/*.py",
    "observe/text_table.py",
    "commands/__init__.py",
)
FILES += tuple(f"commands/{name}.py" for name in ("plain_philox", "layout", "philox", "options"))
CORE = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for pattern in FILES
    for path in PACKAGE.glob(pattern)
}
FOUND = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}
# Who may import whom: nobody imports what stands on a later line. A module is where its longest
# prefix is.
LAYERS = """
    errors limits
    numpy_errors
    hints arguments windows
    dtypes layout promotion environment context cache_files exactness strides observe.text_table
    driver.vulkan
    install.system install.kp_version
    install.runtimes
    driver
    spirv
    kernels
    kernels.codegen
    aliases
    observe
    runtime
    tracing
    ops
    tensor
    buffer
    array numpy_protocols
    tensor.methods
    tensor.__init__ array.__init__
    fft linalg random user_kernel
    nn
    nn.__init__ special
    compiler
    gradients
    directml optim testing
    onnx
    dask
    install
    __init__
    einops
    commands
    __main__
"""
LEVELS = {
    f"dml_vk.{name}".removesuffix(".__init__") + "!" * name.endswith("__init__"): level
    for level, names in enumerate(LAYERS.split("\n"))
    for name in names.split()
}
# Library -> the one file that imports it.
RUNTIME_LIBRARIES = {"kp": "runtime/kompute.py"}
OF_FILES = {
    "importlib.resources",
    "io",
    "mmap",
    "os",
    "pathlib",
    "shutil",
    "subprocess",
    "tempfile",
}
SUBMODULES = {"collections.abc", "importlib.util"}  # of the standard library


@functools.cache
def imports(path):
    """Modules that a file imports, wherever it does so, but for type checkers alone."""
    modules = set()
    for node in runs(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            modules |= names & set(FOUND)
            if not names <= set(FOUND):
                modules.add(node.module)
    return frozenset(modules)


def runs(node):
    """The nodes below, without what is there for type checkers alone."""
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        children = node.orelse
    else:
        yield node
        children = ast.iter_child_nodes(node)
    for child in children:
        yield from runs(child)


def test_the_core_imports_the_standard_library_and_itself_only():
    allowed = {"dml_vk", *CORE, *sys.stdlib_module_names}
    for module, path in CORE.items():
        assert {name for name in imports(path) if name not in allowed} <= SUBMODULES, module


def test_the_test_sees_imports():
    assert "numpy" in set(imports(Path(__file__).parent.parent / "layouts.py"))


def level(module):
    if f"{module}!" in LEVELS:
        return LEVELS[f"{module}!"]
    names = module.split(".")
    prefixes = [".".join(names[:count]) for count in range(len(names), 1, -1)]
    return next(LEVELS[prefix] for prefix in prefixes if prefix in LEVELS)


def ours(module):
    return {name for name in imports(FOUND[module]) if name in FOUND}


def test_imports_run_one_way():
    for module in FOUND:
        # Each package is loaded before what is in it, and so is the whole.
        above = {".".join(module.split(".")[:count]) for count in range(1, module.count(".") + 1)}
        wrong = {name for name in ours(module) - above if level(name) > level(module)}
        assert wrong == set(), module


def test_no_file_imports_itself_in_a_circle():
    pending = {module: ours(module) - {module} for module in FOUND}
    while ready := [module for module, needs in pending.items() if not needs & set(pending)]:
        for module in ready:
            del pending[module]
    assert pending == {}


def test_no_planner_can_reach_a_file():
    """Planning is pure: neither planners nor what they import can open one, or start a process."""
    pending, planning = [name for name in FOUND if name.startswith("dml_vk.kernels.plan")], set()
    assert len(pending) > 40
    while pending:
        module = pending.pop()
        if module not in planning:
            planning.add(module)
            pending += ours(module)
    for module in planning:
        assert OF_FILES.isdisjoint(imports(FOUND[module])), module
        nodes = ast.walk(ast.parse(FOUND[module].read_text()))
        assert "open" not in {node.id for node in nodes if isinstance(node, ast.Name)}, module


@pytest.mark.parametrize("library", RUNTIME_LIBRARIES)
def test_each_runtime_library_is_imported_by_one_file(library):
    users = [path for path in FOUND.values() if library in imports(path)]
    assert users == [PACKAGE / RUNTIME_LIBRARIES[library]]


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


def test_one_context_variable_has_all_that_applies_to_a_call():
    """Each look-up of another would take 50 ns of every call."""
    makers = {path.name for path in FOUND.values() if "ContextVar(" in path.read_text()}
    assert makers == {"context.py"}
