"""Places in an expression: what it reads of local variables, and whether two of them may be one.

A place is a name followed by attributes and indices: `x`, `x[i]`, `p.mass[2:]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from enum import Enum

from retrograd.inversion.keys import keys_of, same_axes

__all__ = [
    "COPIES", "MUTATORS", "Meeting", "bound_by", "meeting", "names_read", "parameters_of", "reads",
    "root_of", "same", "text", "written",
]  # fmt: skip

COPIES = frozenset(("T", "flat", "imag", "real"))
"""Attributes of arrays that are parts of them, and copies in compiled code."""

_CONVERSIONS = frozenset(("floats",))
_SHAPES = frozenset(("dtype", "itemsize", "nbytes", "ndim", "shape", "size"))
MUTATORS = frozenset((
    "append", "clear", "extend", "fill", "insert", "partition", "pop", "remove", "resize",
    "setfield", "setflags", "sort",
))  # fmt: skip
"""Methods that change what they belong to."""

_WITHOUT_CONTENT = frozenset(("isinstance", "len", "type"))
_Scoped = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class Meeting(Enum):
    """Whether two places of one variable have something in common."""

    NEVER = "never"
    ALWAYS = "always"
    PERHAPS = "perhaps"


def text(node: ast.AST) -> str:
    """A node as Python text."""
    return ast.unparse(node)


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes are written in the same way."""
    return text(one) == text(other)


