"""What applies to calls ends where it began, whoever closes a generator."""

from __future__ import annotations

import contextvars
import threading

import pytest

from dml_vk import context
from dml_vk.exactness import settings
from dml_vk.observe.copies import trace


def inexact():
    with settings(exact=False):
        yield


def test_a_generator_of_another_thread_leaves_this_one_as_it_is():
    begun = []

    def begin():
        begun.append(inexact())
        next(begun[0])

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    with settings(exact=False):
        with pytest.raises(ValueError, match="different Context"):
            begun[0].close()
        assert not settings.exact
    assert settings.exact


def test_a_log_of_another_context_is_not_left_in_this_one():
    def logging():
        with trace():
            yield

    generator = logging()
    contextvars.copy_context().run(next, generator)
    with trace(strict=True) as log:
        with pytest.raises(ValueError, match="different Context"):
            generator.close()
        assert context.get().copies == (log,)


def test_fields_of_blocks_that_overlap_are_restored_one_by_one():
    generator = inexact()
    with trace() as log:
        next(generator)
    assert (settings.exact, context.get().copies) == (False, ())
    with trace() as log:
        generator.close()
        assert (settings.exact, context.get().copies) == (True, (log,))
    assert context.get().copies == ()
