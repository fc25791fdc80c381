"""Principal components by power iteration, for any array library: its data say which.

`python examples/pca.py` runs it on NumPy, dml_vk and, where it is installed, PyTorch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace, device
from libraries import installed

Array = Any


def strongest(matrix: Array, steps: int) -> tuple[Array, Array]:
    """The eigenvector of the largest eigenvalue of a symmetric matrix, and that value."""
    xp = array_namespace(matrix)
    count = matrix.shape[0]
    vector = xp.linspace(1.0, 2.0, count, dtype=matrix.dtype, device=device(matrix))
    for _ in range(steps):
        vector = xp.matmul(matrix, vector)
        vector = vector / xp.linalg.vector_norm(vector)
    return vector, xp.vecdot(vector, xp.matmul(matrix, vector))


def pca(data: Array, count: int, steps: int = 30) -> tuple[Array, Array]:
    """The first components, one a row, and the variances along them. Data have a sample a row."""
    xp = array_namespace(data)
    centered = data - xp.mean(data, axis=0, keepdims=True)
    covariance = xp.matmul(centered.T, centered) / (data.shape[0] - 1)
    components, variances = [], []
    for _ in range(count):
        vector, variance = strongest(covariance, steps)
        components.append(vector)
        variances.append(variance)
        covariance = covariance - variance * (vector[:, None] * vector[None, :])
    return xp.stack(components), xp.stack(variances)


def samples(seed: int = 11) -> np.ndarray:
    """500 samples of eight numbers, in which three directions matter."""
    random = np.random.default_rng(seed)
    directions = np.linalg.qr(random.normal(size=(8, 8)))[0]
    spread = np.array([6.0, 3.0, 1.5, 0.2, 0.2, 0.1, 0.1, 0.1])
    return (random.normal(size=(500, 8)) * spread @ directions.T).astype(np.float32)


def main() -> None:
    print(f"{'library':10}variances                  first component")
    for name, asarray in installed().items():
        components, variances = pca(asarray(samples()), 3)
        first = np.asarray(components)[0]
        first = first * np.sign(first[0])
        print(f"{name:10}{np.asarray(variances).round(3)!s:27}{first[:4].round(4)} ...")


if __name__ == "__main__":
    main()
