"""DirectML's operators for networks: every field is checked, by name, before there is any work."""

from __future__ import annotations

import dataclasses
import pickle
import re
import subprocess
import sys

import pytest

from dml_vk import directml
from dml_vk.directml import (
    AveragePooling,
    AxisDirection,
    BatchNormalizationTraining,
    Buffer,
    BufferTensorDesc,
    Convolution,
    ConvolutionDirection,
    ConvolutionMode,
    DataType,
    Dequantize,
    ElementWiseClip,
    Gemm,
    InterpolationMode,
    LpNormalization,
    MatrixTransform,
    MaxPooling,
    MaxPooling2,
    QuantizationType,
    Quantize,
    RecurrentNetworkDirection,
    Resample1,
    Resample2,
    Size2D,
    TensorFlags,
    Upsample2D,
)
from dml_vk.directml.fields import OverTensors
from dml_vk.errors import DTypeError, LayoutError
from tests.each import each
from tests.unit.directml import layers, networks, wrong_networks
from tests.unit.directml.networks import F64, IMAGE, ONE, SMALL, desc

RIGHT, WRONG = networks.RIGHT | layers.RIGHT, wrong_networks.WRONG | layers.WRONG
CASES = [(cls, *case) for cls, cases in WRONG.items() for case in cases]
every = each("cls", RIGHT)


@each("cls fields error message", CASES)
def test_wrong_fields_are_named_before_any_work(cls, fields, error, message):
    with pytest.raises(error, match=re.escape(f"{cls.__name__}: {message}")):
        cls(**RIGHT[cls] | fields)


@every
def test_they_are_values(cls):
    one, same = cls(**RIGHT[cls]), cls(**RIGHT[cls])
    assert one == same
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one).startswith(f"{cls.__name__}(")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.output = ONE


@every
def test_all_tensors_are_checked(cls):
    for name in cls._tensors:
        needed = LayoutError, "must be a BufferTensorDesc"
        wrong = [("FLOAT32", *needed)] + [(None, *needed)] * (name not in cls._optional)
        given = RIGHT[cls][name]
        if given is not None:
            owned = BufferTensorDesc(given.data_type, given.sizes, flags=TensorFlags.OWNED_BY_DML)
            wrong.append((owned, LayoutError, "cannot be OWNED_BY_DML"))
            wrong.append((desc(*given.sizes, of=F64), DTypeError, "must have "))
            still = desc(*given.sizes, of=given.data_type, strides=[0] * len(given.sizes))
            if cls.is_output(name) and given.element_count > 1:
                wrong.append((still, LayoutError, "has overlapping elements"))
            elif not cls.is_output(name):
                assert getattr(cls(**RIGHT[cls] | {name: still}), name) == still
        for one, error, message in wrong:
            with pytest.raises(error, match=f"{cls.__name__}: .*{message}"):
                cls(**RIGHT[cls] | {name: one})


def test_every_class_has_right_fields_here_or_inherits_the_checks_of_one():
    alike = {"LpPooling", "MaxPooling1", "Resample1", "ActivationSoftmax", "ActivationLogSoftmax"}
    alike |= {"ActivationLogSoftmax1", "ActivationHardmax1", "Resample3"}
    modules = {cls.__module__ for cls in RIGHT}
    there = {
        name
        for name, one in vars(directml).items()
        if getattr(one, "__module__", None) in modules and issubclass(one, OverTensors)
    }
    assert there == {cls.__name__ for cls in RIGHT} | alike


def test_numbers_are_kept_as_directml_stores_them():
    pooling = MaxPooling(IMAGE, SMALL, strides=[2, 2], window_size=range(2, 4), end_padding=(0, 1))
    assert (pooling.strides, pooling.window_size) == ((2, 2), (2, 3))
    assert (pooling.start_padding, pooling.end_padding) == ((0, 0), (0, 1))
    resample = Resample1(SMALL, IMAGE, scales=[1, 1, 2.1, 2], output_pixel_offsets=[0] * 4)
    assert resample.scales == (1.0, 1.0, 2.0999999046325684, 2.0)
    assert resample.input_pixel_offsets == (0.5,) * 4
    assert resample.output_pixel_offsets == (0.0,) * 4
    assert LpNormalization(IMAGE, IMAGE, axis=0, epsilon=0.1).epsilon == 0.10000000149011612
    assert AveragePooling(**RIGHT[AveragePooling] | {"include_padding": 0}).include_padding is False
    upsampled = Upsample2D(SMALL, IMAGE, scale_size=[2, 2])
    assert upsampled.scale_size == Size2D(width=2, height=2)
    assert upsampled.interpolation_mode is InterpolationMode.NEAREST_NEIGHBOR
    resample = Resample2(**RIGHT[Resample2])
    assert resample.rounding_direction is AxisDirection.DECREASING
    assert Convolution(**RIGHT[Convolution]).mode is ConvolutionMode.CROSS_CORRELATION


