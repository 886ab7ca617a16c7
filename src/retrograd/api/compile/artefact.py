"""What a call needs of a compiled function: trees, native code, hidden arguments. No program.

These records are all that a process has that finds its code in the disk cache (`stored`); so
nothing here may import the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.sites import ErrorSite
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec, LeafSpec
from retrograd.frontend.identity.surroundings import Interface
from retrograd.ir.types import Type
from retrograd.runtime.arrays import keep_heap

__all__ = ["Argnums", "Built", "Image", "Ready", "Trees", "linked"]

Argnums = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trees:
    """What the parameters and results of an entry mean.

    Parameters: the leaves of `args`, then hidden arguments. Results: the leaves of `out`, then
    `extra` more (final versions of arrays that the function writes).
    """

    args: tuple[ArgSpec, ...]
    out: ArgSpec
    extra: int = 0

    def leaf_positions(self, argnum: int) -> range:
        """The parameters that argument `argnum` became."""
        start = sum(len(list(leaf_types(a))) for a in self.args[:argnum])
        return range(start, start + len(list(leaf_types(self.args[argnum]))))

    def float_positions(self, argnum: int) -> list[int]:
        """Those of them that have derivatives."""
        types = leaf_types(self.args[argnum])
        pairs = zip(self.leaf_positions(argnum), types, strict=True)
        return [position for position, type_ in pairs if type_.is_float]


@dataclass(frozen=True, slots=True)
class Image:
    """Native code of an entry before it is linked, with the types of its ends.

    `codes` are the object files: the program's own, and the support that many programs share.
    `errors` are the ways in which it can fail, `consumed` the arguments that it takes over,
    `taped` says whether it uses the tape, and `folders` are those to which it moves arrays of that.
    """

    codes: tuple[bytes, ...]
    entry: str
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    errors: tuple[ErrorSite, ...]
    consumed: frozenset[int]
    taped: bool
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """Native code that is ready to run, and how long its making took (seconds)."""

    executable: Executable
    seconds: float
    taped: bool


@dataclass(frozen=True, slots=True)
class Ready:
    """A compiled function with all that is around it.

    `traced` reads hidden arguments and checks guards. `task` are the trees of the function with its
    transformations, `product` those of the entry, which differ for a product with its Jacobian.
    `base` are the trees below the outermost Jacobians, whose argnums are `levels`, innermost first.
    `silent`: the function shows something, which the entry does not (`api.calls.output`). `sized`:
    what it saves is chosen by sizes, within a budget (`saving_within`). `direct`: the first of what
    native code gives is the result, and nothing of the caller's changes.
    """

    traced: Interface
    task: Trees
    product: Trees
    base: Trees
    levels: tuple[Argnums, ...]
    built: Built
    silent: bool = False
    sized: bool = False
    direct: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        traced = self.traced
        changes = traced.written or traced.apart or traced.needs_places
        other = changes or self.silent or self.levels
        object.__setattr__(self, "direct", not other and isinstance(self.task.out, LeafSpec))


def linked(image: Image, seconds: float) -> Built:
    """The code in this process; `seconds` is what its making took so far."""
    from retrograd.backends.llvm.jit import link_objects

    native = link_objects(image.codes, image.entry)
    executable = Executable.of(
        native, image.params, image.results, image.errors, image.consumed, image.folders
    )
    if any(not result.is_scalar for result in image.results):
        keep_heap()
    return Built(executable, seconds, image.taped)
