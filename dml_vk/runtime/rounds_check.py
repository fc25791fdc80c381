"""How many rounds of loops an invocation may go on a device: counted by one small kernel."""

from __future__ import annotations

import numpy as np

from dml_vk.errors import DeviceError, explain
from dml_vk.kernels import rounds
from dml_vk.kernels.shaders import load
from dml_vk.limits import ROUNDS_ASKED
from dml_vk.runtime.kompute import Runtime

_WORDS = 64
_INNER = 4


def most_rounds(runtime: Runtime) -> int:
    """Of all loops of an invocation together, as far as the device was seen to go.

    No plan relies on more, and on fewer than plans need the device is refused.
    """
    block = runtime.allocate(np.zeros(_WORDS, np.uint32), True)
    spirv = load("rounds_check_uint32")
    pipeline = runtime.pipeline([block], spirv, (_INNER,), 2, (1, 1, 1))
    runtime.run(runtime.record([(pipeline, np.array([0, ROUNDS_ASKED], np.uint32))]))
    found = int(runtime.view(block)[0])
    if found < rounds.LEAST:
        must = f"the device must run {rounds.LEAST} rounds of loops in an invocation"
        raise DeviceError(explain("device", must, rounds=found))
    return found
