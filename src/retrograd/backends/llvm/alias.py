"""Alias facts of one loop: arrays of different owners do not overlap, and LLVM is told so.

Without that a vectorised loop tests at run time that its arrays are apart, and where the loop is
short, LLVM gives up instead. The facts hold while the loop runs: each array gets a scope that is
declared before the loop, so that copies of the loop get scopes of their own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from retrograd.backends.llvm.elementwise import leaves
from retrograd.backends.llvm.gen import AnyValue, Gen, Home
from retrograd.ir.terms import Block, For, If, Prim, Var
from retrograd.ir.traverse import free_vars

__all__ = ["plain_body", "scopes_of", "settled"]


def plain_body(block: Block) -> bool:
    """Whether no statement of a loop's body, however deep, gives an array a second name."""
    for stm in block.stms:
        match stm.expr:
            case Prim():
                pass
            case If(then=then, orelse=orelse):
                if any(not out.type.is_scalar for out in stm.outs):
                    return False
                if not plain_body(then) or not plain_body(orelse):
                    return False
            case _:
                return False
    return True


def _values(gen: Gen, expr: For) -> list[AnyValue]:
    """What a loop reads and writes, after its carried variables were bound."""
    return [gen.any(v) for v in _arrays(gen, expr)]


def _arrays(gen: Gen, expr: For) -> list[Var]:
    found: list[Var] = [*expr.carried, *free_vars(expr.body)]
    return [v for v in dict.fromkeys(found) if not v.type.is_scalar and v in gen.env]


@contextmanager
def settled(gen: Gen, expr: For, plain: bool) -> Generator[None]:
    """While a loop is emitted in which nothing stops: arrays keep the names that they have before.

    `plain`: no array gets a second name in it, so that what they are apart from can be said.
    """
    homes = {v: gen.env[v] for v in _arrays(gen, expr) if isinstance(gen.env[v], Home)}
    for var in homes:
        gen.env[var] = gen.any(var)
    outer = gen.apart
    if plain:
        gen.apart = scopes_of(gen, _values(gen, expr))
    yield
    gen.apart = outer
    gen.env.update(homes)


def scopes_of(gen: Gen, values: Iterable[AnyValue]) -> Mapping[str, str]:
    """Declares a scope for each buffer here; for each buffer the metadata of its accesses."""
    roots = list(dict.fromkeys(root for value in values for root in _roots(value)))
    if len(roots) < 2:
        return {}
    node = gen.shared.node
    domain = node("!{{self}}", distinct=True)
    own = [node("!{{self}, " + domain + "}", distinct=True) for _ in roots]
    found: dict[str, str] = {}
    for k, root in enumerate(roots):
        mine = node("!{" + own[k] + "}")
        others = node("!{" + ", ".join(s for n, s in enumerate(own) if n != k) + "}")
        gen.f.emit(f"call void @llvm.experimental.noalias.scope.decl(metadata {mine})")
        found[root] = f", !alias.scope {mine}, !noalias {others}"
    return found


def _roots(value: AnyValue) -> list[str]:
    return [leaf.root for leaf in leaves(value) if leaf.root]
