"""What a function only hands back is known to its callers, which then need not be given it.

A reverse loop that has been made a function of its own returns every cotangent that it may change.
Where it turns out not to change one, callers go on with what they have passed; so do loops with
what their iterations hand on unchanged. Nobody needs the results then.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.ir.terms import Atom, Block, Call, For, Function, Jvp, Program, Stm, Var, Vjp
from retrograd.ir.traverse import blocks, map_atoms, stms_deep, with_blocks

__all__ = ["use_arguments"]

_Handed = Mapping[str, Mapping[int, int]]
"""Of functions by name, results by the parameter that they are."""


def use_arguments(program: Program) -> Program:
    """The program in which results that are parameters are not used by callers."""
    fixed = _fixed(program)
    handed: _Handed = {}
    while True:
        functions = tuple(_changed(f, handed) for f in program.functions)
        found = {f.name: h for f in functions if f.name not in fixed and (h := _handed(f))}
        if found == handed:
            return Program(functions, program.entry)
        handed = found


def _fixed(program: Program) -> frozenset[str]:
    """Functions whose results are used by others than calls, and those with rules, which keep all
    of them."""
    found = {program.entry}
    for function in program.functions:
        if function.custom is not None:
            rules = (function.custom.rule, function.custom.pullback)
            found |= {function.name, *(rule for rule in rules if rule is not None)}
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, Jvp | Vjp):
                found.add(stm.expr.function)
    return frozenset(found)


def _handed(function: Function) -> Mapping[int, int]:
    places = {p.name: k for k, p in enumerate(function.params)}
    return {
        j: places[result.name]
        for j, result in enumerate(function.body.results)
        if isinstance(result, Var) and result.name in places and not result.type.is_scalar
    }


def _changed(function: Function, handed: _Handed) -> Function:
    same: dict[str, Atom] = {}

    def swap(atom: Atom) -> Atom:
        return same.get(atom.name, atom) if isinstance(atom, Var) else atom

    def statement(stm: Stm) -> Stm:
        expr = map_atoms(stm.expr, swap)
        inner = tuple(map(block, blocks(expr)))
        expr = with_blocks(expr, inner) if inner else expr
        if isinstance(expr, Call):
            for j, k in handed.get(expr.function, {}).items():
                same[stm.outs[j].name] = expr.args[k]
        elif isinstance(expr, For):
            kept = zip(stm.outs, expr.carried, expr.inits, expr.body.results, strict=False)
            for out, var, init, result in kept:
                if result == var and not var.type.is_scalar:
                    same[out.name] = init
        return stm.with_expr(expr)

    def block(old: Block) -> Block:
        stms = tuple(map(statement, old.stms))
        return old.changed(stms, tuple(map(swap, old.results)))

    return function.with_body(block(function.body))
