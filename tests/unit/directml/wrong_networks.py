"""Wrong fields of DirectML's operators for networks."""

from __future__ import annotations

import math

from dml_vk.directml import (
    ActivationHardmax,
    ActivationRelu,
    ActivationSoftmax1,
    AdamOptimizer,
    AveragePooling,
    AveragePooling1,
    AveragePoolingGrad,
    BatchNormalization,
    BatchNormalizationGrad,
    BatchNormalizationTraining,
    BatchNormalizationTrainingGrad,
    Convolution,
    ConvolutionInteger,
    ElementWiseDequantizeLinear,
    ElementWiseQuantizeLinear,
    Gemm,
    LocalResponseNormalization,
    LocalResponseNormalizationGrad,
    LpNormalization,
    LpPooling1,
    MatrixMultiplyInteger,
    MatrixTransform,
    MaxPooling,
    MaxPooling2,
    MaxPoolingGrad,
    MaxUnpooling,
    MeanVarianceNormalization,
    MeanVarianceNormalization1,
    MeanVarianceNormalization2,
    Resample,
    Resample2,
    ResampleGrad,
    ResampleGrad1,
    Upsample2D,
)
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests.unit.directml.networks import (
    BACKWARD,
    BYTES,
    F16,
    I8,
    I32,
    IMAGE,
    ONE,
    SMALL,
    U8,
    U32,
    desc,
)

