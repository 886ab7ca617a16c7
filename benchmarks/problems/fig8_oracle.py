"""Expected numbers for the adaptive-grid program with a weighted sum as its result.

The start is x = [n, n-1, ..., 1] and the stride 1013 * 3**3. The published program ends in
|x|**2 / 2, which every rotation leaves alone, so its gradient is x whatever a system forgets;
the weighted sum has no such blind spot. The numbers come from a hand-written adjoint in arithmetic
of at least 60 digits in which 1.2 and 1.4 are the float64 nearest to them. Where `gradient` is
shorter than n it has the first components only.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CASES", "EXACT_HALF_SQUARE_1000", "INNER_ITERATIONS", "STRIDE", "Case"]

STRIDE = 1013 * 3**3

# Number of inner iterations for some l, and |x|^2 / 2 at n = 1000 for every l.
INNER_ITERATIONS = {1: 1, 10: 27, 53: 182, 100: 421, 101: 422, 1000: 5097, 3203: 23684}
EXACT_HALF_SQUARE_1000 = 166916750.0


@dataclass(frozen=True, slots=True)
class Case:
    """One run; sizes n and l (`steps`), value, leading gradient components and two checks of all.

    `tolerance` is relative: rounding in r turns into angles that are wrong by as much, times r.
    """

    n: int
    steps: int
    value: float
    gradient: tuple[float, ...]
    gradient_sum: float
    gradient_norm: float
    tolerance: float


CASES = (
    Case(
        n=4,
        steps=1,
        value=20.120497971665195,
        gradient=(
            3.3220095269996333,
            3.956775155307743,
            0.4976361328100746,
            4.590513942826183,
        ),
        gradient_sum=12.366934757943634,
        gradient_norm=6.929089183081475,
        tolerance=1e-11,
    ),
    Case(
        n=5,
        steps=3,
        value=37.62572447771584,
        gradient=(
            8.702367530057797,
            7.205081537753802,
            7.950349156708249,
            6.991932583015733,
            5.853286430669798,
        ),
        gradient_sum=36.703017238205376,
        gradient_norm=16.552961535397728,
        tolerance=1e-11,
    ),
    Case(
        n=10,
        steps=3,
        value=234.52298833741634,
        gradient=(
            5.544796212755088,
            2.256886802162981,
            6.162788992860962,
            6.323045323373038,
            5.105356202556941,
            6.6588922172347305,
            6.176801068845392,
            7.399173285201484,
            9.841723551475916,
            10.90822821104433,
        ),
        gradient_sum=66.37769186751086,
        gradient_norm=22.20257378870482,
        tolerance=1e-11,
    ),
    Case(
        n=10,
        steps=10,
        value=-25.10334317191726,
        gradient=(
            183.75532642472035,
            176.57772181805663,
            149.57215295947074,
            137.2603611092068,
            111.01686834358568,
            99.67732717260714,
            68.70395370272018,
            56.520487427459905,
            26.254927174301802,
            10.274867311324085,
        ),
        gradient_sum=1019.6139934434533,
        gradient_norm=370.3079191245848,
        tolerance=1e-11,
    ),
    Case(
        n=11,
        steps=7,
        value=-207.95580544761626,
        gradient=(
            23.940716784207513,
            18.760642820249718,
            19.14500331579888,
            12.085381363430294,
            14.343354255371487,
            4.905458094731945,
            8.354287663314723,
            -2.931662622725098,
            -0.979475880268903,
            -5.757909465659898,
            12.834444517154461,
        ),
        gradient_sum=104.70024084560512,
        gradient_norm=44.09906113308935,
        tolerance=1e-11,
    ),
    Case(
        n=100,
        steps=10,
        value=146740.01731583342,
        gradient=(
            112780.81617050392,
            111654.20091330983,
            110527.65151092257,
            109398.29134934233,
            108274.76982372842,
        ),
        gradient_sum=5699475.787220325,
        gradient_norm=656267.2336648012,
        tolerance=1e-9,
    ),
    Case(
        n=1000,
        steps=1,
        value=-142898631.89007038,
        gradient=(
            910232.2925947616,
            909320.3233162938,
            908411.4025698871,
            907497.0673995445,
            906590.2751300364,
        ),
        gradient_sum=455144777.8537509,
        gradient_norm=16623170.540750738,
        tolerance=1e-9,
    ),
    Case(
        n=1000,
        steps=10,
        value=108639187.54781784,
        gradient=(
            37495359.23563246,
            37457866.535655506,
            37420373.079826735,
            37382875.38106072,
            37345385.81895757,
        ),
        gradient_sum=18766752884.219444,
        gradient_norm=685087865.7420436,
        tolerance=1e-9,
    ),
    Case(
        n=1000,
        steps=1000,
        value=-110613065.41658354,
        gradient=(
            6992633563.442805,
            6985640869.561182,
            6978648227.821523,
            6971655610.677568,
            6964662906.937667,
        ),
        gradient_sum=3499812807186.3115,
        gradient_norm=127763178283.94899,
        tolerance=1e-6,
    ),
)
