"""Calls of more than one line: DirectML's operators, shaders, files and pickles cut up."""

from __future__ import annotations

import functools
import inspect
import os
import pickle
import random
import tempfile
from collections.abc import Callable
from typing import Any

import dml_vk
from dml_vk import directml
from dml_vk.directml import BufferTensorDesc, DataType
from dml_vk.directml.operators import Operator
from dml_vk.errors import CaptureError
from dml_vk.onnx import load
from dml_vk.user_kernel import UserKernel
from tests.kernel.compiler.both_ways import check
from tests.kernel.compiler.language import random_step
from tests.kernel.compiler.poison import poisoned
from tests.onnx_networks import NETWORKS, feed

MOST_STEPS = 24  # of a program

SOURCE = """#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint STEP = 1;
layout(binding = 0) buffer A { float a[]; };
layout(push_constant) uniform Push { uint a_base; float factor; };
void main() { a[a_base] = factor; }
"""


def operators() -> list[str]:
    """DirectML's classes that are called with buffers."""
    found = [name for name in directml.__all__ if inspect.isclass(getattr(directml, name))]
    return [name for name in found if issubclass(getattr(directml, name), Operator)]


def types_of(name: str) -> list[DataType]:
    """What the tensors of an operator mostly are; of a few its fields decide."""
    types = getattr(getattr(directml, name), "_types", (DataType.UINT32,))
    return [DataType.FLOAT32] if isinstance(types, property) else list(types)


def bound(name: str) -> Callable[..., Any]:
    """The operator over these descriptors, the rest being as its tensors mostly are."""
    cls = getattr(directml, name)

    def call(first: Any, *more: Any) -> Any:
        parameters = inspect.signature(cls).parameters
        named = {one: NUMBERS[one] for one in parameters if one in NUMBERS}
        for one in parameters:
            if one.endswith("data_type"):
                named[one] = getattr(first, "data_type", None)
        descs = [_like(first, cls, one) for one in cls._tensors]
        # Those given replace the last ones.
        descs[len(descs) - len(more) :] = more[: len(descs)]
        made = cls(**dict(zip(cls._tensors, descs)), **named)
        buffers = [directml.Buffer(getattr(one, "total_tensor_size_in_bytes", 8)) for one in descs]
        made(*buffers)
        return repr(made), [one.read() for one in buffers if isinstance(one, directml.Buffer)]

    return call


def _like(first: Any, cls: type, tensor: str) -> Any:
    """A descriptor that fits the first one."""
    if not isinstance(first, BufferTensorDesc):
        return first
    if tensor.endswith("_state"):
        return BufferTensorDesc(DataType.UINT32, (1, 1, 1, 6))
    (data_type, *_) = getattr(cls, "_own_types", {}).get(tensor, (first.data_type,))
    return BufferTensorDesc(data_type, first.sizes)


NUMBERS = {"min": 0, "max": 1, "exponent": 2, "value": 1, "value_start": 0, "value_delta": 1}


def damaged(data: bytes, seed: int) -> bytes:
    """Some bytes changed, or the end cut off, or something in between left out."""
    rng, found = random.Random(seed), bytearray(data)
    for _ in range(rng.randrange(4)):
        found[rng.randrange(len(found))] = rng.randrange(256)
    if rng.random() < 0.3:
        del found[rng.randrange(len(found)) :]
    if rng.random() < 0.3 and found:
        at = rng.randrange(len(found))
        del found[at : at + rng.randrange(9)]
    return bytes(found)


def damaged_pickle(x: Any, seed: int) -> Any:
    """Pickle itself may make anything of it; what concerns us is what it hands to us."""
    return pickle.loads(damaged(pickle.dumps(x), seed))


def damaged_file(x: Any, seed: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, ("x.npy", "x.npz")[seed % 2])
        dml_vk.save(path, x)
        with open(path, "r+b") as file:
            data = damaged(file.read(), seed)
            file.seek(0)
            file.truncate()
            file.write(data)
        return dml_vk.load(path)


def damaged_source(seed: int) -> Any:
    """GLSL with a few characters changed or left out."""
    rng, lines = random.Random(seed), SOURCE.split("\n")
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    rng.shuffle(words)
    lines[at] = " ".join(words[: rng.randrange(len(words) + 1)])
    return repr(dml_vk.kernel("\n".join(lines)))


@functools.cache
def users_kernel() -> UserKernel:
    return dml_vk.kernel(dml_vk.compile_glsl(SOURCE))


def kernel_call(x: Any, groups: Any, push: Any, spec: Any, writes: Any) -> None:
    x = x if x.size else dml_vk.zeros(1)  # The shader writes one element, come what may.
    users_kernel()(x, groups=groups, push=push, spec=spec, writes=writes)


def compiled_program(seed: int) -> str:
    """A compiled function of random steps, which must do what it does without `compile`.

    Memory of its program that no step has written holds NaN.
    """
    rng = random.Random(seed)
    start, *steps = [random_step(rng) for _ in range(rng.randrange(1, MOST_STEPS))]
    try:
        with poisoned():
            check(start, steps, rng.randrange(2**24))
    except (CaptureError, AssertionError) as error:
        raise AssertionError(f"start={start}, steps={steps}") from error
    return f"{len(steps)} steps"


def onnx_model(seed: int) -> str:
    """A seeded network whose file is whole or damaged: it runs, or is refused."""
    rng = random.Random(seed)
    name = rng.choice(list(NETWORKS))
    data = NETWORKS[name]().SerializeToString()
    model = load(data if rng.random() < 0.3 else damaged(data, seed))
    found = model.run(dict.fromkeys(model.inputs, feed(name, rng.randrange(1, 3), seed)))
    return repr([getattr(one, "shape", None) for one in found.values()])


CALLS = [
    ("a user's kernel", kernel_call, "self groups push spec writes"),
    ("a damaged file", damaged_file, "self seed"),
    ("a damaged pickle", damaged_pickle, "self seed"),
    ("a damaged source", damaged_source, "seed"),
]
