"""Continuations and states of the evaluator in continuation-passing style, as data.

A continuation says what is done with the values of a statement, an iteration or a call, and holds
the variables that this needs; `then` is what comes after, None at the end of the run. A state is
what is done next, with the continuation after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrograd.backends.cps.code import Code, Part
from retrograd.backends.cps.sums import OpenSum
from retrograd.ir.terms import Call, For, While
from retrograd.transforms.points.cost_model import CallPlace

__all__ = [
    "Again", "Calling", "Conditional", "Counted", "Entered", "Env", "Give", "Head", "Leave",
    "Rest", "Returned", "Run", "State", "Test", "Tested", "Then", "Turn", "Values", "carried",
    "is_point",
]  # fmt: skip

Values = tuple[Any, ...]
Env = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """The rest of a block, from a part on, after the statement whose values are given."""

    code: Code
    part: int
    env: Env
    then: Then


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A counted loop: `env` is what its body needs from around it."""

    part: Part
    expr: For
    trips: int
    env: Env
    then: Then


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """The next iteration of a counted loop, after iteration number `k`."""

    loop: Counted
    k: int
    sums: tuple[OpenSum, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """A loop with a condition: `env` is what its blocks need from around it."""

    part: Part
    expr: While
    env: Env
    then: Then


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """An iteration of a loop with a condition, or its end, as the condition says."""

    loop: Conditional
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """The next test of a condition, after an iteration."""

    loop: Conditional


@dataclass(frozen=True, slots=True, eq=False)
class Leave:
    """The way back from a call of `callee` to what follows the call."""

    callee: str
    part: Part
    place: CallPlace
    then: Rest


Then = Rest | Turn | Tested | Again | Leave | None


# States. Those that can be points are the last four.


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A block from a part on; the environment is this state's own."""

    code: Code
    part: int
    env: dict[str, Any]
    then: Then


@dataclass(frozen=True, slots=True, eq=False)
class Give:
    """Values for a continuation."""

    values: Values
    then: Then


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """The condition of a loop that carries these values."""

    loop: Conditional
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """A counted loop after `k` iterations."""

    loop: Counted
    k: int
    values: Values
    sums: tuple[OpenSum, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Entered:
    """A loop with a condition whose condition holds."""

    loop: Conditional
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Calling:
    """A call that has its arguments."""

    part: Part
    expr: Call
    args: Values
    then: Rest


@dataclass(frozen=True, slots=True, eq=False)
class Returned:
    """The results of a recursive call."""

    part: Part
    place: int
    values: Values
    then: Rest


State = Run | Give | Test | Head | Entered | Calling | Returned


def carried(expr: For | While, values: Values) -> dict[str, Any]:
    """What a loop carries, by name."""
    return dict(zip((v.name for v in expr.carried), values, strict=True))


def is_point(state: State) -> bool:
    """Whether a run can stop before what this state does."""
    match state:
        case Head() | Entered():
            return state.loop.expr.point is not None
        case Calling() | Returned():
            return True
        case _:
            return False
