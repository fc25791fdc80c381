"""Operators for networks: fields that are right for each class."""

from __future__ import annotations

from dml_vk.directml import (
    ActivationHardmax,
    ActivationSoftmax1,
    AdamOptimizer,
    AveragePooling,
    AveragePooling1,
    AveragePoolingGrad,
    BatchNormalization,
    BatchNormalizationGrad,
    BatchNormalizationTraining,
    BatchNormalizationTrainingGrad,
    BufferTensorDesc,
    Convolution,
    ConvolutionDirection,
    ConvolutionInteger,
    DataType,
    ElementWiseDequantizeLinear,
    ElementWiseQuantizeLinear,
    Gemm,
    LocalResponseNormalization,
    LocalResponseNormalizationGrad,
    LpNormalization,
    LpPooling1,
    MatrixMultiplyInteger,
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

F32, F16, F64, I32, I16, I8 = [
    DataType[name] for name in ("FLOAT32", "FLOAT16", "FLOAT64", "INT32", "INT16", "INT8")
]
U32, U8 = DataType.UINT32, DataType.UINT8
BACKWARD = ConvolutionDirection.BACKWARD


def desc(*sizes, of=F32, strides=None):
    return BufferTensorDesc(of, sizes, strides)


IMAGE, SMALL, ONE = desc(2, 3, 6, 8), desc(2, 3, 3, 4), desc(1, 3, 1, 1)
BYTES = desc(2, 3, 6, 8, of=U8)
WINDOW = {"strides": (2, 2), "window_size": (2, 2)}
AXES = {"axes": (2, 3)}
# Each class with fields that are right.
RIGHT = {
    Convolution: {
        "input": IMAGE, "filter": desc(4, 3, 3, 3), "bias": desc(1, 4, 1, 1),
        "output": desc(2, 4, 6, 8), "start_padding": (1, 1), "end_padding": (1, 1),
    },
    ConvolutionInteger: {
        "input": BYTES, "input_zero_point": desc(1, of=U8), "filter": desc(4, 3, 3, 3, of=I8),
        "filter_zero_point": desc(1, 4, 1, 1, of=I8), "output": desc(2, 4, 4, 6, of=I32),
    },
    Gemm: {"a": desc(5, 3), "b": desc(3, 4), "c": desc(5, 4), "output": desc(5, 4)},
    MatrixMultiplyInteger: {
        "a": desc(2, 5, 3, of=U8), "a_zero_point": desc(1, 5, 1, of=U8),
        "b": desc(2, 3, 4, of=I8), "b_zero_point": desc(1, 1, 4, of=I8),
        "output": desc(2, 5, 4, of=I32),
    },
    AveragePooling: {"input": IMAGE, "output": SMALL, "include_padding": True} | WINDOW,
    AveragePooling1: {
        "input": IMAGE, "output": desc(2, 3, 4, 6), "window_size": (2, 2), "dilations": (2, 2),
        "include_padding": 0,
    },
    LpPooling1: {"input": IMAGE, "output": SMALL} | WINDOW,
    MaxPooling: {"input": IMAGE, "output": SMALL} | WINDOW,
    MaxPooling2: {"input": IMAGE, "output": SMALL, "output_indices": desc(2, 3, 3, 4, of=U32)}
    | WINDOW,
    AveragePoolingGrad: {
        "input_gradient": SMALL, "output_gradient": IMAGE, "include_padding": True,
    } | WINDOW,
    MaxPoolingGrad: {
        "input": IMAGE, "input_gradient": SMALL, "output_gradient": IMAGE,
    } | WINDOW,
    MaxUnpooling: {"input": SMALL, "indices": desc(2, 3, 3, 4, of=U32), "output": IMAGE},
    BatchNormalization: {
        "input": IMAGE, "mean": ONE, "variance": ONE, "scale": ONE, "bias": ONE, "output": IMAGE,
    },
    BatchNormalizationTraining: {
        "input": IMAGE, "scale": ONE, "bias": ONE, "fused_add": IMAGE, "output": IMAGE,
        "output_mean": ONE, "output_variance": ONE,
    },
    BatchNormalizationGrad: {
        "input": IMAGE, "input_gradient": IMAGE, "mean": ONE, "variance": ONE, "scale": ONE,
        "output_gradient": IMAGE, "output_scale_gradient": ONE, "output_bias_gradient": ONE,
    },
    BatchNormalizationTrainingGrad: {
        "input": IMAGE, "input_gradient": IMAGE, "mean": ONE, "variance": ONE, "scale": ONE,
        "output_gradient": IMAGE, "output_scale_gradient": ONE, "output_bias_gradient": ONE,
    },
    AdamOptimizer: {
        "input_parameters": IMAGE, "input_first_moment": IMAGE, "input_second_moment": IMAGE,
        "gradient": IMAGE, "training_step": desc(1, 1, 1, 1, of=U32), "output_parameters": IMAGE,
        "output_first_moment": IMAGE, "output_second_moment": IMAGE, "learning_rate": 0.5,
    },
    MeanVarianceNormalization: {
        "input": IMAGE, "scale": ONE, "bias": ONE, "output": IMAGE, "cross_channel": False,
    },
    MeanVarianceNormalization1: {
        "input": IMAGE, "scale": ONE, "bias": None, "output": IMAGE, "axes": (2, 3),
    },
    MeanVarianceNormalization2: {
        "input": IMAGE, "scale": None, "bias": ONE, "output": IMAGE, "axes": (2, 3),
    },
    LocalResponseNormalization: {
        "input": IMAGE, "output": IMAGE, "cross_channel": True, "local_size": 3,
    },
    LocalResponseNormalizationGrad: {
        "input": IMAGE, "input_gradient": IMAGE, "output_gradient": IMAGE, "cross_channel": False,
        "local_size": 4,
    },
    LpNormalization: {"input": IMAGE, "output": IMAGE, "axis": 1},
    ActivationHardmax: {"input": desc(1, 1, 3, 4), "output": desc(1, 1, 3, 4)},
    ActivationSoftmax1: {"input": IMAGE, "output": IMAGE} | AXES,
    Upsample2D: {"input": SMALL, "output": IMAGE, "scale_size": (2, 2)},
    Resample: {"input": SMALL, "output": IMAGE, "scales": (1, 1, 2, 2)},
    Resample2: {"input": SMALL, "output": IMAGE, "scales": (1, 1, 2, 2)},
    ResampleGrad: {"input_gradient": IMAGE, "output_gradient": SMALL, "scales": (1, 1, 2, 2)},
    ResampleGrad1: {"input_gradient": IMAGE, "output_gradient": SMALL, "scales": (1, 1, 2, 2)},
    ElementWiseQuantizeLinear: {
        "input": IMAGE, "scale": IMAGE, "zero_point": BYTES, "output": BYTES,
    },
    ElementWiseDequantizeLinear: {
        "input": BYTES, "scale": IMAGE, "zero_point": BYTES, "output": IMAGE,
    },
}  # fmt: skip
