"""ONNX's own tests of operators, from its wheel: run, and compared as onnx says."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests

from dml_vk.errors import ModelError
from dml_vk.onnx import Backend


@functools.cache
def cases(kind: str = "node") -> dict[str, Any]:
    """The cases of a kind, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of overflows that some cases are about
        return {one.name: one for one in load_model_tests(kind=kind)}


def model_of(case: Any) -> Any:
    if case.model is not None:
        return case.model
    if case.model_dir is None:  # a well-known network without weights of its own, in the wheel
        return Path(onnx.__file__).parents[1] / case.url
    return Path(case.model_dir) / "model.onnx"


def data_of(case: Any) -> list[tuple[list[Any], list[Any]]]:
    """The inputs and outputs of each run."""
    if case.data_sets is not None:
        return [(_arrays(inputs), _arrays(outputs)) for inputs, outputs in case.data_sets]
    if case.model_dir is None:
        return [_counted(model_of(case))]
    model = onnx.load(Path(case.model_dir) / "model.onnx")
    sets = sorted(Path(case.model_dir).glob("test_data_set_*"))
    return [
        (_read(one, "input", model.graph.input), _read(one, "output", model.graph.output))
        for one in sets
    ]


def _counted(path: Path) -> tuple[list[Any], list[Any]]:
    """What the wheel has beside such a network: results for numbers that grow from 0 to 1."""
    graph = onnx.load(path).graph
    weights = {one.name for one in graph.initializer}
    (shape,) = [
        [dim.dim_value for dim in one.type.tensor_type.shape.dim]
        for one in graph.input
        if one.name not in weights
    ]
    count = int(np.prod(shape))
    array = (np.arange(count) / count).astype(np.float32).reshape(shape)
    return [array], _read(path.parent, f"{path.stem}_output", graph.output)


_PROTOS = {
    "tensor_type": (onnx.TensorProto, onnx.numpy_helper.to_array),
    "sequence_type": (onnx.SequenceProto, onnx.numpy_helper.to_list),
    "optional_type": (onnx.OptionalProto, onnx.numpy_helper.to_optional),
}


def _arrays(values: Any) -> list[Any]:
    proto = onnx.TensorProto
    return [onnx.numpy_helper.to_array(x) if isinstance(x, proto) else x for x in values]


def _read(folder: Path, name: str, declared: Any) -> list[Any]:
    found: list[Any] = []
    for place, one in enumerate(declared[: len(list(folder.glob(f"{name}_*.pb")))]):
        data = (folder / f"{name}_{place}.pb").read_bytes()
        kind, make = _PROTOS[one.type.WhichOneof("value")]
        found.append(make(kind.FromString(data)))
    return found


def run(case: Any, **named: Any) -> None:
    """Run a case; what is not supported, or not as expected, is an error."""
    prepared = Backend.prepare(model_of(case), **named)
    for inputs, expected in data_of(case):
        found = prepared.run(inputs)
        check_equal(expected, list(found), case.rtol, case.atol)


def check_shapes(case: Any, **named: Any) -> None:
    """Run a case whose values are not known, and check dtypes and shapes."""
    prepared = Backend.prepare(model_of(case), **named)
    for inputs, expected in data_of(case):
        found = prepared.run(inputs)
        assert [one.shape for one in found] == [one.shape for one in expected]
        assert [one.dtype for one in found] == [one.dtype for one in expected]


def check_equal(expected: Any, found: Any, rtol: float, atol: float) -> None:
    """Check values, shapes and dtypes, of sequences element by element."""
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(expected, found):
            check_equal(one, other, rtol, atol)
    elif expected is None:
        assert found is None
    else:
        expected = np.asarray(expected)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol, atol)


def outcome(case: Any, **named: Any) -> str:
    """The words "passed", "refused: ..." or "failed: ..."."""
    try:
        run(case, **named)
    except ModelError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"failed: {type(error).__name__}: {error}"
    return "passed"
