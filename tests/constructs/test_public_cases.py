"""Public cases of derivatives of parallel programs: each in both modes, native and interpreted.

The numbers are facts of the tests of the public Futhark repository (diku-dk/futhark, commit
48a0c814); the programs are written anew. Native code and the interpreter give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.constructs.cases.case import PublicCase
from tests.constructs.cases.every import CASES, COUNT
from tests.random.calculus import Calculus, Interpreted, Native

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Products = tuple[Numbers, Numbers]
"""A value, and what the derivative makes of seeds: a row for each."""

NATIVE, INTERPRETED = Native(), Interpreted()


PROGRAMS = {
    case.name if program is case.program else f"{case.name}-{program.__name__}": replace(
        case, program=program
    )
    for case in CASES
    for program in (case.program, *case.also)
}


@pytest.fixture(params=PROGRAMS.values(), ids=PROGRAMS)
def case(request: pytest.FixtureRequest) -> PublicCase:
    return request.param


def flat(value: Any) -> Numbers:
    """All numbers of a tree; a cotangent that does not exist is zero."""
    if isinstance(value, tuple):
        return np.concatenate([flat(one) for one in value])
    return np.ravel(0.0 if value is None else value).astype(np.float64)


def like(value: Any, parts: Numbers) -> Any:
    """A tree of floats with the structure of a value; from the front of `parts`."""
    if isinstance(value, tuple):
        sizes = np.cumsum([0] + [len(flat(one)) for one in value])
        return tuple([like(one, parts[k:]) for one, k in zip(value, sizes, strict=False)])
    size = np.size(value)
    return parts[:size].reshape(np.shape(value)) if np.ndim(value) else float(parts[0])


def differentiated(case: PublicCase) -> tuple[Any, ...]:
    return tuple([case.args[k] for k in case.wrt])


def pushed(calculus: Calculus, case: PublicCase, tangents: Numbers) -> Products:
    """The value, and the products of the Jacobian with tangents."""
    rows = []
    value = None
    for tangent in tangents:
        dots = [like(a, np.zeros(np.size(a))) for a in case.args]
        for k, dot in zip(case.wrt, like(differentiated(case), tangent), strict=True):
            dots[k] = dot
        value, dot = calculus.jvp(case.program, case.args, tuple(dots))
        rows.append(flat(dot))
    return flat(value), np.array(rows)


def pulled(calculus: Calculus, case: PublicCase, cotangents: Numbers | None) -> Products:
    """The value, and the products of cotangents with the Jacobian."""
    value, pullback = calculus.vjp(case.program, case.args)
    rows = []
    for cotangent in np.eye(len(flat(value))) if cotangents is None else cotangents:
        bars = pullback(like(value, cotangent))
        rows.append(flat(tuple([bars[k] for k in case.wrt])))
    return flat(value), np.array(rows)


def forward(calculus: Calculus, case: PublicCase) -> Products:
    """By the mode that has columns: those of the case, or all."""
    size = len(flat(differentiated(case)))
    if case.compared == "columns" and case.seeds is not None:
        return pushed(calculus, case, np.reshape(case.seeds, (-1, size)).astype(np.float64))
    return pushed(calculus, case, np.eye(size))


def reverse(calculus: Calculus, case: PublicCase) -> Products:
    """By the mode that has rows: those of the case, or all."""
    if case.compared == "rows" and case.seeds is not None:
        size = len(flat(case.program(*case.args)))
        return pulled(calculus, case, np.reshape(case.seeds, (-1, size)).astype(np.float64))
    return pulled(calculus, case, None)


def assert_close(found: Numbers, want: Any, case: PublicCase) -> None:
    np.testing.assert_allclose(found, want, rtol=case.rtol, atol=case.atol)


def expect(case: PublicCase, products: Numbers) -> None:
    """The products with the seeds of a case, against what it expects."""
    parts = differentiated(case) if case.compared == "rows" else case.program(*case.args)
    parts = parts if isinstance(parts, tuple) else (parts,)
    at = 0
    for part, want in zip(parts, case.expected, strict=True):
        size = np.size(part)
        found = products[:, at : at + size]
        assert_close(found, np.reshape(want, found.shape), case)
        at += size
    assert at == products.shape[1]


def summarised(case: PublicCase, jacobian: Numbers) -> None:
    found = {
        "sum": np.sum(jacobian), "nonzeros": np.count_nonzero(jacobian),
        "max": np.max(jacobian), "l2": np.linalg.norm(jacobian),
    }  # fmt: skip
    for name, want in case.summary.items():
        np.testing.assert_allclose(found[name], want, rtol=1e-12, err_msg=name)


def in_both_calculi(mode: Callable[[Calculus, PublicCase], Products], case: PublicCase) -> Numbers:
    """The products of a mode: the same bits natively and interpreted, beside the right value."""
    value, products = mode(NATIVE, case)
    for found, same in zip(mode(INTERPRETED, case), (value, products), strict=True):
        assert found.tobytes() == same.tobytes()
    assert_close(value, flat(case.program(*case.args)), case)
    return products


def test_all_are_there() -> None:
    assert len(CASES) == COUNT
    assert len({case.name for case in CASES}) == COUNT


def test_what_differs_says_so() -> None:
    for case in CASES:
        assert bool(case.differs) == (case.theirs is not None)
        assert case.source.startswith("tests/ad/")
        assert case.source.endswith(".fut")
        assert case.expected or case.value is not None


@pytest.mark.thinned(3)
def test_value(case: PublicCase) -> None:
    value = flat(case.program(*case.args))
    if case.value is not None:
        assert_close(value, np.ravel(case.value), case)
    native = flat(rg.jit(case.program)(*case.args))
    assert_close(native, value, case)
    assert flat(INTERPRETED.call(case.program, case.args)).tobytes() == native.tobytes()


@pytest.mark.thinned(6)
def test_forward_mode(case: PublicCase) -> None:
    products = in_both_calculi(forward, case)
    if case.compared == "columns":
        expect(case, products)
    elif case.compared == "rows":
        rows = products.T if case.seeds is None else _times(case.seeds, products.T)
        expect(case, rows)
    if case.summary:
        summarised(case, products)


@pytest.mark.thinned(6)
def test_reverse_mode(case: PublicCase) -> None:
    products = in_both_calculi(reverse, case)
    if case.compared == "rows":
        expect(case, products)
    elif case.compared == "columns":
        columns = products.T if case.seeds is None else _times(case.seeds, products.T)
        expect(case, columns)
    else:  # the value is all that is known of it
        assert_close(products, forward(NATIVE, case)[1].T, case)
    if case.summary:
        summarised(case, pulled(NATIVE, case, None)[1])


def _times(seeds: Any, jacobian: Numbers) -> Numbers:
    return np.reshape(seeds, (-1, len(jacobian))).astype(np.float64) @ jacobian


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.limit is not None], ids=lambda case: case.name
)
def test_what_is_refused(case: PublicCase) -> None:
    assert case.limit is not None
    program, code = case.limit
    with pytest.raises(rg.UserError, match=code):
        rg.jit(program)(*case.args)
