"""An absolute tolerance of pinv is refused; it was accepted, and left out."""

import numpy as np
import pytest
import scipy.linalg

import retrograd as rg


def cut(x):
    return scipy.linalg.pinv(x, atol=0.5)


def test_it_is_refused():
    with pytest.raises(rg.UserError, match="atol"):
        rg.jit(cut)(np.diag([1.0, 0.1]))
