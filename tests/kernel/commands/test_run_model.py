"""`python -m dml_vk run`: outputs, times of nodes, and the comparison with onnxruntime."""

from __future__ import annotations

import importlib.machinery
import re
import sys
import types

import numpy as np
import onnx
import pytest

from dml_vk.__main__ import main
from dml_vk.onnx import InferenceSession
from tests.kernel.onnx.models import parsed

WHOLE = "f (float[n, 3] x, int64[n] k, bool b) => (float[n, 3] y, int64[n] z, bool c)"
BODY = "{[grow] e = Exp(x) y = Neg(e) z = Add(k, k) c = Not(b)}"


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(parsed(WHOLE + BODY), str(path))
    return str(path)


def beside(monkeypatch, session):
    """Let this be the session of onnxruntime, which the suite has not got."""
    module = types.ModuleType("onnxruntime")
    module.__spec__ = importlib.machinery.ModuleSpec("onnxruntime", None)
    module.InferenceSession = session
    monkeypatch.setitem(sys.modules, "onnxruntime", module)


def test_it_prints_inputs_outputs_and_kernels(model, tmp_path, capsys):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    given = ["--input", f"x={tmp_path / 'x.npy'}", "--input", "k=random", "--size", "n=2"]
    assert main(["run", model, *given, "--runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "input   x: float32 (2, 3)\n" in shown
    assert "input   k: int64 (2,)\n" in shown
    assert "output  y: float32 (2, 3)\n[[  -1.        -2.71828   -7.38906]" in shown
    assert re.search(r"^\d kernels in one submission: ", shown, re.M)
    assert "grow" not in shown


def test_the_profile_has_a_bar_for_each_node(model, capsys):
    assert main(["run", model, "--runs", "1", "--profile", "--layout", "nhwc"]) == 0
    lines = capsys.readouterr().out.splitlines()
    begin = next(k for k, line in enumerate(lines) if line.split()[:2] == ["ms", "%"])
    rows = [line.split() for line in lines[begin + 1 :]]
    assert any("Exp(grow)" in " ".join(row) for row in rows)
    assert sum(float(row[1]) for row in rows) == pytest.approx(100, abs=0.1 * len(rows))
    times = [float(row[0]) for row in rows]
    assert times == sorted(times, reverse=True)


def test_a_model_that_needs_values_is_measured_node_by_node(tmp_path, capsys):
    path = tmp_path / "model.onnx"
    onnx.save(parsed("f (float[4] x) => (int64[1, m] y) {y = NonZero(x)}"), str(path))
    assert main(["run", str(path), "--profile", "--runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "its nodes ran one by one" in shown
    assert "NonZero(y)" in shown


def test_a_sequence_is_printed_with_its_elements(tmp_path, capsys):
    path = tmp_path / "model.onnx"
    text = "f (float[2] x) => (seq(float[2]) y) {e = Mul(x, x) y = SequenceConstruct(x, e)}"
    onnx.save(parsed(text), str(path))
    np.save(tmp_path / "x.npy", np.array([3, -4], np.float32))
    assert main(["run", str(path), "--input", f"x={tmp_path / 'x.npy'}", "--runs", "1"]) == 0
    assert "[[ 3. -4.]\n [ 9. 16.]]" in capsys.readouterr().out


def test_equal_outputs_of_onnxruntime_are_ok(model, capsys, monkeypatch):
    beside(monkeypatch, InferenceSession)
    assert main(["run", model, "--compare", "onnxruntime", "--runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^onnxruntime on the CPU [\d.]+ ms, [\d.]+ of ours$", shown, re.M)
    assert shown.count(" ok\n") == 3


def test_other_outputs_fail(model, capsys, monkeypatch):
    class Wrong(InferenceSession):
        def run(self, *args):
            y, z, c = super().run(*args)
            return [y * 1.01, z, c]

    beside(monkeypatch, Wrong)
    assert main(["run", model, "--compare", "onnxruntime", "--runs", "1"]) == 1
    shown, said = capsys.readouterr()
    assert "DIFFERS" in shown
    assert "these outputs differ from onnxruntime's: y\n" in said


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (["--input", "q=random"], "an input must be one of the model's"),
        (["--input", "x=missing.npy"], "an input must be a file of NumPy with numbers"),
    ],
)
def test_inputs_that_cannot_be_read_are_errors(model, capsys, given, error):
    assert main(["run", model, *given]) == 1
    assert error in capsys.readouterr().err


def test_what_is_no_tensor_cannot_be_random(tmp_path, capsys):
    path = tmp_path / "model.onnx"
    text = "f (seq(float[n]) x) => (int64 y) {y = SequenceLength(x)}"
    onnx.save(parsed(text), str(path))
    assert main(["run", str(path)]) == 1
    assert "cannot be random" in capsys.readouterr().err


def test_onnxruntime_must_be_there(model, capsys, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if "runtime" in name else 1)
    assert main(["run", model, "--compare", "onnxruntime"]) == 1
    assert "the package to compare with is not installed" in capsys.readouterr().err


@pytest.mark.parametrize("given", [["--size", "n"], ["--size", "n=0"], ["--input", "=x"]])
def test_options_that_make_no_sense_are_refused(model, capsys, given):
    with pytest.raises(SystemExit) as ended:
        main(["run", model, *given])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: ")
