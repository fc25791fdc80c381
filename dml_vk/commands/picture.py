"""A generated photo for the demo, and its output in a terminal or as a PNG."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from dml_vk.testing import philox_uniform, philox_words

Pixels = NDArray[np.uint8]  # height, width, red-green-blue
Floats = NDArray[np.float32]
HEIGHT, WIDTH = 144, 216
SHADES = " .:-=+*#%@"


def landscape(height: int = HEIGHT, width: int = WIDTH) -> Pixels:
    """Draw a sun over hazy hills, with film grain from Philox.

    >>> from dml_vk.commands.picture import landscape
    >>> landscape().shape, landscape().dtype
    ((144, 216, 3), dtype('uint8'))
    """
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : width / height : width * 1j].astype(np.float32)
    sky = _blend(_colour(92, 128, 176), _colour(226, 180, 138), (y / 0.62)[..., None])
    far = np.hypot(x - np.float32(1.03), y - np.float32(0.32))
    glow = np.exp(-((far / np.float32(0.24)) ** 2))[..., None] * np.float32(0.7)
    photo = _blend(sky, _colour(255, 226, 150), np.where(far < 0.085, 1, glow[..., 0])[..., None])
    for ridge, rise, steps, colour in (
        (0.56, 0.07, 3.1, _colour(128, 132, 158)),
        (0.68, 0.09, 4.7, _colour(92, 116, 112)),
        (0.82, 0.06, 2.3, _colour(62, 92, 66)),
    ):
        top = ridge + rise * np.sin(steps * x + 20 * ridge) + rise / 4 * np.sin(5 * steps * x)
        photo = np.where((y > top)[..., None], _blend(colour, photo, 0.12), photo)
    grain = philox_uniform(philox_words(key=1, counter=0, n=photo.size), "float32")
    photo = photo + 14 * (grain.reshape(photo.shape) - np.float32(0.5))
    return np.asarray(np.clip(photo, 0, 255), np.uint8)


def _colour(*rgb: int) -> Floats:
    return np.array(rgb, np.float32)


def _blend(first: Floats, second: Floats, share: NDArray[np.floating] | float) -> Floats:
    share = np.clip(share, 0, 1)
    return np.asarray(first * (1 - share) + second * share, np.float32)


def seen(values: Floats) -> Pixels:
    """Convert normalised values to pixels that show two standard deviations on either side."""
    return np.asarray(np.clip(values * 64 + 128, 0, 255), np.uint8)


def side_by_side(left: Pixels, right: Pixels) -> Pixels:
    """Join two pictures with a dark gap between them."""
    gap = np.zeros((left.shape[0], 6, 3), np.uint8)
    return np.concatenate([left, gap, right], axis=1)


def as_png(pixels: Pixels) -> bytes:
    """Encode a picture as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits per channel, RGB
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def in_colour(pixels: Pixels, scale: int) -> str:
    """Draw with half blocks: each character shows two squares of `scale` pixels, one per half."""
    cells = _shrunk(pixels, scale)
    lines = []
    for upper, lower in zip(cells[0::2], cells[1::2]):
        letters = [
            f"\x1b[38;2;{_triple(top)};48;2;{_triple(bottom)}m▀"
            for top, bottom in zip(upper, lower)
        ]
        lines.append("".join(letters) + "\x1b[0m")
    return "\n".join(lines)


def in_shades(pixels: Pixels, scale: int) -> str:
    """Draw in ASCII, with denser characters for lighter squares."""
    cells = _shrunk(pixels, scale).astype(np.int64)
    light = (cells[0::2] + cells[1::2]).sum(axis=2) * len(SHADES) // (6 * 256)
    return "\n".join("".join(SHADES[shade] for shade in row).rstrip() for row in light)


def _shrunk(pixels: Pixels, scale: int) -> Pixels:
    """Average squares of `scale` pixels, in an even number of rows."""
    height, width, _ = pixels.shape
    rows, columns = height // (2 * scale) * 2, width // scale
    squares = pixels[: rows * scale, : columns * scale].reshape(rows, scale, columns, scale, 3)
    return np.asarray(squares.mean(axis=(1, 3)), np.uint8)


def _triple(colour: Pixels) -> str:
    return ";".join(map(str, colour.tolist()))