def test_enumerations_have_directmls_numbers():
    for kind, names in (
        (ConvolutionMode, ["CONVOLUTION", "CROSS_CORRELATION"]),
        (ConvolutionDirection, ["FORWARD", "BACKWARD"]),
        (MatrixTransform, ["NONE", "TRANSPOSE"]),
        (InterpolationMode, ["NEAREST_NEIGHBOR", "LINEAR"]),
        (AxisDirection, ["INCREASING", "DECREASING"]),
        (RecurrentNetworkDirection, ["FORWARD", "BACKWARD", "BIDIRECTIONAL"]),
        (QuantizationType, ["NONE", "SCALE", "SCALE_ZERO_POINT"]),
    ):
        assert [(one.name, one.value) for one in kind] == [(b, a) for a, b in enumerate(names)]


def test_a_clip_can_be_fused_into_convolutions_and_products_alone():
    clip = ElementWiseClip.fused(min=0.1, max=6)
    assert repr(clip) == "ElementWiseClip.fused(min=0.10000000149011612, max=6.0)"
    for cls in RIGHT:
        if "fused_activation" not in {one.name for one in dataclasses.fields(cls)}:
            continue
        if cls in (Convolution, Gemm):
            assert cls(**RIGHT[cls], fused_activation=clip).fused_activation is clip
        else:
            with pytest.raises(LayoutError, match="fused_activation must be None or the result"):
                cls(**RIGHT[cls], fused_activation=clip)
    with pytest.raises(DTypeError, match="fused: max must be a number that FLOAT32 can hold"):
        ElementWiseClip.fused(min=0, max="6")


def test_two_outputs_need_two_buffers():
    operator = MaxPooling2(**RIGHT[MaxPooling2])
    x, one, two = Buffer(2**16), Buffer(2**16), Buffer(2**16)
    assert operator.bind(x, one, two) == (x, one, two)
    assert operator.bind(x, x, two) == (x, x, two)
    with pytest.raises(LayoutError, match="output and output_indices cannot share a buffer"):
        operator.bind(x, one, one)
    operator = BatchNormalizationTraining(**RIGHT[BatchNormalizationTraining])
    with pytest.raises(LayoutError, match="output_mean and output_variance cannot share a buffer"):
        operator.bind(x, x, x, x, one, two, two)


def test_they_are_created_without_numpy():
    program = """
import sys
sys.modules["numpy"] = None
from dml_vk.directml import BufferTensorDesc, Convolution, DataType, MaxPooling1, Resample
x = BufferTensorDesc(DataType.FLOAT32, (1, 1, 4, 4))
Convolution(x, x, None, BufferTensorDesc(DataType.FLOAT32, (1, 1, 1, 1)))
MaxPooling1(x, x, window_size=(1, 1))
Resample(x, x, scales=(1, 1, 1, 1))
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@each("cls", [Quantize, Dequantize])
def test_blocks_are_checked_by_name(cls):
    wide, kind = DataType.FLOAT32, DataType.INT4
    ends = (wide, kind) if cls is Quantize else (kind, wide)
    x, y = [desc(4, 6, of=end) for end in ends]
    scale, point = desc(4, 2), desc(4, 2, of=kind)
    operator = cls(x, [scale, point], y)
    assert operator.quantization_tensors == (scale, point)
    assert operator.quantization_type is QuantizationType.SCALE_ZERO_POINT
    assert hash(operator) == hash(pickle.loads(pickle.dumps(operator)))
    for fields, error, message in (
        ({"quantization_tensors": [scale]}, LayoutError, "quantization_tensors must be what"),
        (
            {"quantization_type": QuantizationType.NONE},
            LayoutError,
            "quantization_tensors must be ",
        ),
        ({"quantization_type": 2}, LayoutError, "quantization_type must be of QuantizationType; "),
        ({"quantization_tensors": []}, LayoutError, "quantization_tensors must be at least one Bu"),
        ({"quantization_tensors": [desc(3, 2), point]}, LayoutError, "quantization_tensors[0] mus"),
        ({"quantization_tensors": [scale, desc(4, 1, of=kind)]}, LayoutError, "quantization_tenso"),
        ({"quantization_tensors": [scale, desc(4, 2, of=DataType.UINT4)]}, DTypeError, "quantizat"),
        ({"quantization_tensors": [point, point]}, DTypeError, "quantization_tensors[0] must have"),
        ({"output": desc(4, 5, of=ends[1])}, LayoutError, "output must have the sizes (4, 6); got"),
        ({"input": desc(4, 6, of=F64)}, DTypeError, "input must have a data type among"),
    ):
        given = {"input": x, "quantization_tensors": [scale, point], "output": y} | fields
        with pytest.raises(error, match=re.escape(f"{cls.__name__}: {message}")):
            cls(**given)
