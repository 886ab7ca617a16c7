"""Compiles elementary functions into loops and single calls, and knows their true values."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm
import mpmath
import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.math import emit
from retrograd.backends.llvm.math.kernels import KERNELS
from retrograd.draws import quantile

Array = NDArray[np.float64]

# x87's extended precision has 11 bits more than a double: enough to measure hundredths of an ulp
HAS_EXTENDED = np.finfo(np.longdouble).nmant >= 63
NUMPY_NAMES = {"pow": "power", "floordiv": "floor_divide"}
MPMATH_NAMES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "pow": "power",
}


def _loop(name: str, width: int) -> str:
    two = KERNELS[name].arity == 2
    y_load = "%y = load double, ptr %py" if two else ""
    call = f"call double @rg_{name}(double %x{', double %y' if two else ''})"
    return f"""
define void @loop_{name}(ptr noalias %xs, ptr noalias %ys, ptr noalias %out, i64 %n)
    "prefer-vector-width"="{width}" {{
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %body, label %done
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %px = getelementptr double, ptr %xs, i64 %i
  %py = getelementptr double, ptr %ys, i64 %i
  %po = getelementptr double, ptr %out, i64 %i
  %x = load double, ptr %px
  {y_load}
  %r = {call}
  store double %r, ptr %po
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}}
define double @one_{name}(double %x, double %y) noinline {{
  %r = {call}
  ret double %r
}}
"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A linked module; `ir` is what the optimiser made of it."""

    engine: llvm.LLJIT
    library: llvm.ResourceTracker
    ir: str

    def over(self, name: str, *arrays: Array) -> Array:
        """The function applied by the loop."""
        xs = [np.ascontiguousarray(a, dtype=np.float64) for a in (arrays[0], arrays[-1])]
        out = np.empty_like(xs[0])
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
        kind(self.library[f"loop_{name}"])(*(a.ctypes.data for a in (*xs, out)), out.size)
        return out

    def each(self, name: str, *arrays: Array) -> Array:
        """The function applied to one element at a time."""
        kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)
        one = kind(self.library[f"one_{name}"])
        return np.array([one(*pair) for pair in zip(arrays[0], arrays[-1], strict=True)])

    def loop_ir(self, name: str) -> str:
        """The optimised text of the loop's function."""
        start = self.ir.index(f"@loop_{name}(")
        return self.ir[start : self.ir.index("\n}", start)]


def compiled(
    names: Sequence[str], *, inline: bool = True, width: int = 256, cpu: str | None = None
) -> Compiled:
    """Optimises and links loops over `names`, for the host or for a plainer processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()

    def machine() -> llvm.TargetMachine:
        features = "" if cpu else llvm.get_host_cpu_features().flatten()
        target = llvm.Target.from_triple(llvm.get_process_triple())
        return target.create_target_machine(
            cpu=cpu or llvm.get_host_cpu_name(), features=features, opt=3, reloc="pic", jit=True
        )

    text = emit(names, inline=inline) + "".join(_loop(name, width) for name in names)
    module = llvm.parse_assembly(text)
    module.verify()
    optimiser = machine()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(optimiser, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_lljit_compiler(machine())
    parts = llvm.JITLibraryBuilder().add_ir(str(module)).add_current_process()
    for name in names:
        parts = parts.export_symbol(f"loop_{name}").export_symbol(f"one_{name}")
    return Compiled(engine, parts.link(engine, "math"), str(module))


def numpy_value(name: str, *arrays: NDArray[np.floating]) -> NDArray[np.floating]:
    """NumPy's value, in the precision of the arguments; erf by the standard library."""
    if name == "erf":
        return np.array([math.erf(v) for v in arrays[0]])
    if name == "quantile":
        return quantile(arrays[0])
    with np.errstate(all="ignore"):
        return getattr(np, NUMPY_NAMES.get(name, name))(*arrays)


def _exact(name: str, *args: float) -> mpmath.mpf:
    with mpmath.workprec(1500 if max(map(abs, args)) > 1e9 else 240):
        exact = [mpmath.mpf(v) for v in args]
        if name in ("log2", "log10"):
            return mpmath.log(exact[0]) / mpmath.log(int(name[3:]))
        if name == "quantile":
            return mpmath.sqrt(2) * mpmath.erfinv(2 * exact[0])
        function = getattr(mpmath, MPMATH_NAMES.get(name, name))
        return +function(*exact)


def mpmath_errors(name: str, got: Array, *arrays: Array) -> Array:
    """Errors in units in the last place, by arbitrary-precision arithmetic."""
    errors: list[float] = []
    for value, *args in zip(got.tolist(), *(a.tolist() for a in arrays), strict=True):
        true = _exact(name, *args)
        if true == 0 or not math.isfinite(float(true)):
            errors.append(0.0 if value == float(true) else math.inf)
            continue
        with mpmath.workprec(240):
            ulp = mpmath.ldexp(1, max(mpmath.frexp(true)[1] - 53, -1074))
            errors.append(float(abs(mpmath.mpf(value) - true) / ulp))
    return np.array(errors)


def extended_errors(name: str, got: Array, *arrays: Array) -> Array:
    """The same by extended precision: exact to about 0.001."""
    true = numpy_value(name, *(a.astype(np.longdouble) for a in arrays))
    with np.errstate(over="ignore"):
        rounded = true.astype(np.float64)
    finite = np.isfinite(rounded) & (true != 0)
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    exponent = np.frexp(np.where(finite, true, 1.0))[1]
    ulp = np.ldexp(np.longdouble(1), np.maximum(exponent - 53, -1074))
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(np.longdouble) - true) / ulp
    distance = np.where(np.isnan(distance), np.inf, distance)
    return np.where(finite, distance, np.where(same, 0.0, np.inf)).astype(np.float64)
