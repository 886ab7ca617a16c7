"""What is refused when a function is decorated: every check has its own failing example.

Each says its code, names the statement at its place, and the other statement where there are two.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnboundVariable=false
# pyright: reportUndefinedVariable=false

G = np.ones(3)
COUNT = 3.0


@rg.reversible
def shift(y):
    y += 1.0
    return y


@rg.reversible
def add(a, b):
    a += b


def ancilla_twice(x, y):
    a = 0.0
    x += y
    a += x
    a = 0.0
    rg.release(a, 0.0)
    return x


def parameter_as_ancilla(x, y):
    y = 0.0
    x += y
    return x


def before_it_is_defined(x, y):
    x += a  # noqa: F821
    a = y
    x += a
    return x


def after_its_block(x, y):
    if y > 0.0:
        a = y
        x += a
    x += a
    return x


def release_of_a_parameter(x, y):
    x += y
    rg.release(y, 0.0)
    return x


def released_twice(x, y):
    a = 0.0
    x += y
    a += x
    a -= x
    rg.release(a, 0.0)
    rg.release(a, 0.0)
    return x


def used_after_release(x, y):
    a = 0.0
    a += x
    x += y
    a -= x - y
    rg.release(a, 0.0)
    x += a
    return x


def released_in_another_block(x, y):
    a = 0.0
    x += y
    a += x
    if y > 0.0:
        a -= x
        rg.release(a, 0.0)
    return x


def release_of_an_expression(x):
    x += 1.0
    rg.release(x + 1.0, 2.0)
    return x


def begins_with_what_changes(x, y):
    a = x
    a += y
    x += y
    a -= y
    y += a
    return x, y


def reads_its_target(x):
    x += x
    return x


def reads_its_target_through_a_local(x, y):
    a = x * y
    x += a
    return x


def of_an_early_local(x, v):
    a = np.sin(x)
    x += v
    v += a


def carried(x, y, n):
    a = x * y
    for _ in range(n):
        y += a
        x += y
        a = x * y
    return x, y


def condition_that_changes(a, b):
    if a > 8:
        a -= b**2
    return a


def range_that_changes(x, n):
    for _ in range(n):
        n += 18
        x += 1.0
    return x, n


def variable_of_a_loop_that_changes(x):
    for i in range(3):
        i += 1
        x += 1.0
    return x


def variable_of_a_loop_after_it(x, n):
    for i in range(n):
        x += 1.0
    x += i
    return x


def variable_of_a_loop_that_is_a_parameter(x, i):
    for i in range(3):
        x += i
    return x


def result_in_another_place(x, y):
    x = shift(y)
    return x


def result_in_an_expression(x, y):
    x += shift(y)
    return x


def changes_a_number_that_is_not_there(x):
    shift(3.0)
    x += 1.0
    return x


def one_argument_twice(x):
    add(x, x)


def too_many_arguments(x, y):
    add(x, y, y)


def spread(x):
    add(*x)


def number_that_is_not_returned(x, y):
    x = x + y
    return y


def returns_something_else(x):
    x += 1.0
    return x * 2


def returns_twice(x):
    x += 1.0
    return x, x


def assigned_element(x):
    x[0] = 1.0


def several_targets(x, y):
    x = y = 1.0
    return x, y


def without_inverse(x, y):
    x //= y
    return x


def product_of_matrices(x, y):
    x @= y


def printed(x):
    x += 1.0
    print(x)


def loop_without_a_beginning(x):
    while x < 10.0:
        x += 1.0
    return x


def loop_over_a_list(x):
    for a in [1.0, 2.0]:
        x += a
    return x


def else_of_a_loop(x):
    for _ in range(3):
        x += 1.0
    else:
        x += 2.0
    return x


def leaves_a_loop(x, n):
    for i in range(n):
        if i > 2:
            break
        x += 1.0
    return x


def skips_an_iteration(x, n):
    for i in range(n):
        if i > 2:
            continue
        x += 1.0
    return x


def returns_early(x):
    if x > 0.0:
        return x
    x += 1.0
    return x


def assigns_in_an_expression(x, y):
    x += (z := y)
    x += z
    return x


def file_of(x):
    with open("f"):
        x += 1.0
    return x


def tries(x):
    try:
        x += 1.0
    except ValueError:
        pass
    return x


def deletes(x, y):
    x += y
    del y
    return x


def global_array(x):
    G[0] += x[0]


def global_number(x):
    global COUNT  # noqa: PLW0603
    COUNT += x
    return x


def irreversibly_written(x):
    with rg.irreversible():
        x += 1.0
    return x


def one_element_twice(x):
    x[0], x[0] = x[0], x[0]


def turned_by_itself(x, y):
    x, y = rg.rotate(x, y, x)
    return x, y


def whole_and_part(x):
    x += x[0]


def row_and_itself(x):
    x[0] += x[0]


Case = tuple[Callable[..., Any], str, str, str]

CASES: tuple[Case, ...] = (
    (ancilla_twice, "RG0505", "a = 0.0", "there already"),
    (parameter_as_ancilla, "RG0508", "y = 0.0", "overwrites the parameter 'y'"),
    (before_it_is_defined, "RG0505", "x += a  # noqa: F821", "before it is defined"),
    (after_its_block, "RG0505", "x += a", "outside of the branch"),
    (release_of_a_parameter, "RG0505", "rg.release(y, 0.0)", "no local that is updated"),
    (released_twice, "RG0505", "rg.release(a, 0.0)", r"was released by `rg.release\(a, 0.0\)`"),
    (used_after_release, "RG0505", "x += a", r"after `rg.release\(a, 0.0\)`"),
    (released_in_another_block, "RG0505", "rg.release(a, 0.0)", "belongs to another block"),
    (release_of_an_expression, "RG0505", "rg.release(x + 1.0, 2.0)", "does not name a local"),
    (begins_with_what_changes, "RG0503", "a -= y", r"`a = x` \(line .*after `x \+= y`"),
    (reads_its_target, "RG0502", "x += x", "reads x, which it writes"),
    (reads_its_target_through_a_local, "RG0502", "x += a", "through 'a'"),
    (of_an_early_local, "RG0503", "v += a", r"`a = np.sin\(x\)` .*after `x \+= v`"),
    (carried, "RG0503", "y += a", r"`a = x \* y` .*`(y \+= a|x \+= y)`"),
    (condition_that_changes, "RG0504", "if a > 8:", r"reads a, which `a -= b \*\* 2`"),
    (range_that_changes, "RG0504", "for _ in range(n):", r"reads n, which `n \+= 18`"),
    (variable_of_a_loop_that_changes, "RG0504", "i += 1", "writes the loop's variable 'i'"),
    (variable_of_a_loop_after_it, "RG0505", "x += i", "outside of the branch or loop"),
    (variable_of_a_loop_that_is_a_parameter, "RG0508", "for i in range(3):", "has a meaning"),
    (result_in_another_place, "RG0506", "x = shift(y)", "does not put back"),
    (result_in_an_expression, "RG0506", "x += shift(y)", "called in an expression"),
    (changes_a_number_that_is_not_there, "RG0506", "shift(3.0)", "is no variable"),
    (one_argument_twice, "RG0502", "add(x, x)", "twice"),
    (too_many_arguments, "RG0108", "add(x, y, y)", "more arguments"),
    (spread, "RG0506", "add(*x)", "spreads"),
    (number_that_is_not_returned, "RG0506", "x = x + y", "is not returned"),
    (returns_something_else, "RG0506", "return x * 2", "something else than parameters"),
    (returns_twice, "RG0506", "return x, x", "something else than parameters"),
    (assigned_element, "RG0501", "x[0] = 1.0", "is lost"),
    (several_targets, "RG0501", "x = y = 1.0", "several targets"),
    (without_inverse, "RG0501", "x //= y", "lost by the operation"),
    (product_of_matrices, "RG0501", "x @= y", "lost by the operation"),
    (printed, "RG0501", "print(x)", "not known"),
    (loop_without_a_beginning, "RG0501", "while x < 10.0:", "where the loop began"),
    (loop_over_a_list, "RG0501", "for a in [1.0, 2.0]:", "goes through"),
    (else_of_a_loop, "RG0501", "x += 2.0", "`else` of a loop"),
    (leaves_a_loop, "RG0501", "break", "where it was left"),
    (skips_an_iteration, "RG0501", "continue", "where it was left"),
    (returns_early, "RG0501", "return x", "where it was left"),
    (assigns_in_an_expression, "RG0501", "x += (z := y)", "assigns inside"),
    (file_of, "RG0501", 'with open("f"):', "how to undo what it enters"),
    (tries, "RG0501", "try:", "no inverse"),
    (deletes, "RG0501", "del y", "no inverse"),
    (global_array, "RG0501", "G[0] += x[0]", "no part of a parameter"),
    (global_number, "RG0501", "global COUNT  # noqa: PLW0603", "outside cannot be restored"),
    (irreversibly_written, "RG0505", "with rg.irreversible():", "x is written"),
    (one_element_twice, "RG0502", "x[0], x[0] = x[0], x[0]", "writes x.0. twice"),
    (turned_by_itself, "RG0502", "x, y = rg.rotate(x, y, x)", "reads x, which it changes"),
    (whole_and_part, "RG0502", "x += x[0]", "which it writes"),
    (row_and_itself, "RG0502", "x[0] += x[0]", "which it writes"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_it_is_refused_at_its_place(case: Case) -> None:
    function, code, statement, words = case
    with pytest.raises(rg.UserError, match=words) as caught:
        rg.reversible(function)
    error = caught.value
    assert error.code == code
    assert error.span is not None
    assert linecache.getline(error.span.file, error.span.line).strip() == statement
    assert error.way_out
    assert "inversion" not in str(error).replace(error.span.file, "")


def test_no_check_at_run_time_is_left_out_of_these() -> None:
    for function, code, *_ in CASES:
        with pytest.raises(rg.UserError) as caught:
            rg.reversible(function, checked=False)
        assert caught.value.code == code


def test_a_lambda_and_a_class() -> None:
    for wrong in (lambda x: x, int):
        with pytest.raises(rg.UserError) as caught:
            rg.reversible(wrong)
        assert caught.value.code == "RG0509"
