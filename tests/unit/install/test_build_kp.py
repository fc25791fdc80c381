"""A `kp` that is there is tried, a wrong one is named, and one that works is built and kept."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dml_vk.driver import probe
from dml_vk.errors import DmlVkError
from dml_vk.install import build_kp, system


def test_kp_is_tried_in_a_process_of_its_own(monkeypatch, tmp_path):
    index = probe.select().index
    assert build_kp.state(index) == ("works", "")
    assert build_kp.state(None) == ("imports", "")
    assert build_kp.state(99)[0] == "broken"
    monkeypatch.setattr(build_kp.importlib.util, "find_spec", lambda name: None)
    assert build_kp.state(index) == ("absent", "")


FAKE = """
import numpy
class TensorTypes:
    host = 0
class Manager:
    def __init__(self, device):
        pass
    def tensor_t(self, data, kind):
        return Tensor(data)
class Tensor:
    def __init__(self, given):
        self.given = given
    def data(self):
        return {data}
"""


@pytest.mark.parametrize(
    ("source", "state", "word"),
    [
        (FAKE.format(data="self.given"), "works", ""),
        (FAKE.format(data="numpy.broadcast_to(self.given[:1], 5)"), "poisoned", ""),
        (FAKE.format(data="self.given + 1"), "poisoned", ""),
        ("raise ImportError('libfmt.so.9: no such file')", "broken", "ImportError: libfmt"),
        ("import os; os.abort()", "broken", "it died with -6"),
    ],
    ids=["right", "strides", "values", "import", "abort"],
)
def test_what_a_wrong_kp_is_called(monkeypatch, tmp_path, source, state, word):
    (tmp_path / "kp.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    told = build_kp.state(0)
    assert told[0] == state
    assert told[1].startswith(word)


def test_what_stands_in_the_way_of_a_build(monkeypatch, tmp_path):
    assert build_kp.obstacle() is None
    config = build_kp.sysconfig
    with monkeypatch.context() as patched:
        patched.setattr(system, "missing", lambda needs: list(system.BUILD[:2]))
        assert build_kp.obstacle().startswith("missing for the build: CMake, make: ")
        (tmp_path / "EXTERNALLY-MANAGED").touch()
        patched.setattr(config, "get_path", lambda name: str(tmp_path))
        patched.setattr(sys, "base_prefix", sys.prefix)
        assert "belongs to the system" in build_kp.obstacle()
        patched.setattr(build_kp.importlib.util, "find_spec", lambda name: None)
        assert build_kp.obstacle() == "pip is missing: python -m ensurepip"
        patched.setattr(config, "get_config_var", lambda name: 1)
        assert "free-threaded" in build_kp.obstacle()


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """A pip that only notes what it is asked, and puts an empty wheel where one is to be built."""
    calls = []

    def run(command, env, check):
        arguments = command[command.index("pip") + 1 :]
        calls.append((arguments, env))
        if "--wheel-dir" in arguments:
            folder = Path(arguments[arguments.index("--wheel-dir") + 1])
            folder.mkdir()
            (folder / "kp-0.9.0-some.whl").touch()
        return SimpleNamespace(returncode=calls.code)

    class Calls(list):
        code = 0

    calls = Calls()
    monkeypatch.setattr(build_kp.subprocess, "run", run)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return calls


def test_kp_is_built_against_a_new_pybind11_and_kept(monkeypatch, pip, tmp_path):
    told = []
    build_kp.install(None, told.append)
    (tools, _), (wheel, environment), (install, _) = pip
    assert tools[-1].startswith("pybind11==3.")
    assert {"--no-deps", "--no-cache-dir", "--no-binary", "kp==0.9.0"} <= set(wheel)
    assert environment["pybind11_DIR"].startswith(tools[tools.index("--target") + 1])
    assert environment["VIRTUAL_ENV"] == sys.prefix
    assert [environment[name] for name in build_kp._OPTIONS] == ["OFF"] * 4
    kept = Path(install[-1])
    assert kept.is_file()
    assert tmp_path in kept.parents
    assert {"--no-deps", "--force-reinstall"} <= set(install)
    assert not list(kept.parents[1].glob("tmp*"))

    pip.clear()
    monkeypatch.setattr(build_kp, "state", lambda device: ("works", ""))
    build_kp.install(None, told.append)
    assert [arguments for arguments, _ in pip] == [install]
    assert [text.split(": ")[1].split()[0] for text in told] == [
        *("fetching", "fetching", "installing", "installing")
    ]


def test_a_kept_wheel_that_works_no_more_is_built_anew(monkeypatch, pip):
    build_kp.install(None, print)
    pip.clear()
    monkeypatch.setattr(build_kp, "state", lambda device: ("broken", "ImportError"))
    build_kp.install(None, print)
    assert len(pip) == 4
    assert build_kp._cached() is not None
    monkeypatch.setattr(build_kp, "obstacle", lambda: "no compiler")
    with pytest.raises(DmlVkError, match="build tools are missing; got obstacle='no compiler'"):
        build_kp.install(None, print)
    assert build_kp._cached() is None


def test_a_pip_that_fails_is_an_error(pip):
    pip.code = 1
    with pytest.raises(DmlVkError, match="pip failed: see its output above"):
        build_kp.install(None, print)
