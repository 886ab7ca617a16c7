"""What generated text calls: tests at run time, and cotangents. Compiled along with the program."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.api.products import vjp
from retrograd.errors import InvertibilityError
from retrograd.frontend.identity.objects import is_object
from retrograd.inversion.numbers import Fixed, Logarithmic, log_of
from retrograd.inversion.stacks import Stack

__all__ = [
    "alike", "arrays_of", "copied", "cotangents", "distinct", "each_attribute",
    "has_attributes", "holds", "in_place", "like_parts", "overlap", "own", "plus", "product",
    "pure", "put", "quotient", "scales", "slope_of", "viewed", "with_item", "with_slope",
    "zeros_of",
]  # fmt: skip


def holds(a: Any, value: Any, atol: Any) -> Any:
    """Whether two values are equal: floats to within atol max(1, |value|), nan equals nan."""
    if isinstance(a, Stack):
        return a.filled[0] == value.filled[0] and holds(a.items, value.items, atol)
    if isinstance(a, np.ndarray):
        if a.shape != np.shape(value):
            return False
        if a.dtype != np.float64:
            return bool(np.all(a == value))
        near = np.abs(a - value) <= atol * np.maximum(1.0, np.abs(value))
        return bool(np.all(near | (a == value) | (np.isnan(a) & np.isnan(value))))
    if isinstance(a, float):
        if a != a:
            return value != value
        return a == value or abs(a - value) <= atol * max(1.0, abs(value))
    return a == value


def scales(target: Any, factor: Any) -> Any:
    """Whether a float, or an array of floats, can be multiplied and divided by something."""
    if isinstance(target, Logarithmic):
        return isinstance(factor, Logarithmic) or bool(np.all(factor > 0.0))
    if isinstance(target, np.ndarray):
        if target.dtype != np.float64:
            return False
    elif not isinstance(target, float):
        return False
    if isinstance(factor, np.ndarray):
        return bool(np.all(factor != 0.0))
    return factor != 0.0


def overlap(n: Any, one: Any, other: Any) -> Any:
    """Whether two indices of an axis of n elements have an element in common.

    An index is an int, or (start, stop, step) of a slice.
    """
    if isinstance(one, (np.ndarray, list)) or isinstance(other, (np.ndarray, list)):
        return True
    first, count, step = _progression(n, one)
    start, length, stride = _progression(n, other)
    if step == 1 and stride == 1:
        return max(first, start) < min(first + count, start + length)
    for k in range(count):
        away = first + k * step - start
        if away >= 0 and away % stride == 0 and away // stride < length:
            return True
    return False


def _progression(n: Any, index: Any) -> Any:
    """An index as its lowest element, how many there are, and the distance between them."""
    if not isinstance(index, tuple):
        return (index + n if index < 0 else index), 1, 1
    low, high, by = index
    step = 1 if by is None else by
    if step > 0:
        start = 0 if low is None else min(low, n) if low >= 0 else max(low + n, 0)
        stop = n if high is None else min(high, n) if high >= 0 else max(high + n, 0)
        count = max(0, (stop - start + step - 1) // step)
        return start, count, step
    start = n - 1 if low is None else min(low, n - 1) if low >= 0 else max(low + n, -1)
    stop = -1 if high is None else min(high, n - 1) if high >= 0 else max(high + n, -1)
    count = max(0, (start - stop - step - 1) // -step)
    return start + (count - 1) * step, count, -step


def distinct(base: Any, axes: Any, keys: Any) -> Any:
    """Whether arrays among the indices of some axes of an array name no element twice."""
    array = base.units if isinstance(base, Fixed) else base
    array = array.logs if isinstance(array, Logarithmic) else array
    if not isinstance(array, np.ndarray):
        return True
    shape = array.shape
    numbers: Any = 0
    for axis, key in zip(axes, keys, strict=True):
        numbers = numbers * shape[axis] + _counted(shape[axis], key)
    if not isinstance(numbers, np.ndarray):
        return True
    found = np.sort(np.ravel(numbers))
    return bool(np.all(found[1:] != found[:-1]))


def _counted(n: Any, key: Any) -> Any:
    """An array of indices of an axis, from its beginning; 0 for another index."""
    if isinstance(key, list):
        return _counted(n, np.array(key))
    if isinstance(key, np.ndarray) and key.dtype == np.int64:
        return key % n
    return 0


def copied(keys: Any) -> Any:
    """Whether a part of an array by these indices is a copy of it."""
    return any([isinstance(key, (np.ndarray, list)) for key in keys])


def viewed(value: Any, keys: Any) -> Any:
    """Whether a value is a part of an array, by these indices, that changes with the array."""
    return isinstance(value, np.ndarray) and not copied(keys)


def in_place(value: Any) -> Any:
    """Whether a value is an array, which updates change in place."""
    if isinstance(value, Fixed):
        return isinstance(value.units, np.ndarray)
    if isinstance(value, Logarithmic):
        return isinstance(value.logs, np.ndarray)
    return isinstance(value, np.ndarray)


def own(local: Any, *others: Any) -> Any:
    """Whether a local that is to be changed shares no memory with other values."""
    rivals = [array for other in others for array in arrays_of(other)]
    return not any(np.shares_memory(a, b) for a in arrays_of(local) for b in rivals)


def arrays_of(value: Any) -> Iterator[NDArray[Any]]:
    """The arrays in a value: in tuples, dicts, attributes, and what functions have captured."""
    yield from _arrays(value, set())


def _arrays(value: Any, seen: set[int]) -> Iterator[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        yield value
        return
    if isinstance(value, (int, float, str, type, ModuleType)) or id(value) in seen:
        return
    seen.add(id(value))
    inner = value if isinstance(value, (tuple, list)) else ()
    if isinstance(value, FunctionType):
        cells = (getattr(cell, "cell_contents", None) for cell in value.__closure__ or ())
        inner = (*cells, *(value.__defaults__ or ()))
    inner = value.values() if isinstance(value, dict) else inner
    for part in (*inner, *getattr(value, "__dict__", {}).values()):
        yield from _arrays(part, seen)


def pure(fun: Any, *args: Any, **kwargs: Any) -> Any:
    """A call in an expression, which leaves its arguments as they are.

    Raises:
        InvertibilityError: it writes to one of them.
    """
    try:
        return fun(*map(_kept, args), **{name: _kept(value) for name, value in kwargs.items()})
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        name = getattr(fun, "__name__", fun)
        raise InvertibilityError(
            f"{name!r} writes to an array in an expression of a reversible function: have it work "
            "on a copy"
        ) from error


def _kept(value: Any) -> Any:
    """A value of which the arrays cannot be written."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, tuple):
        return like_parts(value, [_kept(part) for part in value])
    if isinstance(value, list):
        return [_kept(part) for part in cast("list[Any]", value)]
    return value


