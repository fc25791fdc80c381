"""Large copies go by the device's copy engine, in order with all else on both sides."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.errors import DeviceError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.limits import MINIMUM
from dml_vk.observe import dispatches
from dml_vk.runtime import engine_copies, pinned, transfer
from dml_vk.runtime.hazards import Access
from tests import tier
from tests.interrupts import interrupted
from tests.unit.runtime.engines import Card, TwoQueues

pytestmark = pytest.mark.usefixtures("no_modules", "_small")

N = 64  # bytes of a range
EARLY = ["work", "copies"]


@pytest.fixture(scope="module")
def _small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "CHUNK_BYTES", 24)
        patch.setattr(transfer, "SEND_BYTES", 8)
        yield


@pytest.fixture(params=EARLY)
def card(request):
    return Card(TwoQueues(request.param))


def bytes_of(*values):
    return np.resize(np.array(values, np.uint8), N)


def work(card, source, target, nbytes=N, start=0, to=0):
    """A kernel's part: bytes of one range are written to another by the queue of all else."""
    accesses = [
        Access.of(source, start, start, start + nbytes, False),
        Access.of(target, to, to, to + nbytes, True),
    ]
    card.launch(plan_copy((nbytes,), (1,), (1,), 1, 0, 0, MINIMUM), accesses)


def read(card, memory, start=0, nbytes=N):
    data = np.empty(nbytes, np.uint8)
    card.download(memory, start, data)
    return data.tolist()


def lines(card):
    return [ticket.line for ticket in card.queue._runtime.ran]


def test_what_goes_up_is_there_for_kernels_and_what_they_write_comes_down(card):
    x, y = (card.allocate("test", N) for _ in "xy")
    card.upload(bytes_of(1, 2, 3), x)
    work(card, x, y)
    assert read(card, y) == bytes_of(1, 2, 3).tolist()
    assert lines(card) == ["copies"] * 3 + ["work"] + ["copies"] * 3
    assert card.queue.is_idle


def test_memory_that_nothing_uses_is_filled_beside_kernels():
    card = Card(TwoQueues("copies"))
    x, y, z = (card.allocate("test", N) for _ in "xyz")
    card.upload(bytes_of(1), x)
    work(card, x, y)
    with card.queue.enter():
        card.queue.send()
    card.upload(bytes_of(2), z)
    assert card.queue._runtime.lines["work"].ran == 0
    assert read(card, z) == bytes_of(2).tolist()
    assert card.queue._runtime.lines["work"].ran == 0, "no kernel was waited for"
    assert card.queue._runtime.links == []


def test_kernels_do_not_wait_for_other_memory():
    card = Card(TwoQueues("work"))
    x, y, z = (card.allocate("test", N) for _ in "xyz")
    card.upload(bytes_of(1), x)
    card.queue.flush()
    card.upload(bytes_of(2)[:24], z)
    work(card, x, y)
    with card.queue.enter():
        card.queue.send()
    assert card.queue._runtime.links == []
    assert card.queue._runtime.lines["work"].ran == 1
    assert not card.queue.is_idle
    card.queue.flush()
    assert card.queue.is_idle


def test_one_link_is_enough_for_what_was_submitted_before(card):
    x, y = (card.allocate("test", N) for _ in "xy")
    work(card, x, y)
    read(card, y)
    assert card.queue._runtime.links.count("copies") <= 1, "three pieces, one of which waits"
    card.upload(bytes_of(3), y)
    for to in (0, 32):
        work(card, y, x, 32, to, to)
        with card.queue.enter():
            card.queue.send()
    assert card.queue._runtime.links.count("work") <= 1
    assert read(card, x) == bytes_of(3).tolist()


def test_each_kernel_waits_for_the_copy_before_it(card):
    x, y, z = (card.allocate("test", N) for _ in "xyz")
    for target, value in ((y, 1), (z, 2)):
        card.upload(bytes_of(value)[:24], x)
        work(card, x, target, 24)
        with card.queue.enter():
            card.queue.send()
    assert read(card, y, 0, 24) == [1] * 24
    assert read(card, z, 0, 24) == [2] * 24


