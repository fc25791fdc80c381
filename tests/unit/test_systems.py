"""Nothing in the package assumes one operating system."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dml_vk

PACKAGE = Path(dml_vk.__file__).parent
SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
# Names that some systems lack, with the files that use them after a check.
RARE = {
    "fork": (),
    "geteuid": ("install/system.py",),
    "getuid": (),
    "mkfifo": (),
    "register_at_fork": (),  # by getattr
    "sched_getaffinity": ("driver/probe.py",),
    "SIGALRM": (),
    "SIGKILL": (),
    "WinDLL": ("commands/terminal.py",),
}
RARE_MODULES = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "termios", "winreg"}
TEXT_METHODS = {"read_text", "write_text"}
TEXT_OPTIONS = {"text", "universal_newlines"}
# Python on another system: its platform, what it lacks, its cache, and a loader of any name.
# Modules of the standard library check the platform when they are imported, so they come first.
OTHER_SYSTEM = """
import asyncio, ctypes, multiprocessing, os, platform, shutil, subprocess, sys, sysconfig
import tarfile, tempfile, threading, zipfile
import numpy as np, numpy.testing
for name in {lacking!r}:
    vars(os).pop(name, None)
sys.platform = {platform!r}
os.environ["LOCALAPPDATA"] = {cache!r}
os.path.expanduser = lambda path: path.replace("~", {cache!r})
names, own = [], ctypes.CDLL
def open_library(name, *given):
    names.append(name)
    return own("libvulkan.so.1")
ctypes.CDLL = open_library
"""
USE = """
import dml_vk
from dml_vk.commands.verbs import run
x = dml_vk.asarray(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
assert np.array_equal((x.permute(2, 0, 1) + 1).numpy(), x.numpy().transpose(2, 0, 1) + 1)
assert x[[1, 0], 1:].sum().item() == x.numpy()[[1, 0], 1:].sum()
dml_vk.save({file!r}, x)
assert dml_vk.array_equal(dml_vk.load({file!r}), x)
assert run(["doctor"]) == 0
print(*names)
"""


@pytest.fixture(scope="module")
def nodes() -> list[tuple[str, ast.AST]]:
    """All of the package's syntax, with its files."""
    return [(file, node) for file in SOURCES for node in ast.walk(ast.parse(SOURCES[file]))]


def test_text_files_and_pipes_name_their_encoding(nodes):
    """The default encoding of Windows is another one."""
    for file, call in nodes:
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        given = {one.arg for one in call.keywords}
        words = [one.value for one in call.args if isinstance(one, ast.Constant)]
        is_text = name == "open" and not any("b" in str(mode) for mode in words)
        is_member = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in (
            *("os", "archive", "tarfile"),
        )
        if name in TEXT_METHODS or (is_text and not is_member) or given & TEXT_OPTIONS:
            assert "encoding" in given, f"{file}:{call.lineno}"


def test_names_missing_on_some_systems_are_guarded(nodes):
    for file, node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in RARE:
            assert file in RARE[node.attr], f"{file}:{node.lineno}: {node.attr}"
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names} | {getattr(node, "module", "")}
            known = {"msvcrt"} if file == "commands/terminal.py" else set()
            assert names & RARE_MODULES <= known, f"{file}:{node.lineno}"


@pytest.mark.linux
@pytest.mark.parametrize(
    ("platform", "lacking", "loader", "kept"),
    [
        (
            *("win32", ["fork", "geteuid", "register_at_fork", "sched_getaffinity"]),
            *("vulkan-1.dll", ""),
        ),
        ("darwin", ["sched_getaffinity"], "libvulkan.1.dylib", "Library/Caches"),
    ],
)
def test_a_device_works_if_python_reports_another_system(tmp_path, platform, lacking, loader, kept):
    """What depends on the platform's name. The libraries are still those of this system."""
    file, cache = str(tmp_path / "x.npy"), str(tmp_path)
    code = OTHER_SYSTEM.format(platform=platform, lacking=lacking, cache=cache)
    done = subprocess.run(
        [sys.executable, "-c", code + USE.format(file=file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=PACKAGE.parent,
        env={**os.environ, "DML_VK_RUNTIME": "vulkan", "DML_VK_CACHE": ""},
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = done.stdout.splitlines()
    assert report.pop() == loader
    assert "ok     loader    libvulkan.so.1" in report
    assert any(line.startswith("ok     numbers") for line in report)
    assert list((tmp_path / kept / "dml_vk" / "pipelines").iterdir())
