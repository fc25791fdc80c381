"""Ctrl-C in the middle of long work: what is held is whole afterwards, what is not is not done."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.hanging import HANGING
from tests.integration.process import ROOT, says

AT = """
import signal
from dml_vk.runtime import rates
# Into how many pieces work is cut: as for so slow a device that small work is several.
rates.Rates.of = lambda self, rate, ns: rates.SLOW_CORE / 8
runtime = dml_vk.device()._runtime
class Runs:
    count = 0
def interrupt_before(number, call):
    '''Ctrl-C comes before so many pieces of work have been submitted.'''
    Runs.count = 0
    def submit(ticket):
        Runs.count += 1
        if Runs.count == number:
            signal.raise_signal(signal.SIGINT)
        return type(runtime).submit(runtime, ticket)
    runtime.submit = submit
    try:
        call()
        return False
    except KeyboardInterrupt:
        Runs.count = 0
        return True
    finally:
        del runtime.submit
def runs_after(call):
    interrupt_before(0, call)
    return Runs.count
"""


def test_after_ctrl_c_work_that_nobody_needs_is_dropped():
    says(
        AT
        + """
x = dml_vk.full((512, 512), 0.5)
dml_vk.synchronize()
look = lambda: dml_vk.full((3,), 2.0).tolist()
dml_vk.sort(x @ x).numpy() # makes the pipelines: of some drivers, submissions as well
look()
usual = runs_after(look)
print(interrupt_before(2, lambda: (x @ x).numpy()), runs_after(look) == usual)
print(interrupt_before(3, lambda: dml_vk.sort(x @ x).numpy()), runs_after(look) == usual)
print(interrupt_before(99, look), bool((x @ x).numpy().min() == 128))
""",
        "True True\nTrue True\nFalse True",
    )


def test_results_that_are_held_are_complete_wherever_ctrl_c_came():
    says(
        AT
        + """
a = np.random.default_rng(1).integers(0, 10**6, 2**18).astype(np.int32)
b = np.full((600, 600), 0.5, np.float32)
from dml_vk.runtime import queue as queue_module
queue_module.MAX_BATCH_NS = 1e12  # nothing runs before somebody looks
came = []
for number in (1, 2, 3, 4, 99):
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    held = dml_vk.sort(x)
    product = y @ y
    x += 1
    came.append(interrupt_before(number, product.numpy))
    assert np.array_equal(x.numpy(), a + 1)
    assert np.array_equal(held.numpy(), np.sort(a))
    assert np.all(product.numpy() == 150)
print(came)
""",
        "[True, True, True, True, False]",
    )


def test_a_signal_from_outside_ends_minutes_of_work():
    code = """
import dml_vk
x = dml_vk.ones((4096, 4096))
dml_vk.synchronize()
print("begun", flush=True)
(x @ x).numpy()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "begun\n"
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=HANGING)
        finally:
            child.kill()
    assert child.returncode == -signal.SIGINT
    assert said.endswith("KeyboardInterrupt\n")
