"""Normalises a set of photos in zarr and converts it from NCHW to NHWC, on two workers.

`python examples/spread_photos.py` writes photos, reads them in chunks, writes the result in chunks,
and compares it with what one device makes of all photos at once. A worker is killed on the way.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
from photos import decoded
from workers import computed_with_a_loss, two_workers

import dml_vk
from dml_vk import channels_last
from dml_vk.dask import asarray, from_zarr, to_zarr

Array = Any  # a tensor, or an array of Dask whose chunks are tensors
CHUNK = 4  # photos


def normalized(photos: Array) -> Array:
    """float32 with mean 0 and deviation 1 of each colour over all photos, from uint8."""
    x = photos.astype("float32") / 255
    axes = {"axis": (0, 2, 3), "keepdims": True}
    return (x - x.mean(**axes)) / x.std(**axes)


def main() -> None:
    photos = np.ascontiguousarray(decoded(24).transpose(0, 3, 1, 2))  # NCHW
    with tempfile.TemporaryDirectory() as folder, two_workers() as client:
        to_zarr(asarray(photos, chunks=(CHUNK, *photos.shape[1:])), folder, component="nchw")
        x = normalized(from_zarr(folder, component="nchw", memory_format=channels_last))
        computed_with_a_loss(client, to_zarr(x, folder, component="nhwc", compute=False))
        found = from_zarr(folder, component="nhwc").compute()
    whole = normalized(dml_vk.asarray(photos, memory_format=channels_last))
    print(f"{found.shape} {found.dtype} {found.memory_format} in {-(-len(photos) // CHUNK)} chunks")
    print(f"equal bits: {found.tobytes() == whole.tobytes()}")


if __name__ == "__main__":
    main()
