import pytest

from tests.kernel.compiler.poison import poisoned


@pytest.fixture(autouse=True)
def _poisoned():
    with poisoned():
        yield
