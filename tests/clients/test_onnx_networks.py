"""Seeded networks beside onnxruntime, in all layouts, whose bits are equal."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from dml_vk.onnx import load
from tests.onnx_networks import NETWORKS, feed


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_that_of_onnxruntime_and_has_the_same_bits_in_all_layouts(name):
    model = NETWORKS[name]()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    loaded = [load(model, layout=layout) for layout in ("nchw", "nhwc", "auto")]
    for batch in (1, 3):
        x = feed(name, batch)
        expected = session.run(None, {"x": x})[0]
        found, *others = [next(iter(one(x).values())).numpy() for one in loaded]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
        assert all(found.tobytes() == other.tobytes() for other in others)
    assert all("kernels" in one.explain() for one in loaded)
