"""A call of a library function: real, by the written program, interpreted, compiled."""

from __future__ import annotations

import ast
import builtins
import linecache
import math
import warnings
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.csgraph
import scipy.spatial.distance
import scipy.special
import scipy.stats

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.identity.specs import ArgSpec, spec_of
from retrograd.frontend.library import plain_linalg, plain_scipy
from retrograd.frontend.library.plain_numpy import PLAIN
from retrograd.frontend.library.plain_special import PLAIN as SPECIAL
from retrograd.frontend.library.plain_stats import PLAIN as STATS
from retrograd.frontend.trace import Traced, trace_function
from retrograd.ir.check import check_program
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError
from tests.frontend.harness import evaluated, same
from tests.frontend.library.cases.rows import ARGUMENTS, Row

__all__ = ["agree", "function_of", "generated", "names_of"]

Function = Callable[..., Any]
# What NumPy's own source runs into where it does not check a rank.
ACCIDENTS = (AttributeError, TypeError, IndexError)
RAISED = (
    ArithmeticError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    RuntimeError,
    UserError,
)


class _Written:
    """A module, with the functions that have been written out in place of the real ones."""

    def __init__(self, module: Any = np) -> None:
        self.module = module
        every = (*PLAIN, *SPECIAL, *STATS, *plain_linalg.NUMPY)
        every += (*plain_linalg.of_scipy(scipy.linalg), *plain_scipy.loaded())
        self.programs = {plain.real: plain.program for plain in every}

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.module, name)
        if isinstance(real, ModuleType) or type(real).__module__.startswith("scipy.stats"):
            return _Written(real)
        return self.programs.get(real, real) if callable(real) else real


def names_of(row: Row) -> tuple[str, ...]:
    """The arguments that a row names, in its order."""
    found = [n.id for n in ast.walk(ast.parse(row.text)) if isinstance(n, ast.Name)]
    return tuple(dict.fromkeys(n for n in found if n in ARGUMENTS))


@cache
def _numpy_written() -> _Written:
    """NumPy, with the functions that have been written out."""
    return _Written()


@cache
def function_of(row: Row, numpy: Any = np) -> Function:
    """The row as a function of its arguments."""
    text = f"def f({', '.join(names_of(row))}):\n    return {row.text}\n"
    file = f"<{row.text}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": numpy, "sp": scipy.special, "st": scipy.stats}
    scope |= {"sl": scipy.linalg, "si": scipy.integrate, "ss": scipy.signal}
    scope |= {
        "sip": scipy.interpolate,
        "sn": scipy.ndimage,
        "math": math,
        "sps": scipy.sparse,
        "so": scipy.optimize,
        "sf": scipy.fft,
        "sd": scipy.spatial.distance,
        "sk": scipy.spatial,
        "sg": scipy.sparse.csgraph,
    }
    if numpy is not np:
        scope.update(sp=_Written(scipy.special), st=_Written(scipy.stats))
        scope.update(sl=_Written(scipy.linalg), si=_Written(scipy.integrate))
        scope.update(ss=_Written(scipy.signal), so=_Written(scipy.optimize))
        scope.update(sd=_Written(scipy.spatial.distance), sn=_Written(scipy.ndimage))
        scope.update(sk=_Written(scipy.spatial), sg=_Written(scipy.sparse.csgraph))
        scope.update(sip=_Written(scipy.interpolate), sf=_Written(scipy.fft))
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def outcome(call: Callable[[], Any]) -> tuple[Any, type[Exception] | None]:
    """The result, or the class of what is raised; UserError where the call is refused."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except RaisedError as error:
            return None, getattr(np.linalg, error.kind, None) or getattr(builtins, error.kind)
        except NotImplementedError:  # by `refuse`
            return None, UserError
        except RAISED as error:
            return None, type(error)


def agree(row: Row, args: tuple[Any, ...], native: bool, may_refuse: bool) -> str:
    """Asserts that all ways give the same; says how it ended."""
    f = function_of(row)
    value, kind = outcome(lambda: f(*args))
    written, own_kind = outcome(lambda: function_of(row, _numpy_written())(*args))
    if kind is None and own_kind is not None and may_refuse:
        return "refused"
    if kind is None:
        assert own_kind is None, own_kind
        _alike(written, value)
    else:
        assert own_kind is not None
        accident = issubclass(kind, ACCIDENTS) or own_kind is UserError
        assert _related(kind, own_kind) or accident, (own_kind, kind)
    for way in (_interpreted, *([_compiled] if native else [])):
        found, found_kind = outcome(lambda way=way: way(f, *args))
        if found_kind is UserError:
            assert kind is not None or may_refuse, way(f, *args)
            return "refused"
        if found_kind is None and kind is TypeError and _has_bools(args):
            continue  # numbers of bools count as Python's
        if found_kind is None or own_kind is None:
            assert found_kind is own_kind, (found_kind, own_kind)
            _alike(found, value)
        else:
            assert _related(found_kind, own_kind), (found_kind, own_kind)
    return "same" if kind is None else "raised"


def _related(one: type[Exception], other: type[Exception]) -> bool:
    return issubclass(one, other) or issubclass(other, one)


def _has_bools(args: tuple[Any, ...]) -> bool:
    return any(isinstance(a, np.ndarray) and a.dtype == np.bool_ for a in args)


@lru_cache(maxsize=16)
def _translated(f: Function, specs: tuple[ArgSpec, ...]) -> Traced:
    """`f` translated for these: many inputs are alike to it."""
    found = trace_function(f, specs)
    check_program(found.program, DEFAULT)
    return found


def _interpreted(f: Function, *args: Any) -> Any:
    return evaluated(_translated(f, tuple(map(spec_of, args))), *args)


def _compiled(f: Function, *args: Any) -> Any:
    return rg.jit(f)(*args)


def _alike(found: Any, value: Any) -> None:
    with np.errstate(all="ignore"):
        same(found, value)


def generated(row: Row) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Other inputs in the place of the first array: each with a name for its kind."""
    names = names_of(row)
    args = tuple(ARGUMENTS[name] for name in names)
    arrays = [k for k, a in enumerate(args) if isinstance(a, np.ndarray)]
    if not arrays:
        return
    place = arrays[0]
    own = args[place]
    assert isinstance(own, np.ndarray)
    for name, value in _variants(own).items():
        yield name, (*args[:place], value, *args[place + 1 :])


def _variants(own: np.ndarray) -> dict[str, Any]:
    base = np.linspace(-1.0, 2.0, 24)
    special = own.astype(float).copy() if own.dtype.kind == "f" else own.copy()
    if special.dtype.kind == "f":
        special.reshape(-1)[:2] = (np.nan, np.inf)
    return {
        "empty": own[:0], "special": special, "reversed": own[::-1],
        "strided": np.repeat(own, 2, axis=0)[::2], "rank0": 1.5, "rank1": base[:7].copy(),
        "one": base[:1].copy(), "rank2": base[:12].reshape(3, 4).copy(),
        "nocolumns": np.zeros((3, 0)), "norows": np.zeros((0, 3)),
        "rank3": base.reshape(2, 3, 4).copy(), "ints": np.arange(6).reshape(2, 3),
        "bools": np.array([True, False, True]),
    }  # fmt: skip
