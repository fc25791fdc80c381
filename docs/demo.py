"""A short tour: `./dev demo`."""

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
