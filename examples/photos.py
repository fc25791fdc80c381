"""Photos as a decoder gives them, uint8 NHWC, made ready for a network: normalised float16 NCHW.

`python examples/photos.py` does it with dml_vk, shows each copy that it takes, and compares it with
NumPy. That the photos lie as NHWC is a memory format: their shape is NCHW from the first line on,
and so nothing is permuted, and only the last step moves the elements.
"""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk import Tensor, channels_last, contiguous_format

# Of each colour, over many photos, where 1 is the brightest.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def decoded(count: int = 4, height: int = 48, width: int = 64) -> np.ndarray:
    """Photos of a sort, uint8 NHWC: a sun above a slope, each with noise of its own."""
    random = np.random.default_rng(7)
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    sky = np.stack([0.4 + 0.3 * y, 0.6 + 0.2 * y, 0.9 - 0.1 * y], axis=-1)
    sky[(x - 0.75) ** 2 + (y - 0.25) ** 2 < 0.01] = (1.0, 0.9, 0.4)
    sky[y > 0.9 - 0.4 * x] = (0.2, 0.5, 0.2)
    noisy = sky + random.normal(0.0, 0.02, (count, height, width, 3))
    return (noisy.clip(0, 1) * 255).astype(np.uint8)


def prepared(photos: Tensor) -> Tensor:
    """float16 NCHW, packed so, from photos of that shape in any format and uint8."""
    shape = (3, 1, 1)
    scale = dml_vk.asarray([1 / (255 * one) for one in DEVIATION]).reshape(shape)
    offset = dml_vk.asarray([-mean / one for mean, one in zip(MEAN, DEVIATION)]).reshape(shape)
    x = dml_vk.astype(photos, dml_vk.float32) * scale + offset
    return dml_vk.astype(x, dml_vk.float16).to(contiguous_format)


def by_numpy(photos: np.ndarray) -> np.ndarray:
    """The same from NHWC, as NumPy says it."""
    x = (photos.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(DEVIATION)
    return np.ascontiguousarray(x.astype(np.float16).transpose(0, 3, 1, 2))


def main() -> None:
    photos = decoded()
    # A view of the decoder's memory, which is then uploaded as it lies.
    x = dml_vk.asarray(photos.transpose(0, 3, 1, 2), memory_format=channels_last)
    with dml_vk.trace() as log:
        y = prepared(x)
    print(f"{x.shape} {x.dtype} {x.memory_format} -> {y.shape} {y.dtype} {y.memory_format}")
    print(log.summary())
    apart = np.abs(y.numpy().astype(np.float32) - by_numpy(photos).astype(np.float32)).max()
    print(f"as NumPy has it, but for {apart:.4f}")


if __name__ == "__main__":
    main()
