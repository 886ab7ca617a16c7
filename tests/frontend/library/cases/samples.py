"""Calls of functions of SciPy's on samples, and of distributions that are short formulas.

Lines as in `rows`: `si` is `scipy.integrate`, `ss` is `scipy.signal`, `sl` is `scipy.linalg`,
`so` is `scipy.optimize`.
"""

from __future__ import annotations

__all__ = ["SAMPLES", "SERIES", "SIGNALS", "STATS"]

SAMPLES = """
si.trapezoid(x, xs)
si.simpson(x)
1 si.simpson(x, x=xs) ! one
1 si.simpson(a, x=v, axis=0)
1 si.simpson(x[:2], dx=0.5)
si.cumulative_trapezoid(x, xs)
1 si.cumulative_trapezoid(a, axis=0, initial=0)
ss.lfilter([0.3, s], [2.0, 0.4, 0.1], x)
1 ss.lfilter(v, [1.0], a, axis=0) ! empty norows
1 ss.lfilter([s], 2.0, x) ! empty nocolumns norows
ss.convolve(x, v) ! empty nocolumns norows
1 ss.convolve(x, w, mode="same") ! empty nocolumns norows
1 ss.convolve(x, w, "valid") ! empty nocolumns norows
1 ss.convolve(w, x, "valid") ! empty nocolumns norows
1 ss.convolve(a, q, "same") ! empty nocolumns norows
1 ss.convolve(a, q) ! empty nocolumns norows
1 ss.convolve(a, q, "valid") ! empty nocolumns norows
1 sp.j0(x)
1 sp.j1(x)
1 sp.j0(x * 40.0)
1 sp.j1(x * 40.0)
1 sl.norm(a) ! special
so.rosen(x)
1 so.rosen(a)
1 sp.i0(x)
1 np.i0(x)
1 np.resize(x, (2, 3)) ! empty nocolumns norows
1 np.resize(a, 5) ! empty nocolumns norows
1 sp.i1(x * 40.0)
1 sp.i0e(x * 40.0)
1 sp.i1e(x)
1 sp.jv(s, x * x)
1 sp.yv(1.0 + p, 3.0 * s)
1 sp.yn(n, p)
1 sp.iv(s, x * x)
1 sp.ive(x, 3.0 * s)
1 sp.kv(x, s)
1 sp.kve(s, p)
1 sp.kn(n, p)
1 sp.k0(p)
1 sp.k1(p * 30.0)
1 sp.k0e(p)
1 sp.k1e(p)
1 sp.ellipk(p)
1 sp.ellipe(p)
1 sp.ellipkm1(p)
st.norm.isf(p, s, 2.0)
st.expon.logpdf(p, scale=s)
st.expon.pdf(p, -0.1, s)
st.expon.cdf(p, scale=s)
st.expon.sf(p, scale=s)
st.expon.ppf(p, scale=s)
st.expon.isf(p, s)
st.uniform.logpdf(p, -0.5, 3.0)
1 st.uniform.pdf(p, -0.5, s + 2.0)
1 st.uniform.cdf(p, -0.5, s + 2.0)
1 st.uniform.sf(p, -0.5, s + 2.0)
1 st.uniform.ppf(p, s, 3.0)
1 st.lognorm.logpdf(p, s)
1 st.lognorm.pdf(p, s, -0.1, 2.0)
1 st.lognorm.cdf(p, s)
1 st.lognorm.sf(p, s)
1 st.lognorm.ppf(p, s)
1 st.chi2.logpdf(p, 2.0 + s) ! special
1 st.chi2.pdf(p, 2.0 + s) ! special
1 st.chi2.cdf(p, 2.0 + s)
1 st.chi2.sf(p, 2.0 + s)
"""

