"""./dev in a copy that has its environment: what it runs, and what it says which verb runs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess

import pytest

from tests import repeat
from tests.hanging import HANGING
from tests.unit.suite.runs import ROOT

pytestmark = pytest.mark.linux
SAYS = '#!/bin/sh\necho "$DML_VK_TESTS_VERB" "$@"\n'


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """Run a verb. Its Python says what it was called with, in the last line."""
    recipe = ["pyproject.toml", "dev", "dml_vk/install/system.py", "dml_vk/install/build_kp.py"]
    patches = sorted((ROOT / "dml_vk/install/kompute").glob("*.patch"))
    recipe += [str(path.relative_to(ROOT)) for path in patches]
    for name in recipe:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    whole = f"{tmp_path}\n".encode() + b"".join((tmp_path / name).read_bytes() for name in recipe)
    project = (tmp_path / "pyproject.toml").read_bytes()
    for folder, stamp in (
        (".venv", f"{hashlib.sha256(whole).hexdigest()}  -"),
        (".venv/clients", f"{hashlib.sha256(project).hexdigest()}  pyproject.toml"),
    ):
        program(tmp_path / folder / "bin" / "python", SAYS)
        (tmp_path / folder / "ready").write_text(f"{stamp}\n")

    def run(*words: str) -> list[str]:
        done = subprocess.run(
            ["./dev", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGING,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()[-1].split()

    return run


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize("verb", ["test", "staged", "clients", "bench"])
def test_it_tells_which_verb_runs_and_takes_the_name_of_a_test(dev, verb):
    name = f"{'bench' if verb == 'bench' else f'tests/{verb}'}/test_some.py::test_one[3-int8]"
    told = dev(verb, name)
    assert (told[0], told[-1]) == (verb, name)
    assert [word for word in told if "/" in word] == [name], "nothing else runs"
    assert verb in repeat.VERBS


def test_what_verbs_set_is_what_they_are_said_to_set():
    text = (ROOT / "dev").read_text()
    assert [one for given in repeat.VERBS.values() for one in given if f"{one}" not in text] == []
    assert [verb for verb in repeat.VERBS if f"\n  {verb})\n" not in text] == []


def test_a_driver_that_another_process_has_just_fetched_is_used(dev, tmp_path, monkeypatch):
    cache, tools = tmp_path / "cache", tmp_path / "tools"
    manifest = "usr/lib/chromium/vk_swiftshader_icd.json"
    fetched = cache / "dml_vk" / "swiftshader" / manifest
    other = f"mkdir -p {fetched.parent} && echo other >{fetched}"
    program(tools / "apt-get", f"#!/bin/sh\n{other}\ntouch chromium-common_1.deb\n")
    unpacks = f"mkdir -p {os.path.dirname(manifest)} && echo own >{manifest}"
    program(tools / "dpkg", f"#!/bin/sh\n{unpacks}\n")
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert dev("swiftshader", "tests/some.py") == ["swiftshader", "-m", "pytest", "tests/some.py"]
    assert fetched.read_text() == "other\n"
    assert [path.name for path in (cache / "dml_vk").iterdir()] == ["swiftshader"]
