"""A row that may be None is not read where it is None: there is no such row."""

import numpy as np

from tests.frontend.harness import agree


def last(m, c):
    best = None
    for i in range(m.shape[0]):
        best = m[i]
    if c > 0:
        best = np.ones(3)
    return best


def test_no_row_of_an_empty_matrix_is_read():
    for c in (-1.0, 1.0):
        agree(last, np.zeros((0, 3)), c)
        agree(last, np.ones((2, 3)), c)
