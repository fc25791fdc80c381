"""Gradients of layers beside finite differences in float64."""

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests import tier
from tests.kernel.gradients.differences import check, drawn


def around(*shape, seed=1):
    return drawn(shape, "f", seed, -1, 1)


def first(cases, *others):
    """The names of cases: these others compare again what the rest do."""
    assert {*others} <= {*cases}
    return tier.plus([name for name in cases if name not in others], others)


CONVOLUTIONS = {
    "row": ((2, 3, 7), (4, 3, 3), {}),
    "stride and padding": ((2, 3, 7, 6), (4, 3, 3, 2), {"stride": 2, "padding": 1}),
    "same": ((2, 2, 7, 6), (4, 2, 3, 2), {"dilation": 2, "padding": "same"}),
    "groups": (
        (2, 4, 7, 8),
        (6, 2, 3, 2),
        {"groups": 2, "stride": (2, 3), "dilation": (1, 2), "padding": ((1, 0), (2, 1))},
    ),
    "depthwise": ((2, 4, 5, 5), (4, 1, 3, 3), {"groups": 4, "padding": 1}),
    "rest": ((1, 2, 9, 8), (3, 2, 2, 3), {"stride": 3}),
    "windows in the padding": ((1, 2, 1), (3, 2, 1), {"stride": 5, "padding": ((3, 1),)}),
    "volume": ((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), {"padding": 1, "stride": 2}),
    "relu": ((1, 2, 5, 5), (3, 2, 3, 3), {"activation": "relu"}),
    "leaky": ((1, 2, 5, 5), (3, 2, 3, 3), {"activation": ("leaky_relu", {"alpha": 0.1})}),
    "gelu": ((1, 2, 5, 5), (3, 2, 3, 3), {"activation": "gelu"}),
}
TRANSPOSED = {
    "output padding": (
        (2, 3, 4, 3),
        (3, 2, 3, 3),
        {"stride": 2, "padding": 1, "output_padding": 1},
    ),
    "groups": (
        (2, 4, 4, 3),
        (4, 2, 3, 2),
        {
            "stride": (1, 2),
            "padding": ((1, 0), (0, 1)),
            "dilation": 2,
            "groups": 2,
            "output_padding": 1,
        },
    ),
    "row": ((2, 3, 4), (3, 2, 3), {"activation": "sigmoid"}),
}


@pytest.mark.parametrize("name", first(CONVOLUTIONS, "row", "same", "rest", "leaky"))
def test_convolutions(name):
    x, weight, options = CONVOLUTIONS[name]
    arrays = [around(*x), around(*weight, seed=2), around(weight[0], seed=3)]
    check(lambda *operands: nn.conv(*operands, **options), arrays, again=name in ("groups", "gelu"))


def test_the_gradient_of_a_weight_has_no_more_sums_than_elements():
    x, weight = dml_vk.ones((2, 16, 16, 16)), dml_vk.ones((16, 16, 3, 3))
    slope = dml_vk.compile(
        dml_vk.grad(lambda weight, x: dml_vk.sum(nn.conv(x, weight, stride=2, padding=1)))
    )
    slope(weight, x)
    (program,) = slope.programs
    plans = [launch.work for part in program.parts for launch in part.launches]
    sizes = [plan.sizes for plan in plans if plan.module.startswith("conv")]
    assert sizes == [(*weight.shape, 1)]


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions(name):
    x, weight, options = TRANSPOSED[name]
    outputs = weight[1] * options.get("groups", 1)
    arrays = [around(*x), around(*weight, seed=2), around(outputs, seed=3)]
    check(lambda *each: nn.conv_transpose(*each, **options), arrays, again=name == "groups")


def test_the_weight_of_a_convolution_of_large_images_in_float64():
    arrays = [around(1, 2, 70, 70), around(2, 1, 3, 3)]
    check(lambda x, weight: nn.conv(x, weight, groups=2), arrays, again=False)


def test_linear_layers():
    check(nn.linear, [around(2, 5, 3), around(4, 3), around(4)])
    check(lambda x, w: nn.linear(x, w, activation="relu"), [around(3), around(4, 3)])
    check(
        lambda a, b, c: nn.gemm(a, b, c, alpha=2.0, beta=0.5, transpose_a=True),
        [around(2, 3, 4), around(3, 5), around(5)],
    )
    check(
        lambda a, b, c: nn.gemm(a, b, c, transpose_b=True, activation="tanh"),
        [around(3, 4), around(2, 5, 4), around(3, 1)],
    )


