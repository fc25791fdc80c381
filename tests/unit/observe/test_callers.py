"""Which functions are known to write to an operand that is not their `out`."""

from __future__ import annotations

import inspect

import dml_vk
from dml_vk.array.indexing.flat import Flat
from dml_vk.observe.callers import _WRITERS


def test_functions_that_take_a_tensor_and_return_nothing_write_to_it():
    names = set()
    for name in dml_vk.__all__:
        function = getattr(dml_vk, name)
        if inspect.isfunction(function):
            signature = inspect.signature(function)
            takes = [parameter.annotation for parameter in signature.parameters.values()]
            if signature.return_annotation == "None" and takes[:1] == ["Tensor"]:
                names.add(name)
                assert function.__code__ in _WRITERS, name
    assert {"copy", "put", "putmask", "place", "put_along_axis", "fill_diagonal"} <= names


def test_methods_in_place_write_to_their_tensor():
    for owner in (dml_vk.Tensor, Flat):
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            other = f"__{name[3:]}" if name.startswith("__i") else ""
            if name == "__setitem__" or hasattr(dml_vk.Tensor, other):
                assert method.__code__ in _WRITERS, name
