"""What is made of the number of rounds that a device was seen to go."""

from __future__ import annotations

import dataclasses

import pytest

from dml_vk.errors import DeviceError
from dml_vk.kernels.rounds import LEAST
from dml_vk.limits import MINIMUM, ROUNDS_ASKED
from dml_vk.runtime.rounds_check import most_rounds


class Runtime:
    """One whose device goes so many rounds and then stops, as if nothing were the matter."""

    def __init__(self, ends_after):
        self.ends_after, self.words = ends_after, None

    def allocate(self, words, mapped):
        self.words = words.copy()
        return self.words

    def pipeline(self, blocks, spirv, spec, push, groups):
        return push, groups

    def record(self, work):
        return work

    def run(self, recording):
        for _, (at, asked) in recording:
            self.words[at] = min(asked, self.ends_after)

    def view(self, block):
        return block


@pytest.mark.parametrize("ends_after", [LEAST, 65535, ROUNDS_ASKED - 1, ROUNDS_ASKED, 2**32 - 1])
def test_a_device_goes_as_far_as_it_was_seen_to(ends_after):
    found = most_rounds(Runtime(ends_after))
    assert found == min(ends_after, ROUNDS_ASKED)
    limits = dataclasses.replace(MINIMUM, max_rounds=found)
    assert limits.ends_loops == (ends_after < ROUNDS_ASKED)


def test_a_device_that_goes_fewer_than_any_plan_needs_is_refused():
    with pytest.raises(DeviceError, match=rf"must run {LEAST} rounds .*; got rounds={LEAST - 1}"):
        most_rounds(Runtime(LEAST - 1))
