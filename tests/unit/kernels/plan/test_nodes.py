"""The words of scalars that nodes take, by their rows and by the functions of modules."""

import subprocess
import sys

import pytest

from dml_vk.dtypes import DTYPES
from dml_vk.kernels.codegen.node_functions import piece
from dml_vk.kernels.elementwise import ADDED, COMPUTED, SCALED
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.nodes import of_parts, scalar_places
from tests import tier

# Words that nothing reads: of a number whose sign alone counts, and of one that is a float only.
MORE = {("double_arithmetic", "copysign"), ("int_arithmetic", "parameterized_relu")}
WITH_PROLOGUE = tuple(
    [name for name in COMPUTED if name.startswith("float_") and name != "float_compare"]
)


def nodes(kernel):
    """(operator, constants) of all that a kernel computes, without scalars, and with each."""
    sources = COMPUTED[kernel].sources
    for operator in OPERATORS.values():
        of = [one for one in DTYPES.values() if operator.takes(one)]
        of = [one for one in of if kernel in (operator.kernel(one), *operator.extra_kernels)]
        for dtype in of if tier.is_all() else of[-1:]:
            result = operator.result_dtype(dtype)
            codes = result.code, dtype.code, *[dtype.code] * sources
            absents = {0, *[1 << k for k in range(1, sources)], int(operator.arity == 2)}
            # Without a scalar, and in turn with one of those there may be.
            forms = sorted(absents - {0})
            turn = operator.code % max(len(forms), 1)
            for absent in (0, *(forms if tier.is_all() else forms[turn : turn + 1])):
                yield operator.name, (operator.code, 0, absent, *codes)
            if kernel in WITH_PROLOGUE:
                yield operator.name, (operator.code, SCALED, 0, *codes)
                yield operator.name, (operator.code, ADDED, 2 * (sources > 1), *codes)


@pytest.mark.parametrize("kernel", [name for name in COMPUTED if name != "cast"])
def test_they_are_what_the_function_reads(kernel):
    found = [*nodes(kernel)]
    assert found
    for name, spec in found:
        own = of_parts(kernel, spec) or spec
        read, places = {*piece(kernel, own).scalars.values()}, {*scalar_places(kernel, spec)}
        assert read <= places, (name, spec)
        assert read == places or spec[1] == ADDED or (kernel, name) in MORE, (name, spec)


def test_planning_a_chain_touches_no_file():
    code = """
import sys
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.chain import Chain, Node
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.fused import params_of, plan_fused
from tests.profiles import GPU
opened = []
def watch(event, args):
    if event in ("open", "import"):
        opened.append((event, args[0]))
sys.addaudithook(watch)
x = Operand((20, 1), 0, 4)
spec = OPERATORS["add"].code, 0, 2, 10, 10, 10, 10
nodes = Node("float_arithmetic", spec, (0,)), Node("float_arithmetic", spec, (1,))
chain = Chain((7, 20), (x,), nodes, ((2, x),))
assert plan_fused(chain, GPU).module == "fused"
assert params_of(chain, [(5, 6, 7, 8)] * 2) == (5, 5)
assert opened == [], opened
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_planning_an_inlined_chain_touches_no_file():
    code = """
import sys
from dml_vk.dtypes import DTYPES
from dml_vk.kernels.codegen.inlined import outline
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.inlined import Passing, kernel_for, plan_inlined
from dml_vk.kernels.plan.chain import Chain, Node
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.matmul import plan_matmul
from tests.profiles import GPU
float32 = DTYPES["float32"]
operands = [Operand(strides, 0, 4) for strides in ((60, 0, 1), (0, 1, 20), (20, 1))]
plan = plan_matmul((37, 20), 60, operands, (float32,) * 3, GPU).plan
x = Operand((20, 1), 0, 4)
spec = OPERATORS["add"].code, 0, 2, 10, 10, 10, 10
chain = Chain((37, 20), (x,), (Node("float_arithmetic", spec, (0,)),), ((1, x),))
passing = Passing(2, x, 0, False, 0)
known = outline(kernel_for(plan, passing, chain), 2, False, GPU.unrolls)
opened = []
def watch(event, args):
    if event in ("open", "import"):
        opened.append((event, args[0]))
sys.addaudithook(watch)
kernel = kernel_for(plan, passing, chain)
made = plan_inlined(plan, kernel, 0, passing, chain, GPU, known)
assert made.plan.recipe.kernel == kernel
assert opened == [], opened
"""
    subprocess.run([sys.executable, "-c", code], check=True)
