"""Calls of reversible functions as statements of others."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from retrograd.errors import UserError
from retrograd.inversion.complaints import Complaints
from retrograd.inversion.places import Meeting, meeting, root_of, same, text
from retrograd.inversion.statements import Assumed, CallStep, Unknown

__all__ = ["Callee", "Method", "Resolver", "call_step"]

Call = ast.Expr | ast.Assign


class Callee(Protocol):
    """What is known of a reversible function by its callers."""

    @property
    def parameters(self) -> tuple[str, ...]: ...
    @property
    def changed(self) -> tuple[str, ...]: ...
    @property
    def returned(self) -> tuple[str, ...] | None: ...
    @property
    def gathered(self) -> int | None: ...
    @property
    def worded(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Method:
    """A reversible function as a method of an object, its first argument.

    Where `callee` is not known, it is taken to leave the object as it is. The method of an object
    of another class may be another one: `fixed` says that it cannot.
    """

    receiver: ast.expr
    callee: Callee | None = None
    fixed: bool = False


class Resolver(Protocol):
    """Says what expressions of global names stand for."""

    def __call__(self, node: ast.AST) -> object:
        """The object; None where it is not known."""
        ...

    def is_reversible(self, node: ast.AST) -> bool:
        """Whether it is a reversible function, or its inverse."""
        ...

    def callee(self, node: ast.AST) -> Callee | None:
        """The reversible function that it is; None for another object."""
        ...

    def method(self, node: ast.AST) -> Method | None:
        """The method of an object that it is, or may be."""
        ...

    def is_known(self, node: ast.AST) -> bool:
        """Whether an expression stands for an object that is there."""
        ...

    def inverted(self, node: ast.AST) -> ast.expr | None:
        """`f` in `rg.inverse(f)` and `f.inverse`; None of another expression."""
        ...


@dataclass(frozen=True, slots=True)
class _Given:
    """The arguments of a call, by the callee's parameters where these are known."""

    places: tuple[ast.expr, ...]
    by_name: Mapping[str, Sequence[ast.expr]] = field(default_factory=dict[str, Sequence[ast.expr]])


def call_step(stm: Call, resolve: Resolver, complaints: Complaints) -> CallStep | None:
    """A statement as a call of a reversible function; None where it is no such call.

    Of a function that is not known here, such as a method of an object of another class, every
    argument that is a place counts as changed.

    Raises:
        UserError: the result is not put back where it comes from, or arguments overlap.
    """
    value = stm.value
    assert isinstance(value, ast.Call)
    inner = resolve.inverted(value.func)
    function = value.func if inner is None else inner
    method = resolve.method(function)
    callee = resolve.callee(function) if method is None else method.callee
    if callee is None and resolve.is_known(function):
        return None
    first = () if method is None else (method.receiver,)
    args = (*first, *value.args)
    every = (*args, *(k.value for k in value.keywords))
    positions = _positions(stm, callee, args, value.keywords, complaints)
    if callee is None:
        given = _Given(every)
        changed = tuple(arg for arg in every[len(first) :] if root_of(arg) is not None)
    else:
        given = _Given(every, _bound(callee.parameters, positions, every))
        changed = tuple(a for name in callee.changed for a in given.by_name.get(name, ()))
    for arg in changed:
        if root_of(arg) is None:
            raise complaints.error(
                "RG0506", f"{text(value.func)!r} changes its argument {text(arg)}, which is no "
                "variable", stm, "give it a variable, an element or a slice",
            )  # fmt: skip
    targets = stm.targets[0] if isinstance(stm, ast.Assign) else None
    _put_back(stm, targets, callee, given, complaints)
    arrays = () if targets is not None or callee is None else _unreturned(callee, given)
    count = len(every) if callee is None else len(callee.parameters)
    return CallStep(
        stm, function, tuple(value.args), tuple(value.keywords), targets, positions, count, changed,
        inner is not None, arrays, _overlaps(stm, every, changed, complaints),
        None if method is None else method.receiver, _assumed(method, callee, value, targets),
        None if callee is None else callee.gathered, None if callee is None else callee.worded,
    )  # fmt: skip


def _assumed(
    method: Method | None, callee: Callee | None, call: ast.Call, targets: ast.expr | None
) -> Assumed | Unknown | None:
    """What is taken for granted of a function that may be another one."""
    if callee is None:
        return Unknown(None if targets is None else _put(call, targets))
    if method is None or method.fixed:
        return None
    return Assumed(callee.changed, callee.returned)


