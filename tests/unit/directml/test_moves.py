"""What DirectML's operators that move, select and reduce refuse when they are created."""

from __future__ import annotations

import pickle

import pytest

from dml_vk import directml
from dml_vk.buffer import Buffer
from dml_vk.directml import BufferTensorDesc, TensorFlags
from dml_vk.errors import LayoutError
from tests.each import each
from tests.unit.directml.moves import VALID
from tests.unit.directml.wrong_moves import WRONG

CASES = [(name, *one) for name, several in WRONG.items() for one in several]


def create(name, **changes):
    return getattr(directml, name)(**{**VALID[name], **changes})


@each("name changes error must", CASES)
def test_wrong_fields_are_named(name, changes, error, must):
    with pytest.raises(error, match=f"^{name}: {must}"):
        create(name, **changes)


@pytest.mark.parametrize("name", VALID)
def test_each_operator_is_a_value_that_checks_its_tensors(name):
    made = create(name)
    assert made == create(name)
    assert pickle.loads(pickle.dumps(made)) == made
    assert repr(made).startswith(f"{name}({next(iter(VALID[name]))}=")
    for tensor, given in made._bindings.items():
        field = tensor.split("[")[0]
        owned = BufferTensorDesc(given.data_type, given.sizes, flags=TensorFlags.OWNED_BY_DML)
        wrong = [owned] if isinstance(VALID[name][field], list) else owned
        with pytest.raises(LayoutError, match=rf"^{name}: {field}.* cannot be OWNED_BY_DML"):
            create(name, **{field: wrong})
        if field.startswith("output") and given.element_count > 1:
            twice = BufferTensorDesc(given.data_type, given.sizes, (0,) * len(given.sizes))
            wrong = [twice] if isinstance(VALID[name][field], list) else twice
            with pytest.raises(LayoutError, match=rf"^{name}: {field}.* has overlapping elements"):
                create(name, **{field: wrong})


def test_sequences_of_tensors_are_bound_one_after_the_other():
    join, split = create("Join"), create("Split")
    assert isinstance(join.inputs, tuple)
    assert repr(join) == (
        "Join(inputs=[FLOAT32 (2, 3), FLOAT32 (2, 1)], output=FLOAT32 (2, 4), axis=1)"
    )
    first, second, third = Buffer(32), Buffer(32), Buffer(32)
    assert join.bind(first, first, second) == (first, first, second)
    assert split.bind(first, second, third) == (first, second, third)
    with pytest.raises(LayoutError, match=r"Join: inputs\[1\] must be bound to a Buffer"):
        join.bind(first, None, second)
    with pytest.raises(LayoutError, match=r"Join: output needs a buffer of at least 32 bytes"):
        join.bind(first, second, Buffer(8))
    with pytest.raises(LayoutError, match=r"outputs\[0\] and outputs\[1\] cannot share a buffer"):
        split.bind(first, second, second)
    with pytest.raises(LayoutError, match=r"at most one buffer .* inputs\[1\], output"):
        join.bind(first, first, first, first)


def test_an_input_may_be_left_out():
    made = create("DiagonalMatrix1", input=None)
    buffer = Buffer(8)
    assert made.bind(None, buffer) == (None, buffer)
    with pytest.raises(LayoutError, match="input cannot be bound without a descriptor"):
        made.bind(buffer, buffer)
