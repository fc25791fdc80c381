"""What is special of Kompute: its errors, its lifetimes, and its way of waiting."""

from __future__ import annotations

import _thread
import gc
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import dml_vk
from dml_vk.driver import features, probe
from dml_vk.errors import DeviceError, DeviceMemoryError, ShaderError
from dml_vk.runtime import kompute
from dml_vk.runtime.interface import Barrier, Copy, Dispatch, Fill
from dml_vk.runtime.kompute import Kompute
from dml_vk.spirv import glslang
from tests.integration.process import says
from tests.kernel.runtime.steps import STEP, WORDS, WORK, Made

pytestmark = [pytest.mark.compiler, pytest.mark.kompute]

# Each computes src[0] + 1 in the type, as a word.
TYPED = {
    "shaderInt64": ("int64", "uint(int64_t(src[0]) * 4294967296L / 4294967296L + 1L)"),
    "shaderInt16": ("int16", "uint(int16_t(src[0]) + int16_t(1))"),
    "shaderInt8": ("int8", "uint(int8_t(src[0]) + int8_t(1))"),
    "shaderFloat64": ("float64", "uint(float64_t(src[0]) + 1.0LF)"),
    "shaderFloat16": ("float16", "uint(float16_t(src[0]) + 1.0HF)"),
}


def test_a_ticket_submitted_twice_runs_once(runtime, made):
    ticket = runtime.record([made.step()])
    for _ in range(2):
        runtime.submit(ticket)
        runtime.submit(ticket)
        runtime.wait(ticket)
        runtime.wait(ticket)
        assert made.seen.tolist() == [1] * WORDS


def test_several_submissions_are_in_flight_and_run_in_order(runtime, made):
    tickets = [made.start(made.step(factor)) for factor in (1, 2, 3)]
    runtime.wait(tickets[2])
    assert all(runtime.is_done(ticket) for ticket in tickets)
    assert made.seen.tolist() == [10] * WORDS


def test_a_ticket_is_not_done_before_it_is_submitted(runtime, made):
    ticket = runtime.record([made.step()])
    assert not runtime.is_done(ticket)
    runtime.submit(ticket)
    runtime.wait(ticket)
    assert runtime.is_done(ticket)


LONGER = [2**doublings for doublings in range(12)]  # until the work is long on this machine


def test_other_threads_run_while_one_waits(runtime, made, monkeypatch):
    monkeypatch.setattr(kompute, "PATIENCE_NS", 2**63)
    for times in LONGER:
        made.seen[:] = 0
        ticket = made.start(*made.slow(times))
        begun = threading.Event()
        waiting = threading.Thread(
            target=lambda begun=begun, ticket=ticket: (begun.set(), runtime.wait(ticket))
        )
        waiting.start()
        begun.wait()
        still_runs = not runtime.is_done(ticket)
        waiting.join()
        assert runtime.is_done(ticket)
        assert made.seen[0] == WORK * times
        if still_runs:
            break
    assert still_runs