def alike(value: Any, bar: Any) -> None:
    """Refuses a cotangent with other extents than what it belongs to.

    Raises:
        ValueError: it has others.
    """
    if isinstance(value, (Fixed, Logarithmic)):
        alike(slope_of(value), bar)
    elif isinstance(value, np.ndarray) and bar is not None:
        if np.shape(bar) != value.shape:
            raise ValueError(f"a cotangent of shape {np.shape(bar)} for an array of {value.shape}")
    elif isinstance(value, dict) and bar is not None:
        for key in value:
            alike(value[key], bar[key])
    elif isinstance(value, (tuple, list)) and bar is not None:
        for part, own_ in zip(value, bar, strict=True):
            alike(part, own_)


def zeros_of(value: Any) -> Any:
    """A cotangent of zeros: None for what is no float."""
    if isinstance(value, np.ndarray):
        return np.zeros_like(value) if value.dtype == np.float64 else None
    if isinstance(value, float):
        return 0.0
    if isinstance(value, (Fixed, Logarithmic)):
        return zeros_of(slope_of(value))
    if isinstance(value, Stack):
        return Stack(zeros_of(value.items), value.filled)
    if isinstance(value, dict):
        return {key: zeros_of(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [zeros_of(part) for part in value]
        return like_parts(value, parts)
    return None


def like_parts(whole: Any, parts: Any) -> Any:
    """A named tuple with other parts; of another sequence, a tuple."""
    if isinstance(whole, list) or type(whole) is tuple:
        return tuple(parts)
    return cast("Any", type(whole))(*parts)


def plus(bar: Any, gain: Any) -> Any:
    """A cotangent and what is added to it: an array in place, parts of a tuple each by itself."""
    if isinstance(bar, np.ndarray):
        bar += gain
        return bar
    if isinstance(bar, tuple):
        parts = [plus(one, other) for one, other in zip(bar, gain, strict=True)]
        return like_parts(bar, parts)
    if gain is None:
        return bar
    if isinstance(bar, Stack):
        bar.items[:] += gain.items
        return bar
    if isinstance(bar, dict):
        for key in gain:
            bar[key] = plus(bar[key], gain[key])
        return bar
    if has_attributes(bar):
        return each_attribute(plus, bar, gain)
    return bar + gain


def has_attributes(bar: Any) -> bool:
    """Whether a cotangent is that of an object: an object with cotangents in its attributes."""
    return is_object(bar)


def each_attribute(add: Callable[..., Any], bar: Any, gain: Any) -> Any:
    """The cotangent of an object after additions to its attributes."""
    for name, more in vars(gain).items():
        setattr(bar, name, add(getattr(bar, name), more))
    return bar


def with_item(bar: Any, k: Any, item: Any) -> Any:
    """The cotangent of a tuple with another one for an item."""
    own = k % len(bar)
    return like_parts(bar, (*bar[:own], item, *bar[own + 1 :]))


def slope_of(value: Any) -> Any:
    """What stands for a value in derivatives: of fixed-point numbers, their slope; logarithms."""
    if isinstance(value, Logarithmic):
        return value.logs
    return value.slope if isinstance(value, Fixed) else value


def with_slope(value: Any, slope: Any) -> Any:
    """The same as `slope`, or numbers of another kind that have it."""
    if isinstance(value, Logarithmic):
        return Logarithmic(slope)
    return Fixed(value.units, slope) if isinstance(value, Fixed) else slope


def product(target: Any, factor: Any) -> Any:
    """What `target *= factor` makes of the target, as it stands for it in derivatives."""
    return target.logs + log_of(factor) if isinstance(target, Logarithmic) else target * factor


def quotient(target: Any, factor: Any) -> Any:
    """What `target /= factor` makes of the target, as it stands for it in derivatives."""
    return target.logs - log_of(factor) if isinstance(target, Logarithmic) else target / factor


def put(place: Any, value: Any) -> Any:
    """The value; an array is written over by it and stays the array that it is."""
    if isinstance(place, np.ndarray):
        place[...] = value
        return place
    return value


def cotangents(fun: Callable[..., Any], primals: Any, bar: Any) -> Any:
    """The cotangents of the arguments of a function, None for those that are no floats."""
    _, pullback = vjp(fun, *primals)
    return pullback(bar)
