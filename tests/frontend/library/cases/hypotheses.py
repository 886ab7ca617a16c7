"""Calls of tests of hypotheses, of ranks and of trimmed samples: `scipy.stats` (`st`).

Lines as in `rows`.
"""

from __future__ import annotations

__all__ = ["HYPOTHESES"]

HYPOTHESES = """
1 st.ttest_ind(x, y).statistic ! empty
1 st.ttest_ind(x, v, equal_var=False, alternative="less").pvalue ! norows ints
1 st.ttest_1samp(a, 0.1, axis=1)[0]
1 st.ttest_1samp(x, 0.3, alternative="greater").pvalue
1 st.ttest_rel(x, y).pvalue ! rank0 one
1 st.ttest_ind_from_stats(1.0, s, 5, 2.0, 0.5 * s, 6)[1]
1 st.f_oneway(x, y, v).pvalue ! rank0
1 st.f_oneway(a, b, axis=1).statistic ! rank0 rank1 one rank3 bools
1 st.chisquare(p).statistic
1 st.chisquare(p, np.flip(p)).pvalue ? rank0
1 st.power_divergence(p, lambda_="log-likelihood")[0]
1 st.power_divergence(p, lambda_=2.0 / 3.0).statistic
1 st.chi2_contingency(np.abs(a)).statistic ! empty rank1 one nocolumns norows rank3
1 st.chi2_contingency(np.abs(q))[1] ! empty rank1 one nocolumns norows rank3
1 st.jarque_bera(a).statistic
1 st.skewtest(a, axis=None).statistic
1 st.kurtosistest(a, axis=None).pvalue
1 st.normaltest(a, axis=None).statistic
1 st.bartlett(x, y, v).statistic ! rank0 one
1 st.levene(x, y, center="mean").statistic ! rank0
1 st.combine_pvalues(p).statistic ! empty rank0 rank2 nocolumns norows rank3 ints
1 st.combine_pvalues(p, method="stouffer").pvalue ! rank0 rank2 nocolumns norows rank3 ints
1 st.combine_pvalues(p, method="pearson")[0] ! empty rank0 rank2 nocolumns norows rank3 ints
0 st.rankdata(x)
0 st.rankdata(i, method="min")
0 st.rankdata(i, method="max")
0 st.rankdata(i, method="dense")
0 st.rankdata(i, method="ordinal")
0 st.tiecorrect(st.rankdata(i))
0 st.spearmanr(x, y).statistic ! empty one
0 st.spearmanr(x, y)[1] ! empty one
0 st.kendalltau(x, y).statistic ! empty rank0 one nocolumns norows ints
0 st.kendalltau(x, y, alternative="greater").pvalue ! empty rank0 one nocolumns norows ints
0 st.kendalltau(i, x).pvalue ! empty rank0 one nocolumns norows ints
0 st.mannwhitneyu(x, v).statistic ! rank0 norows ints
0 st.mannwhitneyu(x, v)[1] ! rank0 norows ints
0 st.mannwhitneyu(i, x, alternative="less").pvalue ! rank0
0 st.wilcoxon(x).pvalue ! rank0 rank2 nocolumns norows rank3 ints
0 st.wilcoxon(i - 1).pvalue ! rank0 rank2 nocolumns norows rank3 ints
0 st.wilcoxon(x, y).statistic ! rank0
0 st.wilcoxon(i, x, method="asymptotic").pvalue ! rank0
0 st.kruskal(x, y, i).pvalue ! rank0
0 st.friedmanchisquare(x, y, i).statistic ! rank0 one
0 st.mode(i).mode ! empty rank0 rank2 nocolumns norows rank3 ints bools
0 st.mode(i).count ! empty rank0 rank2 nocolumns norows rank3 ints bools
0 st.percentileofscore(x, s) ! rank0 rank2 nocolumns norows rank3 ints
0 st.percentileofscore(i, 1, kind="mean") ! rank0 rank2 nocolumns norows rank3 ints
1 st.theilslopes(y, xs)[0] ! empty rank0 one nocolumns norows ints
1 st.theilslopes(x).low_slope ! rank0 rank2 nocolumns norows rank3 ints
1 st.siegelslopes(y, xs).intercept ! empty rank0 one nocolumns norows ints
1 st.wasserstein_distance(x, y) ! empty
1 st.wasserstein_distance(x, v, p, np.abs(v)) ! empty rank1 one bools
1 st.energy_distance(x, v) ! empty
1 st.binned_statistic(xs, y, bins=3).statistic ! special rank0 rank2 rank3 ints
1 st.binned_statistic(xs, y, "sum", [-1, 0, 3])[0] ! empty rank0 rank2 nocolumns norows rank3 ints
0 st.binned_statistic(xs, y, bins=3).binnumber ! special rank0 rank2 rank3 ints
1 st.binned_statistic(xs, y, "max", 2)[0] ! empty special rank0 rank2 nocolumns norows rank3 ints
1 st.boxcox(p, 0.3)
1 st.boxcox_llf(0.3, p)
1 st.yeojohnson(x, 0.3) ! bools
1 st.yeojohnson(x, 2.0) ! bools
1 st.yeojohnson_llf(0.3, x) ! bools
1 st.circmean(x)
1 st.circmean(a, high=2.0, low=-1.0, axis=0)
1 st.circvar(a, axis=1)
1 st.circstd(x)
1 st.circstd(x, normalize=True)
1 st.cumfreq(x, 4, weights=p).cumcount
0 st.relfreq(x, 4)[0] ! empty nocolumns norows bools
1 st.relfreq(x, 4).binsize ! empty nocolumns norows bools
1 st.describe(x).variance ! nocolumns bools
1 st.describe(a, axis=1).skewness ! empty norows
1 st.gstd(p) ! rank0
1 st.gzscore(p)
1 st.zmap(x, y)
1 st.pmean(p, 2)
1 st.pmean(np.abs(a), -1.5, axis=1)
1 st.pointbiserialr(t, x)[0] ! rank0 one
1 st.sigmaclip(x, 1.3, 1.3).clipped
1 st.tmean(x, (-1.0, 1.5)) ! bools
1 st.tvar(a, axis=1)
1 st.tstd(x, (None, 1.5), (False, False)) ! rank0
1 st.tsem(x, (-1.5, None))
1 st.trim_mean(x, 0.2) ! empty norows
1 st.trim_mean(a, 0.3, axis=1) ! nocolumns
"""
