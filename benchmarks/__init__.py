"""Benchmarks: every figure is a ratio against another program timed in the same run.

One thread for everybody: BLAS reads these variables when it is loaded, so they are set before any
module of this package imports NumPy.
"""

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
