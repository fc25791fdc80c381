"""Chains of elementwise operations in one kernel, beside the same in kernels of their own."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import bool_, float16, float32, float64, int8, int32, int64, uint8, uint16
from dml_vk.errors import DTypeError
from dml_vk.kernels.spirv import chained
from dml_vk.layout import Layout
from dml_vk.testing.strategies import layouts, targets
from tests.kernel.chains import found, launched, run
from tests.kernel.elementwise import source_of
from tests.kernel.memory import elements, memory_for
from tests.kernel.profiled import profiled
from tests.modules import check_valid
from tests.profiles import PROFILES

DTYPES = [bool_, int8, uint8, uint16, int32, int64, float16, float32, float64]
SIZES = [(), (1,), (7,), (64,), (97,), (3, 4), (5, 12), (2, 3, 8), (2, 8, 3, 4), (3, 1, 5, 20)]
STEPS = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "maximum": dml_vk.maximum,
    "less": lambda x, y: x < y,
    "equal": lambda x, y: x == y,
    "where": lambda x, y: dml_vk.where(x, y, 3),
    "where not": lambda x, y: dml_vk.where(y, 1, x),
    "negative": lambda x, y: -x,
    "absolute": lambda x, y: abs(x),
    "plus a number": lambda x, y: x + 3,
    "a number less": lambda x, y: 2 - x,
    "clip": lambda x, y: dml_vk.clip(x, 1, 20),
    "not": lambda x, y: dml_vk.logical_not(x),
    "sqrt": lambda x, y: dml_vk.sqrt(x),
    "copy": lambda x, y: x.copy(),
    "full": lambda x, y: dml_vk.full(x.shape, 3, dtype=x.dtype),
    **{dtype.name: lambda x, y, to=dtype: dml_vk.astype(x, to, copy=True) for dtype in DTYPES},
}


# Both kinds of devices, with more than the four buffers that are the least.
WIDE = {
    name: dataclasses.replace(profile, max_storage_buffers=8) for name, profile in PROFILES.items()
}


def applied(step, x, y):
    """The step, or what takes all dtypes."""
    try:
        return STEPS[step](x, y)
    except DTypeError:
        return x == y


def check(one, results, to, path):
    """The chain writes these results to these layouts, and not one bit beside them."""
    expected, writes, tensors = [], [], []
    for result, layout in zip(results, to):
        memory, layout = memory_for(layout, result.dtype.itemsize)
        tensor = dml_vk.asarray(memory.view(result.dtype.numpy_name))
        tensors.append(tensor)
        writes.append((one.value(result), tensor.over(layout)))
        elements(memory, layout)[...] = result.numpy().view(memory.dtype)
        expected.append(memory)
    plan = run(one, writes)
    if plan is None:
        # Words would be shared.
        assert min(result.dtype.itemsize for result in results) < 4
        return None
    for tensor, memory in zip(tensors, expected):
        found_ = tensor.numpy().view(memory.dtype)
        assert np.array_equal(found_, memory), (plan.recipe, np.flatnonzero(found_ != memory)[:5])
    if plan.units:
        check_valid(chained.built(plan.recipe, 0), path, plan.recipe)
    return plan


@pytest.mark.parametrize("kind", WIDE)
@settings(max_examples=25, phases=[Phase.generate], report_multiple_bugs=False)
@given(data=st.data(), sizes=st.sampled_from(SIZES))
def test_random_chains(kind, tmp_path_factory, data, sizes):
    dtypes = data.draw(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3))
    lie = [Layout.packed(sizes), *[data.draw(layouts(sizes=sizes)) for _ in dtypes[1:]]]
    values = [source_of(dtype, at, seed=k)[0] for k, (dtype, at) in enumerate(zip(dtypes, lie))]
    reads = len(values)
    pick = st.integers(0, 7)
    with launched() as launches:
        for step in data.draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=2, max_size=6)):
            x, y = [values[-1 - data.draw(pick) % len(values)] for _ in "xy"]
            values.append(applied(step, x, y))
    one = found([launch for launch in launches if launch.plan.computed])
    made = [value for value in values[reads:] if value.layout.sizes == sizes]
    results = [made[-1], *data.draw(st.lists(st.sampled_from(made), max_size=1))]
    to = [data.draw(st.just(Layout.packed(sizes)) | targets(sizes=sizes)) for _ in results]
    with profiled(dml_vk.device(), WIDE[kind]):
        check(one, results, to, tmp_path_factory.mktemp("fused") / "module.spv")
