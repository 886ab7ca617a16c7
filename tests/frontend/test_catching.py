"""`try`: value and derivatives are plain Python's, whichever handler runs."""

import contextlib
import math
import warnings

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


class OwnError(ValueError):
    """A class of the program's."""

    def __init__(self, code):
        super().__init__(f"code {code}")


class Counter:
    def __init__(self):
        self.total = 0.0
        self.steps = 0

    def add(self, x):
        self.steps += 1
        if x > 2.0:
            raise OwnError(self.steps)
        self.total += x


def division(x, n):
    try:
        y = x / n
    except ZeroDivisionError:
        y = -x
    return y * x


def float_division(x, n):
    try:
        return x / (n - 1.0)
    except (ZeroDivisionError, KeyError):
        return x * x


def indices(x, n):
    v = np.arange(3.0) * x
    total = 0.0
    for k in range(n):
        try:
            total += v[k] * v[k - 1]
        except IndexError:
            total += x
        else:
            total += 0.5
    return total


def by_class(x, n):
    try:
        if n == 1:
            raise ValueError("one")
        if n == 2:
            raise KeyError(n)
        if n == 3:
            raise OwnError(n)
        y = 3.0 * x
    except OwnError:
        y = x**2
    except ValueError as error:
        y = x**3 + len(error.args)
    except LookupError:
        return x**4
    else:
        y = y + 1.0
    return y


def in_an_expression(x, n):
    total = 1.0
    try:
        total = total + (x if n == 0 else x / (n - 2)) * (2.0 if n < 3 and x / (n - 1) > 0.1 else x)
        total = total * 2.0
    except ZeroDivisionError:
        total = total + x * x
    return total


def helper(x, k, limit):
    if k == limit:
        raise OwnError(k)
    if k > 10:
        return 0.0
    return x * k


def left_from_a_loop(x, n):
    total = 0.0
    try:
        for k in range(n):
            total += helper(x, k, 3)
        total *= 7.0
    except OwnError:
        total = total * x
    return total


def left_from_loops_in_loops(x, n):
    total, k = 0.0, 0
    while k < 3:
        k += 1
        try:
            for i in range(4):
                for j in range(3):
                    total += x / (i + j - n)
                    if j == 2 and i == 1:
                        break
        except ZeroDivisionError:
            total = 0.5 * total + x
            if k == 2:
                continue
        total += 1.0
    return total


def unrolled(x, n):
    total = 0.0
    try:
        for a, b in ((1, 2), (3, 0), (5, 6)):
            total += x * a / (b + n)
    except ZeroDivisionError:
        total += 100.0 * x
    return total


def state_at_the_handler(x, n):
    v = np.zeros(4)
    values = [x]
    counter = Counter()
    try:
        for k in range(6):
            v[k] = x * k
            values.append(v[k] + 1.0)
            counter.add(v[k] if k < n else 3.0)
    except IndexError:
        v[0] = 10.0 * x
    except OwnError:
        v[1] = 20.0 * x
    return np.sum(v) + sum(values) * counter.total + counter.steps * len(values)


def nested(x, n):
    try:
        try:
            if n == 0:
                raise ValueError
            y = x / (n - 1)
            if n == 2:
                raise KeyError("a")
        except ZeroDivisionError:
            y = x * 2.0
            if x > 1.0:
                raise IndexError from None
        except KeyError as error:
            raise OwnError(n) from error
        y = y + 1.0
    except (ValueError, IndexError):
        y = 5.0 * x
    return y * x


def finals(x, n):
    total = 0.0
    for k in range(4):
        try:
            if k == n:
                continue
            total += x / (k - 1)
        except ZeroDivisionError:
            total += x * x
        finally:
            total = total * 1.5
    return total


def static(x, n):
    if n == 0:
        try:
            return x.missing * x
        except AttributeError:
            return x * 2.0
    if n == 1:
        try:
            a, b = (x, x, x)
        except ValueError:
            a, b = x, 1.0
        return a * b
    try:
        y = x.missing if n == 2 else 3.0 * x
    except AttributeError:
        y = x * x
    return y


def reraised(x, n):
    try:
        try:
            if n > 0:
                raise ValueError("inner")
            return x
        except (KeyError, ValueError):
            raise
    except ValueError as error:
        return x * len(str(error))


def bare(x, n):
    try:
        return float(np.array([x, 2.0])[n]) / (x - 1.0)
    except (ArithmeticError, LookupError):
        return 4.0 * x


def domains(x, n):
    try:
        return math.log(x - 1.0) + math.sqrt(n - 2.0)
    except ValueError:
        return -x


def closures(x, n):
    def scaled(k):
        return x / k

    total = 0.0
    for k in range(n):
        try:
            total += scaled(k - 1) * scaled(k + 1)
        except ZeroDivisionError:
            total += x
    return total


