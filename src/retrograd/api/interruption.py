"""Runs that stop and go on: `primops`, `interrupt`, `resume`, and the capsule between them.

This has nothing to do with derivatives: any function that `jit` takes can be interrupted, also one
that calculates a gradient (whose inner sweeps are then one step each).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from retrograd.api.calls.arguments import argument_specs
from retrograd.api.calls.runner import scalar_input
from retrograd.api.calls.sharing import refuse_sharing
from retrograd.api.compile.compile_cache import compiling, remember
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import Prepared, has_ways, prepare
from retrograd.api.compile.shapes import arrange
from retrograd.api.functions import checked
from retrograd.backends.llvm.cache import object_codes
from retrograd.backends.llvm.execute import DTYPES, Executable, Result
from retrograd.backends.llvm.jit import link_objects
from retrograd.backends.llvm.module import module_text
from retrograd.backends.llvm.time_slices import Legs
from retrograd.errors import Limitation, UserError
from retrograd.frontend.identity.flattening import unflatten
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.ir.terms import Function
from retrograd.ir.types import Type
from retrograd.runtime.arrays import apart
from retrograd.runtime.capsule import Snapshot, read_snapshot, write_snapshot
from retrograd.runtime.context import MEMORY, Context, stack_floor, warm
from retrograd.runtime.state import FrameShapes, is_sound
from retrograd.tracebacks import shows_user_frames
from retrograd.transforms.driver import INTERRUPTIBLE

__all__ = ["Capsule", "interrupt", "primops", "resume"]

_ENDLESS = 1 << 62
"""A budget that no run uses up."""


@dataclass(frozen=True, slots=True)
class _Program:
    """A function as interruptible code; `digest` is the SHA-256 of its text, `pool` has its warm
    contexts."""

    name: str
    fun: Callable[..., Any]
    prepared: Prepared
    executable: Executable
    shapes: FrameShapes
    digest: str
    pool: list[Context] = field(default_factory=list[Context])

    @staticmethod
    def of(fun: Callable[..., Any], args: Sequence[Any]) -> _Program:
        """`fun` for arguments of these types."""
        fun = checked(fun, "interrupt")
        # Capsules are read with arguments of the same types, which may have other extents.
        specs, _ = argument_specs(fun, args, {}, alike=False)
        key = (fun, specs)
        found = _PROGRAMS.get(key)
        if found is not None and found.prepared.traced.fits():
            return found
        with compiling():
            found = _PROGRAMS.get(key)
            if found is None or not found.prepared.traced.fits():
                found = _Program._made(fun, specs)
                remember(_PROGRAMS, key, found)
        return found

    @staticmethod
    def _made(fun: Callable[..., Any], specs: tuple[ArgSpec, ...]) -> _Program:
        prepared = prepare(fun, specs, {}, True, False)
        task = prepared.task
        if prepared.silent:
            raise Limitation(
                "RG0128", "a run that is interrupted, of a function that prints, logs or warns",
                task.main.prov.span, "return what is to be shown",
            )  # fmt: skip
        if has_ways(task.program):
            raise Limitation(
                "RG2301", "memory= or checkpointing= inside of a run that is interrupted",
                task.main.prov.span, "interrupt a function that takes derivatives without it",
            )  # fmt: skip
        program = INTERRUPTIBLE.run(task.program, known())
        module = module_text(program, known(), True)
        native = link_objects(object_codes(module), program.entry, True)
        types, results = tuple(p.type for p in task.main.params), task.main.result_types
        executable = Executable.of(native, types, results, module.errors, module.consumed)
        name = getattr(fun, "__name__", task.main.name)
        return _Program(name, fun, prepared, executable, module.frames, module.digest)

    def fits(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot can be one of a run of this program."""
        given, types = snapshot.inputs, self.executable.params
        if len(given) != len(types) or not all(map(_is_of, given, types)):
            return False
        if not _are_alike(self.prepared.task.main, given):
            return False
        sizes = [v.nbytes if isinstance(v, np.ndarray) else 0 for v in given]
        return is_sound(snapshot.state, self.shapes, sizes)

    @contextmanager
    def legs(self, inputs: Sequence[Result]) -> Generator[Legs, None, None]:
        """A run that has not begun, in a context that nobody else has meanwhile."""
        context = warm(self.pool)
        context.prepare(MEMORY.available(), stack_floor(), tape=True)
        legs = Legs(self.executable, self.shapes, context, inputs)
        try:
            yield legs
        finally:
            legs.drop()
            context.cool(self.executable.native.trim)
            self.pool.append(context)

    def flat(self, args: Sequence[Any]) -> tuple[Result, ...]:
        """The inputs of a run, without a copy where they are as native code takes them.

        Only a capsule needs copies of its own: it is there when others write again.
        """
        traced = self.prepared.traced
        flat = traced.flatten(args)
        refuse_sharing(self.fun, traced, flat)
        return apart(map(_input, flat, self.executable.params))

    def value(self, legs: Legs) -> Any:
        """What the function returns."""
        assert legs.results is not None
        prepared = self.prepared
        if prepared.levels:
            return arrange(prepared.base.trees, prepared.levels, legs.args, legs.results)
        return unflatten(prepared.task.out, iter(legs.results))


