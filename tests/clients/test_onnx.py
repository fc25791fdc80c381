"""ONNX's own tests: of all operators, of models that PyTorch wrote, and of well-known networks."""

from __future__ import annotations

import pytest

from dml_vk.errors import ModelError
from dml_vk.onnx import load
from tests.onnx_cases import cases, check_shapes, model_of, run
from tests.onnx_scope import is_out, reason

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")
ALL = [(kind, name) for kind in KINDS for name in cases(kind)]


def _refusal(kind: str, name: str) -> str:
    try:
        load(model_of(cases(kind)[name]))
    except ModelError as error:
        return str(error)
    return ""


REFUSALS = {one: refusal for one in ALL if (refusal := _refusal(*one))}


@pytest.mark.parametrize(("kind", "name"), [one for one in ALL if one not in REFUSALS])
def test_a_case_of_onnx_gives_what_it_expects(kind, name):
    case = cases(kind)[name]
    if reason(name) is None:
        run(case)
    else:
        check_shapes(case)


def test_what_is_refused_is_out_of_scope_for_a_known_reason():
    unknown = {one: refusal for one, refusal in REFUSALS.items() if not is_out(refusal)}
    assert len(REFUSALS) > 100
    assert not unknown
