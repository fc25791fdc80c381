"""The wheel and the sdist: what is inside, what they say of themselves, and that they install."""

from __future__ import annotations

import email.parser
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import textwrap
import zipfile
from pathlib import Path

import pytest

import dml_vk
from dml_vk.kernels.registry import KERNELS

ROOT = Path(__file__).parents[2]
VERSION = dml_vk.__version__
# Where there is no driver, no compiler and nobody's settings.
BARE = {"PATH": os.devnull, "VK_DRIVER_FILES": os.devnull, "VK_ICD_FILENAMES": os.devnull}


def run(*command: str | Path, **options) -> str:
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> dict[str, Path]:
    """The sdist, and the wheel that comes of it."""
    folder = tmp_path_factory.mktemp("packages")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    assert len(list(folder.iterdir())) == 2
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


@pytest.fixture(scope="module")
def metadata(packages):
    with zipfile.ZipFile(packages["wheel"]) as wheel:
        text = wheel.read(f"dml_vk-{VERSION}.dist-info/METADATA").decode()
    return email.parser.Parser().parsestr(text)


def test_the_wheel_holds_the_package_and_nothing_else(packages):
    held = zipfile.ZipFile(packages["wheel"]).namelist()
    files = [path for path in (ROOT / "dml_vk").rglob("*.*") if path.is_file()]
    expected = {str(path.relative_to(ROOT)) for path in files if path.suffix != ".pyc"}
    about = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    assert set(held) == expected | {f"dml_vk-{VERSION}.dist-info/{name}" for name in about}
    modules = [module for kernel in KERNELS.values() for module in kernel.modules]
    assert {f"dml_vk/kernels/spv/{module}.spv" for module in modules} <= set(held)
    typed = {"py.typed", "__init__.pyi", "array/math/operator_functions.pyi"}
    assert {f"dml_vk/{name}" for name in typed} <= set(held)


@pytest.mark.product  # each of these builds again
def test_the_wheel_is_the_same_from_the_sdist_and_from_the_tree(packages, tmp_path):
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, ROOT)
    assert (tmp_path / packages["wheel"].name).read_bytes() == packages["wheel"].read_bytes()


def test_the_sdist_is_the_repository_without_what_tools_leave(packages):
    """As far as git knows it: in a tree without git, what the sdist brought is all there is."""
    base = f"dml_vk-{VERSION}"
    with tarfile.open(packages["sdist"]) as sdist:
        files = {one.name.removeprefix(f"{base}/"): sdist.extractfile(one).read() for one in sdist}
    held = set(files)
    del files["PKG-INFO"]
    assert [name for name in files if files[name] != (ROOT / name).read_bytes()] == []
    hidden = {name.split("/")[0] for name in held if "/." in f"/{name}"}
    assert hidden == {".ci", ".gitattributes", ".github", ".gitignore"}
    assert not [name for name in held if re.search(r"__pycache__|\.(pyc|so|whl|egg-info)", name)]
    assert {
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "dev",
        "pyproject.toml",
    } <= held
    listed = ["git", "ls-files"] if (ROOT / ".git").exists() else ["echo", "pyproject.toml"]
    assert set(run(*listed, cwd=ROOT).split()) <= held


def test_twine_accepts_the_packages(packages):
    said = run(sys.executable, "-m", "twine", "check", "--strict", *packages.values())
    assert said.count("PASSED") == 2


def test_the_version_is_defined_once(metadata):
    assert metadata["Version"] == VERSION
    latest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert re.fullmatch(rf"{re.escape(VERSION)} - (unreleased|\d{{4}}-\d\d-\d\d)", latest)
    elsewhere = run("grep", "-rlF", f'"{VERSION}"', ROOT / "dml_vk", ROOT / "pyproject.toml")
    assert [line for line in elsewhere.split() if not line.endswith(".pyc")] == [
        str(ROOT / "dml_vk" / "__init__.py")
    ]


def test_metadata_is_that_of_the_project(metadata):
    assert (metadata["Name"], metadata["License-Expression"]) == ("dml-vk", "Apache-2.0")
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert metadata["Requires-Python"] == ">=3.10"
    extras = {"clients", "dask", "dev", "docs", "onnx", "test"}
    assert set(metadata.get_all("Provides-Extra")) == extras
    always = [one for one in metadata.get_all("Requires-Dist") if "extra ==" not in one]
    assert always == ["numpy>=1.26"]
    assert metadata.get_payload().strip() == (ROOT / "README.md").read_text().strip()
    # There is no address to name, and none is made up.
    assert metadata["Home-page"] is metadata["Project-URL"] is metadata["Author"] is None


# The installed package.

