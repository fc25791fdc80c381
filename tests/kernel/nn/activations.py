"""Which kernel is tested with which activation: the shader code of each is the same in all."""

from __future__ import annotations

from dml_vk.nn.activations import ACTIVATIONS
from tests import tier

KERNELS = ("conv", "linear", "norms")
USUAL = ("relu", "gelu")  # a short one, which is unrolled, and one that goes in a loop


def of(kernel: str) -> list[str]:
    """All with --all; else a share, so that each activation has a kernel, and the usual ones."""
    names = sorted(ACTIVATIONS)
    if tier.is_all():
        return names
    chosen = {*USUAL, *names[KERNELS.index(kernel) :: len(KERNELS)]}
    tier.leave_out(len(names) - len(chosen))
    return sorted(chosen)
