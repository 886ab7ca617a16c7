"""What the names in a reversible function stand for, as far as that is known when it is read."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getattr_static
from types import FunctionType, MethodType

from retrograd.frontend.identity.transformed import Reversible
from retrograd.inversion.calls import Callee, Method
from retrograd.inversion.places import root_of

__all__ = ["Names"]

_ABSENT = object()


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    args = node.args
    every = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
    return [arg for arg in every if arg is not None]


@dataclass(frozen=True, slots=True)
class Itself:
    """The function that is being read, as its own calls see it."""

    parameters: tuple[str, ...]
    changed: tuple[str, ...]
    returned: tuple[str, ...] | None
    gathered: int | None
    worded: int | None

    @staticmethod
    def of(node: ast.FunctionDef, guess: tuple[str, ...]) -> Itself:
        """From its syntax, and the parameters that it is taken to change."""
        match node.body[-1]:
            case ast.Return(value=ast.Name(id=name)):
                returned: tuple[str, ...] | None = (name,)
            case ast.Return(value=ast.Tuple(elts=items)):
                returned = tuple(item.id for item in items if isinstance(item, ast.Name))
            case _:
                returned = None
        args, names = node.args, tuple(a.arg for a in _arguments(node))
        gathered = None if args.vararg is None else names.index(args.vararg.arg)
        worded = None if args.kwarg is None else len(names) - 1
        return Itself(names, guess, returned, gathered, worded)


class Names:
    """Looks names up around a function; `guess` are the parameters that it is taken to change.

    `inverse` is the function that is public under that name, `owner` the class whose method the
    function is.
    """

    def __init__(
        self, fun: FunctionType, node: ast.FunctionDef, guess: tuple[str, ...],
        inverse: Callable[..., object], owner: type | None = None,
    ) -> None:  # fmt: skip
        self.fun, self.inverse, self.owner = fun, inverse, owner
        self.itself = Itself.of(node, guess)
        self.annotations = {a.arg: a.annotation for a in _arguments(node)}
        code = fun.__code__
        self.local = frozenset(code.co_varnames) | frozenset(code.co_cellvars)
        self.cells = dict(zip(code.co_freevars, fun.__closure__ or (), strict=True))

    def __call__(self, node: ast.AST) -> object:
        found = self._object(node)
        return None if found is _ABSENT else found

    def _object(self, node: ast.AST) -> object:
        match node:
            case ast.Name(id=name) if name not in self.local:
                return self._named(name)
            case ast.Attribute(value=value, attr=attr):
                holder = self._object(value)
                return _ABSENT if holder is _ABSENT else getattr(holder, attr, _ABSENT)
            case _:
                return _ABSENT

    def _named(self, name: str) -> object:
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:  # a cell that is empty as yet
                return _ABSENT
        found = self.fun.__globals__.get(name, _ABSENT)
        if found is _ABSENT:
            found = getattr(builtins, name, _ABSENT)
        return found

    def callee(self, node: ast.AST) -> Callee | None:
        """The reversible function that an expression stands for."""
        found = self._object(node)
        other = found if isinstance(found, Reversible) and found.fun is not self.fun else None
        own = isinstance(node, ast.Name) and node.id == self.fun.__name__
        return self.itself if own and other is None else other

    def method(self, node: ast.AST) -> Method | None:
        """The method of an object: of one whose class is known, of an object that is there, or of
        an object of which nothing is known."""
        if not isinstance(node, ast.Attribute):
            return None
        found = self._object(node)
        if isinstance(found, MethodType) and isinstance(found.__func__, Reversible):
            return Method(node.value, found.__func__, True)
        if found is not _ABSENT or root_of(node) is None:
            return None
        member = getattr_static(self._class(node.value), node.attr, None)
        if not isinstance(member, Reversible):
            return Method(node.value)
        own = member.fun is self.fun
        return Method(node.value, self.itself if own else member)

    def _class(self, node: ast.expr) -> object:
        """The class of a parameter: of the first one of a method, or by its annotation."""
        if not isinstance(node, ast.Name):
            return None
        if self.owner is not None and node.id == self.itself.parameters[0]:
            return self.owner
        annotation = self.annotations.get(node.id)
        found = None if annotation is None else self._object(annotation)
        return found if isinstance(found, type) else None

    def is_reversible(self, node: ast.AST) -> bool:
        """Whether a function is reversible, or the inverse of one."""
        inner = self.inverted(node)
        function = node if inner is None else inner
        method = self.method(function)
        found = self.callee(function) if method is None else method.callee
        return found is not None

    def is_known(self, node: ast.AST) -> bool:
        """Whether an expression stands for an object that is there."""
        return self._object(node) is not _ABSENT

    def inverted(self, node: ast.AST) -> ast.expr | None:
        """`f` in `rg.inverse(f)` and `f.inverse`; None of another expression."""
        match node:
            case ast.Call(func=func, args=[inner], keywords=[]) if self(func) is self.inverse:
                return inner
            case ast.Attribute(value=value, attr="inverse"):
                return value
            case _:
                return None
