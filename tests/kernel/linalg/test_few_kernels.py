"""A decomposition has few kernels to compile, whatever the sizes of its matrices."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.runtime.queue import Queue


@pytest.mark.parametrize(("name", "most"), [("svd", 15), ("eigh", 20)])
def test_a_decomposition_has_few_kernels(monkeypatch, name, most):
    found, add = set(), Queue.add

    def watched(queue, plan, *others):
        if plan.module not in (COPY, FILL):
            found.add((plan.module, plan.spec))
        add(queue, plan, *others)

    x = dml_vk.asarray(np.diag(np.arange(1.0, 65.0)).astype(np.float32))
    monkeypatch.setattr(Queue, "add", watched)
    getattr(linalg, name)(x)
    assert 8 < len(found) <= most, sorted(found)
