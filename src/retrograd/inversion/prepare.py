"""Normal forms before a reversible function is read: names of views, loops over arrays."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from retrograd.frontend.identity.source import Name
from retrograd.inversion.complaints import Complaints
from retrograd.inversion.places import bound_by, root_of, written

__all__ = [
    "Fresh", "call", "counted_loop", "like", "load", "load_if_assigned", "modified", "store",
    "with_views",
]  # fmt: skip

T = TypeVar("T", bound=ast.AST)


class Fresh:
    """Names that the function does not use."""

    def __init__(self, taken: frozenset[str]) -> None:
        self.taken = set(taken)

    def name(self, hint: str) -> str:
        """A new name."""
        name, k = hint, 1
        while name in self.taken:
            name, k = f"{hint}_{k}", k + 1
        self.taken.add(name)
        return name


def like(made: T, node: ast.AST) -> T:
    """A new node at the place of another, with all that is in it."""
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and "lineno" not in vars(inner):
            ast.copy_location(inner, node)
    return made


def load(name: str, node: ast.AST) -> ast.Name:
    """A name that is read."""
    return like(ast.Name(name, ast.Load()), node)


def load_if_assigned(name: str, node: ast.AST) -> ast.Name:
    """A name that is read where it need not have been assigned, for what nobody uses then."""
    return like(Name(name, ast.Load()), node)


def store(name: str, node: ast.AST) -> ast.Name:
    """A name that is assigned."""
    return like(ast.Name(name, ast.Store()), node)


def call(name: str, node: ast.AST, *args: ast.expr) -> ast.Call:
    """A call of a name."""
    return like(ast.Call(load(name, node), list(args), []), node)


def counted_loop(
    node: ast.For, fresh: Fresh, complaints: Complaints
) -> tuple[str, tuple[ast.expr, ...], bool, list[ast.stmt]]:
    """A loop as one over a range: its variable, the bounds, whether it is reversed, and the body.

    Elements of arrays become definitions at the head of the body.
    """
    if node.orelse:
        raise complaints.without_inverse(
            node.orelse[0], "it belongs to the `else` of a loop", "write it after the loop"
        )
    match node.iter:
        case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]):
            if isinstance(node.target, ast.Name):
                return node.target.id, tuple(bounds), False, node.body
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call() as inner], keywords=[]):
            ranged = isinstance(inner.func, ast.Name) and inner.func.id == "range"
            if ranged and isinstance(node.target, ast.Name):
                return node.target.id, tuple(inner.args), True, node.body
        case _:
            pass
    index = fresh.name("k")
    heads, arrays = _elements(node.target, node.iter, index, fresh)
    if heads is None:
        raise complaints.without_inverse(
            node, "what it goes through is not known to be the same on the way back",
            "loop over range, reversed(range), an array, enumerate or zip of arrays",
        )  # fmt: skip
    length = call("len", node.iter, copy.deepcopy(arrays[0]))
    for other in arrays[1:]:
        length = call("min", node.iter, length, call("len", node.iter, copy.deepcopy(other)))
    return index, (length,), False, [*heads, *node.body]


def _elements(
    target: ast.expr, source: ast.expr, index: str, fresh: Fresh
) -> tuple[list[ast.stmt] | None, list[ast.expr]]:
    """The definitions of loop variables as elements, and the arrays that they are of."""
    match source:
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner], keywords=[]):
            if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                heads, arrays = _elements(target.elts[1], inner, index, fresh)
                if heads is not None:
                    first = ast.Assign([target.elts[0]], load(index, source))
                    return [like(first, target), *heads], arrays
        case ast.Call(func=ast.Name(id="zip"), args=args, keywords=[]) if args:
            if isinstance(target, ast.Tuple) and len(target.elts) == len(args):
                every = [_elements(t, a, index, fresh) for t, a in zip(target.elts, args)]  # noqa: B905
                heads = [head for found, _ in every if found is not None for head in found]
                if all(found is not None for found, _ in every):
                    return heads, [array for _, arrays in every for array in arrays]
        case ast.Call(func=ast.Name(id="reversed"), args=[inner], keywords=[]):
            if root_of(inner) is not None:
                last = ast.BinOp(call("len", source, inner), ast.Sub(), load(index, source))
                place = ast.BinOp(last, ast.Sub(), ast.Constant(1))
                element = ast.Subscript(inner, place, ast.Load())
                return [like(ast.Assign([target], element), target)], [inner]
        case ast.Name() | ast.Attribute() | ast.Subscript():
            element = ast.Subscript(source, load(index, source), ast.Load())
            return [like(ast.Assign([target], element), target)], [source]
        case _:
            pass
    return None, []


@dataclass(slots=True)
class _Views(ast.NodeTransformer):
    """Writes places for the names of views."""

    places: dict[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.places:
            return node
        place = copy.deepcopy(self.places[node.id])
        if isinstance(place, ast.Subscript | ast.Attribute | ast.Name):
            place.ctx = node.ctx
        return ast.copy_location(place, node)


def with_views(body: Sequence[ast.stmt], parameters: frozenset[str]) -> list[ast.stmt]:
    """The statements, where names of parts of parameters that are changed are these parts.

    `b = x[k:]` makes a name of a part of x: `b += e` changes x. Nothing is done to names that are
    assigned more than once, or made of what is assigned later.
    """
    made = list(body)
    while True:
        found = next(_views(made, parameters), None)
        if found is None:
            return made
        node, name, place = found
        views = _Views({name: place})
        made = [views.visit(_Without(node).visit(stm)) for stm in made]


class _Without(ast.NodeTransformer):
    """A copy of a statement in which another one is `pass`."""

    def __init__(self, gone: ast.stmt) -> None:
        self.gone = gone

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.gone:
            return ast.copy_location(ast.Pass(), node)
        made = copy.copy(node)
        for name, held in ast.iter_fields(node):
            setattr(made, name, self._copied(held))
        return made

    def _copied(self, held: object) -> object:
        if isinstance(held, list):
            return [self._copied(one) for one in cast("list[object]", held)]
        return self.visit(held) if isinstance(held, ast.AST) else held


def modified(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names whose value is changed in place, or may be by a call that is a statement."""
    found: set[str | None] = set()
    for stm in body:
        for node in ast.walk(stm):
            match node:
                case ast.AugAssign():
                    found.add(root_of(node.target))
                case ast.Expr(value=ast.Call() as called) | ast.Assign(value=ast.Call() as called):
                    if isinstance(node, ast.Expr) or _given_back(node, called):
                        found |= {root_of(arg) for arg in called.args}
                case _:
                    pass
        found |= {root_of(place) for place in written(stm) if not isinstance(place, ast.Name)}
    return frozenset(name for name in found if name is not None)


