"""DirectML's tensor descriptions and operators, under DirectML's names."""

from typing import TYPE_CHECKING, Any

from dml_vk.directml import (
    activations,
    attention,
    batch_normalizations,
    binary,
    blocks,
    convolutions,
    cumulative,
    diagonals,
    fields,
    folding,
    gathering,
    generators,
    images,
    mean_variance,
    multihead_attention,
    padding,
    pooling,
    pooling_gradients,
    products,
    quantization,
    quantized,
    recurrent,
    reductions,
    region_gradients,
    regions,
    resampling,
    resampling_gradients,
    responses,
    scattering,
    selecting,
    slicing,
    softmaxes,
    training,
    unary,
)
from dml_vk.directml.activations import *  # noqa: F403  (each module says what is public)
from dml_vk.directml.attention import *  # noqa: F403
from dml_vk.directml.batch_normalizations import *  # noqa: F403
from dml_vk.directml.binary import *  # noqa: F403
from dml_vk.directml.blocks import *  # noqa: F403
from dml_vk.directml.convolutions import *  # noqa: F403
from dml_vk.directml.cumulative import *  # noqa: F403
from dml_vk.directml.descriptors import (
    BufferTensorDesc,
    DataType,
    TensorFlags,
    calc_buffer_tensor_size,
)
from dml_vk.directml.diagonals import *  # noqa: F403
from dml_vk.directml.elementwise import ScaleBias
from dml_vk.directml.fields import *  # noqa: F403
from dml_vk.directml.folding import *  # noqa: F403
from dml_vk.directml.gathering import *  # noqa: F403
from dml_vk.directml.generators import *  # noqa: F403
from dml_vk.directml.images import *  # noqa: F403
from dml_vk.directml.mean_variance import *  # noqa: F403
from dml_vk.directml.multihead_attention import *  # noqa: F403
from dml_vk.directml.padding import *  # noqa: F403
from dml_vk.directml.policies import TensorPolicy, TensorProperties, calculate_strides
from dml_vk.directml.pooling import *  # noqa: F403
from dml_vk.directml.pooling_gradients import *  # noqa: F403
from dml_vk.directml.products import *  # noqa: F403
from dml_vk.directml.quantization import *  # noqa: F403
from dml_vk.directml.quantized import *  # noqa: F403
from dml_vk.directml.recurrent import *  # noqa: F403
from dml_vk.directml.reductions import *  # noqa: F403
from dml_vk.directml.region_gradients import *  # noqa: F403
from dml_vk.directml.regions import *  # noqa: F403
from dml_vk.directml.resampling import *  # noqa: F403
from dml_vk.directml.resampling_gradients import *  # noqa: F403
from dml_vk.directml.responses import *  # noqa: F403
from dml_vk.directml.scattering import *  # noqa: F403
from dml_vk.directml.selecting import *  # noqa: F403
from dml_vk.directml.slicing import *  # noqa: F403
from dml_vk.directml.softmaxes import *  # noqa: F403
from dml_vk.directml.training import *  # noqa: F403
from dml_vk.directml.unary import *  # noqa: F403

if TYPE_CHECKING:
    from dml_vk.buffer import Buffer

__all__ = [
    "Buffer",
    "BufferTensorDesc",
    "DataType",
    "ScaleBias",
    "TensorFlags",
    "TensorPolicy",
    "TensorProperties",
    "calc_buffer_tensor_size",
    "calculate_strides",
]
__all__ += activations.__all__
__all__ += attention.__all__
__all__ += batch_normalizations.__all__
__all__ += binary.__all__
__all__ += blocks.__all__
__all__ += convolutions.__all__
__all__ += cumulative.__all__
__all__ += diagonals.__all__
__all__ += fields.__all__
__all__ += folding.__all__
__all__ += gathering.__all__
__all__ += generators.__all__
__all__ += images.__all__
__all__ += mean_variance.__all__
__all__ += multihead_attention.__all__
__all__ += padding.__all__
__all__ += pooling.__all__
__all__ += pooling_gradients.__all__
__all__ += products.__all__
__all__ += quantization.__all__
__all__ += quantized.__all__
__all__ += recurrent.__all__
__all__ += reductions.__all__
__all__ += region_gradients.__all__
__all__ += regions.__all__
__all__ += resampling.__all__
__all__ += resampling_gradients.__all__
__all__ += responses.__all__
__all__ += scattering.__all__
__all__ += selecting.__all__
__all__ += slicing.__all__
__all__ += softmaxes.__all__
__all__ += training.__all__
__all__ += unary.__all__


def __getattr__(name: str) -> Any:
    # Imported lazily, since it needs NumPy.
    if name != "Buffer":
        raise AttributeError(f"module 'dml_vk.directml' has no attribute {name!r}")
    from dml_vk.buffer import Buffer

    globals()[name] = Buffer
    return Buffer


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