CASES = (
    *((division, x, n) for x, n in ((3.0, 2), (3.0, 0))),
    *((float_division, 3.0, n) for n in (0, 1)),
    *((indices, 1.5, n) for n in (0, 3, 5)),
    *((by_class, 1.5, n) for n in range(4)),
    *((in_an_expression, 1.5, n) for n in range(4)),
    *((left_from_a_loop, 1.5, n) for n in (0, 3, 8)),
    *((left_from_loops_in_loops, 1.5, n) for n in (0, 2, 9)),
    *((unrolled, 1.5, n) for n in (0, 1, -2)),
    *((state_at_the_handler, 0.3, n) for n in (0, 2, 9)),
    *((nested, x, n) for x in (0.5, 1.5) for n in range(4)),
    *((finals, 1.5, n) for n in (0, 1, 7)),
    *((static, 1.5, n) for n in range(4)),
    *((reraised, 1.5, n) for n in (0, 1)),
    *((bare, x, n) for x, n in ((1.0, 0), (3.0, 1), (3.0, 2))),
    *((domains, x, n) for x, n in ((3.0, 3), (0.5, 3), (3.0, 1))),
    *((closures, 1.5, n) for n in (1, 4)),
)
FUNCTIONS = tuple(dict.fromkeys(f for f, _, _ in CASES))


@pytest.mark.parametrize(("f", "x", "n"), CASES)
def test_values(f, x, n):
    agree(f, x, n)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_derivatives(f):
    gradient, within = rg.grad(f), rg.grad(f, memory="100kB")
    forward = rg.jacfwd(f)
    for x, n in [(x, n) for g, x, n in CASES if g is f]:
        if (f, x) == (bare, 1.0):
            continue  # the handler runs at this one number only
        h = 1e-6
        slope = (f(x + h, n) - f(x - h, n)) / (2.0 * h)
        assert gradient(x, n) == pytest.approx(slope, rel=1e-6, abs=1e-8)
        assert within(x, n) == gradient(x, n)
        assert forward(x, n) == pytest.approx(gradient(x, n), rel=1e-12)


def recursive(x, k):
    if k == 0:
        raise ValueError
    if k == 1:
        return x
    return x * recursive(x, k - 1)


def of_a_recursion(x, n):
    try:
        return recursive(x, n)
    except ValueError:
        return x


def of_a_gradient(x, n):
    try:
        return rg.grad(recursive)(x, n)
    except ValueError:
        return x


def left_by_finally(x, n):
    try:
        return x
    finally:
        return x * 2.0  # noqa: B012


def read_by_finally(x, n):
    y = x
    try:
        return x / n
    finally:
        y = y + 1.0


def printed_by_finally(x, n):
    try:
        y = np.zeros(2)[n] * x
    finally:
        print("done")
    return y


def by_a_number(x, n):
    try:
        return x / n
    except n:
        return x


@pytest.mark.parametrize(
    "f",
    [
        of_a_recursion,
        of_a_gradient,
        left_by_finally,
        read_by_finally,
        printed_by_finally,
        by_a_number,
    ],
)
def test_refused(f):
    with pytest.raises(UserError) as caught:
        rg.jit(f)(1.0, 3)
    assert caught.value.code == "RG0127"
    assert caught.value.span is not None
    assert caught.value.way_out


def in_contexts(x, n):
    with np.errstate(divide="ignore", invalid="ignore"), contextlib.nullcontext(2.0) as two:
        y = np.sqrt(x) * two
    with warnings.catch_warnings():
        y = y * x
    with contextlib.suppress(ZeroDivisionError, KeyError):
        y = y + x / n
        y = y * 3.0
    for k in range(3):
        with contextlib.suppress(IndexError):
            if k == n:
                raise IndexError
            y = y * x
    return y


@pytest.mark.parametrize("n", [0, 2])
def test_contexts(n):
    agree(in_contexts, 1.5, n)
    slope = (in_contexts(1.5 + 1e-6, n) - in_contexts(1.5 - 1e-6, n)) / 2e-6
    assert rg.grad(in_contexts)(1.5, n) == pytest.approx(slope, rel=1e-6)


def raises_errors(x, n):
    with np.errstate(all="raise"):
        return x / n


def opens_a_file(x, n):
    with open("file") as file:
        return x + len(file.read())


def records_nothing(x, n):
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        x = x * 2.0
    return x


def test_a_record_of_warnings_that_nobody_reads():
    assert rg.grad(records_nothing)(1.0, 3) == 2.0


def records_warnings(x, n):
    with warnings.catch_warnings(record=True) as record:
        x = x * 2.0
    return x * len(record)


def records_its_own(x, n):
    with warnings.catch_warnings(record=True):
        if n > 2:
            warnings.warn("large", stacklevel=1)
    return x


def records_in_a_try(x, n):
    try:
        with warnings.catch_warnings(record=True):
            return x / n
    except ZeroDivisionError:
        return x


@pytest.mark.parametrize(
    "f", [raises_errors, opens_a_file, records_warnings, records_its_own, records_in_a_try]
)
def test_refused_contexts(f):
    with pytest.raises(UserError) as caught:
        rg.jit(f)(1.0, 3)
    assert caught.value.code == "RG0127"
    assert caught.value.way_out
