"""Equality up to the names of variables, and a hash that is the same in every process."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.print import print_program
from retrograd.ir.terms import Atom, Function, Program, Var
from retrograd.ir.traverse import freshen_block

__all__ = ["alpha_equal", "canonical", "renamed", "structural_hash"]


def canonical(program: Program) -> str:
    """The text of `program` with its variables renamed in order of binding.

    Names of functions stay: they are how a program is called.
    """
    return print_program(Program(tuple(map(renamed, program.functions)), program.entry))


def alpha_equal(a: Program, b: Program) -> bool:
    """Whether two programs differ in the names of variables and in provenance only."""
    return canonical(a) == canonical(b)


def structural_hash(program: Program) -> str:
    """SHA-256, in hexadecimal, of the canonical text."""
    return hashlib.sha256(canonical(program).encode()).hexdigest()


def renamed(function: Function) -> Function:
    """`function` with its variables renamed in order of binding."""
    names = _Numbered()
    params = tuple(names.var("", p.type) for p in function.params)
    mapping: dict[Var, Atom] = dict(zip(function.params, params, strict=True))
    body = freshen_block(function.body, names, mapping)
    called = {old.name: new.name for old, new in zip(function.params, params, strict=True)}
    alike = tuple((called[name], numbers) for name, numbers in function.alike if name in called)
    return replace(function, params=params, body=body, alike=alike)


class _Numbered(NameSupply):
    """Names by number alone, whatever the hint."""

    def name(self, hint: str) -> str:
        return super().name("v")
