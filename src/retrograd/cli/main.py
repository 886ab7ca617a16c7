"""The commands. What is heavy (NumPy, the compiler, tables) is imported where it is needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from retrograd.cli.load import bind_arguments, load_function, positions_of, target_and_arguments
from retrograd.cli.looking import explain, plan, residuals, timeline
from retrograd.errors import OF_PROGRAMS, RetrogradError

__all__ = ["main"]


class _Refusal(click.ClickException):
    """One of retrograd's errors, shown as it reads, without a traceback."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


class _Raised(_Refusal):
    """An exception that the user's program raised in native code."""

    exit_code = 1


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; an error of retrograd's ends it with status 2, the program's with 1."""
        try:
            return super().invoke(ctx)
        except RetrogradError as error:
            raise _Refusal(str(error)) from error
        except OF_PROGRAMS as error:
            # Native code notes the user's line; without a note it is not the program's exception.
            notes: list[str] = getattr(error, "__notes__", [])
            if not notes:
                raise
            raise _Raised("\n".join((f"{type(error).__name__}: {error}", *notes))) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="retrograd")
def main() -> None:
    """Gradients of ordinary Python programs.

    FILE.py:FUNC is a plain Python function; its arguments are given with --arg.
    """


@main.command()
@target_and_arguments
@click.option("--argnums", default="0", show_default=True, metavar="I[,J...]",
              help="Positions of the arguments to differentiate.")  # fmt: skip
@click.option(
    "--memory",
    metavar="BYTES",
    help="The most that it may take: 64MB, 64MiB, or a number. Parts are done again then.",
)
@click.option("--out", metavar="FILE.npz", type=click.Path(dir_okay=False, writable=True),
              help="Also write `value` and the gradients, by parameter name.")  # fmt: skip
@click.option("--resume", metavar="FILE.rg", type=click.Path(dir_okay=False),
              help="Write what is done so far there, and go on from it after a kill.")  # fmt: skip
def grad(
    target: str, words: tuple[str, ...], argnums: str, memory: str | None, out: str | None,
    resume: str | None,
) -> None:  # fmt: skip
    """Value and gradient of a function with a scalar result.

    \b
    retrograd grad model.py:loss --arg w=[0.5,1.5] --arg rate=0.1
    retrograd grad model.py:loss --arg w=weights.npy --arg x=data.npz:x --argnums 0,1
    retrograd grad model.py:simulate --arg x=[1.0,2.0] --memory 64MB --resume run.rg
    """
    from retrograd import api
    from retrograd.report.values import gradient_text, named_gradients, save_gradients

    if out is not None and not Path(out).parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(Path(out).parent)!r}")

    f = load_function(target)
    args = bind_arguments(f, words)
    positions = positions_of(argnums, len(args))
    size = int(memory) if memory is not None and memory.isdecimal() else memory
    value, gradients = api.value_and_grad(f, argnums=positions, memory=size, resume=resume)(*args)
    named = named_gradients(f, positions, gradients)
    click.echo(gradient_text(value, named))
    if out is not None:
        try:
            save_gradients(out, value, named)
        except OSError as error:
            raise click.ClickException(f"{out} cannot be written: {error}") from error
        click.echo(f"written to {out}")


@main.command()
@target_and_arguments
@click.option("--order", type=click.IntRange(1, 2), default=2, show_default=True,
              help="Check second derivatives too, or not.")  # fmt: skip
@click.option("--rtol", default=1e-6, show_default=True, help="Accepted error of differences.")
@click.option("--eps", default=1e-5, show_default=True, help="Relative step of differences.")
@click.option("--seed", default=0, show_default=True, help="Seed of the random directions.")
def check(
    target: str, words: tuple[str, ...], order: int, rtol: float, eps: float, seed: int
) -> None:
    """The four identities that derivatives satisfy, as a table; status 1 if one fails.

    \b
    retrograd check model.py:loss --arg w=[0.5,1.5] --arg rate=0.1
    """
    from retrograd.report.identities import print_identities
    from retrograd.testing.gradcheck import check_grads

    f = load_function(target)
    report = check_grads(
        f, bind_arguments(f, words), order, rtol=rtol, eps=eps, seed=seed, raise_on_failure=False
    )
    print_identities(report)
    sys.exit(0 if report.ok else 1)


@main.command()
@target_and_arguments
@click.option("--stage", required=True, metavar="STAGE", help="Which stage of its way.")
@click.option("--product", type=click.Choice(["plain", "interruptible", "memory"]),
              help="Of which code; that with such a stage, if not given.")  # fmt: skip
def show(target: str, words: tuple[str, ...], stage: str, product: str | None) -> None:
    """The program as text, at a stage of its way to native code, as it is compiled.

    \b
    inverse     of a reversible function: the function that undoes it, as Python
    adjoint     ... that takes cotangents back through it
    loops       a table: which loops are maps, reductions or serial, and why
    typed       what the frontend makes of the source
    optimised   before anything is derived
    tangents    tangents of functions as programs, where there are any
    jvp         ... optimised
    pullbacks   pullbacks of straight-line code stand where programs ask for them
    points      execution points are numbered
    cotangents  the forward and the reverse sweep of its gradient, as they are made
    vjp         ... optimised
    batch       directions of Jacobians are taken several at once
    machine     loops are rearranged: what plain machine code is generated from
    sweeps      with memory=: the sweeps before they are divided
    forward     with memory=: the program that goes forward
    reverse     with memory=: the program that comes back
    llvm        what LLVM is given

    \b
    retrograd show model.py:loss --stage vjp --arg w=[0.5,1.5] --arg rate=0.1
    retrograd show model.py:loss --stage llvm --product memory --arg w=[0.5,1.5]
    retrograd show model.py:step --stage inverse
    """
    from retrograd.report.loops import print_loops
    from retrograd.report.stages import REVERSIBLE, STAGES, reversible_text, stage_text

    if stage not in (*REVERSIBLE, *STAGES, "loops"):
        known = ", ".join((*REVERSIBLE, "loops", *STAGES))
        raise click.BadParameter(f"{stage!r} is none of {known}", param_hint="--stage")
    f = load_function(target)
    if stage in REVERSIBLE:
        click.echo(reversible_text(f, stage))
        return
    if stage == "loops":
        print_loops(f, bind_arguments(f, words))
        return
    click.echo(stage_text(f, bind_arguments(f, words), stage, product))


main.add_command(explain)
main.add_command(residuals)
main.add_command(plan)
main.add_command(timeline)
