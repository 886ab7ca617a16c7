"""How results are compared: outcomes, conditioning, and the report of what does not agree.

Two systems agree on a program when both give the same value to rounding, or both raise the same
exception. How much rounding a program magnifies is measured on the program itself: plain Python is
run on arguments that are perturbed a little, and what comes out sets the tolerance.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.errors import OF_PROGRAMS, CompilerBug, RetrogradError, has_place
from tests.random.programs.module import RandomProgram, copied

__all__ = [
    "IllConditioned", "Outcome", "agree", "compare", "float_leaves", "leaves", "outcome",
    "perturbed", "sensitivity",
]  # fmt: skip

EPSILON = 1e-9


class IllConditioned(Exception):
    """The program magnifies perturbations too much to be compared."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: a value and the arguments afterwards, or the name of an exception."""

    value: Any = None
    args: tuple[Any, ...] = ()
    error: str | None = None
    message: str = ""

    def __str__(self) -> str:
        if self.error is not None:
            return f"{self.error}: {self.message}"
        return repr(self.value)


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """Runs `f` on `args` themselves. NumPy's warnings are not part of an outcome."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = f(*args)
        except (ArithmeticError, LookupError, AssertionError, TypeError, ValueError, NameError,
                RuntimeError, MemoryError, AttributeError) as error:  # fmt: skip
            return Outcome(error=_builtin_name(type(error)), message=str(error))
    return Outcome(copied(value), args)


def _builtin_name(kind: type[BaseException]) -> str:
    """The nearest built-in class: NumPy's own errors are subclasses of Python's."""
    for cls in kind.__mro__:
        if cls.__module__ == "builtins":
            return kind.__name__ if kind.__module__.startswith("retrograd") else cls.__name__
        if cls.__module__.startswith("retrograd"):
            return cls.__name__
    return kind.__name__


def leaves(value: Any) -> list[Any]:
    """Scalars and arrays of a result or of arguments, in order."""
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    if isinstance(value, rg.Stack):
        return [value.items, *([] if value.filled is None else [value.filled])]
    return [value]


def float_leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    """The leaves that have derivatives, as arrays."""
    found = [np.asarray(leaf) for leaf in leaves(value)]
    return [leaf for leaf in found if leaf.dtype.kind == "f"]


def bits_of(call: Callable[[], Any]) -> list[bytes] | str:
    """The bits of the floats that compiled code gives, or what it raises.

    A mistake of ours is no outcome: it is raised, as are exceptions that no program has raised.
    """
    try:
        return [np.asarray(leaf).tobytes() for leaf in float_leaves(call())]
    except CompilerBug:
        raise
    except RetrogradError as error:
        return f"{type(error).__name__} {error.code}"
    except OF_PROGRAMS as error:
        if not has_place(error):
            raise
        return f"{type(error).__name__}: {error}"


def _structure(value: Any) -> Any:
    if isinstance(value, tuple):
        return (type(value).__name__, *(_structure(part) for part in value))
    return "leaf"


def compare(left: Any, right: Any, tolerance: float) -> str | None:
    """None where both agree, otherwise what differs."""
    if _structure(left) != _structure(right):
        return f"structure {_structure(left)} against {_structure(right)}"
    for a, b in zip(leaves(left), leaves(right), strict=True):
        x, y = np.asarray(a), np.asarray(b)
        if x.shape != y.shape:
            return f"shape {x.shape} against {y.shape}"
        if {x.dtype.kind, y.dtype.kind} not in ({"f"}, {"i"}, {"b"}, {"f", "i"}):
            return f"dtype {x.dtype} against {y.dtype}"
        p, q = x.astype(float), y.astype(float)
        with np.errstate(all="ignore"):
            bound = tolerance * np.maximum(1.0, np.maximum(np.abs(p), np.abs(q)))
            same = (p == q) | (np.isnan(p) & np.isnan(q)) | (np.abs(p - q) <= bound)
        if not np.all(same):
            return f"{a!r} against {b!r} (tolerance {tolerance:.1e})"
    return None


def agree(expected: Outcome, got: Outcome, tolerance: float) -> str | None:
    """None where the outcomes agree, otherwise what differs."""
    if expected.error != got.error:
        return f"expected {expected}, got {got}"
    if expected.error is not None:
        return None
    different = compare(expected.value, got.value, tolerance)
    if different is None and got.args:
        changed = compare(tuple(expected.args), tuple(got.args), tolerance)
        different = None if changed is None else f"arguments afterwards: {changed}"
    return different


def perturbed(args: tuple[Any, ...], seed: int, size: float) -> tuple[Any, ...]:
    """Arguments with every float moved by about `size`."""
    generator = np.random.default_rng(seed)

    def move(value: Any) -> Any:
        if isinstance(value, tuple):
            parts = [move(part) for part in value]
            return type(value)(*parts) if type(value) is not tuple else tuple(parts)
        if isinstance(value, float):
            return value + size * generator.uniform(0.5, 1.0)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return value + size * generator.uniform(0.5, 1.0, value.shape)
        return value

    return tuple(move(a) for a in args)


def sensitivity(f: Callable[..., Any], program: RandomProgram, module: ModuleType) -> float:
    """The tolerance that this program deserves; IllConditioned where it is a lottery."""
    base = outcome(f, program.args(module))
    worst = 0.0
    for seed in range(2):
        moved = outcome(f, perturbed(program.args(module), seed, EPSILON))
        if moved.error != base.error:
            raise IllConditioned
        if base.error is not None:
            continue
        pairs = zip(leaves((base.value, base.args)), leaves((moved.value, moved.args)), strict=True)
        for a, b in pairs:
            x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
            if x.shape != y.shape:
                raise IllConditioned
            if x.size:
                change = np.abs(x - y) / np.maximum(1.0, np.abs(x))
                worst = max(worst, float(np.max(change, initial=0.0, where=~np.isnan(change))))
    if worst > 1e-3:
        raise IllConditioned
    return 1e-12 + 1e-5 * worst
