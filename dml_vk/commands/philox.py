"""`python -m dml_vk philox`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from dml_vk.commands import plain_philox
from dml_vk.commands.options import at_least_1, whole

# The float is what `Generator.random` makes from a word.
FORMATS: dict[str, Callable[[int], str]] = {
    "hex": lambda word: f"0x{word:08x}",
    "dec": lambda word: f"{word:10}",
    "float": lambda word: repr((word >> 8) * 2.0**-24),
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--key", type=_bits(64), default=0, help="64 bits (default 0)")
    parser.add_argument(
        "--counter", type=_bits(128), default=0, help="of the first block, 128 bits (default 0)"
    )
    parser.add_argument("--count", type=at_least_1, default=4, help="number of words (default 4)")
    parser.add_argument(
        "--format", choices=FORMATS, default="hex", help="float is what Generator.random draws"
    )


def _bits(bits: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = whole(text)
        if not 0 <= number < 2**bits:
            raise argparse.ArgumentTypeError(f"it must be from 0 to 2**{bits} - 1; got {text}")
        return number

    return parse


def run(arguments: argparse.Namespace) -> int:
    """Print the words of a Philox4x32-10 stream, one block of four words per line."""
    for line in _lines(arguments.key, arguments.counter, arguments.count):
        print(" ".join(map(FORMATS[arguments.format], line)))
    return 0


def _lines(key: int, counter: int, count: int) -> Iterator[tuple[int, ...]]:
    blocks = plain_philox.blocks(key, counter)
    for begun in range(0, count, 4):
        yield next(blocks)[: count - begun]
