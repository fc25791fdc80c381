"""The steps of the demo: the code as it is shown and run, and checks with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk.commands import picture
from dml_vk.testing import philox_words
from dml_vk.testing.arrays import Array

Names = dict[str, Any]  # the variables of the code
PHOTOS = 48
FILE = "demo"  # the file name of the code in traces
# Random123's known answers for Philox4x32-10, tests/kat_vectors: key, counter, words.
KNOWN = (
    (0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (2**64 - 1, 2**128 - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        0x299F31D0_A4093822,
        0x03707344_13198A2E_85A308D3_243F6A88,
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
)


@dataclass(frozen=True)
class Step:
    """Some lines of code, with a description, a summary of the result, and checks."""

    about: str
    code: str
    shown: Callable[[Names], str]
    checks: Callable[[Names], dict[str, bool]]


def photos() -> Array:
    """The expected batch, as a NumPy array in NCHW."""
    photo = picture.landscape().transpose(2, 0, 1)
    return np.stack([photo, photo[..., ::-1]] * (PHOTOS // 2))


def _viewed(names: Names) -> dict[str, bool]:
    x, photo = names["x"], names["photo"]
    return {"colours first": _same(x, photo.transpose(2, 0, 1))}


def _stacked(names: Names) -> dict[str, bool]:
    return {"batch": _same(names["batch"], photos())}


def _converted(names: Names) -> dict[str, bool]:
    nchw, nhwc, expected = names["nchw"], names["nhwc"], photos()
    rows = nhwc.permute(0, 2, 3, 1)  # in memory order
    return {
        "NCHW": _same(nchw, expected) and nchw.is_contiguous(),
        "NHWC": _same(rows, expected.transpose(0, 2, 3, 1)) and rows.is_contiguous(),
    }


def _normalised(names: Names) -> dict[str, bool]:
    values = photos().astype(np.float32)
    mean, deviation = names["mean"].numpy(), names["std"].numpy()
    exact, axes = values.astype(np.float64), (0, 2, 3)
    return {
        "mean within 1e-6": _close(mean, exact.mean(axes, keepdims=True)),
        "std within 1e-6": _close(deviation, exact.std(axes, keepdims=True)),
        "normalised": _same(names["y"], (values - mean) / deviation),
    }


def _drawn(names: Names) -> dict[str, bool]:
    words = names["words"]
    drawn = words.numpy()
    return {
        "words": np.array_equal(drawn.reshape(-1), philox_words(0, 0, drawn.size)),
        "Random123's known answers": all(
            dv.random.Generator(key=key, counter=counter).bits(4).tolist()
            == [int(word, 16) for word in answer.split()]
            for key, counter, answer in KNOWN
        ),
    }


STEPS = (
    Step(
        "A photo as a decoder leaves it, bytes, colours last. A view puts colours first; nothing "
        "moves.",
        "x = dv.asarray(photo).permute(2, 0, 1)",
        lambda names: "shape {0.shape}, strides {0.strides}".format(names["x"]),
        _viewed,
    ),
    Step(
        "A batch, every other photo mirrored, by a view that reads rows backwards.",
        f"batch = dv.stack([x, x.flip(2)] * {PHOTOS // 2})",
        lambda names: "shape {0.shape}, {0.memory_format}, {0.nbytes:,} bytes".format(
            names["batch"]
        ),
        _stacked,
    ),
    Step(
        "From NHWC to NCHW and back. Sizes and indexes stay; memory moves.",
        "nchw = batch.to(dv.contiguous_format)\nnhwc = nchw.to(dv.channels_last)",
        lambda names: "strides {nchw.strides} and {nhwc.strides}".format(**names),
        _converted,
    ),
    Step(
        "Normalise: a mean and a deviation for each colour, broadcast over the batch.",
        "pixels = nhwc.astype(dv.float32)\n"
        "mean = pixels.mean(axis=(0, 2, 3), keepdims=True)\n"
        "std = pixels.std(axis=(0, 2, 3), keepdims=True)\n"
        "y = (pixels - mean) / std",
        lambda names: "{0.dtype.name}, {0.memory_format} still".format(names["y"]),
        _normalised,
    ),
    Step(
        "Random bits: Philox4x32-10, the same on every device and in every layout.",
        "words = dv.random.Generator(key=0).bits(y.shape, memory_format=y.memory_format)",
        lambda names: (
            "begins " + " ".join(f"{word:08x}" for word in names["words"][0, 0, 0, :4].tolist())
        ),
        _drawn,
    ),
)
REFUSED = "with dv.trace(strict=True):\n    y.reshape(-1, 3)"


def execute(code: str, line: int, names: Names) -> None:
    """Run code under the line numbers with which it is shown."""
    exec(compile("\n" * (line - 1) + code, FILE, "exec"), names)


def refusal(line: int, names: Names) -> str:
    """The error of a strict trace for an implicit copy; "" if there is none."""
    try:
        execute(REFUSED, line, names)
    except dv.LayoutError as error:
        return str(error)
    return ""


def _same(result: dv.Tensor, expected: Array) -> bool:
    return result.dtype.name == expected.dtype.name and np.array_equal(result.numpy(), expected)


def _close(result: Array, expected: Array) -> bool:
    return np.allclose(result, expected, rtol=1e-6, atol=0.0)
