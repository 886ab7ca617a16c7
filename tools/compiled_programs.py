"""The programs whose compiled code `tools.same_code` compares, and the ways to compile each.

Benchmark problems and programs, examples, and random programs by seed. Nothing of retrograd is used
but `import retrograd` and its public functions, so that this works with another tree's compiler.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import retrograd as rg
from benchmarks.programs.hundred import catchment, forcing
from benchmarks.programs.interrupted import collatz, fib
from benchmarks.programs.long_runs import layered
from benchmarks.programs.straight import straight
from examples import deep_network, interrupted_run, loops_in_loops
from examples.demo import mixture
from tests.examples.cases import CASES
from tests.random.programs import FAULTY, PLAIN, SMOOTH, RandomProgram, from_seed, loaded

__all__ = ["MODES", "Subject", "subjects"]

Function = Callable[..., Any]
KINDS = (PLAIN, SMOOTH, FAULTY)


@dataclass(frozen=True, slots=True)
class Subject:
    """A program: itself, the scalar function that is differentiated, and fresh arguments."""

    name: str
    primal: Function
    scalar: Function | None
    argnums: tuple[int, ...]
    args: Callable[[], tuple[Any, ...]]


def _primal(s: Subject) -> Any:
    return rg.jit(s.primal)(*s.args())


def _forward(s: Subject) -> Any:
    return rg.jvp(_scalar(s), s.args(), s.args())


def _reverse(s: Subject) -> Any:
    return rg.grad(_scalar(s), argnums=s.argnums)(*s.args())


def _memory(s: Subject) -> Any:
    return rg.grad(_scalar(s), argnums=s.argnums, memory="1GB")(*s.args())


def _interruptible(s: Subject) -> Any:
    return rg.interrupt(s.primal, *s.args(), steps=1 << 60)


def _scalar(s: Subject) -> Function:
    assert s.scalar is not None
    return s.scalar


MODES: dict[str, Callable[[Subject], Any]] = {
    "primal": _primal, "forward": _forward, "reverse": _reverse, "memory": _memory,
    "interruptible": _interruptible,
}  # fmt: skip


def modes(subject: Subject) -> Iterator[str]:
    """The ways to compile a program."""
    return (m for m in MODES if subject.scalar is not None or m in ("primal", "interruptible"))


def _fresh(args: tuple[Any, ...]) -> Callable[[], tuple[Any, ...]]:
    return lambda: tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


def _is_float(value: Any) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return all(isinstance(p, tuple) or np.asarray(p).dtype.kind == "f" for p in parts)


def _more(folder: Path) -> Iterator[tuple[str, Function, bool, tuple[Any, ...]]]:
    """What stands in the folders besides the cases that are differentiated in every way."""
    layers, x, target = deep_network.network()
    yield "deep_network", deep_network.loss, True, (layers[:5], x[:20], target[:20])
    swarm_args = np.linspace(-1.0, 1.5, 8), 2.0, 3, 40
    yield "loops_in_loops", loops_in_loops.swarm, True, swarm_args
    theta = 0.1 * np.random.default_rng(3).normal(size=2 + 2 * 3 + 2 * 6)
    points = np.random.default_rng(4).normal(size=(20, 3))
    yield "mixture", mixture.objective, True, (theta, points, 2, 0.5)
    yield "catchment", catchment, True, forcing(30)
    weights = (np.eye(4) * 0.5, np.ones(4)), (np.ones((4, 4)) * 0.1, np.zeros(4))
    yield "layered", layered, True, (np.ones((3, 4)), weights)
    yield "straight", straight(folder, 300), True, (np.linspace(0.1, 0.8, 8),)
    yield "sandpile", interrupted_run.sandpile, False, (np.zeros(40), 300, 7)
    yield "collatz", collatz, False, (50,)
    yield "fib", fib, False, (10,)


def _written(folder: Path) -> Iterator[Subject]:
    """Programs that people have written."""
    for name, (fun, args, argnums) in CASES.items():
        yield Subject(name, fun, fun, argnums, _fresh(args))
    for name, fun, smooth, args in _more(folder):
        floats = tuple(k for k, a in enumerate(args) if _is_float(a))
        yield Subject(name, fun, fun if smooth else None, floats, _fresh(args))


def _random(program: RandomProgram, name: str, fun: Function, module: ModuleType) -> Subject:
    args = program.args(module)
    floats = tuple(k for k, a in enumerate(args) if _is_float(a))
    scalar = module.objective if floats else None
    return Subject(name, fun, scalar, floats, lambda: program.args(module))


def subjects(count: int, only: str, folder: Path) -> Iterator[tuple[Subject, list[str]]]:
    """All programs in the same order each time, with the modes for which `NAME MODE` matches.

    Sources are put in `folder`.
    """
    wanted = re.compile(only)

    def chosen(name: str, of: Iterable[str]) -> list[str]:
        return [mode for mode in of if wanted.search(f"{name} {mode}")]

    for subject in _written(folder):
        if found := chosen(subject.name, modes(subject)):
            yield subject, found
    for seed in range(count):
        if not chosen(name := f"random_{seed:04}", MODES):
            continue
        program = from_seed(seed, KINDS[seed % 3])
        with loaded(program, folder) as (fun, module):
            subject = _random(program, name, fun, module)
            yield subject, chosen(name, modes(subject))
