"""The last steps of softmax and norms: opcodes of the kernel `finish`."""

from __future__ import annotations

from dml_vk.kernels.operators import opcodes_of

NAMES = ("softmax", "log_softmax", "log_sum_exp", "norm", "scaled", "shifted", "affine")
# An activation may follow.
OPCODES = {
    **{f"FINISH_{name.upper()}": str(code) for code, name in enumerate(NAMES)},
    **opcodes_of("float_activation"),
}
# As in registry.COMPUTED. Sources: elements, a pair of numbers for each row, and weight and bias.
KERNELS = {"finish": (3, ("words_32", "packed_16"))}
