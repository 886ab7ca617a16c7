"""Runs a function under plain Python and through frontend, checker and interpreter."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.written import assign_places, write_back
from retrograd.backends.interp.eval import run
from retrograd.frontend.identity.specs import spec_of, specs_of
from retrograd.frontend.trace import Traced, trace_function
from retrograd.ir.check import check_program
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError


def traced(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Traced:
    """`f` translated for these arguments; the program is checked."""
    specs = specs_of(args)
    found = trace_function(f, specs, {k: spec_of(v) for k, v in kwargs.items()})
    check_program(found.program, DEFAULT)
    return found


def interpreted(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result by the interpreter; what `f` changes in its arguments is changed."""
    return evaluated(traced(f, *args, **kwargs), *args, **kwargs)


def evaluated(found: Traced, *args: Any, **kwargs: Any) -> Any:
    """As `interpreted`, of what has been translated for such arguments."""
    flat = found.flatten(args, kwargs)
    results = run(found.program, flat, DEFAULT)
    write_back(found, flat, results)
    places = found.places(args, kwargs)
    known = places.every
    value = found.unflatten(results, flat, known)
    assign_places(found, places, known, flat, results)
    return value


def agree(f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Asserts that plain Python and the translation give the same, or raise the same."""
    ours, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    expected: Any = None
    kind = None
    with np.errstate(all="ignore"):
        try:
            expected = f(*theirs[0], **theirs[1])
        except (
            ArithmeticError, LookupError, ValueError, AssertionError, NameError, TypeError,
            AttributeError, StopIteration,
        ) as error:  # fmt: skip
            kind = type(error).__name__
    if kind is not None:
        with pytest.raises(RaisedError) as caught:
            interpreted(f, *ours[0], **ours[1])
        assert caught.value.kind == kind, caught.value
        return
    found = interpreted(f, *ours[0], **ours[1])
    same(found, expected)
    same(list(ours[0]), list(theirs[0]))
    same(list(ours[1].values()), list(theirs[1].values()))


def slopes_of(f: Callable[..., Any], x: Any) -> Any:
    """The gradient, after the value, tangents, differences and a budget have been compared."""
    value, slopes = rg.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    steps = 1e-6 * np.eye(len(x))
    np.testing.assert_allclose(slopes, [(f(x + h) - f(x - h)) / 2e-6 for h in steps], atol=1e-6)
    assert np.array_equal(rg.grad(f, memory="300kB")(x), slopes)
    assert rg.jvp(f, (x,), (np.ones(len(x)),))[1] == pytest.approx(np.sum(slopes), rel=1e-12)
    return slopes


def same(found: Any, expected: Any) -> None:
    """Asserts equality to rounding, structure and kinds included."""
    if isinstance(expected, tuple | list):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
        return
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        same(list(found.values()), list(expected.values()))
        return
    if is_dataclass(expected):
        assert type(found) is type(expected)
        for field in fields(expected):
            same(getattr(found, field.name), getattr(expected, field.name))
        return
    if isinstance(expected, set | frozenset):
        assert type(found) is type(expected)
        same(sorted(found), sorted(expected))
        return
    if expected is None or callable(expected):
        assert found is expected
        return
    if isinstance(expected, str):
        assert found == expected
        return
    if isinstance(expected, np.ndarray) and expected.ndim == 0:
        expected = expected[()]
    assert np.shape(found) == np.shape(expected)
    kinds = np.asarray(found).dtype.kind, np.asarray(expected).dtype.kind
    # An int or bool that meets a float (an int) at a join becomes one: a documented difference.
    joined = np.ndim(found) == 0 and kinds in (("f", "i"), ("i", "b"))
    assert kinds[0] == kinds[1] or joined, (found, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