@pytest.mark.parametrize("nbytes", [1, 7])
def test_few_bytes_go_with_all_else(card, nbytes):
    x = card.allocate("test", N)
    card.upload(bytes_of(1, 2)[:nbytes], x)
    assert read(card, x, 0, nbytes) == bytes_of(1, 2)[:nbytes].tolist()
    assert set(lines(card)) == {"work"}


def test_staging_memory_is_used_again_only_when_it_was_copied(card):
    x = card.allocate("test", 10 * N)
    data = np.arange(10 * N).astype(np.uint8)
    card.upload(data, x)
    assert card.uploads.in_use <= 3 * 256
    assert read(card, x, 0, 10 * N) == data.tolist()


def test_without_an_engine_all_goes_one_way():
    runtime = TwoQueues("work")
    runtime.copy_engine = None
    card = Card(runtime)
    x = card.allocate("test", N)
    card.upload(bytes_of(5, 6), x)
    assert read(card, x) == bytes_of(5, 6).tolist()
    assert set(lines(card)) == {"work"}


def test_copies_that_are_logged_wait_for_those_of_the_engine(monkeypatch):
    card = Card(TwoQueues("work"))
    x = card.allocate("test", N)
    card.upload(bytes_of(1)[:24], x)
    card.queue.flush()
    card.upload(bytes_of(2)[:24], x)
    monkeypatch.setattr(dispatches, "explains", lambda: True)
    with card.queue.enter():
        card.queue.send()
    assert not card.queue.copies_apart
    host = pinned.pinned_array("test", card, (24,), np.dtype(np.uint8))
    pinned.pinned_for(card, host).receive(x, 0, host)
    assert host.tolist() == [2] * 24


RANGE = st.tuples(st.integers(0, 2), st.integers(0, N - 1), st.integers(1, N))
STEP = st.tuples(
    st.sampled_from(["upload", "work", "download", "send", "pinned", "renew"]), RANGE, RANGE
)


@tier.examples(300)
@given(st.sampled_from(EARLY), st.lists(STEP, min_size=1, max_size=20))
def test_any_order_of_transfers_and_kernels_gives_the_same_bytes(early, steps):
    """Ranges overlap, and memory that is freed is used again; NumPy does it one by one."""
    card = Card(TwoQueues(early))
    memory = [card.allocate("test", N) for _ in range(3)]
    expected = [np.zeros(N, np.uint8) for _ in range(3)]
    for k, memories in enumerate(memory):
        card.upload(expected[k], memories)
    numbers = itertools.count(1)
    for what, (a, start, size), (b, to, _) in steps:
        size = min(size, N - start, N - to)
        data = np.full(size, next(numbers), np.uint8)
        if what == "upload":
            card.upload(data, memory[a], start)
            expected[a][start : start + size] = data
        elif what == "pinned":
            host = pinned.pinned_array("test", card, (N,), np.dtype(np.uint8))
            host[:] = data[0]
            pinned.pinned_for(card, host).send(host, memory[a])
            expected[a][:] = host
        elif what == "renew":
            memory[a] = None
            memory[a] = card.allocate("test", N)
            card.upload(expected[a], memory[a])
        elif what == "work" and a != b:
            work(card, memory[a], memory[b], size, start, to)
            expected[b][to : to + size] = expected[a][start : start + size]
        elif what == "download":
            assert read(card, memory[a], start, size) == expected[a][start : start + size].tolist()
        elif what == "send":
            with card.queue.enter():
                card.queue.send()
    for memories, values in zip(memory, expected):
        host = pinned.pinned_array("test", card, (N,), np.dtype(np.uint8))
        pinned.pinned_for(card, host).receive(memories, 0, host)
        assert host.tolist() == values.tolist()


