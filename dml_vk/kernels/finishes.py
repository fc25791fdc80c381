"""The last steps of softmax and norms: opcodes of the kernel `finish`."""

from __future__ import annotations

from dml_vk.kernels.operators import opcodes_of

NAMES = ("softmax", "log_softmax", "log_sum_exp", "norm", "scaled", "shifted", "affine")
# An activation may follow.
OPCODES = {
    **{f"FINISH_{name.upper()}": str(code) for code, name in enumerate(NAMES)},
    **opcodes_of("float_activation"),
}
# The pairs that do not come from rows: of a mean and a scale, or of a weight and a bias.
PAIRS = ("scale", "affine")
PAIRS_OPCODES = {f"PAIRS_{name.upper()}": str(code) for code, name in enumerate(PAIRS)}
