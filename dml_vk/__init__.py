"""DirectML's strided tensors, for every GPU."""

from dml_vk import directml
from dml_vk.errors import DmlVkError, DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import (
    Layout,
    MemoryFormat,
    channels_first,
    channels_last,
    contiguous_format,
    preserve_format,
)

__version__ = "0.1.0"

__all__ = [
    "DTypeError",
    "DmlVkError",
    "Layout",
    "LayoutError",
    "LayoutIndexError",
    "MemoryFormat",
    "channels_first",
    "channels_last",
    "contiguous_format",
    "directml",
    "preserve_format",
]
