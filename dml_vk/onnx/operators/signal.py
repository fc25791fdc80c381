"""Windows, and Fourier transforms: complex numbers are pairs in the last dim."""

from __future__ import annotations

import math

import numpy as np

import dml_vk as dv
from dml_vk import fft
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def _window(name: str, *factors: float) -> None:
    @operator(name, first=17, host=(0,))
    def window(node: Context, size: Array) -> Tensor:
        """A sum of cosines, computed in float64 and rounded once."""
        count = int(size.reshape(()))
        period = count if node["periodic"] else max(count - 1, 1)
        steps = dv.arange(0, count, dtype="float64", device=node.machine.device)
        total = dv.add(dv.multiply(steps, 0.0), factors[0])
        for order, factor in enumerate(factors[1:], 1):
            angle = dv.multiply(steps, 2 * math.pi * order / period)
            total = dv.add(total, dv.multiply(dv.cos(angle), factor))
        return dv.astype(total, node.dtype(node["output_datatype"]))


_window("HannWindow", 0.5, -0.5)
_window("HammingWindow", 25 / 46, -21 / 46)
_window("BlackmanWindow", 0.42, -0.5, 0.08)


@operator("DFT", first=17, host=(1, 2))
def dft(node: Context, x: Tensor, length: Array | None = None, axis: Array | None = None) -> Tensor:
    """Fourier transform along an axis, which is an input from opset 20 on."""
    along = (
        node.get("axis", 1) if node.opset < 20 else -2 if axis is None else int(axis.reshape(()))
    )
    along += x.ndim if along < 0 else 0
    count = None if length is None else int(length.reshape(()))
    wide = x if x.dtype is dv.float64 else dv.astype(x, "float32", copy=False)
    values = _complex(wide) if x.shape[-1] == 2 else wide[..., 0]
    if node["inverse"]:
        if node["onesided"]:
            result = fft.irfft(values, n=count, axis=along)
            return dv.astype(dv.expand_dims(result, axis=-1), x.dtype, copy=False)
        result = fft.ifft(values, n=count, axis=along)
    elif node["onesided"] and x.shape[-1] == 1:
        result = fft.rfft(values, n=count, axis=along)
    else:
        result = fft.fft(values, n=count, axis=along)
    return dv.astype(_pairs(result), x.dtype, copy=False)


@operator("STFT", first=17, host=(1, 3))
def stft(
    node: Context, x: Tensor, step: Array, window: Tensor | None = None, length: Array | None = None
) -> Tensor:
    """Fourier transform of each frame, multiplied by the window; frames start a step apart."""
    # Without either, the error becomes that inputs must fit, as for any operator.
    size = int(length.reshape(())) if length is not None else window.shape[0]  # type: ignore[union-attr]
    values = _complex(x) if x.shape[-1] == 2 and x.ndim == 3 else dv.reshape(x, x.shape[:2])
    hop = int(step.reshape(()))
    last = values.shape[1] - size
    frames = [values[:, start : start + size] for start in range(0, last + 1, hop)]
    stacked = dv.stack(frames, axis=1)
    if window is not None:
        stacked = dv.multiply(stacked, window)
    is_half = node["onesided"] and values.dtype.kind != "c"
    return _pairs(fft.rfft(stacked) if is_half else fft.fft(stacked))


def _complex(x: Tensor) -> Tensor:
    kind = dv.complex128 if x.dtype is dv.float64 else dv.complex64
    numbers = dv.empty(x.shape[:-1], kind, device=x.device)
    numbers.real, numbers.imag = x[..., 0], x[..., 1]
    return numbers


def _pairs(x: Tensor) -> Tensor:
    """The real and imaginary parts of complex numbers, in a new last dim."""
    return dv.stack([dv.real(x), dv.imag(x)], axis=-1)


@operator("MelWeightMatrix", first=17, host=True)
def mel_weight_matrix(
    node: Context, count: Array, length: Array, rate: Array, low: Array, high: Array
) -> Tensor:
    """Triangles over the bins of a spectrum, at equal distances in mel."""
    bands, points = int(count), int(length)
    ends = 2595 * np.log10(1 + np.array([float(low), float(high)]) / 700)
    mel = ends[0] + np.arange(bands + 2) * (ends[1] - ends[0]) / (bands + 2)
    bins = (points + 1) * (700 * np.expm1(mel / 2595 * np.log(10))) // int(rate)
    left, centre, right = (bins[k : bands + k] for k in range(3))
    at = np.arange(points // 2 + 1)[:, None]
    rising = (at - left) / np.where(centre > left, centre - left, 1)
    falling = (right - at) / np.where(right > centre, right - centre, 1)
    rising = np.where(centre > left, rising, 1.0)
    weights = np.where((at >= left) & (at <= centre), rising, 0.0)
    weights = np.where((at >= centre) & (at < right), falling, weights)
    return node.machine.tensor(weights.astype(node.dtype(node["output_datatype"]).numpy_name))
