"""Kernel descriptions: source, bindings, specialization constants and push constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dml_vk.arguments import Ints

READS, WRITES = "reads", "writes"  # of Kernel.inlines
SUMS = "rounds", "multiplies_apart", "keeps_nan", "keeps_zeros"  # of Kernel.rests
Condition = Callable[[Mapping[str, int]], bool]  # on the values of specialization constants


def is_set(*constants: str) -> Condition:
    """Whether all of these constants are set."""
    return lambda values: all(values[name] for name in constants)


def is_not(constant: str, value: int) -> Condition:
    """Whether a constant has another value."""
    return lambda values: values[constant] != value


def unless_scalar(source: int) -> Condition:
    """Whether SCALARS, which has a bit for each source, does not say that one is no tensor."""
    return lambda values: not values["SCALARS"] >> source & 1


@dataclass(frozen=True)
class Kernel:
    """One shader source and the variants built from it.

    Bindings, specialization constants and push constants are listed in the order of their numbers.
    """

    name: str
    bindings: tuple[str, ...]  # storage buffers
    spec: tuple[str, ...]
    push: tuple[tuple[str, int], ...]  # (name, 32-bit words); at most 32 words in all
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """Suffix -> macros. A variant's module is `<name>_<suffix>`."""
    writes: tuple[str, ...] = ("Dst",)  # the bindings that the kernel writes
    body: str = ""  # the name of its source file, if it differs from `name`
    params: tuple[str, ...] = ()  # the last push constants, which launches append to a plan's
    inlines: tuple[str, ...] | str = ""
    """Where a chain of elementwise operations may be inlined: `READS`, `WRITES`, or why nowhere.

    There it reads, or writes, each element once. What others read is in `Plan.loads`.
    """
    rests: tuple[str, ...] | Mapping[str, tuple[str, ...]] | None = None
    """The traits of a device's arithmetic that results depend on: see runtime/arithmetic.py.

    They are those of all variants, or of each: `SUMS` where floats are added or multiplied.
    """
    native: str = "float64"
    """The dtype whose operations of a device variants with NATIVE may use: see `native`."""
    by_position: bool = False
    """Whether what it reads and writes depends on no value: it does no harm whatever it reads."""
    optional: Mapping[str, Condition] = field(default_factory=lambda: MappingProxyType({}))
    """Bindings that some variants do not use, and when they are used.

    A launch has another of its tensors there, since all variants have as many bindings.
    """
    tile: tuple[str, str] | None = None
    """The constants with the rows and columns of a tile that is stored, by rows if BY_ROWS is set.

    A driver takes long to compile as many copies of a chain as a tile has elements.
    """

    def takes_chain(self, where: str) -> bool:
        """Whether a chain may be inlined there: `READS` or `WRITES`."""
        return isinstance(self.inlines, tuple) and where in self.inlines

    def traits(self, module: str) -> tuple[str, ...]:
        """The traits that a module rests on."""
        suffix = module.removeprefix(f"{self.name}_")
        rests = self.rests if self.rests is not None else SUMS
        traits = rests if isinstance(rests, tuple) else rests[suffix]
        # Sums in a result of 16 bits are of float32, and become float16.
        narrows = "rounds" in traits and suffix.endswith("16") and "narrows" not in traits
        return (*traits, "narrows") if narrows else traits

    def used(self, spec: Ints) -> list[int]:
        """The numbers of the bindings that the kernel uses with these constants."""
        values = dict(zip(self.spec, spec))
        return [
            number
            for number, name in enumerate(self.bindings)
            if name not in self.optional or self.optional[name](values)
        ]

    @property
    def source(self) -> str:
        return f"{self.body or self.name}.comp"

    @property
    def modules(self) -> dict[str, Mapping[str, str]]:
        """Module name -> macros. Each module is one SPIR-V binary."""
        return {f"{self.name}_{suffix}": macros for suffix, macros in self.variants.items()}

    @property
    def push_words(self) -> int:
        return sum(words for _, words in self.push)

    def constants(self, values: Mapping[str, int]) -> Ints:
        """The specialization constants, from their names."""
        self._check("constants", values, self.spec)
        return tuple([values[name] & 0xFFFFFFFF for name in self.spec])

    def words(self, units: int, values: Mapping[str, int | Ints]) -> Ints:
        """The push block of a plan, from names; launches set the range, the bases and `params`."""
        bases = len(self.bindings)
        own = self.push[2 + bases : len(self.push) - len(self.params)]
        self._check("push constants", values, [name for name, _ in own])
        block = [0, units, *[0] * bases]
        for name, count in own:
            value = values[name]
            words = value if isinstance(value, tuple) else (value,)
            if len(words) != count:
                raise ValueError(f"{self.name}: {name} has {count} words, not {len(words)}")
            block += [word & 0xFFFFFFFF for word in words]
        return tuple(block)

    def _check(self, what: str, values: Iterable[str], names: Iterable[str]) -> None:
        present, wanted = set(values), set(names)
        if present != wanted:
            missing, unknown = sorted(wanted - present), sorted(present - wanted)
            raise ValueError(f"{self.name}: {what} missing: {missing}, unknown: {unknown}")


