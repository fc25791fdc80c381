"""Optimizers beside PyTorch's, for 100 steps."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk import optim
from tests import tier, torch_optimizers

ANSWERS = torch_optimizers.load()
BOUNDS = {"float32": 1e-5, "float64": 1e-12}


@tier.parametrize("label dtype", torch_optimizers.names(), BOUNDS)
def test_a_hundred_steps_are_pytorchs(label, dtype):
    name, given = torch_optimizers.CASES[torch_optimizers.names().index(label)]
    options = dict(given)
    if "schedule" in given:
        kind = options.pop("schedule")
        more = torch_optimizers.SCHEDULES[kind][2]
        options["lr"] = getattr(optim, kind)(options["lr"], **more)
    # Schedules compute rates in float32.
    error = max(BOUNDS[dtype], 1e-6 if "schedule" in given else 0.0)
    opt = getattr(optim, name)(**options)
    params = {k: dml_vk.asarray(x.astype(dtype)) for k, x in torch_optimizers.start().items()}
    state = opt.init(params)
    for slopes in torch_optimizers.gradients():
        grads = {k: dml_vk.asarray(x.astype(dtype)) for k, x in slopes.items()}
        params, state = opt.update(params, grads, state)
    assert state["step"].item() == torch_optimizers.STEPS
    for k, told in ANSWERS[label].items():
        assert params[k].dtype.name == dtype
        assert np.allclose(params[k].numpy(), told, rtol=error, atol=error), k