FACTS = """
import sys, dml_vk, dml_vk.directml
from dml_vk import Layout, channels_last
assert not {"numpy", "kp"} & set(sys.modules)
image = Layout.packed((2, 3, 4, 5), channels_last)
print(image.strides, image.numel, dml_vk.directml.__name__, dml_vk.__file__)
print(Layout((2, 3), (5, 1)).draw("ABCDEF"))
"""
DRAWN = "0 | A B C · · D E F"
SMOKE = """
import numpy as np, dml_vk as dv
photo = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
x = dv.asarray(photo).to(dv.channels_last)
y = x[:, :, ::-1] * 2 + dv.asarray(photo[:1, :, :1, :1])
assert y.memory_format is dv.channels_last
assert np.array_equal(y.numpy(), photo[:, :, ::-1] * 2 + photo[:1, :, :1, :1])
assert np.array_equal(dv.sum(x, axis=1).numpy(), photo.sum(1))
assert np.allclose(dv.exp(x / 100).numpy(), np.exp(photo / 100), rtol=1e-6)
assert np.array_equal((x[0, 0] @ x[0, 0].mT).numpy(), photo[0, 0] @ photo[0, 0].T)
assert np.array_equal(dv.sort(-x, axis=1).numpy(), np.sort(-photo, axis=1))
bits = dv.random.Generator(seed=7).bits((3, 5))
assert bits.dtype == "uint32" and np.unique(bits.numpy()).size == 15
print(dv.__file__)
"""


def empty(folder: Path) -> tuple[Path, Path]:
    """(the Python of a new environment with nothing in it, the folder where packages go)."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    return python, Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )


@pytest.fixture(scope="module")
def installed(packages, tmp_path_factory) -> tuple[Path, Path]:
    """An environment that holds the wheel alone."""
    python, site = empty(tmp_path_factory.mktemp("environment"))
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index")
    run(*pip, packages["wheel"])
    return python, site


def test_the_layout_core_works_with_nothing_around_it(installed, tmp_path):
    python, site = installed
    said = run(python, "-I", "-c", FACTS, cwd=tmp_path, env=BARE).splitlines()
    assert said[0] == f"(60, 1, 15, 3) 120 dml_vk.directml {site / 'dml_vk' / '__init__.py'}"
    assert said[1] == DRAWN
    missing = subprocess.run([python, "-I", "-c", "import numpy"], capture_output=True, check=False)
    assert missing.returncode == 1


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        (("layout", "2x3x4x5", "--order", "NHWC"), "60,1,15,3"),
        # The first of Random123's known answers.
        (("philox", "--key", "0", "--counter", "0"), "6627e8d5"),
    ],
)
def test_commands_without_dependencies_work_alone(installed, tmp_path, verb, says):
    python, _ = installed
    assert says in run(python, "-I", "-m", "dml_vk", *verb, cwd=tmp_path, env=BARE)


def test_what_needs_numpy_says_so(installed, tmp_path):
    python, _ = installed
    doctor = [python, "-I", "-m", "dml_vk", "doctor"]
    done = subprocess.run(
        doctor, cwd=tmp_path, env=BARE, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert re.search(
        rf"NumPy +absent\n +> {re.escape(str(python))} -m pip install numpy", done.stdout
    )


def test_the_wheel_numpy_and_a_driver_are_all_that_the_demo_needs(packages, tmp_path):
    """No `kp`, and nothing on the path that could build one."""
    python, site = empty(tmp_path / "environment")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index")
    run(*pip, packages["wheel"])
    for path in Path(sysconfig.get_path("platlib")).glob("numpy*"):
        (site / path.name).symlink_to(path)
    nothing = {"cwd": tmp_path, "env": {"PATH": os.devnull, "HOME": str(tmp_path)}}
    absent = subprocess.run([python, "-I", "-c", "import kp"], **nothing, check=False)
    assert absent.returncode == 1
    assert run(python, "-I", "-m", "dml_vk", "devices", **nothing).endswith(", run by vulkan\n")
    assert re.search(r"All \d+ checks passed", run(python, "-I", "-m", "dml_vk", "demo", **nothing))


@pytest.mark.product
def test_the_sdist_installs_and_computes_beside_numpy_and_kp(packages, tmp_path):
    python, site = empty(tmp_path / "environment")
    pip = (sys.executable, "-m", "pip", "install", "--ignore-installed", "--no-deps", "--no-index")
    run(*pip, "--no-build-isolation", "--prefix", tmp_path / "environment", packages["sdist"])
    # The packages of this environment, but for what a .pth file of theirs adds: this checkout.
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "around.pth").write_text("\n".join(sorted(paths)))
    said = run(python, "-I", "-c", textwrap.dedent(SMOKE), cwd=tmp_path)
    assert said.strip() == str(site / "dml_vk" / "__init__.py")
