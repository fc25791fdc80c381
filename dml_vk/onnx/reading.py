"""A ModelProto as a checked graph, its local functions joined to the nodes that call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dml_vk.errors import ModelError
from dml_vk.onnx.attributes import value_of
from dml_vk.onnx.constants import Source, to_array
from dml_vk.onnx.element_types import WIDENED, name_of, to_dtype
from dml_vk.onnx.graph import Declared, Graph, Node, checked, is_onnx
from dml_vk.onnx.narrow import mark
from dml_vk.onnx.package import onnx_package
from dml_vk.onnx.registry import ONNX, OPERATORS, find
from dml_vk.onnx.texts import to_text, to_texts
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

if TYPE_CHECKING:
    from onnx import (
        FunctionProto,
        GraphProto,
        ModelProto,
        NodeProto,
        OperatorSetIdProto,
        ValueInfoProto,
    )

MOST_NODES = 2**20  # with those of functions, at each place that calls them
MOST_DEPTH = 64  # of graphs in graphs
Bindings = Mapping[str, Any]


def read(what: str, model: ModelProto, source: Source) -> Graph:
    """Return a model's graph; an operator that is not supported is an error that lists all."""
    reader = _Reader(what, model, source)
    graph = reader.graph(model.graph, {}, reader.opsets(model.opset_import), is_inner=False)
    reader.check_all_supported()
    mark(graph, {})
    return graph


def read_function(
    what: str, function: FunctionProto, attributes: dict[str, object], source: Source
) -> Graph:
    """Return the graph of a function that is called with these attributes."""
    reader = _Reader(what, None, source)
    graph = reader.function(function, attributes)
    reader.check_all_supported()
    return graph


