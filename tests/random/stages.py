"""Ways to run a function: the typed program under the interpreter, passes, native code.

Each gives an `Outcome` like plain Python's, so that all are compared the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from retrograd.api.compile.intrinsics import HANDLERS
from retrograd.api.compile.known import known
from retrograd.backends.interp.eval import run
from retrograd.errors import RetrogradError
from retrograd.frontend.identity.specs import specs_of
from retrograd.frontend.trace import Traced, trace_function
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.prims.core import RaisedError
from retrograd.transforms.ad.jvp import expand_jvp_nodes
from retrograd.transforms.ad.vjp import lower_vjp_nodes
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import OPTIMISE
from tests.random.harness import Outcome, agree, leaves
from tests.random.programs.module import copied

__all__ = ["after_passes", "interpreted", "round_trip", "traced"]

Function = Callable[..., Any]


def traced(f: Function, args: tuple[Any, ...]) -> Traced | Outcome:
    """The typed program, or the error that came instead."""
    try:
        found = trace_function(f, specs_of(args), intrinsics=HANDLERS)
        check_program(found.program, known())
    except RetrogradError as error:
        return Outcome(error=type(error).__name__, message=str(error))
    return found


def interpreted(
    found: Traced | Outcome, args: tuple[Any, ...], program: Program | None = None
) -> Outcome:
    """The interpreter on a typed program; arrays that the program writes are written back."""
    if isinstance(found, Outcome):
        return found
    try:
        flat = found.flatten(copied(args))
        results = run(_without_derivatives(program or found.program), flat, known())
    except RaisedError as error:
        return Outcome(error=error.kind, message=error.message)
    except RetrogradError as error:
        return Outcome(error=type(error).__name__, message=str(error))
    after = list(flat)
    for position, value in zip(found.written, results[found.results :], strict=True):
        after[position] = value
    shown = iter(after)
    return Outcome(found.unflatten(results, after), tuple(next(shown) for _ in leaves(args)))


def _without_derivatives(program: Program) -> Program:
    """The program with its derivative nodes replaced by what they stand for."""
    program = expand_jvp_nodes(program, supply_for(program), known())
    return lower_vjp_nodes(program, supply_for(program), known())


def round_trip(found: Traced | Outcome) -> str | None:
    """Whether printing and parsing give the same program."""
    if isinstance(found, Outcome):
        return None
    text = print_program(found.program)
    again = print_program(parse_program(text))
    return None if again == text else "printing and parsing changed the program"


def after_passes(found: Traced | Outcome, args: tuple[Any, ...], expected: Outcome) -> str | None:
    """Runs the optimiser with the checker on, and the interpreter on what comes out.

    Where that goes wrong, names the first pass after which it does.
    """
    if isinstance(found, Outcome):
        return None
    programs: list[tuple[str, Program]] = []

    def listen(step: Pass, program: Program) -> None:
        programs.append((step.name, program))

    try:
        run_pipeline(OPTIMISE, found.program, known(), check=True, listener=listen)
    except RetrogradError as error:
        return f"after {[name for name, _ in programs]}: {type(error).__name__}: {error}"
    final = agree(expected, interpreted(found, args, programs[-1][1]), 1e-10)
    if final is None:
        return None
    for name, program in programs:
        different = agree(expected, interpreted(found, args, program), 1e-10)
        if different is not None:
            return f"after pass {name}: {different}"
    return final
