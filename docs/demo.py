"""A short tour: `./dev demo`."""

import statistics
import time

import numpy as np

import dml_vk
from dml_vk import Layout, LayoutError, channels_last
from dml_vk.directml import BufferTensorDesc, DataType
from dml_vk.layout import coalesce, elementwise


def show(title: str, *lines: object) -> None:
    print(f"\n{title}")
    for line in lines:
        print("   ", str(line).replace("\n", "\n    "))


image = Layout.packed((1, 3, 2, 4), channels_last)
show("A 1x3x2x4 image in NHWC, one pixel a line:", image, image.draw())

show(
    "The stride of a dim of size 1 says nothing, so strides lose the format. The order keeps it:",
    f"image + scalar    {elementwise(image, Layout(())).memory_format!r}",
    f"x[0].unsqueeze(0) {image.select(0, 0).unsqueeze(0).memory_format!r}",
    f"NCHW + image      {elementwise(Layout((1, 3, 2, 4)), image).memory_format!r}",
)

padded = Layout((2, 3), (5, 1))
show("Two rows of three letters, five elements apart:", padded, padded.draw("ABCDEF"))

row = Layout((3,)).expand(2, 3)
show("One row read twice, by stride 0:", row, row.draw("ABCABC"), f"overlaps: {row.overlaps}")

merged = coalesce(image, Layout((1, 3, 2, 4)))
show(
    "What a copy from NHWC to NCHW has to loop over:",
    f"source      {merged[0]}",
    f"destination {merged[1]}",
)

desc = BufferTensorDesc(DataType.FLOAT16, (2, 3), (5, 1))
show("The same rows as DirectML would be told:", desc)

try:
    Layout.packed((1, 30, 4, 4), "nChw16c")
except LayoutError as error:
    show("What does not fit is said:", error)


def milliseconds(call, times=9):
    """The median time of a call."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return 1000 * statistics.median(spent)


def beside(name, ours, theirs):
    def finished():
        ours()
        dml_vk.synchronize()

    a, b = milliseconds(finished), milliseconds(theirs)
    return f"{name:14} {a:7.1f} {b:7.1f} {'#' * max(1, round(10 * b / a))}"


photos = np.random.default_rng(0).random((8, 64, 128, 128), np.float32)
x = dml_vk.asarray(photos)
nhwc, back = x.to(channels_last), dml_vk.empty(photos.shape)
there, here = np.empty_like(photos.transpose(0, 2, 3, 1), order="C"), np.empty_like(photos)
noise = dml_vk.random.Generator(seed=1)
numpy_noise = np.random.Generator(np.random.Philox(1))
show(
    f"{photos.nbytes >> 20} MiB of float32 on {dml_vk.device().name}, in milliseconds:",
    f"{'':14} {'ours':>7} {'NumPy':>7} times as fast, 10 # being once",
    beside(
        "NCHW to NHWC",
        lambda: dml_vk.copy(x, nhwc),
        lambda: np.copyto(there, photos.transpose(0, 2, 3, 1)),
    ),
    beside(
        "NHWC to NCHW",
        lambda: dml_vk.copy(nhwc, back),
        lambda: np.copyto(here, there.transpose(0, 3, 1, 2)),
    ),
    beside(
        "Philox floats",
        lambda: noise.random(photos.shape),
        lambda: numpy_noise.random(photos.shape, np.float32),
    ),
    f"all there and back, bit for bit: {np.array_equal(back.numpy(), photos)}",
)
