"""The examples run, and give what NumPy gives: most know no array library, and run on all."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import dml_vk
from dml_vk.testing.elementwise import ulps_apart
from tests import tier

EXAMPLES = Path(__file__).parents[2] / "examples"
PARTS = {"libraries.py", "steps.py", "workers.py"}  # of others
SAMPLES = 500  # in `./dev test`, of 1000: to make weights takes longer than all that uses them


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


def sources() -> str:
    """A digest of all that the weights follow from."""
    digest = hashlib.sha256()
    package = Path(dml_vk.__file__).parent.rglob("*")
    for path in sorted([*package, *EXAMPLES.glob("*.py")]):
        if path.suffix in (".py", ".spv"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def made_once(path: Path) -> None:
    """Make the weights, or take those that an earlier run made of the same sources."""
    folder = Path(os.environ["DML_VK_TESTS_CACHE"])
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / f"shapes-{SAMPLES}-{sources()}.safetensors"
    if not known.exists():
        command = [sys.executable, str(EXAMPLES / "shapes.py"), str(path), str(SAMPLES)]
        subprocess.run(command, check=True)
        for other in folder.glob("shapes-*"):
            other.unlink(missing_ok=True)
        unfinished = folder / f"{os.getpid()}.shapes"
        shutil.copy(path, unfinished)
        unfinished.replace(known)
    shutil.copy(known, path)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    """The example, its weights, and pictures that they have not seen, with the right answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        # Weights are made by another process, of large convolutions, which pay for optimizing.
        patch.setenv("GALLIVM_PERF", "")
        resnet, shapes = map(importlib.import_module, ("resnet", "shapes"))
        path = tmp_path_factory.mktemp("weights") / "shapes.safetensors"
        if not tier.is_all():
            made_once(path)
        weights = resnet.loaded(path)
    count = 60 if tier.is_all() else 25
    kinds = dml_vk.arange(count, dtype="int32") % len(resnet.KINDS)
    return resnet, path, weights, shapes.drawn(kinds, dml_vk.random.Generator(5)), kinds.numpy()


def test_weights_that_are_not_there_are_made(monkeypatch, tmp_path):
    """By the other example, with as many pictures as it says: --all runs it."""
    monkeypatch.syspath_prepend(EXAMPLES)
    resnet, shapes = map(importlib.import_module, ("resnet", "shapes"))
    path = tmp_path / "shapes.safetensors"

    def run(command, check):
        assert check
        assert command == [sys.executable, EXAMPLES / "shapes.py", path]
        shapes.save_file({"stem.conv.weight": np.float32([[1, 2]])}, path)

    for change in (run, None):  # which is not called where the file is there
        monkeypatch.setattr(subprocess, "run", change)
        (name,) = weights = resnet.loaded(path)
        assert (name, weights[name].tolist()) == ("stem.conv.weight", [[1, 2]])


def test_a_residual_network_tells_shapes_apart_with_equal_bits_in_both_formats(shapes):
    resnet, _, weights, pictures, kinds = shapes
    with dml_vk.trace(strict=True) as log:
        nchw = resnet.classified(weights, pictures)
        assert log.entries == []
        nhwc = resnet.classified(weights, pictures.to(dml_vk.channels_last))
    assert [entry.op for entry in log.entries] == ["to"]
    found = nchw.numpy()
    assert found.tobytes() == nhwc.numpy().tobytes()
    assert np.mean(found.argmax(1) == kinds) > 0.8
    assert resnet.classified(weights, pictures[7:8]).numpy().tobytes() == found[7].tobytes()


