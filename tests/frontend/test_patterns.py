"""Regular expressions, and other things that are decided while a program is translated."""

import itertools
import re

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

VERSION = re.compile(r"(?P<major>\d+)\.(?P<minor>\d+)", re.IGNORECASE | re.VERBOSE)


def of_a_module(x, text="1.17"):
    found = VERSION.match(text)
    if found is None:
        return x
    named = found.groupdict()
    return int(found["major"]) * x + int(found.group("minor")) * x**2 + int(named["minor"])


def functions(x):
    total = 0.0
    for part in re.split(r"[,;]\s*", "1.5, 2.5;3"):
        total += float(part) * x
    for found in re.finditer(r"(\w)=(\d)", "a=1 b=2"):
        total = total + int(found[2]) * x
    words = re.findall(r"[a-z]+", "ab c def")
    if re.search("b+", "abb", flags=re.IGNORECASE) and not re.fullmatch("a", "ab"):
        total += len(words) * x
    return total


def substitutions(x):
    texts = (
        re.sub(r"\d", lambda m: "<" + m[0] + ">", "a1b2"),
        re.sub("a", r"\g<0>b", "xaxa", count=1),
        re.compile("a").sub(lambda m: "c", "aaa", 2),
        re.escape("a.b"),
    )
    many, count = re.subn("a", lambda m: m.group().upper(), "banana")
    if texts == ("a<1>b<2>", "xabxa", "cca", r"a\.b") and many == "bAnAnA":
        return count * x
    return x


def attributes(x):
    found = re.compile("(a)(b)?", re.IGNORECASE).match("Ac")
    begin, end = found.span()
    kinds = found.groups()
    if kinds == ("A", None) and found.lastindex == 1 and found.re.groups == 2:
        return x * (begin + end) + found.start(1) + len(found.string)
    return x


def in_a_loop(x, n):
    found = None
    for _ in range(n):
        found = re.match("a", "ab")
        x = x * found.end() * 2
    return x


def no_such_group(x):
    try:
        return x * len(re.match("a", "a").group("z"))
    except IndexError:
        return 3.0 * x


def group_that_is_not_there(x):
    return x * len(re.match("a", "a").group(1))


@pytest.mark.parametrize("f", [of_a_module, functions, substitutions, attributes, no_such_group,
                               group_that_is_not_there])  # fmt: skip
def test_as_python(f):
    agree(f, 1.5)


def test_other_arguments():
    agree(of_a_module, 2.0, text="none")
    agree(in_a_loop, 2.0, 3)
    assert rg.grad(of_a_module)(2.0) == 1 + 17 * 4.0


def applied(x, pattern):
    return x if pattern.match("a") else 2.0 * x


def test_patterns_are_arguments():
    assert rg.grad(applied)(1.0, re.compile("a")) == 1.0
    assert rg.grad(applied)(1.0, re.compile("b")) == 2.0


def wrong_pattern(x):
    return x if re.match("(", "a") else 2.0 * x


def of_a_run(x):
    return x if re.match("1", f"{x}") else 2.0 * x


def wrong_attribute(x):
    return x * re.match("a", "a").regs


@pytest.mark.parametrize(
    ("f", "code", "text"),
    [
        (wrong_pattern, "RG0108", "no pattern: missing )"),
        (of_a_run, "RG0126", "a text"),
        (wrong_attribute, "RG0107", "'regs'"),
    ],
)
def test_refused(f, code, text):
    with pytest.raises(UserError, match=text.replace(")", r"\)")) as caught:
        rg.grad(f)(1.0)
    assert caught.value.code == code


# What decides of a version of a package.


def release(x, text):
    numbers = tuple(int(n) for n in text.split("."))
    known = tuple(itertools.dropwhile(lambda n: n == 0, reversed(numbers)))
    return x * known[0] if (1, "a") < (1, "b") and known > (0,) else x


def selections(x, y):
    odd = itertools.filterfalse(lambda n: n % 2 == 0, range(7))
    some = itertools.compress([x, y, x * y], [True, False, True])
    late = itertools.dropwhile(lambda v: v < 2.0, [x, y, x])
    return sum(odd) * x + sum(some) + sum(late)


def orders(x, y):
    total = 0.0
    if (x, 2.0) < (y, 1.0):
        total += x * x
    if (1,) < (1, 0) and not ((1, 2) > (1, 2)) and (1, 2) >= (1, 2) and [3] > [2, 9]:
        total += 3.0 * x
    if ((1, 2), "z") <= ((1, 3), "a"):
        total += 5.0 * x
    if (x, 1) >= (y,):
        total += 7.0 * y
    return total


def test_versions():
    agree(release, 2.0, "1.2.0")
    assert rg.grad(lambda x: release(x, "1.2.0"))(1.0) == 2.0


@pytest.mark.parametrize("pair", [(1.0, 2.0), (2.5, 1.0), (1.0, 1.0), (float("nan"), 1.0)])
def test_orders_and_selections(pair):
    agree(orders, *pair)
    agree(selections, *pair)


def mixed(x):
    return x if (1,) < [1] else 2.0 * x


def test_tuples_and_lists_have_no_order():
    with pytest.raises(UserError, match="tuple of 1"):
        rg.grad(mixed)(1.0)
