"""A small transformer with a cache of keys and values continues a text that repeats itself.

`python examples/gpt.py [TEXT]` reads the text in one pass, and then makes one letter after the
other. The cache is one tensor for each layer, made once: a step writes its own keys and values
there, and attention reads a view of those so far, so that nothing is copied however long the text
is. One causal pass over the whole gives the same bits.

The weights are not trained but written down. Letters and positions are one-hot. The two heads of
the first layer look one and two positions back, and note the letters there. The second layer looks
for the place before which the last two letters stood, and takes the letter that it finds: what is
called an induction head. Small random numbers are added everywhere, so that all of it takes part.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from statistics import median
from time import perf_counter

import numpy as np

import dml_vk
from dml_vk import Tensor, nn

LETTERS = " .,;:!abcdefghijklmnopqrstuvwxyz"
TOKENS, CONTEXT, HEADS, SIZE = len(LETTERS), 128, 2, 128  # SIZE: of a head
WIDTH = 4 * TOKENS + CONTEXT  # letter, the one before, the one before that, answer; position
LAYERS = 2
Weights = Mapping[str, Tensor]


def weights(seed: int = 3, noise: float = 0.002) -> dict[str, Tensor]:
    """Weights for `logits`, under names that end as PyTorch's do."""
    random = np.random.default_rng(seed)

    def small(*shape: int) -> np.ndarray:
        return random.normal(0, noise, shape).astype(np.float32)

    letter, before, earlier, answer = np.arange(4 * TOKENS).reshape(4, TOKENS)
    position = np.arange(4 * TOKENS, WIDTH)
    made = {"embed.weight": small(TOKENS, WIDTH), "place.weight": small(CONTEXT, WIDTH)}
    made["head.weight"] = small(TOKENS, WIDTH)
    each = np.arange(TOKENS)
    made["embed.weight"][each, letter] += 1
    made["head.weight"][each, answer] += 1
    made["place.weight"][range(CONTEXT), position] += 1
    for layer in range(LAYERS):
        # Rows of `qkv` are q, k and v, each by heads.
        qkv, out = small(3, HEADS, SIZE, WIDTH), small(WIDTH, HEADS, SIZE)
        qkv[2, :, each, letter] += 1
        if layer == 0:
            for head, noted in enumerate((before, earlier)):
                back = head + 1
                qkv[0, head, range(CONTEXT - back), position[back:]] += 4
                qkv[1, head, range(CONTEXT), position] += 4
                out[noted, head, each] += 1
        else:
            for rows, (asked, noted) in enumerate(((letter, before), (before, earlier))):
                qkv[0, 0, rows * TOKENS + each, asked] += 4
                qkv[1, 0, rows * TOKENS + each, noted] += 4
            out[answer, 0, each] += 4
        made |= {
            f"layers.{layer}.norm1.weight": np.ones(WIDTH, np.float32),
            f"layers.{layer}.qkv.weight": qkv.reshape(-1, WIDTH),
            f"layers.{layer}.out.weight": out.reshape(WIDTH, -1),
            f"layers.{layer}.norm2.weight": np.ones(WIDTH, np.float32),
            f"layers.{layer}.up.weight": small(4 * WIDTH, WIDTH),
            f"layers.{layer}.down.weight": small(WIDTH, 4 * WIDTH),
        }
    return {name: dml_vk.asarray(array) for name, array in made.items()}


def caches() -> list[Tensor]:
    """For each layer its keys and values: (2, 1, HEADS, CONTEXT, SIZE)."""
    return [dml_vk.zeros((2, 1, HEADS, CONTEXT, SIZE)) for _ in range(LAYERS)]


def logits(weights: Weights, tokens: Tensor, kept: list[Tensor], start: int = 0) -> Tensor:
    """Logits after each of these tokens, (length, TOKENS), which come after `start` others.

    Only one token may come after others.
    """
    length = len(tokens)
    stop = start + length
    x = nn.embedding(tokens, weights["embed.weight"]) + weights["place.weight"][start:stop]
    for layer, cache in enumerate(kept):
        name = f"layers.{layer}"
        y = nn.rms_norm(x, WIDTH, weights[f"{name}.norm1.weight"])
        y = nn.linear(y, weights[f"{name}.qkv.weight"])
        q, k, v = dml_vk.unstack(y.reshape((1, length, 3, HEADS, SIZE)).movedim(1, 3), axis=1)
        cache[0, :, :, start:stop], cache[1, :, :, start:stop] = k, v
        seen = cache[:, :, :, :stop]
        y = nn.scaled_dot_product_attention(q, seen[0], seen[1], is_causal=length > 1)
        y = y.movedim(1, 2).reshape((length, HEADS * SIZE))
        x = x + nn.linear(y, weights[f"{name}.out.weight"])
        y = nn.rms_norm(x, WIDTH, weights[f"{name}.norm2.weight"])
        y = nn.linear(y, weights[f"{name}.up.weight"], activation="gelu")
        x = x + nn.linear(y, weights[f"{name}.down.weight"])
    return nn.linear(x, weights["head.weight"])


def encoded(text: str) -> Tensor:
    return dml_vk.asarray([LETTERS.index(letter) for letter in text], "int32")


def continued(weights: Weights, text: str, count: int) -> tuple[str, Tensor, list[float]]:
    """Return the text with `count` more letters, the logits of these, and the seconds of each."""
    kept, rows, seconds = caches(), [], []
    tokens, start = encoded(text), 0
    for _ in range(count):
        begun = perf_counter()
        rows.append(logits(weights, tokens, kept, start)[-1])
        start += len(tokens)
        tokens = dml_vk.argmax(rows[-1], keepdims=True).astype("int32")
        text += LETTERS[tokens.item()]
        seconds.append(perf_counter() - begun)
    return text, dml_vk.stack(rows), seconds


def main() -> None:
    text = sys.argv[1] if len(sys.argv) > 1 else "a quick brown fox jumps over the lazy dog. a q"
    model = weights()
    count = min(50, CONTEXT - len(text))
    longer, stepwise, seconds = continued(model, text, count)
    with dml_vk.trace() as log:
        continued(model, text, count)
    print(f"{text}|{longer[len(text) :]}")
    whole = logits(model, encoded(longer[:-1]), caches())[-count:].numpy()
    equal = whole.tobytes() == stepwise.numpy().tobytes()
    print(f"one pass over the whole gives equal bits: {equal}")
    print(f"ms of the first letter: {1e3 * seconds[0]:.1f}; of others: {1e3 * median(seconds):.1f}")
    print(log.summary())


if __name__ == "__main__":
    main()
