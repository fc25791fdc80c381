"""`python -m dml_vk run`."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dml_vk.commands.options import add_device, at_least_1, need_numpy
from dml_vk.commands.progress import Progress
from dml_vk.commands.terminal import can_show
from dml_vk.errors import DmlVkError
from dml_vk.observe.text_table import bar, table

if TYPE_CHECKING:
    from dml_vk.onnx.graph import Declared
    from dml_vk.onnx.times import NodeTime

WHAT = "run"
BAR = 24
RUNS = 5
# Of results that onnxruntime computes with other sums: relative, and of the largest element.
RELATIVE, OF_LARGEST = 1e-3, 1e-4


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL.onnx")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        type=_pair,
        metavar="NAME=FILE.npy",
        help="an input from a file; NAME=random, as are those that are not given",
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        type=_size,
        metavar="NAME=N",
        help="a size of random inputs that has a name in the model (default 1)",
    )
    parser.add_argument("--layout", choices=("auto", "nchw", "nhwc"), default="auto")
    parser.add_argument("--runs", type=at_least_1, default=RUNS, help=f"(default {RUNS})")
    parser.add_argument("--profile", action="store_true", help="print the time of each node")
    parser.add_argument(
        "--compare", choices=("onnxruntime",), help="check and time it beside this on the CPU"
    )
    add_device(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run an ONNX model on a device, and print its outputs and times."""
    need_numpy(WHAT)
    from dml_vk.onnx import load
    from dml_vk.runtime.device import device

    if arguments.compare and importlib.util.find_spec(arguments.compare) is None:
        rule = "the package to compare with is not installed"
        raise DmlVkError(WHAT, rule, package=arguments.compare, python=sys.executable)
    with Progress() as progress:
        progress.step("loading the model")
        model = load(arguments.model, device=device(arguments.device), layout=arguments.layout)
        feeds = _feeds(model.inputs, dict(arguments.input), dict(arguments.size))
        progress.say(f"Device: {model.device.info.name}")
        progress.say(*(f"input   {_described(name, value)}" for name, value in feeds.items()))
        progress.step("first run: the driver compiles kernels")
        results: dict[str, object] = {}

        def ours() -> None:
            results.update(model.run(feeds))
            model.device.synchronize()

        first = _ms(ours)
        outputs = {name: _array(value) for name, value in results.items()}
        progress.say(*(_shown(name, value) for name, value in outputs.items()))
        progress.step("running")
        usual = median([_ms(ours) for _ in range(arguments.runs)])
        progress.say(f"first run {first:.1f} ms, then {usual:.2f} ms, median of {arguments.runs}")
        progress.step("measuring its nodes")
        times = model.measure(feeds)[1]
        progress.say(_kernels(times))
        if arguments.profile:
            progress.say("", _profile(times))
        if not arguments.compare:
            return 0
        progress.step("running onnxruntime")
        wrong = _compared(arguments.model, feeds, outputs, usual, arguments.runs, progress.say)
    if wrong:
        print(f"run: these outputs differ from onnxruntime's: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"it must be NAME=VALUE; got {text!r}")
    return name, value


def _size(text: str) -> tuple[str, int]:
    name, size = _pair(text)
    return name, at_least_1(size)


def _feeds(
    inputs: dict[str, Declared], files: dict[str, str], sizes: dict[str, int]
) -> dict[str, object]:
    import numpy as np

    for name in files:
        if name not in inputs:
            rule = "an input must be one of the model's"
            raise DmlVkError(WHAT, rule, inputs=list(inputs), input=name)
    generator = np.random.default_rng(0)
    feeds = {}
    for name, declared in inputs.items():
        file = files.get(name, "random")
        feeds[name] = _random(declared, sizes, generator) if file == "random" else _loaded(file)
    return feeds


def _loaded(file: str) -> object:
    import numpy as np

    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        rule = "an input must be a file of NumPy with numbers"
        raise DmlVkError(WHAT, rule, file=file, reason=str(error)) from None


def _random(declared: Declared, sizes: dict[str, int], generator: Any) -> Any:
    """Numbers of an input's dtype: small ones if they are integers, which may be indexes."""
    if declared.dtype is None or declared.shape is None:
        rule = "an input that is no tensor of a known rank cannot be random"
        raise DmlVkError(WHAT, rule, input=declared.name)
    shape = [size if isinstance(size, int) else sizes.get(size or "", 1) for size in declared.shape]
    kind, name = declared.dtype.kind, declared.dtype.numpy_name
    if kind in "fc":
        return generator.standard_normal(shape).astype(name)
    return generator.integers(0, 2 if kind == "b" else 8, shape).astype(name)


def _array(value: object) -> object:
    from dml_vk.onnx.backend import to_host

    return to_host(value)


def _described(name: str, value: Any) -> str:
    if not hasattr(value, "dtype"):
        return f"{name}: {value!r}"
    return f"{name}: {value.dtype} {tuple(value.shape)}"


def _shown(name: str, value: object) -> str:
    import numpy as np

    numbers = np.array2string(np.asarray(value), threshold=16, edgeitems=2, precision=5)
    return f"output  {_described(name, value)}\n{numbers}"


def _ms(call: Callable[[], None]) -> float:
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1e3


def _kernels(times: list[NodeTime]) -> str:
    count = Counter(kernel for time in times for kernel in time.kernels)
    if not count:
        return "its nodes ran one by one"
    each = ", ".join(f"{times} x {name}" for name, times in count.most_common())
    return f"{count.total()} kernels in one submission: {each}"


def _profile(times: list[NodeTime]) -> str:
    total = sum(time.us for time in times)
    blocks = can_show("█▏")
    rows = [("ms", "%", "", "kernels", "nodes")]
    for time in sorted(times, key=lambda time: -time.us):
        share = time.us / total
        names = Counter(time.kernels)
        kernels = ", ".join(f"{n} x {name}" if n > 1 else name for name, n in names.items())
        cells = f"{time.us / 1e3:.3f}", f"{100 * share:.1f}", bar(share, BAR, blocks)
        rows.append((*cells, kernels, ", ".join(time.nodes)))
    return table(rows, right={0, 1})


def _compared(
    path: Path,
    feeds: dict[str, object],
    outputs: dict[str, object],
    ours: float,
    runs: int,
    say: Callable[..., None],
) -> list[str]:
    """Print how far outputs are from onnxruntime's, and return the names of those that differ."""
    import numpy as np

    onnxruntime = importlib.import_module("onnxruntime")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    expected = dict(zip(outputs, session.run(None, feeds)))
    usual = median([_ms(lambda: session.run(None, feeds)) for _ in range(runs)])
    say("", f"onnxruntime on the CPU {usual:.2f} ms, {usual / ours:.2f} of ours")
    rows, wrong = [("output", "largest difference", "largest element", "")], []
    for name, value in expected.items():
        mine, theirs = (np.asarray(values).astype(complex) for values in (outputs[name], value))
        largest = float(np.max(np.abs(theirs), initial=0.0))
        agrees = mine.shape == theirs.shape and np.allclose(
            mine, theirs, RELATIVE, OF_LARGEST * largest, equal_nan=True
        )
        wrong += [] if agrees else [name]
        apart = float(np.max(np.abs(mine - theirs), initial=0.0)) if agrees else float("nan")
        rows.append((name, f"{apart:.3g}", f"{largest:.3g}", "ok" if agrees else "DIFFERS"))
    say(table(rows, right={1, 2}))
    return wrong
