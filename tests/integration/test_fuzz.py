"""Whatever goes in anywhere, an answer or an error of ours comes out: `python -m tests.fuzz`."""

from __future__ import annotations

import inspect

import pytest

import dml_vk
from dml_vk import directml, fft, linalg, nn
from dml_vk.tensor.core import Tensor
from tests import tier
from tests.fuzz import answers, rounds, watch
from tests.fuzz.targets import INTERNAL, public, targets
from tests.hanging import HANGING

ROUNDS = 200 if tier.is_all() else 40


def test_random_calls_find_no_failure():
    report = watch.run(seed=6, start=0, rounds=ROUNDS, patience=HANGING)
    assert not report.failures
    assert report.rounds == ROUNDS
    assert report.counts["result"] > ROUNDS // 5
    assert report.counts["DTypeError"] + report.counts["LayoutError"] > ROUNDS // 5


@pytest.mark.product
def test_random_programs_find_no_failure():
    report = watch.run(seed=1, start=0, rounds=20, only="a compiled program", patience=HANGING)
    assert not report.failures
    assert report.counts["result"] > 10


@pytest.mark.product
def test_random_onnx_models_find_no_failure():
    report = watch.run(seed=3, start=0, rounds=20, only="an ONNX model", patience=HANGING)
    assert not report.failures
    assert report.counts["result"] > 2
    assert report.counts["ModelError"] > 2


def test_every_public_name_is_a_target():
    reached = set(targets())
    for name in dml_vk.__all__:
        value = getattr(dml_vk, name)
        if inspect.isfunction(value):
            assert name == "trace" or f"dml_vk.{name}" in reached
        elif inspect.isclass(value) and name not in ("MemoryFormat", "Device"):
            assert issubclass(value, dml_vk.DmlVkError) or name in reached, name
    assert {f"fft.{name}" for name in fft.__all__} <= reached
    assert {f"linalg.{name}" for name in linalg.__all__} <= reached
    assert {f"nn.{name}" for name in nn.__all__} <= reached
    for owner in (Tensor, dml_vk.Layout, dml_vk.random.Generator, directml.Buffer, dml_vk.Device):
        names = {f"{owner.__name__}.{name}" for name in public(owner) if name not in INTERNAL}
        assert names <= reached


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("foreign", "AttributeError out of ours"),
        ("formless", "the message is not in our form: x: it went wrong; got "),
        ("asserts", "AssertionError out of ours"),
        ("writes", "elements in memory are wrong"),
        ("half_written", "elements in memory are wrong"),
        ("add", "NumPy differs"),
    ],
)
def test_the_judge_reports_each_fault(fault, said):
    if fault == "add" and answers.OLD_NUMPY:
        said = ""
    judge, known = rounds.Judge(), rounds.known_targets(f"broken.{fault}")
    found = [judge.round(rounds.draw(7, number, known)).wrong for number in range(8)]
    assert any(said in wrong for wrong in found)
    assert all(said in wrong for wrong in found if wrong)


def test_the_judge_reports_leaks():
    leaks = rounds.Leaks()
    (leaking,) = rounds.known_targets("broken.leaks")
    rounds.Judge().round(rounds.draw(0, 0, [leaking]))
    assert "bytes are in use" in leaks.look()
    assert not leaks.look(), "it is said once"


@pytest.mark.parametrize(
    ("fault", "said", "count"), [("dies", "Aborted", 2), ("hangs", "Timeout", 1)]
)
def test_the_watch_reports_each_fault_and_goes_on(fault, said, count):
    report = watch.run(seed=0, start=5, rounds=count, only=f"broken.{fault}", patience=HANGING)
    assert report.rounds == count, "it goes on with the next"
    assert len(report.failures) == count
    for number, failure in enumerate(report.failures, 5):
        assert failure.startswith(f"--replay 0:{number} --only broken.{fault}\nbroken.{fault}()\n")
        assert said in failure
