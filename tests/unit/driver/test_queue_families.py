"""Which queue family copies beside kernels, by what devices report."""

from __future__ import annotations

import pytest

from dml_vk.driver.queue_families import for_copies
from dml_vk.driver.vulkan import QueueFamily

# VkQueueFlagBits
GRAPHICS, COMPUTE, TRANSFER, SPARSE, DECODE, ENCODE, FLOW = 1, 2, 4, 8, 0x20, 0x40, 0x100
ALL = GRAPHICS | COMPUTE | TRANSFER
# What an H200 with driver 580.159.04 reports.
H200 = [ALL | SPARSE, TRANSFER | SPARSE, COMPUTE | TRANSFER | SPARSE]
H200 += [TRANSFER | SPARSE | DECODE, TRANSFER | SPARSE | FLOW]


def families(flags):
    return [QueueFamily(flags=each, count=1, timestamp_bits=64) for each in flags]


@pytest.mark.parametrize(
    ("flags", "chosen"),
    [
        (H200, 1),
        (H200[::-1], 3),
        ([ALL, TRANSFER | DECODE | ENCODE, TRANSFER | SPARSE], 2),
        ([ALL, TRANSFER | DECODE], 1),
        ([ALL], None),
        ([ALL, COMPUTE | TRANSFER], None),
        ([GRAPHICS | TRANSFER, COMPUTE | TRANSFER], None),
        ([ALL, DECODE], None),
        ([], None),
    ],
)
def test_the_family_of_a_copy_engine(flags, chosen):
    assert for_copies(families(flags), unified=False) == chosen
    assert for_copies(families(flags), unified=True) is None