# A class, fields that are wrong, the error, and the beginning of its message after the class.
OF_WINDOWS = [
    ({"strides": (2,)}, LayoutError, "strides must have one number for each of the 2 spatial dims"),
    ({"strides": (0, 2)}, RangeError, "strides must be from 1 to 2147483647; got strides[0]=0"),
    ({"strides": 2}, LayoutError, "strides must be a sequence of integers"),
    ({"start_padding": (0, -1)}, RangeError, "start_padding must be from 0 to 2147483647; got st"),
    ({"end_padding": (0, 2**31)}, RangeError, "end_padding must be from 0 to 2147483647; got end"),
    ({"end_padding": "11"}, LayoutError, "end_padding must be a sequence of integers"),
]
OF_POOLING = [
    *OF_WINDOWS,
    ({"window_size": (2, 2, 2)}, LayoutError, "window_size must have one number for each of the 2"),
    ({"window_size": (2, 0)}, RangeError, "window_size must be from 1 to 2147483647; got window"),
    ({"window_size": (2**13, 2**12)}, RangeError, "window_size must be at most 16777216 elements"),
    ({"window_size": (7, 2)}, LayoutError, "windows must fit into the padded input"),
    ({"start_padding": (2, 0)}, LayoutError, "start_padding must be smaller than the windows"),
    ({"end_padding": (0, 2)}, LayoutError, "end_padding must be smaller than the windows"),
    ({"output": IMAGE}, LayoutError, "output must have the sizes (2, 3, 3, 4); got sizes=(2, 3, 6"),
    ({"input": desc(3, 6, 8)}, LayoutError, "input must have 4 or 5 dims; got sizes=(3, 6, 8)"),
    ({"output": desc(2, 3, 1, 3, 4)}, LayoutError, "output must have as many dims as input, 4"),
]
OF_EPSILON = [
    (
        {"epsilon": "1"},
        DTypeError,
        "epsilon must be a number that FLOAT32 can hold; got epsilon='1'",
    ),
    ({"epsilon": -1e-9}, RangeError, "epsilon must be finite and at least 0; got epsilon=-9.99"),
    ({"epsilon": math.inf}, RangeError, "epsilon must be finite and at least 0; got epsilon=inf"),
    ({"epsilon": math.nan}, RangeError, "epsilon must be finite and at least 0; got epsilon=nan"),
    ({"output": SMALL}, LayoutError, "output must have the sizes (2, 3, 6, 8); got sizes=(2, 3, 3"),
]
FUSED = {"fused_activation": ActivationRelu}, LayoutError, "fused_activation must be None or the r"
OF_AXES = [
    (
        {"axes": ()},
        LayoutError,
        "axes must be at least one dim, and none of them twice; got axes=()",
    ),
    ({"axes": (1, 1)}, LayoutError, "axes must be at least one dim, and none of them twice"),
    ({"axes": (1, 4)}, RangeError, "axes must be from 0 to 3; got axes[1]=4"),
    ({"axes": (-1,)}, RangeError, "axes must be from 0 to 3; got axes[0]=-1"),
    ({"axes": 1}, LayoutError, "axes must be a sequence of integers; got axes=1"),
]
OF_SCALE = [
    (
        {"scale": desc(1, 2, 1, 1)},
        LayoutError,
        "scale must have the sizes of input, (2, 3, 6, 8), ",
    ),
    ({"scale": desc(3, 1, 1)}, LayoutError, "scale must have the sizes of input, (2, 3, 6, 8), or"),
]
OF_RESAMPLING = [
    ({"scales": (1, 2, 2)}, LayoutError, "scales must have one number for each of the 4 dims"),
    (
        {"scales": ()},
        LayoutError,
        "scales must have one number for each of the 4 dims; got scales=",
    ),
    ({"scales": 2}, LayoutError, "scales must be a sequence; got scales=2"),
    ({"scales": (1, 1, 2, "2")}, DTypeError, "scales must be a number that FLOAT32 can hold"),
    ({"scales": (1, 1, 2, 0)}, RangeError, "scales must be greater than 0; got scales[3]=0.0"),
    ({"scales": (1, math.inf, 2, 2)}, RangeError, "scales must be finite; got scales[1]=inf"),
    ({"interpolation_mode": 1}, LayoutError, "interpolation_mode must be of InterpolationMode"),
    ({"input": desc(1, *SMALL.sizes)}, LayoutError, "input must have 1 to 4 dims; got sizes=(1, 2"),
    ({"output": desc(6, 8)}, LayoutError, "output must have as many dims as input, 4; got sizes"),
]
OF_OFFSETS = [
    ({f"{side}_pixel_offsets": (1,)}, LayoutError, f"{side}_pixel_offsets must have one number for")
    for side in ("input", "output")
]
BACK = {"direction": BACKWARD, "filter": desc(3, 4, 3, 3)}
OF_CONVOLUTIONS = [
    *OF_WINDOWS, FUSED,
    ({"dilations": (1, 0)}, RangeError, "dilations must be from 1 to 2147483647; got dilations[1]"),
    ({"output_padding": (1,)}, LayoutError, "output_padding must have one number for each of the"),
    ({"output_padding": (0, 1)}, RangeError, "output_padding must be 0 unless direction is BACKWA"),
    (BACK | {"output_padding": (0, 1)}, RangeError, "output_padding must be less than the stride"),
    ({"mode": 1}, LayoutError, "mode must be of ConvolutionMode; got mode=1"),
    ({"direction": "FORWARD"}, LayoutError, "direction must be of ConvolutionDirection"),
    ({"group_count": 0}, RangeError, "group_count must be from 1 to 4294967295; got group_count=0"),
    ({"group_count": 2}, LayoutError, "group_count must divide filter.sizes[0], and input.sizes[1"),
    ({"group_count": 1.0}, LayoutError, "group_count must be an integer; got group_count=1.0"),
    (BACK | {"group_count": 2}, LayoutError, "group_count must divide filter.sizes[0], which must"),
    (BACK | {"filter": desc(4, 3, 3, 3)}, LayoutError, "group_count must divide filter.sizes[0],"),
    (BACK | {"start_padding": (7, 0)}, LayoutError, "start_padding and end_padding must leave an"),
    ({"filter": desc(4, 3, 9, 3)}, LayoutError, "windows must fit into the padded input, which ha"),
    ({"end_padding": (2**31 - 1, 1)}, LayoutError, "windows must fit into the padded input, which"),
    ({"filter": desc(4, 3, 3)}, LayoutError, "filter must have as many dims as input, 4; got size"),
    ({"bias": desc(4, 1, 1, 1)}, LayoutError, "bias must have the sizes (1, 4, 1, 1); got sizes=("),
    ({"output": IMAGE}, LayoutError, "output must have the sizes (2, 4, 6, 8); got sizes=(2, 3, 6"),
    (BACK, LayoutError, "output must have the sizes"),
]  # fmt: skip
BACK["output"] = SMALL
WRONG = {
    Convolution: OF_CONVOLUTIONS,
    ConvolutionInteger: [
        *OF_WINDOWS,
        ({"group_count": 2}, LayoutError, "group_count must divide filter.sizes[0], and input.siz"),
        ({"output": desc(2, 4, 6, 8, of=I32)}, LayoutError, "output must have the sizes (2, 4, 4,"),
        ({"output": desc(2, 4, 4, 6)}, DTypeError, "output must have the data type INT32; got dat"),
        ({"input_zero_point": desc(1, of=I8)}, DTypeError, "input_zero_point must have the data t"),
        ({"input_zero_point": desc(4, of=U8)}, LayoutError, "input_zero_point must have one eleme"),
        ({"filter_zero_point": desc(4, 1, of=I8)}, LayoutError, "filter_zero_point must have one"),
        ({"filter_zero_point": desc(3, of=I8)}, LayoutError, "filter_zero_point must have one ele"),
        ({"filter_zero_point": desc(1, 1, 1, 1, 1, of=I8)}, LayoutError, "filter_zero_point must"),
        ({"input": desc(2, 3, 1, 6, 8, of=U8)}, LayoutError, "input must have 3 or 4 dims; got si"),
    ],
    Gemm: [
        FUSED,
        ({"trans_a": True}, LayoutError, "trans_a must be of MatrixTransform; got trans_a=True"),
        ({"trans_b": None}, LayoutError, "trans_b must be of MatrixTransform; got trans_b=None"),
        ({"trans_b": MatrixTransform.TRANSPOSE}, LayoutError, "a and b must have equal batches, a"),
        ({"alpha": None}, DTypeError, "alpha must be a number that FLOAT32 can hold; got alpha=No"),
        ({"beta": 1e39}, DTypeError, "beta must be a number that FLOAT32 can hold; got beta=1e+39"),
        ({"c": desc(1, 4)}, LayoutError, "c must have the sizes (5, 4); got sizes=(1, 4)"),
        ({"output": desc(4, 5)}, LayoutError, "output must have the sizes (5, 4); got sizes=(4, 5"),
        ({"a": desc(3)}, LayoutError, "a must have 2 to 4 dims; got sizes=(3,)"),
        ({"b": desc(1, 3, 4)}, LayoutError, "b must have as many dims as a, 2; got sizes=(1, 3, 4"),
    ],
    MatrixMultiplyInteger: [
        ({"b": desc(1, 3, 4, of=I8)}, LayoutError, "a and b must have equal batches, and a as man"),
        ({"a_zero_point": desc(1, 1, 5, of=U8)}, LayoutError, "a_zero_point must have the sizes ("),
        ({"b_zero_point": desc(2, 1, 4, of=I8)}, LayoutError, "b_zero_point must have the sizes ("),
        ({"a_zero_point": desc(1, 1, 1, of=I8)}, DTypeError, "a_zero_point must have the data typ"),
        ({"b_zero_point": desc(1, 1, 1, of=U8)}, DTypeError, "b_zero_point must have the data typ"),
        ({"output": desc(2, 5, 4)}, DTypeError, "output must have the data type INT32; got data_t"),
    ],
    AveragePooling: [
        *OF_POOLING,
        ({"include_padding": 2}, DTypeError, "include_padding must be a bool; got include_padding"),
        ({"include_padding": None}, DTypeError, "include_padding must be a bool; got include_padd"),
    ],
    AveragePooling1: [({"dilations": (2, 8)}, LayoutError, "windows must fit into the padded inp")],
    LpPooling1: [
        *OF_POOLING,
        ({"p": 0}, RangeError, "p must be from 1 to 4294967295; got p=0"),
        ({"p": 1.5}, LayoutError, "p must be an integer; got p=1.5"),
        ({"dilations": (1,)}, LayoutError, "dilations must have one number for each of the 2 spat"),
    ],
    MaxPooling: OF_POOLING,
    MaxPooling2: [
        *OF_POOLING,
        ({"output_indices": BYTES}, DTypeError, "output_indices must have a data type among UINT6"),
        ({"output_indices": desc(2, 3, 3, 3, of=U32)}, LayoutError, "output_indices must have the"),
    ],
    AveragePoolingGrad: [
        *OF_POOLING[:-3],
        ({"input_gradient": IMAGE}, LayoutError, "input_gradient must have the sizes (2, 3, 3, 4)"),
        ({"include_padding": 2}, DTypeError, "include_padding must be a bool; got include_padding"),
    ],
    MaxPoolingGrad: [
        *OF_POOLING[:-3],
        ({"input": desc(2, 3, 1, 6, 8)}, LayoutError, "input must have 4 dims; got sizes=(2, 3, 1"),
        ({"input_gradient": IMAGE}, LayoutError, "input_gradient must have the sizes (2, 3, 3, 4)"),
        ({"output_gradient": SMALL}, LayoutError, "output_gradient must have the sizes (2, 3, 6, "),
    ],
    MaxUnpooling: [
        ({"indices": desc(2, 3, 4, 3, of=U32)}, LayoutError, "indices must have the sizes (2, 3,"),
        ({"indices": desc(2, 3, 3, 4, of=I32)}, DTypeError, "indices must have a data type among"),
        ({"input": desc(3, 3, 4)}, LayoutError, "input must have 4 dims; got sizes=(3, 3, 4)"),
    ],
    BatchNormalization: [
        *OF_EPSILON, *OF_SCALE, FUSED,
        ({"spatial": "yes"}, DTypeError, "spatial must be a bool; got spatial='yes'"),
        ({"mean": desc(3)}, LayoutError, "mean must have the sizes of input, (2, 3, 6, 8), or 1 i"),
        ({"variance": SMALL}, LayoutError, "variance must have the sizes of input, (2, 3, 6, 8),"),
        ({"bias": desc(2, 3, 6, 4)}, LayoutError, "bias must have the sizes of input, (2, 3, 6, 8"),
        ({"mean": desc(1, 3, 1, 1, of=F16)}, DTypeError, "mean must have the data type of input,"),
    ],
    BatchNormalizationTraining: [
        *OF_EPSILON, *OF_SCALE, FUSED,
        ({"bias": desc(1, 1, 1, 1)}, LayoutError, "bias must have the sizes (1, 3, 1, 1); got siz"),
        ({"fused_add": ONE}, LayoutError, "fused_add must have the sizes (2, 3, 6, 8); got sizes="),
        ({"output_mean": IMAGE}, LayoutError, "output_mean must have the sizes (1, 3, 1, 1); got"),
        ({"output_variance": IMAGE}, LayoutError, "output_variance must have the sizes (1, 3, 1,"),
    ],
    BatchNormalizationGrad: [
        *OF_EPSILON[:2],
        ({"input_gradient": ONE}, LayoutError, "input_gradient must have the sizes (2, 3, 6, 8); "),
        ({"mean": desc(1, 2, 1, 1)}, LayoutError, "mean must have the sizes of input, (2, 3, 6, 8"),
        ({"scale": IMAGE}, LayoutError, "scale must have the sizes (1, 3, 1, 1); got sizes=(2, 3"),
    ],
    BatchNormalizationTrainingGrad: [
        *OF_EPSILON[:2],
        ({"input_gradient": ONE}, LayoutError, "input_gradient must have the sizes (2, 3, 6, 8); "),
        ({"mean": desc(1, 2, 1, 1)}, LayoutError, "mean must have the sizes of input, (2, 3, 6, 8"),
        ({"scale": IMAGE}, LayoutError, "scale must have the sizes (1, 3, 1, 1); got sizes=(2, 3"),
    ],
    AdamOptimizer: [
        *OF_EPSILON[:2],
        ({"gradient": ONE}, LayoutError, "gradient must have the sizes (2, 3, 6, 8); got sizes=("),
        ({"training_step": ONE}, DTypeError, "training_step must have the data type UINT32; got "),
        ({"input_parameters": desc(2, 3)}, LayoutError, "input_parameters must have 4 dims; got s"),
        ({"beta1": 1.5}, RangeError, "beta1 must be from 0 to 1; got beta1=1.5"),
        ({"learning_rate": None}, DTypeError, "learning_rate must be a number that FLOAT32 can h"),
    ],
    MeanVarianceNormalization: [
        *OF_EPSILON, *OF_SCALE, FUSED,
        ({"cross_channel": -1}, DTypeError, "cross_channel must be a bool; got cross_channel=-1"),
        ({"normalize_variance": 1.0}, DTypeError, "normalize_variance must be a bool; got normali"),
        ({"input": desc(3, 6, 8)}, LayoutError, "input must have 4 dims; got sizes=(3, 6, 8)"),
    ],
    MeanVarianceNormalization1: [
        *OF_EPSILON, *OF_SCALE, *OF_AXES, FUSED,
        ({"normalize_variance": ()}, DTypeError, "normalize_variance must be a bool; got normaliz"),
    ],
    MeanVarianceNormalization2: [
        *OF_EPSILON, *OF_AXES, FUSED,
        ({"use_mean": None}, DTypeError, "use_mean must be a bool; got use_mean=None"),
        ({"use_variance": None}, DTypeError, "use_variance must be a bool; got use_variance=None"),
    ],
    LocalResponseNormalizationGrad: [
        ({"local_size": 0}, RangeError, "local_size must be from 1 to 2147483647; got local_size="),
        ({"input_gradient": SMALL}, LayoutError, "input_gradient must have the sizes (2, 3, 6, 8)"),
        ({"output_gradient": SMALL}, LayoutError, "output_gradient must have the sizes (2, 3, 6, "),
        ({"input": desc(3, 6, 8)}, LayoutError, "input must have 4 dims; got sizes=(3, 6, 8)"),
    ],
    LocalResponseNormalization: [
        ({"local_size": 0}, RangeError, "local_size must be from 1 to 2147483647; got local_size="),
        ({"cross_channel": "no"}, DTypeError, "cross_channel must be a bool; got cross_channel='n"),
        ({"alpha": None}, DTypeError, "alpha must be a number that FLOAT32 can hold; got alpha=No"),
        ({"beta": "1"}, DTypeError, "beta must be a number that FLOAT32 can hold; got beta='1'"),
        ({"bias": 1e40}, DTypeError, "bias must be a number that FLOAT32 can hold; got bias=1e+40"),
        ({"output": SMALL}, LayoutError, "output must have the sizes (2, 3, 6, 8); got sizes=(2,"),
        ({"input": desc(3, 6, 8)}, LayoutError, "input must have 4 dims; got sizes=(3, 6, 8)"),
    ],
    LpNormalization: [
        *OF_EPSILON,
        ({"axis": 4}, RangeError, "axis must be from 0 to 3; got axis=4"),
        ({"axis": -1}, RangeError, "axis must be from 0 to 3; got axis=-1"),
        ({"p": 3}, RangeError, "p must be from 1 to 2; got p=3"),
    ],
    ActivationHardmax: [
        ({"output": desc(3, 4)}, LayoutError, "output must have the sizes (1, 1, 3, 4); got sizes"),
        ({"input": IMAGE, "output": IMAGE}, LayoutError, "input must have size 1 in all dims but"),
    ],
    ActivationSoftmax1: [*OF_AXES, OF_EPSILON[-1]],
    Upsample2D: [
        ({"scale_size": (2, 0)}, RangeError, "scale_size must be from 1 to 2147483647; got scale_"),
        ({"scale_size": 2}, LayoutError, "scale_size must be a sequence of integers; got scale_si"),
        ({"scale_size": (2, 2, 2)}, LayoutError, "scale_size must have one number for each of the"),
        ({"scale_size": (2, 1)}, LayoutError, "output must have the sizes (2, 3, 3, 8); got sizes"),
        ({"interpolation_mode": 0}, LayoutError, "interpolation_mode must be of InterpolationMode"),
        ({"input": desc(3, 4)}, LayoutError, "input must have 4 or 5 dims; got sizes=(3, 4)"),
    ],
    Resample: OF_RESAMPLING,
    Resample2: [
        *OF_RESAMPLING, *OF_OFFSETS,
        ({"rounding_direction": 0}, LayoutError, "rounding_direction must be of AxisDirection; go"),
        ({"input_pixel_offsets": (0, math.nan, 0, 0)}, RangeError, "input_pixel_offsets must be f"),
    ],
    ResampleGrad: [
        *OF_RESAMPLING[:-2], *OF_OFFSETS,
        ({"input_gradient": desc(6, 8), "output_gradient": desc(3, 4), "scales": (2, 2)},
         LayoutError, "input_gradient must have 4 dims; got sizes=(6, 8)"),
        ({"output_gradient": desc(3, 4)}, LayoutError, "output_gradient must have as many dims as"),
    ],
    ResampleGrad1: [
        *OF_RESAMPLING[:-2], *OF_OFFSETS,
        ({"rounding_direction": 0}, LayoutError, "rounding_direction must be of AxisDirection; go"),
        ({"output_gradient": desc(3, 4)}, LayoutError, "output_gradient must have as many dims as"),
    ],
    ElementWiseQuantizeLinear: [
        ({"scale": desc(1, 3, 1, 1)}, LayoutError, "scale must have the sizes (2, 3, 6, 8); got s"),
        ({"zero_point": ONE}, DTypeError, "zero_point must have the data type of output, UINT8; g"),
        ({"scale": desc(2, 3, 6, 8, of=F16)}, DTypeError, "scale must have the data type FLOAT32"),
        ({"output": IMAGE}, DTypeError, "zero_point must have the data type of output, FLOAT32"),
    ],
    ElementWiseDequantizeLinear: [
        ({"input": IMAGE}, DTypeError, "input must have a data type among INT32, INT16, INT8, UIN"),
        ({"output": desc(2, 3, 6, 8, of=F16)}, DTypeError, "output must have the data type of sca"),
        ({"zero_point": desc(2, 3, 6, 8, of=I8)}, DTypeError, "zero_point must have the data type"),
        ({"output": SMALL}, LayoutError, "output must have the sizes (2, 3, 6, 8); got sizes=(2,"),
    ],
}  # fmt: skip
