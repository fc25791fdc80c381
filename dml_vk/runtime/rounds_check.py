"""Count, with one small kernel, how many loop rounds an invocation can run on a device."""

from __future__ import annotations

import numpy as np

from dml_vk.errors import DeviceError
from dml_vk.kernels.codegen.library import load
from dml_vk.kernels.plan import rounds
from dml_vk.limits import ROUNDS_ASKED
from dml_vk.runtime.interface import Dispatch, Runtime

_WORDS = 64
_INNER = 4


def most_rounds(runtime: Runtime) -> int:
    """Return how many loop rounds one invocation was seen to run, in all its loops together.

    No plan relies on more. A device that runs fewer than plans need is refused.
    """
    block = runtime.allocate(4 * _WORDS, "readback")
    bound = runtime.bind(runtime.pipeline(load("rounds_check_uint32"), (_INNER,), 2, 1), [block])
    push = np.array([0, ROUNDS_ASKED], np.uint32).tobytes()
    ticket = runtime.record([Dispatch(bound, push, (1, 1, 1))])
    runtime.submit(ticket)
    runtime.wait(ticket)
    count = int(runtime.view(block)[0])
    if count < rounds.LEAST:
        rule = f"the device must run at least {rounds.LEAST} loop iterations per invocation"
        raise DeviceError("device", rule, rounds=count)
    return count
