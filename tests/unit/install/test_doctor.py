"""The doctor says what is there, what lacks and what to type, whatever the machine is like."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from dml_vk import __main__
from dml_vk.commands import doctor as doctor_verb
from dml_vk.driver import probe, vulkan
from dml_vk.errors import DmlVkError
from dml_vk.install import build_kp, doctor, kp_version, system
from dml_vk.install.doctor import Finding

pytestmark = pytest.mark.linux


@pytest.fixture
def nothing(monkeypatch):
    """A machine that has nothing but this Python."""
    monkeypatch.setattr(vulkan, "load", lambda: None)
    monkeypatch.setattr(probe, "devices", lambda: probe.Devices((), "the reason"))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(system, "_include_folders", lambda: [Path(os.devnull)])
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor, "_DEVICES", Path(os.devnull))
    for name in list(os.environ):
        if name.startswith(("VK_", "XDG_")):
            monkeypatch.delenv(name)
    for name in ("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"):
        monkeypatch.setenv(name, os.devnull)


def test_a_machine_that_has_all(capsys):
    assert __main__.main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) < 25
    assert probe.select().name in shown
    assert f"ok     features  {', '.join(probe.select().features)}\n" in shown
    assert f"ok     kp        {kp_version.version()}\n" in shown
    assert "ok     numbers   all right; functions give the same bits as elsewhere" in shown
    assert "ok     modes     the driver is told to keep these in float32: " in shown
    assert "LACKS" not in shown


def test_a_machine_that_has_nothing(nothing, capsys):
    assert __main__.main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "ok     GPU       none is seen: there is no " in lines.pop(3)
    assert lines[1:] == [
        f"LACKS  loader    no {vulkan.LOADERS[0]}",
        "                 > install a Vulkan loader",
        "LACKS  device    the reason",
        "                 > the driver of your GPU, or Mesa's for the CPU: "
        + system.how_to_install(system.missing(system.RUN)),
        "LACKS  NumPy     absent",
        f"                 > {sys.executable} -m pip install numpy",
        "lacks  GLSL      glslangValidator, spirv-opt, spirv-val (for shaders of your own only)",
        "                 > install glslangValidator, spirv-opt, spirv-val",
    ]


def test_a_python_of_the_systems_gets_an_environment_first(nothing, monkeypatch):
    monkeypatch.setattr(build_kp, "is_system_python", lambda: True)
    (numpy,) = doctor._python()
    assert numpy.advice == (
        "this Python belongs to the system: python3 -m venv .venv && "
        ".venv/bin/python -m pip install numpy"
    )


@pytest.mark.parametrize(
    ("node", "mode", "text", "advice"),
    [
        ("dri/renderD128", 0, "{}: this user may not open it", "sudo usermod -aG render $USER"),
        ("dri/renderD128", 6, "{}: no driver here computes on it", "the Vulkan driver"),
        ("nvidia0", 6, "{}: no driver here computes on it", "the Vulkan driver"),
        ("dri/card0", 6, "none is seen: there is no ", ""),
    ],
)
def test_a_gpu_that_is_not_used(monkeypatch, tmp_path, node, mode, text, advice):
    path = tmp_path / node
    path.parent.mkdir(exist_ok=True)
    path.touch()
    monkeypatch.setattr(doctor, "_DEVICES", tmp_path)
    # Root may open all.
    monkeypatch.setattr(os, "access", lambda path, asked: mode & asked == asked)
    found = next(found for found in doctor._devices() if found.topic == "GPU")
    assert found.text.startswith(text.format(path))
    assert found.advice.startswith(advice)
    assert not found.is_fatal


def test_no_finding_on_gpus_if_one_is_used_or_outside_linux(monkeypatch):
    (info, *_) = probe.devices()
    some = probe.Devices((replace(info, type="discrete"), info))
    monkeypatch.setattr(probe, "devices", lambda: some)
    assert "GPU" not in [found.topic for found in doctor._devices()]
    monkeypatch.setattr(sys, "platform", "darwin")
    assert list(doctor._unused_gpus()) == []


def test_how_a_path_is_typed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert system.typed(tmp_path / ".venv/bin/python") == ".venv/bin/python"
    assert system.typed(tmp_path / "a b") == "'./a b'"
    assert system.typed("/usr/bin/python3") == "/usr/bin/python3"


def test_how_a_path_is_typed_on_windows(monkeypatch):
    """Its shell knows double quotes only."""
    monkeypatch.setattr(sys, "platform", "win32")
    assert system.typed(r"C:\Python\python.exe") == r"C:\Python\python.exe"
    assert system.typed(r"C:\My Python\python.exe") == r'"C:\My Python\python.exe"'


@pytest.mark.parametrize(
    ("manager", "user", "typed"),
    [
        ("brew", 1000, "brew install glslang spirv-tools"),
        ("apt-get", 0, "apt-get install glslang-tools spirv-tools"),
        ("apt-get", 1000, "sudo apt-get install glslang-tools spirv-tools"),
        ("dnf", 1000, "sudo dnf install glslang spirv-tools"),
        ("pacman", 0, "pacman -S glslang spirv-tools"),
    ],
)
def test_what_to_type(monkeypatch, manager, user, typed):
    monkeypatch.setattr(shutil, "which", lambda name: name if name == manager else None)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert system.how_to_install(system.SHADERS) == typed


def test_advice_without_a_usable_package_manager(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: name)
    make = [need for need in system.BUILD if need.name == "make"]
    monkeypatch.setattr(system, "MANAGERS", {"brew": "brew install"})
    monkeypatch.setattr(system, "packages", lambda needs, manager: [])
    assert system.how_to_install(make) == "install make"
    monkeypatch.undo()
    # MSYS2 has a pacman, and Windows no user 0.
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "geteuid")
    assert system.how_to_install(system.RUN) == "install a Vulkan loader, a Vulkan driver"


def test_homebrew_has_a_make_and_a_compiler():
    assert system.packages(system.BUILD, "brew") == ["cmake", "vulkan-headers", "fmt", "python"]


def test_manifests_and_headers_are_where_each_system_has_them(monkeypatch, nothing):
    for name in ("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path.replace("~", "/home/me"))
    linux = ["/home/me/.config", "/etc/xdg", "/etc", "/home/me/.local/share"]
    linux += ["/usr/local/share", "/usr/share"]
    own = ["/opt/homebrew/etc", "/usr/local/etc", "/opt/homebrew/share"]
    looked = []
    monkeypatch.setattr(Path, "glob", lambda path, pattern: looked.append(path.as_posix()) or [])
    for platform, folders in (("linux", linux), ("win32", [])):
        monkeypatch.setattr(sys, "platform", platform)
        assert system.manifests("icd.d") == []
        assert looked == [f"{folder}/vulkan/icd.d" for folder in folders]
        looked.clear()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert system.manifests("icd.d") == []
    assert sorted(looked) == sorted(f"{folder}/vulkan/icd.d" for folder in [*linux, *own])


def test_homebrew_s_headers_are_found_on_macos(monkeypatch):
    folder = Path("/opt/homebrew/include")
    assert folder not in system._include_folders()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder in system._include_folders()


def test_what_a_driver_prints_need_not_be_text(monkeypatch, tmp_path):
    manifest = tmp_path / "chatty.json"
    manifest.write_text("{}")
    code = "; sys.stderr.buffer.write(bytes([255])); print(chr(0x2603))"
    monkeypatch.setattr(doctor, "_DRIVER", code)
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252:strict")
    assert doctor._devices_of(manifest) == chr(0x2603)


def test_every_driver_is_asked_by_itself(monkeypatch, tmp_path):
    empty, gone = tmp_path / "empty.json", tmp_path / "gone.json"
    empty.write_text("{}")
    monkeypatch.setattr(system, "manifests", lambda kind: [empty, gone])
    assert [finding.text for finding in doctor._drivers()][1:] == [
        f"{empty}: no device",
        f"{gone}: no such file",
    ]


def test_a_driver_that_kills_is_named(monkeypatch, tmp_path):
    manifest = tmp_path / "deadly.json"
    manifest.write_text("{}")
    monkeypatch.setattr(doctor, "_DRIVER", "; import os; os.abort()")
    assert doctor._devices_of(manifest) == "it breaks the process that loads it (-6)"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("DML_VK_MEMORY", "stage"),
        ("DML_VK_MEMORY_LIMIT", "1GB"),
        ("DML_VK_RUNTIME", "cuda"),
        ("DML_VK_EXACT", "no"),
    ],
)
def test_a_setting_with_which_no_device_opens(name, wrong, monkeypatch):
    assert "setting" not in [finding.topic for finding in doctor._devices()]
    monkeypatch.setenv(name, wrong)
    *_, found = doctor._devices()
    assert found.topic == "setting"
    assert f"got {name}={wrong!r}" in found.text
    assert found.advice


def test_a_choice_that_matches_nothing(monkeypatch):
    monkeypatch.setenv("DML_VK_DEVICE", "nobody's")
    *_, chosen = doctor._devices()
    assert 'got DML_VK_DEVICE="nobody\'s"' in chosen.text
    assert chosen.is_fatal


@pytest.mark.parametrize(
    ("state", "word", "lacks", "text", "advice"),
    [
        ("works", "", None, "0.9.0", ""),
        ("imports", "", None, f"{kp_version.version()}, not tried without a device", ""),
        ("stock", "", None, "0.9.0", "doctor --fix"),
        ("poisoned", "", None, "built with a pybind11 too old for this NumPy", "doctor --fix"),
        ("absent", "", None, "absent", "doctor --fix"),
        ("absent", "", "no compiler: get one", "absent", "no compiler: get one"),
        ("broken", "ImportError: x", None, "broken ImportError: x", "doctor --fix"),
    ],
)
def test_every_state_of_kp(monkeypatch, state, word, lacks, text, advice):
    monkeypatch.setattr(build_kp, "state", lambda device: (state, word))
    monkeypatch.setattr(build_kp, "obstacle", lambda: lacks)
    one = next(found for found in doctor._python() if found.topic == "kp")
    assert one.text.startswith(text)
    assert one.advice.endswith(advice)
    assert not one.is_fatal, "the other runtime needs none"
    monkeypatch.setenv("DML_VK_RUNTIME", "kompute")
    one = next(found for found in doctor._python() if found.topic == "kp")
    assert one.is_fatal == bool(advice)


@pytest.mark.parametrize("name", ["vulkan", "kompute"])
def test_each_device_is_listed_with_the_runtime_that_opens_it(monkeypatch, name):
    monkeypatch.setenv("DML_VK_RUNTIME", name)
    found = next(found for found in doctor._devices() if found.topic == "device")
    assert found.text.endswith(f", run by {name}")
    assert {info.runtime for info in probe.devices()} == {name}


def test_fix_installs_kp_if_it_does_not_work(monkeypatch, capsys):
    silent = partial(doctor_verb.Progress, patience=float("inf"))  # however long a try takes
    monkeypatch.setattr(doctor_verb, "Progress", silent)
    monkeypatch.setattr(doctor, "examine", lambda: [Finding("kp", "absent", "do")])
    installed = []
    monkeypatch.setattr(build_kp, "install", lambda device, tell: installed.append(device))
    assert __main__.main(["doctor", "--fix"]) == 1
    assert installed == []
    monkeypatch.setattr(build_kp, "state", lambda device: ("absent", ""))
    __main__.main(["doctor", "--fix"])
    assert installed == [probe.devices()[0].index]
    with monkeypatch.context() as without_numpy:
        without_numpy.setattr(doctor.importlib.util, "find_spec", lambda name: None)
        doctor.fix(print)
    assert len(installed) == 1

    def fail(device, tell):
        raise DmlVkError("kp", "the obstacle", command="pip")

    monkeypatch.setattr(build_kp, "install", fail)
    assert __main__.main(["doctor", "--fix"]) == 1
    assert capsys.readouterr().err == "kp: the obstacle; got command='pip'\n"


def test_listing_devices(monkeypatch, capsys):
    assert __main__.main(["devices"]) == 0
    assert capsys.readouterr().out == "".join(f"{info}\n" for info in probe.devices())
    monkeypatch.setattr(probe, "devices", lambda: probe.Devices((), "the reason"))
    assert __main__.main(["devices"]) == 1
    assert capsys.readouterr().out == "the reason\n"


def test_the_module_runs(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "dml_vk.__main__")
    monkeypatch.setattr(sys, "argv", ["dml_vk", "devices"])
    with pytest.raises(SystemExit, match=r"^0$"):
        runpy.run_module("dml_vk", run_name="__main__")
    assert capsys.readouterr().out.startswith("0: ")


def test_manifests_are_where_the_loader_looks(monkeypatch, tmp_path):
    for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path))
    drivers = tmp_path / "vulkan/icd.d"
    drivers.mkdir(parents=True)
    here = drivers / "one.json"
    here.touch()
    assert here in system.manifests("icd.d")
    assert here not in system.manifests("explicit_layer.d")
    monkeypatch.setenv("VK_ADD_DRIVER_FILES", f"/b.json{os.pathsep}/c.json")
    assert system.manifests("icd.d")[:2] == [Path("/b.json"), Path("/c.json")]
    monkeypatch.setenv("VK_ICD_FILENAMES", "/d.json")
    assert system.manifests("icd.d") == [Path("/d.json")]
    monkeypatch.setenv("VK_LAYER_PATH", str(drivers))
    (drivers / "VkLayer_khronos_validation.json").touch()
    assert system.VALIDATION[0].is_met()
    monkeypatch.setenv("VK_DRIVER_FILES", "/e.json")
    assert system.manifests("icd.d") == [Path("/e.json")]
    assert not system.RUN[1].is_met()


def test_needs_are_met_or_missing(monkeypatch, nothing):
    assert system.missing(system.BUILD) == list(system.BUILD)
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "clang++" else None)
    monkeypatch.setattr(system, "_include_folders", lambda: [Path("/none"), Path("/usr/include")])
    names = [need.name for need in system.missing(system.BUILD)]
    assert "a C++ compiler" not in names
    assert "Vulkan's headers" not in names
    assert "CMake" in names


def test_headers_are_sought_where_the_environment_says(monkeypatch, tmp_path):
    (tmp_path / "include/fmt").mkdir(parents=True)
    (tmp_path / "include/fmt/core.h").touch()
    monkeypatch.setenv("VULKAN_SDK", str(tmp_path))
    assert tmp_path / "include" in system._include_folders()
    assert system._header("fmt/core.h")()
    assert not system._header("fmt/nothing.h")()
