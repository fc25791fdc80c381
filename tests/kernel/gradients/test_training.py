"""Networks in training: losses and steps of optimizers, with the same bits however they are run."""

import numpy as np

import dml_vk
from dml_vk import nn, optim
from tests import tier
from tests.kernel.gradients.differences import check, drawn


def around(*shape, seed=1):
    return drawn(shape, "f", seed, -1, 1)


LOSSES = {
    "mse_loss": nn.mse_loss,
    "l1_loss": nn.l1_loss,
    "smooth_l1_loss": lambda x, t, reduction: nn.smooth_l1_loss(
        x, t, beta=0.4, reduction=reduction
    ),
    "huber_loss": lambda x, t, reduction: nn.huber_loss(x, t, delta=0.4, reduction=reduction),
    "binary_cross_entropy_with_logits": nn.binary_cross_entropy_with_logits,
    "gaussian_nll_loss": lambda x, t, reduction: nn.gaussian_nll_loss(
        x, t, dml_vk.abs(x) + 0.5, reduction=reduction
    ),
}


@tier.parametrize("name reduction", LOSSES, ["mean", "sum", "none"])
def test_gradients_of_losses(name, reduction):
    loss = LOSSES[name]
    check(
        lambda x, t: loss(x, t, reduction=reduction),
        [around(3, 4), around(3, 4, seed=2)],
        again=name not in ("l1_loss", "smooth_l1_loss", "huber_loss"),
    )


def test_gradients_of_divergence_and_similarity():
    targets = drawn((3, 4), "f", 2)
    check(lambda x, t: nn.kl_div(x, t, reduction="batchmean"), [around(3, 4), targets])
    check(nn.cosine_similarity, [around(3, 4), around(3, 4, seed=2)])


def images(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((6, 3, 8, 8), np.float32)
    return dml_vk.asarray(x), dml_vk.asarray(rng.integers(0, 5, 6))


def weights():
    rng = np.random.default_rng(9)
    return {
        "conv": dml_vk.asarray(rng.standard_normal((4, 3, 3, 3), np.float32) / 5),
        "norm": [dml_vk.ones(4), dml_vk.zeros(4)],
        "head": dml_vk.asarray(rng.standard_normal((5, 4), np.float32) / 2),
    }


def loss(params, x, labels):
    y = nn.conv(x, params["conv"], padding=1)
    y, _, _ = nn.batch_norm_train(y, *params["norm"])
    y = nn.max_pool(dml_vk.relu(y), 2)
    return nn.cross_entropy(nn.linear(dml_vk.mean(y, axis=(2, 3)), params["head"]), labels)


STEPS = 100 if tier.is_all() else 50


def trained(run, loss=loss, *, memory_format=dml_vk.contiguous_format):
    opt = optim.AdamW(0.02)

    def step(params, state, x, labels):
        value, grads = dml_vk.value_and_grad(loss)(params, x, labels)
        return *opt.update(params, grads, state), value

    run, params, values = run(step), weights(), []
    params["conv"] = params["conv"].contiguous(memory_format=memory_format)
    state = opt.init(params)
    batches = [images(seed) for seed in range(3)]
    for number in range(STEPS):
        x, labels = batches[number % 3]
        params, state, value = run(params, state, x.contiguous(memory_format=memory_format), labels)
        values.append(value)
    return [x.numpy().tobytes() for x in (params["conv"], *params["norm"], params["head"])], values


def test_training_has_the_same_bits_however_it_is_run():
    eager, values = trained(lambda step: step)
    assert values[-1].item() < values[0].item() * 0.7
    donated, _ = trained(lambda step: dml_vk.compile(step, donate=(0, 1)))
    turned, _ = trained(dml_vk.compile, memory_format=dml_vk.channels_last)
    again, _ = trained(dml_vk.compile, dml_vk.checkpoint(loss))
    assert eager == donated == turned == again
