"""A function of 100 lines, and the seconds until its first gradient is there.

A catchment: snow, soil, groundwater and a river in reaches, day by day. Branches, a data-dependent
`while`, arrays updated in place, helper values: the kind of model that people calibrate.
"""

from __future__ import annotations

import math
import time

import numpy as np

from benchmarks import adapter

__all__ = ["catchment", "forcing"]


# fmt: off
def catchment(parameters, rain, warmth, observed):  # noqa: C901 - long on purpose
    """Mean squared miss of the discharge, with a penalty on an implausible water balance."""
    melt_rate = math.exp(parameters[0])
    melt_point = parameters[1]
    capacity = math.exp(parameters[2])
    shape = math.exp(parameters[3])
    drain = 1.0 / (1.0 + math.exp(-parameters[4]))
    seep = 1.0 / (1.0 + math.exp(-parameters[5]))
    travel = math.exp(parameters[6])
    evaporation = math.exp(parameters[7])
    memory = 1.0 / (1.0 + math.exp(-parameters[0] - parameters[4]))
    days = len(rain)
    reaches = 5
    bands = 3
    snow = np.zeros(bands)
    river = np.zeros(reaches)
    flow = np.zeros(days)
    soil = 0.5 * capacity
    ground = 10.0
    lost = 0.0
    fallen = 0.0
    recent = 0.0
    # One pass over the days; every store is updated in place.
    for day in range(days):
        liquid = 0.0
        for band in range(bands):
            local = warmth[day] - 1.5 * band
            share = 1.0 / (1.0 + math.exp(-2.0 * (local - melt_point)))
            frozen = rain[day] * (1.0 - share) / bands
            thawed = rain[day] * share / bands
            snow[band] += frozen
            if local > melt_point:
                wanted = melt_rate * (local - melt_point)
                melted = min(wanted, snow[band])
                snow[band] -= melted
            else:
                melted = 0.0
            liquid += thawed + melted
        fallen += rain[day]
        recent = memory * recent + (1.0 - memory) * rain[day]
        # Saturation excess: the wetter the soil, the more runs off.
        wetness = soil / capacity
        if wetness > 1.0:
            wetness = 1.0
        runoff = liquid * wetness ** shape
        soil += liquid - runoff
        if soil > capacity:
            runoff += soil - capacity
            soil = capacity
        # Evaporation is limited by heat and by water.
        heat = warmth[day]
        demand = evaporation * heat if heat > 0.0 else 0.0
        taken = demand * soil / (soil + 0.2 * capacity)
        soil -= taken
        lost += taken
        # Seepage to the groundwater, in sub-steps as short as the store asks for.
        left = 1.0
        while left > 0.0:
            step = 0.5 / (1.0 + soil / capacity)
            if step > left:
                step = left
            seepage = step * seep * soil * soil / (capacity + soil)
            soil -= seepage
            ground += seepage
            left -= step
        base = drain * ground * (1.0 - math.exp(-0.01 * ground))
        ground -= base
        # The river: a cascade of linear reservoirs.
        inflow = runoff + base
        for reach in range(reaches):
            river[reach] += inflow
            outflow = river[reach] * (1.0 - math.exp(-1.0 / travel))
            river[reach] -= outflow
            inflow = outflow
        flow[day] = inflow
    # How far the discharge is from what was observed, in logarithms so that low flows count.
    misses = 0.0
    worst = 0.0
    for day in range(days):
        miss = math.log1p(flow[day]) - math.log1p(observed[day])
        misses += miss * miss
        size = abs(miss)
        if size > worst:
            worst = size
    stored = soil + ground
    for band in range(bands):
        stored += snow[band]
    for reach in range(reaches):
        stored += river[reach]
    discharged = 0.0
    for day in range(days):
        discharged += flow[day]
    balance = fallen + 10.0 + 0.5 * capacity
    balance -= lost
    balance -= stored
    balance -= discharged
    penalty = 1e-3 * (lost / (1.0 + fallen) - 0.4) ** 2
    penalty += 1e-4 * recent * recent
    smooth = math.sqrt(misses / days + 1e-6)
    return smooth + 0.01 * worst + penalty + balance * balance
# fmt: on


def forcing(days: int):
    """Parameters, rain, warmth and an observed discharge."""
    draw = np.random.default_rng(5)
    rain = np.maximum(0.0, draw.normal(1.0, 4.0, days))
    warmth = 8.0 + 9.0 * np.sin(2.0 * np.pi * np.arange(days) / 365.0) + draw.normal(size=days)
    observed = np.exp(0.3 * draw.normal(size=days))
    parameters = np.array([0.8, 0.3, 5.0, 0.6, -3.0, -2.5, 0.7, -2.2])
    return parameters, rain, warmth, observed


def main() -> None:
    """Prints the seconds of the first call."""
    arguments = forcing(365)
    start = time.perf_counter()
    adapter.gradient(catchment, (0,))(*arguments)
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
