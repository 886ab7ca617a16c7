"""Functions that are in no file, or wrapped by others, or sent to other processes."""

from __future__ import annotations

import functools
import math
import multiprocessing
import subprocess
import sys

import cloudpickle
import joblib
import numpy as np
import pytest
import scipy.optimize

import retrograd as rg
from retrograd.errors import UserError

TEXT = """
def outer(x):
    return inner(x) * 2.0 + (lambda y: y * x)(x)


def inner(x):
    return x * x if x > 0.0 else outer(-x)
"""


def made():
    space = {}
    exec(TEXT, space)
    return space["outer"]


def test_functions_made_by_exec_are_given_their_source():
    f = rg.jit(made(), source=TEXT)
    assert f(3.0) == 27.0
    assert rg.grad(f)(3.0) == 18.0
    assert rg.value_and_grad(f, memory="4kB")(3.0) == (27.0, 18.0)
    assert rg.grad(lambda x: f(x) * x)(3.0) == 27.0 + 3.0 * 18.0
    assert rg.hessian(f)(3.0) == pytest.approx(6.0)


def test_a_function_without_source_names_the_way():
    with pytest.raises(UserError, match=r"RG0102.*") as caught:
        rg.grad(made())(3.0)
    assert "rg.jit(f, source=text)" in (caught.value.way_out or "")


@pytest.mark.parametrize("text", [TEXT.replace("2.0", "3.0"), "x =", ""])
def test_another_source_is_refused(text):
    with pytest.raises(UserError, match="RG0129"):
        rg.jit(made(), source=text)


def test_a_source_belongs_to_a_function():
    with pytest.raises(UserError, match="RG0129"):
        rg.jit(functools.partial(made(), 1.0), source=TEXT)


def test_errors_in_a_given_source_have_their_place():
    text = "def bad(x):\n    return b'x'\n"
    space = {}
    exec(text, space)
    with pytest.raises(UserError) as caught:
        rg.jit(space["bad"], source=text)(1.0)
    assert "return b'x'" in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_two_texts_of_one_name_are_told_apart():
    other = TEXT.replace("2.0", "3.0")
    space = {}
    exec(other, space)
    assert rg.jit(space["outer"], source=other)(3.0) == 36.0
    assert rg.jit(made(), source=TEXT)(3.0) == 27.0


PROGRAM = """import retrograd as rg
def helper(x): return x * x
def f(x): return helper(x) * x
print(rg.grad(f)(2.0))
"""


def test_programs_of_the_command_line():
    run = [sys.executable, "-c", PROGRAM]
    found = subprocess.run(run, capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "12.0", found.stderr


class Dispatcher:
    """What numba makes of a function, as far as it matters here."""

    def __init__(self, function):
        self.py_func = function

    def __call__(self, *args):
        raise AssertionError("the compiled function is not called")


Dispatcher.__module__ = "numba.core.registry"


@Dispatcher
def square(x):
    return x * x


def test_functions_that_numba_has_compiled():
    assert rg.grad(square)(3.0) == 6.0
    assert rg.grad(lambda x: square(x) * x)(3.0) == 27.0


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2.0 * function(*args, **kwargs)

    return wrapper


@doubled
def cube(x, scale=1.0):
    return x * x * x * scale


def test_functions_in_wrappers():
    assert rg.grad(cube)(2.0) == 24.0
    assert rg.grad(lambda x: cube(x, scale=0.5))(2.0) == 12.0


def test_known_functions_of_libraries_are_differentiated_themselves():
    x = np.array([1.0, 2.0, 0.5])
    assert np.allclose(rg.grad(scipy.optimize.rosen)(x), scipy.optimize.rosen_der(x))
    assert np.allclose(rg.hessian(scipy.optimize.rosen)(x), scipy.optimize.rosen_hess(x))
    assert rg.grad(np.sin)(1.0) == pytest.approx(math.cos(1.0))
    assert rg.grad(math.exp)(0.5) == pytest.approx(math.exp(0.5))
    assert np.allclose(rg.grad(np.linalg.norm)(x), x / np.linalg.norm(x))
    with pytest.raises(UserError, match="RG0107"):
        rg.grad(scipy.optimize.rosen_der)(x)


def loss(w, x):
    return np.sum((w * x - 1.0) ** 2)


SLOPE = rg.grad(loss)
X = np.arange(3.0)
EXPECTED = 2.0 * X * (X - 1.0)


@pytest.mark.slow
def test_compiled_functions_go_to_spawned_processes():
    SLOPE(np.ones(3), X)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for f in (SLOPE, rg.grad(loss), rg.value_and_grad(loss)):
            found = pool.apply(f, (np.ones(3), X))
            assert np.allclose(found[1] if isinstance(found, tuple) else found, EXPECTED)


@pytest.mark.slow
def test_compiled_functions_go_to_workers_of_joblib():
    scale = 2.0
    local = rg.grad(lambda w: np.sum((w * X - 1.0) ** 2) * scale)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(SLOPE)(np.ones(3), X) for _ in range(2))
        inner = joblib.Parallel()(joblib.delayed(local)(np.ones(3)) for _ in range(2))
    assert np.allclose(found, [EXPECTED] * 2)
    assert np.allclose(inner, [2.0 * EXPECTED] * 2)


def test_compiled_functions_by_value_as_dask_sends_them():
    scale = 2.0
    local = rg.grad(lambda w: np.sum((w * X - 1.0) ** 2) * scale)
    assert np.allclose(local(np.ones(3)), 2.0 * EXPECTED)
    there = cloudpickle.loads(cloudpickle.dumps(local))
    assert np.allclose(there(np.ones(3)), 2.0 * EXPECTED)
    text = cloudpickle.loads(cloudpickle.dumps(rg.jit(made(), source=TEXT)))
    assert text(3.0) == 27.0
