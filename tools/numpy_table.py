"""The page of NumPy's and SciPy's functions that there are: `python -m tools.numpy_table`.

Names come from the tables of the front end; what is said of each is what its rows under
`tests/frontend/library/cases` try: its value, derivatives of first order in both modes, of second.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from retrograd.frontend.library import integration, plain_stats, root_finding
from retrograd.frontend.library.inquiries import REFUSED
from retrograd.frontend.library.methods import METHODS
from retrograd.frontend.library.plain import (
    curves,
    families_of_series,
    radial,
    sparse,
    sparse_solvers,
    tapers,
)
from retrograd.frontend.library.tables import library
from tests.frontend.library.cases.rows import ROWS

__all__ = ["PAGE", "main", "names", "orders", "page"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "numpy.md"
_SPACES = (
    ("np", "numpy"), ("np.linalg", "numpy.linalg"),
    ("np.polynomial", "numpy.polynomial"),
    ("np.polynomial.polynomial", "numpy.polynomial.polynomial"),
    ("np.polynomial.legendre", "numpy.polynomial.legendre"),
    ("np.polynomial.chebyshev", "numpy.polynomial.chebyshev"),
    ("np.polynomial.hermite", "numpy.polynomial.hermite"),
    ("np.polynomial.hermite_e", "numpy.polynomial.hermite_e"),
    ("np.polynomial.laguerre", "numpy.polynomial.laguerre"),
    ("scipy.special", "scipy.special"), ("scipy.linalg", "scipy.linalg"),
    ("scipy.integrate", "scipy.integrate"), ("scipy.signal", "scipy.signal"),
    ("scipy.signal.windows", "scipy.signal.windows"),
    ("scipy.ndimage", "scipy.ndimage"), ("scipy.interpolate", "scipy.interpolate"),
    ("scipy.sparse", "scipy.sparse"), ("scipy.sparse.linalg", "scipy.sparse.linalg"),
    ("scipy.sparse.csgraph", "scipy.sparse.csgraph"), ("scipy.optimize", "scipy.optimize"),
    ("scipy.spatial", "scipy.spatial"),
    ("scipy.spatial.distance", "scipy.spatial.distance"), ("scipy.stats", "scipy.stats"),
    ("scipy.fft", "scipy.fft"),
    ("math", "math"),
)  # fmt: skip
_SHORT = {
    "sp": "scipy.special", "st": "scipy.stats", "sl": "scipy.linalg", "si": "scipy.integrate",
    "sip": "scipy.interpolate", "sn": "scipy.ndimage", "ss": "scipy.signal", "sps": "scipy.sparse",
    "sd": "scipy.spatial.distance", "so": "scipy.optimize", "sf": "scipy.fft",
    "sk": "scipy.spatial", "sg": "scipy.sparse.csgraph",
}  # fmt: skip
_REFUSED = {
    *(("scipy.optimize", name) for name in root_finding.SOLVERS),
    *(("scipy.integrate", name) for name in integration.SOLVERS),
}
_LEAKS = "scipy.spatial.distance"
"""A module with names of others that are not in its list."""
_BY_TESTS = {
    **dict.fromkeys(
        (
            *(f"scipy.optimize.{name}" for name in root_finding.FINDERS),
            *(f"scipy.sparse.linalg.{name}" for name in sparse_solvers.__all__),
        ),
        2,
    ),
    **dict.fromkeys(
        ("scipy.integrate.quad", "scipy.integrate.dblquad", "scipy.integrate.fixed_quad",
         "scipy.integrate.solve_ivp", "scipy.integrate.odeint",
         "np.polynomial.legendre.leggauss", "scipy.special.p_roots",
         "np.unstack", "scipy.sparse.csgraph.minimum_spanning_tree",
         *(f"np.polynomial.{name}" for name in families_of_series.FAMILIES),
         *(f"scipy.interpolate.{name}" for name in curves.__all__),
         "scipy.interpolate.NearestNDInterpolator",
         *(f"scipy.interpolate.{name}" for name in radial.__all__),
         *(f"scipy.sparse.{name}" for name in sparse.__all__ if name != "issparse"),
         *(f"scipy.signal.windows.{name}" for name in tapers.__all__), "scipy.signal.get_window"),
        1,
    ),
}  # fmt: skip
"""Functions that are given functions, with the order to which tests/frontend/library/test_roots.py
and test_quadrature.py differentiate them, and curves, windows and solutions (test_curves.py,
test_tapers.py, test_initial_values.py, test_scattered.py, test_families_of_series.py,
../test_array_namespaces.py, test_radial.py)."""
_HEAD = """# NumPy and SciPy: what is there

