import pytest

from tests.kernel.program.poison import poisoned


@pytest.fixture(autouse=True)
def _poisoned():
    with poisoned():
        yield
