"""Recurrent, quantized and attention operators: right fields for each class, and wrong ones."""

from __future__ import annotations

import math

from dml_vk.directml import (
    ActivationRelu,
    ActivationSigmoid,
    ActivationTanh,
    BufferTensorDesc,
    DataType,
    DynamicQuantizeLinear,
    ElementWiseClip,
    ElementWiseQuantizedLinearAdd,
    Gru,
    Lstm,
    MatrixMultiplyIntegerToFloat,
    MultiheadAttention,
    MultiheadAttention1,
    MultiheadAttentionMaskType,
    QuantizedLinearAveragePooling,
    QuantizedLinearConvolution,
    QuantizedLinearMatrixMultiply,
    RecurrentNetworkDirection,
    Rnn,
)
from dml_vk.errors import DTypeError, LayoutError, RangeError

F32, F16, I32, I8 = [DataType[name] for name in ("FLOAT32", "FLOAT16", "INT32", "INT8")]
U32, U8 = DataType.UINT32, DataType.UINT8
BOTH = RecurrentNetworkDirection.BIDIRECTIONAL
Mask = MultiheadAttentionMaskType


def desc(*sizes, of=F32):
    return BufferTensorDesc(of, sizes)


def recurrent(gates):
    """Fields of 5 steps of a batch of 2, from 3 inputs to 4."""
    return {
        "input": desc(1, 5, 2, 3), "weight": desc(1, 1, 4 * gates, 3),
        "recurrence": desc(1, 1, 4 * gates, 4), "bias": desc(1, 1, 1, 8 * gates),
        "hidden_init": desc(1, 1, 2, 4), "sequence_lengths": desc(1, 1, 1, 2, of=U32),
        "output_sequence": desc(5, 1, 2, 4), "output_single": desc(1, 1, 2, 4),
    }  # fmt: skip


