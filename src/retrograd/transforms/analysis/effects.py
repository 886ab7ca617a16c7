"""Facts about whole functions: which have effects, which are reachable, who calls whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from retrograd.ir.terms import Call, Expr, For, Function, Prim, Program, While
from retrograd.ir.traverse import blocks, callees_of, stms_deep, stms_of
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.records import Itself

__all__ = [
    "called_once", "callees", "effectful", "may_act", "prim_effect", "reachable", "reaching",
    "recursive_functions",
]  # fmt: skip


def callees(function: Function) -> Sequence[str]:
    """Names of the functions that `function` mentions, once per mention, custom rules included."""
    return function.once("callees", lambda: tuple(_callees(function)))


def _callees(function: Function) -> Iterator[str]:
    for stm in stms_of(function):
        if not isinstance(stm.expr, Prim):  # which most are
            yield from callees_of(stm.expr)
    if function.custom is not None:
        yield function.custom.rule
        if function.custom.pullback is not None:
            yield function.custom.pullback


def called_once(program: Program) -> Mapping[str, Function]:
    """The functions that nothing but one call in the program knows, by name."""
    mentioned = Counter(name for f in program.functions for name in callees(f))
    return {
        f.name: f for f in program.functions
        if mentioned[f.name] == 1
        and f.name != program.entry
        and f.custom is None
        and f.derivative is None
    }  # fmt: skip


def effectful(program: Program, prims: PrimitiveSet) -> frozenset[str]:
    """Functions that may raise or touch the tape, themselves or in what they call."""

    def acts(function: Function) -> bool:
        def find() -> bool:
            prims_ = (s.expr for s in stms_of(function) if isinstance(s.expr, Prim))
            return any(prim_effect(expr, prims) is not Effect.PURE for expr in prims_)

        return function.once(("acts", Itself(prims)), find)

    return reaching(program.functions, acts)


def reaching(functions: Sequence[Function], chosen: Callable[[Function], bool]) -> frozenset[str]:
    """The functions that are chosen, and those that call them, directly or through others."""
    callers: dict[str, list[str]] = {f.name: [] for f in functions}
    for function in functions:
        for name in callees(function):
            callers.setdefault(name, []).append(function.name)
    found = {f.name for f in functions if chosen(f)}
    pending = list(found)
    while pending:
        for caller in callers[pending.pop()]:
            if caller not in found:
                found.add(caller)
                pending.append(caller)
    return frozenset(found)


def reachable(program: Program) -> frozenset[str]:
    """Functions that the entry needs."""
    table = {f.name: f for f in program.functions}
    found = {program.entry}
    pending = [program.entry]
    while pending:
        for name in callees(table[pending.pop()]):
            if name not in found:
                found.add(name)
                pending.append(name)
    return frozenset(found)


def functions_run_once(program: Program) -> frozenset[str]:
    """Functions that no loop calls and that do not call themselves, directly or through others."""
    table = {f.name: f for f in program.functions}
    loops = (
        s.expr for f in program.functions for s in stms_of(f) if isinstance(s.expr, For | While)
    )
    inside = (stm for loop in loops for block in blocks(loop) for stm in stms_deep(block))
    pending = [name for stm in inside for name in callees_of(stm.expr)]
    pending += recursive_functions(program)
    again: set[str] = set()
    while pending:
        name = pending.pop()
        if name in table and name not in again:
            again.add(name)
            pending += callees(table[name])
    return frozenset(table.keys() - again)


def recursive_functions(program: Program) -> frozenset[str]:
    """Functions that can call themselves, directly or through others."""
    calls = {
        f.name: {s.expr.function for s in stms_of(f) if isinstance(s.expr, Call)}
        for f in program.functions
    }

    def reaches(name: str) -> set[str]:
        found: set[str] = set()
        pending = list(calls[name])
        while pending:
            callee = pending.pop()
            if callee not in found:
                found.add(callee)
                pending += calls[callee]
        return found

    return frozenset(name for name in calls if name in reaches(name))


def may_act(expr: Expr, prims: PrimitiveSet, effects: Collection[str]) -> bool:
    """Whether an expression itself may raise or touch the tape, not what is in its blocks.

    `effects` names the functions that may.
    """
    if isinstance(expr, Prim):
        return prim_effect(expr, prims) is not Effect.PURE
    return any(name in effects for name in callees_of(expr))


def prim_effect(expr: Prim, prims: PrimitiveSet) -> Effect:
    """The effect of one application: an access with `checked=False` cannot raise."""
    effect = prims[expr.op].effect
    if effect is Effect.PURE:
        return effect
    if effect is Effect.CHECK and ("checked", False) in expr.params:
        return Effect.PURE
    return effect
