"""The commands that look at programs and derivatives: what lines cost, what runs will take."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retrograd.cli.load import bind_arguments, load_function, positions_of, target_and_arguments

if TYPE_CHECKING:
    from retrograd.options.checkpointing import Checkpointing

__all__ = ["explain", "plan", "residuals", "timeline"]


def _size(text: str) -> int | str:
    """A number of bytes as `memory=` takes it."""
    return int(text) if text.isdecimal() else text


def _way(
    memory: str | None, snapshots: int | None, repeats: int | None, logarithmic: bool,
    shape: dict[str, str | None],
) -> Checkpointing:  # fmt: skip
    """What the options say together."""
    from retrograd.options import checkpointing as ways

    given = {name: value for name, value in shape.items() if value is not None}
    chosen = sum((memory is not None, snapshots is not None, repeats is not None, logarithmic))
    if chosen != 1:
        raise click.UsageError("give one of --memory, --snapshots, --repeats and --logarithmic")
    if memory is not None:
        if given:
            raise click.UsageError(f"--{next(iter(given))} does not go with --memory")
        return ways.budget(_size(memory))
    leaf = _size(given.pop("leaf", "4MB"))
    if snapshots is not None:
        return ways.fixed_space(snapshots, leaf, **given)
    if repeats is not None:
        return ways.fixed_time(repeats, leaf, **given)
    return ways.logarithmic(leaf, **given)


def _check_folders(paths: Iterable[str]) -> None:
    """Refuses files of which the folder is not there, before anything is calculated."""
    for path in paths:
        if not Path(path).parent.is_dir():
            raise click.BadParameter(f"there is no folder {str(Path(path).parent)!r}")


@contextmanager
def _writing() -> Generator[None]:
    """Where a picture is written."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"a picture cannot be written: {error}") from error


@click.command()
@target_and_arguments
@click.option("--argnums", default="0", show_default=True, metavar="I[,J...]",
              help="Positions of the arguments to differentiate.")  # fmt: skip
@click.option("--memory", metavar="BYTES",
              help="The most that it may take: 64MB, 64MiB, or a number.")  # fmt: skip
@click.option("--snapshots", type=int, metavar="D",
              help="Instead: at most so many snapshots, the run's beginning too.")  # fmt: skip
@click.option("--repeats", type=int, metavar="T",
              help="Instead: a step is done at most so often, then recorded.")  # fmt: skip
@click.option("--logarithmic", is_flag=True, help="Instead: both grow with the logarithm.")
@click.option("--leaf", metavar="BYTES", help="What is recorded at once; not with --memory. [4MB]")
@click.option("--tree", type=click.Choice(["binary", "treeverse"]), help="Not with --memory.")
@click.option("--split", type=click.Choice(["binomial", "bisection"]), help="Not with --memory.")
@click.option("--clock", type=click.Choice(["seconds", "steps"]), default="seconds",
              show_default=True, help="What time is measured in.")  # fmt: skip
@click.option("--out", "outs", multiple=True, metavar="FILE", type=click.Path(dir_okay=False),
              help="A picture to write, .svg or .png; may be given several times.")  # fmt: skip
def timeline(
    target: str, words: tuple[str, ...], argnums: str, memory: str | None, snapshots: int | None,
    repeats: int | None, logarithmic: bool, leaf: str | None, tree: str | None, split: str | None,
    clock: str, outs: tuple[str, ...],
) -> None:  # fmt: skip
    """Calculates a gradient, and draws what was done when and what was kept.

    \b
    retrograd timeline model.py:loss --arg w=[0.5,1.5] --memory 1MB --out run.svg --out run.png
    retrograd timeline model.py:loss --arg w=[0.5,1.5] --snapshots 10 --leaf 100kB --tree treeverse
    """
    from retrograd import api
    from retrograd.api.checkpoint.recording import record
    from retrograd.report.pictures import picture_format
    from retrograd.report.timeline import save_timeline
    from retrograd.report.totals import print_totals

    f = load_function(target)
    args = bind_arguments(f, words)
    positions = positions_of(argnums, len(args))
    shape = {"leaf": leaf, "tree": tree, "split": split}
    way = _way(memory, snapshots, repeats, logarithmic, shape)
    for out in outs:
        picture_format(out)
    _check_folders(outs)
    derivative = api.value_and_grad(f, argnums=positions, checkpointing=way)
    with record() as run:
        derivative(*args)
    print_totals(run)
    with _writing():
        if outs:
            save_timeline(run, *outs, clock=clock)
    for out in outs:
        click.echo(f"written to {out}")


@click.command()
@target_and_arguments
@click.option("--argnums", default="0", show_default=True, metavar="I[,J...]",
              help="Positions of the arguments to differentiate.")  # fmt: skip
@click.option("--memory", "budgets", multiple=True, metavar="BYTES",
              help="A budget to try, once for each; else all that make sense.")  # fmt: skip
def plan(target: str, words: tuple[str, ...], argnums: str, budgets: tuple[str, ...]) -> None:
    """Predicts what a gradient takes in less and less memory, from one look at the run.

    \b
    retrograd plan model.py:loss --arg w=[0.5,1.5]
    retrograd plan model.py:loss --arg w=[0.5,1.5] --memory 1MB --memory 100kB
    """
    from rich.console import Console

    from retrograd.report import planning

    f = load_function(target)
    args = bind_arguments(f, words)
    positions = positions_of(argnums, len(args))
    sizes = [_size(budget) for budget in budgets] or None
    Console().print(planning.plan(f, *args, budgets=sizes, argnums=positions))


@click.command()
@target_and_arguments
def explain(target: str, words: tuple[str, ...]) -> None:
    """Says of each line what is copied, serial, not vectorised, checked at run time and taped.

    \b
    retrograd explain model.py:loss --arg w=[0.5,1.5]
    """
    from rich.console import Console

    from retrograd.report import explaining

    f = load_function(target)
    Console().print(explaining.explain(f, *bind_arguments(f, words)))


@click.command()
@target_and_arguments
@click.option("--argnums", metavar="I[,J...]",
              help="Positions of the arguments to differentiate; else every float.")  # fmt: skip
@click.option("--code", is_flag=True, help="Also print the code of both sweeps side by side.")
@click.option("--png", metavar="FILE.png", type=click.Path(dir_okay=False),
              help="Also draw the bytes of each line.")  # fmt: skip
def residuals(
    target: str, words: tuple[str, ...], argnums: str | None, code: bool, png: str | None
) -> None:
    """Lists what a derivative saves between its sweeps: shapes, bytes, and from which lines.

    \b
    retrograd residuals model.py:loss --arg w=[0.5,1.5]
    retrograd residuals model.py:loss --arg w=[0.5,1.5] --code --png saved.png
    """
    from retrograd.report.bars import save_bars
    from retrograd.report.columns import print_fwd_bwd
    from retrograd.report.saved import saved_residuals
    from retrograd.report.showing import show

    if png is not None and Path(png).suffix.lower() != ".png":
        raise click.BadParameter(f"{png!r} does not end in .png", param_hint="--png")
    _check_folders([png] if png is not None else [])
    f = load_function(target)
    args = bind_arguments(f, words)
    positions = None if argnums is None else positions_of(argnums, len(args))
    found = saved_residuals(f, *args, argnums=positions)
    show(found)
    if code:
        print_fwd_bwd(f, *args, argnums=positions)
    if png is not None:
        with _writing():
            save_bars(found.function, found, png)
        click.echo(f"written to {png}")