SIGMOID, TANH = ActivationSigmoid.fused(), ActivationTanh.fused()
ONE, BYTE = desc(1, 1, 1, 1), desc(1, 1, 1, 1, of=U8)
STATES = desc(2, 4, 5, 6)
ATTENTION = {
    "query": desc(2, 3, 24), "key": desc(2, 5, 24), "value": desc(2, 5, 28),
    "stacked_query_key": None, "stacked_key_value": None, "stacked_query_key_value": None,
    "bias": desc(76), "mask": None, "relative_position_bias": desc(1, 4, 3, 7),
    "past_key": desc(2, 4, 2, 6), "past_value": desc(2, 4, 2, 7), "output": desc(2, 3, 28),
    "output_present_key": desc(2, 4, 7, 6), "output_present_value": desc(2, 4, 7, 7),
    "scale": 0.5,
}  # fmt: skip
# Each class with fields that are right.
RIGHT = {
    Rnn: recurrent(1) | {"activation_descs": [TANH]},
    Gru: recurrent(3) | {"activation_descs": [SIGMOID, TANH], "linear_before_reset": 1},
    Lstm: recurrent(4) | {
        "activation_descs": [SIGMOID, TANH, TANH], "cell_mem_init": desc(1, 1, 2, 4),
        "peephole": desc(1, 1, 1, 12), "output_cell_single": desc(1, 1, 2, 4),
    },
    ElementWiseQuantizedLinearAdd: {
        "a": desc(2, 3, 6, 8, of=U8), "a_scale": ONE, "a_zero_point": BYTE,
        "b": desc(2, 3, 6, 8, of=U8), "b_scale": ONE, "b_zero_point": BYTE,
        "output_scale": ONE, "output_zero_point": BYTE, "output": desc(2, 3, 6, 8, of=U8),
    },
    QuantizedLinearMatrixMultiply: {
        "a": desc(2, 3, 5, 4, of=U8), "a_scale": desc(1, 1, 5, 1), "a_zero_point": BYTE,
        "b": desc(2, 3, 4, 6, of=I8), "b_scale": desc(1, 1, 1, 6),
        "b_zero_point": desc(1, 1, 1, 6, of=I8),
        "output_scale": ONE, "output_zero_point": BYTE, "output": desc(2, 3, 5, 6, of=U8),
    },
    QuantizedLinearConvolution: {
        "input": desc(2, 3, 6, 8, of=U8), "input_scale": ONE, "input_zero_point": BYTE,
        "filter": desc(4, 3, 3, 3, of=I8), "filter_scale": desc(1, 4, 1, 1),
        "filter_zero_point": desc(1, 4, 1, 1, of=I8), "bias": desc(1, 4, 1, 1, of=I32),
        "output_scale": ONE, "output_zero_point": BYTE, "output": desc(2, 4, 4, 6, of=U8),
    },
    QuantizedLinearAveragePooling: {
        "input": desc(2, 3, 6, 8, of=U8), "input_scale": desc(1, 3, 1, 1),
        "input_zero_point": BYTE, "output_scale": desc(3), "output_zero_point": BYTE,
        "output": desc(2, 3, 3, 4, of=U8), "strides": (2, 2), "window_size": (2, 2),
        "include_padding": False,
    },
    MatrixMultiplyIntegerToFloat: {
        "a": desc(2, 5, 4, of=I32), "a_scale": desc(5, 1), "a_zero_point": desc(5, 1, of=I32),
        "b": desc(2, 4, 6, of=I32), "b_scale": desc(1, 6), "b_zero_point": desc(1, 1, of=I32),
        "bias": desc(2, 5, 6), "output": desc(2, 5, 6),
    },
    DynamicQuantizeLinear: {
        "input": desc(2, 3), "output": desc(2, 3, of=U8), "output_scale": desc(1, 1),
        "output_zero_point": desc(1, 1, of=U8),
    },
    MultiheadAttention: ATTENTION | {"head_count": 4},
    MultiheadAttention1: ATTENTION | {
        "key": desc(2, 5, 12), "value": desc(2, 5, 14), "bias": desc(50),
        "past_key": desc(2, 2, 7, 6), "past_value": desc(2, 2, 7, 7),
        "output_present_key": desc(2, 2, 7, 6), "output_present_value": desc(2, 2, 7, 7),
        "past_sequence_lengths": desc(2, of=I32), "query_head_count": 4,
        "key_value_head_count": 2,
    },
}  # fmt: skip
OF_RECURRENT = [
    ({"input": desc(5, 2, 3)}, LayoutError, "input must have 4 dims; got sizes=(5, 2, 3)"),
    ({"hidden_init": desc(1, 1, 2, 3)}, LayoutError, "hidden_init must have the sizes (1, 1, 2, 4"),
    ({"direction": BOTH}, LayoutError, "weight must have the sizes (1, 2, "),
    ({"direction": 0}, LayoutError, "direction must be of RecurrentNetworkDirection; got direct"),
    ({"activation_descs": [TANH] * 9}, LayoutError, "activation_descs must be "),
    ({"activation_descs": None}, LayoutError, "activation_descs must be a sequence; got activa"),
    ({"sequence_lengths": desc(1, 1, 1, 2, of=I32)}, DTypeError, "sequence_lengths must have the"),
    ({"output_sequence": None, "output_single": None}, LayoutError, "at least one output must hav"),
]
OF_ATTENTION = [
    ({"query": None}, LayoutError, "query, key and value must each have a tensor, of its own"),
    ({"stacked_key_value": desc(2, 5, 4, 2, 6)}, LayoutError, "query, key and value must each ha"),
    ({"query": desc(2, 3, 25)}, LayoutError, "heads must divide query, key and value, and be as"),
    ({"value": desc(2, 4, 28)}, LayoutError, "key and value must have the batch of query, and b"),
    ({"past_key": None}, LayoutError, "past_key and past_value must both have a descriptor, or "),
    ({"output": desc(2, 3, 24)}, LayoutError, "output must have the sizes (2, 3, 28), after ones"),
    ({"bias": desc(77)}, LayoutError, "bias must have the sizes ("),
    ({"scale": math.nan}, RangeError, "scale must not be NaN; got scale=nan"),
    ({"mask_filter_value": None}, DTypeError, "mask_filter_value must be a number that FLOAT32"),
    ({"mask_type": 0}, LayoutError, "mask_type must be of MultiheadAttentionMaskType; got mask_t"),
    ({"mask_type": Mask.BOOLEAN}, LayoutError, "mask must have a descriptor unless mask_type is N"),
    ({"mask": desc(2, of=I32)}, LayoutError, "mask must have a descriptor unless mask_type is NO"),
    ({"mask": desc(3, 3, of=I32), "mask_type": Mask.BOOLEAN}, LayoutError, "mask must broadcast t"),
    ({"mask": desc(3, of=I32), "mask_type": Mask.KEY_SEQUENCE_LENGTH}, LayoutError,
     "mask must have the sizes (2,), after ones up to 5 dims; got sizes=(3,)"),
    ({"mask": desc(2, of=I32), "mask_type": Mask.KEY_SEQUENCE_END_START}, LayoutError,
     "mask must have the sizes (2, 2), after ones up to 5 dims; got sizes=(2,)"),
    ({"relative_position_bias": desc(4, 3, 6)}, LayoutError, "relative_position_bias must broadca"),
    ({"relative_position_bias": desc(3, 4, 3, 7)}, LayoutError, "relative_position_bias must broa"),
]  # fmt: skip
OF_QUANTIZED = [
    ({"output_zero_point": desc(1, 1, 1, 1, of=I8)}, DTypeError, "output_zero_point must have the"),
    (
        {"output_scale": desc(1, 1, 1, 1, of=F16)},
        DTypeError,
        "output_scale must have the data type",
    ),
]
# Fields that are wrong, with the error.
WRONG = {
    Rnn: [
        *OF_RECURRENT,
        ({"activation_descs": [ElementWiseClip.fused(min=0, max=1)]}, LayoutError, "activation_de"),
        ({"activation_descs": ["tanh"]}, LayoutError, "activation_descs must be results of an act"),
    ],
    Gru: [
        *OF_RECURRENT,
        ({"linear_before_reset": 2}, DTypeError, "linear_before_reset must be a bool; got linear_"),
        ({"activation_descs": [ActivationRelu.fused()]}, LayoutError, "activation_descs must be 2"),
    ],
    Lstm: [
        *[case for case in OF_RECURRENT if "output_single" not in case[0]],
        ({"peephole": desc(1, 1, 1, 16)}, LayoutError, "peephole must have the sizes (1, 1, 1, 12"),
        ({"clip_threshold": -1}, RangeError, "clip_threshold must be at least 0; got clip_thresho"),
        ({"use_clip_threshold": None}, DTypeError, "use_clip_threshold must be a bool; got use_cl"),
        ({"couple_input_forget": "no"}, DTypeError, "couple_input_forget must be a bool; got coup"),
    ],
    ElementWiseQuantizedLinearAdd: [
        *OF_QUANTIZED,
        ({"b": desc(2, 3, 6, 4, of=U8)}, LayoutError, "b must have the sizes (2, 3, 6, 8); got si"),
        ({"a_scale": desc(1, 3, 1, 1)}, LayoutError, "a_scale must have the sizes (1, 1, 1, 1); g"),
        ({"a_scale": desc(1)}, LayoutError, "a_scale must have as many dims as a, 4; got sizes=("),
    ],
    QuantizedLinearMatrixMultiply: [
        *OF_QUANTIZED,
        ({"b_scale": desc(1, 1, 5, 1)}, LayoutError, "b_scale must have the sizes (1, 1, 1, 1) or"),
        ({"output_scale": desc(1, 1, 1, 6)}, LayoutError, "output_scale must have the sizes (1, 1"),
        ({"b": desc(2, 3, 5, 6, of=I8)}, LayoutError, "a and b must have equal batches, and a as"),
    ],
    QuantizedLinearConvolution: [
        *OF_QUANTIZED,
        ({"bias": desc(1, 4, 1, 1)}, DTypeError, "bias must have the data type INT32; got data_ty"),
        ({"bias": desc(1, 3, 1, 1, of=I32)}, LayoutError, "bias must have the sizes (1, 4, 1, 1);"),
        ({"input_scale": desc(1, 3, 1, 1)}, LayoutError, "input_scale must have one element, or t"),
        ({"group_count": 2}, LayoutError, "group_count must divide filter.sizes[0], and input.siz"),
    ],
    QuantizedLinearAveragePooling: [
        *OF_QUANTIZED,
        ({"output": desc(2, 3, 6, 8, of=U8)}, LayoutError, "output must have the sizes (2, 3, 3,"),
        ({"input_scale": desc(1, 2, 1, 1)}, LayoutError, "input_scale must have one element, or t"),
        ({"include_padding": None}, DTypeError, "include_padding must be a bool; got include_padd"),
    ],
    MatrixMultiplyIntegerToFloat: [
        ({"bias": desc(2, 5, 1)}, LayoutError, "bias must have the sizes (2, 5, 6); got sizes=(2,"),
        ({"a_scale": desc(1, 6)}, LayoutError, "a_scale must have one element, or the sizes (5, 1"),
        ({"b_scale": desc(6)}, LayoutError, "b_scale must have as many dims as a_scale, 2; got si"),
        ({"b": desc(2, 4, 6, of=U8)}, DTypeError, "b must have the data type of a, INT32; got dat"),
        ({"output": desc(2, 5, 6, of=F16)}, DTypeError, "output must have the data type of a_scal"),
    ],
    DynamicQuantizeLinear: [
        ({"output": desc(3, 2, of=U8)}, LayoutError, "output must have the sizes (2, 3); got size"),
        ({"output_scale": desc(2, 3)}, LayoutError, "output_scale must have the sizes (1, 1); got"),
        ({"output_zero_point": desc(1, 1, of=I8)}, DTypeError, "output_zero_point must have the d"),
    ],
    MultiheadAttention: [
        *OF_ATTENTION,
        ({"head_count": 0}, RangeError, "head_count must be from 1 to "),
        ({"past_key": STATES}, LayoutError, "past_value must have the sizes (2, 4, 5, 7), after o"),
    ],
    MultiheadAttention1: [
        *OF_ATTENTION,
        ({"key_value_head_count": 3}, LayoutError, "key_value_head_count must divide query_head_c"),
        ({"past_sequence_lengths": desc(3, of=I32)}, LayoutError, "past_sequence_lengths must hav"),
        ({"output_present_key": None, "output_present_value": None}, LayoutError,
         "output_present_key must have a descriptor if past_sequence_lengths has one"),
        ({"query": None, "key": None, "stacked_query_key": desc(2, 5, 2, 2, 6)}, LayoutError,
         "stacked_query_key must have as many heads of queries as of keys; got heads=(4, 2)"),
        ({"key": None, "value": None, "stacked_key_value": desc(2, 5, 4, 2, 6)}, LayoutError,
         "stacked_key_value must have the sizes {batch, steps, 2, 2, size}; got sizes=(2, 5, 4, 2"),
    ],
}  # fmt: skip
