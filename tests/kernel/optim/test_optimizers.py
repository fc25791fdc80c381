"""Optimizers: Lion's and Muon's formulas, trees, rates, programs, files and mistakes."""

from __future__ import annotations

import functools
import math
import pickle

import numpy as np
import pytest

import dml_vk
from dml_vk import optim
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.chance import chance

OPTIMIZERS = [
    optim.SGD(0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    optim.Adam(0.1, weight_decay=0.1),
    optim.AdamW(optim.cosine(0.1, 10)),
    optim.RMSprop(0.1, momentum=0.9, centered=True),
    optim.Adagrad(optim.step(0.1, 2, 0.5), lr_decay=0.1),
    optim.Lion(optim.warmup(0.1, 3), weight_decay=0.1),
    optim.Muon(0.1, weight_decay=0.1),
]


def drawn(*shape, dtype="float32"):
    return dml_vk.asarray(chance().normal(size=shape).astype(dtype))


def trees(count=4):
    """Parameters, and gradients for some steps."""
    return [
        {"a": [drawn(3, 4), drawn(2, 3, 2, 2).to(dml_vk.channels_last)], "b": (drawn(5, 2),)}
        for _ in range(count)
    ]


def bits(tree):
    return {name: x.numpy().tobytes() for name, x in optim.named(tree).items()}


@pytest.mark.parametrize("opt", OPTIMIZERS, ids=lambda opt: type(opt).__name__)
def test_eager_compiled_and_donated_steps_have_the_same_bits(opt):
    params, *grads = trees()
    ends = []
    whole = dml_vk.compile(opt.update)
    gone = functools.partial(dml_vk.compile, donate=(0, 2))(lambda *three: opt.update(*three))
    for update in (opt.update, whole, gone):
        now = optim.like(params, {k: x.clone() for k, x in optim.named(params).items()})
        state = opt.init(now)
        for slopes in grads:
            now, state = update(now, slopes, state)
        ends.append(bits({"params": now, "state": state}))
    assert ends[0] == ends[1] == ends[2]
    assert len(whole.programs) == 1


def test_lion_is_its_papers():
    x, opt = chance().normal(size=(3, 4)), optim.Lion(0.1, (0.9, 0.99), weight_decay=0.5)
    params, average = dml_vk.asarray(x), np.zeros((3, 4))
    state = opt.init(params)
    for _ in range(100):
        slopes = chance().normal(size=(3, 4))
        x = x - 0.1 * (np.sign(0.9 * average + 0.1 * slopes) + 0.5 * x)
        average = 0.99 * average + 0.01 * slopes
        params, state = opt.update(params, dml_vk.asarray(slopes), state)
    assert np.allclose(params.numpy(), x, rtol=1e-12, atol=1e-12)


def newton_schulz(matrix):
    x = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    x = x / (np.linalg.norm(x) + 1e-7)
    for _ in range(5):
        products = x @ x.T
        x = 3.4445 * x + (-4.7750 * products + 2.0315 * products @ products) @ x
    return x if matrix.shape[0] <= matrix.shape[1] else x.T


@tier.parametrize("nesterov shape", [True, False], [(4, 6), (6, 4), (5, 2, 3, 3)])
def test_muon_is_its_authors(shape, nesterov):
    x, average = chance().normal(size=shape), np.zeros(shape)
    opt, params = optim.Muon(0.1, 0.9, nesterov, weight_decay=0.5), dml_vk.asarray(x)
    state, columns = opt.init(params), math.prod(shape[1:])
    for _ in range(20):
        slopes = chance().normal(size=shape)
        average = 0.9 * average + 0.1 * slopes
        direction = 0.1 * slopes + 0.9 * average if nesterov else average
        step = newton_schulz(direction.reshape(shape[0], -1)) * max(1, shape[0] / columns) ** 0.5
        x = x * (1 - 0.1 * 0.5) - 0.1 * step.reshape(shape)
        params, state = opt.update(params, dml_vk.asarray(slopes), state)
    assert np.allclose(params.numpy(), x, rtol=1e-9, atol=1e-9)


def test_leaves_that_are_not_trained_stay():
    counts, fixed = dml_vk.asarray([1, 2]), drawn(3)
    params = {"x": drawn(3), "count": counts, "fixed": fixed, "name": "net", "none": None}
    grads = {"none": None, "name": None, "fixed": None, "count": None, "x": dml_vk.ones(3)}
    opt = optim.Adam(0.5)
    new, state = opt.update(params, grads, opt.init(params))
    assert new["count"] is counts
    assert new["fixed"] is fixed
    assert new["name"] == "net"
    assert state["exp_avg"]["count"] is None
    assert list(new) == list(params)
    assert np.allclose(new["x"].numpy(), params["x"].numpy() - 0.5)
    assert not any(state["exp_avg"]["fixed"].tolist())
    assert opt.update({}, {}, opt.init({}))[1]["step"].item() == 1


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    "opt",
    [
        optim.Adam(0.1, weight_decay=0.1),
        optim.AdamW(0.1),
        optim.Adagrad(0.1, lr_decay=0.5),
        optim.Adagrad(0.1),
        optim.SGD(0.1, momentum=0.9),
    ],
    ids=repr,
)
def test_a_leaf_without_a_gradient_misses_the_step(opt, is_compiled):
    """As in PyTorch, where it ends as if it had been trained alone, in fewer steps."""
    missed = {"a": (), "b": (0, 4), "c": (3, 4, 7), "d": range(9)}
    params = {name: drawn(3) for name in missed}
    grads = [{name: drawn(3) for name in missed} for _ in range(9)]
    update = dml_vk.compile(opt.update) if is_compiled else opt.update
    now, state = params, opt.init(params)
    for k, slopes in enumerate(grads):
        slopes = {name: None if k in missed[name] else x for name, x in slopes.items()}
        now, state = update(now, slopes, state)
        again = optim.like(opt.init(now), optim.named(state))  # as from a file
        assert bits(again) == bits(state)
    assert state["step"].item() == 9
    for name, steps in missed.items():
        alone, own = params[name], opt.init(params[name])
        for k in set(range(9)).difference(steps):
            alone, own = opt.update(alone, grads[k][name], own)
        assert bits(now[name]) == bits(alone), name


