"""Measure and check a GPU: `./dev gpu` on the machine that has it.

It needs Linux, a Vulkan driver, Python and a folder of wheels, but no network. `./dev gpu --pack`
fills that folder on a machine that has a network.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.gpu import machine, report
from tests.gpu.pack import ROOT, pack
from tests.gpu.steps import Step, run

WHEELS = ROOT / ".wheels"
SECONDS = 520.0
# All tests of kernels, those first by which most depends: time may run out. What needs a compiler
# of shaders says so by its mark.
KERNELS = "ops nn linalg complex array compiler onnx directml random tensor runtime"
TESTS = tuple(f"tests/kernel/{folder}" for folder in KERNELS.split())
TESTS += ("tests/kernel/test_user_kernel.py", "tests/kernel/test_buffer.py")
# The bits of functions are compared anyway.
TESTS += ("--ignore=tests/kernel/ops/test_accuracy.py",)
# It asks which variants the plans for a CPU choose.
OF_A_CPU = "test_the_cases_cover_every_kernel_and_variant_that_a_cpu_plans"
TESTS += (f"--deselect=tests/kernel/ops/test_elementwise.py::{OF_A_CPU}",)
# The other runtime runs the same kernels: what differs is how it moves memory and records.
MEMORY = ("tests/kernel/tensor/test_core.py", "tests/kernel/runtime/test_device.py")
TESTS_OF_OTHER = (*MEMORY, "tests/kernel/ops/test_copy.py", "tests/kernel/ops/test_in_place.py")
MOST_PROCESSES = 6  # of tests, on one GPU
ARITHMETIC = """
import json, sys, dml_vk
open(sys.argv[1], "w").write(json.dumps(dml_vk.device().arithmetic))
"""


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev gpu", description=__doc__)
    parser.add_argument("--wheels", type=Path, default=WHEELS, help="the folder (default .wheels)")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(os.environ.get("OUT") or "."),
        help="where gpu.json, gpu.md and gpu.log go (default $OUT, else here)",
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for everything")
    parser.add_argument(
        "--pack", type=Path, nargs="?", const=WHEELS, metavar="FOLDER", help="fill that folder"
    )
    parser.add_argument(
        "--python",
        nargs="+",
        default=[".".join(platform.python_version_tuple()[:2])],
        metavar="VERSION",
        help="with --pack: the versions of the other machine's Python, such as 3.12",
    )
    arguments = parser.parse_args(given)
    if arguments.pack is not None:
        return pack(arguments.pack.resolve(), arguments.python)
    return measure(arguments.wheels.resolve(), arguments.out.resolve(), arguments.seconds)


def measure(wheels: Path, out: Path, seconds: float) -> int:
    """Run all steps, and write what they found after each of them."""
    end = time.monotonic() + seconds
    found: report.Report = {
        "machine": {"platform": platform.platform(), "cores": os.cpu_count()},
        "devices": [],
        "steps": [],
        "arithmetic": None,
        "bits": {},
        "bench": {},
        "tests": {},
    }
    log = out / "gpu.log"
    log.write_text("")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        try:
            python, environment = _prepared(found, wheels, work)
        except machine.UnusableError as error:
            found["steps"].append({"name": "set-up", "ended": f"failed: {error}", "seconds": 0.0})
            return _written(found, out)
        for step in steps(python, work, out, has_kp(python)):
            print(f"dev: {step.name}", file=sys.stderr, flush=True)
            found["steps"].append(run(step, environment, end - time.monotonic(), log))
            _gather(found, work)
            status = _written(found, out)
    print((out / "gpu.md").read_text())
    return status


def _prepared(found: report.Report, wheels: Path, work: Path) -> tuple[Path, machine.Environment]:
    begun = time.monotonic()
    python = machine.make_python(wheels, work)
    environment = machine.lacking(python, wheels / "lib", work)
    driver, found["devices"] = machine.find_driver(python, environment, work)
    found["machine"]["environment"] = {**environment, **driver}
    taken = round(time.monotonic() - begun, 1)
    found["steps"].append({"name": "set-up", "ended": "passed", "seconds": taken})
    return python, {**environment, **driver, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}


def has_kp(python: Path) -> bool:
    return any(python.parents[1].glob("lib/python*/site-packages/kp-*.dist-info"))


def steps(python: Path, work: Path, out: Path, kompute: bool) -> Iterator[Step]:
    """The most important first, since time may run out."""
    start = str(python)
    yield Step("doctor", (start, "-m", "dml_vk", "doctor"), 40)
    yield Step("arithmetic", (start, "-c", ARITHMETIC, str(work / "arithmetic.json")), 40)
    processes = str(min(os.cpu_count() or 1, MOST_PROCESSES))
    for runtime in ("vulkan", "kompute") if kompute else ("vulkan",):
        chosen = {"DML_VK_RUNTIME": runtime, "DML_VK_TESTS_TOOLS": "off"}

        def told(kind: str, ending: str = "json", runtime: str = runtime) -> str:
            return str(work / f"{kind}-{runtime}.{ending}")

        wrong = ("--wrong", str(out / f"gpu_wrong_{runtime}.npz"))
        bits = (start, "-m", "tests.stored_bits", "compare", "--json", told("bits"), *wrong)
        yield Step(f"bits, {runtime}", bits, 150, chosen)
        bench = (start, "-m", "dml_vk", "bench", "--gpu", "--json", told("bench"))
        yield Step(f"bench, {runtime}", bench, 90, chosen)
        marks = "not compiler" if kompute else "not compiler and not kompute"
        # Tests that say so are of the plans for a CPU.
        plugins = (
            "-q",
            "-m",
            marks,
            "-k",
            "not CPU",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:benchmark",
        )
        plugins += ("-n", processes, "--dist", "worksteal")
        results = ("-p", "tests.gpu.results", "--results", told("tests", "jsonl"))
        paths = TESTS if runtime == "vulkan" else TESTS_OF_OTHER
        pytest = (start, "-m", "pytest", *plugins, *results, *paths)
        yield Step(f"tests, {runtime}", pytest, 220, chosen)
        if runtime == "vulkan":
            file = str(out / "gpu_benchmark.json")
            quiet = ("-q", "-p", "no:cacheprovider", f"--benchmark-json={file}")
            benchmark = (start, "-m", "pytest", *quiet, "bench/test_beside.py")
            yield Step("pytest-benchmark", benchmark, 120, chosen)
            tiles = ("matmul", "--tiles", "--json", str(out / "gpu_tiles.json"))
            yield Step("tiles", (start, "-m", "dml_vk", "bench", *tiles), 60, chosen)


def _gather(found: report.Report, work: Path) -> None:
    found["arithmetic"] = report.read_json(work / "arithmetic.json")
    for kind, ending, read in (
        ("bits", "json", report.read_json),
        ("bench", "json", report.read_json),
        ("tests", "jsonl", report.read_tests),
    ):
        for path in sorted(work.glob(f"{kind}-*.{ending}")):
            told: Any = read(path)
            if told is not None:
                found[kind][path.stem.partition("-")[2]] = told


def _written(found: report.Report, out: Path) -> int:
    (out / "gpu.json").write_text(json.dumps(found, indent=1) + "\n")
    (out / "gpu.md").write_text(report.as_markdown(found))
    return int(bool(report.failures(found)))


if __name__ == "__main__":
    sys.exit(main())
