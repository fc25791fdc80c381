"""Calls of networks whose gradients PyTorch is asked for: PyTorch's call, ours, and operands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

Row = tuple[str, str, dict[str, Any]]

REDUCTIONS = ("mean", "sum", "none")


def rows() -> Iterator[Row]:
    for part in (convolutions, pools, norms, rows_of_numbers, lookups, losses, images):
        yield from part()


def convolutions() -> Iterator[Row]:
    sizes = {1: (9,), 2: (7, 6), 3: (5, 4, 6)}
    ways = [
        {},
        {"stride": 2, "padding": 1},
        {"dilation": 2, "padding": 2},
        {"groups": 2},
        {"groups": 4, "padding": 1},
        {"stride": 3, "padding": 2, "dilation": 2, "groups": 2},
    ]
    for rank, way in product(sizes, ways):
        groups, kernel = way.get("groups", 1), (3, 2, 3)[:rank]
        operands = {"x": (2, 4, *sizes[rank]), "w": (4, 4 // groups, *kernel), "b": (4,)}
        told = _told(way)
        yield f"F.conv{rank}d(x, w, b{told})", f"nn.conv(x, w, b{told})", operands
    ways = [
        {},
        {"stride": 2, "padding": 1, "output_padding": 1},
        {"stride": 2, "groups": 2, "dilation": 2},
        {"groups": 4, "padding": 1},
    ]
    for rank, way in product(sizes, ways):
        groups, kernel = way.get("groups", 1), (3, 2, 3)[:rank]
        operands = {"x": (2, 4, *sizes[rank]), "w": (4, 4 // groups, *kernel), "b": (4,)}
        told = _told(way)
        theirs = f"F.conv_transpose{rank}d(x, w, b{told})"
        yield theirs, f"nn.conv_transpose(x, w, b{told})", operands
    operands = {"x": (2, 3, 5, 5), "w": (4, 3, 1, 1)}
    yield "F.conv2d(x, w)", "nn.conv(x, w)", operands
    operands = {"x": (2, 3, 6, 5), "w": (2, 3, 2, 3)}
    same = "(x, w, padding='same', dilation=2)"
    yield f"F.conv2d{same}", f"nn.conv{same}", operands
    both = "(x.expand(2, 3, 5, 5), w)", "(dv.broadcast_to(x, (2, 3, 5, 5)), w)"
    yield f"F.conv2d{both[0]}", f"nn.conv{both[1]}", {"x": (1, 3, 1, 5), "w": (2, 3, 2, 2)}


def _told(options: dict[str, Any]) -> str:
    return "".join([f", {name}={value!r}" for name, value in options.items()])


def pools() -> Iterator[Row]:
    sizes = {1: (9,), 2: (7, 6), 3: (5, 4, 6)}
    for rank in sizes:
        x = {"x": (2, 3, *sizes[rank])}
        for way in ("2", "3, stride=2, padding=1", "2, stride=3, ceil_mode=True"):
            yield f"F.max_pool{rank}d(x, {way})", f"nn.max_pool(x, {way})", x
            yield f"F.avg_pool{rank}d(x, {way})", f"nn.avg_pool(x, {way})", x
        dilated = "(x, 2, stride=1, dilation=2)"
        yield f"F.max_pool{rank}d{dilated}", f"nn.max_pool{dilated}", x
        inside = "(x, 3, stride=2, padding=1, count_include_pad=False)"
        yield f"F.avg_pool{rank}d{inside}", f"nn.avg_pool{inside}", x
        for to in (1, 2, 3):
            for kind in ("avg", "max"):
                yield (
                    f"F.adaptive_{kind}_pool{rank}d(x, {(to,) * rank})",
                    f"nn.adaptive_{kind}_pool(x, {(to,) * rank})",
                    x,
                )
        if rank < 3:
            for power in (1, 2, 3):
                positive = {"x": {"shape": x["x"], "low": 0.2}}
                yield f"F.lp_pool{rank}d(x, {power}, 2)", f"nn.lp_pool(x, {power}, 2)", positive
        yield (
            f"F.max_unpool{rank}d(x, F.max_pool{rank}d(x.detach() * 0 + x.detach(), 1, "
            f"return_indices=True)[1], 1)",
            "nn.max_unpool(x, nn.max_pool(dv.stop_gradient(x), 1, return_indices=True)[1], "
            f"{sizes[rank]})",
            x,
        )
    for way in ("(3, 2), stride=(1, 2), padding=(1, 0)", "(2, 3), stride=(2, 1)"):
        for kind in ("avg", "max"):
            yield f"F.{kind}_pool2d(x, {way})", f"nn.{kind}_pool(x, {way})", {"x": (2, 3, 5, 7)}
    # Equal elements: the first of a window has the gradient.
    tied = {"x": {"values": [[[[1.0, 1.0, 0.0], [1.0, 1.0, 2.0], [2.0, 2.0, 2.0]]]]}}
    yield "F.max_pool2d(x, 2, stride=1)", "nn.max_pool(x, 2, stride=1)", tied
    yield "F.adaptive_max_pool2d(x, 2)", "nn.adaptive_max_pool(x, 2)", tied


def norms() -> Iterator[Row]:
    for sizes in ((4, 3), (4, 3, 5), (2, 3, 4, 2), (2, 3, 2, 2, 3)):
        operands = {"x": sizes, "w": (3,), "b": (3,)}
        yield (
            "F.batch_norm(x, None, None, w, b, training=True)",
            "nn.batch_norm_train(x, w, b)[0]",
            operands,
        )
        more = {**operands, "m": (3,), "v": {"shape": (3,), "low": 0.5, "high": 2.0}}
        fixed = "dv.stop_gradient(m), dv.stop_gradient(v)"
        yield (
            "F.batch_norm(x, m.detach(), v.detach(), w, b) + 0 * (m + v).sum()",
            f"nn.batch_norm(x, {fixed}, w, b) + 0 * dv.sum(m + v)",
            more,
        )
        if len(sizes) > 2:
            yield "F.instance_norm(x, weight=w, bias=b)", "nn.instance_norm(x, w, b)", operands
            yield "F.instance_norm(x)", "nn.instance_norm(x)", {"x": sizes}
    yield (
        "F.batch_norm(x, None, None, training=True, eps=0.1)",
        "nn.batch_norm_train(x, eps=0.1)[0]",
        {"x": (4, 3, 2)},
    )
    for sizes in ((4, 6), (2, 4, 5), (2, 4, 3, 3)):
        for groups in (1, 2, sizes[1]):
            if len(sizes) == 2 and groups == sizes[1]:
                continue  # the norm of single elements
            operands = {"x": sizes, "w": (sizes[1],), "b": (sizes[1],)}
            yield (
                f"F.group_norm(x, {groups}, w, b)",
                f"nn.group_norm(x, {groups}, w, b)",
                operands,
            )
    for sizes, dims in (((3, 5), 1), ((2, 3, 4), 2), ((2, 2, 3, 2), 3)):
        last = sizes[-dims:]
        operands = {"x": sizes, "w": last, "b": last}
        yield f"F.layer_norm(x, {last}, w, b)", f"nn.layer_norm(x, {last}, w, b)", operands
        yield f"F.layer_norm(x, {last})", f"nn.layer_norm(x, {last})", {"x": sizes}
        operands = {"x": sizes, "w": last}
        yield (
            f"F.rms_norm(x, {last}, w, eps=1e-6)",
            f"nn.rms_norm(x, {last}, w, eps=1e-6)",
            operands,
        )
    responses = "(x, 3, alpha=0.5, beta=0.6, k=1.5)"
    yield (
        f"F.local_response_norm{responses}",
        f"nn.local_response_norm{responses}",
        {"x": (2, 5, 3, 2)},
    )
    for power in (1, 2, 3):
        yield (
            f"F.normalize(x, p={power}, dim=1)",
            f"nn.normalize(x, p={power}, axis=1)",
            {"x": (3, 4, 2)},
        )
    yield (
        "F.normalize(x)",
        "nn.normalize(x)",
        {"x": {"values": [[0.0, 0.0, 0.0], [3.0, 0.0, -4.0]]}},
    )


def rows_of_numbers() -> Iterator[Row]:
    for axis, shape in ((-1, (3, 5)), (1, (2, 4, 3)), (0, (6,)), (2, (2, 3, 4, 2))):
        for name in ("softmax", "log_softmax"):
            yield f"F.{name}(x, dim={axis})", f"nn.{name}(x, axis={axis})", {"x": shape}
            yield f"F.{name}(-x, dim={axis})", f"nn.{name}(-x, axis={axis})", {"x": shape}
        yield f"torch.logsumexp(x, dim={axis})", f"nn.logsumexp(x, axis={axis})", {"x": shape}
    yield "torch.logsumexp(x, dim=(0, 2))", "nn.logsumexp(x, axis=(0, 2))", {"x": (2, 3, 4)}
    q, k, v = (2, 2, 5, 3), (2, 2, 4, 3), (2, 2, 4, 3)
    operands = {"q": q, "k": k, "v": v}
    name = "scaled_dot_product_attention"
    yield f"F.{name}(q, k, v)", f"nn.{name}(q, k, v)", operands
    yield f"F.{name}(q, k, v, scale=0.3)", f"nn.{name}(q, k, v, scale=0.3)", operands
    both = {"q": (2, 2, 5, 3), "k": (2, 2, 5, 3), "v": (2, 2, 5, 4)}
    yield f"F.{name}(q, k, v, is_causal=True)", f"nn.{name}(q, k, v, is_causal=True)", both
    masked = {**operands, "m": (2, 1, 5, 4)}
    yield f"F.{name}(q, k, v, attn_mask=m)", f"nn.{name}(q, k, v, mask=m)", masked
    masked = {**operands, "m": (5, 4)}
    yield f"F.{name}(q, k, v, attn_mask=m)", f"nn.{name}(q, k, v, mask=m)", masked
    yield f"F.{name}(q, k, v, attn_mask=seen)", f"nn.{name}(q, k, v, mask=seen)", operands
    few = {"q": (2, 5, 3), "k": (2, 4, 3), "v": (2, 4, 2)}
    yield f"F.{name}(q, k, v)", f"nn.{name}(q, k, v)", few
    for shape in ((4, 3), (2, 4, 3), (3,)):
        operands = {"x": shape, "w": (5, 3), "b": (5,)}
        yield "F.linear(x, w, b)", "nn.linear(x, w, b)", operands
    activations = {
        "relu": "relu(x)",
        "leaky_relu": "leaky_relu(x)",
        "elu": "elu(x)",
        "celu": "celu(x)",
        "selu": "scaled_elu(x)",
        "gelu": "gelu(x)",
        "sigmoid": "sigmoid(x)",
        "logsigmoid": "-dv.softplus(-x)",
        "softplus": "softplus(x)",
        "softsign": "softsign(x)",
        "hardswish": "hard_swish(x)",
        "silu": "swish(x)",
        "tanh": "tanh(x)",
    }
    # Kinks are among the values.
    values = [[-4.0, -3.0, -1.0, -0.5], [0.0, 0.25, 1.0, 3.0], [4.0, 2.5, -2.0, 0.75]]
    for theirs, ours in activations.items():
        ours = ours if "dv." in ours else f"dv.{ours}"
        yield f"F.{theirs}(x)", ours, {"x": {"values": values}}


def lookups() -> Iterator[Row]:
    yield "F.embedding(index, w)", "nn.embedding(index, w)", {"w": (6, 3)}
    yield "F.embedding(index[0], w)", "nn.embedding(index[0], w)", {"w": (6, 1)}
    yield "w[index]", "w[index]", {"w": (6, 3)}


def losses() -> Iterator[Row]:
    pair = {"x": (4, 3), "y": (4, 3)}
    logits = {"x": (4, 3), "y": {"shape": (4, 3), "low": 0.1, "high": 0.9}}
    for how in REDUCTIONS:
        end = f", reduction={how!r})"
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
            yield f"F.{name}(x, y{end}", f"nn.{name}(x, y{end}", pair
        for name, option in (("smooth_l1_loss", "beta=0.3"), ("huber_loss", "delta=0.3")):
            yield f"F.{name}(x, y, {option}{end}", f"nn.{name}(x, y, {option}{end}", pair
        name = "binary_cross_entropy_with_logits"
        yield f"F.{name}(x, y{end}", f"nn.{name}(x, y{end}", logits
        weighted = f"(x, y, weight=weight, pos_weight=weight + 1{end}"
        yield f"F.{name}{weighted}", f"nn.{name}{weighted}", logits
        for given in ("x, y", "x, y, log_target=True"):
            yield f"F.kl_div({given}{end}", f"nn.kl_div({given}{end}", logits
        spread = {**pair, "v": {"shape": (4, 3), "low": 0.2, "high": 2.0}}
        for given in ("x, y, v", "x, y, v, full=True, eps=0.5"):
            yield f"F.gaussian_nll_loss({given}{end}", f"nn.gaussian_nll_loss({given}{end}", spread
        for more in ("", ", weight=weight", ", ignore_index=1", ", weight=weight, ignore_index=2"):
            for name in ("cross_entropy", "nll_loss"):
                yield (
                    f"F.{name}(x, target{more}{end}",
                    f"nn.{name}(x, target{more}{end}",
                    {"x": (4, 3)},
                )
        for name in ("cross_entropy", "nll_loss"):
            yield f"F.{name}(x, targets{end}", f"nn.{name}(x, targets{end}", {"x": (2, 3, 2, 2)}
    yield "F.kl_div(x, y, reduction='batchmean')", "nn.kl_div(x, y, reduction='sum') / 4", logits
    for how in ("", ", dim=0"):
        ours = how.replace("dim", "axis")
        yield f"F.cosine_similarity(x, y{how})", f"nn.cosine_similarity(x, y{ours})", pair
    kinks = {"x": {"values": [0.0, 1.0, 2.0, -1.0]}, "y": {"values": [0.0, 0.0, 2.5, -1.0]}}
    for name in ("l1_loss", "smooth_l1_loss", "huber_loss"):
        yield f"F.{name}(x, y, reduction='sum')", f"nn.{name}(x, y, reduction='sum')", kinks
    broadcast = {"x": (4, 3), "y": (1, 3)}
    yield "F.mse_loss(x, y.expand(4, 3))", "nn.mse_loss(x, dv.broadcast_to(y, (4, 3)))", broadcast


def images() -> Iterator[Row]:
    yield "F.pixel_shuffle(x, 2)", "nn.pixel_shuffle(x, 2)", {"x": (2, 8, 3, 2)}
    yield "F.pixel_unshuffle(x, 2)", "nn.pixel_unshuffle(x, 2)", {"x": (2, 2, 4, 6)}
    for way in ("(2, 3)", "2, dilation=2, padding=1, stride=(1, 2)"):
        yield f"F.unfold(x, {way})", f"nn.unfold(x, {way})", {"x": (2, 3, 6, 7)}
    yield "F.fold(x, (4, 5), (2, 3))", "nn.fold(x, (4, 5), (2, 3))", {"x": (2, 12, 9)}
    way = "(x, (4, 5), 2, padding=1, stride=2)"
    yield f"F.fold{way}", f"nn.fold{way}", {"x": (2, 12, 9)}
    resampled = [
        ("nearest", "", "nearest", ""),
        ("nearest-exact", "", "nearest_exact", ""),
        ("{linear}", ", align_corners=False", "linear", ""),
        ("{linear}", ", align_corners=True", "linear", ", align_corners=True"),
        ("bicubic", ", align_corners=False", "cubic", ""),
    ]
    linear = {1: "linear", 2: "bilinear", 3: "trilinear"}
    for rank, (mode, end, own, own_end) in product((1, 2, 3), resampled):
        if mode == "bicubic" and rank != 2:
            continue
        sizes = (4, 5, 3)[:rank]
        for to in ((7, 3, 4)[:rank], (8, 10, 6)[:rank]):
            theirs = mode.format(linear=linear[rank])
            yield (
                f"F.interpolate(x, size={to}, mode={theirs!r}{end})",
                f"nn.resample(x, size={to}, mode={own!r}{own_end})",
                {"x": {"shape": (2, 3, *sizes), "dtype": "float32"}},
            )
    for mode in ("constant", "reflect", "replicate", "circular"):
        ours = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
        yield (
            f"F.pad(x, (1, 2, 2, 1), mode={mode!r})",
            f"dv.pad(x, ((0, 0), (0, 0), (2, 1), (1, 2)), mode={ours!r})",
            {"x": (2, 3, 4, 3)},
        )
