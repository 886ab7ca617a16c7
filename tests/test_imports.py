"""`import retrograd` is light: what is heavy is loaded by the first call that needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("llvmlite", "scipy", "rich", "click", "jax", "matplotlib")


def loaded_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in run.stdout.split()}


def test_a_program_without_scipy_loads_none_of_it() -> None:
    program = "import numpy as np, retrograd as rg; rg.grad(rg.jit(lambda x: np.i0(x)))(1.5)"
    assert "scipy" not in loaded_after(program)


@pytest.mark.parametrize("name", HEAVY)
def test_the_package_does_not_load(name: str) -> None:
    assert name not in loaded_after("import retrograd")


def test_the_command_line_loads_no_compiler() -> None:
    assert not loaded_after("import retrograd.cli.main") & {"llvmlite", "scipy", "rich", "numpy"}


def test_public_names_are_listed() -> None:
    import retrograd

    assert {"jit", "grad", "jvp", "vjp", "check_grads"} <= set(retrograd.__all__)
    shown = {name: getattr(retrograd, name) for name in retrograd.__all__}
    modules = {name for name, made in shown.items() if not callable(made)}
    assert modules >= {"checkpointing", "random", "tree"}
