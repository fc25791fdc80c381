"""k-means by Lloyd's steps, for any array library: it names none but the one its points come from.

`python examples/kmeans.py` runs it on NumPy, dml_vk and, where it is installed, PyTorch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace, device
from libraries import installed

Array = Any


def squared_distances(points: Array, centers: Array) -> Array:
    """One row a point, one column a center."""
    xp = array_namespace(points)
    apart = points[:, None, :] - centers[None, :, :]
    return xp.sum(apart * apart, axis=-1)


def far_apart(points: Array, count: int) -> Array:
    """The first point, and again and again the one farthest from all that are chosen."""
    xp = array_namespace(points)
    centers = points[:1, :]
    while centers.shape[0] < count:
        nearest = xp.min(squared_distances(points, centers), axis=1)
        farthest = int(xp.argmax(nearest))
        centers = xp.concat([centers, points[farthest : farthest + 1, :]])
    return centers


def kmeans(points: Array, count: int, most_steps: int = 50) -> tuple[Array, Array]:
    """The centers of so many clusters, and for each point the index of its own."""
    xp = array_namespace(points)
    clusters = xp.arange(count, device=device(points))
    centers = far_apart(points, count)
    labels = xp.argmin(squared_distances(points, centers), axis=1)
    for _ in range(most_steps):
        members = xp.astype(labels[:, None] == clusters[None, :], points.dtype)
        centers = xp.matmul(members.T, points) / xp.sum(members, axis=0)[:, None]
        before, labels = labels, xp.argmin(squared_distances(points, centers), axis=1)
        if bool(xp.all(labels == before)):
            break
    return centers, labels


def blobs(seed: int = 7) -> np.ndarray:
    """300 points of a plane, round five places."""
    random = np.random.default_rng(seed)
    places = np.array([[0, 0], [6, 1], [1, 7], [-6, 2], [2, -6]], np.float32)
    return (places[np.arange(300) % 5] + random.normal(size=(300, 2))).astype(np.float32)


def main() -> None:
    print(f"{'library':10}sizes of clusters        first center")
    for name, asarray in installed().items():
        centers, labels = kmeans(asarray(blobs()), 5)
        sizes = np.bincount(np.asarray(labels)).tolist()
        print(f"{name:10}{sizes!s:25}{np.asarray(centers)[0].round(4)}")


if __name__ == "__main__":
    main()
