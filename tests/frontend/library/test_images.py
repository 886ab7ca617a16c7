"""Filters of images inside of programs: ways of paying, and how it is said what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage as ndi

import retrograd as rg
from retrograd.errors import UserError


def edges(image, weights):
    smooth = ndi.correlate1d(image, weights, mode="mirror")
    return np.sum(smooth * ndi.maximum_filter1d(smooth, 3))


def test_every_way_of_paying_gives_the_same() -> None:
    data = np.random.default_rng(3)
    args = (data.normal(size=17), data.normal(size=3))
    plain = rg.value_and_grad(edges, argnums=(0, 1))(*args)
    assert plain[0] == pytest.approx(edges(*args), rel=1e-12)
    capped = rg.value_and_grad(edges, argnums=(0, 1), memory="100 kB")(*args)
    for one, other in zip(plain[1], capped[1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_refused_says_why() -> None:
    ints = np.arange(12).reshape(3, 4)
    for call, word in (
        (lambda x: ndi.gaussian_filter(x, 1.0), "astype"),
        (lambda x: ndi.correlate(x, np.ones((3, 3))), "astype"),
        (lambda x: ndi.sobel(x > 3), "astype"),
        (lambda x: ndi.sobel(x, output=float), "'output'"),
        (lambda x: ndi.find_objects(x), "find_objects"),
    ):
        with pytest.raises(UserError, match=word) as refused:
            rg.jit(call)(ints)
        assert refused.value.code == ("RG0107" if word == "find_objects" else "RG0108")
        assert "test_images.py" in str(refused.value)
