"""What has to hold of a random reversible function; each check says what is wrong, or None.

The text without decorators is the oracle of values and gradients. Where a text has words that an
ordinary function has no meaning for, differences are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.errors import UserError
from retrograd.prims.core import RaisedError
from tests.random.calculus import Calculus, Interpreted, Native
from tests.random.harness import Outcome, compare, leaves, outcome
from tests.random.programs.module import RandomProgram, copied, loaded

__all__ = [
    "Compiled", "Refused", "adjoints", "gradients", "plain", "restored", "ruled", "slopes",
    "values",
]  # fmt: skip

Check = Callable[[RandomProgram, Path], str | None]
LARGEST = 1e6


class Refused(Exception):
    """The program is not accepted, or cannot be compared: why."""


def ruled(program: RandomProgram) -> bool:
    """Whether the text without decorators is no program."""
    return "words" in program.tags


@lru_cache(maxsize=4)
def plain(program: RandomProgram) -> RandomProgram:
    """The program without decorators."""
    tree = ast.parse(program.source)
    tree.body = [s for s in tree.body if getattr(s, "name", "") != "begins"]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    return replace(program, source=ast.unparse(tree) + "\n")


@lru_cache(maxsize=4)
def _module(program: RandomProgram, folder: Path) -> Any:
    try:
        return loaded(program, folder).__enter__()[1]
    except UserError as error:
        raise Refused(error.code) from error


def final(function: Any, args: tuple[Any, ...], names: Any, call: Any = None) -> tuple[Any, ...]:
    """The arguments after a call: what is returned is put back."""
    given = list(copied(args))
    with np.errstate(all="ignore"):  # ints wrap
        result = (call or function)(*given)
    if names.returned is not None:
        results = (result,) if names.single else result
        for name, value in zip(names.returned, results, strict=True):
            given[names.parameters.index(name)] = value
    return tuple(copied(tuple(given)))


def _tested(program: RandomProgram) -> RandomProgram:
    """The program with its tests, which `checked=False` leaves out."""
    return replace(program, source=program.source.replace("checked=False", "checked=True"))


def _scales(program: RandomProgram) -> bool:
    """Whether something is multiplied or divided, which makes roundings larger on the way back."""
    return "*=" in program.source or "/=" in program.source


def ended(program: RandomProgram, folder: Path) -> tuple[Any, ...]:
    """The final arguments; raises `Refused` where a test fails or numbers are large."""
    if "checked=False" in program.source:
        ended(_tested(program), folder)
    module = _module(program, folder)
    f, args = module.f, program.args(module)
    found = outcome(lambda *given: final(f, given, f), args)
    if found.error is not None:
        raise Refused(f"raises {found.error}")
    for leaf in leaves(found.value):
        value = np.asarray(leaf)
        if value.dtype.kind == "f" and not np.all(np.abs(value) < LARGEST):
            raise Refused("large numbers")
    return found.value


def _exact(one: tuple[Any, ...], other: tuple[Any, ...]) -> str | None:
    """Ints are the same, floats to rounding."""
    for a, b in zip(leaves(one), leaves(other), strict=True):
        x, y = np.asarray(a), np.asarray(b)
        if x.dtype.kind != y.dtype.kind or (x.dtype.kind != "f" and not np.array_equal(x, y)):
            return f"{a!r} against {b!r}"
    return compare(one, other, 1e-8)


def restored(program: RandomProgram, folder: Path) -> str | None:
    """By Python: the inverse undoes the function, which gives what the plain text gives."""
    module = _module(program, folder)
    f, args = module.f, program.args(module)
    ends = ended(program, folder)
    if not ruled(program):
        wanted = final(_module(plain(program), folder).f, args, f)
        if compare(wanted, ends, 0.0) is not None:
            return f"forward: {ends} for {wanted}"
    back = rg.inverse(f)
    if rg.inverse(back) is not f:
        return "the inverse of the inverse is another function"
    again = outcome(lambda *given: final(back, given, f), ends)
    if again.error is not None:
        return f"inverse: {again}"
    wrong = _exact(again.value, args)
    if wrong is not None and _scales(program):
        moved = outcome(lambda *given: final(back, given, f), _moved(ends))
        if moved.error is not None or compare(moved.value, again.value, 1e-9) is not None:
            raise Refused("a factor near zero: the way back multiplies roundings")
    return None if wrong is None else f"inverse: {wrong}"


def _moved(value: Any) -> Any:
    """Floats with another last digit or two, at all depths."""
    if isinstance(value, tuple):
        return tuple(map(_moved, value))
    if np.asarray(value).dtype.kind == "f":
        return value * (1.0 + 1e-14)
    return value


class Compiled(Native):
    """Native code, for calls as well."""

    def call(self, f: Any, args: tuple[Any, ...]) -> Any:
        return rg.jit(f)(*args)


def values(kind: Callable[[], Calculus], program: RandomProgram, folder: Path) -> str | None:
    """Compiled, function and inverse give what they give by Python, and raise what they raise."""
    module = _module(program, folder)
    begun = args = program.args(module)
    calculus = kind()
    for fun in (module.ends, module.begins):
        wanted = outcome(fun, copied(args))
        got = _run(calculus, fun, copied(args))
        if got.error == "UserError" or _overflows(got):
            raise Refused(got.message)
        if wanted.error == "ValueError" and wanted.message == "math domain error":
            raise Refused("a NaN where Python's math raises, docs/differences.md")
        if got.error != wanted.error:
            return f"{fun.__name__}: {got} for {wanted}"
        if wanted.error is not None:
            break
        if fun is module.begins and compare(wanted.value, begun, 1e-6) is not None:
            raise Refused("the way back multiplies roundings")
        if (wrong := _exact(got.value, wanted.value)) is not None:
            return f"{fun.__name__}: {wrong}"
        args = wanted.value
    return None


def _overflows(found: Outcome) -> bool:
    """Whether an int needs more than 64 bits, which ints of Python have."""
    texts = "does not fit in 64 bits", "needs more than 64 bits"
    return found.error == "OverflowError" and any(text in found.message for text in texts)


def _run(calculus: Calculus, fun: Any, args: tuple[Any, ...]) -> Outcome:
    try:
        return outcome(lambda *given: calculus.call(fun, given), args)
    except RaisedError as error:
        return Outcome(error=error.kind, message=error.message)
    except UserError as error:
        return Outcome(error="UserError", message=f"{error.code} {error.message}")


def gradients(kind: Callable[[], Calculus], program: RandomProgram, folder: Path) -> str | None:
    """Gradients of losses around the function are those of the plain text."""
    module = _module(program, folder)
    args = program.args(module)
    ended(program, folder)
    tested = _module(_tested(program), folder)
    calculus = kind()
    for name in ("once", "often"):
        loss = getattr(module, name)
        value = outcome(getattr(tested, name), copied(args))
        if value.error is not None or not abs(value.value) < LARGEST:
            continue
        bars = _pulled(calculus, loss, args)
        if ruled(program):
            wrong = _differences(loss, args, bars)
        else:
            other = _pulled(calculus, getattr(_module(plain(program), folder), name), args)
            tolerance = 1e-6 if _scales(program) or _rounds(module, args) else 1e-9
            wrong = compare(_moving(bars, args), _moving(other, args), tolerance)
            if wrong is not None and _at_a_kink(loss, args):
                # What is equal in the run forward may differ by rounding when it is restored.
                raise Refused("at a kink")
        if wrong is not None:
            return f"gradient of {name}: {wrong}"
    return None


def slopes(program: RandomProgram, folder: Path) -> str | None:
    """By the interpreter: the gradient of one of the losses is that of differences by Python."""
    name = "often" if len(program.source) % 2 else "once"
    args = program.args(_module(program, folder))
    text = program if ruled(program) else plain(program)
    calculus, loss = Interpreted(check=False), getattr(_module(program, folder), name)
    bars = _refusing(lambda: calculus.pulled(loss, copied(args), 1.0))
    oracle = getattr(_module(text, folder), name)
    wrong = _differences(oracle, args, bars)
    if wrong is not None and _at_a_kink(oracle, args):
        raise Refused("at a kink")
    return None if wrong is None else f"gradient of {name}: {wrong}"


def _moving(bars: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cotangents, of stacks only those of items: the slots above have to be zero."""
    return tuple(
        bar.items[: arg.count] if isinstance(arg, rg.Stack) and isinstance(bar, rg.Stack) else bar
        for bar, arg in zip(bars, args, strict=True)
    )


