"""What is refused: the code, the place and the way out of each error.

Each table entry names the text at which the error's span begins.
"""

import linecache
from fractions import Fraction

import numpy as np
import pytest

from retrograd.errors import UserError
from tests.frontend.harness import traced


def tries(x):
    try:
        return 1 / x
    except x:
        return 0.0


def with_block(x):
    with np.errstate(all="raise"):
        return x


def local_class(x):
    class C:
        pass

    return x


def global_statement(x):
    global local_class  # noqa: PLW0603
    local_class = x
    return x


def set_display(x):
    t = 0.0
    for k in {int(x), 2}:
        t = t * x + k
    return t


def f_string(x):
    return x if f"{x}" == "1.0" else 0.0


def prints(x):
    open("file")
    return x


def unknown_numpy(x):
    return np.linalg.tensorsolve(x, x)


def unknown_attribute(x):
    return np.no_such_thing(x)


def unknown_method(x):
    return x.tobytes()


def undefined_name(x):
    return x + nowhere  # noqa: F821


def read_before_assignment(x):
    y = x + z  # noqa: F821
    z = 1.0
    return y + z


def assigns_attribute(x):
    x.shape = (1, 2)
    return x


def index_by_floats(x, k):
    return x[1.0 * k]


def float_index(x):
    k = 0
    for v in x:
        k = k + v
    return x[k]


def too_many_indices(x):
    return x[0, 0]


def tuple_length_in_loop(x):
    p = ()
    for _ in range(99):
        p = p + (x,)
    return p


def truth_of_array(x):
    if x:
        return 1
    return 0


def chained_arrays(x):
    return 0 < x < 1


def bool_minus(m):
    return m - m


def int_plus_float_in_place(k):
    k += 0.5
    return k


def number_plus_tuple(x):
    return x + (1,)


def too_many_arguments(x):
    def f(a):
        return a

    return f(x, 1)


def missing_argument(x):
    def f(a, b):
        return a + b

    return f(x)


def unknown_keyword(x):
    def f(a):
        return a

    return f(x, c=1)


def axis_of_variable(a, k):
    return np.sum(a, axis=k)


def axis_out_of_bounds(a):
    return np.sum(a, axis=5)


def recursion_without_end(n):
    return n * recursion_without_end(n - 1)


def yields(x):
    yield x


def returns_function(x):
    return lambda: x


def alias_chosen_then_written(x, y, c):
    z = x if c > 0 else y
    z[0] = 1.0
    return x[0]


def alias_written_then_read(x, y, c):
    if c > 0:
        z = x
    else:
        z = y
    x[0] = 1.0
    return z[0]


def maybe_copied(x, c):
    if c > 0:
        x = x.copy()
    x[0] = 1.0
    return x


def rebound_after_write(x):
    for _ in range(3):
        x[0] = 1.0
        if x[1] > 0.0:
            x = 2 * x
    return x


def transpose_then_write(a):
    b = a.T
    a[0, 0] = 1.0
    return b


def write_through_reshape(a):
    b = a.reshape(4)
    b[0] = 1.0
    return a


def stale_in_loop(a):
    b = a.T
    s = 0.0
    for _ in range(2):
        s += b[0, 0]
        a[0, 0] = s
    return s


def long_int(x):
    return x + int(x) * 99999999999999999999


def bytes_constant(x):
    return x * len(b"word")


def unpack_too_many(x):
    a, b = (x, x, x)
    return a + b


def loop_over_number(x):
    for v in x:
        return v
    return x


def raises_a_module(x):
    raise np


def decorated_inside(x):
    @np.loadtxt
    def f(v):
        return v

    return f(x)


def float32_dtype(n):
    return np.zeros(n, dtype=np.float32)


def is_between_numbers(x):
    return x is x + 1


