"""Machine code of random words: the rounds of Philox (`retrograd.draws`) for a block of four."""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.draws import BUMPS, FACTORS, ROUNDS
from retrograd.ir.terms import Prim, Stm
from retrograd.prims.shape import EXTENT_MESSAGE

__all__ = ["RANDOM_TEXT", "random_bits"]

_PURE = "nounwind willreturn"


def random_bits(gen: Gen, stm: Stm, expr: Prim) -> Sequence[AnyValue]:
    """One word, or an array of them."""
    key, start, *count = (("i64", gen.scalar(a)) for a in expr.args)
    if not count:
        return [gen.f.call("i64", "rg_random_word", [key, start])]
    (extent,) = count
    good = gen.f.value(f"icmp sge i64 {extent[1]}, 0")
    gen.require(good, "ValueError", EXTENT_MESSAGE, stm.prov.span)
    target = gen.allocate(stm.outs[0].type, [extent[1]])
    gen.f.call_void("rg_random_words", [("ptr", target.ptr), key, start, extent])
    return [target]


def _signed(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


_BLOCK = "{i64, i64, i64, i64}"
_FIRST, _SECOND = map(_signed, FACTORS)

RANDOM_TEXT = f"""
define internal {_BLOCK} @rg_random_block(i64 %key, i64 %number) memory(none) {_PURE} {{
entry:
  %counter = add i64 %number, 1
  br label %round
round:
  %k = phi i64 [0, %entry], [%k1, %round]
  %a = phi i64 [%counter, %entry], [%a1, %round]
  %b = phi i64 [0, %entry], [%low2, %round]
  %c = phi i64 [0, %entry], [%c1, %round]
  %d = phi i64 [0, %entry], [%low1, %round]
  %key1 = phi i64 [%key, %entry], [%bumped1, %round]
  %key2 = phi i64 [0, %entry], [%bumped2, %round]
  %wide1 = zext i64 %a to i128
  %wide2 = zext i64 %c to i128
  %product1 = mul i128 %wide1, {FACTORS[0]}
  %product2 = mul i128 %wide2, {FACTORS[1]}
  %top1 = lshr i128 %product1, 64
  %top2 = lshr i128 %product2, 64
  %high1 = trunc i128 %top1 to i64
  %high2 = trunc i128 %top2 to i64
  %low1 = mul i64 %a, {_FIRST}
  %low2 = mul i64 %c, {_SECOND}
  %mixed1 = xor i64 %high2, %b
  %mixed2 = xor i64 %high1, %d
  %a1 = xor i64 %mixed1, %key1
  %c1 = xor i64 %mixed2, %key2
  %bumped1 = add i64 %key1, {_signed(BUMPS[0])}
  %bumped2 = add i64 %key2, {_signed(BUMPS[1])}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, {ROUNDS}
  br i1 %more, label %round, label %done
done:
  %r0 = insertvalue {_BLOCK} poison, i64 %a1, 0
  %r1 = insertvalue {_BLOCK} %r0, i64 %low2, 1
  %r2 = insertvalue {_BLOCK} %r1, i64 %c1, 2
  %r3 = insertvalue {_BLOCK} %r2, i64 %low1, 3
  ret {_BLOCK} %r3
}}

define internal i64 @rg_random_word(i64 %key, i64 %place) noinline memory(none) {_PURE} {{
  %number = lshr i64 %place, 2
  %block = call {_BLOCK} @rg_random_block(i64 %key, i64 %number)
  %w0 = extractvalue {_BLOCK} %block, 0
  %w1 = extractvalue {_BLOCK} %block, 1
  %w2 = extractvalue {_BLOCK} %block, 2
  %w3 = extractvalue {_BLOCK} %block, 3
  %lane = and i64 %place, 3
  %is1 = icmp eq i64 %lane, 1
  %is2 = icmp eq i64 %lane, 2
  %is3 = icmp eq i64 %lane, 3
  %to1 = select i1 %is1, i64 %w1, i64 %w0
  %to2 = select i1 %is2, i64 %w2, i64 %to1
  %to3 = select i1 %is3, i64 %w3, i64 %to2
  ret i64 %to3
}}

define internal void @rg_random_words(ptr %to, i64 %key, i64 %start, i64 %count) noinline {_PURE} {{
entry:
  %past = sub i64 0, %start
  %lead = and i64 %past, 3
  %head = call i64 @llvm.smin.i64(i64 %lead, i64 %count)
  br label %before
before:
  %i = phi i64 [0, %entry], [%i1, %one]
  %early = icmp slt i64 %i, %head
  br i1 %early, label %one, label %whole
one:
  %place = add i64 %start, %i
  %word = call i64 @rg_random_word(i64 %key, i64 %place)
  %at = getelementptr i64, ptr %to, i64 %i
  store i64 %word, ptr %at
  %i1 = add i64 %i, 1
  br label %before
whole:
  %j = phi i64 [%head, %before], [%j4, %four]
  %j4 = add i64 %j, 4
  %fits = icmp sle i64 %j4, %count
  br i1 %fits, label %four, label %after
four:
  %from = add i64 %start, %j
  %number = lshr i64 %from, 2
  %block = call {_BLOCK} @rg_random_block(i64 %key, i64 %number)
  %x0 = extractvalue {_BLOCK} %block, 0
  %x1 = extractvalue {_BLOCK} %block, 1
  %x2 = extractvalue {_BLOCK} %block, 2
  %x3 = extractvalue {_BLOCK} %block, 3
  %p0 = getelementptr i64, ptr %to, i64 %j
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %p3 = getelementptr i64, ptr %p0, i64 3
  store i64 %x0, ptr %p0
  store i64 %x1, ptr %p1
  store i64 %x2, ptr %p2
  store i64 %x3, ptr %p3
  br label %whole
after:
  %m = phi i64 [%j, %whole], [%m1, %last]
  %late = icmp slt i64 %m, %count
  br i1 %late, label %last, label %done
last:
  %spot = add i64 %start, %m
  %extra = call i64 @rg_random_word(i64 %key, i64 %spot)
  %put = getelementptr i64, ptr %to, i64 %m
  store i64 %extra, ptr %put
  %m1 = add i64 %m, 1
  br label %after
done:
  ret void
}}
"""
"""`rg_random_word(key, place)`, and `rg_random_words`, which fills an array."""
