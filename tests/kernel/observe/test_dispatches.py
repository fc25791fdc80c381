"""The log: what ran, for which operation on which line, which way, how long; and how far it is."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest

import dml_vk
from dml_vk.directml import Buffer, BufferTensorDesc, DataType, ElementWiseIdentity
from dml_vk.errors import DeviceError
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import channels_last
from dml_vk.observe import dispatches as log_of_dispatches
from tests.integration.process import run, says
from tests.kernel.observe.test_copies import here
from tests.kernel.runtime.test_device import open_anew

MODULES = {module for kernel in KERNELS.values() for module in kernel.modules}
ARRAY = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)


@pytest.fixture
def x():
    found = dml_vk.asarray(ARRAY)
    dml_vk.synchronize()
    return found


@pytest.fixture
def listen(caplog):
    """From the next batch on."""
    caplog.set_level(logging.DEBUG, log_of_dispatches.logger.name)
    dml_vk.synchronize()
    return caplog


def dispatches(caplog):
    dml_vk.synchronize()
    return [record.dispatch for record in caplog.records if hasattr(record, "dispatch")]


def test_nothing_is_logged_unless_enabled(x, caplog):
    caplog.set_level(logging.DEBUG)  # the root's
    dml_vk.synchronize()
    (x + x).numpy()
    assert [record for record in caplog.records if record.name == "dml_vk"] == []


def test_each_dispatch_is_logged(x, listen):
    line = here()
    y = x + x
    z = (x * 2.0, y.to(channels_last))
    first, second, third = dispatches(listen)
    for told in (first, second, third):
        assert told.asked.kernel in MODULES
        assert told.asked.caller.file == __file__
        assert 0 < told.asked.groups <= told.asked.units
        assert told.microseconds > 0
        assert told.clock == "device"
        assert told.estimate > 0
    assert [told.asked.caller.op for told in (first, second, third)] == [
        "add",
        "multiply",
        "Tensor.to",
    ]
    assert [told.asked.caller.line for told in (first, second, third)] == [
        line + 1,
        line + 2,
        line + 2,
    ]
    assert [told.level for told in (first, second, third)] == [0, 0, 1]
    assert (first.asked.sizes, third.asked.sizes) == ((120,), (2, 5))
    assert (first.asked.path, first.asked.units) == ("words by quads", 8)
    assert [y.numpy().tolist(), z[1].numpy().tolist()] == [(ARRAY + ARRAY).tolist()] * 2
    said = next(record.message for record in listen.records if hasattr(record, "dispatch"))
    assert re.fullmatch(
        rf"add \({re.escape(__file__)}:{line + 1}\): path='words by quads' "
        r"kernel=float_arithmetic_words_32 sizes=120 units=8 groups=\d+ level=0 us=[\d.]+ "
        "clock=device",
        said,
    )


def test_a_flush_logs_its_caller_and_the_work(x, listen):
    y = (x + x) * x
    listen.clear()
    line = here()
    y.numpy()
    said = listen.records[-1].message
    place = re.escape(f"Tensor.numpy ({__file__}:{line + 1})")
    assert re.fullmatch(
        place + r": flush of dispatches=2 levels=2 submissions=[12] us=[\d.]+", said
    )
    listen.clear()
    dml_vk.synchronize()
    assert listen.records == [], "with nothing to do, nothing is said"


CALLS = {
    "add": lambda x: x + 1.0,
    "subtract": lambda x: 1.0 - x,
    "multiply": lambda x: dml_vk.multiply(x, x),
    "relu": dml_vk.relu,
    "elu": lambda x: dml_vk.elu(x, alpha=2.0),
    "sum": dml_vk.sum,
    "matmul": lambda x: x @ x.mT,
    "Tensor.sum": lambda x: x.sum(),
    "Tensor.__neg__": lambda x: -x,
    "Tensor.__setitem__": lambda x: x.__setitem__(0, 1.0),
    "numpy.add": lambda x: np.add(x, x),
    "numpy.sort": np.sort,
    "full": lambda x: dml_vk.full((3, 4), 7.0),
    "Generator.normal": lambda x: dml_vk.random.Generator(1).normal((3, 4)),
}


@pytest.mark.parametrize("name", CALLS)
def test_operations_are_named_as_they_were_called(x, listen, name):
    CALLS[name](x)
    assert {told.asked.caller.op for told in dispatches(listen)} == {name}


def test_operators_of_directml_and_kernels_of_ones_own_have_names_too(x, listen):
    desc = BufferTensorDesc(DataType.FLOAT32, (4,))
    ElementWiseIdentity(desc, desc)(Buffer(16), Buffer(16))
    clear = dml_vk.kernel("""
        #version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer X { float x[]; };
        layout(push_constant) uniform Push { uint x_base; };
        void main() { x[x_base] = 0.0; }
    """)
    clear(x, groups=(3, 2))
    first, second = dispatches(listen)
    assert first.asked.caller.op == "ElementWiseIdentity"
    assert second.asked[0].op == type(clear).__name__
    assert second.asked[1:] == ("own", "own", (), 6, 6)
    assert x.numpy().ravel()[0] == 0


@pytest.mark.parametrize(
    ("call", "sizes", "path"),
    [
        (lambda x: dml_vk.sum(x, axis=3), (24, 5), "along by words"),
        (lambda x: dml_vk.sum(x, axis=0), (15, 2), "across by quads"),
        (lambda x: dml_vk.cumulative_sum(x, axis=3), (24, 5), "row"),
        (lambda x: dml_vk.reshape(x, (12, 10)) @ dml_vk.reshape(x, (10, 12)), (12, 12, 10), "tile"),
    ],
)
def test_logged_sizes_include_the_loops_of_a_work_item(x, listen, call, sizes, path):
    call(x)
    (told,) = dispatches(listen)
    assert (told.asked.sizes, told.asked.path) == (sizes, path)


def test_a_device_without_a_clock_is_timed_from_the_host(x, listen, monkeypatch):
    monkeypatch.setattr(x.device._runtime, "microseconds", lambda ticket: None)
    for pipelines in (x + x, x * x):  # each would begin a submission of its own
        pipelines.numpy()
    listen.clear()
    y, z = x + x, x * x
    first, second = dispatches(listen)
    assert {first.clock, second.clock} == {"host"}
    shares = first.microseconds / second.microseconds, first.estimate / second.estimate
    assert shares[0] == pytest.approx(shares[1])
    assert first.microseconds > 0
    assert [y.numpy()[0, 0, 0, 1], z.numpy()[0, 0, 0, 2]] == [4, 9]


def test_creating_a_pipeline_is_logged(listen, monkeypatch):
    queue = dml_vk.device().queue
    for where, name in ((queue.pipelines, "_cached"), (queue.encoder, "_known")):
        monkeypatch.setattr(where, name, {})  # whatever ran before in this process
    monkeypatch.setattr(queue.encoder, "_same", {})
    monkeypatch.setattr(log_of_dispatches, "LONG_SECONDS", float("inf"))
    (dml_vk.full((3,), 2, "int16") << dml_vk.full((3,), 1, "int16")).numpy()
    made = [record for record in listen.records if " made " in record.message]
    assert made[-1].levelno == logging.DEBUG
    assert "bitwise_left_shift" in made[-1].message
    form = r"kernel=int_arithmetic_packed_16 spec=\d+(,\d+)+ made us="
    assert re.search(form, made[-1].message)
    (dml_vk.full((3,), 2, "int16") << 1).numpy()
    others = [record for record in listen.records if " made " in record.message][len(made) :]
    parts = [re.search(form, record.message)[0] for record in (made[-1], *others[-1:])]
    assert len({*parts}) == 2, "nothing says in what they differ"
    monkeypatch.setattr(log_of_dispatches, "LONG_SECONDS", 2.0)
    listen.clear()
    listen.set_level(logging.INFO, log_of_dispatches.logger.name)
    log_of_dispatches.kernel_built("quick", (1, 2), 0.5)
    log_of_dispatches.kernel_built("slow", (1, 2), 2.5)
    (slow,) = listen.records
    assert slow.levelno == logging.INFO
    assert slow.message.endswith(": kernel=slow spec=1,2 made us=2500000.0")


@pytest.fixture
def restored_logger():
    logger = log_of_dispatches.logger
    level, handlers, propagate = logger.level, logger.handlers[:], logger.propagate
    yield logger
    logger.setLevel(level)
    logger.handlers[:], logger.propagate = handlers, propagate


@pytest.mark.parametrize("value", ["info", "debug"])
def test_the_environment_turns_it_on(restored_logger, monkeypatch, value):
    monkeypatch.setenv("DML_VK_LOG", value)
    log_of_dispatches.set_up()
    log_of_dispatches.set_up()  # by another device
    assert logging.getLevelName(restored_logger.level) == value.upper()
    assert restored_logger.handlers.count(log_of_dispatches._stderr) == 1


@pytest.mark.parametrize("wrong", ["DEBUG", "1", "warning"])
def test_another_word_in_the_environment_is_an_error(monkeypatch, wrong):
    must = (
        f"DML_VK_LOG must be 'info', 'debug', 'summary', 'off' or unset; got DML_VK_LOG='{wrong}'"
    )
    with pytest.raises(DeviceError, match=must):
        open_anew(monkeypatch, DML_VK_LOG=wrong)


def test_the_log_goes_to_stderr_line_by_line():
    done = run("x, y = use()", DML_VK_LOG="debug")
    assert (done.returncode, done.stdout) == (0, "")
    made, copied, flushed = done.stderr.splitlines()
    assert made.startswith("dml_vk: copy (<string>:7): kernel=copy_")
    assert copied.startswith("dml_vk: copy (<string>:7): path=")
    assert flushed.startswith("dml_vk: Tensor.numpy (<string>:8): flush of dispatches=1 ")


def test_importing_kp_does_not_set_up_logging():
    """Importing kp does so, for the whole program."""
    says(
        """
        import logging
        use()
        print(logging.getLogger().handlers)
        logging.basicConfig(format="%(message)s", level=logging.DEBUG)
        use()
        """,
        "[]",
    )


def test_a_program_may_turn_it_on_before_there_is_a_device():
    says(
        """
        import logging, sys
        logging.basicConfig(format="%(name)s: %(message).8s", stream=sys.stdout)
        logging.getLogger("dml_vk").setLevel(logging.DEBUG)
        dml_vk.full((3,), 1.0).numpy()
        """,
        "dml_vk: full (<s\ndml_vk: Tensor.n",
    )