class _Reader:
    def __init__(self, what: str, model: ModelProto | None, source: Source) -> None:
        self.what = what
        self.source = source
        self.missing: list[str] = []
        functions = () if model is None else model.functions
        self.functions = {
            (function.domain, function.name, getattr(function, "overload", "")): function
            for function in functions
        }
        self._count = 0
        self._depth = 0
        self._defs = onnx_package(what).defs

    def check_all_supported(self) -> None:
        if self.missing:
            rule = "every operator must be supported"
            raise ModelError(self.what, rule, missing=self.missing)

    def opsets(self, imports: Iterable[OperatorSetIdProto]) -> dict[str, int]:
        """The opset of each domain; too new ones are refused, since nobody knows what they mean."""
        versions = {
            (ONNX if is_onnx(opset.domain) else opset.domain): opset.version for opset in imports
        }
        newest = self._defs.onnx_opset_version()
        version = versions.get(ONNX, newest)
        if not 1 <= version <= newest:
            rule = f"the opset must be one that the package onnx knows, 1 to {newest}"
            raise ModelError(self.what, rule, opset=version)
        return versions

    def graph(
        self, proto: GraphProto, bindings: Bindings, opsets: Mapping[str, int], *, is_inner: bool
    ) -> Graph:
        self._enter(proto.name)
        if proto.sparse_initializer:
            names = [weights.values.name for weights in proto.sparse_initializer]
            raise ModelError(self.what, "sparse tensors are not supported", tensors=names)
        constants: dict[str, Array | Tensor] = {
            weights.name: to_array(self.what, weights, self.source) for weights in proto.initializer
        }
        inputs = [self._declared(value) for value in proto.input if value.name not in constants]
        outputs = [self._declared(value) for value in proto.output]
        nodes = [self._node(node, bindings, opsets) for node in proto.node]
        self._depth -= 1
        graph = checked(self.what, proto.name, inputs, outputs, constants, nodes, is_inner=is_inner)
        kinds = {weights.name: weights.data_type for weights in proto.initializer}
        graph.narrow = {name: kind for name, kind in kinds.items() if kind in WIDENED}
        return graph

    def _enter(self, name: str) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            rule = f"graphs and functions must be at most {MOST_DEPTH} deep in each other"
            raise ModelError(self.what, rule, name=name)

    def _node(self, proto: NodeProto, bindings: Bindings, opsets: Mapping[str, int]) -> Node:
        self._count += 1
        if self._count > MOST_NODES:
            rule = f"a model must have at most {MOST_NODES} nodes, with those of its functions"
            raise ModelError(self.what, rule, node=proto.name)
        name, op, domain = to_texts(self.what, (proto.name, proto.op_type, proto.domain))
        function = self.functions.get((domain, op, getattr(proto, "overload", "")))
        domain = ONNX if is_onnx(domain) else domain
        version = opsets.get(domain, 0 if domain else self._defs.onnx_opset_version())
        attributes = self._attributes(proto, bindings, opsets)
        operator = find(domain, op, version)
        node = Node(
            name,
            op,
            domain,
            version,
            to_texts(self.what, proto.input),
            to_texts(self.what, proto.output),
            attributes if function else self._defaults(proto, domain, version, attributes),
            None if function else operator,
        )
        if operator is not None and operator.is_expanded:
            node.proto = proto
        if op == "Constant":
            kinds = [
                attribute.t.data_type for attribute in proto.attribute if attribute.name == "value"
            ]
            node.narrow = next((kind for kind in kinds if kind in WIDENED), 0)
        if function:
            node.body = self.function(function, attributes)
        elif operator is None:
            known = OPERATORS.get((domain, op))
            since = f", which is supported from opset {known.first} on" if known else ""
            self.missing.append(f"{domain or 'ai.onnx'}.{node.label}, opset {version}{since}")
        return node

    def _attributes(
        self, proto: NodeProto, bindings: Bindings, opsets: Mapping[str, int]
    ) -> dict[str, Any]:
        def graph(inner: GraphProto) -> Graph:
            return self.graph(inner, bindings, opsets, is_inner=True)

        values = {}
        for attribute in proto.attribute:
            if attribute.ref_attr_name:
                if attribute.ref_attr_name in bindings:
                    values[to_text(self.what, attribute.name)] = bindings[attribute.ref_attr_name]
            else:
                values[to_text(self.what, attribute.name)] = value_of(
                    self.what, attribute, self.source, graph
                )
        return values

    def _schema(self, op: str, domain: str, version: int) -> Any:
        try:
            return self._defs.get_schema(op, version, domain)
        except Exception:  # onnx has a class for it, whose place depends on the release
            return None

    def _defaults(
        self, proto: NodeProto, domain: str, version: int, attributes: dict[str, object]
    ) -> dict[str, Any]:
        """The attributes, with the defaults of the operator's schema in this opset."""
        schema = self._schema(proto.op_type, domain, version)
        if schema is None:
            return attributes
        least, most, count = schema.min_input, schema.max_input, len(proto.input)
        if not least <= count <= most:
            rule = f"{proto.op_type} takes {least} to {most} inputs"
            raise ModelError(self.what, rule, node=proto.name, inputs=list(proto.input))
        for attribute in proto.attribute:
            known = schema.attributes.get(attribute.name)
            if (
                known is not None
                and not attribute.ref_attr_name
                and attribute.type != known.type.value
            ):
                rule = f"{attribute.name} of {proto.op_type} must be of the type {known.type.name}"
                raise ModelError(self.what, rule, node=proto.name, type=attribute.type)
        defaults = {
            name: value_of(self.what, attribute.default_value, self.source, None)
            for name, attribute in schema.attributes.items()
            if attribute.default_value.type
        }
        return {**defaults, **attributes}

    def function(self, function: FunctionProto, attributes: dict[str, Any]) -> Graph:
        self._enter(function.name)
        opsets = self.opsets(function.opset_import)
        defaults = {
            attribute.name: value_of(self.what, attribute, self.source, None)
            for attribute in getattr(function, "attribute_proto", ())
        }
        bindings = {**defaults, **attributes}
        nodes = [self._node(node, bindings, opsets) for node in function.node]
        self._depth -= 1
        inputs = [Declared(value, None, None) for value in function.input]
        # Outputs that a schema's function does not make in this case are absent.
        defined = {*function.input, *(name for node in nodes for name in node.outputs)}
        outputs = [
            Declared(value if value in defined else "", None, None) for value in function.output
        ]
        return checked(self.what, function.name, inputs, outputs, {}, nodes)

    def _declared(self, proto: ValueInfoProto) -> Declared:
        if not proto.type.HasField("tensor_type"):
            return Declared(to_text(self.what, proto.name), None, None)
        tensor, name = proto.type.tensor_type, to_text(self.what, proto.name)
        dtype = to_dtype(self.what, tensor.elem_type) if tensor.elem_type else None
        if not tensor.HasField("shape"):
            return Declared(name, dtype, None)
        sizes: list[int | str | None] = []
        for size in tensor.shape.dim:
            sizes.append(size.dim_value if size.HasField("dim_value") else size.dim_param or None)
            if isinstance(sizes[-1], int) and sizes[-1] < 0:
                rule = "sizes must be at least 0"
                raise ModelError(self.what, rule, name=name, type=name_of(tensor.elem_type))
        return Declared(name, dtype, tuple(sizes))
