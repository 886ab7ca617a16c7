"""The packages whose functions are drawn, and how many of each.

Chosen for what they are about (hydraulics, heat, chemistry, colour, the sun, orbits, options,
filters, statistics, robotics, geodesy, air, optics), before any of their functions had been tried.
A line that is indented goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PACKAGES", "Package"]


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution, the names of the packages in it, and how many functions are drawn."""

    distribution: str
    roots: tuple[str, ...]
    count: int


def _packages(text: str) -> tuple[Package, ...]:
    rows = (line.split() for line in text.replace("\n  ", " ").splitlines() if line)
    return tuple(Package(name, tuple(roots), int(count)) for name, count, *roots in rows)


PACKAGES = _packages("""
fluids 14 fluids
ht 8 ht
chemicals 12 chemicals
thermo 6 thermo
colour-science 10 colour
pvlib 12 pvlib
AHRS 10 ahrs
sgp4 6 sgp4
vollib 8 vollib
filterpy 6 filterpy
iapws 6 iapws
lmfit 8 lmfit.lineshapes lmfit.models
scikit-learn 14 sklearn.metrics sklearn.gaussian_process sklearn.utils.extmath sklearn._loss
  sklearn.linear_model sklearn.covariance
scipy 28 scipy.signal scipy.optimize scipy.stats scipy.special scipy.spatial scipy.integrate
  scipy.interpolate scipy.linalg scipy.ndimage
networkx 2 networkx.algorithms networkx.drawing.layout
matplotlib 6 matplotlib.mlab matplotlib.bezier matplotlib.colors matplotlib.transforms
  mpl_toolkits.mplot3d.proj3d
pymap3d 12 pymap3d
transforms3d 8 transforms3d
pytransform3d 10 pytransform3d
PsychroLib 8 psychrolib
numpy-financial 4 numpy_financial
skyfield 8 skyfield
astral 6 astral
deap 6 deap.benchmarks
hydroeval 4 hydroeval
properscoring 4 properscoring
statsmodels 16 statsmodels.stats statsmodels.robust statsmodels.nonparametric statsmodels.tsa
  statsmodels.tools statsmodels.regression
control 2 control
PyAstronomy 8 PyAstronomy
prysm 8 prysm
""")
