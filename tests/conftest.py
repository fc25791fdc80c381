import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests import chance, tier
from tests.hanging import HANGING

pytest.register_assert_rewrite(
    "tests.clients.agree",
    "tests.integration.process",
    "tests.kernel.answers",
    "tests.kernel.memory",
    "tests.layouts",
    "tests.modules",
)

# The same examples in each run, so that a change is judged by what it does; --all draws new ones.
settings.register_profile(
    "all",
    deadline=None,
    print_blob=True,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],  # which goes by the clock
)
some = tier.examples(200, parent=settings.get_profile("all"), derandomize=True)
settings.register_profile("some", some)


def pytest_configure(config):
    settings.load_profile("all" if tier.is_all() else "some")


# Dask gives up a worker that died, and what starts it again, after 15 seconds: a busy machine may
# not have started a process by then.
os.environ["DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT"] = f"{HANGING:.0f}s"

# A shell that runs the suite in the background keeps Ctrl-C from it and from all that it starts,
# which some tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    chance.begin(item.nodeid)


@pytest.fixture(scope="module")
def makes_kernels():
    """Nothing is taken from what the run has on disk: tests that look at how kernels are made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DML_VK_CACHE", "off")
        yield
