"""A random program under test, and what each stage says about it.

A refusal is a failure like a wrong value: the generator stays inside the accepted language.
Where a stage fails, the program is made smaller before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.api.compile.prepare import prepare
from retrograd.errors import RetrogradError
from retrograd.frontend.identity.specs import specs_of
from retrograd.prims import DEFAULT
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import UNNEEDED
from tests.backends.llvm.native import Raised, bits, native
from tests.backends.llvm.native import compiled as native_code
from tests.backends.llvm.turning import LEAVES, in_turns, turning
from tests.lowering import lowered
from tests.random.calculus import Calculus
from tests.random.derivatives import first_order, is_float, second_order
from tests.random.harness import IllConditioned, Outcome, agree, leaves, outcome, sensitivity
from tests.random.jacobians import hessians, jacobians
from tests.random.programs import RandomProgram, loaded
from tests.random.programs.reduce import reduce
from tests.random.stages import after_passes, interpreted, round_trip, traced
from tests.random.ways import in_every_way

__all__ = [
    "Stage", "checkpointed", "compiled", "derived", "derived_twice", "failure",
    "in_all_directions", "in_leaves", "in_leaves_of_leaves", "interrupted", "translated",
]  # fmt: skip

Stage = Callable[[RandomProgram, Callable[..., Any], ModuleType], str | None]


def _flat(found: Outcome) -> Outcome:
    return Outcome(found.value, tuple(leaves(found.args)), found.error, found.message)


def _expected(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> Outcome:
    """What plain Python gives, or what retrograd gives instead where that is decided."""
    plain = outcome(f, program.args(module))
    if program.expected is not None:
        return Outcome(error=program.expected)
    return _flat(plain)


def _allowed(expected: Outcome, got: Outcome) -> bool:
    """Refusals of what can only raise: a read that no path assigns, endless recursion."""
    if expected.error == "UnboundLocalError" and "RG0105" in got.message:
        return True
    return expected.error is not None and "RG0111" in got.message


def translated(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
    """Typed program, checker, printer and parser, interpreter, and the interpreter after passes."""
    expected = _expected(program, f, module)
    tolerance = sensitivity(f, program, module)
    found = traced(f, program.args(module))
    got = interpreted(found, program.args(module))
    if _allowed(expected, got):
        return None
    if (different := agree(expected, got, tolerance)) is not None:
        return f"interpreter: {different}"
    if (different := round_trip(found)) is not None:
        return different
    return after_passes(found, program.args(module), expected)


def compiled(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
    """Native code: the value, the exception, and what became of the arguments."""
    expected = _expected(program, f, module)
    tolerance = sensitivity(f, program, module)
    args = program.args(module)
    got = outcome(rg.jit(f), args)
    if _allowed(expected, got):
        return None
    different = agree(expected, _flat(got), 10 * tolerance)
    return None if different is None else f"native: {different}"


def derivatives_raise(
    program: RandomProgram, f: Callable[..., Any], module: ModuleType
) -> str | None:
    """What the value raises, both modes raise, although they need fewer of its values."""
    wanted = outcome(rg.jit(f), program.args(module))
    if wanted.error is None:
        return None
    for mode in (_pulled_back, _pushed_forward):
        got = outcome(lambda *args, mode=mode: mode(f, args), program.args(module))
        if got.error != wanted.error and got.error not in ("UserError", "Limitation"):
            return f"{mode.__name__} of what raises: {got} for {wanted}"
    return None


def _pulled_back(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    value, pullback = rg.vjp(f, *args)
    return pullback(value)


def _pushed_forward(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return rg.jvp(f, args, args)


def interrupted(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
    """Runs that are cut into legs: the bits, or the exception, of a run in one."""
    want = outcome(rg.jit(f), program.args(module))
    length = outcome(lambda *args: rg.primops(f, *args), program.args(module))
    whole = 40 if length.error is not None else int(length.value)
    for steps in sorted({1, max(1, whole // 3), max(1, 2 * whole // 3)}):
        got = outcome(lambda *args, n=steps: _in_legs(f, args, n), program.args(module))
        if got.error != want.error:
            return f"in legs of {steps}: {got} for {want}"
        if want.error is None and not _same(got.value, want.value):
            return f"in legs of {steps}: {got} for {want}"
    return None


def _in_legs(f: Callable[..., Any], args: tuple[Any, ...], steps: int) -> Any:
    value = rg.interrupt(f, *args, steps=steps)
    for _ in range(50):
        if not isinstance(value, rg.Capsule):
            return value
        value = rg.resume(value, steps=steps)
    return rg.resume(value) if isinstance(value, rg.Capsule) else value


def checkpointed(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
    """The gradient in every way that a user can choose."""
    args = program.args(module)
    floats = tuple(k for k, a in enumerate(args) if all(is_float(x) for x in leaves(a)))
    if isinstance(outcome(rg.grad(module.objective, argnums=floats), args).error, str):
        return None
    return in_every_way(module.objective, floats, lambda: program.args(module))


def in_leaves(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
    """The gradient by sweeps that take turns, cut everywhere, is that of sweeps that do not."""
    args = program.args(module)
    floats = tuple(k for k, a in enumerate(args) if all(is_float(x) for x in leaves(a)))
    return _cut_everywhere(rg.grad(module.objective, argnums=floats), args)


def in_leaves_of_leaves(
    program: RandomProgram, f: Callable[..., Any], module: ModuleType
) -> str | None:
    """As `in_leaves`, of a function that goes down the gradient: the inner one is cut as well."""
    args = program.args(module)
    floats = tuple(k for k, a in enumerate(args) if isinstance(a, float | np.ndarray))
    floats = tuple(k for k in floats if is_float(args[k]))
    if not floats or module.__file__ is None:
        return None
    names = ", ".join(f"a{k}" for k in range(len(args)))
    lines = [
        "import retrograd",
        f"def descent({names}):",
        "    total = 0.0",
        "    for turn in range(2):",
        f"        g = retrograd.grad(objective, argnums={floats})({names})",
    ]
    for position, k in enumerate(floats):
        mine = f"g[{position}]"
        lines.append(f"        total += np.sum({mine} * {mine})")
        lines.append(f"        a{k} = a{k} - 0.01 * {mine}")
    text = "\n".join([program.source, *lines, "    return total", ""])
    with loaded(replace(program, source=text), Path(module.__file__).parent) as (_, made):
        return _cut_everywhere(rg.grad(made.descent, argnums=floats), program.args(made))


def _cut_everywhere(gradient: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
    prepared = prepare(gradient, tuple(specs_of(args)), {}, True)
    program = lowered(prepared.task.program)
    apart = lowered(prepared.task.program, apart=True)
    made = turning(run_pipeline((UNNEEDED,), apart, DEFAULT, check=True))
    if made is None:
        return None
    flat = [np.ascontiguousarray(v) if np.ndim(v) else v for v in prepared.traced.flatten(args)]
    want = native(native_code(program, level=0), flat)
    if isinstance(want, Raised):
        return None
    for leaf in LEAVES:
        got, *_ = in_turns(made, flat, leaf, 200)
        if bits(got) != bits(want):
            return f"leaves of {leaf} steps: {got} for {want}"
    return None


def _same(got: Any, want: Any) -> bool:
    pairs = zip(map(np.asarray, leaves(got)), map(np.asarray, leaves(want)), strict=True)
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)


def derived(calculus: Callable[[], Calculus]) -> Stage:
    """Both modes once."""

    def stage(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
        sensitivity(f, program, module)
        return _refused(lambda: first_order(f, program.args(module), calculus()))

    return stage


def derived_twice(calculus: Callable[[], Calculus]) -> Stage:
    """Both nestings, on the scalar made from all results."""

    def stage(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
        sensitivity(f, program, module)
        return _refused(lambda: second_order(module.objective, program.args(module), calculus()))

    return stage


def in_all_directions(calculus: Callable[[], Calculus], twice: bool) -> Stage:
    """Jacobians of the float results, or the Hessian of the scalar made from them."""

    def stage(program: RandomProgram, f: Callable[..., Any], module: ModuleType) -> str | None:
        sensitivity(f, program, module)
        args = program.args(module)
        if twice:
            return _refused(lambda: hessians(module.objective, args, calculus()))
        return _refused(lambda: jacobians(module.outputs, args, calculus()))

    return stage


def _refused(check: Callable[[], str | None]) -> str | None:
    try:
        return check()
    except RetrogradError as error:
        return f"{type(error).__name__}: {error}"


def failure(program: RandomProgram, stage: Stage, directory: Path, checks: int = 150) -> str | None:
    """None where the stage holds, otherwise the story with a smaller program that fails alike."""
    found = _run(program, stage, directory)
    if found is None:
        return None
    kind = _kind(found)

    def fails(smaller: RandomProgram) -> bool:
        try:
            again = _run(smaller, stage, directory)
        except (SyntaxError, TypeError, ValueError, AttributeError, LookupError, NameError,
                ArithmeticError, AssertionError, RuntimeError, RuntimeWarning,
                StopIteration):  # fmt: skip
            return False
        return again is not None and _kind(again) == kind

    small = reduce(program, fails, checks)
    return f"{found}\n\nfrom\n{small.text()}"


def _run(program: RandomProgram, stage: Stage, directory: Path) -> str | None:
    with loaded(program, directory) as (f, module):
        try:
            return stage(program, f, module)
        except IllConditioned:
            return None


def _kind(story: str) -> str:
    """What has to stay the same while a program is made smaller."""
    words = story.split(":")
    return ":".join(words[:2]) if "rror" in story or "Limitation" in story else words[0]
