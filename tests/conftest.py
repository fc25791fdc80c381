import functools
import signal
import sys

import pytest
from hypothesis import settings

from tests import chance
from tests.unmeasured import is_unmeasured

pytest.register_assert_rewrite(
    "tests.clients.agree",
    "tests.integration.process",
    "tests.kernel.answers",
    "tests.kernel.memory",
    "tests.layouts",
    "tests.modules",
)

settings.register_profile("default", deadline=None, print_blob=True, max_examples=200)
settings.load_profile("default")
# A run that promises coverage must not depend on the examples that it happens to draw.
settings.register_profile("measured", settings.get_profile("default"), derandomize=True)


def pytest_configure(config):
    if config.getoption("cov_source", None):
        settings.load_profile("measured")


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


def pytest_collection_modifyitems(config, items):
    if config.pluginmanager.hasplugin("pytest_cov"):
        for item in items:
            if is_unmeasured(item.nodeid):
                item.add_marker("no_cover")
        from dml_vk.kernels.spirv import library
        from dml_vk.runtime import pipelines

        # Each pipeline of each test needs them, and tests of their own reach every line.
        library.Program = unmeasured(library.Program)
        library.specialized = unmeasured(library.specialized)
        pipelines.widened = unmeasured(pipelines.widened)


def unmeasured(function):
    """Coverage goes by the trace function of a thread."""

    @functools.wraps(function)
    def call(*given):
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            return function(*given)
        finally:
            sys.settrace(tracer)

    return call
