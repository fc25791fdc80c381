"""A case by dml_vk and by NumPy, with operands in memory."""

from __future__ import annotations

from functools import partial

import numpy as np

import dml_vk as dv
from dml_vk.commands.cases.case import Array, Case


class Both:
    """Both calls write to existing memory and return it."""

    def __init__(self, case: Case) -> None:
        assert case.into is not None
        self._into = into = case.into
        self.name, self.about = into.name, into.about
        arrays = case.arrays()
        self.ours = partial[dv.Tensor](
            into.call, dv, dv.asarray(into.out()), *map(dv.asarray, arrays)
        )
        self.numpys = partial[Array](into.numpys or into.call, np, into.out(), *arrays)

    def agree(self) -> bool:
        """Run both, and return whether the results agree."""
        ours, theirs = self.ours().numpy(), self.numpys()
        if self._into.expected is not None:
            theirs = self._into.expected()
            ours = ours.reshape(-1)[: theirs.size]
        if self._into.tolerance:
            return bool(np.allclose(ours, theirs, rtol=self._into.tolerance, atol=0.0))
        return bool(np.array_equal(ours, theirs))