def root_of(node: ast.AST) -> str | None:
    """The variable that a place is part of; None for what is no place."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def reads(node: ast.AST | None, local: frozenset[str]) -> list[ast.expr]:
    """The places of local variables whose content an expression, or a statement, reads.

    Each is as long as its indices allow outside of the expression: inside of a comprehension that
    is less than is read. What a `def` or `lambda` reads when it is called counts as well.
    """
    return [] if node is None else list(_reads(node, local, frozenset()))


def names_read(node: ast.AST | None, local: frozenset[str]) -> frozenset[str]:
    """The local variables whose content an expression or a statement reads."""
    found = (root_of(place) for place in reads(node, local))
    return frozenset(name for name in found if name is not None)


def bound_by(target: ast.AST) -> frozenset[str]:
    """The names in a target that are bound as a whole."""
    match target:
        case ast.Name():
            return frozenset((target.id,))
        case ast.Tuple() | ast.List():
            return frozenset(n for item in target.elts for n in bound_by(item))
        case ast.Starred():
            return bound_by(target.value)
        case _:
            return frozenset()


def _reads(node: ast.AST, local: frozenset[str], inner: frozenset[str]) -> Iterator[ast.expr]:
    match node:
        case ast.Name() | ast.Subscript() | ast.Attribute():
            yield from _place(node, local, inner, isinstance(node.ctx, ast.Load))
        case ast.Call(func=ast.Name(id=name)) if name in _WITHOUT_CONTENT - local:
            for arg in node.args:
                if root_of(arg) is None:
                    yield from _reads(arg, local, inner)
        case ast.Call(func=ast.Attribute() as method):
            yield from _reads(method.value, local, inner)
            for child in (*node.args, *(k.value for k in node.keywords)):
                yield from _reads(child, local, inner)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _comprehension(node, local, inner)
        case ast.Lambda() | ast.FunctionDef():
            own = inner | parameters_of(node.args)
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            for child in (*node.args.defaults, *body):
                yield from _reads(child, local, own)
        case ast.AugAssign():
            yield from _place(node.target, local, inner, True)
            yield from _reads(node.value, local, inner)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _reads(child, local, inner)


def parameters_of(args: ast.arguments) -> frozenset[str]:
    """The names of the parameters of a function."""
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return frozenset(a.arg for a in every if a is not None)


def _comprehension(
    node: _Scoped, local: frozenset[str], inner: frozenset[str]
) -> Iterator[ast.expr]:
    for generator in node.generators:
        yield from _reads(generator.iter, local, inner)
        inner = inner | bound_by(generator.target)
        for condition in generator.ifs:
            yield from _reads(condition, local, inner)
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    for part in parts:
        yield from _reads(part, local, inner)


def _place(
    node: ast.expr, local: frozenset[str], inner: frozenset[str], content: bool
) -> Iterator[ast.expr]:
    """What is read of a place: its indices, and its content unless it is only written."""
    chain: list[ast.expr] = [node]
    while isinstance(chain[-1], ast.Subscript | ast.Attribute):
        chain.append(chain[-1].value)
    root = chain[-1]
    for part in chain:
        if isinstance(part, ast.Subscript):
            yield from _reads(part.slice, local, inner)
    if not isinstance(root, ast.Name):
        yield from _reads(root, local, inner)
        return
    if root.id not in local or root.id in inner or not content:
        return
    known: ast.expr = root
    for part in reversed(chain[:-1]):
        if isinstance(part, ast.Attribute) and part.attr in _SHAPES:
            return
        if isinstance(part, ast.Subscript) and _mentions(part.slice, inner):
            break
        if isinstance(part, ast.Attribute) and part.attr in _CONVERSIONS:
            break
        known = part
    yield known


def _mentions(node: ast.AST, names: frozenset[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def written(node: ast.AST) -> Iterator[ast.expr]:
    """The places that a statement writes, and those inside of it; not inside of functions."""
    for target in _assigned(node):
        yield from _targets(target)
    if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from written(child)


def _assigned(node: ast.AST) -> Sequence[ast.expr]:
    """The targets of one node."""
    match node:
        case ast.Assign() | ast.Delete():
            return node.targets
        case ast.AugAssign() | ast.AnnAssign() | ast.NamedExpr() | ast.For():
            return [node.target]
        case ast.With():
            return [i.optional_vars for i in node.items if i.optional_vars is not None]
        case ast.FunctionDef() | ast.ClassDef():
            return [ast.copy_location(ast.Name(node.name, ast.Store()), node)]
        case ast.Call(func=func, keywords=keywords):
            found = [k.value for k in keywords if k.arg == "out" and root_of(k.value) is not None]
            if isinstance(func, ast.Attribute) and func.attr in MUTATORS:
                found += [func.value] if root_of(func.value) is not None else []
            return found
        case _:
            return []


def _targets(target: ast.expr) -> Iterator[ast.expr]:
    match target:
        case ast.Tuple() | ast.List():
            for item in target.elts:
                yield from _targets(item)
        case ast.Starred():
            yield from _targets(target.value)
        case _:
            yield target


def meeting(one: ast.expr, other: ast.expr) -> Meeting:
    """Whether two places have something in common, whatever their indices are."""
    if root_of(one) != root_of(other):
        return Meeting.NEVER
    found = Meeting.ALWAYS
    for a, b in zip(_keys(one), _keys(other), strict=False):
        match _keys_meet(a, b):
            case Meeting.NEVER:
                return Meeting.NEVER
            case Meeting.PERHAPS:
                found = Meeting.PERHAPS
            case _:
                pass
    return found


def _keys(node: ast.expr) -> list[str | ast.expr]:
    keys: list[str | ast.expr] = []
    while isinstance(node, ast.Subscript | ast.Attribute):
        keys.append(node.attr if isinstance(node, ast.Attribute) else node.slice)
        node = node.value
    return keys[::-1]


def _keys_meet(a: str | ast.expr, b: str | ast.expr) -> Meeting:
    if isinstance(a, str) or isinstance(b, str):
        if isinstance(a, str) and isinstance(b, str) and not {a, b} & COPIES:
            return Meeting.ALWAYS if a == b else Meeting.NEVER
        return Meeting.PERHAPS
    if same(a, b):
        return Meeting.ALWAYS
    pairs = same_axes(keys_of(a), keys_of(b))
    if pairs is None:
        return Meeting.PERHAPS
    met = [_indices_meet(x, y) for _, x, y in pairs]
    if Meeting.NEVER in met:
        return Meeting.NEVER
    return Meeting.PERHAPS if Meeting.PERHAPS in met else Meeting.ALWAYS


def _indices_meet(a: ast.expr, b: ast.expr) -> Meeting:
    if same(a, b):
        return Meeting.ALWAYS
    match a, b:
        case ast.Constant(value=str()), ast.Constant(value=str()):
            return Meeting.NEVER
        case _:
            pass
    one, other = _range(a), _range(b)
    if one is None or other is None:
        return Meeting.PERHAPS
    return Meeting.ALWAYS if set(one) & set(other) else Meeting.NEVER


def _range(node: ast.expr) -> range | None:
    """The indices that a constant index or slice stands for, if they do not count from the end."""
    match node:
        case ast.Constant(value=k) if type(k) is int and k >= 0:
            return range(k, k + 1)
        case ast.Slice():
            low, high = _constant(node.lower, 0), _constant(node.upper, None)
            step = _constant(node.step, 1)
            if low is None or high is None or step is None or min(low, high, step - 1) < 0:
                return None
            return range(low, high, step)
        case _:
            return None


def _constant(node: ast.expr | None, absent: int | None) -> int | None:
    if node is None:
        return absent
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