@pytest.mark.parametrize("axis", [-1, 0, (0, 2)])
def test_softmax(axis):
    for function in (nn.softmax, nn.log_softmax, nn.logsumexp):
        check(lambda x, f=function: f(x, axis=axis), [around(3, 4, 5)], again=axis == 0)
    check(lambda x: nn.logsumexp(x, axis=axis, keepdims=True), [around(3, 4, 5)], again=False)


NORMS = {
    "layer": (lambda x, w, b: nn.layer_norm(x, (4, 5), w, b), [(3, 4, 5), (4, 5), (4, 5)]),
    "shifted": (lambda x, b: nn.layer_norm(x, (5,), None, b), [(3, 4, 5), (5,)]),
    "active": (
        lambda x, w: nn.layer_norm(x, (5,), w, activation="sigmoid"),
        [(3, 4, 5), (5,)],
    ),
    "rms": (lambda x, w: nn.rms_norm(x, (5,), w), [(3, 4, 5), (5,)]),
    "instance": (nn.instance_norm, [(2, 3, 4, 5), (3,), (3,)]),
    "group": (lambda x, w, b: nn.group_norm(x, 2, w, b), [(2, 4, 4, 3), (4,), (4,)]),
    "group of rows": (lambda x, w: nn.group_norm(x, 2, w), [(2, 4), (4,)]),
    "axes": (
        lambda x, w, b: nn.mean_variance_norm(x, w, b, axes=(0, 2)),
        [(2, 4, 3), (4, 1), (3,)],
    ),
    "means": (
        lambda x, w: nn.mean_variance_norm(x, w, axes=(0, 2), normalize_variance=False),
        [(2, 4, 3), (4, 1)],
    ),
    "batch": (
        lambda x, m, v, w, b: nn.batch_norm(x, m, v * v + 1.0, w, b),
        [(2, 3, 4), (3,), (3,), (3,), (3,)],
    ),
    "train": (
        lambda x, w, b: nn.batch_norm_train(x, w, b)[0],
        [(4, 3, 4, 2), (3,), (3,)],
    ),
    "train active": (
        lambda x, w, b: nn.batch_norm_train(x, w, b, activation="gelu")[0],
        [(4, 3, 4), (3,), (3,)],
    ),
    "statistics": (
        lambda x: nn.batch_norm_train(x)[0] * nn.batch_norm_train(x)[2][:, None],
        [(4, 3, 2)],
    ),
}


WAYS = {"layer", "rms", "instance", "batch", "train"}  # to means and variances
AGAIN = tier.plus(WAYS, NORMS.keys() - WAYS)


OF_NORMS = "shifted", "active", "group of rows", "means", "train active"


@pytest.mark.parametrize("name", first(NORMS, *OF_NORMS))
def test_norms(name):
    function, shapes = NORMS[name]
    arrays = [around(*shape, seed=k) for k, shape in enumerate(shapes)]
    check(function, arrays, again=name in AGAIN)


@pytest.mark.parametrize("power", tier.plus([1, 2, float("inf")], [3, 1.5]))
def test_normalize(power):
    check(lambda x: nn.normalize(x, p=power), [around(3, 4, 2)], again=power == 2)
    check(lambda x: nn.normalize(x, p=power, eps=100.0), [around(3, 4, 2)], again=False)


