"""The functions by which ONNX's schemas define operators, for the types that inputs have."""

from __future__ import annotations

from typing import Any

from dml_vk.errors import ModelError
from dml_vk.onnx.constants import Source
from dml_vk.onnx.graph import Graph, Node
from dml_vk.onnx.package import onnx_package
from dml_vk.onnx.reading import read_function


def expansion(node: Node, types: tuple[Any, ...]) -> Graph:
    """Return the function of a node for a dtype's number and a shape of each input."""
    found = node.expansions.get(types)
    if found is None:
        found = node.expansions[types] = _expanded(node, types)
    return found


def _expanded(node: Node, types: tuple[Any, ...]) -> Graph:
    what, onnx = str(node), onnx_package(str(node))
    schema = onnx.defs.get_schema(node.op, node.opset, node.domain)
    opsets = [*schema.function_opset_versions, *schema.context_dependent_function_opset_versions]
    version = max((one for one in opsets if one <= node.opset), default=max(opsets, default=0))
    if version in schema.function_opset_versions:
        data = schema.get_function_with_opset_version(version)
    else:
        given = [_type(onnx, one).SerializeToString() for one in types]
        proto = _resolved(onnx, node).SerializeToString()
        data = schema.get_context_dependent_function_with_opset_version(version, proto, given)
    if not data:
        raise ModelError(what, "its function must be known for these types", types=types)
    function = onnx.FunctionProto.FromString(data)
    return read_function(what, function, node.attributes, Source(None))


def _resolved(onnx: Any, node: Node) -> Any:
    """The node with values in place of the attributes that it takes from a function's call."""
    proto = onnx.NodeProto()
    proto.CopyFrom(node.proto)
    kept = [one for one in proto.attribute if not one.ref_attr_name]
    named = [one.name for one in proto.attribute if one.ref_attr_name]
    del proto.attribute[:]
    proto.attribute.extend(kept)
    make = onnx.helper.make_attribute
    given = node.attributes
    proto.attribute.extend([make(name, given[name]) for name in named if name in given])
    return proto


def _type(onnx: Any, one: Any) -> Any:
    if one is None:
        return onnx.TypeProto()
    number, shape = one
    return onnx.helper.make_tensor_type_proto(number, shape)
