"""What holds for each function of dml_vk.nn: its signature, what it refuses, and which format and
bits its result has.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DmlVkError, LayoutIndexError
from dml_vk.layout import channels_last, contiguous_format
from dml_vk.runtime.queue import Queue
from tests import tier
from tests.chance import chance
from tests.kernel.launches import launches
from tests.kernel.memory import bits

# As in torch.nn.functional where it has the function. `out` is left out.
SIGNATURES = """
conv(x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1, activation=None)
conv_transpose(x, weight, bias=None, *, stride=1, padding=0, output_padding=0, dilation=1, groups=1, activation=None)
max_pool(x, kernel_size, *, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_unpool(x, indices, output_size)
avg_pool(x, kernel_size, *, stride=None, padding=0, dilation=1, ceil_mode=False, count_include_pad=True)
lp_pool(x, p, kernel_size, *, stride=None, padding=0, dilation=1, ceil_mode=False)
adaptive_avg_pool(x, output_size)
adaptive_max_pool(x, output_size, *, return_indices=False)
global_avg_pool(x)
global_max_pool(x)
batch_norm(x, mean, var, weight=None, bias=None, *, eps=1e-5, activation=None)
batch_norm_train(x, weight=None, bias=None, *, eps=1e-5, activation=None)
instance_norm(x, weight=None, bias=None, *, eps=1e-5, activation=None)
group_norm(x, num_groups, weight=None, bias=None, *, eps=1e-5, activation=None)
layer_norm(x, normalized_shape, weight=None, bias=None, *, eps=1e-5, activation=None)
rms_norm(x, normalized_shape, weight=None, *, eps=1e-6, activation=None)
local_response_norm(x, size, *, alpha=1e-4, beta=0.75, k=1.0, cross_channel=True)
normalize(x, *, p=2, axis=1, eps=1e-12)
mean_variance_norm(x, weight=None, bias=None, *, axes, eps=1e-5, normalize_variance=True, activation=None)
softmax(x, *, axis=-1)
log_softmax(x, *, axis=-1)
hardmax(x, *, axis=-1)
logsumexp(x, *, axis=-1, keepdims=False)
linear(x, weight, bias=None, *, activation=None)
gemm(a, b, c=None, *, alpha=1.0, beta=1.0, transpose_a=False, transpose_b=False, activation=None)
scaled_dot_product_attention(q, k, v, *, mask=None, is_causal=False, scale=None)
resample(x, *, size=None, scale=None, mode="nearest", align_corners=False)
pixel_shuffle(x, factor, *, order="CRD")
pixel_unshuffle(x, factor, *, order="CRD")
unfold(x, kernel_size, *, dilation=1, padding=0, stride=1)
fold(x, output_size, kernel_size, *, dilation=1, padding=0, stride=1)
one_hot(x, num_classes, *, dtype=float32, axis=-1)
embedding(indices, weight)
dropout(x, p, *, generator)
cross_entropy(x, target, *, weight=None, ignore_index=-100, reduction="mean")
nll_loss(x, target, *, weight=None, ignore_index=-100, reduction="mean")
mse_loss(x, target, *, reduction="mean")
l1_loss(x, target, *, reduction="mean")
smooth_l1_loss(x, target, *, reduction="mean", beta=1.0)
huber_loss(x, target, *, reduction="mean", delta=1.0)
binary_cross_entropy_with_logits(x, target, *, weight=None, pos_weight=None, reduction="mean")
kl_div(x, target, *, reduction="mean", log_target=False)
gaussian_nll_loss(x, target, var, *, full=False, eps=1e-06, reduction="mean")
cosine_similarity(x1, x2, axis=1, eps=1e-08)
quantize(x, scale, zero_point, *, dtype)
dequantize(x, scale, zero_point, *, dtype=float32)
conv_integer(x, weight, x_zero_point=0, weight_zero_point=0, *, stride=1, padding=0, dilation=1, groups=1)
matmul_integer(a, b, a_zero_point=0, b_zero_point=0)
rnn(x, hx, weights, *, nonlinearity="tanh", bidirectional=False, batch_first=False, lengths=None)
gru(x, hx, weights, *, bidirectional=False, batch_first=False, lengths=None)
lstm(x, hx, weights, *, bidirectional=False, batch_first=False, lengths=None)
""".strip().splitlines()  # noqa: E501
SEVERAL_RESULTS = ["batch_norm_train", "rnn", "gru", "lstm"]


@pytest.mark.parametrize("told", SIGNATURES, ids=lambda told: told.partition("(")[0])
def test_signatures(told):
    name, _, parameters = told.partition("(")
    scope = {"float32": dml_vk.float32}
    exec(f"def wanted({parameters}: ...", scope)
    wanted = dict(inspect.signature(scope["wanted"]).parameters)
    found = dict(inspect.signature(getattr(nn, name)).parameters)
    if name not in SEVERAL_RESULTS:
        out = found.pop("out")
        assert (out.kind, out.default) == (out.KEYWORD_ONLY, None)
    if name == "resample":  # It has more options, as ONNX and DirectML need them.
        found = {key: one for key, one in found.items() if key in wanted}
    told = [(one.name, one.kind, one.default) for one in wanted.values()]
    assert [(one.name, one.kind, one.default) for one in found.values()] == told


def test_all_functions_are_here():
    assert {told.partition("(")[0] for told in SIGNATURES} == set(nn.__all__) == set(CALLS)


GATES = {"rnn": 1, "gru": 3, "lstm": 4}


def sequences(x, gates):
    """A layer of two directions over rows of pictures."""
    shapes = ((gates * 2, x.shape[-1]), (gates * 2, 2), (gates * 2,), (gates * 2,))
    layers = [[weights(*shape) for shape in shapes] for _ in range(2)]
    x = x[:, :, 0]
    return {"x": x, "hx": None, "weights": layers, "bidirectional": True, "batch_first": True}


def images(*sizes):
    return dml_vk.asarray(chance().standard_normal(sizes).astype(np.float32))


def weights(*sizes):
    return dml_vk.asarray(np.cos(np.arange(math.prod(sizes), dtype=np.float32)).reshape(sizes))


def whole(x):
    """Integers from 0 to 3 of the same layout."""
    return dml_vk.astype(dml_vk.clip(dml_vk.abs(x), 0, 3), "int64")


def small(x):
    return x.astype("int8")


def per_channel(x):
    return weights(x.shape[1]), weights(x.shape[1]) + 2.0


def of_last(x):
    return weights(x.shape[-1]), weights(x.shape[-1])


# Of images x (N, C, H, W): arguments that are right. The channels of a weight are those of x.
CALLS = {
    "conv": lambda x: {"x": x, "weight": weights(3, x.shape[1], 1, 1), "bias": weights(3)},
    "conv_transpose": lambda x: {
        "x": x,
        "weight": weights(x.shape[1], 3, 2, 2),
        "bias": weights(3),
    },
    "max_pool": lambda x: {"x": x, "kernel_size": 1},
    "max_unpool": lambda x: {
        "x": x,
        "indices": dml_vk.zeros_like(x, dtype="int64"),
        "output_size": x.shape[2:],
    },
    "avg_pool": lambda x: {"x": x, "kernel_size": 1},
    "lp_pool": lambda x: {"x": x, "p": 2, "kernel_size": 1},
    "adaptive_avg_pool": lambda x: {"x": x, "output_size": (1, 2)},
    "adaptive_max_pool": lambda x: {"x": x, "output_size": (1, 2)},
    "global_avg_pool": lambda x: {"x": x},
    "global_max_pool": lambda x: {"x": x},
    "batch_norm": lambda x: (
        dict(zip(("x", "mean", "var"), (x, *per_channel(x))))
        | dict(zip(("weight", "bias"), per_channel(x)))
    ),
    "batch_norm_train": lambda x: {"x": x} | dict(zip(("weight", "bias"), per_channel(x))),
    "instance_norm": lambda x: {"x": x} | dict(zip(("weight", "bias"), per_channel(x))),
    "group_norm": lambda x: (
        {"x": x, "num_groups": 1} | dict(zip(("weight", "bias"), per_channel(x)))
    ),
    "layer_norm": lambda x: (
        {"x": x, "normalized_shape": x.shape[-1:]} | dict(zip(("weight", "bias"), of_last(x)))
    ),
    "rms_norm": lambda x: {"x": x, "normalized_shape": x.shape[-1:], "weight": of_last(x)[0]},
    "local_response_norm": lambda x: {"x": x, "size": 2},
    "normalize": lambda x: {"x": x, "p": 3},
    "mean_variance_norm": lambda x: {"x": x, "weight": of_last(x)[0], "axes": (1, 2)},
    "softmax": lambda x: {"x": x},
    "log_softmax": lambda x: {"x": x},
    "hardmax": lambda x: {"x": x},
    "logsumexp": lambda x: {"x": x, "keepdims": True},
    "linear": lambda x: {"x": x, "weight": weights(3, x.shape[-1]), "bias": weights(3)},
    "gemm": lambda x: {"a": x, "b": weights(x.shape[-1], 3), "c": weights(3)},
    "scaled_dot_product_attention": lambda x: {"q": x, "k": x, "v": x, "mask": x[..., :1] > 0},
    "resample": lambda x: {"x": x, "size": (2, 3)},
    "pixel_shuffle": lambda x: {"x": x, "factor": 1},
    "pixel_unshuffle": lambda x: {"x": x, "factor": 1},
    "unfold": lambda x: {"x": x, "kernel_size": 1},
    "fold": lambda x: {
        "x": dml_vk.reshape(x, (*x.shape[:2], x.shape[2] * x.shape[3])),
        "output_size": x.shape[2:],
        "kernel_size": 1,
    },
    "one_hot": lambda x: {"x": whole(x), "num_classes": 4},
    "embedding": lambda x: {"indices": whole(x), "weight": weights(4, 2)},
    "dropout": lambda x: {"x": x, "p": 0.5, "generator": dml_vk.random.Generator(3)},
    "cross_entropy": lambda x: {"x": x, "target": dml_vk.zeros_like(whole(x[:, 0]))},
    "nll_loss": lambda x: {"x": x, "target": dml_vk.zeros_like(whole(x[:, 0]))},
    "mse_loss": lambda x: {"x": x, "target": x * x, "reduction": "none"},
    "l1_loss": lambda x: {"x": x, "target": x * x, "reduction": "none"},
    "smooth_l1_loss": lambda x: {"x": x, "target": x * x, "reduction": "none"},
    "huber_loss": lambda x: {"x": x, "target": x * x, "reduction": "none"},
    "binary_cross_entropy_with_logits": lambda x: {"x": x, "target": x * x, "reduction": "none"},
    "kl_div": lambda x: {"x": x, "target": x * x, "reduction": "none"},
    "gaussian_nll_loss": lambda x: {"x": x, "target": x * x, "var": x * x, "reduction": "none"},
    "cosine_similarity": lambda x: {"x1": x, "x2": x * x},
    "quantize": lambda x: {"x": x, "scale": 0.5, "zero_point": 3, "dtype": "int8"},
    "dequantize": lambda x: {"x": small(x), "scale": 0.5, "zero_point": 3},
    "conv_integer": lambda x: {"x": small(x), "weight": small(weights(3, x.shape[1], 1, 1))},
    "matmul_integer": lambda x: {"a": small(x), "b": small(weights(x.shape[-1], 3))},
    **{name: functools.partial(sequences, gates=gates) for name, gates in GATES.items()},
}
# Whose result has no format of an image, or always the same.
NO_FORMAT = {
    *("gemm", "matmul_integer", "one_hot", "embedding", "cross_entropy", "nll_loss"),
    *("fold", "unfold", "cosine_similarity", "rnn", "gru", "lstm"),
}
FORMATS = [contiguous_format, channels_last]
SHAPES = [(2, 4, 5, 6), (1, 1, 1, 1), (1, 4, 1, 1), (3, 1, 2, 2), (1, 1, 5, 1)]


def results(name, arguments):
    found = getattr(nn, name)(**arguments)
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", CALLS)
def test_formats_bits_and_layouts_of_weights(name):
    """The result has the format of x, also where sizes do not tell it; nothing is copied."""
    for shape, memory_format in itertools.product(SHAPES, FORMATS):
        x = images(*shape)
        if not tier.is_all() and (shape, memory_format) != (SHAPES[0], channels_last):
            tier.leave_out(1)
            check_format(name, x.to(memory_format=memory_format))
            continue
        told = [bits(one.numpy()) for one in results(name, CALLS[name](x))]
        arguments = CALLS[name](dml_vk.asarray(x.numpy(), memory_format=memory_format))
        for key, one in arguments.items():
            if key in ("weight", "bias", "mean", "var", "b", "c"):
                turned = dml_vk.asarray(np.flip(np.asfortranarray(one.numpy())))
                arguments[key] = dml_vk.flip(turned)
        with dml_vk.trace(strict=True):
            found = results(name, arguments)
        assert [np.array_equal(bits(a.numpy()), b) for a, b in zip(found, told)] == [True] * len(
            told
        ), (shape, memory_format)
        if name not in NO_FORMAT:
            order = arguments[next(iter(arguments))].layout.order
            assert found[0].layout.order == order, (shape, memory_format)


def check_format(name, x):
    """Nothing runs for it. What indexes are can only be asked of the device."""
    if name in NO_FORMAT or name == "max_unpool":
        return
    with launches(runs=False):
        arguments = CALLS[name](x)
        with dml_vk.trace(strict=True):
            found = results(name, arguments)
    assert found[0].layout.order == arguments[next(iter(arguments))].layout.order, x.layout


# Whose result is about all items of a batch, or draws for them in turn.
OF_BATCHES = {"batch_norm_train", "dropout", "cross_entropy", "nll_loss"}


@tier.parametrize("name memory_format", tier.some(sorted(set(CALLS) - OF_BATCHES), 24), FORMATS)
def test_a_batch_of_eight_has_the_bits_of_eight_batches_of_one(name, memory_format):
    x = dml_vk.asarray(images(8, 4, 5, 6).numpy(), memory_format=memory_format)
    together = results(name, CALLS[name](x))[0]
    for item in tier.some(range(8), 3):
        alone = results(name, CALLS[name](x[item : item + 1]))[0]
        assert np.array_equal(bits(alone.numpy()[0]), bits(together.numpy()[item])), item


@tier.parametrize("shape name", [(0, 4, 5, 6), (0, 1, 1, 1)], CALLS)
def test_no_images_give_results_without_elements(name, shape):
    for memory_format in FORMATS:
        x = dml_vk.empty(shape, memory_format=memory_format)
        found = results(name, CALLS[name](x))[0]
        assert found.size == (1 if name in ("cross_entropy", "nll_loss") else 0)


HOSTILE = [
    *("x", b"x", "NHWC", None, -1, 0, 1.5, math.nan, -math.inf, 2**70, 1j, True, [], [2, 3]),
    *((), (-1, 2), (1, 1, 1, 1, 1), [[1], [1, 2]], {1: 2}, object(), int, len, np.ones((2, 2))),
    *(np.array([None]), [1.0], dml_vk.float64, "complex64"),
]
TENSORS = ["int8", "bool", "float64", "uint32"]


def refused(name, arguments):
    """The error of ours, if there is one."""
    try:
        getattr(nn, name)(**arguments)
    except DmlVkError as error:
        return error
    return None


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_are_refused_before_any_work(name, monkeypatch):
    """One argument at a time; without an error, there is a result."""
    x = images(2, 4, 5, 6)
    right = CALLS[name](x)
    parameters = inspect.signature(getattr(nn, name)).parameters
    bad = {
        key: [*HOSTILE, *[x.astype(kind) for kind in TENSORS], x[0, 0, 0, 0], x[:0]]
        for key in parameters
    }
    launched = []
    add = Queue.add

    def watched(self, *arguments):
        # Numbers and lists may have to go to memory that the host does not see, or come from there.
        if x.device.unified or arguments[0].path != "transfer":
            launched.append(arguments)
        if tier.is_all():
            add(self, *arguments)

    monkeypatch.setattr(Queue, "add", watched)
    for key, values in bad.items():
        counted = 0
        for value in values:
            launched.clear()
            error = refused(name, {**right, key: value})
            if error is not None:
                counted += 1
                assert str(error).startswith(f"{name}: ")
                # What indexes are can only be asked of the device.
                assert not launched or isinstance(error, LayoutIndexError), (key, value)
        assert counted > 3, key
