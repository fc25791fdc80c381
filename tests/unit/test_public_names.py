"""What the package exports: documented with an example each, and known to type checkers."""

from __future__ import annotations

import inspect
import re

import pytest

import dml_vk
from dml_vk import fft, linalg, nn, optim, random, special
from tests.each import each
from tests.public_stub import text

# What is no function: classes, values and modules.
FUNCTIONS = {
    **{
        f"dml_vk.{name}": getattr(dml_vk, name)
        for name in dml_vk.__all__
        if inspect.isfunction(getattr(dml_vk, name))
    },
    **{f"fft.{name}": getattr(fft, name) for name in fft.__all__},
    **{f"linalg.{name}": getattr(linalg, name) for name in linalg.__all__},
    **{f"nn.{name}": getattr(nn, name) for name in nn.__all__},
    **{f"optim.{name}": getattr(optim, name) for name in optim.__all__},
    **{f"special.{name}": getattr(special, name) for name in special.__all__},
}


@each("name", FUNCTIONS)
def test_every_function_says_what_it_does_and_shows_it(name):
    text = inspect.getdoc(FUNCTIONS[name])
    assert text
    assert len(text.splitlines()[0]) > 10
    assert ">>> " in text, "an example, which the suite runs"


@pytest.mark.parametrize("cls", [dml_vk.Tensor, random.Generator, dml_vk.Device, dml_vk.Layout])
def test_every_method_says_what_it_does(cls):
    for name, member in inspect.getmembers(cls):
        if not name.startswith("_") and (
            inspect.isfunction(member) or isinstance(member, property)
        ):
            obvious = isinstance(member, property)
            assert obvious or inspect.getdoc(member), f"{cls.__name__}.{name}"


def test_type_checkers_know_the_same_names():
    """tests/unit/test_made_files.py sees to it that the stub is this."""
    told = re.findall(r"^    \w+ as (\w+),$|^(\w+): ", text(), re.MULTILINE)
    names = {*dml_vk.__all__, "__array_namespace_info__", "__array_api_version__"}
    assert {a or b for a, b in told} == {*names, *dml_vk._OPTIONAL, "__version__", "__all__"}


# All else computes, and so takes `out=`.
WITHOUT_OUT = {
    "creation": "asarray empty empty_like from_dlpack full full_like ones ones_like "
    "pin pinned zeros "
    "zeros_like arange eye fftfreq geomspace linspace logspace meshgrid load rfftfreq tri indices "
    "diagflat bartlett blackman hamming hanning kaiser diag_indices diag_indices_from ix_ "
    "tril_indices tril_indices_from triu_indices triu_indices_from",
    "views, or x itself": "broadcast_arrays broadcast_to expand_dims flip moveaxis permute_dims "
    "reshape squeeze transpose unstack matrix_transpose diagonal real imag "
    "atleast_1d atleast_2d atleast_3d split array_split hsplit vsplit dsplit fliplr flipud rot90 "
    "swapaxes ravel diag "
    "as_strided sliding_window_view trim_zeros real_if_close",
    "as many as the data says": "nonzero bincount unique_all unique_counts unique_inverse "
    "unique_values unique union1d intersect1d setdiff1d setxor1d argwhere flatnonzero "
    "histogram_bin_edges apply_along_axis",
    "a tensor and others": "average histogram histogram2d batch_norm_train top_k unravel_index "
    "cummax cummin eig eigh gru lstm lstsq qr rnn slogdet svd",
    "for trees": "SGD Adagrad Adam AdamW Lion Muon RMSprop clip_by_global_norm cosine like named "
    "step warmup",
    "no tensor": "allclose array_equal can_cast finfo iinfo isdtype result_type save copy "
    "__array_namespace_info__ trace devices default_device device memory_stats synchronize "
    "broadcast_shapes compile compile_glsl fuse kernel put_along_axis fill_diagonal place put "
    "putmask",
    "functions of functions": "checkpoint custom_vjp grad hessian jacobian jvp stop_gradient "
    "value_and_grad vjp",
}


def test_every_function_that_computes_takes_out():
    known = {name for names in WITHOUT_OUT.values() for name in names.split()}
    lacking = {
        name.rpartition(".")[2]
        for name, function in FUNCTIONS.items()
        if "out" not in inspect.signature(function).parameters
    }
    assert lacking == known