def test_a_step_that_no_leaf_misses_counts_once():
    opt, params = optim.Adam(0.1), {"a": drawn(3), "b": drawn(3)}
    _, state = opt.update(params, params, opt.init(params))
    assert state["count"] == {"a": None, "b": None}
    _, state = opt.update(params, {"a": params["a"], "b": None}, state)
    assert state["count"]["a"] is None
    assert state["count"]["b"].item() == 1


def test_float16_keeps_its_state_in_float32_and_rounds_once():
    x, slopes = drawn(64, dtype="float16"), drawn(64, dtype="float16")
    opt = optim.Adam(0.01)
    new, state = opt.update(x, slopes, opt.init(x))
    wide, _ = opt.update(x.astype("float32"), slopes.astype("float32"), opt.init(x))
    assert state["exp_avg"].dtype is dml_vk.float32
    assert new.dtype is dml_vk.float16
    assert np.array_equal(new.numpy(), wide.numpy().astype(np.float16))


def test_rates_are_numbers_tensors_functions_or_given():
    x = dml_vk.ones(2)
    steps = []

    def rate(step):
        steps.append(step.item())
        return 0.5 if step < 1 else 0.25

    def end(opt, **given):
        new, state = opt.update(x, x, opt.init(x), **given)
        return opt.update(new, x, state, **given)[0].tolist()[0]

    assert end(optim.SGD(rate)) == 0.25
    assert steps == [0, 1]
    assert end(optim.SGD(1)) == -1
    assert end(optim.SGD(dml_vk.asarray(0.5))) == 0
    assert end(optim.SGD(1.0), lr=0.25) == end(optim.SGD(1.0), lr=np.float32(0.25)) == 0.5
    assert end(optim.SGD(1.0), lr=lambda step: 0.5 ** (step + 1.0)) == 0.25


def test_a_new_rate_needs_no_new_program():
    opt, x = optim.AdamW(0.1), dml_vk.ones(4)
    state = opt.init(x)
    for rate in (0.1, 0.2, 0.3):
        x, state = opt.update(x, x, state, lr=rate)
    whole = dml_vk.compile(lambda x, state, rate: opt.update(x, x, state, rate))
    for rate in (0.1, 0.2, 0.3):
        x, state = whole(x, state, rate)
    assert len(opt._program.programs) == len(whole.programs) == 1


def test_optimizers_are_immutable_and_pickled_without_their_programs():
    opt, x = optim.SGD(0.1, momentum=0.5), drawn(4)
    end = bits(opt.update(x, x, opt.init(x)))
    for name in ("lr", "momentum", "weight_decay"):
        with pytest.raises(AttributeError, match=f"an optimizer is immutable: .* got {name}=0.9"):
            setattr(opt, name, 0.9)
    again = pickle.loads(pickle.dumps(opt))
    assert repr(again) == repr(opt)
    assert bits(again.update(x, x, again.init(x))) == end


