"""`rg.jvp` of `(x + 1.0) * 10.0 + (x + 5.0)` ended the process.

LLVM 22's SLP vectoriser puts the two `fma` of value and tangent into a vector, with `x_dot` beside
`x + 1.0`, and fails an assertion when it orders the instructions.
"""

from __future__ import annotations

import re

from retrograd.backends.llvm.jit import object_code

TEXT = """
declare double @llvm.fma.f64(double, double, double)

define void @f(ptr noalias %from, ptr noalias %to) {
  %x = load double, ptr %from
  %next = getelementptr i64, ptr %from, i64 1
  %x_dot = load double, ptr %next
  %a = fadd double %x, 1.0
  %b = fadd double %x, 5.0
  %y = call double @llvm.fma.f64(double %a, double 10.0, double %b)
  %y_dot = call double @llvm.fma.f64(double %x_dot, double 10.0, double %x_dot)
  store double %y, ptr %to
  %after = getelementptr i64, ptr %to, i64 1
  store double %y_dot, ptr %after
  ret void
}
"""


def test_llvm_takes_it() -> None:
    assert re.match(b"\\x7fELF", object_code(TEXT))