Made by `python -m tools.numpy_table` from the tables of the front end and the rows that test them;
`make test` says when it is out of date. A tick says that rows try the value (against NumPy's, for
many kinds of arguments: exceptions, dtypes and shapes too), derivatives in both modes, and second
derivatives; an empty cell has not been tried. A dash stands for what has no derivative: results are
ints or bools, or constant.
Methods of arrays are those of the same names. A parameter that a function does not have here is
refused by name, and a function that is not listed where it is called.
"""


def _public(space: ModuleType) -> Iterator[tuple[str, object]]:
    named = vars(space).get("__all__") if space.__name__ == _LEAKS else None
    for name in named or dir(space):
        if not name.startswith("_"):
            yield name, getattr(space, name, None)


def names() -> dict[str, tuple[str, ...]]:
    """The known functions, by their first name, with all names of each."""
    # The tables have what is loaded.
    spaces = [(prefix, importlib.import_module(module)) for prefix, module in _SPACES]
    known = library(METHODS)
    refused = {id(kind) for kind in REFUSED}
    found: dict[int, list[str]] = {}
    for prefix, space in spaces:
        for name, obj in _public(space):
            # Refused, with a way out.
            solver = (prefix, name) in _REFUSED
            handler = None if solver or id(obj) in refused else known.get(id(obj))
            if handler is not None and not isinstance(obj, ModuleType):
                found.setdefault(id(obj), []).append(f"{prefix}.{name}")
    # An attribute of a ufunc, or an alias under a longer name, is no other function.
    listed = {every[0]: tuple(every) for every in found.values()}
    for plain in plain_stats.PLAIN:
        listed[plain.label] = (plain.label,)
    return listed


def _called(text: str) -> Iterator[str]:
    """The functions that a row names."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            yield f"{_SHORT.get(first, first)}.{rest}"


def orders() -> dict[str, int]:
    """For each name in a row, or a test of its own, the order up to which it is differentiated."""
    found: dict[str, int] = dict(_BY_TESTS)
    for row in ROWS:
        for name in _called(row.text):
            found[name] = max(found.get(name, 0), row.order)
    return found


def _lines() -> Iterator[str]:
    tried = orders()
    section = ""
    for name, every in sorted(names().items(), key=lambda pair: _key(pair[0])):
        space = name.rpartition(".")[0]
        if space != section:
            section = space
            yield f"\n## {section}\n\n| function | value | forward | reverse | second order |"
            yield "|---|---|---|---|---|"
        order = max((tried[word] for word in every if word in tried), default=-1)
        marks = _marks(order)
        short = ", ".join(f"`{word.rpartition('.')[2]}`" for word in every)
        yield f"| {short} | {' | '.join(marks)} |"


def _key(name: str) -> tuple[int, str, str]:
    space, _, own = name.rpartition(".")
    places = [prefix for prefix, _ in _SPACES]
    return (places.index(space) if space in places else len(places), space, own)


def _marks(order: int) -> tuple[str, ...]:
    match order:
        case -1:
            return ("", "", "", "")
        case 0:
            return ("✓", "–", "–", "–")
        case 1:
            return ("✓", "✓", "✓", "")
        case _:
            return ("✓", "✓", "✓", "✓")


def page() -> str:
    """The text of the page."""
    return _HEAD + "\n".join(_lines()) + "\n"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
