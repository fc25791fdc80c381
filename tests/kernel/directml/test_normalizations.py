"""DirectML's normalizations and softmaxes against float64, in any layout."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.directml import (
    ActivationHardmax,
    ActivationHardmax1,
    ActivationLogSoftmax,
    ActivationLogSoftmax1,
    ActivationSoftmax,
    ActivationSoftmax1,
    ActivationTanh,
    BatchNormalization,
    BatchNormalizationTraining,
    LocalResponseNormalization,
    LpNormalization,
    MeanVarianceNormalization,
    MeanVarianceNormalization1,
    MeanVarianceNormalization2,
)
from tests.kernel.directml.running import (
    F16,
    F32,
    FLOATS,
    FORMS,
    assert_bits,
    assert_close,
    call,
    desc,
    filled,
    only,
    some,
)

forms = st.sampled_from(FORMS)
sources = st.sampled_from([*FORMS, "repeated"])
TANH = ActivationTanh.fused()
fused = st.sampled_from([None, TANH])
BOUND = 2e-5  # of results of about 1 to 10, computed in float32


def shapes(least=1, most=8):
    """Sizes of any rank, of few elements."""
    return st.lists(st.sampled_from([1, 2, 3, 4]), min_size=least, max_size=most).filter(
        lambda sizes: np.prod(sizes) <= 600
    )


def parameter(data, kind, sizes):
    """A descriptor with 1 instead of some sizes."""
    own = [data.draw(st.sampled_from([1, size])) for size in sizes]
    return desc(kind, own, data.draw(sources))


def wide(arrays):
    found = {name: array.astype(np.float64) for name, array in arrays.items()}
    if "variance" in found:
        arrays["variance"] = np.abs(arrays["variance"])
        found["variance"] = np.abs(found["variance"])
    return found


def activated(operator, exact):
    return np.tanh(exact) if operator.fused_activation is TANH else exact


@some
@given(st.data())
def test_batch_normalization(data):
    kind, sizes = data.draw(FLOATS), data.draw(shapes())
    x, out = desc(kind, sizes, data.draw(sources)), desc(kind, sizes, data.draw(forms))
    parts = [parameter(data, kind, sizes) for _ in range(4)]
    operator = BatchNormalization(
        x, *parts, out, epsilon=0.5, fused_activation=data.draw(fused), spatial=0
    )
    arrays = filled(operator)
    a = wide(arrays)
    exact = a["scale"] * (a["input"] - a["mean"]) / np.sqrt(a["variance"] + 0.5) + a["bias"]
    over = data.draw(st.sampled_from([(), {"output": "input"}, {"output": "bias"}]))
    assert_close(only(operator, arrays, over), activated(operator, exact), BOUND)


def test_batch_normalization_of_channels_is_that_of_tensors():
    sizes = (2, 3, 4, 5)
    of_channels = desc(F32, (1, 3, 1, 1))
    operator = BatchNormalization(desc(F32, sizes), *[of_channels] * 4, desc(F32, sizes))
    arrays = filled(operator)
    wide(arrays)
    x, *parts = [dml_vk.asarray(array.copy()) for array in arrays.values()]
    expected = nn.batch_norm(x, *[part.reshape(3) for part in parts])
    assert_bits(only(operator, arrays), expected.numpy())
    for name in ("mean", "bias"):  # Numbers of each item, which are the same for all.
        each = dataclasses.replace(operator, **{name: desc(F32, (2, 3, 1, 1))})
        repeated = np.repeat(arrays[name], 2, axis=0)
        assert_bits(only(each, arrays | {name: repeated}), expected.numpy())


@some
@given(st.data())
def test_batch_normalization_training(data):
    kind, sizes = data.draw(FLOATS), data.draw(shapes())
    scale = parameter(data, kind, sizes)
    own = scale.sizes
    added = desc(kind, sizes, data.draw(sources)) if data.draw(st.booleans()) else None
    operator = BatchNormalizationTraining(
        *(desc(kind, sizes, data.draw(sources)), scale, desc(kind, own, data.draw(sources)), added),
        desc(kind, sizes, data.draw(forms)),
        *[desc(kind, own, data.draw(forms)) for _ in range(2)],
        epsilon=0.5,
        fused_activation=data.draw(fused),
    )
    arrays = filled(operator)
    a = wide(arrays)
    axes = tuple(dim for dim, size in enumerate(own) if size == 1)
    mean, variance = [
        function(a["input"], axis=axes, keepdims=True) for function in (np.mean, np.var)
    ]
    exact = a["scale"] * (a["input"] - mean) / np.sqrt(variance + 0.5) + a["bias"]
    exact = activated(operator, exact + a.get("fused_add", 0))
    for over in ((), {"output": "input"}, {"output_mean": "scale", "output_variance": "bias"}):
        found = call(operator, arrays, over)
        assert_close(found["output"], exact, BOUND)
        assert_close(found["output_mean"], mean, BOUND)
        assert_close(found["output_variance"], variance, BOUND)


def drawn_axes(data, rank):
    return data.draw(st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank, unique=True))


@some
@given(st.data())
def test_mean_variance_normalizations(data):
    cls = data.draw(
        st.sampled_from(
            [MeanVarianceNormalization, MeanVarianceNormalization1, MeanVarianceNormalization2]
        )
    )
    least = 4 if cls is MeanVarianceNormalization else 1
    kind, sizes = data.draw(FLOATS), data.draw(shapes(least, least if least > 1 else 8))
    mean = variance = True
    if cls is MeanVarianceNormalization:
        across, variance = data.draw(st.booleans()), data.draw(st.booleans())
        axes = (1, 2, 3) if across else (2, 3)
        named = {"cross_channel": across, "normalize_variance": variance}
    else:
        axes = tuple(drawn_axes(data, len(sizes)))
        variance = data.draw(st.booleans())
        named = {"axes": axes, "normalize_variance": variance}
        if cls is MeanVarianceNormalization2:
            mean = data.draw(st.booleans())
            named = {"axes": axes, "use_mean": mean, "use_variance": variance}
    operator = cls(
        desc(kind, sizes, data.draw(sources)),
        parameter(data, kind, sizes) if data.draw(st.booleans()) else None,
        parameter(data, kind, sizes) if data.draw(st.booleans()) else None,
        desc(kind, sizes, data.draw(forms)),
        epsilon=0.5,
        fused_activation=data.draw(fused),
        **named,
    )
    arrays = filled(operator)
    a = wide(arrays)
    exact = a["input"]
    if mean:
        exact = exact - exact.mean(axis=axes, keepdims=True)
    if variance:
        exact = exact / np.sqrt((exact**2).mean(axis=axes, keepdims=True) + 0.5)
    exact = activated(operator, a.get("scale", 1) * exact + a.get("bias", 0))
    over = data.draw(st.sampled_from([(), {"output": "input"}]))
    assert_close(only(operator, arrays, over), exact, BOUND)


@some
@given(st.data())
def test_norms_along_an_axis(data):
    kind, sizes = data.draw(FLOATS), data.draw(shapes())
    axis, p = data.draw(st.integers(0, len(sizes) - 1)), data.draw(st.sampled_from([1, 2]))
    x, out = desc(kind, sizes, data.draw(sources)), desc(kind, sizes, data.draw(forms))
    operator = LpNormalization(x, out, axis=axis, epsilon=1e-3, p=p)
    arrays = filled(operator)
    exact = arrays["input"].astype(np.float64)
    norm = (np.abs(exact) ** p).sum(axis=axis, keepdims=True) ** (1 / p)
    over = data.draw(st.sampled_from([(), {"output": "input"}]))
    assert_close(only(operator, arrays, over), exact / np.maximum(norm, 1e-3), BOUND)


@some
@given(st.data())
def test_local_responses(data):
    """Regions of DirectML's page: of an even size, one more of the elements follow."""
    kind, across = data.draw(FLOATS), data.draw(st.booleans())
    sizes = [data.draw(st.integers(1, 4)) for _ in range(4)]
    size, alpha, beta, bias = data.draw(st.integers(1, 5)), 0.7, 0.6, 1.5
    x, out = desc(kind, sizes, data.draw(sources)), desc(kind, sizes, data.draw(forms))
    operator = LocalResponseNormalization(
        x, out, cross_channel=across, local_size=size, alpha=alpha, beta=beta, bias=bias
    )
    arrays = filled(operator)
    exact = arrays["input"].astype(np.float64)
    total = exact**2
    for dim in (1,) if across else (2, 3):
        before, after = (size - 1) // 2, size // 2
        padded = np.pad(total, [(before, after) if k == dim else (0, 0) for k in range(4)])
        total = sum(np.take(padded, np.arange(sizes[dim]) + k, axis=dim) for k in range(size))
    over = data.draw(st.sampled_from([(), {"output": "input"}]))
    exact = exact / (bias + alpha / size * total) ** beta
    assert_close(only(operator, arrays, over), exact, BOUND)


