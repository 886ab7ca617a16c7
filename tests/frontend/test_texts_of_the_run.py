"""Texts that show numbers of the run, in lists, where paths meet, and as results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from tests.frontend.harness import agree, slopes_of


@dataclass
class Event:
    time: float
    note: str


class Recorder:
    def __init__(self, name):
        self.name, self.lines, self.last, self.total = name, [], "", 0.0

    def add(self, value, note):
        self.lines.append(f"{self.name}: {note}")
        self.last = note
        self.total += value


def logged(x, n):
    """What is only noted has no influence on the numbers."""
    log, line, table, events = ["start"], "", {}, []
    recorder = Recorder("run")
    for k in range(n):
        x = x * 1.5 if k % 2 else np.sin(x)
        line += f"{x:.2f};"
        log.append(f"step {k}: {x:.3f}" if x > 0.5 else "small")
        table[k] = f"{x!r}".upper()
        events.append(Event(x, f"{x:5.2f} at {k}"))
        recorder.add(x, f"{k} of {n}")
    if n > 90:
        raise ValueError("; ".join(log) + line)
    copies = [note.strip()[:4].center(9) for note in log]
    return sum(e.time for e in events) * len(copies) + recorder.total + len(table)


def results(x, n):
    return {"name": f"run {n}", "all": (f"{x:.2f}", f"{n:>6}|")}, [str(x), "x"]


def chosen(x, n):
    return "none" if n > 2 else None, f"{'a' if n > 1 else 'b'}{x:.1f}", x


@pytest.mark.parametrize("f", [logged, results, chosen])
@pytest.mark.parametrize("n", [0, 2, 5])
def test_the_value_is_that_of_python(f, n):
    agree(f, 0.7, n)
    assert rg.jit(f)(0.7, n) == pytest.approx(f(0.7, n)) if f is logged else f(0.7, n)


def test_slopes_are_those_of_the_numbers():
    assert slopes_of(lambda x: logged(x[0], 4) * x[1], np.array([0.7, 2.0])).shape == (2,)


def noted(x, n):
    log, line = [], "a"
    for k in range(n):
        line = line + f" {x * k:.1f}"
        log.append(f"{x * k:.1f}")
    return line, log


ASKED = [
    (lambda line, log: line == "a", "compared"),
    (lambda line, log: 1.0 if line else 2.0, "depends on a text"),
    (lambda line, log: "0" in line, "looked into"),
    (lambda line, log: line[0] == "a", "this part"),
    (lambda line, log: len(line.split()), "at compile time"),
    (lambda line, log: "0.7" in log, "depends on a text"),
    (lambda line, log: log.count("0.7"), "depends on a text"),
    (lambda line, log: len(sorted(log)), "depends on a text"),
    (lambda line, log: log[0] == log[1], "compared"),
    (lambda line, log: {"a": 1.0}[line], "compared"),
    (lambda line, log: len(set(log)), "depends on a text"),
]


@pytest.mark.parametrize(("ask", "words"), ASKED)
def test_nothing_may_depend_on_a_text_that_is_not_kept(ask, words):
    with pytest.raises(UserError, match=f"RG0126.*{words}"):
        rg.jit(lambda x, n: ask(*noted(x, n)) * x)(0.7, 2)


def shows(x, n):
    print(noted(x, n)[0])
    return x


def raises(x, n):
    line, _ = noted(x, n)
    raise ValueError(f"at {x}: {line}")


def test_it_is_not_shown():
    with pytest.raises(UserError, match=r"RG0126.*not kept"):
        rg.grad(shows)(0.7, 2)
    with pytest.raises(ValueError, match="<a text of the run>"):
        rg.jit(raises)(0.7, 2)
    for f in (noted, lambda x, n: noted(x, n)[1]):
        with pytest.raises(Limitation, match="RG0103.*that the run puts together"):
            rg.jit(f)(0.7, 2)
