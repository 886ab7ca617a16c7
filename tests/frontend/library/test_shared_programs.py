"""Library programs that are called at several lines: one function, and errors at each line."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.signal

import retrograd as rg
from retrograd.frontend.identity.specs import spec_of
from retrograd.frontend.trace import trace_function
from retrograd.ir.terms import Program
from retrograd.ir.traverse import stms_deep

B, A = scipy.signal.butter(2, 0.3)
X = np.sin(np.arange(40.0) ** 1.3)


def once(x):
    return scipy.signal.filtfilt(B, A, x)


def four_times(x, k):
    y = scipy.signal.filtfilt(B, A, x)
    y = scipy.signal.filtfilt(B, A, y)
    y = scipy.signal.filtfilt(B, A, y[:k])
    return scipy.signal.filtfilt(B, A, y)


def norm_of_four(x, k):
    return np.sum(four_times(x, k) ** 2)


def _statements(program: Program) -> int:
    return sum(1 for f in program.functions for _ in stms_deep(f.body))


def test_calls_that_are_alike_are_of_one_function_and_have_the_same_bits():
    one = trace_function(once, (spec_of(X),)).program
    four = trace_function(four_times, (spec_of(X), spec_of(40))).program
    assert _statements(four) < 1.5 * _statements(one)
    single = rg.jit(once)
    y = X
    for _ in range(4):
        y = single(y)
    assert np.array_equal(rg.jit(four_times)(X, 40), y)


def test_the_line_of_an_error_is_the_one_that_calls():
    for way in (rg.jit(norm_of_four), rg.grad(norm_of_four, memory="60kB")):
        assert np.all(np.isfinite(way(X, 40)))
        with pytest.raises(ValueError, match="padlen") as caught:
            way(X, 5)
        assert "scipy.signal.filtfilt(B, A, y[:k])" in caught.value.__notes__[0]


def slowly(x, p):
    s = np.zeros(20)
    for _ in range(60):
        s = np.sin(s + x) * 0.5
    return x**3 - p + 0.01 * s[1]


def roots(p, many, few):
    a = scipy.optimize.brentq(slowly, 0.0, 3.0, args=(p,), maxiter=many)
    b = scipy.optimize.brentq(slowly, 0.0, 3.0, args=(p + a,), maxiter=many)
    c = scipy.optimize.brentq(slowly, 0.0, 3.0, args=(p + b,), maxiter=few)
    return a + b + c + scipy.optimize.brentq(slowly, 0.0, 3.0, args=(p + c,), maxiter=many)


def _by_steps(run):
    while isinstance(run, rg.Capsule):
        run = rg.resume(run, steps=500)


def test_a_run_that_was_interrupted_knows_who_has_called():
    with pytest.raises(RuntimeError, match="converge") as caught:
        _by_steps(rg.interrupt(roots, 2.0, 50, 3, steps=500))
    assert "maxiter=few" in caught.value.__notes__[0]