POOLS = {
    "max": (lambda x: nn.max_pool(x, 2), (2, 3, 6, 7)),
    "max with padding": (lambda x: nn.max_pool(x, 3, stride=2, padding=1), (2, 3, 6, 7)),
    "max of volumes": (
        lambda x: nn.max_pool(x, 2, stride=3, dilation=2, ceil_mode=True),
        (1, 2, 6, 7, 5),
    ),
    "average": (lambda x: nn.avg_pool(x, 2), (2, 3, 6, 7)),
    "average with padding": (
        lambda x: nn.avg_pool(x, 3, stride=2, padding=1, ceil_mode=True),
        (2, 3, 6, 7),
    ),
    "average without padding": (
        lambda x: nn.avg_pool(x, 3, stride=2, padding="same", count_include_pad=False),
        (2, 3, 6),
    ),
    "average of pairs": (
        lambda x: nn.avg_pool(x, 3, stride=1, dilation=2, padding=((2, 1), (0, 3))),
        (1, 3, 6, 7),
    ),
    "lp": (lambda x: nn.lp_pool(x, 2, 2), (2, 3, 6, 7)),
    "lp of 4": (lambda x: nn.lp_pool(x, 4, (2, 3), stride=1), (2, 3, 6, 7)),
    "lp of 1": (lambda x: nn.lp_pool(x, 1, 2), (2, 3, 6)),
    "even adaptive average": (lambda x: nn.adaptive_avg_pool(x, (3, 7)), (2, 3, 6, 7)),
    "adaptive average": (lambda x: nn.adaptive_avg_pool(x, (4, 3)), (2, 3, 6, 7)),
    "larger adaptive average": (lambda x: nn.adaptive_avg_pool(x, (8, 3)), (2, 3, 3, 7)),
    "adaptive max": (lambda x: nn.adaptive_max_pool(x, (4, 3)), (2, 3, 6, 7)),
    "adaptive max of volumes": (lambda x: nn.adaptive_max_pool(x, (8, 3, 2)), (1, 2, 3, 7, 5)),
    "even adaptive max": (lambda x: nn.adaptive_max_pool(x, (2, 7)), (2, 3, 6, 7)),
    "global average": (nn.global_avg_pool, (2, 3, 4, 2)),
    "global max": (nn.global_max_pool, (2, 3, 4, 2)),
    "unfold": (
        lambda x: nn.unfold(x, (2, 3), dilation=2, padding=1, stride=(1, 2)),
        (2, 3, 6, 7),
    ),
    "fold": (lambda x: nn.fold(x, (4, 5), (2, 3), padding=1, stride=(1, 2)), (2, 12, 15)),
    "shuffle": (lambda x: nn.pixel_shuffle(x, 2), (2, 8, 3, 2)),
    "shuffle DCR": (lambda x: nn.pixel_shuffle(x, 2, order="DCR"), (2, 8, 3, 2)),
    "unshuffle": (lambda x: nn.pixel_unshuffle(x, 2), (2, 2, 4, 6)),
    "responses": (lambda x: nn.local_response_norm(x, 3, alpha=0.5), (2, 5, 3, 2)),
    "responses of 4": (lambda x: nn.local_response_norm(x, 4, alpha=0.5, beta=1.0), (2, 5, 3, 2)),
    "responses of places": (
        lambda x: nn.local_response_norm(x, 2, alpha=0.5, cross_channel=False),
        (2, 2, 3, 4),
    ),
}


# Whose rule is that of another, at other sizes.
OF_POOLS = [
    *("average with padding", "average of pairs", "lp of 1", "even adaptive average"),
    *("larger adaptive average", "adaptive max of volumes", "even adaptive max"),
    *("shuffle DCR", "responses of 4"),
]


@pytest.mark.parametrize("name", first(POOLS, *OF_POOLS))
def test_pools_and_images(name):
    function, shape = POOLS[name]
    check(function, [around(*shape)], again=name in ("max", "average", "lp", "fold", "responses"))


def test_max_pool_sends_gradients_to_the_first_of_equal_elements():
    x = dml_vk.asarray(np.array([[[1.0, 1.0, 0.0, 1.0]]]))
    gradient = dml_vk.grad(lambda x: dml_vk.sum(nn.max_pool(x, 2)))(x)
    assert gradient.tolist() == [[[1.0, 0.0, 0.0, 1.0]]]
    gradient = dml_vk.grad(lambda x: dml_vk.sum(nn.max_pool(x, 3, stride=1)))(x)
    assert gradient.tolist() == [[[1.0, 1.0, 0.0, 0.0]]]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}])
def test_attention(options):
    arrays = [around(2, 2, 4, 3), around(2, 1, 5, 3, seed=2), around(2, 5, 2, seed=3)]
    check(lambda *each: nn.scaled_dot_product_attention(*each, **options), arrays)


@pytest.mark.parametrize("shape", tier.plus([(2, 1, 1, 5), (2, 4, 1)], [(4, 5), (1, 5), (5,)]))
def test_attention_with_a_mask(shape):
    arrays = [around(2, 2, 4, 3), around(2, 1, 5, 3, seed=2), around(2, 5, 2, seed=3)]

    def masked(q, k, v, mask):
        return nn.scaled_dot_product_attention(q, k, v, mask=mask)

    check(masked, [*arrays, around(*shape, seed=4)], again=False)


def test_attention_of_queries_that_see_no_key():
    rows = [[1, 1, 0, 0, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 0, 0]]
    mask = dml_vk.asarray(np.array(rows, bool))
    arrays = [around(2, 4, 3), around(2, 5, 3, seed=2), around(2, 5, 2, seed=3)]
    check(lambda *each: nn.scaled_dot_product_attention(*each, mask=mask), arrays)


