"""Libraries that keep or show arrays: pictures, tables, files, plots."""

import io
import pickle

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import sparse
from PIL import Image

import dml_vk
from tests.clients.agree import A

matplotlib.use("agg")
X = dml_vk.asarray(A)
PICTURE = np.random.default_rng(3).integers(0, 256, (8, 9, 3), np.uint8)


def test_pillow_makes_pictures_of_tensors_and_tensors_are_made_of_pictures():
    picture = Image.fromarray(dml_vk.asarray(PICTURE))
    assert np.asarray(picture).tolist() == PICTURE.tolist()
    assert dml_vk.asarray(picture).tolist() == PICTURE.tolist()


def test_safetensors():
    stored = safetensors.numpy.save({"x": np.asarray(X)})
    assert dml_vk.asarray(safetensors.numpy.load(stored)["x"]).tolist() == A.tolist()
    if X.device.unified:
        assert safetensors.numpy.save({"x": X}) == stored
        with pytest.raises(AttributeError, match="x must be row-major without gaps"):
            safetensors.numpy.save({"x": X.T})


def test_safetensors_reads_our_files_and_we_read_its(tmp_path):
    arrays = {"x": A, "y": A > 0, "z": np.zeros((0, 3), np.int8), "n": np.float16(2.5)}
    path = tmp_path / "model.safetensors"
    safetensors.numpy.save_file({name: np.asarray(one) for name, one in arrays.items()}, path)
    for name, one in dml_vk.load(path).items():
        assert one.numpy().tobytes() == np.asarray(arrays[name]).tobytes()
        assert (one.shape, one.numpy().dtype) == (arrays[name].shape, arrays[name].dtype)
    dml_vk.save(path, {name: dml_vk.asarray(one) for name, one in arrays.items()})
    for name, one in safetensors.numpy.load_file(path).items():
        assert np.array_equal(one, arrays[name])


PLOTS = {
    "boxplot": lambda: plt.boxplot(X),
    "contourf": lambda: plt.contourf(X),
    "errorbar": lambda: plt.errorbar(X[0], X[1], dml_vk.abs(X[2])),
    "fill_between": lambda: plt.fill_between(X[0], X[1]),
    "hist": lambda: plt.hist(X[0]),
    "imshow": lambda: plt.imshow(X),
    "pcolormesh": lambda: plt.pcolormesh(X),
    "plot": lambda: plt.plot(X[0], X[1]),
    "quiver": lambda: plt.quiver(X[0], X[1], X[2], X[3]),
    "scatter": lambda: plt.scatter(X[0], X[1], c=X[2]),
    "stem": lambda: plt.stem(X[0], X[1]),
}


@pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS)
def test_matplotlib(draw):
    figure = plt.figure(figsize=(2, 2))
    draw()
    file = io.BytesIO()
    figure.savefig(file)
    plt.close(figure)
    assert len({*np.asarray(Image.open(file))[..., 0].ravel()}) > 1


def test_pandas():
    table = pd.DataFrame(X)
    table["y"] = X[:, 0]
    assert table.to_numpy()[:, :-1].tolist() == A.tolist()
    assert table["y"].tolist() == pd.Series(X[:, 0]).tolist() == A[:, 0].tolist()


def test_sparse():
    assert sparse.COO.from_numpy(np.asarray(X)).todense().tolist() == A.tolist()
    found = sparse.COO.from_numpy(A) @ np.asarray(X.T)
    np.testing.assert_allclose(found, A @ A.T, rtol=1e-5)


def test_numpys_files():
    file = io.BytesIO()
    np.savez(file, x=X)
    file.seek(0)
    assert np.load(file)["x"].tolist() == A.tolist()


def test_buffers_and_pickles():
    assert bytes(memoryview(np.asarray(X))) == X.tobytes() == A.tobytes()
    assert pickle.loads(pickle.dumps(X)).tolist() == A.tolist()
    assert pickle.loads(pickle.dumps(X.device)) is X.device