A = np.array([1.0, 2.0])
K = np.array([1, 0])
M = np.ones((2, 2))
CASES = [
    (tries, (1.0,), "RG0127", "x:"), (with_block, (1.0,), "RG0127", "np.errstate"),
    (local_class, (1.0,), "RG0101", "class C"),
    (global_statement, (1.0,), "RG0101", "local_class = x"),
    (set_display, (1.0,), "RG0101", "{int(x), 2}"), (f_string, (1.0,), "RG0126", 'f"'),
    (prints, (1.0,), "RG0107", "open("),
    (unknown_numpy, (A,), "RG0107", "np.linalg.tensorsolve(x"),
    (unknown_attribute, (A,), "RG0107", "np.no_such_thing"),
    (unknown_method, (A,), "RG0107", "x.tobytes"), (undefined_name, (1.0,), "RG0105", "nowhere"),
    (read_before_assignment, (1.0,), "RG0105", "z"),
    (assigns_attribute, (A,), "RG0101", "x.shape"),
    (index_by_floats, (A, K), "RG0109", "x[1.0 * k]"),
    (float_index, (A,), "RG0109", "x[k]"), (too_many_indices, (A,), "RG0109", "x[0, 0]"),

    (tuple_length_in_loop, (1.0,), "RG0104", "for _"),

    (truth_of_array, (A,), "RG0110", "x:"), (chained_arrays, (A,), "RG0110", "0 < x < 1"),
    (bool_minus, (A > 1,), "RG0110", "m - m"),
    (int_plus_float_in_place, (K,), "RG0110", "k += 0.5"),
    (number_plus_tuple, (1.0,), "RG0110", "x + (1,)"),
    (too_many_arguments, (1.0,), "RG0108", "f(x, 1)"), (missing_argument, (1.0,), "RG0108", "f(x)"),
    (unknown_keyword, (1.0,), "RG0108", "f(x, c=1)"),
    (axis_of_variable, (M, 0), "RG0113", "np.sum(a, axis=k)"),
    (axis_out_of_bounds, (M,), "RG0108", "np.sum(a, axis=5)"),
    (recursion_without_end, (3,), "RG0111", "def recursion_without_end"),
    (yields, (1.0,), "RG0101", "def yields"), (returns_function, (1.0,), "RG0103", "def returns"),
    (alias_chosen_then_written, (A, A, 1), "RG0106", "x[0]"),
    (alias_written_then_read, (A, A, 1), "RG0106", "z[0]"),
    (maybe_copied, (A, 1), "RG0106", "x[0] = 1.0"),
    (rebound_after_write, (A,), "RG0106", "x[0] = 1.0"),
    (transpose_then_write, (M,), "RG0106", "def transpose_then"),
    (write_through_reshape, (M,), "RG0106", "b[0] = 1.0"),
    (stale_in_loop, (M,), "RG0106", "b[0, 0]"),
    (long_int, (1.0,), "RG0103", "int(x) * 99"), (bytes_constant, (1.0,), "RG0103", "b\"word"),
    (unpack_too_many, (1.0,), "RG0104", "a, b = "), (loop_over_number, (1.0,), "RG0101", "x:"),
    (raises_a_module, (1.0,), "RG0101", "raise"),
    (decorated_inside, (1.0,), "RG0107", "np.loadtxt"), (float32_dtype, (3,), "RG0103", "np.zeros"),
    (is_between_numbers, (1.0,), "RG0110", "x is x + 1"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args", "code", "text"), CASES)
def test_refused(f, args, code, text):
    with pytest.raises(UserError) as caught:
        traced(f, *args)
    error = caught.value
    assert error.code == code, str(error)
    assert error.way_out
    assert error.span is not None
    line = linecache.getline(error.span.file, error.span.line)
    assert line[error.span.col :].startswith(text), str(error)
    assert "^" in str(error)


def test_what_numpy_takes_and_we_do_not():
    for f, args in (
        (lambda x: x == None, (A,)),  # noqa: E711
        (lambda x: x.fill(x), (A,)),
        (lambda x: np.array(v for v in x), (A,)),
    ):
        with pytest.raises(UserError) as caught:
            traced(f, *args)
        assert caught.value.way_out


def test_source_not_available():
    space = {}
    exec("def f(x):\n    return x", space)
    with pytest.raises(UserError) as caught:
        traced(space["f"], 1.0)
    assert caught.value.code == "RG0102"


def test_columns_count_characters():
    def f(x):
        return ("é" == "é", x.tobytes())

    with pytest.raises(UserError) as caught:
        traced(f, A)
    line = linecache.getline(caught.value.span.file, caught.value.span.line)
    assert line[caught.value.span.col :].startswith("x.tobytes")


@pytest.mark.parametrize(
    ("fun", "text"),
    [
        (np.isrealobj.__call__, "not a Python function"), (A.sum, "not a Python function"),
        (Fraction(1).limit_denominator, "a method of a Fraction"),
    ],
)  # fmt: skip
def test_not_a_function(fun, text):
    with pytest.raises(UserError) as caught:
        traced(fun, 1.0)
    assert caught.value.code == "RG0107"
    assert text in str(caught.value)
