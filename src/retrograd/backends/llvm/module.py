"""A program as the text of an LLVM module: its functions, and the entry wrapper.

The run-time support is in texts beside it, which are the same for many programs.

The entry `rg_entry` takes a context, an array of 8-byte argument words and one of result words, so
that one C signature serves all; `rg_entry_released` gives up the interpreter's lock meanwhile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrograd.backends.llvm.array_kernels import ARRAY_KERNELS, DECLARED, array_kernels
from retrograd.backends.llvm.driver import driver_text
from retrograd.backends.llvm.functions import entry_text, function_text
from retrograd.backends.llvm.gen import ErrorSite, Role, Shapes, Shared
from retrograd.backends.llvm.library import LIBRARY_TEXT
from retrograd.backends.llvm.math import emit_apart
from retrograd.backends.llvm.metadata import PROFILE_TEXT, TBAA_TEXT
from retrograd.backends.llvm.offload import OFFLOAD_TEXT
from retrograd.backends.llvm.plan import Planner, consumed_params
from retrograd.backends.llvm.random import RANDOM_TEXT
from retrograd.backends.llvm.reduce import LANES
from retrograd.backends.llvm.runtime_text import WORDS_TEXT
from retrograd.backends.llvm.scalar import INTRINSICS
from retrograd.backends.llvm.special import POLYGAMMA_TEXT
from retrograd.backends.llvm.support import CALLED, FRAMES, PLAIN, TURNS
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Call, Expr, Function, Program
from retrograd.ir.traverse import map_exprs, supply_for
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import recursive_functions
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.checkpoint.sweep_split import Sweeps, popping_functions
from retrograd.transforms.checkpoint.upcalls import asked
from retrograd.transforms.points.atomic_regions import interruptible_functions, with_units
from retrograd.transforms.points.heavy_points import heavy_points

__all__ = ["ModuleText", "SweepsText", "module_text", "sweeps_text"]


@dataclass(frozen=True, slots=True)
class ModuleText:
    """LLVM text, the error sites by number (from 1), and which entry arguments are taken over.

    `frames` has, for each function by number and each of its points, the LLVM types of the words
    that a frame holds. `folders` are those to which arrays of the tape are moved, by number.
    `support` are the texts of modules that this one has to be linked with.
    """

    text: str
    support: tuple[str, ...]
    errors: tuple[ErrorSite, ...]
    consumed: frozenset[int]
    frames: Shapes
    folders: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The SHA-256 of all text."""
        return _digest(self.text, *self.support)


@dataclass(frozen=True, slots=True)
class SweepsText:
    """A module with `rg_entry` for the forward sweep and `rg_reverse` for the other one.

    `taken_ahead` and `taken_back` are which of their arguments the entries take over.
    """

    text: str
    support: tuple[str, ...]
    errors: tuple[ErrorSite, ...]
    taken_ahead: frozenset[int]
    taken_back: frozenset[int]
    frames: Shapes

    @property
    def digest(self) -> str:
        """The SHA-256 of all text."""
        return _digest(self.text, *self.support)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def module_text(
    program: Program, prims: PrimitiveSet, interruptible: bool = False, grain: int = LANES,
    lowest: Program | None = None,
) -> ModuleText:  # fmt: skip
    """LLVM text of a program without derivative nodes.

    Interruptible code runs innermost loops in chunks of a multiple of `grain` iterations, a power
    of two. After a failure `lowest` is run, where there is one, whose exception counts: it has the
    parameters of `program`, no results and no tape, and consumes nothing.
    """
    role = Role.FORWARD if interruptible else None
    after: Function | None = None
    if lowest is not None:
        apart = _renamed(lowest, frozenset(f.name for f in program.functions))
        after = apart.main
        program = Program((*program.functions, *apart.functions), program.entry)
    if interruptible:
        program = with_units(program, supply_for(program), prims)
    consumed = consumed_params(program, prims)
    pointed = interruptible_functions(program) if interruptible else frozenset[str]()
    inner = {name: k for k, name in enumerate(asked(program, pointed))}
    shared = Shared(
        program, Planner(prims, consumed), recursive_functions(program),
        agreed_shapes(program, prims), inner=inner, offloads=not interruptible,
    )  # fmt: skip
    functions = [
        function_text(shared, f, role if f.name in pointed else None, grain)
        for f in program.functions
    ]
    entry = entry_text("rg_entry", program.main, role, prims.costs, after=after)
    driver: list[str] = []
    if role is not None:
        entered = {k: (f, role) for k, f in enumerate(program.functions) if f.name in pointed}
        driver = [driver_text(entered, [program.main], False, prims.costs)]
    text, math = _assembled(shared, functions, [entry, *driver])
    support = (PLAIN, *([] if role is None else [FRAMES]), *math)
    return ModuleText(
        text, support, tuple(shared.errors), consumed[program.entry], shared.frames,
        tuple(shared.folders),
    )  # fmt: skip