_PROGRAMS: dict[object, _Program] = {}


def _is_of(value: Result, type_: Type) -> bool:
    array = np.asarray(value)
    scalar = not isinstance(value, np.ndarray)
    return (scalar, array.dtype, array.ndim) == (
        type_.is_scalar, np.dtype(DTYPES[type_.dtype]), type_.rank
    )  # fmt: skip


def _are_alike(function: Function, given: Sequence[Result]) -> bool:
    """Whether the extents are equal of which the function says so."""
    shapes = {p.name: np.shape(v) for p, v in zip(function.params, given, strict=True)}
    extents: dict[int, int] = {}
    for name, numbers in function.alike:
        for number, extent in zip(numbers, shapes[name], strict=True):
            if extents.setdefault(number, -number if number < 0 else extent) != extent:
                return False
    return all(number < 0 or extent != 1 for number, extent in extents.items())


def _input(value: Any, type_: Type) -> Result:
    if type_.is_scalar:
        return scalar_input(value)
    return np.ascontiguousarray(value, dtype=DTYPES[type_.dtype])


@dataclass(frozen=True, slots=True, eq=False)
class Capsule:
    """An interrupted run as plain data. It can be resumed any number of times.

    Attributes:
        steps: what the run has done so far, in the unit of `primops`.
        nbytes: bytes of the live values and the inputs.
    """

    program: _Program
    snapshot: Snapshot

    @property
    def steps(self) -> int:
        return self.snapshot.steps

    @property
    def nbytes(self) -> int:
        return self.snapshot.nbytes

    def __repr__(self) -> str:
        return f"<Capsule of {self.program.name} after {self.steps} steps, {self.nbytes} bytes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the capsule to a file (checksummed, replaced in one step; nothing is pickled).

        Raises:
            OSError: the file cannot be written. What was there before is still there.
        """
        write_snapshot(Path(path), self.snapshot)

    @staticmethod
    @shows_user_frames
    def load(path: str | os.PathLike[str], fun: Callable[..., Any], *args: Any) -> Capsule:
        """Reads a capsule that `save` has written, in this or another process.

        Args:
            path: the file.
            fun: the function that was interrupted, unchanged.
            args: arguments of the types that it had; their values do not matter, since the
                capsule has its own.

        Raises:
            UserError: the file is no capsule, is damaged, or belongs to another program.

        >>> import tempfile, os, retrograd as rg
        >>> def f(n):
        ...     total = 0.0
        ...     for k in range(n):
        ...         total += 1.0 / (k + 1.0)
        ...     return total
        >>> path = os.path.join(tempfile.mkdtemp(), "run.rg")
        >>> rg.interrupt(f, 10_000, steps=1000).save(path)
        >>> rg.resume(rg.Capsule.load(path, f, 10_000)) == f(10_000)
        True
        """
        program, snapshot = _Program.of(fun, args), read_snapshot(Path(path))
        if snapshot.program != program.digest:
            raise UserError(
                "RG4001", f"{os.fspath(path)} is a capsule of another program",
                program.prepared.task.main.prov.span,
                "load it with the function that was interrupted, and arguments of the same types",
            )  # fmt: skip
        if not program.fits(snapshot):
            raise UserError(
                "RG4001", f"{os.fspath(path)} holds no state that a run of {program.name} can have",
                program.prepared.task.main.prov.span, "start the run again",
            )  # fmt: skip
        return Capsule(program, snapshot)


@shows_user_frames
def primops(fun: Callable[..., Any], *args: Any) -> int:
    """The length of a run in steps: calls, and iterations of loops weighted by their statements.

    Args:
        fun: a function as for `jit`.
        args: its arguments; arrays are not written to.

    Returns:
        How many steps the run has, which is done once for that.

    Raises:
        UserError: the function is not accepted. What the function raises is raised, too.

    Source: Siskind and Pearlmutter 2018, PRIMOPS.

    >>> import retrograd as rg
    >>> def f(n):
    ...     x = 1.0
    ...     while x < n:
    ...         x *= 1.5
    ...     return x
    >>> rg.primops(f, 1e6) > rg.primops(f, 1e3)
    True
    """
    program = _Program.of(fun, args)
    with program.legs(program.flat(args)) as legs:
        legs.start(_ENDLESS)
        return legs.steps


@shows_user_frames
def interrupt(fun: Callable[..., Any], *args: Any, steps: int) -> Any:
    """Runs a function up to the first execution point at which `steps` steps have been done.

    Args:
        fun: a function as for `jit`.
        args: its arguments.
        steps: after how many steps to stop, in the unit of `primops`.

    Returns:
        A `Capsule`, or the value of the function where it ends before that. Arrays among the
        arguments are not written to.

    Raises:
        UserError: `steps` is not a positive int, or the function is not accepted.

    Source: Siskind and Pearlmutter 2018, INTERRUPT.

    >>> import retrograd as rg
    >>> def f(n):
    ...     total = 0
    ...     for k in range(n):
    ...         total += k * k
    ...     return total
    >>> capsule = rg.interrupt(f, 100_000, steps=50_000)
    >>> rg.resume(capsule) == f(100_000)
    True
    """
    _check(steps)
    program = _Program.of(fun, args)
    inputs = program.flat(args)
    with program.legs(inputs) as legs:
        ended = legs.start(steps)
        if not ended:
            inputs = tuple(v.copy() if isinstance(v, np.ndarray) else v for v in inputs)
        return _outcome(program, legs, ended, inputs)


@shows_user_frames
def resume(capsule: Capsule, steps: int | None = None) -> Any:
    """Goes on with an interrupted run.

    Args:
        capsule: what `interrupt` or `resume` has returned, in this process or another one.
        steps: how many steps more; None for all of them.

    Returns:
        The value of the function, or a new `Capsule`. The old one is still there.

    Raises:
        UserError: `steps` is not a positive int, or the run had ended already.

    Source: Siskind and Pearlmutter 2018, RESUME.

    >>> import retrograd as rg
    >>> def f(n):
    ...     total = 0
    ...     for k in range(n):
    ...         total += k * k
    ...     return total
    >>> capsule = rg.interrupt(f, 100_000, steps=50_000)
    >>> rg.resume(rg.resume(capsule, steps=10_000)) == f(100_000)
    True
    """
    if not isinstance(capsule, Capsule):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            "RG4001", f"resume needs a capsule, not {type(capsule).__name__}",
            way_out="where `interrupt` returns a value, the run has ended",
        )  # fmt: skip
    if steps is not None:
        _check(steps)
    program, snapshot = capsule.program, capsule.snapshot
    with program.legs(snapshot.inputs) as legs:
        legs.restore(snapshot.state)
        legs.steps = snapshot.steps
        ended = legs.resume(_ENDLESS if steps is None else steps)
        return _outcome(program, legs, ended, snapshot.inputs)


def _check(steps: object) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or not 0 < steps <= _ENDLESS:
        raise UserError(
            "RG4002", f"{steps!r} steps", way_out="give a positive number of steps, as an int"
        )


def _outcome(program: _Program, legs: Legs, ended: bool, inputs: tuple[Result, ...]) -> Any:
    """What the function returns, or a capsule with these inputs."""
    if ended:
        return program.value(legs)
    return Capsule(program, Snapshot(program.digest, legs.steps, inputs, legs.capture()))