@pytest.mark.parametrize(
    ("rate", "wanted"),
    [
        (optim.cosine(0.5, 8), lambda k: 0.25 * (1 + math.cos(math.pi * min(k, 8) / 8))),
        (optim.warmup(0.5, 8), lambda k: 0.5 * min(k / 8, 1)),
        (optim.step(0.5, 3, 0.5), lambda k: 0.5 * 0.5 ** (k // 3)),
        (optim.step(0.5, 3, 0), lambda k: 0.5 * (k < 3)),
    ],
)
def test_schedules_of_ints_of_tensors_and_in_programs(rate, wanted):
    compiled = dml_vk.compile(rate)
    for k in range(12):
        step = dml_vk.asarray(k, dtype="int32")
        assert math.isclose(rate(k), wanted(k), abs_tol=1e-9)
        assert math.isclose(rate(step).item(), wanted(k), rel_tol=1e-6, abs_tol=1e-7)
        assert compiled(step).item() == rate(step).item()


def test_clipping_by_the_norm_of_all():
    arrays = [chance().normal(size=(4, 5)), chance().normal(size=7)]
    grads = {"a": dml_vk.asarray(arrays[0].astype("f")), "b": [dml_vk.asarray(arrays[1]), None]}
    norm = np.sqrt(sum((array**2).sum() for array in arrays))
    clipped, known = optim.clip_by_global_norm(grads, 1.0)
    assert np.isclose(known.item(), norm, rtol=1e-6)
    assert clipped["b"][1] is None
    assert clipped["a"].dtype is dml_vk.float32
    assert clipped["b"][0].dtype is dml_vk.float64
    assert np.allclose(clipped["a"].numpy(), arrays[0] / (norm + 1e-6), rtol=1e-6)
    same, _ = optim.clip_by_global_norm(grads, norm + 1)
    assert bits(same) == bits(grads)
    compiled = dml_vk.compile(optim.clip_by_global_norm)(grads, 1.0)
    assert bits(compiled) == bits((clipped, known))
    half = dml_vk.full((4,), 300.0, dtype="float16")
    assert optim.clip_by_global_norm(half, 1.0)[1].item() == 600
    assert optim.clip_by_global_norm([None], 1.0)[1].item() == 0


@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
def test_a_state_continues_from_a_file(tmp_path, suffix):
    params, *grads = trees()
    opt, path = optim.AdamW(optim.cosine(0.1, 5)), tmp_path / f"state.{suffix}"
    whole = params, opt.init(params)
    for slopes in grads[:2]:
        whole = opt.update(whole[0], slopes, whole[1])
    dml_vk.save(path, optim.named(whole))
    again = optim.like((params, opt.init(params)), dml_vk.load(path))
    assert bits(again) == bits(whole)
    ends = [opt.update(now, grads[2], state) for now, state in (whole, again)]
    assert bits(ends[0]) == bits(ends[1])


def test_mistakes():
    x, opt = drawn(3), optim.Adam()
    state = opt.init({"x": x})
    for grads in ({"y": x}, [x], x, {"x": [x]}):
        with pytest.raises(DTypeError, match="grads must have the tree of params"):
            opt.update({"x": x}, grads, state)
    with pytest.raises(LayoutError, match="a gradient must have the shape of its parameter"):
        opt.update({"x": x}, {"x": drawn(4)}, state)
    with pytest.raises(DTypeError, match="gradients must be tensors of floats, or None"):
        opt.update({"x": x}, {"x": 1.0}, state)
    with pytest.raises(DTypeError, match="state must be a dict of step, exp_avg, exp_avg_sq"):
        opt.update({"x": x}, {"x": x}, optim.SGD(0.1).init({"x": x}))
    with pytest.raises(DTypeError, match="lr must be a real number"):
        opt.update({"x": x}, {"x": x}, state, lr="fast")
    with pytest.raises(LayoutError, match="params must be matrices"):
        optim.Muon().update(x, x, optim.Muon().init(x))
    for wrong in [
        lambda: optim.SGD(-1),
        lambda: optim.SGD(0.1, nesterov=True),
        lambda: optim.Adam(betas=(0.9, 1)),
        lambda: optim.Adam(eps=math.nan),
        lambda: optim.cosine(0.1, 0),
        lambda: optim.warmup(math.inf, 3),
        lambda: optim.step(0.1, 3, -1),
        lambda: optim.clip_by_global_norm([x], -1),
        lambda: optim.like({"x": x}, {}),
    ]:
        with pytest.raises(RangeError):
            wrong()
    for wrong in [lambda: optim.SGD("0.1"), lambda: optim.Adam(betas=0.9)]:
        with pytest.raises(DTypeError):
            wrong()
    with pytest.raises(LayoutError, match="a tensor must have the shape of that in the tree"):
        optim.like([x], {"0": drawn(4)})
    with pytest.raises(DTypeError, match="a tensor must have the dtype of that in the tree"):
        optim.like([x], {"0": drawn(3, dtype="float64")})
    with pytest.raises(DTypeError, match="gradients must be tensors of floats"):
        optim.clip_by_global_norm([dml_vk.asarray([1])], 1)
    with pytest.raises(RangeError, match="names must not repeat"):
        optim.named({"a": [x], "a.0": x})
