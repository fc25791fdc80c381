"""Fork, exit, threads, signals: the process lives, and ends as it should."""

from __future__ import annotations

import pytest

from tests.integration.process import run, says

FORK = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
def fork(child):
    sys.stdout.flush()  # or the child writes what it holds as well
    pid = os.fork()
    if not pid:
        child()
        sys.exit(7)  # A normal exit, with destructors.
    print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_forked_child_gets_an_error_and_exits_normally():
    says(
        FORK
        + """
x, y = use()
z = dml_vk.empty((3,))
dml_vk.copy(x.over(dml_vk.Layout((3,))), z)  # pending in the parent
def child():
    for call in (x.numpy, use, dml_vk.synchronize, lambda: dml_vk.empty(5), dml_vk.memory_stats):
        try:
            call()
            os._exit(1)
        except dml_vk.DeviceError as error:
            assert "spawn" in str(error), error
    print(len(dml_vk.devices()) > 0, flush=True)
fork(child)
print(z.tolist())
use()
""",
        "True\nstatus 7\n[1.0, 2.0, 3.0]",
    )


def test_a_child_forked_beside_a_working_thread_gets_the_error():
    """The lock is held by a thread that the child does not have."""
    says(
        FORK
        + """
import threading
x, y = dml_vk.full((2**24,), 1.0), dml_vk.empty((2**24,))
dml_vk.copy(x, y)
dml_vk.synchronize()
stop = threading.Event()
def work():
    while not stop.is_set():
        dml_vk.copy(x, y)
        dml_vk.synchronize()
thread = threading.Thread(target=work)
thread.start()
def child():
    for call in (lambda: dml_vk.copy(x, y), lambda: dml_vk.full(3, 1), dml_vk.synchronize):
        try:
            call()
            os._exit(1)
        except dml_vk.DeviceError:
            pass
for _ in range(5):
    fork(child)
stop.set()
thread.join()
use()
""",
        "\n".join(["status 7"] * 5),
    )


def test_a_child_forked_before_the_first_use_may_use_the_device():
    says(FORK + "fork(use)\nuse()\nprint(dml_vk.device().index)", "status 7\n0")


def test_a_child_that_never_uses_the_device_exits_normally():
    says(FORK + "x = use()\nfork(lambda: None)", "status 7")


def test_spawn_works():
    says(
        """
        import multiprocessing
        from tests.integration import spawned
        x = use()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.apply(spawned.work))
        """,
        "[[1, 3], [2, 4]]",
    )


@pytest.mark.parametrize(
    "alive",
    [
        "x = use()",
        "x = use(); d = dml_vk.device(); del dml_vk, np",
        "x = dml_vk.full((2**22,), 1.0)  # pending",
        "import sys; sys.modules['keep'] = use()",
        "x = [use()]; x.append(x); del x",
        "import atexit; x = use(); atexit.register(lambda: x[0].numpy())",
        "import atexit; x = use(); atexit.register(use)",
        "class K:\\n    x = use()\\n    def __del__(self): self.x[0].numpy()\\nk = K()",
        "x = use(); raise SystemExit(0)",
        "import threading\\nwork = lambda: [use() for _ in range(300)]\\n"
        "threading.Thread(target=work, daemon=True).start(); use()",
        "import weakref; x = use(); w = weakref.finalize(x[0], print, end='')",
        "x = use(); import os; os._exit(0)",
    ],
)
def test_exit_is_clean_with_anything_alive(alive):
    says(alive.encode().decode("unicode_escape"), "")


def test_an_exception_ends_the_process_as_usual():
    done = run("x = use(); raise ValueError('mine')")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("ValueError: mine")


def test_twenty_threads_share_a_device():
    says(
        """
        import threading
        failures, done = [], []
        def work(k):
            try:
                for n in range(20):
                    a = np.full((5, 7), 100 * k + n, np.int32)
                    x = dml_vk.asarray(a)
                    y = dml_vk.empty((7, 5), np.int32)
                    dml_vk.copy(x.over(x.layout.permute(1, 0)), y)
                    if n % 3:
                        assert np.array_equal(y.numpy(), a.T), (k, n)
                done.append(k)
            except BaseException as error:
                failures.append(repr(error))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(20)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(len(done), failures)
        """,
        "20 []",
    )


def test_a_signal_handler_that_uses_the_device_loses_and_repeats_nothing():
    """Each call moves a counter on by four; a handler comes in once at any time of each.

    Not at intervals: where a handler takes longer than that, nothing else would ever go on.
    """
    says(
        """
        import random, signal
        from time import perf_counter
        from dml_vk.directml import Buffer, BufferTensorDesc, DataType, RandomGenerator
        words = BufferTensorDesc(DataType.UINT32, (1, 1, 1, 6))
        draw = RandomGenerator(words, BufferTensorDesc(DataType.UINT32, (16,)), words)
        state, out = Buffer(24), Buffer(64)
        state.write(bytes(24))
        draw(state, out, state)
        came = {"refused": 0, "let in": 0}
        def handler(*_):
            try:
                dml_vk.empty(10)
                dml_vk.synchronize()
                came["let in"] += 1
            except dml_vk.DeviceError:
                came["refused"] += 1
        signal.signal(signal.SIGALRM, handler)
        usual, calls = 1e-4, 1
        while calls < 2000 or not all(came.values()):
            began = perf_counter()
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 2 * usual))
            draw(state, out, state)
            usual = 0.9 * usual + 0.1 * (perf_counter() - began)
            calls += 1
            if calls % 7 == 0:
                dml_vk.synchronize()
        signal.setitimer(signal.ITIMER_REAL, 0)
        counter, *others = state.read("uint32").tolist()
        print(counter == 4 * calls or (counter, calls), any(others))
        """,
        "True False",
    )


def test_ctrl_c_acts_soon_and_loses_nothing():
    """The copies are seconds of work; they stop a tenth of a second into it, and then go on."""
    says(
        """
        import signal
        x, y = dml_vk.full((2**26,), 3.0), dml_vk.empty((2**26,))
        dml_vk.synchronize()
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        copies = 0
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            while copies < 1000:
                dml_vk.copy(x, y)
                copies += 1
            dml_vk.synchronize()
        except KeyboardInterrupt:
            print("interrupted")
        print(copies < 200 or copies)
        print(y.over(dml_vk.Layout((1,), offset=2**26 - 1)).tolist())
        use()
        """,
        "interrupted\nTrue\n[3.0]",
    )
