"""What an expression is a function of: the places that it reads, each as a parameter."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrograd.inversion.places import COPIES, bound_by, parameters_of, reads, text
from retrograd.inversion.prepare import Fresh

__all__ = ["Around", "Leaf", "leaves_of", "may_be_item", "replaced"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place that an expression reads, and the parameter that stands for it."""

    place: ast.expr
    parameter: str


def leaves_of(
    expr: ast.expr, local: frozenset[str], fresh: Fresh, first: Sequence[ast.expr] = ()
) -> list[Leaf]:
    """The longest places that cover all that an expression reads of local variables.

    Those in `first` come first. Indices are left as they are: nothing is derived of them.
    """
    found: dict[str, ast.expr] = {text(place): place for place in first}
    indices = _in_indices(expr)
    for place in reads(expr, local):
        if id(place) not in indices:
            kept = _kept(place)
            found.setdefault(text(kept), kept)
    places = list(found.values())
    covered = [p for p in places if not any(_within(p, other) for other in places)]
    return [Leaf(place, fresh.name("u")) for place in covered]


def _kept(place: ast.expr) -> ast.expr:
    """A place as far as the cotangent can be changed there: `x` of `x.T[1]`, which is a copy."""
    inner = kept = place
    while isinstance(inner, ast.Subscript | ast.Attribute):
        if isinstance(inner, ast.Attribute) and inner.attr in COPIES:
            kept = inner.value
        inner = inner.value
    return kept


def _in_indices(expr: ast.expr) -> frozenset[int]:
    """All nodes inside of indices, by identity."""
    found: set[int] = set()
    for node in ast.walk(expr):
        if isinstance(node, ast.Subscript):
            found |= {id(inner) for inner in ast.walk(node.slice)}
    return frozenset(found)


def _within(one: ast.expr, other: ast.expr) -> bool:
    """Whether a place is a proper part of another one."""
    while isinstance(one, ast.Subscript | ast.Attribute):
        one = one.value
        if text(one) == text(other):
            return True
    return False


def may_be_item(place: ast.expr) -> bool:
    """Whether a place may be the item of a tuple: it has one index, which is no slice."""
    return isinstance(place, ast.Subscript) and not isinstance(place.slice, ast.Slice | ast.Tuple)


def replaced(expr: ast.expr, leaves: Sequence[Leaf]) -> ast.expr:
    """A copy of an expression with parameters for the leaves."""
    return _Replacing(leaves).visit(copy.deepcopy(expr))


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


class _Replacing(ast.NodeTransformer):
    """Writes parameters for leaves, `inner` are names of comprehensions and lambdas around."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self.names = {text(leaf.place): leaf.parameter for leaf in leaves}
        self.inner: frozenset[str] = frozenset()

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        outer = self.inner
        self.inner = outer | parameters_of(node.args)
        node.body = self.visit(node.body)
        self.inner = outer
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return self._comprehension(node)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> ast.expr:
        first, outer = node.generators[0], self.inner
        source = self.visit(first.iter)  # the first one is evaluated outside
        first.iter = ast.Constant(None)
        self.inner = outer.union(*(bound_by(generator.target) for generator in node.generators))
        self.generic_visit(node)
        first.iter, self.inner = source, outer
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self._place(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._place(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._place(node)

    def _place(self, node: ast.Subscript | ast.Attribute | ast.Name) -> ast.expr:
        name = None if _names(node) & self.inner else self.names.get(text(node))
        if name is not None and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        if isinstance(node, ast.Subscript | ast.Attribute):
            node.value = self.visit(node.value)
        return node


class Around(ast.NodeTransformer):
    """Writes expressions for parameters."""

    def __init__(self, around: Mapping[str, ast.expr]) -> None:
        self.around = around

    def visit_Name(self, node: ast.Name) -> ast.expr:
        made = self.around.get(node.id)
        return node if made is None else ast.copy_location(made, node)
