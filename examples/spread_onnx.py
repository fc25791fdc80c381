"""Classifies a folder of pictures with an ONNX model, on two workers.

`python examples/spread_onnx.py [FOLDER]` draws pictures into files, and compares what the workers
find with the model on all of them at once. Each worker loads the model once. A worker is killed on
the way.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import onnx
from onnx_shapes import made
from PIL import Image
from resnet import KINDS, loaded
from shapes import drawn
from workers import computed_with_a_loss, two_workers

import dml_vk
from dml_vk.onnx import Model, load
from dml_vk.random import Generator

CHUNK = 8  # pictures


@cache
def model_of(path: str) -> Model:
    return load(path)


def pictures_of(paths: np.ndarray) -> np.ndarray:
    """float32 NCHW from 0 to 1, of files."""
    read = np.stack([np.asarray(Image.open(path)) for path in paths])
    return (read.transpose(0, 3, 1, 2) / 255).astype(np.float32)


def classified(paths: np.ndarray, model: str) -> Any:
    """A row of scores for each file."""
    return model_of(model)(pictures_of(paths))["kinds"]


def written(folder: Path, count: int) -> tuple[np.ndarray, str]:
    """The paths of pictures, of each kind in turn, and of the model."""
    weights = loaded(folder / "shapes.safetensors")
    model = str(folder / "shapes.onnx")
    onnx.save(made({name: tensor.numpy() for name, tensor in weights.items()}), model)
    kinds = dml_vk.arange(count, dtype="int32") % len(KINDS)
    pictures = (drawn(kinds, Generator(seed=2026)) * 255).to(dml_vk.uint8).permute(0, 2, 3, 1)
    paths = [str(folder / f"{number:03}.png") for number in range(count)]
    for path, picture in zip(paths, pictures.numpy()):
        Image.fromarray(picture).save(path)
    return np.array(paths), model


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, two_workers() as client:
        paths, model = written(Path(sys.argv[1] if len(sys.argv) > 1 else folder), 40)
        files = da.from_array(paths, chunks=CHUNK)
        sizes = {"new_axis": 1, "chunks": (files.chunks[0], (len(KINDS),))}
        lazy = files.map_blocks(classified, model, **sizes, meta=dml_vk.empty((0, 0)))
        found = computed_with_a_loss(client, lazy)
        whole = classified(paths, model)
    kinds = found.numpy().argmax(1)
    right = np.mean(kinds == np.arange(len(paths)) % len(KINDS))
    print(f"{len(paths)} pictures, {right:.0%} of which are what was drawn")
    print(f"equal bits: {found.tobytes() == whole.tobytes()}")


if __name__ == "__main__":
    main()
