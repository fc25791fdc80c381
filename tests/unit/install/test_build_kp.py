"""A `kp` that is there is tried, a wrong one is named, and one that works is built and kept."""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from dml_vk.driver import probe
from dml_vk.errors import DmlVkError
from dml_vk.install import build_kp, kp_version, system

pytestmark = pytest.mark.kompute


def test_kp_is_tried_in_a_process_of_its_own(monkeypatch, tmp_path):
    index = probe.select().index
    assert build_kp.state(index) == ("works", "")
    assert build_kp.state(None) == ("imports", "")
    assert build_kp.state(99)[0] == "broken"
    monkeypatch.setattr(build_kp.importlib.util, "find_spec", lambda name: None)
    assert build_kp.state(index) == ("absent", "")


FAKE = f"""
import numpy
__version__ = {kp_version.version()!r}
"""
FAKE += """
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
        ("__version__ = '0.9.0'", "stock", ""),
        ("__version__ = '0.9.0+dmlvk00000000'", "stock", ""),
        ("raise ImportError('libfmt.so.9: no such file')", "broken", "ImportError: libfmt"),
        ("import os; os.abort()", "broken", "it died with -6"),
    ],
    ids=["right", "strides", "values", "stock", "other", "import", "abort"],
)
def test_each_defect_of_kp_is_recognized(monkeypatch, tmp_path, source, state, word):
    (tmp_path / "kp.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    told = build_kp.state(0)
    assert told[0] == state
    assert told[1].startswith(word)


def test_obstacles_to_a_build_are_named(monkeypatch, tmp_path):
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


def archive(path, **files):
    """A source archive, with a folder and a link in it."""
    with tarfile.open(path, "w:gz") as made:
        for name, text in {"kp-0.9.0/song": "old\n", **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            made.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("kp-0.9.0/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        made.addfile(link)
    return path


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """A pip that only notes what it is asked, and puts the files where they are asked for."""
    calls = []

    def run(command, env, check):
        arguments = command[command.index("pip") + 1 :]
        calls.append((arguments, env))
        if "--wheel-dir" in arguments:
            folder = Path(arguments[arguments.index("--wheel-dir") + 1])
            folder.mkdir()
            (folder / "kp-0.9.0-some.whl").touch()
        elif "--dest" in arguments and not calls.code:
            archive(Path(arguments[arguments.index("--dest") + 1]) / "kp-0.9.0.tar.gz")
        return SimpleNamespace(returncode=calls.code)

    class Calls(list):
        code = 0

    calls = Calls()
    patch = tmp_path / "own.patch"
    patch.write_text("--- a/song\n+++ b/song\n@@ -1,1 +1,1 @@\n-old\n+new\n")
    monkeypatch.setattr(build_kp, "PATCH", patch)
    monkeypatch.setattr(build_kp.subprocess, "run", run)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return calls


def test_kp_is_built_against_a_new_pybind11_and_kept(monkeypatch, pip, tmp_path):
    told = []
    build_kp.install(None, told.append)
    (download, _), (tools, _), (wheel, environment), (install, _) = pip
    assert {"--no-deps", "--no-cache-dir", "--no-binary", "kp==0.9.0"} <= set(download)
    assert tools[-1].startswith("pybind11==3.")
    assert {"--no-deps", "--no-cache-dir", "--use-pep517"} <= set(wheel)
    assert Path(wheel[-1]).name == "kp-0.9.0"
    assert environment["KOMPUTE_PYTHON_LOCAL_VERSION"] == kp_version.local_version()
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
        *("fetching", "fetching", "compiling", "installing", "installing")
    ]


def test_a_kept_wheel_that_works_no_more_is_built_anew(monkeypatch, pip):
    build_kp.install(None, print)
    pip.clear()
    monkeypatch.setattr(build_kp, "state", lambda device: ("broken", "ImportError"))
    build_kp.install(None, print)
    assert len(pip) == 4  # the source is there
    assert build_kp.cached() is not None
    monkeypatch.setattr(build_kp, "obstacle", lambda: "no compiler")
    with pytest.raises(DmlVkError, match="build tools are missing; got obstacle='no compiler'"):
        build_kp.install(None, print)
    assert build_kp.cached() is None


def test_a_wheel_that_another_process_has_just_removed_is_built_anew(monkeypatch, pip):
    build_kp.install(None, print)

    def tried(device):
        build_kp.cached().unlink()
        return "broken", "ImportError"

    monkeypatch.setattr(build_kp, "state", tried)
    build_kp.install(None, print)
    assert build_kp.cached() is not None


def test_a_pip_that_fails_is_an_error(pip):
    pip.code = 1
    with pytest.raises(DmlVkError, match="pip failed: see its output above"):
        build_kp.install(None, print)


def test_the_source_is_patched_before_it_is_built(pip, monkeypatch, tmp_path):
    tree = build_kp.completed(archive(tmp_path / "kp.tar.gz"), tmp_path / "new")
    assert tree == tmp_path / "new/kp-0.9.0"
    assert [path.name for path in tree.iterdir()] == ["song"]
    assert (tree / "song").read_text() == "new\n"


@pytest.mark.parametrize("name", ["../out", "/out", "kp-0.9.0/../../out"])
def test_nothing_is_unpacked_elsewhere(pip, tmp_path, name):
    hostile = archive(tmp_path / "kp.tar.gz", **{name: ""})
    with pytest.raises(DmlVkError, match=r"must unpack into one folder; got member="):
        build_kp.completed(hostile, tmp_path / "new")
    assert not (tmp_path / "out").exists()


def test_another_patch_makes_another_version(monkeypatch, tmp_path):
    folder, version = build_kp._cache(), kp_version.version()
    other = tmp_path / "other.patch"
    other.write_bytes(kp_version.PATCH.read_bytes() + b"\n")
    monkeypatch.setattr(kp_version, "PATCH", other)
    monkeypatch.setattr(kp_version, "local_version", kp_version.local_version.__wrapped__)
    assert kp_version.version() != version
    assert build_kp._cache() != folder
    assert version in folder.name


def test_the_patch_applies_to_what_the_index_has(tmp_path):
    tree = build_kp.completed(build_kp.source(print), tmp_path)
    assert "record_commands" in (tree / "python/src/main.cpp").read_text()
    assert "KOMPUTE_PYTHON_LOCAL_VERSION" in (tree / "setup.py").read_text()
