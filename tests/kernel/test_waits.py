"""Which public functions wait for the device, how often, and how often they submit work to it.

docs/devices.md lists them, with the reasons: all others return while their work is pending.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests.each import each
from tests.fuzz.targets import targets
from tests.kernel.compiler.right_arguments import CALLS as RIGHT
from tests.kernel.compiler.right_arguments import LEFT_OUT, Given
from tests.kernel.compiler.test_public_names import drawn, right
from tests.kernel.nn import test_every_function as networks
from tests.kernel.waiting_calls import CALLS
from tests.kernel.waits import Counts, WaitedError, counting, nothing_waits, pending

DOCS = Path(__file__).parents[2] / "docs/devices.md"
SPACES = ("dml_vk", "linalg", "fft", "nn", "Tensor", "Generator", "operator")
# Whose tables are computed on the device, once, and not again after a test that dropped that.
KEEPS_RESULTS = "fft"


def listed():
    """The table of the docs: the counts of each function, by its name as there."""
    rows = re.findall(r"^\| (`.*`) \| (\d+) \| (\d+) \| .+ \|$", DOCS.read_text(), re.MULTILINE)
    known = {}
    for names, waits, submissions in rows:
        for name in re.findall(r"`([^`]*)`", names):
            assert name not in known
            known[name] = Counts(int(waits), int(submissions))
    return known


def as_in_docs(name):
    return name.removeprefix("dml_vk.")


def names():
    """All public functions that do work on tensors, and all calls of special forms."""
    left_out = {name for names in LEFT_OUT.values() for name in names} | {"Generator"}
    public = [name for name in targets() if name.partition(".")[0] in SPACES]
    return sorted({*public, *CALLS, *(f"nn.{name}" for name in networks.CALLS)} - left_out)


def made(name):
    """A call of right arguments, and its operands, or None if it takes no tensors."""
    if name in CALLS or name in RIGHT:
        given = Given(0)
        call = CALLS.get(name) or RIGHT[name]
        return lambda: call(given), vars(given).values()
    if name.startswith("nn."):
        function = name.partition(".")[2]
        arguments = networks.CALLS[function](networks.images(2, 4, 5, 6))
        tensors = [x for x in arguments.values() if isinstance(x, dml_vk.Tensor)]
        return lambda: getattr(nn, function)(**arguments), tensors
    try:
        number = right(name)
    except AssertionError:
        return None
    call = drawn(name, number)
    return call.make, [x.base.tensor for x in call.draws.drawn]


@pytest.fixture
def known(tmp_path, monkeypatch, seen):
    """What the docs list; within a test, all is done on a device whose memory the host sees."""
    monkeypatch.chdir(tmp_path)  # some calls write files
    np.save("right.npy", np.arange(8, dtype=np.float32))
    with seen:
        yield listed()


@pytest.mark.filterwarnings("ignore")  # NumPy's own, of what is drawn
def test_functions_that_are_not_listed_do_not_wait(known):
    waited = set()
    for name in names():
        if as_in_docs(name) in known or name.startswith(KEEPS_RESULTS):
            continue
        with nothing_waits() as make:
            try:
                call, tensors = made(name) or (lambda: None, [])
                with pending(tensors):
                    make(call)
            except WaitedError:
                waited.add(name)
    assert waited == set()


@pytest.mark.filterwarnings("ignore")
def test_functions_that_are_listed_wait_and_submit_so_often(known):
    found = {}
    for name in names():
        if as_in_docs(name) in known or name.startswith(KEEPS_RESULTS):
            found[as_in_docs(name)] = counted(name)
    assert {name: of for name, of in found.items() if of.waits or name in known} == known


def counted(name):
    for _ in range(2):  # The first call may compute what is kept.
        call, tensors = made(name) or (lambda: None, [])
        with counting() as counts, pending(tensors):
            found = counts(call)
    return found


FEW = [
    *("float(x)", "dml_vk.nonzero", "x[mask]", "x[index]", "dml_vk.unique", "x[index] = v"),
    *("dml_vk.histogram", "dml_vk.trim_zeros", "dml_vk.repeat", "x[list]"),
]


@each("name", FEW)
def test_staging_takes_no_other_waits_and_submissions(name, staged):
    """What the host reads is copied to its memory in the submission that computes it."""
    with staged:
        assert counted(name) == listed().get(as_in_docs(name), Counts(0, 0))


def test_uploads_do_not_wait_for_what_had_their_memory_before(known):
    x = dml_vk.zeros(4)

    def sums():
        for k in range(20):  # fewer than are set aside at most
            x + np.full(4, k, np.float32)

    with counting() as counts, pending([]):
        assert counts(sums) == Counts(0, 0)
