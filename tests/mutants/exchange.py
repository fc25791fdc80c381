"""Mutants of the protocols of other libraries, of files, and of what goes to and from the host."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_TENSOR = "dml_vk/tensor"
_TESTS = "tests/kernel/tensor"

MUTANTS = (
    Mutant(
        "ufunc-reduces-all",
        "NumPy's reduce of a ufunc without an axis reduces all of them",
        "dml_vk/numpy_protocols/ufuncs.py",
        'return reduction(name)(*inputs, **{"axis": 0, **options})',
        'return reduction(name)(*inputs, **{"axis": None, **options})',
        ("tests/kernel/numpy_protocols/test_ufuncs.py",),
    ),
    Mutant(
        "ufunc-of-nan-times-zero",
        "xlog1py of 0 and NaN is 0",
        "dml_vk/numpy_protocols/ufuncs.py",
        "zero = ours.logical_and(ours.equal(x, 0), ours.equal(y, y))",
        "zero = ours.equal(x, 0)",
        ("tests/kernel/numpy_protocols/test_ufuncs.py", "tests/kernel/array/math/test_special.py"),
    ),
    Mutant(
        "ufunc-casting",
        "a ufunc with dtype= casts its operands whatever casting allows",
        "dml_vk/promotion.py",
        "np.can_cast(dtype.numpy_name, to.numpy_name, casting)",
        'np.can_cast(dtype.numpy_name, to.numpy_name, "unsafe")',
        ("tests/kernel/numpy_protocols/test_ufuncs.py", "tests/kernel/numpy_protocols"),
    ),
    Mutant(
        "dlpack-backwards",
        "a view with negative strides is lent to libraries that cannot take it",
        f"{_TENSOR}/protocols.py",
        "backwards = any(stride < 0 for stride in self.strides)",
        "backwards = all(stride < 0 for stride in self.strides)",
        (f"{_TESTS}/test_protocols.py", f"{_TESTS}/test_exchange.py"),
    ),
    Mutant(
        "array-of-staged-memory",
        "a copy that NumPy gets in place of the memory can be written to, which is lost",
        f"{_TENSOR}/protocols.py",
        "array.flags.writeable = bool(copy) or wanted != kind",
        "array.flags.writeable = copy is not False",
        (f"{_TESTS}/test_lent_memory.py",),
        {"DML_VK_MEMORY": "staged", "DML_VK_RUNTIME": "vulkan"},
    ),
    Mutant(
        "array-of-broadcast-memory",
        "NumPy may write to memory whose elements share addresses",
        f"{_TENSOR}/host.py",
        "if memory is not None and tensor.layout.overlaps:",
        "if memory is not None and tensor.layout.overlaps and not tensor.size:",
        (f"{_TESTS}/test_lent_memory.py",),
    ),
    Mutant(
        "host-floats-at-the-limit",
        "a float that is one beyond the largest integer becomes what the processor makes of it",
        f"{_TENSOR}/host.py",
        "and float(source.max()) < beyond:",
        "and float(source.max()) <= beyond:",
        (f"{_TESTS}/test_upload.py",),
    ),
    Mutant(
        "host-format-of-size-1-dims",
        "an array of the host loses the format that only dims of size 1 carry",
        f"{_TENSOR}/host.py",
        "strides = [stride * seen.itemsize for stride in dense.strides]\n"
        "        own: Array = np.ndarray(seen.shape, seen.dtype, strides=strides)",
        'own: Array = np.empty_like(seen, order="K", subok=False)',
        (f"{_TESTS}/test_core.py", "tests/kernel/test_format_rules.py"),
    ),
    Mutant(
        "file-order-of-dims",
        "a file whose array is row-major has no order of dims, whatever the tensor's is",
        "dml_vk/array/io/files.py",
        "    if x.layout.order != _numpy_order(array):",
        "    if x.layout.order != _numpy_order(array) and not array.flags.c_contiguous:",
        ("tests/kernel/array/io/test_files.py",),
    ),
    Mutant(
        "file-truncated-order",
        "a file that ends within the order of dims is read as if it had none",
        "dml_vk/array/io/files.py",
        'if b"dml_vk_order" in rest:',
        'if b"dml_vk_order" in rest and not order:',
        ("tests/kernel/array/io/test_files.py",),
    ),
    Mutant(
        "buffer-word-of-33-bits",
        "a fill of a buffer takes 2^32",
        "dml_vk/buffer.py",
        "if not -(2**31) <= value < 2**32:",
        "if not -(2**31) <= value <= 2**32:",
        ("tests/kernel/test_buffer.py",),
    ),
)