def transfers(card, x, y):
    card.upload(bytes_of(1, 2, 3)[:24], x)
    work(card, x, y)
    read(card, y, 0, 24)


def goes_on(card, x, y):
    """What is written later is there, and nothing that was begun before comes over it."""
    card.upload(bytes_of(4, 5), x)
    work(card, x, y)
    assert read(card, y) == bytes_of(4, 5).tolist()
    card.queue.flush()
    assert card.queue.is_idle


def test_ctrl_c_at_any_time_leaves_all_in_order(card):
    for at in itertools.count():
        x, y = (card.allocate("test", N) for _ in "xy")
        came = interrupted(at, engine_copies.__file__, transfers, card, x, y)
        goes_on(card, x, y)
        if not came:
            break
    assert at > 200


@pytest.mark.parametrize("call", ["submit", "wait", "link", "record"])
@pytest.mark.parametrize("is_after", [False, True])
def test_ctrl_c_around_each_call_of_the_runtime(card, monkeypatch, call, is_after):
    runtime = card.queue._runtime
    where = runtime.copy_engine if call == "record" else runtime
    plain, x, y = getattr(where, call), *(card.allocate("test", N) for _ in "xy")
    for at in itertools.count():
        left = itertools.count(at, -1)

        def interrupt(*arguments, left=left):
            result = plain(*arguments) if is_after else None
            if next(left) == 0:
                raise KeyboardInterrupt
            return result if is_after else plain(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(where, call, interrupt)
            try:
                transfers(card, x, y)
            except KeyboardInterrupt:
                pass
            else:
                break
        goes_on(card, x, y)
    assert at > 0


def test_a_copy_that_is_not_submitted_is_not_waited_for(card):
    x = card.allocate("test", N)
    card.queue._runtime.before_run = [DeviceError("device", "no")]
    with pytest.raises(DeviceError, match="no"):
        card.upload(bytes_of(1), x)
    card.queue.flush()
    card.upload(bytes_of(2), x)
    assert read(card, x) == bytes_of(2).tolist()


def test_a_lost_device_is_an_error_wherever_it_is_seen(card):
    x = card.allocate("test", N)
    runtime = card.queue._runtime

    def lost(ticket):
        raise DeviceError("device", "lost")

    card.upload(bytes_of(1)[:24], x)
    runtime.wait = lost
    runtime.is_done = lambda ticket: False
    for use in (lambda: read(card, x), card.queue.flush, lambda: card.upload(bytes_of(2), x)):
        with pytest.raises(DeviceError, match="lost"):
            use()


def test_a_forked_child_is_told_what_to_leave_alone(card):
    x = card.allocate("test", N)
    card.queue._runtime.is_done = lambda ticket: False
    card.upload(bytes_of(1)[:24], x)
    assert card.queue._runtime.ran[-1] in card.queue.runtime_objects()


def test_an_arena_that_goes_is_forgotten(card):
    x = card.allocate("test", N)
    card.queue._runtime.is_done = lambda ticket: False
    card.upload(bytes_of(1)[:24], x)
    assert x.arena in card.queue._copies._hazards
    with card.queue.enter():
        card.queue.forget(x.arena)
    assert x.arena not in card.queue._copies._hazards


def test_what_is_logged_follows_the_copies_that_began_before():
    card = Card(TwoQueues("work"))
    x = card.allocate("test", N)
    for access in ("read", "write"):
        card.upload(bytes_of(1)[:24], x)
        host = pinned.pinned_array("test", card, (N,), np.dtype(np.uint8))
        host[:] = 2
        card.queue._is_logged = True
        if access == "read":
            pinned.pinned_for(card, host).receive(x, 0, host)
            assert host[:24].tolist() == [1] * 24
        else:
            pinned.pinned_for(card, host).send(host, x)
            assert read(card, x) == [2] * N
        card.queue.flush()
        card.queue._is_logged = False
