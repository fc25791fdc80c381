"""Programs that know no array library give the same answers on all of them."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(request, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module(request.param)


def answers(example, call) -> dict[str, tuple[np.ndarray, ...]]:
    found = {name: call(asarray) for name, asarray in example.installed().items()}
    for name, arrays in found.items():
        assert {type(array).__module__.split(".")[0] for array in arrays} == {name}
    assert {"numpy", "dml_vk"} <= set(found)
    return {name: tuple(map(np.asarray, arrays)) for name, arrays in found.items()}


@pytest.mark.parametrize("example", ["kmeans"], indirect=True)
def test_kmeans_finds_the_same_clusters(example):
    found = answers(example, lambda asarray: example.kmeans(asarray(example.blobs()), 5))
    for name, (centers, labels) in found.items():
        assert np.array_equal(labels, found["numpy"][1]), name
        assert np.allclose(centers, found["numpy"][0], atol=1e-5), name
        assert sorted(np.bincount(labels)) == [60] * 5
        for center in range(5):
            mean = example.blobs()[labels == center].mean(0)
            assert np.allclose(centers[center], mean, atol=1e-4), name


@pytest.mark.parametrize("example", ["pca"], indirect=True)
def test_pca_finds_the_same_components(example):
    found = answers(example, lambda asarray: example.pca(asarray(example.samples()), 3))
    exact = np.linalg.eigh(np.cov(example.samples().astype(np.float64).T))
    for name, (components, variances) in found.items():
        assert np.allclose(variances, exact.eigenvalues[:-4:-1], rtol=1e-4), name
        aligned = np.abs(np.sum(components * exact.eigenvectors.T[:-4:-1], axis=1))
        assert np.allclose(aligned, 1, atol=1e-4), name
        agreeing = np.abs(np.sum(components * found["numpy"][0], axis=1))
        assert np.allclose(agreeing, 1, atol=1e-4), name


@pytest.mark.parametrize("example", ["kmeans", "pca"], indirect=True)
def test_they_print_a_table_of_all_libraries(example, capsys):
    example.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["library", *example.installed()]
    assert len({line[10:30] for line in lines[1:]}) == 1, "the same figures"
