"""NumPy arrays in memory of the host that a device itself copies from and to."""

from __future__ import annotations

import numpy as np

from dml_vk.arguments import several, to_sizes
from dml_vk.array.creation.arrays import Shape
from dml_vk.dtypes import DTypeLike, float32, to_dtype
from dml_vk.errors import LayoutError
from dml_vk.runtime.device import device as open_device
from dml_vk.runtime.pinned import pinned_array, pinned_view
from dml_vk.tensor.core import DeviceLike
from dml_vk.tensor.host import Array


def pinned(shape: Shape, dtype: DTypeLike | None = None, *, device: DeviceLike = None) -> Array:
    """Create a NumPy array in memory of the host that a device itself copies from and to.

    Its elements are undefined, the default dtype is float32. Between such an array and a tensor of
    the same dtype and memory order, a discrete device moves twice to three times as many bytes in a
    second as through memory that the driver must copy first. On devices that share the host's
    memory it is as fast as any other array.

    >>> import dml_vk
    >>> host = dml_vk.pinned((2, 3))
    >>> host[...] = 7
    >>> x = dml_vk.asarray(host) + 1
    >>> x.numpy(out=host).tolist()
    [[8.0, 8.0, 8.0], [8.0, 8.0, 8.0]]
    """
    what = "pinned"
    own = open_device(device)
    kind = np.dtype(to_dtype(what, float32 if dtype is None else dtype).numpy_name)
    return pinned_array(what, own, to_sizes(what, several(shape)), kind)


def pin(array: Array, *, device: DeviceLike = None) -> Array:
    """View a NumPy array so that a device itself copies from and to its memory.

    The view has the same elements, shape and strides, and slices of it are copied in the same way.
    This is for a large array that exists already and is transferred several times, such as one in
    memory that processes share: pinning itself takes as long as one or two copies. The array is
    kept until its last view is gone. Where the device or the runtime cannot do it, where the driver
    refuses the memory, and on devices that share the host's, the view is an ordinary one.

    >>> import dml_vk
    >>> import numpy as np
    >>> data = np.arange(6, dtype=np.float32).reshape(3, 2)
    >>> host = dml_vk.pin(data)
    >>> x = dml_vk.asarray(host[1:]) + 1
    >>> x.numpy(out=host[:2]).tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    >>> data.tolist()
    [[3.0, 4.0], [5.0, 6.0], [4.0, 5.0]]
    """
    what = "pin"
    if not isinstance(array, np.ndarray):
        rule = "array must be a NumPy array"
        raise LayoutError(what, rule, array=type(array).__name__)
    to_dtype(what, array.dtype)
    return pinned_view(open_device(device), array)