def _renamed(program: Program, taken: frozenset[str]) -> Program:
    """The program with names of functions that are not taken."""
    supply = NameSupply(taken | {f.name for f in program.functions})
    names = {f.name: supply.name(f.name) for f in program.functions}

    def change(expr: Expr) -> Expr:
        return replace(expr, function=names[expr.function]) if isinstance(expr, Call) else expr

    functions = (
        replace(f, name=names[f.name], body=map_exprs(f.body, change)) for f in program.functions
    )
    return Program(tuple(functions), names[program.entry])


def sweeps_text(sweeps: Sweeps, prims: PrimitiveSet, grain: int = LANES) -> SweepsText:
    """LLVM text of two sweeps that share a context; of the forward one with and without a tape."""
    ahead, back, costs = sweeps.forward, sweeps.reverse, prims.costs
    program = Program((*ahead.functions, *back.functions), ahead.entry)
    consumed = consumed_params(program, prims)
    inner = {name: k for k, name in enumerate(sweeps.inner)}
    shared = Shared(
        program, Planner(prims, consumed), recursive_functions(program),
        agreed_shapes(program, prims), popping_functions(program), True, inner,
    )  # fmt: skip
    going, coming = interruptible_functions(ahead), interruptible_functions(back)
    if not inner:  # what inner derivatives need is not known before: more snapshots leave them less
        shared.heavy = heavy_points(ahead, going)
    functions: list[str] = []
    entered: dict[int, tuple[Function, Role]] = {}
    for k, function in enumerate(program.functions):
        roles: tuple[Role | None, ...] = (None,)
        if function.name in going:
            roles, entered[k] = (Role.FORWARD, Role.AHEAD), (function, Role.FORWARD)
        elif function.name in coming:
            roles, entered[k] = (Role.REVERSE,), (function, Role.REVERSE)
        functions += [function_text(shared, function, role, grain) for role in roles]
    parts = [
        entry_text("rg_entry", ahead.main, Role.FORWARD, costs, True),
        entry_text("rg_reverse", back.main, Role.REVERSE, costs),
        driver_text(entered, [ahead.main, back.main], True, costs),
    ]
    text, math = _assembled(shared, functions, parts)
    return SweepsText(
        text, (TURNS, FRAMES, *math), tuple(shared.errors), consumed[ahead.entry],
        consumed[back.entry], shared.frames,
    )  # fmt: skip


def _apart(text: str) -> str:
    """A function that is not inlined."""
    return text.replace(" nounwind ", " noinline nounwind ", 1)


_SUPPORT = (
    (("@rg_routine_enter(",), LIBRARY_TEXT),
    (ARRAY_KERNELS, DECLARED),
    (("@rg_polygamma(",), POLYGAMMA_TEXT),
    (("@rg_random_",), RANDOM_TEXT),
    (("@rg_offload(", "@rg_take_back("), OFFLOAD_TEXT),
)
"""What is in a module where one of these functions is called."""


def _assembled(
    shared: Shared, functions: Sequence[str], more: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """The module, with what its functions ask for, and the texts of the elementary functions that
    are not in it."""
    costs = shared.planner.prims.costs
    if sum(text.count("\n") for text in functions) > costs.module_lines:
        # LLVM takes time with more than the square of a function's length, and joins all that are
        # called from one place only.
        long = costs.function_lines
        functions = [_apart(text) if text.count("\n") > long else text for text in functions]
    math, apart = emit_apart(sorted(shared.math))
    declared = {line for line in math.splitlines() if line.startswith("declare")}
    intrinsics = "\n".join(line for line in INTRINSICS.splitlines() if line not in declared)
    support = "".join(
        given
        for callees, given in _SUPPORT
        if any(callee in text for text in functions for callee in callees)
    )
    parts = [
        intrinsics, CALLED, WORDS_TEXT, support, math, shared.constants_text(), *functions, *more,
        TBAA_TEXT, PROFILE_TEXT,
        *shared.metadata,
    ]  # fmt: skip
    kernels = any(name in text for text in functions for name in ARRAY_KERNELS)
    return "\n".join(parts), (*([array_kernels(costs.blas_products)] if kernels else []), *apart)