def test_ctrl_c_ends_a_wait_which_can_be_repeated(runtime, made):
    for times in LONGER:
        made.seen[:] = 0
        ticket = made.start(*made.slow(times))
        interrupts = threading.Thread(target=_thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            interrupts.start()
            runtime.wait(ticket)
            interrupts.join()  # if it is late, it comes now
        still_runs = not runtime.is_done(ticket)
        runtime.submit(ticket)
        runtime.wait(ticket)
        assert made.seen[0] == WORK * times
        if still_runs:
            break
    assert still_runs


def test_what_a_submission_uses_lives_until_it_is_done(runtime, spirv):
    made = Made(runtime, spirv)
    seen = made.seen
    slow = made.start(*made.slow(), Copy(made.source, 0, made.target, 0, 8))
    del made
    gc.collect()
    runtime.wait(slow)
    assert seen[:3].tolist() == [1, 1, 0]


def test_dropping_a_running_submission_waits_for_it(made):
    made.start(*made.slow())
    assert made.seen[0] == WORK


def test_a_view_keeps_the_device_alive(spirv):
    made = Made(Kompute(probe.select()), spirv)
    made.run(made.step(), Barrier(), made.step(3))
    seen = made.seen
    del made
    gc.collect()
    assert seen.tolist() == [4] * WORDS


@pytest.mark.parametrize("kind", ["upload", "readback", "unified"])
def test_memory_of_every_kind_is_filled_copied_and_seen(runtime, kind):
    mapped, device = runtime.allocate(32, kind), runtime.allocate(32, "device")
    runtime.view(mapped)[:] = range(8)
    commands = [Fill(device, 0, 32, 7), Barrier(), Copy(mapped, 4, device, 8, 12), Barrier()]
    ticket = runtime.record([*commands, Copy(device, 0, mapped, 0, 32)])
    runtime.submit(ticket)
    runtime.wait(ticket)
    assert runtime.view(mapped).tolist() == [7, 7, 1, 2, 3, 7, 7, 7]


def test_a_size_beyond_4_gib_is_not_cut(runtime):
    if dml_vk.device().info.max_allocation_bytes < 2**32 + 64:
        with pytest.raises(DeviceMemoryError, match="allocate: the driver has no memory left"):
            runtime.allocate(2**32 + 64, "device")
        return
    large, small = runtime.allocate(2**32 + 64, "device"), runtime.allocate(64, "readback")
    fills = [Fill(large, 0, 4, 7), Fill(large, 2**32, 4, 8)]
    copies = [Copy(large, 0, small, 0, 4), Copy(large, 2**32, small, 4, 4)]
    ticket = runtime.record([*fills, Barrier(), *copies])
    runtime.submit(ticket)
    runtime.wait(ticket)
    assert runtime.view(small)[:2].tolist() == [7, 8]


@pytest.mark.parametrize("timed", [False, True])
def test_every_command_but_barriers_has_its_time(runtime, made, timed):
    ticket = runtime.record([made.step(), Barrier(), *made.slow()[:5]], timed)
    runtime.submit(ticket)
    runtime.wait(ticket)
    if timed:
        times = runtime.microseconds(ticket)
        assert len(times) == 4
        assert min(times) >= 0
    else:
        with pytest.raises(DeviceError, match="microseconds: the driver failed; got error="):
            runtime.microseconds(ticket)


def test_a_device_without_timestamps_says_nothing_of_times(made):
    runtime = Kompute(replace(probe.select(), timestamp_period=0.0))
    made = Made(runtime, made.spirv)
    ticket = runtime.record([made.step()], True)
    assert runtime.microseconds(ticket) is None


def test_features_that_are_enabled_can_be_used(runtime, made):
    assert runtime.features <= set(features.NAMES)
    for feature in runtime.features & set(TYPED):
        kind, sum_ = TYPED[feature]
        source = STEP.replace(
            "#version 450",
            f"#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_{kind} : require",
        ).replace("dst[n] = value", f"dst[n] = factor + {sum_}")
        pipeline = runtime.pipeline(glslang.compile(source), (), 1, 2)
        bound = runtime.bind(pipeline, [made.source, made.target])
        made.run(Dispatch(bound, np.uint32(40).tobytes(), (1, 1, 1)))
        assert made.seen[0] == 42, feature


# What goes wrong.


def test_without_memory_there_is_an_error_and_it_goes_on():
    says(
        """
        import resource
        from dml_vk.driver import features, probe
        from dml_vk.errors import DeviceMemoryError
        from dml_vk.runtime.interface import Fill
        from dml_vk.runtime.kompute import Kompute
        runtime = Kompute(probe.select())
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + 2**29
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for kind in ("device", "upload", "readback", "unified"):
            held = []
            try:
                while len(held) < 16:
                    held.append(runtime.allocate(2**26, kind))
            except DeviceMemoryError as error:
                print(kind, 0 < len(held) < 16, error)
        held.clear()
        for _ in range(8):  # what is freed is free: four have no room together
            block = runtime.allocate(2**27, "unified")
            ticket = runtime.record([Fill(block, 0, 2**27, 5)])
            runtime.submit(ticket)
            runtime.wait(ticket)
            assert runtime.view(block)[-1] == 5
            del block, ticket
        """,
        "\n".join(
            f"{kind} True allocate: the driver has no memory left for this; "
            "got error='vk::Device::allocateMemory: ErrorOutOfDeviceMemory'"
            for kind in ("device", "upload", "readback", "unified")
        ),
    )


def test_without_a_driver_there_is_an_error():
    says(
        """
        import kp
        for _ in range(3):
            try:
                kp.Manager(0)
            except RuntimeError as error:
                print(error)
        """,
        "\n".join(["vk::createInstance: ErrorIncompatibleDriver"] * 3),
        VK_DRIVER_FILES="/nonexistent.json",
        VK_ICD_FILENAMES="/nonexistent.json",
    )


def test_a_device_that_is_not_there_is_an_error():
    with pytest.raises(DeviceError, match=r"^device: the driver failed; got error='There is no"):
        Kompute(replace(probe.select(), index=99))


@pytest.mark.parametrize("call", ["submit", "is_done", "wait", "microseconds"])
@pytest.mark.parametrize(
    ("error", "kind", "rule"),
    [
        (RuntimeError, DeviceError, "the driver failed"),
        (MemoryError, DeviceMemoryError, "the driver has no memory left for this"),
    ],
)
def test_what_the_driver_says_of_a_submission_is_told(runtime, call, error, kind, rule):
    def fail(*arguments):
        raise error("vk::Queue::submit: ErrorDeviceLost")

    ticket = SimpleNamespace(submit=fail, is_done=fail, is_running=fail, get_timestamps=fail)
    with pytest.raises(kind) as raised:
        getattr(runtime, call)(ticket)
    assert str(raised.value) == f"{call}: {rule}; got error='vk::Queue::submit: ErrorDeviceLost'"


def test_a_submission_that_cannot_be_recorded_is_an_error(runtime, made):
    dispatch = made.step()
    with pytest.raises(DeviceError, match=r"^record: .*push constants are 8 bytes but expected 4"):
        runtime.record([dispatch._replace(push=bytes(8))])
    pipeline = runtime.pipeline(made.spirv, (), 1, 2)
    with pytest.raises(DeviceError, match=r"^record: .* has no tensors, or is destroyed"):
        runtime.record([dispatch._replace(bound=pipeline)])
    with pytest.raises(DeviceError, match=r"^bind: .*as many tensors as its pipeline"):
        runtime.bind(pipeline, [made.source])
    with pytest.raises(DeviceError, match=r"^bind: .*a range for each tensor"):
        runtime.bind(pipeline, [made.source, made.target], [(0, 4)])
    for ranges in [[(0, 4), (0, 0)], [(0, 4 * WORDS + 4), (0, 4)], [(0, 4), (4 * WORDS, 4)]]:
        with pytest.raises(DeviceError, match=r"^bind: .*range must lie within its tensor"):
            runtime.bind(pipeline, [made.source, made.target], ranges)
    with pytest.raises(ShaderError, match=r"^spirv: a module must be little-endian"):
        runtime.pipeline(b"", (), 1, 2)
    made.run(dispatch)
    assert made.seen.tolist() == [1] * WORDS


def test_what_is_leaked_is_never_destroyed(runtime):
    block = runtime.allocate(4, "device")
    before = sys.getrefcount(block), sys.getrefcount(runtime._manager)
    runtime.leak([block])
    assert (sys.getrefcount(block), sys.getrefcount(runtime._manager)) == (
        before[0] + 1,
        before[1] + 1,
    )


def test_importing_kp_leaves_the_programs_logging_alone():
    says("import logging, kp; print(logging.getLogger().handlers)", "[]")


def test_komputes_own_api_still_works(runtime, spirv):
    manager, kinds = runtime._manager, runtime._kp.TensorTypes
    words = [np.arange(WORDS, dtype=np.uint32), np.ones(WORDS, np.uint32)]
    both = [manager.tensor_t(one, kind) for one, kind in zip(words, (kinds.host, kinds.device))]
    one, factor = np.ones(1, np.uint32), np.full(1, 5, np.uint32)
    algorithm = manager.algorithm(both, spirv, (WORDS, 1, 1), one, factor)
    to_device, to_host = runtime._kp.OpTensorSyncDevice(both), runtime._kp.OpTensorSyncLocal(both)
    for operation in (to_device, runtime._kp.OpAlgoDispatch(algorithm, factor), to_host):
        manager.sequence().record(operation).eval()
    assert both[1].data().tolist() == [*range(5, 5 + WORDS)]


def test_wrong_arguments_of_kp_are_errors(runtime):
    manager = runtime._manager
    for call in (manager.empty, manager.sequence, manager.pipeline, manager.bind):
        with pytest.raises(TypeError):
            call("one")
    with pytest.raises(IndexError):
        manager.sequence(7)
