"""`rg.debug.print`: a print with a format; the same text compiled and not, in all ways."""

import contextlib
import io

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from retrograd.messages import ENDS, LONG

pytestmark = pytest.mark.thinned(2)


def heard(run):
    """The result, or the text of the error, and what has been printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            result = run()
        except (ValueError, TypeError, LookupError) as error:
            result = f"{type(error).__name__}: {error}"
    return result, out.getvalue()


def told(x):
    rg.debug.print("x is {x:6.2f}", x=x)
    return x * x


def row(v):
    rg.debug.print("row {}, all but one {:g}", v, v[1:])
    return np.sum(v * v)


def program(x, n, v):
    rg.debug.print("begin {{{n}}} {0} {1!r} {0}", (x, n), "text", n=n, ordered=True)
    total = 0.0
    for k in range(n):
        total += told(x) * k + np.sum(rg.vmap(row)(v + k)) + np.sum(rg.map(told, v[0]))
        try:
            if k == 1:
                raise ValueError(f"k is {k}")
            rg.debug.print("{} {}", np.outer(v[0], v[1])[None], v > 1.0)
        except ValueError as error:
            rg.debug.print("{}: {} {:d}", error, np.arange(LONG + 1 + k), k)
    rg.debug.print("{} {} nothing", v[:0], v[:, :0])
    return total


V = np.array([[1.0, 2.5], [-1.0, 0.25]])
WAYS = (
    rg.jit(program), rg.grad(program), rg.grad(program, argnums=2, memory="1MB"),
    lambda x, n, v: rg.jvp(lambda y: program(y, n, v), (x,), (1.0,)),
    lambda x, n, v: rg.vjp(lambda y: program(y, n, v), x)[1](1.0),
)  # fmt: skip


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_the_text_is_that_of_the_plain_run(way):
    want = heard(lambda: program(1.5, 2, V))[1]
    assert heard(lambda: WAYS[way](1.5, 2, V))[1] == want
    assert "begin {2} (1.5, 2) 'text' (1.5, 2)\n" in want
    assert f"k is 1: [0, 1, 2, ..., {LONG - 1}, {LONG}, {LONG + 1}] 1\n" in want
    assert "[] [[], []] nothing\n" in want


def test_an_axis_that_is_long_is_shown_by_its_ends():
    def f(v):
        rg.debug.print("{:.0f}", v)
        return np.sum(v * v)

    for n in (ENDS, LONG, LONG + 1):
        v = np.arange(float(n))
        parts = [f"{e:.0f}" for e in v]
        if n > LONG:
            parts[ENDS:-ENDS] = ["..."]
        want = f"[{', '.join(parts)}]\n"
        assert heard(lambda v=v: f(v))[1] == want
        result, out = heard(lambda v=v: rg.grad(f)(v))
        assert out == want
        assert result.tolist() == (2.0 * v).tolist()


def test_it_costs_derivatives_nothing_but_a_run():
    def quiet(x):
        return x * x * x

    def loud(x):
        rg.debug.print("{}", x)
        return x * x * x

    assert heard(lambda: rg.grad(rg.grad(loud))(2.0)) == (rg.grad(rg.grad(quiet))(2.0), "2.0\n")


def test_a_text_without_fields():
    def f(x):
        rg.debug.print("begin")
        rg.debug.print(f"{x:.2f}")
        return x * x

    for run in (f, rg.jit(f), rg.grad(f)):
        assert heard(lambda run=run: run(1.5))[1] == "begin\n1.50\n"


def not_shown(x):
    rg.debug.print("x", x, y=x)
    return x


def too_few(x):
    rg.debug.print("{} {}", x)
    return x


def no_name(x):
    rg.debug.print("{y}", x=x)
    return x


def no_format(x):
    rg.debug.print("{:d}", x)
    return x


@pytest.mark.parametrize(
    ("f", "name", "text"),
    [(not_shown, "ValueError", "arguments 0, y"), (too_few, "IndexError", "out of range"),
     (no_name, "KeyError", "y"), (no_format, "ValueError", "format code 'd'")],
)  # fmt: skip
def test_formats_that_do_not_fit(f, name, text):
    for run in (f, rg.jit(f), rg.grad(f)):
        result, out = heard(lambda run=run: run(1.5))
        assert result.startswith(name)
        assert text in result
        assert out == ""


def an_f_string(x):
    rg.debug.print(f"{x} {{}}", x)
    return x


def no_text(x):
    rg.debug.print(x)
    return x


def an_attribute(x):
    rg.debug.print("{x.real}", x=x)
    return x


def of_the_run(x):
    rg.debug.print("{:{width}}", x, width=int(x))
    return x


@pytest.mark.parametrize("f", [an_f_string, no_text, an_attribute, of_the_run])
def test_refused(f):
    with pytest.raises((UserError, Limitation)) as caught:
        rg.jit(f)(3.0)
    assert caught.value.code == "RG0126"
    assert caught.value.span is not None
    assert caught.value.way_out
