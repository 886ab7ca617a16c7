"""Array indices of a loop as linear expressions: the loop index, values from outside, constants.

Arithmetic of the language wraps; linear expressions here are those of the wrapped values, so two
indices that differ by a constant differ by it in every iteration in which both are in bounds.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Block, Lit, Prim, Stm, ilit
from retrograd.transforms.analysis.bounds import Linear, constant

__all__ = ["SUM_SIGNS", "Forms", "evaluated", "forms_of", "linear", "resolved"]

Forms = Mapping[str, Linear]

SUM_SIGNS = {"add": 1, "iadd": 1, "sub": -1, "isub": -1}
"""The sign that a sum gives to its second operand; the first has 1."""


def forms_of(block: Block) -> dict[str, Linear]:
    """The linear form of each integer that a block computes, over what it does not."""
    made: dict[str, Linear] = {}
    for stm in block.stms:
        form = _form(stm, made)
        for out in stm.outs:
            made[out.name] = Linear(0, {out.name: 1}) if form is None else form
    return made


def linear(atom: Atom, forms: Forms) -> Linear:
    """An integer atom; what the block does not compute stands for itself."""
    if isinstance(atom, Lit):
        return constant(int(atom.value))
    return forms.get(atom.name, Linear(0, {atom.name: 1}))


def resolved(form: Linear, forms: Forms) -> Linear:
    """A form over what has no linear form itself; `forms` has those of the blocks around, too."""
    total = Linear(form.const)
    for unknown, times in form.terms.items():
        own = Linear(0, {unknown: 1})
        inner = forms.get(str(unknown), own)
        total = total.plus(inner if inner == own else resolved(inner, forms), times)
    return total


def _form(stm: Stm, made: Forms) -> Linear | None:
    match stm.expr:
        case Prim(op=op, args=(a, b)) if op in SUM_SIGNS and _integer(stm):
            return linear(a, made).plus(linear(b, made), SUM_SIGNS[op])
        case Prim(op="neg" | "ineg", args=(a,)) if _integer(stm):
            return linear(a, made).times(-1)
        case Prim(op="mul" | "imul", args=(a, b)) if _integer(stm):
            left, right = linear(a, made), linear(b, made)
            if not right.terms:
                return left.times(right.const)
            return right.times(left.const) if not left.terms else None
        case _:
            return None


def _integer(stm: Stm) -> bool:
    return not stm.outs[0].type.is_float


def evaluated(b: Builder, form: Linear, values: Mapping[str, Atom]) -> Atom:
    """Statements that compute a linear expression, with these values for its unknowns."""
    total: Atom | None = None
    for unknown, times in form.terms.items():
        term = values[str(unknown)]
        if times != 1:
            term = b.mul(term, ilit(times))
        total = term if total is None else b.add(total, term)
    if total is None:
        return ilit(form.const)
    return total if form.const == 0 else b.add(total, ilit(form.const))