def _rounds(module: Any, args: tuple[Any, ...]) -> bool:
    """Whether what three calls have made large is restored to fewer digits."""
    f, given = module.f, copied(args)
    with np.errstate(all="ignore"):
        for way in (f, f, f, *3 * (rg.inverse(f),)):
            found = outcome(lambda *now, way=way: final(way, now, f), given)
            if found.error is not None:
                return False
            given = found.value
    return compare(given, args, 1e-10) is not None


def _pulled(calculus: Calculus, loss: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return _refusing(lambda: calculus.vjp(loss, copied(args))[1](1.0))


def _refusing(pulled: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Cotangents, zeros where there are none."""
    try:
        bars = pulled()
    except UserError as error:
        raise Refused(f"{error.code} {error.message}") from error
    except RaisedError as error:
        raise Refused(error.message) from error
    return tuple(np.zeros(1) if bar is None else bar for bar in bars)


def _differences(loss: Any, args: tuple[Any, ...], bars: tuple[Any, ...]) -> str | None:
    """The gradient against differences along a direction, if these agree among themselves."""
    generator = np.random.default_rng(5)
    ways = [
        generator.uniform(-1.0, 1.0, np.shape(a)) if np.asarray(a).dtype.kind == "f" else None
        for a in args
    ]
    one, two, three, four = _moved(loss, args, ways, (1e-5, -1e-5, 2e-5, -2e-5))
    slope, other = (one - two) / 2e-5, (three - four) / 4e-5
    if abs(slope - other) > 1e-6 * max(1.0, abs(slope)):
        raise Refused("ill-conditioned")
    along = sum(
        float(np.sum(np.asarray(b) * w)) for b, w in zip(bars, ways, strict=True) if w is not None
    )
    wrong = abs(along - slope) > 1e-5 * max(1.0, abs(slope), abs(along))
    return f"{along} for {slope} along {ways}" if wrong else None


def _moved(
    loss: Any, args: tuple[Any, ...], ways: Sequence[Any], steps: tuple[float, ...]
) -> list[float]:
    """The values of a loss so many steps away from the arguments."""
    moved = [
        tuple(a if w is None else type(a)(a + h * w) if isinstance(a, float) else a + h * w
              for a, w in zip(args, ways, strict=True))
        for h in steps
    ]  # fmt: skip
    found = [outcome(loss, copied(given)) for given in moved]
    if any(f.error is not None for f in found):
        raise Refused("raises close by")
    return [float(f.value) for f in found]


def _at_a_kink(loss: Any, args: tuple[Any, ...]) -> bool:
    """Whether differences to both sides disagree, along some directions in what is pushed to."""
    generator = np.random.default_rng(6)
    for _ in range(4):
        ways = [[generator.uniform(-1.0, 1.0, np.shape(x)) for x in leaves(a)] for a in args]
        h = 1e-6
        here, ahead, back = (
            outcome(loss, tuple(_along(a, way, k * h) for a, way in zip(args, ways, strict=True)))
            for k in (0, 1, -1)
        )
        if any(f.error is not None for f in (here, ahead, back)):
            continue
        one, other = (ahead.value - here.value) / h, (here.value - back.value) / h
        if abs(one - other) > 1e-3 * max(1.0, abs(one)):
            return True
    return False


def _along(arg: Any, ways: Sequence[Any], step: float) -> Any:
    """A copy of an argument, with its floats so far along."""
    (copy,) = copied((arg,))
    if isinstance(arg, float):
        return arg + step * float(ways[0])
    for leaf, way in zip(leaves(copy), ways, strict=True):
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
            leaf += step * way
    return copy


def adjoints(kind: Callable[[], Calculus], program: RandomProgram, folder: Path) -> str | None:
    """The adjoint of the inverse undoes the adjoint, on arguments and cotangents."""
    module = _module(program, folder)
    f, args = module.f, program.args(module)
    ends = ended(program, folder)
    generator = np.random.default_rng(3)
    bars = tuple(_bar(generator, a) for a in ends if np.asarray(leaves(a)[0]).dtype.kind == "f")

    def there_and_back(*given: Any) -> Any:
        before, old = rg.adjoint(f)(*given)
        return before, old, *rg.adjoint(rg.inverse(f))(*before, *old)

    calculus = kind()
    before, old, after, new = _called(calculus, there_and_back, (*ends, *bars))
    if (wrong := _exact(before, args)) is not None:
        return f"adjoint: {wrong}"
    wrong = compare(after, ends, 1e-8)
    if "rg.push" in program.source:
        # What is made of other values and pushed is no more known than these are: cotangents at the
        # end are others, of which the same ones come at the beginning.
        _, new, *_ = _called(calculus, there_and_back, (*after, *new))
        bars = old
    wrong = wrong or compare(new, bars, 1e-7)
    return None if wrong is None else f"adjoint of the inverse: {wrong}"


def _called(calculus: Calculus, fun: Any, given: tuple[Any, ...]) -> Any:
    try:
        return calculus.call(fun, copied(given))
    except UserError as error:
        raise Refused(f"{error.code} {error.message}") from error


def _bar(generator: np.random.Generator, value: Any) -> Any:
    if isinstance(value, float):
        return float(generator.uniform())
    if isinstance(value, rg.Stack):  # only zeros may be above the top
        filled = np.arange(len(value.items)) < value.count
        return rg.Stack(filled * generator.uniform(-1, 1, value.items.shape), value.filled * 0)
    return generator.uniform(-1, 1, value.shape)
