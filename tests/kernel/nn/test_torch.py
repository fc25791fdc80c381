"""Functions for networks beside PyTorch, in both formats."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests import tier, torch_networks

ANSWERS = torch_networks.load()
ODDITIES = {ours for ours, _ in torch_networks.ODDITIES}
EXACT = {ours for ours, _ in torch_networks.EXACT}


def names(form):
    found = torch_networks.operands(dml_vk.asarray)
    images = {name: found[name].to(form) for name in ("x", "odd", "lines", "volumes", "s")}
    return {**vars(nn), **found, **images}


FORMS = [dml_vk.contiguous_format, dml_vk.channels_last]
NO_FORMAT = ("embedding", "one_hot", "nll", "cross", "cosine")
IN_FORMS = tier.crossed(torch_networks.CASES, FORMS)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_answers_and_formats_are_pytorchs(form):
    known = names(form)
    with dml_vk.trace(strict=True):
        found = {ours: eval(ours, known) for ours, one in IN_FORMS if one is form}
    for ours, answer in found.items():
        told = np.array(ANSWERS[ours], np.float32)
        assert answer.shape == told.shape, ours
        error = 0 if ours in EXACT else 2e-6
        assert np.allclose(answer.numpy(), told, rtol=error, atol=error, equal_nan=True), ours
        if ours in ODDITIES and not ours.startswith(torch_networks.UNSIGNED):
            zeros = told == 0
            assert np.array_equal(np.signbit(answer.numpy())[zeros], np.signbit(told)[zeros]), ours
        if answer.ndim > 2 and not ours.startswith(NO_FORMAT):
            assert answer.memory_format is form, ours


def test_the_stored_answers_are_of_these_expressions():
    assert list(json.loads(torch_networks.STORED.read_text())) == list(torch_networks.CASES)
    assert set(torch_networks.CASES) >= EXACT
