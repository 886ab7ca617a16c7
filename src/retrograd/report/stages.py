"""The text of a program at the stages of its way from the frontend to native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from retrograd.api.compile.derive import Task, pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.backends.llvm.module import module_text, sweeps_text
from retrograd.errors import UserError
from retrograd.frontend.identity.named_constants import constant_extents
from retrograd.frontend.identity.specs import specs_of
from retrograd.inversion.functions import ReversibleFunction, not_reversible
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.transforms.checkpoint.sweep_split import Sweeps, sweeps_apart
from retrograd.transforms.driver import BY_SCHEDULE, PLAIN, PRODUCTS

__all__ = ["REVERSIBLE", "STAGES", "reversible_text", "stage_text"]

REVERSIBLE = ("inverse", "adjoint")
"""What can be shown of a reversible function, which is Python itself."""

_ENDS = ("forward", "reverse", "llvm")
STAGES = tuple(
    dict.fromkeys(("typed", *(s.name for p in PRODUCTS.values() for s in p.stages), *_ENDS))
)
"""Everything that can be shown, in the order in which a program goes through it."""

_OF_GRADIENTS = ("cotangents", "vjp", "sweeps", "forward", "reverse")


def stage_text(
    f: Callable[..., Any], args: Sequence[Any], stage: str, product: str | None = None
) -> str:
    """`f` for arguments of these types, as text, at a stage of its way to a product.

    The checker runs after every pass.

    Args:
        f: the user's function.
        args: arguments, of which only the types count.
        stage: one of `STAGES`. "typed" is what the frontend makes, "machine" the program from which
            plain machine code is generated, "vjp" the one that pulls a cotangent of the result back
            to the floating-point arguments, "forward" and "reverse" its two sweeps where they take
            turns, "llvm" what LLVM is given.
        product: "plain", "interruptible" or "memory", which stands for `memory=` on a gradient. By
            default the one that has such a stage.

    Raises:
        UserError: a stage that this program does not go through.
    """
    if product is None:
        product = BY_SCHEDULE.name if stage in ("sweeps", "forward", "reverse") else PLAIN.name
    derivative = stage in _OF_GRADIENTS or product == BY_SCHEDULE.name
    specs = specs_of(args, constant_extents(f))
    task = prepare(f, specs, {}, derivative=derivative).task
    if stage == "typed":
        return print_program(task.program)
    if derivative:
        task = pullback_task(task)
    return _texts(task, product, stage)


def reversible_text(f: Callable[..., Any], what: str) -> str:
    """The inverse or the adjoint of a reversible function, as Python.

    Names that begin with rg_ are our own functions; tests at run time are shown with it.

    Args:
        f: what `rg.reversible` has made.
        what: one of `REVERSIBLE`.

    Raises:
        UserError: `f` is no such function (RG0509).
    """
    if not isinstance(f, ReversibleFunction):
        raise not_reversible(f)
    return f.text(what)


def _texts(task: Task, product: str, stage: str) -> str:
    seen: dict[str, Program] = {}
    program = PRODUCTS[product].run(
        task.program, known(), check=True, listener=lambda name, p: seen.update({name: p})
    )
    if stage in seen:
        return print_program(seen[stage])
    sweeps = None
    if product == BY_SCHEDULE.name and stage in _ENDS:
        sweeps = sweeps_apart(program, supply_for(program), known())
    ends: dict[str, Callable[[], str]] = {}
    if product != BY_SCHEDULE.name:
        ends["llvm"] = lambda: module_text(program, known(), product != PLAIN.name).text
    elif sweeps is not None:
        ends = _of_sweeps(sweeps)
    if stage in ends:
        return ends[stage]()
    stages = ", ".join(("typed", *seen, *ends))
    raise UserError(
        "RG6102", f"this program has no stage {stage!r} on its way to {product!r} code",
        task.main.prov.span, f"it has {stages}",
    )  # fmt: skip


def _of_sweeps(sweeps: Sweeps) -> dict[str, Callable[[], str]]:
    return {
        "forward": lambda: print_program(sweeps.forward),
        "reverse": lambda: print_program(sweeps.reverse),
        "llvm": lambda: sweeps_text(sweeps, known()).text,
    }
