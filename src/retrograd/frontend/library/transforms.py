"""Fourier, cosine and sine transforms of `scipy.fft`, of real and complex numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrograd.frontend.library.plain import cosines, fourier
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.values.kinds import Value
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["Transforming", "of_fftpack", "of_scipy"]

_ABOUT_THE_RUN = ("overwrite_x", "workers", "plan")
"""Parameters that do not change the result."""


@dataclass(frozen=True, slots=True)
class Transforming:
    """A handler of calls that are given real or complex numbers."""

    words: tuple[str, ...]
    call: Handler

    def __call__(self, t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if len(args) > len(self.words):
            takes = f"it takes {', '.join(self.words)}"
            raise t.error("RG0108", f"this transform with {len(args)} arguments", takes)
        pairs = zip(self.words, args, strict=False)
        kept = [value for word, value in pairs if word not in _ABOUT_THE_RUN]
        named = {k: v for k, v in kwargs.items() if k not in _ABOUT_THE_RUN}
        return self.call(t, kept, named)


def _plain(
    fft: Any, name: str, module: Any, words: str, package: str = "scipy.fft"
) -> Transforming:
    every = tuple(words.split())
    accepted = " ".join(w for w in every if w not in _ABOUT_THE_RUN)
    literals = ("type",) if module is cosines else ()
    plain = Plain(
        getattr(fft, name), getattr(module, name), accepted, literals, label=f"{package}.{name}",
        renamed=module is fourier,
    )  # fmt: skip
    return Transforming(every, compiled(plain))


_HELPS = {"fftfreq": "n d", "rfftfreq": "n d", "fftshift": "x axes", "ifftshift": "x axes"}


def of_scipy(fft: Any) -> Mapping[object, Handler]:
    """The table of `scipy.fft`."""
    found: dict[object, Handler] = {}
    for name in fourier.TRANSFORMS:
        several = name.endswith(("2", "n"))
        words = "x s axes norm" if several else "x n axis norm"
        words = _HELPS.get(name, f"{words} overwrite_x workers plan")
        found[getattr(fft, name)] = _plain(fft, name, fourier, words)
    for name in cosines.__all__:
        words = "x type s axes norm" if name.endswith("n") else "x type n axis norm"
        words = f"{words} overwrite_x workers orthogonalize"
        found[getattr(fft, name)] = _plain(fft, name, cosines, words)
    return found


def of_fftpack(fftpack: Any) -> Mapping[object, Handler]:
    """The table of `scipy.fftpack`, of which those of real numbers give them in another order."""
    return {
        getattr(fftpack, name): _plain(fftpack, name, fourier, words, "scipy.fftpack")
        for words, names in (
            ("x n axis overwrite_x", ("fft", "ifft")),
            ("x shape axes overwrite_x", ("fft2", "ifft2", "fftn", "ifftn")),
        )
        for name in names
    }