@pytest.mark.parametrize("options", [{}, {"is_causal": True}])
def test_attention_in_blocks_of_queries(monkeypatch, options):
    monkeypatch.setattr("dml_vk.gradients.rules.attention.MOST", 40)
    arrays = [around(2, 2, 5, 3), around(2, 1, 5, 3, seed=2), around(2, 5, 2, seed=3)]
    check(lambda *each: nn.scaled_dot_product_attention(*each, **options), arrays, again=False)


@pytest.mark.parametrize("count", tier.plus([1, 6], [2, 40]))
def test_embedding(count):
    index = dml_vk.asarray(np.random.default_rng(3).integers(0, 5, count))
    check(lambda weight: nn.embedding(index, weight), [around(7, 3)])


@tier.parametrize("function reduction", [nn.nll_loss, nn.cross_entropy], ["mean", "sum", "none"])
def test_losses_of_classes(function, reduction):
    row = dml_vk.asarray(np.array([1, 0, 2, 1]))
    images = dml_vk.asarray(np.array([[1, 0], [2, -100], [2, 1]]))
    one = dml_vk.asarray(np.array(1))
    check(lambda x: function(x, row, reduction=reduction), [around(4, 3)])
    check(lambda x: function(x, row, ignore_index=1, reduction=reduction), [around(4, 3)])
    check(lambda x: function(x, one, reduction=reduction), [around(3)], again=False)
    check(
        lambda x, w: function(x, images, weight=w, reduction=reduction),
        [around(3, 4, 2), drawn((4,), "f", 2)],
        again=False,
    )


def test_dropout_drops_the_same_elements_of_the_gradient():
    x = dml_vk.ones((50, 3))

    def kept(x):
        return nn.dropout(x, 0.5, generator=dml_vk.random.Generator(key=7))

    gradient = dml_vk.grad(lambda x: dml_vk.sum(kept(x) * 3.0))(x)
    assert gradient.tolist() == (kept(x) * 3.0).tolist()


RESAMPLED = {
    "nearest": {"size": (5, 9)},
    "smaller": {"size": (2, 3)},
    "exact": {"scale": 1.7, "mode": "nearest_exact"},
    "linear": {"size": (7, 2), "mode": "linear"},
    "corners": {"scale": (2.0, 3.0), "mode": "linear", "align_corners": True},
    "cubic": {"size": (6, 6), "mode": "cubic"},
}


@pytest.mark.parametrize("name", first(RESAMPLED, "smaller", "exact"))
def test_resample_is_linear(name):
    """The pullback is the transpose: the products of both with any numbers agree."""
    x = dml_vk.asarray(around(2, 3, 4, 5).astype(np.float32))
    y, pullback = dml_vk.vjp(lambda x: nn.resample(x, **RESAMPLED[name]), x)
    g = around(*y.shape, seed=2).astype(np.float32)
    (back,) = pullback(dml_vk.asarray(g))
    left, right = [
        np.sum(a.astype(np.float64) * b) for a, b in ((y.numpy(), g), (x.numpy(), back.numpy()))
    ]
    np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-4)


TRANSFORMS = ("fft", "ifft", "hfft", "irfft", "rfft", "ihfft")


@tier.parametrize("name norm", TRANSFORMS, ["backward", "ortho", "forward"])
def test_transforms(name, norm):
    function = getattr(dml_vk.fft, name)
    kind = "f" if name in ("rfft", "ihfft") else "c"
    for n in tier.plus([None, 4 if norm == "ortho" else 9], [9 if norm == "ortho" else 4]):
        arrays = [drawn((6, 2), kind, 1)]
        check(lambda x, n=n: function(x, n=n, norm=norm, axis=0), arrays, again=n is None)
    if name in ("fft", "ifft"):
        check(lambda x: function(x, norm=norm), [drawn((2, 7), "f", 2)], again=False)


def test_transforms_along_axes():
    fft = dml_vk.fft
    check(lambda x: fft.fftn(x, s=(3, 4), axes=(0, 2)), [drawn((4, 2, 3), "c", 1)], again=False)
    check(fft.rfftn, [drawn((4, 2, 3), "f", 1)], again=False)
    check(lambda x: fft.irfftn(x, s=(3, 5)), [drawn((4, 3), "c", 1)], again=False)
    check(fft.ifft2, [drawn((2, 4, 3), "c", 1)], again=False)
    check(fft.fftshift, [drawn((2, 5), "f", 1)])


def test_unpooling():
    x = around(1, 2, 4)
    _, indices = nn.max_pool(dml_vk.asarray(around(1, 2, 8, seed=2)), 2, return_indices=True)
    check(lambda x: nn.max_unpool(x, indices, 8), [x])
