"""Large products of matrices by SciPy's BLAS, on one thread.

Native code finds the library through a table of addresses, which is filled when the first large
product is met: importing SciPy takes longer than most programs. OpenBLAS splits a product between
threads in a way that changes its last bits, and its number of threads belongs to the process. So
native code sets it to one while products of ours run, the first to come saving and the last to
leave restoring it. A BLAS without that control is left alone: native code then uses its own loops.
"""

from __future__ import annotations

import ctypes
import importlib
from functools import cache
from typing import Any

__all__ = ["BLAS_FIELDS", "blas_offset", "blas_table"]

BLAS_FIELDS = ("dgemm", "get_threads", "set_threads", "lock", "active", "saved", "load")
"""The words of the table. `load` is a function that fills the first three."""

_PREFIXES = ("scipy_openblas", "openblas")
_LOADER = ctypes.CFUNCTYPE(None)


def blas_offset(name: str) -> int:
    """Byte offset of a word of the table."""
    return 8 * BLAS_FIELDS.index(name)


class _Table:
    """The words, and the loader that they point to."""

    __slots__ = ("loader", "words")

    def __init__(self) -> None:
        self.words = (ctypes.c_uint64 * len(BLAS_FIELDS))()
        self.loader = _LOADER(self.load)
        self._set("load", ctypes.cast(self.loader, ctypes.c_void_p).value or 0)

    def load(self) -> None:
        """Finds the library. The product's address is written last: its presence means ready."""
        try:
            module = importlib.import_module("scipy.linalg.cython_blas")
            library = ctypes.CDLL(module.__file__)
        except (ImportError, OSError):
            return
        capsule = module.__pyx_capi__["dgemm"]
        for prefix in _PREFIXES:
            get = getattr(library, f"{prefix}_get_num_threads", None)
            change = getattr(library, f"{prefix}_set_num_threads", None)
            if get is not None and change is not None:
                self._set("get_threads", _address(get))
                self._set("set_threads", _address(change))
                self._set("dgemm", _capsule_address(capsule))
                return

    def _set(self, name: str, value: int) -> None:
        self.words[BLAS_FIELDS.index(name)] = value


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


def blas_table() -> int:
    """The address of this process's table."""
    return ctypes.addressof(_table().words)
