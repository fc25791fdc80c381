"""What PyTorch answers to functions for networks: the oracle of tests/kernel/nn/test_torch.py.

Where torch is installed the test asks it, where it is not it reads the stored answers, which
`python -m tests.torch_networks` writes.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parent / "data" / "torch_networks.json"

IMAGES = np.sin(np.arange(2 * 4 * 4 * 6) * 1.7).reshape(2, 4, 4, 6).astype(np.float32)
LINES, VOLUMES = IMAGES.reshape(2, 4, 24), IMAGES.reshape(2, 2, 4, 4, 3)
CLASSES = np.array([[[0, 3, 1], [2, -100, 1]], [[3, 3, 0], [1, 2, 2]]])
SCORES = IMAGES[..., ::2][:, :, :2]
# Rows and channels with NaN, an infinity, two of them, and zeros of both signs.
ODD = IMAGES.copy()
ODD[0, 0, 0, 1], ODD[0, 1, 1, 2], ODD[0, 2, 2, 3] = np.nan, np.inf, -np.inf
ODD[1, 0], ODD[1, 1, ::2], ODD[1, 1, 1::2] = -0.0, 0.0, -0.0
ODD[1, 2, 0, :2], ODD[1, 2, 1] = [np.inf, -np.inf], -np.inf
WEIGHT = np.array([0.5, 2.0, 1.25, 0.75], np.float32)

# Ours, and PyTorch's where it is spelt otherwise.
SHUFFLES = [("pixel_shuffle(x, 2)", ""), ("pixel_unshuffle(x, 2)", "")]
WINDOWS = [
    ("unfold(x, 3)", ""),
    ("unfold(x, (2, 3), dilation=(2, 1), padding=(1, 0), stride=(1, 2))", ""),
    ("unfold(x, 2, padding=2, stride=3)", ""),
    ("fold(unfold(x, 3, padding=1), (4, 6), 3, padding=1)", ""),
    ("fold(unfold(x, 2, stride=2), (4, 6), 2, stride=2)", ""),
    (
        "fold(unfold(x, (3, 2), dilation=(1, 3), padding=(2, 1)), (4, 6), (3, 2), "
        "dilation=(1, 3), padding=(2, 1))",
        "",
    ),
]
DISTANCES = [
    *[
        (f"{name}(s, s * s / (1 + s * s){options})", "")
        for name, several in {
            "mse_loss": ["", ", reduction='sum'", ", reduction='none'"],
            "l1_loss": ["", ", reduction='none'"],
            "smooth_l1_loss": ["", ", beta=0.5, reduction='none'", ", beta=0.0"],
            "huber_loss": ["", ", delta=0.5, reduction='none'"],
            "binary_cross_entropy_with_logits": [
                *("", ", reduction='none'", ", weight=s * s", ", pos_weight=s * s"),
            ],
            "kl_div": ["", ", log_target=True, reduction='sum'", ", reduction='batchmean'"],
            "gaussian_nll_loss": [", var=s * s", ", var=s * s, full=True, eps=0.5"],
        }.items()
        for options in several
    ],
    ("mse_loss(s, s[:1] * 2)", ""),
    ("gaussian_nll_loss(s, s * 2, s[..., :1] * s[..., :1])", ""),
    ("cosine_similarity(s, s * s)", ""),
    ("cosine_similarity(s, s[:1] * 2, -1, 0.5)", ""),
    ("cosine_similarity(s * 0, s, axis=0)", "cosine_similarity(s * 0, s, dim=0)"),
]
LOSSES = [
    (f"{name}(s, {arguments})", "")
    for name in ("nll_loss", "cross_entropy")
    for arguments in (
        "c",
        "c, reduction='none'",
        "c, weight=w",
        "abs(c) % 4, ignore_index=1, reduction='sum'",
    )
]
_INTERPOLATED = "F.interpolate({}, size={}, mode='{}'{})"
SIZES = [
    ("x", (8, 12)),
    ("x", (3, 5)),
    ("x", (7, 4)),
    ("x", (1, 1)),
    ("lines", (31,)),
    ("lines", (7,)),
    ("volumes", (3, 7, 4)),
]
LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}
RESAMPLED = [
    *[
        (f"resample({x}, size={size}, mode='{ours}')", _INTERPOLATED.format(x, size, theirs, ""))
        for x, size in SIZES
        for ours, theirs in (("nearest", "nearest"), ("nearest_exact", "nearest-exact"))
    ],
    *[
        (
            f"resample({x}, size={size}, mode='{mode}', align_corners={corners})",
            _INTERPOLATED.format(x, size, theirs, f", align_corners={corners}"),
        )
        for x, size in SIZES
        for mode, theirs in (("linear", LINEAR[len(size)]), ("cubic", "bicubic"))
        for corners in (False, True)
        if mode == "linear" or x == "x"
    ],
    ("resample(x, scale=1.5)", "F.interpolate(x, scale_factor=1.5)"),
    (
        "resample(x, scale=(0.6, 2), mode='linear')",
        "F.interpolate(x, scale_factor=(0.6, 2), mode='bilinear')",
    ),
]
_ATTENTION = "scaled_dot_product_attention"
ATTENDED = [
    *[(f"{_ATTENTION}({one})", "") for one in ("x, x, x", "x, x, x[..., :3], is_causal=True")],
    (f"{_ATTENTION}(x, x[:, :, :3], x[:, :, 1:], scale=0.3)", ""),
    (f"{_ATTENTION}(x, x[:1], x[:, :1], is_causal=True)", ""),
    *[
        (f"{_ATTENTION}(x, x, x, mask={mask})", f"{_ATTENTION}(x, x, x, attn_mask={mask})")
        for mask in ("x[..., :4]", "x[..., :4] > 0", "x[0, 0, :, :4] > 0.9")
    ],
]
NORMED = [
    *[
        (f"local_response_norm({x}, {size}, alpha=0.7, beta=0.6, k=1.5)", "")
        for x in ("x", "lines", "volumes")
        for size in (1, 2, 3, 4, 7)
    ],
    *[
        (f"normalize(x, p={p}, axis={axis})", f"normalize(x, p={p}, dim={axis})")
        for p in (0.5, 1, 2, 3, "float('inf')")
        for axis in (1, -1, (2, 3))
    ],
]
# NaN, infinities and zeros, whose signs PyTorch keeps too but for sums of zeros.
UNSIGNED = ("instance_norm", "group_norm", "layer_norm", _ATTENTION)
ODDITIES = [
    ("max_pool(odd, 2)", "max_pool2d(odd, 2)"),
    ("max_pool(odd, 3, stride=1, padding=1)", "max_pool2d(odd, 3, stride=1, padding=1)"),
    ("avg_pool(odd, 2)", "avg_pool2d(odd, 2)"),
    ("adaptive_max_pool(odd, 3)", "adaptive_max_pool2d(odd, 3)"),
    ("softmax(odd, axis=-1)", "softmax(odd, dim=-1)"),
    ("softmax(odd, axis=1)", "softmax(odd, dim=1)"),
    ("log_softmax(odd, axis=1)", "log_softmax(odd, dim=1)"),
    ("layer_norm(odd, 6)", "layer_norm(odd, (6,))"),
    ("rms_norm(odd, 6, eps=1e-6)", "rms_norm(odd, (6,), eps=1e-6)"),
    ("group_norm(odd, 2)", ""),
    ("instance_norm(odd)", ""),
    ("batch_norm(odd, w, w)", ""),
    ("normalize(odd)", ""),
    ("local_response_norm(odd, 3)", ""),
    (f"{_ATTENTION}(odd, x, x)", "in_steps(odd, x, x)"),
    (f"{_ATTENTION}(x, x, odd)", "in_steps(x, x, odd)"),
    (f"{_ATTENTION}(x, odd, x, is_causal=True)", "in_steps(x, odd, x, is_causal=True)"),
]
EXACT = [
    *SHUFFLES,
    *WINDOWS[:3],
    *[(ours, theirs) for ours, theirs in RESAMPLED if "mode='nearest" in ours],
    ("embedding(i, w[:, None])", "F.embedding(i, w[:, None])"),
    ("one_hot(i, 5, dtype='int64')", "F.one_hot(i, 5)"),
]
CASES = dict(
    [*SHUFFLES, *WINDOWS, *LOSSES, *DISTANCES, *RESAMPLED, *ATTENDED, *NORMED, *ODDITIES, *EXACT]
)


def operands(asarray: Any) -> dict[str, Any]:
    """The names that the expressions use."""
    return {
        "x": asarray(IMAGES),
        "odd": asarray(ODD),
        "lines": asarray(LINES),
        "volumes": asarray(VOLUMES),
        "s": asarray(np.ascontiguousarray(SCORES)),
        "c": asarray(CLASSES),
        "w": asarray(WEIGHT),
        "i": asarray(np.array([[3, 0], [1, 2]])),
    }


def load() -> dict[str, Any]:
    """PyTorch's answers, by our expressions: of the torch that is here, else the stored ones."""
    try:
        import torch
    except ImportError:
        return json.loads(STORED.read_text())
    functional = torch.nn.functional

    def in_steps(*given: Any, **options: Any) -> Any:
        # Its fused kernel gives some queries with NaN zeros instead, depending on sizes.
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return functional.scaled_dot_product_attention(*given, **options)

    names = {**operands(torch.tensor), **vars(functional), "F": functional, "in_steps": in_steps}
    return {ours: eval(theirs or ours, names).tolist() for ours, theirs in CASES.items()}


def _short(answer: Any) -> str:
    """Numbers with the nine digits that tell a float32 apart."""
    text = json.dumps(answer, separators=(",", ":"))
    short = re.sub(r"-?[\d.]+(e[+-]?\d+)?", lambda found: f"{float(found[0]):.9g}", text)
    return re.sub(r"-0(?=[,\]])", "-0.0", short)


if __name__ == "__main__":
    rows = [f"{json.dumps(one)}: {_short(answer)}" for one, answer in load().items()]
    STORED.write_text("{" + ",\n".join(rows) + "}\n")
