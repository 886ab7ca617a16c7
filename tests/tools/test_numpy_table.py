"""The page of NumPy's functions: as the tables are now, and every function has been tried."""

from __future__ import annotations

from tools.numpy_table import PAGE, names, orders, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it: python -m tools.numpy_table"


def test_every_function_has_a_row() -> None:
    tried = orders()
    assert [name for name, every in names().items() if not any(w in tried for w in every)] == []


def test_names_are_those_of_users() -> None:
    known = names()
    assert known["np.abs"] == ("np.abs", "np.absolute")
    assert "np.linalg.solve" in known
    assert "scipy.stats.norm.logpdf" in known
