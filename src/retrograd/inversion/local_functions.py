"""Local functions of a reversible function: those of one expression stand where they are used.

A closure reads what it takes from outside when it is called, so `f = lambda z: z * y` and then
`x += f(2.0)` is `x += (lambda z: z * y)(2.0)`: what the way back needs of y is seen there.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.inversion.complaints import Complaints
from retrograd.inversion.places import bound_by, names_read, parameters_of, written

__all__ = ["functions_in", "refuse_captures", "with_local_functions"]

_SCOPES = (
    ast.Lambda | ast.FunctionDef | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
)


@dataclass(slots=True)
class _Pasting(ast.NodeTransformer):
    """Writes an expression for a name."""

    name: str
    expr: ast.Lambda

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        return ast.copy_location(copy.deepcopy(self.expr), node)


def with_local_functions(body: Sequence[ast.stmt], parameters: frozenset[str]) -> list[ast.stmt]:
    """The statements, where the names of local functions of one expression are these functions."""
    if not functions_in(body):
        return list(body)
    made = [copy.deepcopy(stm) for stm in body]
    while _paste_one(made, made, parameters):
        pass
    return made


def _paste_one(
    block: list[ast.stmt], whole: Sequence[ast.stmt], parameters: frozenset[str]
) -> bool:
    """Replaces one local function by `pass` and its uses by it, in place; whether there was one."""
    for position, stm in enumerate(block):
        found = _expression_of(stm)
        if found is not None:
            name, expr = found
            rest = block[position + 1 :]
            known = name not in parameters and _bindings(whole)[name] == 1
            if known and _uses(whole, name) == _uses(rest, name) and not _clash(rest, name, expr):
                block[position] = ast.copy_location(ast.Pass(), stm)
                block[position + 1 :] = [_Pasting(name, expr).visit(other) for other in rest]
                return True
        if isinstance(stm, ast.FunctionDef):
            continue
        for field in ("body", "orelse"):
            if _paste_one(getattr(stm, field, []), whole, parameters):
                return True
    return False


def _expression_of(stm: ast.stmt) -> tuple[str, ast.Lambda] | None:
    """The name and the expression of a local function, without default values."""
    match stm:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as expr):
            pass
        case ast.FunctionDef(name=name, args=args, body=body, decorator_list=[]):
            last = body[-1]
            short = len(body) == 1 or (len(body) == 2 and _is_text(body[0]))
            if not short or not isinstance(last, ast.Return) or last.value is None:
                return None
            plain = copy.deepcopy(args)
            for node in ast.walk(plain):
                if isinstance(node, ast.arg):
                    node.annotation = None
            expr = ast.copy_location(ast.Lambda(plain, last.value), stm)
        case _:
            return None
    if expr.args.defaults or expr.args.kw_defaults or name in _names(expr):
        return None
    return name, expr


def _is_text(stm: ast.stmt) -> bool:
    return isinstance(stm, ast.Expr) and isinstance(stm.value, ast.Constant)


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _uses(body: Sequence[ast.stmt], name: str) -> int:
    """How often a name is read."""
    nodes = (n for stm in body for n in ast.walk(stm) if isinstance(n, ast.Name))
    return sum(n.id == name and isinstance(n.ctx, ast.Load) for n in nodes)


def _bindings(body: Sequence[ast.stmt]) -> Counter[str]:
    """How often names are given a value."""
    places = (place for stm in body for place in written(stm))
    return Counter(name for place in places for name in bound_by(place))


def _clash(body: Sequence[ast.stmt], name: str, expr: ast.Lambda) -> bool:
    """Whether a function or a comprehension has another meaning for a name in an expression."""
    taken = (_names(expr) - parameters_of(expr.args)) | {name}
    scopes = (n for stm in body for n in ast.walk(stm) if isinstance(n, _SCOPES))
    return any(taken & _own(scope) for scope in scopes if name in _names(scope))


def _own(scope: ast.AST) -> frozenset[str]:
    """The names that a function or a comprehension binds."""
    if isinstance(scope, ast.Lambda):
        return parameters_of(scope.args)
    if isinstance(scope, ast.FunctionDef):
        inner = frozenset(n for stm in scope.body for p in written(stm) for n in bound_by(p))
        return inner | parameters_of(scope.args)
    targets = (g.target for g in getattr(scope, "generators", ()))
    return frozenset(name for target in targets for name in bound_by(target))


def functions_in(body: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    """The names of local functions, and the statements that define them."""
    found: dict[str, ast.stmt] = {}
    for node in (node for stm in body for node in ast.walk(stm)):
        match node:
            case ast.FunctionDef():
                found[node.name] = node
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                found[name] = node
            case _:
                pass
    return found


def refuse_captures(
    body: Sequence[ast.stmt], local: frozenset[str], complaints: Complaints
) -> None:
    """Refuses functions of several statements that read what is around them.

    Raises:
        UserError: there is one. What it reads would have derivatives that nobody sees.
    """
    for name, node in functions_in(body).items():
        own = node.value if isinstance(node, ast.Assign) else node
        read = names_read(own, local) - {name}
        if read:
            raise complaints.without_inverse(
                node, f"it is a function that reads {', '.join(sorted(read))} from around it",
                "define it outside, and give it what it reads as arguments",
            )  # fmt: skip
