"""opt_einsum, cotengra and autoray, which look for functions by their names."""

import autoray
import cotengra
import numpy as np
import opt_einsum
import pytest

from tests.clients.agree import A, B, agree

CALLS = {
    "opt_einsum": lambda x, y: opt_einsum.contract("ab,cb,cd->ad", x, y, x),
    "cotengra": lambda x, y: cotengra.einsum("ab,cb,cd->ad", x, y, x),
    "tensordot": lambda x, y: autoray.do("tensordot", x, y, ((1,), (1,))),
    "transpose": lambda x, _: autoray.do("transpose", x),
    "transpose axes": lambda x, _: autoray.do("transpose", x, (1, 0)),
    "ravel": lambda x, _: autoray.do("ravel", x),
    "reshape": lambda x, _: autoray.do("reshape", x, (3, 8)),
    "exp": lambda x, _: autoray.do("exp", x),
    "stack": lambda x, y: autoray.do("stack", (x, y), axis=1),
    "where": lambda x, y: autoray.do("where", x > 0, x, y),
    "norm": lambda x, _: autoray.do("linalg.vector_norm", x),
    "svd": lambda x, _: autoray.do("linalg.svd", x)[1],
    "solve": lambda x, y: autoray.do("linalg.solve", x @ x.T, y),
    "conj": lambda x, _: autoray.do("conj", x),
    "einsum": lambda x, y: autoray.do("einsum", "ab,cb->ac", x, y),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_contractions(call):
    agree(call, A, B, rtol=1e-3)


def test_autoray_gives_arrays_of_numpy():
    agree(lambda x: autoray.to_numpy(x), A, on_device=False)
    assert type(autoray.to_numpy(autoray.numpy.ones((2,), like="dml_vk"))) is np.ndarray