def test_a_residual_network_gives_what_its_layers_define(shapes):
    resnet, _, weights, pictures, _ = shapes
    exact = {name: tensor.numpy().astype(np.float64) for name, tensor in weights.items()}

    def conv(x, name, stride=1):
        weight = exact[f"{name}.weight"]
        size = weight.shape[2]
        x = np.pad(x, ((0, 0), (0, 0), *[(size // 2, size // 2)] * 2))
        windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))
        return np.einsum("nchwij,ocij->nohw", windows[:, :, ::stride, ::stride], weight)

    def norm(x, name):
        mean, variance, weight, bias = (
            exact[f"{name}.{part}"].reshape(-1, 1, 1)
            for part in ("running_mean", "running_var", "weight", "bias")
        )
        return (x - mean) / np.sqrt(variance + 1e-5) * weight + bias

    x = pictures[:6].numpy().astype(np.float64)
    over = {"axis": (2, 3), "keepdims": True}
    x = (x - x.mean(**over)) / np.sqrt(x.var(**over) + 1e-5)
    x = norm(conv(x, "stem.conv"), "stem.norm").clip(0)
    seen = []
    for number in range(3):
        name, stride = f"blocks.{number}", 1 if number == 0 else 2
        y = norm(conv(x, f"{name}.conv1", stride), f"{name}.norm1").clip(0)
        y = norm(conv(y, f"{name}.conv2"), f"{name}.norm2")
        x = (y + (conv(x, f"{name}.shortcut", stride) if stride > 1 else x)).clip(0)
        seen += [x.mean((2, 3)), x.max((2, 3))]
    logits = np.concatenate(seen, 1) @ exact["head.weight"].T + exact["head.bias"]
    expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert np.allclose(resnet.classified(weights, pictures[:6]).numpy(), expected, atol=1e-4)


def test_the_residual_network_prints_its_answer_and_the_time_of_each_layer(
    shapes, monkeypatch, capsys
):
    resnet, path, *_ = shapes
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr("sys.argv", ["resnet.py", str(path)])
    resnet.main()
    said = capsys.readouterr().out
    assert re.search(r"^a triangle, by \d+%; equal bits: True$", said, re.M)
    rows = re.findall(r"^([\w.]+) +[\d.]+ ms +[\d.]+ ms$", said, re.M)
    assert rows[:2] == ["stem", "blocks.0.conv1"]
    assert rows[-1] == "head"


@pytest.mark.parametrize("example", ["onnx_shapes"], indirect=True)
def test_a_model_file_gives_what_the_network_gives(shapes, example, monkeypatch, capsys, tmp_path):
    resnet, weights_path, weights, pictures, _ = shapes
    path = tmp_path / "shapes.onnx"
    (tmp_path / "shapes.safetensors").write_bytes(weights_path.read_bytes())
    monkeypatch.setattr("sys.argv", ["onnx_shapes.py", str(path)])
    least = 8 if tier.is_all() else 7  # of ten
    for _ in tier.some(range(2), 1):  # the file is made, and then read, as below
        example.main()
        said = capsys.readouterr().out
        assert len(re.findall(r"^drawn: (\w+) +found: \1 ", said, re.M)) >= least
        assert "equal bits in all layouts: True\n" in said
        assert "x Conv + BatchNormalization as one\n" in said
    found = example.load(path)(pictures)["kinds"].numpy()
    assert np.allclose(found, resnet.classified(weights, pictures).numpy(), atol=1e-4)


@pytest.mark.parametrize("example", ["gpt"], indirect=True)
def test_a_transformer_continues_a_text_from_its_cache(example, monkeypatch, capsys):
    text = "a quick brown fox jumps over the lazy dog. "
    model = example.weights()
    with dml_vk.trace(strict=True) as log:
        longer, rows, _ = example.continued(model, text + text[:3], 12)
    assert longer == (text * 2)[: len(text) + 15]
    # Only new keys and values are written, by each layer.
    written = [entry.nbytes for entry in log.entries if entry.op == "setitem"]
    step = 4 * example.HEADS * example.SIZE
    assert written == [step * (len(text) + 3)] * 4 + [step] * 4 * 11
    whole = example.logits(model, example.encoded(longer[:-1]), example.caches())
    assert whole[-12:].numpy().tobytes() == rows.numpy().tobytes()
    # Fewer letters are left to add the longer the text is: some tens take seconds.
    text = "abc" * 38 + "ab"
    monkeypatch.setattr("sys.argv", ["gpt.py", text])
    example.main()
    said = capsys.readouterr().out
    assert said.startswith(f"{text}|cabcabcabcab\n")
    assert "equal bits: True" in said


@pytest.mark.parametrize(
    ("name", "said"),
    tier.some(
        [
            ("photos", r"\(24, 3, 48, 64\) dml_vk.float32 channels_last in 6 chunks"),
            ("pca", r"(variance .*\n){3}"),
            ("onnx", r"40 pictures, 9\d% of which are what was drawn"),
        ],
        1,  # each starts two workers and computes all again
    ),
)
def test_what_is_spread_over_workers_has_the_bits_of_one_device(name, said, shapes, tmp_path):
    (tmp_path / "shapes.safetensors").write_bytes(shapes[1].read_bytes())
    command = [sys.executable, str(EXAMPLES / f"spread_{name}.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.match(said, done.stdout)
    assert done.stdout.endswith("equal bits: True\n")


@pytest.mark.parametrize("example", ["training", "digits", "letters", "heat"], indirect=True)
def test_what_is_trained_learns(example, monkeypatch, capsys, tmp_path):
    path = tmp_path / "curve.svg"
    monkeypatch.setattr("sys.argv", ["example", "--curve", str(path)])
    example.main(example.story)
    said = capsys.readouterr()
    first, last, share, weights = re.fullmatch(
        r"loss (\S+) at first, (\S+) at last\n(.+)\nweights (\w{64})\n", said.out
    ).groups()
    assert float(last) < 0.8 * float(first)
    assert float((re.search(r"about (\d+)%", share) or [0, "100"])[1]) > 35  # by chance: 20
    assert said.err == "", "no bar where nobody sees it"
    (line,) = ElementTree.parse(path).getroot()
    numbers = [float(point.split(",")[1]) for point in line.get("points").split()]
    assert 10 < len(numbers)
    assert min(numbers) >= 10
    assert max(numbers) == numbers[np.argmax(numbers)] > numbers[0], "down is less"
    if example.__name__ == "heat":
        params, _, _ = example.story(False)
        assert importlib.import_module("steps").fingerprint(params) == weights


def test_long_runs_have_a_bar_of_progress(monkeypatch, capsys):
    monkeypatch.syspath_prepend(EXAMPLES)
    steps = importlib.import_module("steps")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    steps.show(10, 30)
    assert capsys.readouterr().err == f"\r[{'#' * 10}{' ' * 20}] 10"
    steps.show(30, 30)
    assert capsys.readouterr().err == f"\r[{'#' * 30}] 30\n"


def test_the_page_names_each_example():
    page = (EXAMPLES / "README.md").read_text()
    programs = {path.name for path in EXAMPLES.glob("*.py")} - PARTS
    assert set(re.findall(r"\]\((\w+\.py)\)", page)) - PARTS == programs
    for name in programs:
        assert f"`python examples/{name}" in (EXAMPLES / name).read_text()
