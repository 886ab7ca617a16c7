"""NumPy's and SciPy's functions in plain Python, run as it stands or translated in place.

Axes, ranks and modes are literals in it, so that a test of them is no branch of the program. What
loops over elements is a function of `written_arrays` or `written_kernels`, which is called. The
uncompiled twin of each is the real function, with which tests compare it.
"""
