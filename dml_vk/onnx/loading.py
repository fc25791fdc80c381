"""`load`: a model from a file, from its bytes, or as a ModelProto."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dml_vk.dtypes import DTypeLike, to_dtype
from dml_vk.errors import ModelError, RangeError
from dml_vk.onnx import operators
from dml_vk.onnx.constants import Source
from dml_vk.onnx.model import LAYOUTS, Model
from dml_vk.onnx.package import onnx_package
from dml_vk.onnx.reading import read
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor.core import DeviceLike

if TYPE_CHECKING:
    from onnx import ModelProto

MOST_BYTES = 2**31 - 1  # of a protobuf


def load(
    model: object,
    /,
    *,
    device: DeviceLike = None,
    layout: str = "auto",
    dtype: DTypeLike | None = None,
) -> Model:
    """Return a model that runs on a device, from a path, bytes or a ModelProto.

    With the layout "nhwc", operations on images are done in channels_last, and inputs of four dims
    become so; with "nchw" they are row-major. With "auto", each operation is done in the format
    that takes the least estimated time for all, copies included; results are as if nothing were
    converted, and `Model.explain` says what was and why. With a
    `dtype` such as float16, float32 in inputs, weights and results is replaced by it. Models that
    are malformed are refused, and so are those with operators that are not supported, by an error
    that lists all of them.

    >>> import onnx.parser
    >>> from dml_vk.onnx import load
    >>> text = '<ir_version: 9, opset_import: ["": 20]> f (float[n] x) => (float[n] y) {y = Exp(x)}'
    >>> model = load(onnx.parser.parse_model(text))
    >>> model(x=[0.0, 1.0])["y"].tolist()
    [1.0, 2.7182817459106445]
    """
    what = "load"
    operators.enter()
    if layout not in LAYOUTS:
        raise RangeError(what, 'layout must be "auto", "nchw" or "nhwc"', layout=layout)
    wanted = None if dtype is None else to_dtype(what, dtype)
    if wanted is not None and wanted.kind != "f":
        raise RangeError(what, "dtype must be float16, float32 or float64", dtype=wanted)
    proto, source = _proto(what, model)
    graph = read(what, proto, source)
    return Model(graph, open_device(device), layout, wanted)


def _proto(what: str, model: object) -> tuple[ModelProto, Source]:
    onnx = onnx_package(what)
    if isinstance(model, onnx.ModelProto):
        return _with_graph(what, model), Source(None)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _parsed(what, onnx, bytes(model)), Source(None)
    if not isinstance(model, (str, os.PathLike)):
        rule = "model must be a path, bytes or a ModelProto"
        raise ModelError(what, rule, model=type(model).__name__)
    path = Path(model)
    size = path.stat().st_size
    if size > MOST_BYTES:
        rule = "a model's file must have less than 2 GiB: keep weights as external data"
        raise ModelError(what, rule, bytes=size)
    return _parsed(what, onnx, path.read_bytes()), Source(path.parent)


def _parsed(what: str, onnx: Any, data: bytes) -> ModelProto:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # protobuf's classes depend on how it was built
        rule = "a model must be a protobuf of ONNX"
        raise ModelError(what, rule, bytes=len(data), error=str(error)) from None
    return _with_graph(what, model)


def _with_graph(what: str, model: ModelProto) -> ModelProto:
    if not model.HasField("graph") or not model.ir_version or not model.opset_import:
        rule = "a model must have a graph, an IR version and opsets"
        present = {"graph": model.HasField("graph"), "opsets": len(model.opset_import)}
        raise ModelError(what, rule, ir_version=model.ir_version, **present)
    return model
