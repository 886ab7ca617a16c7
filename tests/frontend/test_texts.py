"""Texts and exceptions: as Python has them, in the interpreter and in every kind of native code."""

from typing import NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.cps.continuations import by_continuations
from retrograd.backends.cps.convert import by_segments
from retrograd.backends.cps.runs import primops
from retrograd.errors import UserError
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError
from tests.frontend.harness import agree, interpreted, traced


class CodedError(ValueError):
    """An exception with a constructor of its own."""

    def __init__(self, code, what="nothing"):
        super().__init__(f"code {code}: {what}")
        self.code = code


class PlainError(Exception):
    """An exception without."""


class Home:
    class InnerError(KeyError):
        """An exception whose class is in another one."""


class Pair(NamedTuple):
    a: float
    b: int


class Named:
    def __init__(self, x):
        self.x = x

    def __str__(self):
        return f"Named({self.x:.1f})"


class Unnamed:
    def __init__(self, x):
        self.x = x


PERCENT = "%s of %5.2f, %d%% %r"
PYTHONS = (ArithmeticError, AssertionError, LookupError, OSError, TypeError, ValueError)
ONE, TWO = "%d", "%d %d"


def describe(x, n):
    return "x=" + str(x) + f" n={n:>4}"


def chooser(x, n):
    """Each n raises another exception."""
    if n == 0:
        raise ValueError(f"{x=:.3f} is {x!r} and {n} {x > 1.0}")
    if n == 1:
        raise CodedError(n, what=f"{x * 2.0:10.2e}|{n:03d}")
    if n == 2:
        raise PlainError(PERCENT % (x, x, n, "a'b"))
    if n == 3:
        raise PlainError
    if n == 4:
        raise Home.InnerError(f"{x:+.2f} {n} {x:.0%}")
    if n == 5:
        raise KeyError(describe(x, n))
    assert n != 6, (x, n)
    assert n != 7, f"seven: {Pair(x, n)} {[x, 1.5]} {None} {Named(x)}"
    if n == 8:
        raise np.linalg.LinAlgError("singular: " + "-" * 3 + str(x > 0.0))
    if n == 9:
        error = OSError(n, describe(x, n))
        raise error from None
    if n == 10:
        raise PERCENT
    if n == 11:
        raise ZeroDivisionError(x, (n, "two"), None, True)
    if n == 12:
        raise CodedError(code=x)
    return x * x


def raised(run):
    """Class, text and arguments of what is raised; the results of what is not."""
    try:
        return run()
    except AssertionError as error:  # pytest adds a line to those of plain Python
        return type(error), str(error).partition("\n")[0]
    except (*PYTHONS, PlainError) as error:
        return type(error), str(error), error.args


@pytest.fixture(scope="module")
def ways():
    """Everything that runs the program natively."""
    return (
        rg.jit(chooser), rg.grad(chooser), rg.grad(chooser, memory="1MB"),
        rg.grad(rg.grad(chooser)), rg.value_and_grad(chooser),
        lambda x, n: rg.jvp(lambda y: chooser(y, n), (x,), (1.0,)),
        rg.jacfwd(chooser),
    )  # fmt: skip


@pytest.mark.parametrize("n", range(13))
def test_exceptions_are_pythons(n, ways):
    x = 1.0 / 3.0
    want = raised(lambda: chooser(x, n))
    for way in ways:
        assert raised(lambda way=way: way(x, n)) == want
    with pytest.raises(RaisedError) as caught:
        interpreted(chooser, x, n)
    assert (caught.value.kind, caught.value.message) == (want[0].__name__, want[1])


def test_nothing_is_raised(ways):
    assert [way(3.0, 99) for way in ways[:3]] == [9.0, 6.0, 6.0]


def test_attributes_of_exceptions():
    with pytest.raises(CodedError) as caught:
        rg.jit(chooser)(0.5, 12)
    assert caught.value.code == 0.5
    assert "chooser" not in "".join(caught.value.args)
    assert any("test_texts.py" in note for note in caught.value.__notes__)


def test_the_evaluators_agree():
    program = traced(chooser, 0.5, 1).program
    for made in (by_continuations(program, DEFAULT), by_segments(program, DEFAULT)):
        with pytest.raises(RaisedError, match="1.00e"):
            primops(made, (0.5, 1))


def test_a_message_in_a_loop_and_a_callee():
    def checked(x, k):
        if x > 2.0:
            raise ValueError(f"step {k}: {x:.4f}")
        return x * 1.3

    def f(x, n):
        for k in range(n):
            x = checked(x, k)
        return x

    want = raised(lambda: f(1.0, 20))
    assert want[1].startswith("step 3")
    for g in (rg.jit(f), rg.grad(f), rg.grad(f, memory="1MB"), rg.grad(rg.grad(f))):
        assert raised(lambda g=g: g(1.0, 20)) == want
        assert raised(lambda g=g: g(1.0, 2)) == pytest.approx(g(1.0, 2))


