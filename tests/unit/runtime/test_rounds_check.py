"""What is made of the number of rounds that a device was seen to go."""

from __future__ import annotations

import dataclasses

import pytest

from dml_vk.errors import DeviceError
from dml_vk.kernels.codegen.library import load
from dml_vk.kernels.plan.rounds import LEAST
from dml_vk.limits import MINIMUM, ROUNDS_ASKED
from dml_vk.runtime.rounds_check import most_rounds
from tests.unit.runtime.queues import Runtime


def device(ends_after):
    """A runtime whose device goes so many rounds and then stops, as if nothing were the matter."""

    def count(blocks, spec, groups, push):
        at, asked = push
        blocks[0][at] = min(int(asked), ends_after)

    return Runtime({load("rounds_check_uint32"): count})


@pytest.mark.parametrize("ends_after", [LEAST, 65535, ROUNDS_ASKED - 1, ROUNDS_ASKED, 2**32 - 1])
def test_a_device_goes_as_far_as_it_was_seen_to(ends_after):
    found = most_rounds(device(ends_after))
    assert found == min(ends_after, ROUNDS_ASKED)
    limits = dataclasses.replace(MINIMUM, max_rounds=found)
    assert limits.ends_loops == (ends_after < ROUNDS_ASKED)


def test_a_device_that_goes_fewer_than_any_plan_needs_is_refused():
    with pytest.raises(
        DeviceError, match=rf"must run at least {LEAST} loop .*; got rounds={LEAST - 1}"
    ):
        most_rounds(device(LEAST - 1))
