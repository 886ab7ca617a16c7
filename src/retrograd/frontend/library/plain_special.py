"""Which functions of `scipy.special` there are; it is imported where a program may use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.special

from retrograd.frontend.library import elementwise
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.plain import (
    bessel,
    bessel_orders,
    counting,
    error_integrals,
    faddeeva,
    gauss,
    hypergeometric,
    integrals,
    more_special,
    orthogonal,
    quadrature,
    quantiles,
    samples,
    special,
)
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.library.transforms import Transforming
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import TupleValue, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["PLAIN", "TABLE"]

sp: Any = scipy.special


def _plain(name: str, parameters: str = "", literals: tuple[str, ...] = ()) -> Plain:
    return Plain(
        getattr(sp, name),
        getattr(special, name),
        parameters,
        literals,
        label=f"scipy.special.{name}",
    )


PLAIN: tuple[Plain, ...] = (
    *(_plain(name, "x") for name in ("expit", "log_expit", "logit", "entr")),
    *(_plain(name, "x y") for name in ("xlogy", "xlog1py", "rel_entr", "kl_div")),
    *(_plain(name, "y") for name in ("erfinv", "erfcinv", "ndtri")),
    *(_plain(name, "a") for name in ("ndtr", "log_ndtr")),
    *(_plain(name, "a b") for name in ("beta", "betaln")),
    *(_plain(name, "a x") for name in ("gammainc", "gammaincc")),
    _plain("betainc", "a b x"),
    Plain(sp.roots_legendre, quadrature.roots_legendre, label="scipy.special.roots_legendre"),
    _plain("stdtr", "df t"),
    *(
        Plain(getattr(sp, name), getattr(quantiles, name), words, label=f"scipy.special.{name}")
        for name, words in quantiles.SPECIAL.items()
    ),
    *(
        Plain(getattr(sp, name), getattr(integrals, name), words, label=f"scipy.special.{name}")
        for name, words in integrals.SPECIAL.items()
    ),
    *(
        Plain(getattr(sp, name), getattr(more_special, name), words, label=f"scipy.special.{name}")
        for name, words in more_special.SPECIAL.items()
    ),
    *(
        Plain(getattr(sp, name), getattr(error_integrals, name), w, label=f"scipy.special.{name}")
        for name, w in error_integrals.SPECIAL.items()
    ),
    *(
        Plain(getattr(sp, name), getattr(orthogonal, name), words, label=f"scipy.special.{name}")
        for name, words in orthogonal.SPECIAL.items()
    ),
    *(
        Plain(getattr(sp, name), getattr(orthogonal, name), label=f"scipy.special.{name}")
        for name in orthogonal.OBJECTS
    ),
    *(
        Plain(getattr(sp, name), getattr(gauss, name), label=f"scipy.special.{name}")
        for name in gauss.SPECIAL
    ),
    Plain(
        sp.voigt_profile,
        faddeeva.voigt_profile,
        "x sigma gamma",
        label="scipy.special.voigt_profile",
    ),
    *(
        Plain(
            getattr(sp, name), getattr(hypergeometric, name), words, label=f"scipy.special.{name}"
        )
        for name, words in (("hyp1f1", "a b x"), ("hyp2f1", "a b c z"))
    ),
    _plain("boxcox", "x lmbda"),
    _plain("factorial"),
    _plain("factorial2"),
    _plain("logsumexp"),
    _plain("softmax"),
    _plain("log_softmax"),
    _plain("softplus"),
    _plain("lambertw", literals=("k",)),
    *(
        Plain(getattr(sp, name), getattr(samples, name), words, label=f"scipy.special.{name}")
        for name, words in (
            ("ellipk", "m"),
            ("ellipe", "m"),
            ("ellipkm1", "p"),
            ("j0", "x"),
            ("j1", "x"),
        )
    ),
    *(
        Plain(getattr(sp, name), getattr(bessel, name), "x", label=f"scipy.special.{name}")
        for name in ("i0", "i1", "i0e", "i1e", "k0", "k1", "k0e", "k1e")
    ),
    *(
        Plain(getattr(sp, name), program, words, label=f"scipy.special.{name}", renamed=True)
        for name, (program, words) in bessel_orders.SPECIAL.items()
    ),
    *(
        Plain(getattr(sp, name), getattr(counting, name), words, label=f"scipy.special.{name}")
        for name, words in (
            ("binom", "x y"),
            ("comb", ""),
            ("rgamma", "z"),
            ("exp10", "x"),
            ("sindg", "x"),
            ("cosdg", "x"),
            ("tandg", "x"),
            ("radian", "d m s"),
            ("huber", "delta r"),
            ("pseudo_huber", "delta r"),
            ("exprel", "x"),
            ("inv_boxcox", "y lmbda"),
        )
    ),
)
_ELEMENTWISE = {
    "erf": "erf", "erfc": "erfc", "gamma": "gamma", "gammaln": "lgamma", "expm1": "expm1",
    "log1p": "log1p", "exp2": "exp2", "cbrt": "cbrt",
}  # fmt: skip


def _bernoulli(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The Bernoulli numbers up to one that is known when the program is translated."""
    (n,) = bind(t, "scipy.special.bernoulli", args, kwargs, "n")
    count = None if n is None else known_int(t, n)
    if count is None or not 0 <= count <= 256:
        raise t.error("RG0113", "scipy.special.bernoulli of this", "write an int of at most 256")
    numbers = tuple(literal(float(number)) for number in sp.bernoulli(count))
    return t.ctx.engine.library[id(np.array)](t, (TupleValue(numbers),), {})


TABLE: Mapping[object, Handler] = {
    sp.bernoulli: _bernoulli,
    sp.wofz: Transforming(
        ("z",), compiled(Plain(sp.wofz, faddeeva.wofz, "z", label="scipy.special.wofz"))
    ),
    **{
        getattr(sp, name): elementwise.of_one(f"scipy.special.{name}", op)
        for name, op in _ELEMENTWISE.items()
    },
    sp.psi: elementwise.digamma("scipy.special.digamma"),
    sp.digamma: elementwise.digamma("scipy.special.digamma"),
    sp.polygamma: elementwise.polygamma("scipy.special.polygamma"),
}
