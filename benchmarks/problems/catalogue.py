"""All problems, in the order of the tables."""

from __future__ import annotations

from benchmarks.problems.base import Problem
from benchmarks.problems.determinant import DETERMINANT
from benchmarks.problems.fig8 import FIG8, FIG8_SUM
from benchmarks.problems.fixed_point import FIXED_POINT
from benchmarks.problems.leapfrog import LEAPFROG
from benchmarks.problems.logsumexp import LOGSUMEXP, LOGSUMEXP_NUMPY
from benchmarks.problems.lstm import LSTM, LSTM_NUMPY
from benchmarks.problems.rk4 import RK4

__all__ = ["PROBLEMS"]

PROBLEMS: tuple[Problem, ...] = (
    FIG8, FIG8_SUM, LSTM, LSTM_NUMPY, LEAPFROG, LOGSUMEXP, LOGSUMEXP_NUMPY, DETERMINANT, RK4,
    FIXED_POINT,
)  # fmt: skip