def _put(call: ast.Call, targets: ast.expr) -> tuple[str, ...]:
    """The arguments that targets are, by position or keyword."""
    given = [(str(k), arg) for k, arg in enumerate(call.args)]
    given += [(k.arg or "", k.value) for k in call.keywords]
    every = targets.elts if isinstance(targets, ast.Tuple) else [targets]
    return tuple(next(name for name, arg in given if same(arg, target)) for target in every)


def _positions(
    stm: Call, callee: Callee | None, args: Sequence[ast.expr], keywords: Sequence[ast.keyword],
    complaints: Complaints,
) -> tuple[int, ...]:  # fmt: skip
    """The parameter of each argument; of a function that is not known, they are taken in order.

    Raises:
        UserError: an argument is spread over parameters.
    """
    if callee is None:
        names, gathered, worded = (), None, None
    else:
        names, gathered, worded = callee.parameters, callee.gathered, callee.worded
    found: list[int] = []
    for k, arg in enumerate(args):
        if isinstance(arg, ast.Starred) and (gathered is None or k < gathered):
            raise _spread(stm, arg, complaints)
        found.append(k if gathered is None else min(k, gathered))
        if callee is not None and found[-1] >= len(names):
            raise complaints.error(
                "RG0108", f"`{text(stm)}` gives more arguments than there are parameters", stm,
                f"give it {', '.join(names) or 'none'}",
            )  # fmt: skip
    for k, keyword in enumerate(keywords, len(args)):
        if keyword.arg is None:
            raise _spread(stm, keyword.value, complaints)
        known = keyword.arg in names
        found.append(names.index(keyword.arg) if known else k if worded is None else worded)
    return tuple(found)


def _spread(stm: Call, arg: ast.expr, complaints: Complaints) -> UserError:
    return complaints.error(
        "RG0506", f"`{text(stm)}` spreads {text(arg)} over several parameters, which may change",
        stm, "give the function its arguments one by one: f(pair[0], pair[1])",
    )  # fmt: skip


def _bound(
    parameters: Sequence[str], positions: Sequence[int], every: Sequence[ast.expr]
) -> dict[str, Sequence[ast.expr]]:
    """Arguments by parameters; several of `*args` and `**kwargs`, and of what is no parameter."""
    found: dict[str, list[ast.expr]] = {}
    for position, arg in zip(positions, every, strict=True):
        name = parameters[position] if position < len(parameters) else ""
        found.setdefault(name, []).append(arg)
    return dict(found)


def _unreturned(callee: Callee, given: _Given) -> tuple[ast.expr, ...]:
    """Arguments that change and are not put back: they have to be arrays."""
    names = [n for n in callee.changed if n in (callee.returned or ())]
    return tuple(arg for name in names for arg in given.by_name.get(name, ()))


def _put_back(
    stm: Call, targets: ast.expr | None, callee: Callee | None, given: _Given,
    complaints: Complaints,
) -> None:  # fmt: skip
    if targets is None:
        return
    every = targets.elts if isinstance(targets, ast.Tuple) else [targets]
    if callee is None:
        fits = all(any(same(target, arg) for arg in given.places) for target in every)
    else:
        found = [given.by_name.get(name, ()) for name in callee.returned or ()]
        fits = len(found) == len(every) and all(
            len(args) == 1 and same(target, args[0])
            for target, args in zip(every, found, strict=True)
        )
    if not fits:
        raise complaints.error(
            "RG0506", f"`{text(stm)}` does not put back what is returned where it comes from", stm,
            "assign the result to the arguments that it is: y = f(y, x)",
        )  # fmt: skip


def _overlaps(
    stm: Call, every: Sequence[ast.expr], changed: Sequence[ast.expr], complaints: Complaints
) -> tuple[tuple[ast.expr, ast.expr], ...]:
    """Pairs of arguments that may be one, of which one changes."""
    apart: list[tuple[ast.expr, ast.expr]] = []
    for one in changed:
        for other in every:
            if other is one or root_of(other) is None:
                continue
            if other in changed and (other, one) in apart:
                continue
            match meeting(one, other):
                case Meeting.ALWAYS:
                    raise complaints.error(
                        "RG0502", f"`{text(stm)}` gives {text(one)}, which it changes, twice", stm,
                        "give it a copy of what is only read: x.copy()",
                    )  # fmt: skip
                case Meeting.PERHAPS:
                    apart.append((one, other))
                case _:
                    pass
    return tuple(apart)
