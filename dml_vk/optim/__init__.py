"""Optimizers: from parameters, their gradients and a state to new parameters and a new state."""

from __future__ import annotations

from dml_vk.optim.adaptive import Adagrad, Adam, AdamW, RMSprop
from dml_vk.optim.clipping import clip_by_global_norm
from dml_vk.optim.files import like, named
from dml_vk.optim.momentum import SGD, Lion
from dml_vk.optim.muon import Muon
from dml_vk.optim.schedules import cosine, step, warmup

__all__ = [
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "Lion",
    "Muon",
    "RMSprop",
    "clip_by_global_norm",
    "cosine",
    "like",
    "named",
    "step",
    "warmup",
]