STATS = """
st.norm.logpdf(x)
st.norm.logpdf(x, s, 2.0)
st.norm.logpdf(x, loc=y, scale=p)
st.norm.pdf(x, scale=s)
st.norm.cdf(a, loc=s)
st.norm.logcdf(x, scale=p)
st.norm.sf(x)
st.norm.logsf(x, s)
st.norm.ppf(p, s, 2.0)
st.t.logpdf(x, s)
st.t.logpdf(x, p * 200.0, loc=s, scale=p)
st.t.pdf(x, df=3.0)
st.t.cdf(x, s)
st.t.cdf(x, p * 9.0, scale=s)
st.t.sf(x, 4.0, loc=s)
st.gamma.logpdf(p, s)
st.gamma.logpdf(p, a=p + 1.0, scale=s) ! special
st.gamma.pdf(p, 2.5) ! special
st.gamma.pdf(x, 1.5) ! special
st.gamma.cdf(p, 2.0, scale=s)
st.gamma.sf(p, s)
st.beta.logpdf(p, s, 2.0)
st.beta.logpdf(p, p, p + 1.0, scale=2.0)
st.beta.pdf(p, 2.5, s)
st.beta.cdf(p, s, 2.0)
st.beta.sf(p, 2.0, s, loc=-0.1)
st.poisson.logpmf(i, s)
st.poisson.logpmf(i, p * 3.0, loc=-1)
st.poisson.pmf(i, mu=s)
st.poisson.cdf(i, p * 3.0)
st.poisson.sf(i, s)
"""

SERIES = """
np.polynomial.Polynomial(x)(s) ! bools
np.polynomial.polynomial.Polynomial(x)(s) ! bools
1 np.polynomial.Polynomial(x).deriv()(v)
1 np.polynomial.Polynomial(v, [0.0, 2.0]).integ(lbnd=s)(0.3) ! bools
1 (np.polynomial.Polynomial(x) * np.polynomial.Polynomial(v) + 2.0).coef ! special bools
1 (np.polynomial.Polynomial(x) // np.polynomial.Polynomial([s, 1.0])).coef ! special bools
np.poly1d(x)(v)
1 (np.poly1d(x) - 2.0 * np.poly1d(v)).deriv().coeffs ! special
1 np.poly1d(x).integ()(s)
np.polynomial.polynomial.polyvander(x, 3)
1 np.polynomial.polynomial.polyder(x) ? rank2 rank3 ints nocolumns norows ! bools empty
1 np.polynomial.polynomial.polyint(x) ? rank2 rank3 ints nocolumns norows ! bools empty
1 np.polynomial.polynomial.polyadd(x, v) ! special bools
1 np.polynomial.polynomial.polysub(x, v) ! special bools
1 np.polynomial.polynomial.polymul(x, v) ! special bools
1 np.polynomial.polynomial.polyfit(xs, y, 2) ! special
0 np.polynomial.polynomial.polyroots([6.0, -5.0, 1.0])
np.polynomial.chebyshev.chebval(a, v) ! special
np.polynomial.chebyshev.chebvander(x, 3)
1 np.polynomial.chebyshev.chebfit(xs, y, 2) ! special
np.polynomial.legendre.legval(a, x)
np.polynomial.legendre.legvander(x, 3)
1 np.polynomial.legendre.legfit(xs, y, 2) ! special
"""

