"""Numbers of NumPy's, where that is known.

Python's and NumPy's numbers are the same here but for a few operations: truth values of NumPy's add
up to truth values, and `~` gives the other one, while Python's are ints.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrograd.frontend.values.kinds import Scalar, TupleValue, Value

__all__ = ["gives_numpy", "of_numpy"]

_GIVING_PYTHON: tuple[object, ...] = (
    np.allclose, np.array_equal, np.count_nonzero, np.imag, np.iscomplexobj, np.isrealobj,
    np.isscalar, np.issubdtype, np.iterable, np.ndim, np.real, np.shape, np.size,
)  # fmt: skip


def of_numpy(value: Value) -> Value:
    """A value with the fact that its numbers are NumPy's."""
    if isinstance(value, Scalar):
        return value if value.numpy else replace(value, numpy=True)
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(map(of_numpy, value.items)))
    return value


def gives_numpy(function: object) -> bool:
    """Whether the numbers that a function of a library gives are NumPy's."""
    module = str(getattr(function, "__module__", None) or "")
    return module.startswith("numpy") and not any(function is one for one in _GIVING_PYTHON)
