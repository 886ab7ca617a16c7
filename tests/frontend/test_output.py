"""What a program prints, logs and warns of: every line once, in order, whatever is asked for."""

import contextlib
import io
import logging
import sys
import warnings

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.cps.continuations import by_continuations
from retrograd.backends.cps.convert import by_segments
from retrograd.backends.cps.runs import primops
from retrograd.errors import Limitation, UserError
from retrograd.prims import DEFAULT
from tests.frontend.harness import interpreted, traced

LOGGER = logging.getLogger("of.a.program")


def heard(run):
    """The result, or error, with all that is printed, logged and warned of meanwhile."""
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    LOGGER.addHandler(handler)
    try:
        with (
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as given,
        ):  # fmt: skip
            warnings.simplefilter("always")
            try:
                result = run()
            except (ValueError, ZeroDivisionError) as error:
                result = repr(error)
    finally:
        LOGGER.removeHandler(handler)
    told = [(str(w.message), w.category, w.lineno) for w in given]
    return result, (out.getvalue(), err.getvalue(), log.getvalue(), told)


def shown(x, k):
    print("in", k)
    return x * k


def program(x, n):
    total = 0.0
    print("begin", n, True, None, (x, n), sep=", ", end=";\n")
    for _ in range(2):
        print("the same")
    for k in range(n):
        total += shown(x, k) + shown(x, k)
        if total > 5.0:
            print(f"{total=:.3f}", file=sys.stderr)
        try:
            total += x / (k - 1)
        except ZeroDivisionError as error:
            LOGGER.warning("%s at %d", error, k)
    shown(x, n)
    LOGGER.debug("not shown %f", x)
    warnings.warn(f"total is {total:.1f}", RuntimeWarning, stacklevel=1)
    if n > 5:
        raise ValueError(f"{n} is too many")
    return total * x


WAYS = (
    rg.jit(program), rg.grad(program), rg.grad(program, memory="1MB"), rg.value_and_grad(program),
    rg.jacfwd(program), rg.jacrev(program), rg.hessian(program), rg.grad(rg.grad(program)),
    lambda x, n: rg.jvp(lambda y: program(y, n), (x,), (1.0,)),
    lambda x, n: rg.vjp(lambda y: program(y, n), x)[1](1.0),
    lambda x, n: interpreted(program, x, n),
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_line_is_there_once(way):
    for n in (3, 6, 3):
        _, want = heard(lambda n=n: program(1.5, n))
        if n > 5 and way == len(WAYS) - 1:
            continue  # the interpreter raises what stands for the exception
        assert heard(lambda n=n: WAYS[way](1.5, n))[1] == want
    assert want[0].count("the same") == 2
    assert len(want[3]) == 1


def test_results_and_errors_are_those_of_silent_programs():
    assert heard(lambda: WAYS[0](1.5, 3))[0] == pytest.approx(heard(lambda: program(1.5, 3))[0])
    assert heard(lambda: WAYS[1](1.5, 6))[0] == heard(lambda: program(1.5, 6))[0]
    slope = (heard(lambda: program(1.5 + 1e-6, 3))[0] - heard(lambda: program(1.5, 3))[0]) / 1e-6
    assert heard(lambda: WAYS[1](1.5, 3))[0] == pytest.approx(slope, rel=1e-5)


def test_the_evaluators_print():
    found = traced(program, 1.5, 3).program
    _, want = heard(lambda: program(1.5, 3))
    for made in (by_continuations(found, DEFAULT), by_segments(found, DEFAULT)):
        assert heard(lambda made=made: primops(made, (1.5, 3)))[1] == want


def test_arguments_are_not_changed_by_the_run_that_prints():
    def f(v, n):
        for k in range(n):
            v[k] = v[k] * 2.0
            print(v[k])
        return np.sum(v)

    v = np.arange(3.0)
    result, (out, *_) = heard(lambda: rg.grad(f)(v, 3))
    assert out == "0.0\n2.0\n4.0\n"
    assert (result.tolist(), v.tolist()) == ([2.0, 2.0, 2.0], [0.0, 1.0, 2.0])


def test_a_warning_that_is_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="total is"):
            heard_quietly(lambda: rg.jit(program)(1.5, 2))


