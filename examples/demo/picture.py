"""The fitted clusters as a PNG: two measurements, ellipses of one and two standard deviations."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt

from examples.demo.mixture import Mixture
from examples.demo.wine import Wines

__all__ = ["draw"]

# Blue, orange and green that stay apart for most colour-blind readers.
COLOURS = ("#0072b2", "#d55e00", "#009e73")
MARKERS = ("o", "s", "^")
AXES = ("flavanoids", "color_intensity")


def draw(
    path: Path, mixture: Mixture, wines: Wines, cluster: npt.NDArray[np.int64], hits: int
) -> None:
    """Colour is the cluster that was found, marker the true cultivar."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    axes = [wines.features.index(name) for name in AXES]
    points = wines.x[:, axes] * wines.spread[axes] + wines.centre[axes]
    figure, plot = plt.subplots(figsize=(9.0, 6.0), layout="constrained")
    for found, colour in enumerate(COLOURS):
        for true, marker in enumerate(MARKERS):
            at = (cluster == found) & (wines.cultivar == true)
            plot.scatter(
                *points[at].T, s=42, c=colour, marker=marker, edgecolors="white", linewidths=0.6
            )
    for component, colour in enumerate(colours_of(mixture, wines, cluster)):
        ellipses(plot, mixture, wines, component, axes, colour)
    handles = [
        Line2D([], [], color=c, lw=6, label=f"cluster {i + 1} ({np.sum(cluster == i)} bottles)")
        for i, c in enumerate(COLOURS)
    ]
    handles += [
        Line2D([], [], color="0.3", marker=m, ls="", ms=7, label=f"true cultivar {i + 1}")
        for i, m in enumerate(MARKERS)
    ]
    handles.append(Line2D([], [], color="0.3", label="one and two standard deviations"))
    plot.legend(handles=handles, loc="upper right", framealpha=0.95)
    plot.set_xlabel(AXES[0])
    plot.set_ylabel(AXES[1].replace("_", " "))
    plot.set_title(
        "Gaussian mixture with full covariances on 13 measurements of 178 wines\n"
        f"{hits} bottles lie in the cluster of their cultivar; two of the measurements shown"
    )
    plot.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def colours_of(mixture: Mixture, wines: Wines, cluster: npt.NDArray[np.int64]) -> list[str]:
    """The colour of each component: that of the cluster which its bottles were given."""
    label = mixture.responsibilities(wines.x).argmax(axis=1)
    found = [cluster[label == c] for c in range(len(mixture.weights))]
    return [COLOURS[int(f[0])] if len(f) else "0.6" for f in found]


def ellipses(
    plot, mixture: Mixture, wines: Wines, component: int, axes: list[int], colour: str
) -> None:
    """The marginal of one component in the two measurements, in their own units."""
    scale = wines.spread[axes]
    centre = mixture.means[component, axes] * scale + wines.centre[axes]
    part = mixture.covariances[component][np.ix_(axes, axes)] * np.outer(scale, scale)
    turn = np.linspace(0.0, 2.0 * np.pi, 100)
    circle = np.linalg.cholesky(part) @ np.array([np.cos(turn), np.sin(turn)])
    for sigmas, width in ((1.0, 2.0), (2.0, 1.2)):
        plot.plot(*(centre[:, None] + sigmas * circle), color=colour, lw=width, zorder=3)
