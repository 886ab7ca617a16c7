"""What functions say of themselves: `inspect.signature`, `__code__`, `__defaults__`."""

from __future__ import annotations

import functools
import inspect

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false


def f(a, b=2.0, *args, c=3.0, **kw):
    return a * b + sum(args) + c + sum(kw.values())


def g(a: float, b: int = 2) -> float:
    return a * b


def positive(name):
    def decorated(fun):
        @functools.wraps(fun)
        def inner(*args, **kwargs):
            bound = inspect.signature(fun).bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.arguments[name] < 0:
                raise ValueError(name)
            return fun(*args, **kwargs)

        return inner

    return decorated


@positive("b")
def decorated(a, b=2.0):
    return a * b


class Estimator:
    def __init__(self, b=1.0, a=2.0):
        self.a = a
        self.b = b

    @classmethod
    def names(cls):
        every = inspect.signature(cls.__init__).parameters.values()
        return sorted(p.name for p in every if p.name != "self" and p.kind != p.VAR_KEYWORD)

    def params(self):
        return {k: getattr(self, k) for k in self.names()}

    def twice(self, u, v=1.0):
        return self.a * u + v


def parameters(x):
    every = inspect.signature(f).parameters
    given = {n: p.default for n, p in every.items() if p.default is not p.empty}
    return x * len(every), list(every), [p.kind.name for p in every.values()], given, "q" in every


def annotations(x):
    every = inspect.signature(g).parameters
    return x, every["b"].annotation == "int", inspect.signature(f).parameters["a"].annotation is f


def bound(x):
    b = inspect.signature(f).bind(x, 5.0, 6.0, c=1.0, z=2.0)
    b.apply_defaults()
    b.arguments["a"] = 2.0 * x
    return f(*b.args, **b.kwargs), len(b.args), list(b.kwargs), list(b.arguments)


def with_defaults(x):
    b = inspect.signature(f).bind(x)
    b.apply_defaults()
    return f(*b.args, **b.kwargs), b.arguments["args"], b.arguments["kw"]


def by_a_decorator(x):
    return decorated(x) + decorated(x, b=3.0)


def by_a_decorator_that_refuses(x):
    return decorated(x, -1.0)


def of_a_class(x):
    return Estimator(a=x).params(), list(inspect.signature(Estimator().twice).parameters)


def of_inner_functions(x):
    h = lambda u, v=1.0: u * v  # noqa: E731

    def k(a, b, c):
        return a * b * c

    return k(*[x] * len(inspect.signature(k).parameters)), list(inspect.signature(h).parameters)


def counts(x):
    code = f.__code__
    names = code.co_varnames[: code.co_argcount]
    return x * code.co_argcount, names, f.__defaults__, f.__kwdefaults__, g.__name__, code.co_name


def in_full(x):
    found = inspect.getfullargspec(f)
    return x, found.args, found.varargs, found.varkw, found.defaults, found.kwonlyargs


def too_many(x):
    return inspect.signature(g).bind(x, 1, 2)


def missing(x):
    return inspect.signature(f).bind(b=x)


def unexpected(x):
    return inspect.signature(g).bind(x, q=2)


def twice(x):
    return inspect.signature(g).bind(x, a=2)


@pytest.mark.parametrize(
    "fun",
    [
        parameters, annotations, bound, with_defaults, by_a_decorator, by_a_decorator_that_refuses,
        of_a_class, of_inner_functions, counts, in_full, too_many, missing, unexpected, twice,
    ],
)  # fmt: skip
def test_as_in_python(fun) -> None:
    agree(fun, 1.5)


def test_a_function_that_is_an_argument() -> None:
    apply = lambda fun, x: fun(*([x] * fun.__code__.co_argcount))  # noqa: E731
    assert rg.grad(apply, argnums=1)(lambda a, b: a * b, 1.5) == 3.0
    assert rg.grad(apply, argnums=1)(lambda a, b, c: a * b * c, 1.5) == pytest.approx(6.75)


@pytest.mark.parametrize("fun", [lambda x: len(inspect.signature(np.sum).parameters) * x])
def test_refusals(fun) -> None:
    with pytest.raises(UserError, match="the parameters of"):
        rg.jit(fun)(1.0)
