"""Where a wave packet goes, and how that depends on the field it moves in.

The Schroedinger equation by the split-step method: half a step of the potential, a step of the
kinetic energy between two Fourier transforms, half a step of the potential. The numbers are
complex on the way; the mean place in the end is real, and so is its gradient.
"""

from __future__ import annotations

import math

import numpy as np

import retrograd as rg

POINTS, WIDTH, STEPS, DT = 64, 20.0, 40, 0.05


def mean_place(field):
    """The mean place after the time 2 in a harmonic well with a constant force."""
    stiffness, force = field
    x = np.linspace(-WIDTH / 2, WIDTH / 2, POINTS, endpoint=False)
    k = 2.0 * np.pi * np.fft.fftfreq(POINTS, WIDTH / POINTS)
    potential = 0.5 * stiffness * x**2 - force * x
    half, free = np.exp(-0.5j * DT * potential), np.exp(-0.5j * DT * k**2)
    psi = np.exp(-((x + 1.0) ** 2) + 0.5j * x)
    for _ in range(STEPS):
        psi = half * psi
        psi = np.fft.ifft(free * np.fft.fft(psi))
        psi *= half
    density = np.abs(psi) ** 2
    return np.sum(x * density) / np.sum(density)


def main() -> None:
    """Prints the place and its gradient next to those of classical mechanics (Ehrenfest)."""
    stiffness, force, time = 1.2, 0.7, STEPS * DT
    place, slope = rg.value_and_grad(mean_place)(np.array([stiffness, force]))
    w = math.sqrt(stiffness)
    centre = force / stiffness
    classical = centre + (-1.0 - centre) * math.cos(w * time) + 0.5 / w * math.sin(w * time)
    by_force = (1.0 - math.cos(w * time)) / stiffness
    print(f"mean place           {place:.6f}   classical {classical:.6f}")
    print(f"change by the force  {slope[1]:.6f}   classical {by_force:.6f}")
    assert abs(place - classical) < 1e-3
    assert abs(slope[1] - by_force) < 1e-3


if __name__ == "__main__":
    main()
