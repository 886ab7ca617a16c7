"""Programs as native code, next to what the interpreter says about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.api.compile.known import known
from retrograd.backends.interp.eval import run
from retrograd.backends.llvm.cache import support_codes
from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.jit import link_objects, object_code
from retrograd.backends.llvm.module import module_text
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program
from retrograd.prims.core import RaisedError
from retrograd.runtime.context import Context, stack_floor
from retrograd.runtime.state import FrameShapes

__all__ = [
    "Raised", "agree", "bits", "compiled", "native", "own", "parsed", "ready", "reference",
    "resumable", "same", "scalar",
]  # fmt: skip

LIMIT = 1 << 30

RAISED = (ArithmeticError, AssertionError, LookupError, MemoryError, RuntimeError, ValueError)


@dataclass(frozen=True)
class Raised:
    """The exception that a program ends with."""

    kind: str


def parsed(text: str) -> Program:
    """A program in text form, checked."""
    program = parse_program(text)
    check_program(program, known())
    return program


def compiled(
    program: Program, *, interruptible: bool = False, level: int = 1, grain: int = 32
) -> Executable:
    module = module_text(program, known(), interruptible, grain)
    linked = link_objects(
        (object_code(module.text, level), *support_codes(module)), program.entry, interruptible
    )
    types = tuple(p.type for p in program.main.params)
    results = program.main.result_types
    return Executable.of(linked, types, results, module.errors, module.consumed)


def resumable(program: Program, grain: int = 32) -> tuple[Executable, FrameShapes]:
    """Interruptible code, with what its frames hold."""
    module = module_text(program, known(), True, grain)
    linked = link_objects(
        (object_code(module.text, 1), *support_codes(module)), program.entry, True
    )
    types = tuple(p.type for p in program.main.params)
    results = program.main.result_types
    code = Executable.of(linked, types, results, module.errors, module.consumed)
    return code, module.frames


def ready(limit: int = LIMIT) -> Context:
    """A fresh context with an empty tape."""
    context = Context()
    context.prepare(limit, stack_floor(), tape=True)
    return context


def scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def own(args: Sequence[Any]) -> list[Any]:
    """Copies of arrays, since native code writes to what it takes over; plain numbers."""
    return [a.copy() if isinstance(a, np.ndarray) else scalar(a) for a in args]


def native(code: Executable, args: Sequence[Any], context: Context | None = None) -> Any:
    """The results, or `Raised`; nothing may be left in the context."""
    context = ready() if context is None else context
    try:
        out: Any = [scalar(v) for v in code.run(context, own(args))]
    except RAISED as error:
        out = Raised(type(error).__name__)
    else:
        assert context.tape_bytes == 0
        assert context.get("tape_arrays") == 0
    assert context.get("live") == 0
    return out


def reference(program: Program, args: Sequence[Any]) -> Any:
    """What the interpreter gives."""
    try:
        return [scalar(v) for v in run(program, args, known())]
    except RaisedError as error:
        return Raised(error.kind)


def bits(values: Sequence[Any]) -> list[Any]:
    """Types, shapes and bits; every NaN is the same."""
    found: list[Any] = []
    for value in values:
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = np.where(np.isnan(array), np.nan, array)
        found.append((array.dtype.str, array.shape, array.tobytes()))
    return found


def same(got: Any, want: Any, ulps: int = 0) -> bool:
    """Whether two outcomes are equal: to the bit, or floats to so many units in the last place."""
    if isinstance(got, Raised) or isinstance(want, Raised):
        return got == want
    if len(got) != len(want):
        return False
    if ulps == 0:
        return bits(got) == bits(want)
    return all(_near(np.asarray(a), np.asarray(b), ulps) for a, b in zip(got, want, strict=True))


def _near(got: np.ndarray, want: np.ndarray, ulps: int) -> bool:
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype != np.float64:
        return bool(np.array_equal(got, want))
    with np.errstate(all="ignore"):
        room = ulps * np.spacing(np.maximum(np.abs(want), 1e-300))
        return bool(
            np.all((got == want) | (np.isnan(got) & np.isnan(want)) | (abs(got - want) <= room))
        )


def agree(program: Program, args: Sequence[Any], *, level: int = 1) -> list[Any]:
    """Results of native code, which are those of the interpreter to the bit."""
    got, want = native(compiled(program, level=level), args), reference(program, args)
    assert same(got, want), (got, want)
    return got