def strings(x, name="Fast mode"):
    """Methods of strings on constants."""
    parts = name.lower().split(" ")
    total = 0.0
    if parts[0] == "fast" and "mod" in name and name.startswith(("F", "x")):
        total += x
    if "-".join(parts).upper() == "FAST-MODE":
        total += 2.0 * x
    if name.replace("a", "o").strip() < name and not name.isdigit() and "a" not in ("b", "c"):
        total += 4.0 * x
    for letter in "abca":
        if letter == "a":
            total += x * 8.0
    total += len(name) * x + float("1.5") * int("7") + name.count("o")
    return total + (100.0 if f"{3:02d}{'q':>3}" == "03  q" else 0.0) + bool("")


def test_methods_of_constant_strings():
    agree(strings, 1.5)
    assert rg.grad(strings)(1.0) == strings(2.0) - strings(1.0)


def formats_badly(x, n):
    if n > 2:
        return len(f"{x:d}") * 1.0
    if n > 1:
        return len(ONE % ("a",)) * 1.0
    if n > 0:
        return len(TWO % (1,)) * 1.0
    return int("12a") * x


@pytest.mark.parametrize("n", range(4))
def test_what_formatting_raises_is_raised_at_run_time(n):
    assert (
        raised(lambda: rg.jit(formats_badly)(1.0, n))[0] is raised(lambda: formats_badly(1.0, n))[0]
    )


def test_arrays_and_objects_are_shown_in_short():
    def f(x):
        raise ValueError(f"bad: {x} of {Unnamed(1.0)} at {np.sin}")

    with pytest.raises(ValueError, match=r"array\(shape=\(2, 3\), dtype=float64\)"):
        rg.jit(f)(np.ones((2, 3)))


def too_many(x, n):
    if n > 0:
        raise ValueError(f"{x} {x + 1} {x + 2} {x + 3} {x + 4} {x + 5} {x + 6} {x + 7} {n}")
    return x


def compared(x, n):
    return x if str(n) == "3" else 0.0


def looked_into(x, n):
    return x if "3" in str(n) else 0.0


def of_a_local_class(x, n):
    raise LOCAL("no")


def format_of_the_run(x, n):
    raise ValueError(f"{x:.{n}f}")


LOCAL = type("LocalError", (ValueError,), {"__module__": "nowhere"})


@pytest.mark.parametrize(
    ("f", "code"),
    [(too_many, "RG0126"), (compared, "RG0126"), (looked_into, "RG0126"),
     (of_a_local_class, "RG0101"), (format_of_the_run, "RG0126")],
)  # fmt: skip
def test_refused(f, code):
    with pytest.raises(UserError) as caught:
        rg.jit(f)(1.0, 3)
    assert caught.value.code == code
    assert caught.value.span is not None
    assert caught.value.way_out


def test_from_the_disk_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    want = raised(lambda: chooser(1.5, 1))
    assert raised(lambda: rg.jit(chooser)(1.5, 1)) == want
    assert raised(lambda: rg.jit(chooser)(1.5, 1)) == want


def chosen(x, n):
    kind = "low" if n < 3 else "high"
    if n > 5:
        kind = "highest" if n > 7 else ""
    if kind == "low":
        return x
    if kind in ("high", "none") or not kind:
        return x * 2.0
    raise ValueError(f"{kind:>9}|{kind}: {x}")


@pytest.mark.parametrize("n", [1, 4, 6, 9])
def test_texts_that_are_chosen_at_run_time(n):
    want = raised(lambda: chosen(1.5, n))
    assert raised(lambda: rg.jit(chosen)(1.5, n)) == want


def caught_messages(x, n):
    try:
        if n == 0:
            raise ValueError("zero")
        if n == 1:
            raise ValueError("one is not zero")
        y = x / (n - 2)
    except (ValueError, TypeError) as error:
        raise CodedError(n, what=str(error)) from error
    return y


@pytest.mark.parametrize("n", [0, 1, 3])
def test_messages_of_caught_exceptions(n):
    want = raised(lambda: caught_messages(1.5, n))
    for way in (rg.jit(caught_messages), rg.grad(caught_messages, memory="1MB")):
        assert raised(lambda way=way: way(1.5, n)) == want or n == 3


def several_kinds(x, n):
    v, total = np.zeros(2), 0.0
    for k in range(4):
        try:
            if n == k:
                raise ValueError(f"{n} is {x}")
            if n == 3 and k == 1:
                raise KeyError("three")
            v[k] = x / (n - 1)
            total += float(v[k]) / (k - n + 1)
        except KeyError as error:
            total += len(error.args) * x
        except (ValueError, ArithmeticError, LookupError) as error:
            total *= 2.0
            if n == 2 and k == 3:
                raise OSError(f"{k}: {error}") from error
            if n == 4 and k == 2:
                raise
    return total


@pytest.mark.parametrize("n", range(6))
def test_a_handler_that_looks_at_several_kinds(n):
    want = raised(lambda: several_kinds(1.5, n))
    compiled, derived = rg.jit(several_kinds), rg.grad(several_kinds)
    found = raised(lambda: compiled(1.5, n))
    if isinstance(want, float):
        assert found == pytest.approx(want)
        ends = [several_kinds(1.5 + d, n) for d in (1e-6, -1e-6)]
        assert derived(1.5, n) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-9)
    else:
        assert found == want == raised(lambda: derived(1.5, n))
