import pytest
from hypothesis import settings

pytest.register_assert_rewrite(
    "tests.integration.process", "tests.kernel.answers", "tests.kernel.memory", "tests.layouts"
)

settings.register_profile("default", deadline=None, print_blob=True, max_examples=200)
settings.load_profile("default")
