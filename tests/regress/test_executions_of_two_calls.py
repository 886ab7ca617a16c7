"""Checkpointed executions of two calls of one function got one name when they were inlined.

So they were one execution, with one rerun: the second half of a recursion recorded other values
than the first one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.driver import PLAIN


def two(x: Any) -> Any:
    return np.sin(np.sin(x))


def four(x: Any) -> Any:
    return two(rg.checkpoint(two)(x))


def eight(x: Any) -> Any:
    return four(rg.checkpoint(four)(x))


def sixteen(x: Any) -> Any:
    return np.sum(eight(rg.checkpoint(eight)(x)))


def test_each_call_is_an_execution_of_its_own() -> None:
    x = np.linspace(0.1, 1.0, 5)
    prepared = prepare(sixteen, [spec_of(x, "x")], {}, derivative=True)
    main = PLAIN.run(prepared.task.program, known()).main
    marks = [s.prov.checkpoints for s in stms_deep(main.body) if s.outs[0].type.rank]
    assert list(map(len, marks)) == [3, 3, 2, 2, 2, 2, 1, 1, 2, 2, 1, 1, 1, 1, 0, 0]
    names = [[mark.name for mark in of] for of in marks]
    first, second, third = names[0][:2], names[4][:2], names[8][:1]
    assert first != second
    assert len({*first, *second, *third, names[12][0]}) == 5