SIGNALS = """
1 sip.interp1d(xs, y)(s) ! special one
1 sip.interp1d(x, y)(np.clip(a, np.min(x), np.max(x))) ! special one empty
1 sip.interp1d(xs, y, bounds_error=False)(a * 0.4)
1 sip.interp1d(xs, y, fill_value=(s, 2.0), bounds_error=False)(a)
1 sip.interp1d(xs, y, fill_value="extrapolate")(a) ! special
1 sip.CubicSpline(xs, y).integrate(-1.0, s) ! special
1 sip.PPoly(a, [0.0, 1.0, 2.0, 3.0, 4.0]).derivative()(s)
1 sip.BSpline([0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0], w, 2)(s)
1 sip.UnivariateSpline(xs, y, s=0).integral(-1.0, s) ? ints ! special
1 sip.splev(s, sip.splrep(xs, y)) ! special
1 sip.splint(-1.0, s, sip.splrep(xs, y, k=2)) ! special
1 sip.RectBivariateSpline([0.0, 0.5, 1.0, 2.0], [0.0, 1.0, 1.5, 2.0], m).ev(s, 0.3) ! special
sf.dct(x) ! special empty rank0 norows nocolumns
1 sf.dct(a, 1, axis=0, norm="ortho") ! special empty one rank0 norows nocolumns
1 sf.idct(x, 3, 7, norm="forward") ! special empty rank0 norows nocolumns
1 sf.dst(x, 4) ! special empty rank0 norows nocolumns
1 sf.idst(a, 2, norm="ortho", orthogonalize=False) ! special empty rank0 norows nocolumns
1 sf.dctn(a, norm="ortho") ! special empty rank0 norows nocolumns
1 sf.idctn(a, 3, axes=(0,)) ! special empty rank0 norows nocolumns
1 sf.dstn(a, 1, (3, 5)) ! special empty rank0 norows nocolumns
1 sf.idstn(a) ! special empty rank0 norows nocolumns
1 np.abs(sf.fft(x, 8, workers=2)) ! special empty rank0 norows nocolumns
1 np.abs(sf.ifft(a, axis=0, norm="ortho")) ! special empty rank0 norows nocolumns
1 np.abs(sf.rfft(x)) ! special empty rank0 norows nocolumns
1 sf.irfft(sf.rfft(x)) ! special empty rank0 norows nocolumns one
1 np.abs(sf.fft2(a)) ! special empty rank0 norows nocolumns
1 np.abs(sf.ifft2(a)) ! special empty rank0 norows nocolumns
1 np.abs(sf.fftn(a)) ! special empty rank0 norows nocolumns
1 np.abs(sf.ifftn(a)) ! special empty rank0 norows nocolumns
1 np.abs(sf.rfft2(a)) ! special empty rank0 norows nocolumns
1 sf.irfft2(sf.rfft2(a), (3, 4)) ! special empty rank0 norows nocolumns
1 np.abs(sf.rfftn(a)) ! special empty rank0 norows nocolumns
1 sf.irfftn(sf.rfftn(a), (3, 4)) ! special empty rank0 norows nocolumns
1 np.abs(sf.ihfft(x)) ! special empty rank0 norows nocolumns
1 sf.hfft(sf.ihfft(x)) ! special empty rank0 norows nocolumns one
1 sf.fftshift(x) ! empty rank0 norows nocolumns
1 sf.ifftshift(a, axes=0) ! empty rank0 norows nocolumns
1 s * sf.fftfreq(5, 0.1)
1 s * sf.rfftfreq(6)
1 ss.correlate(x, v) ! empty nocolumns norows
1 ss.correlate(a, q, mode="same") ! empty nocolumns norows
1 ss.fftconvolve(x, v, mode="same") ! special empty nocolumns norows
1 ss.lfilter(v, [2.0, s], x, zi=[s, 0.3]) ! special empty nocolumns norows rank0
1 ss.lfilter_zi([0.2, s], [1.0, -0.4, 0.1])
1 ss.filtfilt([0.3, s], [1.0, -0.2], np.tile(x, 2)) ! empty nocolumns norows one rank0 bools special
1 ss.filtfilt([0.5, 0.5], 1.0, c, axis=1, padtype="even", padlen=1) ! special empty nocolumns norows
1 ss.filtfilt([s, 0.5], [1.0], x, padtype=None) ! special empty nocolumns norows rank0
1 ss.sosfilt([[0.3, s, 0.1, 1.0, -0.2, 0.1], [1.0, s, 0.0, 1.0, 0.1, 0.0]], a, 0) ! empty norows
1 ss.detrend(x) ! special empty nocolumns norows rank0
1 ss.detrend(c, axis=1, type="constant") ! empty rank0 norows
1 ss.savgol_filter(x, 5, 2) ! special
1 ss.savgol_filter(x, 5, 3, deriv=1, delta=s, mode="nearest") ! special empty
1 ss.savgol_filter(c, 3, 1, axis=1) ! special empty norows nocolumns
1 ss.periodogram(x, s)[1] ? rank2 rank3 ints ! special empty nocolumns norows rank0 one bools
1 ss.welch(x, s, nperseg=4)[1] ? rank2 rank3 ints nocolumns norows ! special empty one rank0 bools
1 ss.spectrogram(x, s, v)[2] ? rank2 rank3 ints nocolumns norows ! special empty one rank0 bools
1 ss.stft(x, s, v, 3)[2].real ? rank2 rank3 ints nocolumns norows ! special empty one rank0 bools
1 ss.istft(ss.stft(x, s, v, 3)[2])[1] ? rank2 rank3 ints nocolumns norows ! special empty one rank0
1 ss.csd(x, y, s, v)[1].real ? rank2 rank3 ints nocolumns norows ! special empty one rank0 bools
1 ss.coherence(x, y, s, v)[1] ? rank2 rank3 ints nocolumns norows ! special empty one rank0 bools
1 np.abs(ss.hilbert(x)) ? rank2 rank3 ints ! special empty nocolumns norows rank0 one
1 ss.sawtooth(2.0 * x, 0.3)
1 ss.sawtooth(3.0 * x + 0.1) ! special
0 ss.square(4.0 * x, duty=0.3)
1 ss.chirp(x, 0.5, 2.0, 1.5) ! special
1 ss.chirp(x, 0.5, 2.0, 1.5, "quadratic", 30.0, False) ! special
1 ss.chirp(x, 0.5, 2.0, 1.5, method="log") ! special
1 ss.chirp(x, 0.5, 9.0, 1.5, method="hyperbolic") ! special
1 ss.gausspulse(x, 0.7, retquad=True, retenv=True) ! special
0 ss.gausspulse("cutoff", s)
1 ss.medfilt(x, 5) ! special empty norows nocolumns ints
1 ss.medfilt(a) ! special empty norows nocolumns ints
1 ss.resample(x, 5) ! special empty rank0 norows nocolumns
1 ss.resample(x, 10) ! special empty rank0 norows nocolumns
1 ss.resample(c, 2, axis=1) ! special empty rank0 norows nocolumns rank1 one bools
1 ss.sosfiltfilt(np.array([[0.3, 0.2, 0.1, 1.0, -0.2, 0.1]]), x, padlen=3) ! special
0 ss.butter(3, 10.0 / (100.0 / 2))
0 ss.butter(4, [0.1, 0.4], "band", output="sos")
0 ss.buttord(0.2, 0.3, 3, 40)
0 ss.cheby1(3, 1.0, 0.2)
0 ss.cheby2(3, 30.0, 0.2)
0 ss.ellip(3, 1.0, 30.0, 0.2)
0 ss.bessel(3, 0.2)
0 ss.firwin(5, 0.3)
0 ss.firwin2(9, [0.0, 0.5, 1.0], [1.0, 1.0, 0.0])
0 ss.iirfilter(3, 0.2, btype="highpass")
0 ss.iirnotch(0.2, 30.0)
0 ss.iirpeak(0.2, 30.0)
0 ss.iircomb(0.2, 30.0)
0 ss.savgol_coeffs(5, 2)
0 ss.sosfilt_zi([[0.3, 0.2, 0.1, 1.0, -0.2, 0.1]])
0 ss.argrelextrema(x, np.greater)[0] ? rank2 rank3 ints nocolumns norows
0 ss.argrelmax(xs + x, order=2)[0] ? rank2 rank3 ints nocolumns norows
0 ss.argrelmin(x, mode="wrap")[0] ? rank2 rank3 ints nocolumns norows
0 ss.find_peaks(x, height=s)[0] ! special
1 ss.find_peaks(x, height=-3.0, prominence=0.1)[1]["prominences"] ! special
0 ss.peak_prominences(x, [1, 3])[0] ! special
0 ss.peak_widths(x, [1, 4], 0.4)[0] ! special
1 ss.find_peaks(x, width=0.1)[1]["widths"] ! special
1 ss.convolve2d(a, q, "same") ! special empty norows nocolumns
1 ss.convolve2d(a, e, boundary="symm") ! special empty norows nocolumns
1 ss.correlate2d(a, e, mode="same", fillvalue=0.5) ! special empty norows nocolumns
1 ss.correlate2d(e, a, mode="valid") ! special empty norows nocolumns
1 sl.solve_toeplitz(v + 4.0, e.T) ? ints ! special
1 sl.circulant(v) ? rank2 rank3 nocolumns norows ints
1 sl.hankel(v, x) ? rank2 rank3 nocolumns norows ints ! rank0 empty
1 sl.hankel(x) ? rank2 rank3 nocolumns norows ints ! rank0
1 sl.solve_continuous_lyapunov(g, m) ! special
1 sl.solve_discrete_lyapunov(q * 0.3, q) ? one ! special
"""
