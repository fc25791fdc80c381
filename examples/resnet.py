"""A residual network classifies a picture, in NCHW and in NHWC.

`python examples/resnet.py [FILE]` draws a picture, reads the weights from a safetensors file, which
it makes if it is not there (see shapes.py), and classifies the picture with the activations in
either format. It shows the copies that were made, none of them of an activation, and the time of
each layer. Both formats give the same bits.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter

import dml_vk
from dml_vk import Tensor, channels_last, contiguous_format, nn

KINDS = ("disc", "ring", "square", "triangle", "cross")
WIDTHS = (16, 32, 64)  # channels of each block; every block after the first halves the picture
Weights = Mapping[str, Tensor]
Norm = Callable[[Tensor, str, "str | None"], Tensor]
Watch = Callable[[str, Tensor], None]


def stored_norm(weights: Weights) -> Norm:
    """Norms with the statistics that the weights have."""

    def norm(x: Tensor, name: str, activation: str | None) -> Tensor:
        parts = ("running_mean", "running_var", "weight", "bias")
        given = [weights[f"{name}.{part}"] for part in parts]
        return nn.batch_norm(x, *given, activation=activation)

    return norm


def features(weights: Weights, x: Tensor, norm: Norm, watch: Watch = lambda *_: None) -> Tensor:
    """What the network sees: the mean and the largest of each channel of each block.

    `watch` is told of each layer.
    """
    x = nn.conv(nn.instance_norm(x), weights["stem.conv.weight"], padding=1)
    x = norm(x, "stem.norm", "relu")
    watch("stem", x)
    seen = []
    for number in range(len(WIDTHS)):
        name = f"blocks.{number}"
        stride = 2 if f"{name}.shortcut.weight" in weights else 1
        y = nn.conv(x, weights[f"{name}.conv1.weight"], stride=stride, padding=1)
        watch(f"{name}.conv1", y)
        y = norm(y, f"{name}.norm1", "relu")
        watch(f"{name}.norm1", y)
        y = nn.conv(y, weights[f"{name}.conv2.weight"], padding=1)
        watch(f"{name}.conv2", y)
        y = norm(y, f"{name}.norm2", None)
        watch(f"{name}.norm2", y)
        if stride > 1:
            x = nn.conv(x, weights[f"{name}.shortcut.weight"], stride=stride)
        x = dml_vk.relu(x + y)
        watch(f"{name}.sum", x)
        seen += [nn.global_avg_pool(x).flatten(1), nn.global_max_pool(x).flatten(1)]
        watch(f"{name}.pools", seen[-1])
    return dml_vk.concat(seen, axis=1)


def classified(weights: Weights, x: Tensor, watch: Watch = lambda *_: None) -> Tensor:
    """The probability of each kind: (N, len(KINDS))."""
    seen = features(weights, x, stored_norm(weights), watch)
    found = nn.softmax(nn.linear(seen, weights["head.weight"], weights["head.bias"]))
    watch("head", found)
    return found


def loaded(path: Path) -> dict[str, Tensor]:
    from safetensors.numpy import load_file

    if not path.exists():
        subprocess.run([sys.executable, Path(__file__).with_name("shapes.py"), path], check=True)
    return {name: dml_vk.asarray(array) for name, array in load_file(path).items()}


def timed(weights: Weights, x: Tensor, rounds: int = 5) -> dict[str, float]:
    """Milliseconds of each layer, each waited for."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        dml_vk.synchronize()
        last = [perf_counter()]

        def watch(name: str, _: Tensor, last: list[float] = last) -> None:
            dml_vk.synchronize()
            now = perf_counter()
            found.setdefault(name, []).append(1e3 * (now - last[0]))
            last[0] = now

        classified(weights, x, watch)
    return {name: median(times) for name, times in found.items()}


def main() -> None:
    from shapes import drawn

    path = Path(sys.argv[1] if len(sys.argv) > 1 else "shapes.safetensors")
    weights = loaded(path)
    kind = dml_vk.asarray([KINDS.index("triangle")])
    picture = drawn(kind, dml_vk.random.Generator(seed=2026))
    answers, times = {}, {}
    for memory_format in (contiguous_format, channels_last):
        x = picture.to(memory_format)
        with dml_vk.trace(strict=True) as log:
            answers[memory_format] = classified(weights, x).numpy()[0]
        print(f"\ncopies in {memory_format}:\n{log.summary()}")
        times[memory_format] = timed(weights, x)
    first, second = answers.values()
    best, equal = int(first.argmax()), first.tobytes() == second.tobytes()
    print(f"\na {KINDS[best]}, by {first[best]:.0%}; equal bits: {equal}")
    print(f"\n{'layer':16}" + "".join(f"{memory_format!s:>20}" for memory_format in times))
    for name in times[contiguous_format]:
        print(f"{name:16}" + "".join(f"{each[name]:17.2f} ms" for each in times.values()))


if __name__ == "__main__":
    main()