def heard_quietly(run):
    with contextlib.redirect_stdout(io.StringIO()):
        return run()


def test_lines_of_large_loops_are_in_order():
    def f(x, n):
        for k in range(n):
            if k % 1000 == 0:
                print(k, x)
            x = x * 1.0001
        return x

    want = heard(lambda: f(1.0, 5000))
    assert heard(lambda: rg.jit(f)(1.0, 5000))[1] == want[1]
    assert heard(lambda: rg.grad(f, memory="20kB")(1.0, 5000))[1] == want[1]


def derivatives_inside(x, n):
    total = 0.0
    for k in range(n):
        total += rg.grad(shown_square)(x, k) + rg.value_and_grad(shown_square)(x, 7)[0]
    y, pullback = rg.vjp(lambda u: shown_square(u, 2) * x, x)
    total += y * pullback(1.0)[0]
    total += rg.jvp(lambda u: shown_square(u, 3), (x,), (1.0,))[1]
    total += rg.grad(rg.grad(shown_square))(x, 5)
    v = np.array([x, 2.0 * x])
    total += np.sum(rg.jacfwd(shown_rows)(v)) + np.sum(rg.jacrev(shown_rows)(v))
    return total


def shown_square(x, k):
    return shown(x, k) * x


def shown_rows(v):
    print("rows", v[0])
    v[0] = v[0] * v[1]
    return v * v


def test_derivatives_inside_print_once():
    result, want = heard(lambda: derivatives_inside(1.5, 2))
    assert want[0].count("in ") == 4 + 3
    assert want[0].count("rows") == 2
    for way in (rg.jit(derivatives_inside), rg.grad(derivatives_inside, memory="1MB")):
        assert heard(lambda way=way: way(1.5, 2))[1] == want
    assert heard(lambda: rg.jit(derivatives_inside)(1.5, 2))[0] == pytest.approx(result, rel=1e-12)
    slope = rg.grad(derivatives_inside)
    ends = [heard(lambda d=d: derivatives_inside(1.5 + d, 2))[0] for d in (1e-6, -1e-6)]
    assert heard(lambda: slope(1.5, 2))[0] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def finally_prints(x, n):
    total = 0.0
    for k in range(n):
        try:
            if k == 2:
                continue
            total += x * k
        finally:
            print("done with", k)
    return total


def test_finally_prints():
    want = heard(lambda: finally_prints(1.5, 4))
    assert heard(lambda: rg.jit(finally_prints)(1.5, 4)) == want
    assert want[1][0].count("done") == 4


def prints_to_a_file(x):
    print(x, file=io.StringIO())
    return x


def paid_inside(x):
    return rg.grad(lambda y: shown(y, 2) * y, memory="1MB")(x)


def shows_much(x):
    if x > 0.0:
        raise ValueError(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8)
    return x


@pytest.mark.parametrize(
    ("f", "code"), [(paid_inside, "RG0128"), (prints_to_a_file, "RG"), (shows_much, "RG0126")]
)
def test_refused(f, code):
    with pytest.raises((UserError, Limitation)) as caught:
        rg.jit(f)(1.0)
    assert caught.value.code.startswith(code)
    assert caught.value.span is not None
    assert caught.value.way_out


def shows_many(x):
    print([x + k for k in range(9)], x, *(x * k for k in range(10)), sep="; ", end="!\n")
    return x


def test_a_line_of_many_numbers(capfd) -> None:
    rg.jit(shows_many)(0.5)
    ours = capfd.readouterr().out
    shows_many(0.5)
    assert ours == capfd.readouterr().out
