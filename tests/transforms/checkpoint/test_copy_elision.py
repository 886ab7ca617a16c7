"""Elements on the tape instead of copies: where, that results stay, and what is allocated."""

from __future__ import annotations

import numpy as np

from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.checkpoint.copy_elision import record_elements
from retrograd.transforms.cleanup import DEAD_CODE
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import agree, compiled, native, ready
from tests.transforms.support import after, ops, program, renamed

RECORDS = Pass("records", "elements are recorded instead of copies", record_elements)

HEAD = "(x: f64[1], n: i64) -> (f64)"

SWEEPS = """
a: f64[1] = copy(x)
b: f64[1] = for i < n with (y: f64[1] = a):
    k: f64[1] = copy(y)
    push(n, k; site="s")
    z: f64[1] = update(y, 2.0, i; checked=true, span=none)
    yield z
r: f64 = for j < n with (t: f64 = 0.0) descending:
    m: i64, w: f64[1] = pop(; site="s", types=("i64", "f64[1]"))
    {read}
    v: f64 = add(t, u)
    yield v
return r"""

READ = "u: f64 = index(w, j; checked=true, span=none)"
OTHER = READ.replace("w,", "w_1,")
WRITTEN = "w_1: f64[1] = update(w, 1.0, 0; checked=true, span=none)\n    " + READ.replace(
    "w,", "w_1,"
)
VIEW = "w_1: f64[1] = reshape(w, n)\n    " + OTHER
PUSHED = 'push(t; site="q")\n    ' + READ + '\n    o: f64 = pop(; site="q", types=("f64",))'


def held(source: Program) -> int:
    """How many pushes and pops hold elements."""
    stms = (s.expr for f in source.functions for s in stms_deep(f.body))
    return sum(isinstance(e, Prim) and "held" in dict(e.params) for e in stms)


def sweeps(read: str = READ) -> Program:
    return program(HEAD, SWEEPS.format(read=read))


def test_elements_are_pushed_and_read_where_they_lie() -> None:
    source = sweeps()
    done = after(source, RECORDS, DEAD_CODE)
    assert held(done) == 2
    assert ops(done).count("copy") == ops(source).count("copy") - 1
    assert print_program(parse_program(print_program(done))) == print_program(done)
    args = (np.array([3.0, 4.0, 5.0]), 3)
    assert agree(renamed(done), args) == agree(renamed(source), args) == [12.0]


def test_no_buffers_are_made_for_what_is_recorded() -> None:
    args = (np.arange(3.0), 3)
    counts: list[int] = []
    for source in (sweeps(), after(sweeps(), RECORDS, DEAD_CODE)):
        context = ready()
        native(compiled(renamed(source)), args, context)
        counts.append(context.get("allocations"))
        assert context.get("tape_peak") == 8 * 3 * (1 + 2 + 3)
    assert counts == [counts[1] + 3, counts[1]]


def test_what_is_written_viewed_or_followed_by_pushes_is_a_buffer() -> None:
    for read in (WRITTEN, VIEW, PUSHED):
        source = sweeps(read)
        assert held(after(source, RECORDS)) == 0, read


def test_arrays_without_elements() -> None:
    body = """
a: f64[1] = copy(x)
k: f64[1] = copy(a)
push(n, k; site="s")
m: i64, w: f64[1] = pop(; site="s", types=("i64", "f64[1]"))
d: i64 = dim(w; axis=0)
r: f64 = convert(d; dtype="f64")
return r"""
    done = after(program(HEAD, body), RECORDS, DEAD_CODE)
    assert held(done) == 2
    assert agree(renamed(done), (np.zeros(0), 1)) == [0.0]


def test_what_may_leave_memory_is_a_buffer_of_its_own() -> None:
    mark = 'offloaded=((1, "/scratch"),), site="s"'
    source = program(HEAD, SWEEPS.format(read=READ).replace('site="s"', mark))
    done = after(source, RECORDS, DEAD_CODE)
    assert held(done) == 0
    assert print_program(parse_program(print_program(done))) == print_program(done)
