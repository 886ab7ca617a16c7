"""Second derivatives take several times as long to compile as first ones.

So where many small programs are checked by the four identities, the first tier of tests has their
first derivatives and the slow one the second, too. Random programs have second derivatives in both.
"""

from __future__ import annotations

import pytest

__all__ = ["BOTH_ORDERS"]

BOTH_ORDERS = pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
"""For `check_grads(..., order)`."""
