"""`python -m dml_vk layout`."""

from __future__ import annotations

import argparse
import itertools
import re

from dml_vk.commands.options import new_file, whole, whole_numbers, write
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.observe.text_table import table
from dml_vk.strides import drawing

MOST_SEARCHED = 2**20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sizes", type=_sizes, help='for example "2x3x4x5" or "2,3,4,5"')
    parser.add_argument(
        "--order",
        type=_order,
        help="NHWC, WHD, channels_last, nChw16c, or dims from outermost to innermost: 0,2,3,1",
    )
    parser.add_argument(
        "--strides", type=whole_numbers, help="in elements: 60,1,15,3 (default: packed)"
    )
    parser.add_argument(
        "--offset", type=whole, default=0, help="address of the first element (default 0)"
    )
    parser.add_argument("--index", type=whole_numbers, help="print the address of: 1,0,2,3")
    parser.add_argument("--address", type=whole, help="print the elements at this address")
    parser.add_argument("--svg", type=new_file, metavar="FILE", help="write the picture to a file")


def _sizes(text: str) -> tuple[int, ...]:
    return whole_numbers(re.sub(r"\s*[x×]\s*", ",", text))


def _order(text: str) -> str | tuple[int, ...]:
    return whole_numbers(text) if re.fullmatch(r"[\d,\s-]+", text) else text


def run(arguments: argparse.Namespace) -> int:
    """Draw the elements of a layout in memory. Needs neither a device nor NumPy."""
    sizes, order, offset = arguments.sizes, arguments.order, arguments.offset
    if arguments.strides is None:
        layout = Layout.packed(sizes, order, offset)
    else:
        layout = Layout(sizes, arguments.strides, offset, order)
    print(table(facts(layout)))
    if arguments.index is not None:
        print(f"\n{_commas(arguments.index)} is at address {layout.offset_of(arguments.index)}")
    if arguments.address is not None:
        elements = " and ".join(map(_commas, indexes_at(layout, arguments.address)))
        print(f"\naddress {arguments.address} holds {elements or 'no element'}")
    if arguments.svg is not None:
        write("layout", arguments.svg, drawing.as_svg(layout))
    print()
    if drawing.fits(layout):
        print(layout.draw())
    else:
        print(f"Too large to draw: the limit is {drawing.MOST_CELLS:,} cells.")
    return 0


def facts(layout: Layout) -> list[tuple[str, str]]:
    """The properties of a layout, as rows of a table."""
    lowest = layout.offset + sum(
        stride * (size - 1) for size, stride in zip(layout.sizes, layout.strides) if stride < 0
    )
    reach = f", from {lowest} to {lowest + layout.span - 1}" if layout.span else ""
    return [
        ("sizes", f"{_commas(layout.sizes)} ({layout.numel:,} elements)"),
        ("strides", _commas(layout.strides)),
        ("offset", str(layout.offset)),
        ("order", f"{_commas(layout.order)} ({layout.memory_format or 'a format without a name'})"),
        ("span", f"{layout.span:,} elements{reach}"),
        ("packed", _yes_no(layout.is_packed)),
        ("overlaps", _yes_no(layout.overlaps)),
    ]


def indexes_at(layout: Layout, address: int) -> list[tuple[int, ...]]:
    """All indexes that map to an address.

    >>> from dml_vk.commands.layout import indexes_at
    >>> from dml_vk.layout import Layout
    >>> indexes_at(Layout((2, 3), (1, 1)), 1)
    [(0, 1), (1, 0)]
    """
    if layout.numel > MOST_SEARCHED:
        rule = f"--address cannot search more than {MOST_SEARCHED} elements"
        raise LayoutError("layout", rule, sizes=layout.sizes)
    indexes = itertools.product(*map(range, layout.sizes))
    return [index for index, at in zip(indexes, layout.offsets()) if at == address]


def _commas(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers)) or "()"


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"
