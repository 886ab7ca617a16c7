"""What a reversible function is made of: statements that all have an inverse.

    block     ::=  statement ..
    statement ::=  Pure       statements that write only fresh locals; evaluated again backwards
                |  Update     t += e, t -= e, t *= e, t /= e, t ^= e
                |  Exchange   a, b = b, a
                |  Change     x = f(x), of which the inverse is known
                |  CallStep   a call of a reversible function
                |  Ancilla, Release     the beginning and the end of a local that is updated
                |  Loop, Branch, Since  with blocks
                |  Outside    statements that run in both directions

Expressions are nodes of Python's syntax tree, in their places in the user's file.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

__all__ = [
    "Ancilla", "Assumed", "Block", "Branch", "CallStep", "Change", "Exchange", "Loop", "Outside",
    "Pairs", "Pure", "Release", "Reversed", "Since", "Statement", "Unknown", "Update",
]  # fmt: skip

Pairs = tuple[tuple[ast.expr, ast.expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pure:
    """Statements that write only fresh locals, which they may define in several steps.

    `writes` are these locals, `defines` those of them that do not depend on what they were before.
    `reads` are what they read, or change parts of, before they have given it a value.
    """

    node: ast.stmt
    body: tuple[ast.stmt, ...]
    reads: frozenset[str]
    writes: frozenset[str]
    defines: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """`target op= value`; `rebinding` where it is written `target = target op value`.

    `apart` are elements and slices that it reads of the array that it writes: they have to be
    others.
    """

    node: ast.stmt
    target: ast.expr
    op: ast.operator
    value: ast.expr
    rebinding: bool = False
    apart: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """`targets = sources`, the same places in another order; pairs in `apart` have to be two."""

    node: ast.stmt
    targets: tuple[ast.expr, ...]
    sources: tuple[ast.expr, ...]
    apart: Pairs = ()


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Places that become what `forward` gives of them; `backward` undoes it.

    Both are expressions that read the targets; of several targets they give a tuple. Pairs in
    `apart` have to be two places.
    """

    node: ast.stmt
    targets: tuple[ast.expr, ...]
    forward: ast.expr
    backward: ast.expr
    apart: Pairs = ()


@dataclass(frozen=True, slots=True)
class Assumed:
    """What a method is taken to change and to return by those who read a call of it, by the names
    of its parameters."""

    changed: tuple[str, ...]
    returned: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A function of which nothing is known: it is taken to leave its object as it is.

    `put` are the arguments that its result is put back to, by position or keyword.
    """

    put: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class CallStep:
    """`targets = function(*args)`, where the function is reversible, or its inverse if `inverted`.

    `positions` are the parameters of the arguments, those with keywords last, among `count`.
    `changed` are the arguments that the function changes; those in `arrays` it cannot give back as
    numbers. Pairs in `apart` have to be two places. A method of `receiver` has it as its first
    parameter, and has to be as `assumed`. The parameters `gathered` and `worded` are `*args` and
    `**kwargs`.
    """

    node: ast.stmt
    function: ast.expr
    args: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...]
    targets: ast.expr | None
    positions: tuple[int, ...]
    count: int
    changed: tuple[ast.expr, ...]
    inverted: bool = False
    arrays: tuple[ast.expr, ...] = ()
    apart: Pairs = ()
    receiver: ast.expr | None = None
    assumed: Assumed | Unknown | None = None
    gathered: int | None = None
    worded: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ancilla:
    """`name = value`: a local that is updated, and is `value` of a `Release` in the end."""

    node: ast.stmt
    name: str
    value: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """The end of an ancilla, which has this value."""

    node: ast.stmt
    name: str
    value: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`for target in range(*bounds)`, from the last index to the first if `backwards`."""

    node: ast.For
    target: str
    bounds: tuple[ast.expr, ...]
    backwards: bool
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """`if before: then; else: orelse`, after which `after` is what `before` was."""

    node: ast.If
    before: ast.expr
    after: ast.expr
    then: Block
    orelse: Block


@dataclass(frozen=True, slots=True, eq=False)
class Since:
    """`while going: body`; `start` is true at the beginning and false after each iteration."""

    node: ast.While
    start: ast.expr
    going: ast.expr
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Statements without derivative that run in both directions (`rg.irreversible`)."""

    node: ast.With
    body: tuple[ast.stmt, ...]


Statement = (
    Pure | Update | Exchange | Change | CallStep | Ancilla | Release | Loop | Branch | Since
    | Outside
)  # fmt: skip
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reversed:
    """A reversible function as it was read.

    `changed` are the parameters whose value or content is another one afterwards, `returned` the
    names of the result, None where the function returns nothing; `single` where it is a bare name.
    `arrays` are the changed parameters that have to be arrays, as they are not returned. `locals`
    are all its variables.
    """

    node: ast.FunctionDef
    parameters: tuple[str, ...]
    body: Block
    changed: tuple[str, ...]
    returned: tuple[str, ...] | None
    single: bool
    arrays: tuple[str, ...]
    locals: frozenset[str]
