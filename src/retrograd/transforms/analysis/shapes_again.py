"""The extents in a function that has been looked at before: what its surroundings say is compared.

A walk over a function (`shapes_among`) depends on the function, on what is known of its parameters,
and on what its surroundings answer. Between two passes most functions stay as they are, and of
those it is enough to ask the same again. Where an answer is another one, the function is walked
over with the answers that there are by then: so surroundings are asked nothing twice, and learn
from a walk that is spared what they would have learnt from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from retrograd.ir.terms import Call, Function, Jvp, Prim, Vjp
from retrograd.prims.core import PrimitiveSet
from retrograd.records import Itself, quickly_made
from retrograd.transforms.analysis.shapes import (
    Extent,
    Extents,
    Known,
    Shapes,
    Surroundings,
    shapes_among,
)

__all__ = ["shapes_again"]

_Answer = tuple[Extents, ...] | None
_Question = Callable[[Surroundings], _Answer]


@quickly_made
@dataclass(frozen=True, slots=True)
class _Walked:
    """What was asked in a walk, in order, with the answers, and what was found."""

    asked: list[tuple[_Question, _Answer]]
    found: Shapes


@quickly_made
@dataclass(slots=True)
class _Noting:
    """Surroundings that note what they are asked; the first answers are `given`."""

    around: Surroundings
    given: Iterator[_Answer]
    asked: list[tuple[_Question, _Answer]] = field(default_factory=list[tuple[_Question, _Answer]])

    def noted(self, question: _Question) -> _Answer:
        try:
            answer = next(self.given)
        except StopIteration:
            answer = question(self.around)
        self.asked.append((question, answer))
        return answer

    def called(self, expr: Call | Jvp | Vjp, args: tuple[Extents, ...]) -> tuple[Extents, ...]:
        return self.noted(partial(_called, expr, args)) or ()

    def pushed(self, expr: Prim, args: tuple[Extents, ...]) -> None:
        self.noted(partial(_pushed, expr, args))

    def popped(self, expr: Prim) -> tuple[Extents, ...]:
        return self.noted(partial(_popped, expr)) or ()


def _called(
    expr: Call | Jvp | Vjp, args: tuple[Extents, ...], around: Surroundings
) -> tuple[Extents, ...]:
    return around.called(expr, args)


def _pushed(expr: Prim, args: tuple[Extents, ...], around: Surroundings) -> None:
    around.pushed(expr, args)


def _popped(expr: Prim, around: Surroundings) -> tuple[Extents, ...]:
    return around.popped(expr)


def shapes_again(
    function: Function,
    prims: PrimitiveSet,
    equal: Known,
    around: Surroundings,
    plural: frozenset[Extent],
) -> Shapes:
    """`shapes_among`, without a walk where the last one with the same would go the same way."""
    key = "walked", Itself(prims), frozenset(equal.items()), plural
    last: _Walked | None = function.known.get(key)
    answers: list[_Answer] = []
    if last is not None:
        for question, answer in last.asked:
            answers.append(question(around))
            if answers[-1] != answer:
                break
        else:
            return last.found
    noting = _Noting(around, iter(answers))
    found = shapes_among(function, prims, equal, noting, plural=plural)
    function.known[key] = _Walked(noting.asked, found)
    return found
