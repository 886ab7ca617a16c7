"""Where repeated statements stand in reverse code, and what that does to the peak of memory."""

from __future__ import annotations

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Function, Prim, Stm
from retrograd.ir.types import DType, Type
from retrograd.transforms.ad.vjp.placement import just_before_use
from retrograd.transforms.ad.vjp.residuals import Residuals
from tests.backends.llvm.native import parsed
from tests.transforms.ad.vjp.support import lowered, with_vjp

CHAIN = """program f

function f(w: f64[2], x: f64[2]) -> (f64):
  a: f64[2] = matmul(w, x; span=none)
  b: f64[2] = sin(a)
  c: f64[2] = matmul(w, b; span=none)
  d: f64[2] = sin(c)
  e: f64[2] = matmul(w, d; span=none)
  g: f64[2] = sin(e)
  s: f64 = reduce_sum(g; axes=(0, 1), keepdims=false)
  return s
"""


def reverse_of(program: str) -> Function:
    made = lowered(with_vjp(parsed(program), (0, 1)))
    return next(f for f in made.functions if "_rev" in f.name)


def test_an_array_is_repeated_just_before_it_is_used() -> None:
    stms = reverse_of(CHAIN).body.stms
    made = [k for k, s in enumerate(stms) if isinstance(s.expr, Prim) and s.expr.op == "sin"]
    assert len(made) == 2
    for k in made:
        assert stms[k].outs[0] in stms[k + 1].expr.args  # type: ignore[union-attr]


ARRAY = Type(DType.F64, 1)


def test_what_alone_reads_larger_recorded_arrays_stays_at_the_head() -> None:
    names = NameSupply()
    a, b, c, d, e, f = (names.var(n, ARRAY) for n in "abcdef")
    both = Stm((c,), Prim("add", (a, b)))
    one = Stm((d,), Prim("sin", (a,)))
    other = Stm((e,), Prim("cos", (e,)))
    reverse = Block((other, Stm((f,), Prim("mul", (c, c)))), (f,))
    found = just_before_use(Residuals((a, b), ((0, both),), {}), reverse, (), 100.0)
    assert found.repeated == ((0, both),)
    read = Block((other, Stm((f,), Prim("mul", (c, d)))), (f,))
    found = just_before_use(Residuals((a, b), ((0, both), (0, one)), {}), read, (), 100.0)
    assert found.repeated == ((1, both), (1, one))


def test_what_is_read_of_a_version_that_is_restored_keeps_its_place() -> None:
    names = NameSupply()
    a, b, c = (names.var(n, ARRAY) for n in "abc")
    made = Stm((b,), Prim("sin", (a,)))
    reverse = Block((Stm((), Prim("pop", ())), Stm((c,), Prim("mul", (b, b)))), (c,))
    kept = just_before_use(Residuals((), ((0, made),), {}), reverse, (a,), 100.0)
    assert kept.repeated == ((0, made),)
    assert just_before_use(Residuals((), ((0, made),), {}), reverse, (), 100.0).repeated == (
        (1, made),
    )
