"""Cross-section lookups as in XSBench: a map over lookups with a binary search inside.

A neutron of some energy is in some material. Its macroscopic cross-sections are the sum over the
nuclides of the material, of a concentration times the nuclide's microscopic cross-sections, which
are interpolated linearly in a table with an energy grid of its own. The objective is the misfit to
measured cross-sections; it is differentiated by the tables and by the concentrations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import retrograd as rg

__all__ = ["Reactor", "data", "gradient_by_hand", "macroscopic", "misfit", "misfit_by_numpy"]

NUCLIDES_OF = (34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9)
SHARES = (0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.012)
CHANNELS = 5


class Reactor(NamedTuple):
    """What is fixed: an energy grid for each nuclide, and the nuclides of each material in a row,
    with where each material starts."""

    grids: np.ndarray
    starts: np.ndarray
    nuclides: np.ndarray


def interval(grid, energy):
    """The last grid point that is not above an energy, by bisection; never the last of all."""
    low, high = 0, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if grid[middle] <= energy:
            low = middle
        else:
            high = middle
    return low


def macroscopic(tables, concentrations, reactor, energy, material):
    """The cross-sections of one lookup."""
    total = np.zeros(tables.shape[2])
    for at in range(reactor.starts[material], reactor.starts[material + 1]):
        nuclide = reactor.nuclides[at]
        grid = reactor.grids[nuclide]
        low = interval(grid, energy)
        share = (energy - grid[low]) / (grid[low + 1] - grid[low])
        below, above = tables[nuclide, low], tables[nuclide, low + 1]
        total += concentrations[at] * ((1.0 - share) * below + share * above)
    return total


def misfit(tables, concentrations, reactor, energies, materials, measured):
    """Half the squared distance between calculated and measured cross-sections."""

    def of_lookup(energy, material, expected):
        miss = macroscopic(tables, concentrations, reactor, energy, material) - expected
        return 0.5 * np.sum(miss * miss)

    return np.sum(rg.map(of_lookup, energies, materials, measured))


def misses(tables, concentrations, reactor, energies, materials, measured):
    """The differences of all lookups by NumPy; and for each nuclide of each material its lookups,
    with their interval and share."""
    miss, places = -measured, []
    for material in range(len(reactor.starts) - 1):
        (rows,) = np.nonzero(materials == material)
        energy = energies[rows]
        for at in range(reactor.starts[material], reactor.starts[material + 1]):
            grid = reactor.grids[reactor.nuclides[at]]
            table = tables[reactor.nuclides[at]]
            for channel in range(table.shape[1]):
                values = np.interp(energy, grid, table[:, channel])
                miss[rows, channel] += concentrations[at] * values
            low = np.clip(np.searchsorted(grid, energy, side="right") - 1, 0, len(grid) - 2)
            share = (energy - grid[low]) / (grid[low + 1] - grid[low])
            places.append((rows, low, share[:, None]))
    return miss, places


def misfit_by_numpy(*arguments):
    """The objective by `np.interp`."""
    return 0.5 * np.sum(misses(*arguments)[0] ** 2)


def gradient_by_hand(tables, concentrations, reactor, *lookups):
    """The gradients, derived by hand."""
    miss, places = misses(tables, concentrations, reactor, *lookups)
    by_table, by_concentration = np.zeros_like(tables), np.zeros_like(concentrations)
    for at, (rows, low, share) in enumerate(places):
        nuclide = reactor.nuclides[at]
        table = tables[nuclide]
        values = (1.0 - share) * table[low] + share * table[low + 1]
        by_concentration[at] = np.sum(miss[rows] * values)
        weighted = concentrations[at] * miss[rows]
        np.add.at(by_table[nuclide], low, (1.0 - share) * weighted)
        np.add.at(by_table[nuclide], low + 1, share * weighted)
    return by_table, by_concentration


def data(lookups, nuclides, points, rng):
    """Random tables, twelve materials of as many nuclides as XSBench's, and lookups among them."""
    tables = rng.uniform(0.1, 1.0, (nuclides, points, CHANNELS))
    grids = np.sort(rng.uniform(size=(nuclides, points)), axis=1)
    grids[:, 0], grids[:, -1] = 0.0, 1.0
    counts = np.minimum(NUCLIDES_OF, nuclides)
    chosen = [rng.choice(nuclides, count, replace=False) for count in counts]
    starts = np.concatenate([[0], np.cumsum(counts)])
    concentrations = rng.uniform(0.1, 1.0, starts[-1])
    energies = rng.uniform(size=lookups)
    materials = rng.choice(len(counts), lookups, p=SHARES)
    measured = rng.uniform(1.0, 5.0, (lookups, CHANNELS))
    reactor = Reactor(grids, starts, np.concatenate(chosen))
    return tables, concentrations, reactor, energies, materials, measured


def main() -> None:
    """Prints the objective and the norms of the gradients, after comparing them."""
    arguments = data(2000, 60, 500, np.random.default_rng(1))
    slopes = rg.value_and_grad(misfit, argnums=(0, 1))
    value, found = slopes(*arguments)
    assert np.isclose(value, misfit_by_numpy(*arguments), rtol=1e-12)
    for name, ours, by_hand in zip(
        ("tables", "concentrations"), found, gradient_by_hand(*arguments), strict=True
    ):
        assert np.allclose(ours, by_hand, rtol=1e-10, atol=1e-12 * np.max(np.abs(by_hand)))
        print(f"gradient by the {name:14}: {ours.size:8,} numbers, norm {np.linalg.norm(ours):.6g}")
    print(f"objective {value:.6g}; tape {slopes.stats().tape_bytes:,} bytes")


if __name__ == "__main__":
    main()
