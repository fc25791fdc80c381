"""The examples run, and give what NumPy gives: most know no array library, and run on all."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk.testing.elementwise import ulps_apart

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


@pytest.mark.parametrize("example", ["photos"], indirect=True)
def test_photos_come_out_as_numpy_has_them(example, capsys):
    photos = example.decoded()
    for given in (photos, np.ascontiguousarray(photos[:, ::2, ::-1])):
        expected = example.by_numpy(given)
        for memory_format in (dml_vk.channels_last, dml_vk.contiguous_format):
            x = dml_vk.asarray(given.transpose(0, 3, 1, 2), memory_format=memory_format)
            y = example.prepared(x)
            assert y.memory_format is dml_vk.contiguous_format
            assert y.dtype == expected.dtype == np.float16
            # A factor in place of a quotient: a rounding apart, before the last.
            assert ulps_apart(y.numpy(), expected).max() <= 1
    example.main()
    said = capsys.readouterr().out
    assert "uint8 channels_last -> (4, 3, 48, 64) dml_vk.float16 contiguous_format" in said
    (moved,) = [line for line in said.splitlines() if line.startswith("to ")]
    assert moved.split()[1:6] == ["asked", "channels_last", "->", "contiguous_format", "1"]


def test_the_page_names_each_example():
    page = (EXAMPLES / "README.md").read_text()
    programs = {path.name for path in EXAMPLES.glob("*.py")} - {"libraries.py"}
    assert set(re.findall(r"\]\((\w+\.py)\)", page)) - {"libraries.py"} == programs
    for name in programs:
        assert f"`python examples/{name}`" in (EXAMPLES / name).read_text()