LAST = {
    ActivationSoftmax: ActivationSoftmax1,
    ActivationLogSoftmax: ActivationLogSoftmax1,
    ActivationHardmax: ActivationHardmax1,
}


def softmax(cls, x, axes):
    if "Hard" in cls.__name__:
        moved = np.moveaxis(x, axes, range(-len(axes), 0))
        rows = moved.reshape(*moved.shape[: x.ndim - len(axes)], -1)
        ones = np.arange(rows.shape[-1]) == rows.argmax(axis=-1, keepdims=True)
        return np.moveaxis(ones.reshape(moved.shape), range(-len(axes), 0), axes)
    exact = x - x.max(axis=axes, keepdims=True)
    exact = exact - np.log(np.exp(exact).sum(axis=axes, keepdims=True))
    return exact if "Log" in cls.__name__ else np.exp(exact)


@some
@given(st.data())
def test_softmaxes_over_any_axes(data):
    cls, kind, sizes = (
        data.draw(st.sampled_from([*LAST.values()])),
        *data.draw(st.tuples(FLOATS, shapes())),
    )
    axes = tuple(sorted(drawn_axes(data, len(sizes))))
    x, out = desc(kind, sizes, data.draw(sources)), desc(kind, sizes, data.draw(forms))
    operator = cls(x, out, axes=axes[::-1])
    arrays = filled(operator)
    exact = softmax(cls, arrays["input"].astype(np.float64), axes)
    over = data.draw(st.sampled_from([(), {"output": "input"}]))
    assert_close(only(operator, arrays, over), exact, BOUND)


@pytest.mark.parametrize("cls", LAST, ids=lambda one: one.__name__)
def test_softmaxes_of_the_last_dim(cls):
    for sizes in ((7,), (3, 7), (1, 1, 3, 7), (1,) * 6 + (3, 7)):
        x = desc(F16, sizes, "gaps")
        arrays = filled(cls(x, x))
        last = LAST[cls](x, x, axes=(len(sizes) - 1,))
        assert_bits(only(cls(x, x), arrays), only(last, arrays))
