"""Seeded networks beside onnxruntime, in all layouts, whose bits are equal."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from dml_vk.onnx import load
from tests import tier
from tests.onnx_networks import NETWORKS, feed

# Beside NCHW, by batch. Each kernel of a network takes seconds to compile.
LAYOUTS: dict[int, tuple[str, ...]] = {1: ("nhwc",), 3: ("auto",)}
if tier.is_all():
    LAYOUTS = dict.fromkeys(LAYOUTS, ("nhwc", "auto"))
else:
    tier.leave_out(len(LAYOUTS) * len(NETWORKS))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_that_of_onnxruntime_and_has_the_same_bits_in_all_layouts(name):
    model = NETWORKS[name]()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    loaded = {layout: load(model, layout=layout) for layout in ("nchw", "nhwc", "auto")}
    for batch, layouts in LAYOUTS.items():
        x = feed(name, batch)
        expected = session.run(None, {"x": x})[0]
        models = [loaded[layout] for layout in ("nchw", *layouts)]
        found, *others = [next(iter(one(x).values())).numpy() for one in models]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
        assert all(found.tobytes() == other.tobytes() for other in others)
    assert all("kernels" in one.explain() for one in loaded.values())
