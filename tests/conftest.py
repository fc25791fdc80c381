import signal

import pytest
from hypothesis import settings

pytest.register_assert_rewrite(
    "tests.integration.process", "tests.kernel.answers", "tests.kernel.memory", "tests.layouts"
)

settings.register_profile("default", deadline=None, print_blob=True, max_examples=200)
settings.load_profile("default")

# A shell that runs the suite in the background keeps Ctrl-C from it and from all that it starts,
# which some tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
