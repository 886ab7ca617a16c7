"""Large products of matrices by SciPy's BLAS, and factorisations by its LAPACK, on one thread.

Native code finds the libraries through a table of addresses, which is filled when the first large
product or factorisation is met: importing SciPy takes longer than most programs. OpenBLAS splits
its work between threads in a way that changes last bits, and its number of threads belongs to the
process. So native code sets it to one while routines run for it, the first to come saving and the
last to leave restoring it. A BLAS without that control is left alone: native code then multiplies
with loops of its own, and LAPACK runs with the threads that it has.
"""

from __future__ import annotations

import ctypes
import importlib
from functools import cache
from typing import Any

__all__ = ["FIELDS", "LAPACK", "library_offset", "library_table"]

LAPACK = (
    "dgetrf", "dgetrs", "dpotrf", "dtrtrs", "dsyevd", "dgesdd", "dgeqrf", "dorgqr", "dgeev",
)  # fmt: skip
"""The routines of LAPACK that native code calls."""

FIELDS = ("dgemm", "get_threads", "set_threads", "lock", "active", "saved", "load", *LAPACK)
"""The words of the table. `load` is a function that fills the others."""

_PREFIXES = ("scipy_openblas", "openblas")
_LOADER = ctypes.CFUNCTYPE(None)


def library_offset(name: str) -> int:
    """Byte offset of a word of the table."""
    return 8 * FIELDS.index(name)


class _Table:
    """The words, and the loader that they point to."""

    __slots__ = ("loader", "words")

    def __init__(self) -> None:
        self.words = (ctypes.c_uint64 * len(FIELDS))()
        self.loader = _LOADER(self.load)
        self._set("load", ctypes.cast(self.loader, ctypes.c_void_p).value or 0)

    def load(self) -> None:
        """Finds the libraries. An address of a routine is written last: its presence means ready.

        Threads have to be known before, or a routine would run on many.
        """
        try:
            module = importlib.import_module("scipy.linalg.cython_blas")
            lapack = importlib.import_module("scipy.linalg.cython_lapack")
            library = ctypes.CDLL(module.__file__)
        except (ImportError, OSError):
            return
        controlled = self._threads(library)
        for name in LAPACK:
            self._set(name, _capsule_address(lapack.__pyx_capi__[name]))
        if controlled:
            self._set("dgemm", _capsule_address(module.__pyx_capi__["dgemm"]))

    def _threads(self, library: ctypes.CDLL) -> bool:
        """Finds the functions that say on how many threads the library runs; whether there are."""
        for prefix in _PREFIXES:
            get = getattr(library, f"{prefix}_get_num_threads", None)
            change = getattr(library, f"{prefix}_set_num_threads", None)
            if get is not None and change is not None:
                self._set("get_threads", _address(get))
                self._set("set_threads", _address(change))
                return True
        return False

    def _set(self, name: str, value: int) -> None:
        self.words[FIELDS.index(name)] = value


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _capsule_address(capsule: object) -> int:
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
        ("PyCapsule_GetName", ctypes.pythonapi)
    )
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    return pointer_of(capsule, name_of(capsule)) or 0


@cache
def _table() -> _Table:
    return _Table()


def library_table() -> int:
    """The address of this process's table."""
    return ctypes.addressof(_table().words)
