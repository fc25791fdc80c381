"""`dml_vk.settings`: for the process, for a `with` block, and from the environment."""

from __future__ import annotations

import threading
from contextvars import Context

import pytest

import dml_vk
from dml_vk import context, environment
from dml_vk.context import Values
from dml_vk.errors import DeviceError, DTypeError
from dml_vk.exactness import settings


@pytest.fixture(autouse=True)
def as_it_was():
    yield
    settings.exact = True


def in_a_thread():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(settings.exact))
    thread.start()
    thread.join()
    return seen[0]


def test_a_block_is_for_its_own_thread_and_ends():
    assert dml_vk.settings is settings
    assert settings.exact is True
    with settings(exact=False):
        assert (settings.exact, in_a_thread()) == (False, True)
        with settings(exact=True):
            assert settings.exact is True
            settings.exact = False
            assert settings.exact is False
        assert repr(settings) == "settings(exact=False, debug_nans=False)"
    assert settings.exact is True


def test_a_block_ends_by_an_error_too():
    with pytest.raises(KeyError), settings(exact=False):
        raise KeyError
    assert settings.exact is True


def test_what_is_assigned_is_for_all_threads():
    settings.exact = False
    assert (settings.exact, in_a_thread()) == (False, False)


@pytest.mark.parametrize(("value", "exact"), [("", True), ("0", False), ("1", True)])
def test_the_environment_has_the_first_value(monkeypatch, value, exact):
    monkeypatch.setenv("DML_VK_EXACT", value)

    def first_and_then():
        context.change(settings=Values())
        first = settings.exact
        monkeypatch.setenv("DML_VK_EXACT", "no")
        again = settings.exact
        settings.exact = not exact
        return first, again, settings.exact

    assert Context().run(first_and_then) == (exact, exact, not exact)


def test_other_values_are_refused(monkeypatch):
    monkeypatch.setenv("DML_VK_EXACT", "no")
    with pytest.raises(DeviceError, match="DML_VK_EXACT must be '0', '1' or unset; got DML_VK"):
        environment.exact()
    with pytest.raises(DTypeError, match="settings: exact must be a bool; got exact=0"):
        settings.exact = 0
    with pytest.raises(DTypeError, match="exact must be a bool"), settings(exact=None):
        raise AssertionError
    assert settings.exact is True