def by_name(kernels: Iterable[Kernel]) -> dict[str, Kernel]:
    return {kernel.name: kernel for kernel in kernels}


NATIVE_SPEC = "NATIVE_SPEC"

# Variants by the size of an element: parts of a word in bits, or whole words.
BY_BITS = {"8": {"BITS": "8"}, "16": {"BITS": "16"}}
BY_WORDS = {
    "32": {"T": "uint", "WORDS": "1"},
    "64": {"T": "uvec2", "WORDS": "2"},
    "128": {"T": "uvec4", "WORDS": "4"},
}

# Dims in one launch, limited by the 32 words of a push block.
MAX_RANK = 8  # of a copy
MADE_RANK = 6  # of a kernel that generates elements, which has more parameters
COMPUTED_RANK = {1: 7, 2: 5, 3: 4}  # of an elementwise kernel, by its number of sources
SCALAR_WORDS = {1: 4, 2: 4, 3: 3}  # and its words of scalars, likewise


def index_push(
    bases: tuple[str, ...],
    rank: int,
    extra: tuple[tuple[str, int], ...] = (),
    sources: int = 1,
) -> tuple[tuple[str, int], ...]:
    """The push block of glsl/include/index/index.glsl."""
    return (
        *(("first", 1), ("end", 1)),
        *((base, 1) for base in bases),
        *(("whole", 1), ("groups", 1), ("extent", 1)),
        *(("sizes", rank), ("strides", (sources + 1) * rank)),
        *extra,
    )


def of_dims(name: str, values: Ints) -> dict[str, int]:
    """Constants of each dim: `STRIDE_0`, `STRIDE_1`, ..."""
    return {f"{name}_{dim}": value for dim, value in enumerate(values)}


def native(spec: tuple[str, ...]) -> dict[str, str]:
    """The macros of a variant that may compute with the device's own float64.

    One more constant, NATIVE, tells by which operations: see glsl/include/math/native.glsl.
    """
    return {NATIVE_SPEC: str(len(spec))}


INDEX_SPEC = ("LOCAL_SIZE", "LANES", "RANK", "EDGES")
ROW_SPEC = (*INDEX_SPEC, "RUN", "UNIT", "STEPS", "DENSE")
WORDS_SPEC = (*ROW_SPEC, "SRC_QUADS", "DST_QUADS")
PACKED_SPEC = (*WORDS_SPEC, "ENDS")
TILE_SPEC = (*INDEX_SPEC, "BLOCK_ACROSS", "BLOCK_DOWN", "RAGGED", "READS", "DST_PIECES")
PATH_SPEC = {"words": WORDS_SPEC, "packed": PACKED_SPEC, "tile": TILE_SPEC}
