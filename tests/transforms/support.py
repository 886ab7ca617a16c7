"""Small programs in text form for the tests of passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.api.compile.known import known
from retrograd.backends.interp.eval import run
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Block, For, Prim, Program, Prov, While
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims.core import RaisedError
from retrograd.transforms.passes import Pass, per_function, run_pipeline

__all__ = ["after", "derived", "in_loops", "ops", "outcome", "program", "renamed"]


def program(head: str, body: str, more: str = "") -> Program:
    """`function main(head) -> ...` with this body; `more` has further functions."""
    lines = "\n".join("  " + line for line in body.strip("\n").splitlines())
    found = parse_program(f"program main\n\nfunction main{head}:\n{lines}\n\n{more}")
    check_program(found, known())
    return found


def after(source: Program, *passes: Pass) -> Program:
    """`source` after these passes, checked after each."""
    return run_pipeline(passes, source, known(), check=True)


def renamed(source: Program) -> Program:
    """A program with another name for its entry: LLVM has a library named "main" already."""
    functions = (replace(f, name="f") if f.name == "main" else f for f in source.functions)
    return Program(tuple(functions), "f")


def derived(source: Program) -> Program:
    """The program as if a reverse sweep had made it all, which its text cannot say."""

    def block(old: Block) -> Block:
        stms = tuple(
            replace(s, expr=with_blocks(s.expr, tuple(map(block, blocks(s.expr)))), prov=MADE)
            for s in old.stms
        )
        return replace(old, stms=stms)

    return per_function(source, lambda f: replace(f, body=block(f.body)))


MADE = Prov(None, ("vjp",))


def ops(source: Program) -> list[str]:
    """Names of all operations of the entry, outer before inner."""
    names: list[str] = []
    for stm in stms_deep(source.main.body):
        name = stm.expr.op if isinstance(stm.expr, Prim) else type(stm.expr).__name__.lower()
        names.append(name)
    return names


def in_loops(source: Program) -> list[str]:
    """Names of the primitives inside the loops of the entry."""
    found: list[str] = []
    for stm in stms_deep(source.main.body):
        if isinstance(stm.expr, For | While):
            for block in blocks(stm.expr):
                found += [s.expr.op for s in stms_deep(block) if isinstance(s.expr, Prim)]
    return found


def outcome(source: Program, args: Sequence[Any]) -> object:
    """The bits of the results (all NaNs alike), or the kind and message of what is raised."""
    try:
        results = run(source, args, known())
    except RaisedError as error:
        return error.kind, error.message
    return [_bits(np.asarray(value)) for value in results]


def _bits(value: np.ndarray) -> object:
    if value.dtype == np.float64:
        value = np.where(np.isnan(value), np.nan, value)
    return value.shape, value.tobytes()