def _given_back(node: ast.AST, called: ast.Call) -> bool:
    """Whether an assignment gives names back that its call is given."""
    assert isinstance(node, ast.Assign)
    targets = {root_of(place) for place in written(node)}
    return bool(targets & {root_of(arg) for arg in called.args})


def _views(
    body: Sequence[ast.stmt], parameters: frozenset[str]
) -> Iterator[tuple[ast.stmt, str, ast.expr]]:
    nodes = [node for stm in body for node in ast.walk(stm)]
    assigned = Counter(
        name
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in bound_by(target)
    )
    changed = modified(body)
    moving = assigned.keys() | changed
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=place):
                pass
            case _:
                continue
        once = assigned[name] == 1 and name in changed and name not in parameters
        part = once and root_of(place) in parameters and _is_part(place)
        if part and not any(_mentions(key, moving) for key in _indices(place)):
            yield node, name, place


def _indices(place: ast.expr) -> Iterator[ast.expr]:
    while isinstance(place, ast.Subscript | ast.Attribute):
        if isinstance(place, ast.Subscript):
            yield place.slice
        place = place.value


def _mentions(node: ast.AST, names: Container[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def _is_part(place: ast.expr) -> bool:
    """Whether a place is a view for sure: an index or an attribute may give a number, a copy."""
    if not isinstance(place, ast.Subscript) or root_of(place) is None:
        return False
    keys = place.slice.elts if isinstance(place.slice, ast.Tuple) else [place.slice]
    return any(isinstance(key, ast.Slice) for key in keys)
