"""Function bodies of ONNX's schemas, for the types of a node's inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dml_vk.errors import ModelError
from dml_vk.onnx.constants import Source
from dml_vk.onnx.graph import Graph, Node, Types
from dml_vk.onnx.package import onnx_package
from dml_vk.onnx.reading import read_function

if TYPE_CHECKING:
    from onnx import NodeProto


def expansion(node: Node, types: Types) -> Graph:
    """Return the function of a node for a dtype's number and a shape of each input."""
    graph = node.expansions.get(types)
    if graph is None:
        graph = node.expansions[types] = _expanded(node, types)
    return graph


def _expanded(node: Node, types: Types) -> Graph:
    what, onnx = str(node), onnx_package(str(node))
    schema = onnx.defs.get_schema(node.op, node.opset, node.domain)
    opsets = [*schema.function_opset_versions, *schema.context_dependent_function_opset_versions]
    version = max(
        (opset for opset in opsets if opset <= node.opset), default=max(opsets, default=0)
    )
    if version in schema.function_opset_versions:
        data = schema.get_function_with_opset_version(version)
    else:
        encoded = [_type(onnx, kind).SerializeToString() for kind in types]
        proto = _resolved(onnx, node).SerializeToString()
        data = schema.get_context_dependent_function_with_opset_version(version, proto, encoded)
    if not data:
        raise ModelError(what, "its function must be known for these types", types=types)
    function = onnx.FunctionProto.FromString(data)
    return read_function(what, function, node.attributes, Source(None))


def _resolved(onnx: Any, node: Node) -> NodeProto:
    """The node with values in place of the attributes that it takes from a function's call."""
    proto: NodeProto = onnx.NodeProto()
    proto.CopyFrom(node.proto)
    plain = [attribute for attribute in proto.attribute if not attribute.ref_attr_name]
    named = [attribute.name for attribute in proto.attribute if attribute.ref_attr_name]
    del proto.attribute[:]
    proto.attribute.extend(plain)
    make = onnx.helper.make_attribute
    attributes = node.attributes
    proto.attribute.extend([make(name, attributes[name]) for name in named if name in attributes])
    return proto


def _type(onnx: Any, value: Any) -> Any:
    if value is None:
        return onnx.TypeProto()
    number, shape = value
    return onnx.helper.make_tensor_type_proto(number, shape)
