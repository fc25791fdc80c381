"""Selection, and casts."""

from __future__ import annotations

from functools import partial
from math import inf

from dml_vk.kernels.operators.row import ALL, COMPLEX, NUMBERS, Operator
from dml_vk.kernels.operators.special import NANS, either_way, joined

_choice = partial(Operator, chapter="Selection", array_api=True)

ROWS = (
    _choice(
        "where",
        code=36,
        arity=3,
        dtypes=ALL + COMPLEX,
        family="where",
        directml=("ELEMENT_WISE_IF",),
    ),
    _choice(
        "clip",
        code=33,
        arity=1,
        dtypes=NUMBERS,
        parameters=(("min", 0.0), ("max", 0.0)),
        others=("clamp",),
        directml=("ELEMENT_WISE_CLIP", "ELEMENT_WISE_CLIP1"),
    ),
    _choice(
        "clip_grad",
        code=34,
        arity=2,
        dtypes="iuhs",
        parameters=(("min", 0.0), ("max", 0.0)),
        public=False,
        array_api=False,
        numpy=None,
        directml=("ELEMENT_WISE_CLIP_GRAD", "ELEMENT_WISE_CLIP_GRAD1"),
    ),
    _choice(
        "maximum",
        code=8,
        arity=2,
        dtypes=ALL,
        doc="The greater of x1 and x2; NaN if either is NaN.",
        example="[1, 5], [3, 2] -> [3, 5]",
        special=joined(
            either_way((inf, -inf, inf), (1.0, inf, inf), (-1.0, -inf, -1.0), (0.0, -1.0, 0.0)),
            NANS,
        ),
        directml=("ELEMENT_WISE_MAX", "ELEMENT_WISE_THRESHOLD"),
    ),
    _choice(
        "minimum",
        code=9,
        arity=2,
        dtypes=ALL,
        doc="The lesser of x1 and x2; NaN if either is NaN.",
        example="[1, 5], [3, 2] -> [1, 2]",
        special=joined(
            either_way((inf, -inf, -inf), (1.0, inf, 1.0), (-1.0, -inf, -inf), (0.0, 1.0, 0.0)),
            NANS,
        ),
        directml=("ELEMENT_WISE_MIN",),
    ),
    _choice(
        "cast",
        code=37,
        arity=1,
        dtypes=ALL + COMPLEX,
        family="cast",
        public=False,
        array_api=False,
        numpy=None,
        directml=("CAST",),
    ),
)
