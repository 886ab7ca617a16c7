"""Programs with complex numbers as people write them: optics, circuits, filters, quantum states."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

__all__ = ["CASES"]

RNG = np.random.default_rng(3)


def split_step(p):
    n = 32
    x = np.linspace(-8, 8, n, endpoint=False)
    dx = x[1] - x[0]
    k = 2 * np.pi * np.fft.fftfreq(n, dx)
    V = 0.5 * p[0] * x**2 + p[1] * x
    psi = np.exp(-((x - p[2]) ** 2)) * np.exp(1j * 0.5 * x)
    psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2) * dx)
    dt = 0.05
    expV = np.exp(-0.5j * dt * V)
    expK = np.exp(-0.5j * dt * k**2)
    for _ in range(5):
        psi = expV * psi
        psi = np.fft.ifft(expK * np.fft.fft(psi))
        psi *= expV
    return (np.sum(x * np.abs(psi) ** 2) * dx).real


def mandel_distance(p):
    c = complex(p[0], p[1])
    z = 0j
    dz = 0j
    for i in range(50):
        dz = 2 * z * dz + 1
        z = z**2 + c
        if abs(z) > 100:
            break
    return abs(z) * math.log(abs(z)) / abs(dz)


def rlc_ladder(p):
    R, L, C = p
    total = 0.0
    for w in np.linspace(0.5, 2.0, 7):
        s = 1j * w
        Z = R
        for _ in range(4):
            Zs = R + s * L
            Yp = s * C + 1 / Z
            Z = Zs + 1 / Yp
        total += 20 * np.log10(abs(Z)) + np.angle(Z)
    return total


def iir_fit(p):
    b = np.array([p[0], p[1], p[2]])
    a = np.array([1.0, p[3], p[4]])
    w = np.linspace(0.1, 3.0, 16)
    z = np.exp(1j * w)
    num = sum(b[k] * z**-k for k in range(3))
    den = sum(a[k] * z ** (-k) for k in range(3))
    H = num / den
    target = np.where(w < 1.0, 1.0, 0.0)
    return np.mean((np.abs(H) - target) ** 2)


def iir_poly(p):
    w = np.linspace(0.1, 3.0, 16)
    z = np.exp(-1j * w)
    H = np.polyval(p[:3], z) / np.polyval(p[2:], z)
    return np.sum(np.abs(H) ** 2) + np.sum(np.unwrap(np.angle(H)))


MEAS = np.abs(np.fft.fft(RNG.normal(size=12)))


def phase_retrieval(x):
    return np.sum((np.abs(np.fft.fft(x)) - MEAS) ** 2)


def gaussian_beam(p):
    lam, w0, f, d = p
    q = 1j * np.pi * w0**2 / lam
    for A, B, C, D in ((1.0, d, 0.0, 1.0), (1.0, 0.0, -1.0 / f, 1.0), (1.0, 2 * d, 0.0, 1.0)):
        q = (A * q + B) / (C * q + D)
    R = 1 / (1 / q).real
    w = np.sqrt(-lam / (np.pi * (1 / q).imag))
    return w + 0.01 * R


def array_factor(p):
    d, th0 = p[0], p[1]
    n = np.arange(8)
    amp = p[2:10]
    th = np.linspace(-1.2, 1.2, 21)
    w = amp * np.exp(-2j * np.pi * d * n * np.sin(th0))
    AF = np.exp(2j * np.pi * d * np.outer(np.sin(th), n)) @ w
    return np.sum(np.abs(AF) ** 2 * np.cos(th)) / np.sum(np.abs(w)) ** 2


def dft_loops(x):
    N = len(x)
    X = np.zeros(N, dtype=complex)
    for k in range(N):
        for n in range(N):
            X[k] += x[n] * np.exp(-2j * np.pi * k * n / N)
    return np.sum(np.abs(X) ** 4)


def quantum_gates(p):
    X = np.array([[0, 1], [1, 0]])
    Y = np.array([[0, -1j], [1j, 0]])
    Zp = np.diag([1.0, -1.0])

    def rx(t):
        return np.cos(t / 2) * np.eye(2) - 1j * np.sin(t / 2) * X

    def ry(t):
        return np.cos(t / 2) * np.eye(2) - 1j * np.sin(t / 2) * Y

    psi = np.zeros(4, dtype=complex)
    psi[0] = 1.0
    psi = np.kron(rx(p[0]), ry(p[1])) @ psi
    cnot = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    psi = cnot @ psi
    state = psi.reshape(2, 2)
    state = np.einsum("ij,jk->ik", ry(p[2]), state)
    psi = state.reshape(4)
    return np.real(np.vdot(psi, np.kron(Zp, Y) @ psi)) + np.abs(psi[1]) ** 2


def kuramoto(th):
    omega = np.linspace(-1, 1, len(th))
    for _ in range(5):
        z = np.mean(np.exp(1j * th))
        r, psi = np.abs(z), np.angle(z)
        th = th + 0.1 * (omega + 0.8 * r * np.sin(psi - th))
    return np.abs(np.mean(np.exp(1j * th)))


def pade(p):
    z = complex(p[0], p[1])
    num = den = 1 + 0j
    c = 1.0
    for k in range(1, 5):
        c = c * (5 - k) / (k * (9 - k))
        num += c * z**k
        den += c * (-z) ** k
    return abs(num / den - cmath.exp(z) * 0.9)


def complex_step(p):
    h = 1e-20
    z = p[0] + 1j * h
    return np.imag(np.exp(z) * np.sin(z) / (1 + z**2)) / h * p[1]


def fresnel(p):
    th, n1, n2, k = p
    n = n2 + 1j * k
    ci = np.cos(th)
    ct = np.sqrt(1 - (n1 * np.sin(th) / n) ** 2)
    rs = (n1 * ci - n * ct) / (n1 * ci + n * ct)
    rp = (n * ci - n1 * ct) / (n * ci + n1 * ct)
    return 0.5 * (abs(rs) ** 2 + abs(rp) ** 2)


def thin_film(p):
    total = 0.0
    for lam in (0.4, 0.5, 0.6, 0.7):
        M = np.eye(2, dtype=complex)
        for n, d in ((p[0], p[1]), (1.38 + 0.01j, p[2])):
            delta = 2 * np.pi * n * d / lam
            M = M @ np.array(
                [[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]]
            )
        B = M @ np.array([1.0, 1.52])
        r = (B[0] - B[1]) / (B[0] + B[1])
        total += abs(r) ** 2
    return total


def spherical(p):
    th, ph = p[0], p[1]
    y11 = -0.5 * math.sqrt(3 / (2 * math.pi)) * math.sin(th) * cmath.exp(1j * ph)
    y20 = 0.25 * math.sqrt(5 / math.pi) * (3 * math.cos(th) ** 2 - 1)
    y22 = 0.25 * math.sqrt(15 / (2 * math.pi)) * math.sin(th) ** 2 * cmath.exp(2j * ph)
    coeffs = {"a": 0.3 + 0.1j, "b": 1.0, "c": -0.5j}
    f = coeffs["a"] * y11 + coeffs["b"] * y20 + coeffs["c"] * y22
    return abs(f) ** 2 + f.real


def newton_fractal(p):
    z = complex(p[0], p[1])
    for _ in range(8):
        z -= (z**3 - 1) / (3 * z**2)
    return z.real + 2 * z.imag + abs(z**3 - 1)


def nyquist(p):
    K, tau = p[0], p[1]
    w = np.logspace(-1, 1, 15)
    s = 1j * w
    G = K * np.exp(-s * tau) / ((s + 1) * (0.5 * s + 1))
    S = 1 / (1 + G)
    return np.max(np.abs(S)) + np.sum(20 * np.log10(np.abs(G))) * 0.01


def ofdm(p):
    sym = np.array([1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j, 1 + 1j, -1 - 1j, 1 - 1j, 1 + 1j]) / np.sqrt(2)
    t = np.fft.ifft(sym) * 8**0.5
    t = np.concatenate([t[-2:], t])
    rx = np.convolve(t, np.array([1.0, p[0] + 1j * p[1]]))[2:10]
    H = np.fft.fft(np.array([1.0, p[2] + 1j * p[3]]), 8)
    eq = np.fft.fft(rx) / 8**0.5 / H
    return np.mean(np.abs(eq - sym) ** 2)


def hilbert_envelope(x):
    n = len(x)
    X = np.fft.fft(x)
    h = np.zeros(n)
    h[0] = 1
    h[1 : n // 2] = 2
    h[n // 2] = 1
    a = np.fft.ifft(X * h)
    return np.sum(np.abs(a)) + np.sum(np.unwrap(np.angle(a)) * x)


def bloch(p):
    a, b = cmath.cos(p[0] / 2), cmath.exp(1j * p[1]) * cmath.sin(p[0] / 2)
    H = np.array([[p[2], 0.2 - 0.1j], [0.2 + 0.1j, -p[2]]])
    psi = np.array([a, b])
    dt = 0.1
    for _ in range(10):
        k1 = -1j * (H @ psi)
        k2 = -1j * (H @ (psi + dt / 2 * k1))
        k3 = -1j * (H @ (psi + dt / 2 * k2))
        k4 = -1j * (H @ (psi + dt * k3))
        psi = psi + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return abs(psi[0]) ** 2


def crank_nicolson(p):
    n = 8
    H = (
        np.diag(2 * np.ones(n)) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
    ) + np.diag(p)
    psi = np.exp(-((np.arange(n) - 3.5) ** 2) / 4 + 0.5j * np.arange(n))
    A = np.eye(n) + 0.05j * H
    B = np.eye(n) - 0.05j * H
    for _ in range(3):
        psi = np.linalg.solve(A, B @ psi)
    return np.sum(np.arange(n) * np.abs(psi) ** 2) / np.sum(np.abs(psi) ** 2)


def joukowski(p):
    t = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    c = p[0] + 1j * p[1]
    r = abs(1 - c)
    zeta = c + r * np.exp(1j * t)
    z = zeta + 1 / zeta
    area = 0.5 * np.abs(np.sum((z * np.conj(np.roll(z, -1))).imag))
    return area


def spectral_pde(u):
    n = len(u)
    k = np.fft.rfftfreq(n, 1.0 / n)
    for _ in range(3):
        uh = np.fft.rfft(u)
        ux = np.fft.irfft(2j * np.pi * k * uh, n)
        u = u - 0.001 * u * ux
        u = np.fft.irfft(np.fft.rfft(u) * np.exp(-0.001 * k**2), n)
    return np.sum(u**3)


def image_fft2(p):
    img = p.reshape(4, 4)
    F = np.fft.fftshift(np.fft.fft2(img))
    mask = np.ones((4, 4))
    mask[0, :] = 0.2
    out = np.fft.ifft2(np.fft.ifftshift(F * mask))
    return np.sum(out.real**4) + np.sum(np.abs(F)) * 0.1


def music(p):
    n = np.arange(4)
    a1 = np.exp(1j * np.pi * n * np.sin(p[0]))
    a2 = np.exp(1j * np.pi * n * np.sin(p[1]))
    R = np.outer(a1, a1.conj()) + 2 * np.outer(a2, a2.conj()) + 0.1 * np.eye(4)
    Ri = np.linalg.inv(R)
    v = np.exp(1j * np.pi * n * np.sin(0.3))
    return 1 / np.real(v.conj() @ Ri @ v)


class Line:
    def __init__(self, z0, gamma):
        self.z0 = z0
        self.gamma = gamma

    def input(self, zl, length):
        t = cmath.tanh(self.gamma * length)
        return self.z0 * (zl + self.z0 * t) / (self.z0 + zl * t)


def transmission(p):
    line = Line(50.0, complex(p[0], p[1]))
    zs = []
    zl = complex(p[2], 20.0)
    for k in range(3):
        zl = line.input(zl, 0.1 * (k + 1))
        zs.append(zl)
    refl = [(z - 50) / (z + 50) for z in zs]
    return sum(abs(r) ** 2 for r in refl) + zs[-1].imag * 0.01


def goertzel(x):
    total = 0
    for f in (0.1, 0.23):
        w = cmath.exp(-2j * math.pi * f)
        s = 0
        for v in x:
            s = s * w + v
        total += abs(s) ** 2
    return total


def while_conv(p):
    z = complex(p[0], 0.5)
    n = 0
    while abs(z - 1) > 1e-8 and n < 60:
        z = cmath.sqrt(z)
        n += 1
        if n > 20 and z.imag == 0:
            break
    return (z - 1).real * 1e6 + p[0] * n + cmath.log(z).imag


def swaps(p):
    a, b = complex(p[0], 1), complex(1, p[1])
    for k in range(4):
        a, b = b, a * b.conjugate() + k
    m = {"x": a, "y": b}
    m["x"] *= 2j
    return (m["x"] / m["y"]).real + max(abs(v) for v in m.values())


CASES: list[tuple[Any, Any]] = [
    (split_step, [1.0, 0.2, 0.5]),
    (mandel_distance, [0.5, 0.6]),
    (rlc_ladder, [1.0, 0.5, 0.3]),
    (iir_fit, [0.2, 0.3, 0.2, -0.5, 0.3]),
    (iir_poly, [0.2, 0.3, 1.5, -0.5, 0.3]),
    (phase_retrieval, RNG.normal(size=12)),
    (gaussian_beam, [0.5, 1.0, 3.0, 0.7]),
    (array_factor, np.concatenate([[0.5, 0.2], 1 + 0.1 * RNG.normal(size=8)])),
    (dft_loops, RNG.normal(size=6)),
    (quantum_gates, [0.3, 0.7, 1.1]),
    (kuramoto, RNG.normal(size=6)),
    (pade, [0.5, 0.3]),
    (complex_step, [1.2, 0.7]),
    (fresnel, [0.4, 1.0, 1.5, 0.1]),
    (thin_film, [2.3, 0.06, 0.1]),
    (spherical, [0.7, 0.4]),
    (newton_fractal, [0.3, 0.8]),
    (nyquist, [2.0, 0.3]),
    (ofdm, [0.3, 0.2, 0.25, 0.1]),
    (hilbert_envelope, RNG.normal(size=8)),
    (bloch, [0.5, 0.3, 0.7]),
    (crank_nicolson, RNG.normal(size=8) * 0.3),
    (joukowski, [-0.1, 0.1]),
    (spectral_pde, RNG.normal(size=8)),
    (image_fft2, RNG.normal(size=16)),
    (music, [0.1, 0.6]),
    (transmission, [0.1, 2.0, 75.0]),
    (goertzel, RNG.normal(size=6)),
    (while_conv, [3.0]),
    (swaps, [0.5, 0.7]),
]
