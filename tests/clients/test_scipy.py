"""SciPy's statistics and special functions for any array library, in float32 and float64."""

import numpy as np
import pytest
from scipy import special, stats

from tests.clients.points import FLOATS, check, like, namespace

STATS = {
    "alexandergovern": lambda x, y, p: stats.alexandergovern(*x).pvalue,
    "bartlett": lambda x, y, p: stats.bartlett(x[0], y[0]),
    "boxcox_llf": lambda x, y, p: stats.boxcox_llf(1.5, p, axis=-1),
    "chatterjeexi": lambda x, y, p: stats.chatterjeexi(x, y, axis=-1).statistic,
    "chisquare": lambda x, y, p: stats.chisquare(p, axis=1),
    "circmean": lambda x, y, p: stats.circmean(x),
    "circstd": lambda x, y, p: stats.circstd(x, axis=1),
    "circvar": lambda x, y, p: stats.circvar(x, axis=0),
    "describe": lambda x, y, p: tuple(stats.describe(x, axis=1))[2:],
    "differential_entropy": lambda x, y, p: stats.differential_entropy(x, axis=1),
    "directional_stats": lambda x, y, p: stats.directional_stats(x).mean_direction,
    "entropy": lambda x, y, p: stats.entropy(p, axis=1),
    "false_discovery_control": lambda x, y, p: stats.false_discovery_control(p, axis=1),
    "friedmanchisquare": lambda x, y, p: stats.friedmanchisquare(*x),
    "gmean": lambda x, y, p: stats.gmean(p),
    "gstd": lambda x, y, p: stats.gstd(p, axis=1),
    "hmean": lambda x, y, p: stats.hmean(p),
    "iqr": lambda x, y, p: stats.iqr(x, axis=1),
    "jarque_bera": lambda x, y, p: stats.jarque_bera(x, axis=1),
    "kruskal": lambda x, y, p: stats.kruskal(x, y, axis=1),
    "kstat": lambda x, y, p: stats.kstat(x, 3, axis=1),
    "kurtosis": lambda x, y, p: stats.kurtosis(x),
    "kurtosistest": lambda x, y, p: stats.kurtosistest(x, axis=1),
    "mannwhitneyu": lambda x, y, p: stats.mannwhitneyu(x, y, axis=1, method="asymptotic"),
    "median_abs_deviation": lambda x, y, p: stats.median_abs_deviation(x, axis=1),
    "moment": lambda x, y, p: stats.moment(x, 3),
    "normaltest": lambda x, y, p: stats.normaltest(x, axis=1),
    "pearsonr": lambda x, y, p: stats.pearsonr(x, y, axis=1).statistic,
    "pmean": lambda x, y, p: stats.pmean(p, 2),
    "power_divergence": lambda x, y, p: stats.power_divergence(p, axis=1),
    "quantile": lambda x, y, p: stats.quantile(x, 0.3, axis=1),
    "rankdata": lambda x, y, p: stats.rankdata(x, axis=1),
    "sem": lambda x, y, p: stats.sem(x, axis=1),
    "skew": lambda x, y, p: stats.skew(x),
    "skewtest": lambda x, y, p: stats.skewtest(x, axis=1),
    "tmean": lambda x, y, p: stats.tmean(x, axis=1),
    "trim_mean": lambda x, y, p: stats.trim_mean(x, 0.1, axis=1),
    "tstd": lambda x, y, p: stats.tstd(x, axis=1),
    "ttest_1samp": lambda x, y, p: stats.ttest_1samp(x, 0.1, axis=1),
    "ttest_ind": lambda x, y, p: stats.ttest_ind(x, y, axis=1),
    "ttest_rel": lambda x, y, p: stats.ttest_rel(x, y, axis=1),
    "variation": lambda x, y, p: stats.variation(p, axis=1),
    "wilcoxon": lambda x, y, p: stats.wilcoxon(x, y, axis=1, method="asymptotic").statistic,
    "yeojohnson_llf": lambda x, y, p: stats.yeojohnson_llf(1.5, x, axis=-1),
    "zmap": lambda x, y, p: stats.zmap(x, y, axis=1),
    "zscore": lambda x, y, p: stats.zscore(x, axis=1),
    "bootstrap": lambda x, y, p: (
        (
            stats.bootstrap((x[0],), namespace(x).mean, n_resamples=99, method="basic", rng=1)
        ).standard_error
    ),
    "brunnermunzel": lambda x, y, p: stats.brunnermunzel(x, y, axis=1),
    "combine_pvalues": lambda x, y, p: stats.combine_pvalues(p, axis=1),
    "cramervonmises": lambda x, y, p: stats.cramervonmises(p, lambda t: t, axis=1).statistic,
    "cramervonmises_2samp": lambda x, y, p: (
        stats.cramervonmises_2samp(x, y, axis=1, method="asymptotic").statistic
    ),
    "epps_singleton_2samp": lambda x, y, p: stats.epps_singleton_2samp(x, y, axis=1),
    "f_oneway": lambda x, y, p: stats.f_oneway(x, y, p, axis=1),
    "fligner": lambda x, y, p: stats.fligner(x, y, p, axis=1),
    "gzscore": lambda x, y, p: stats.gzscore(p, axis=1),
    "ks_1samp": lambda x, y, p: stats.ks_1samp(p, lambda t: t, axis=1, method="asymp").statistic,
    "kstatvar": lambda x, y, p: stats.kstatvar(x, 2, axis=1),
    "levene": lambda x, y, p: stats.levene(x, y, p, axis=1),
    "lmoment": lambda x, y, p: stats.lmoment(x, 3, axis=1),
    "mode": lambda x, y, p: stats.mode((p * 5) // 1, axis=1),
    "monte_carlo_test": lambda x, y, p: (
        stats.monte_carlo_test(
            x[0],
            lambda size: like(x, np.random.default_rng(2).normal(size=size)),
            lambda t, axis: namespace(t).mean(t, axis=axis),
            n_resamples=99,
            vectorized=True,
        ).pvalue
    ),
    "mood": lambda x, y, p: stats.mood(x, y, axis=1),
    "permutation_test": lambda x, y, p: (
        stats.permutation_test(
            (x[0], y[0]),
            lambda t, u, axis: namespace(t).mean(t, axis=axis) - namespace(u).mean(u, axis=axis),
            n_resamples=99,
            vectorized=True,
            rng=3,
        ).pvalue
    ),
    "power": lambda x, y, p: (
        stats.power(
            stats.ttest_1samp,
            lambda size: like(x, np.random.default_rng(4).normal(0.5, size=size)),
            like(x, 10),
            kwargs={"popmean": like(x, 0.0)},
            n_resamples=50,
        ).power
    ),
    "sigmaclip": lambda x, y, p: stats.sigmaclip(x[0], 1.5, 1.5).clipped,
    "spearmanrho": lambda x, y, p: stats.spearmanrho(x, y, axis=1).statistic,
    "tmax": lambda x, y, p: stats.tmax(x, 1.0, axis=1),
    "tmin": lambda x, y, p: stats.tmin(x, -1.0, axis=1),
    "tsem": lambda x, y, p: stats.tsem(x, (-1.0, 1.0), axis=1),
    "ttest_ind_from_stats": lambda x, y, p: stats.ttest_ind_from_stats(
        x[:, 0], p[:, 0], 9, y[:, 0], p[:, 1], 8
    ),
    "tvar": lambda x, y, p: stats.tvar(x, (-1.0, 1.0), axis=1),
    "ansari": lambda x, y, p: stats.ansari(x, y, axis=1).statistic,
}
SPECIAL = {
    "chdtr": lambda x, y, p: special.chdtr(p * 9, p),
    "digamma": lambda x, y, p: special.digamma(p),
    "entr": lambda x, y, p: special.entr(p),
    "erf": lambda x, y, p: special.erf(x),
    "erfc": lambda x, y, p: special.erfc(x),
    "expit": lambda x, y, p: special.expit(x),
    "gammainc": lambda x, y, p: special.gammainc(p, p * 3),
    "gammaln": lambda x, y, p: special.gammaln(p * 5),
    "i0e": lambda x, y, p: special.i0e(x),
    "i1": lambda x, y, p: special.i1(x),
    "log_ndtr": lambda x, y, p: special.log_ndtr(x),
    "log_softmax": lambda x, y, p: special.log_softmax(x, axis=1),
    "logit": lambda x, y, p: special.logit(p),
    "logsumexp": lambda x, y, p: special.logsumexp(x, axis=1),
    "logsumexp of several axes": lambda x, y, p: special.logsumexp(x, b=p, axis=(0, 1)),
    "multigammaln": lambda x, y, p: special.multigammaln(p + 3, 2),
    "ndtr": lambda x, y, p: special.ndtr(x),
    "ndtri": lambda x, y, p: special.ndtri(p),
    "rel_entr": lambda x, y, p: special.rel_entr(p, p[::-1]),
    "softmax": lambda x, y, p: special.softmax(x, axis=0),
    "xlog1py": lambda x, y, p: special.xlog1py(x, p),
    "xlogy": lambda x, y, p: special.xlogy(x, p),
    "chdtrc": lambda x, y, p: special.chdtrc(p * 9, p),
    "erfinv": lambda x, y, p: special.erfinv(p),
    "gammaincc": lambda x, y, p: special.gammaincc(p, p * 3),
    "i0": lambda x, y, p: special.i0(x),
    "i1e": lambda x, y, p: special.i1e(x),
    "polygamma": lambda x, y, p: special.polygamma(like(x, 2), p + 1),
    "psi": lambda x, y, p: special.psi(p),
    "zeta": lambda x, y, p: special.zeta(p + 2, p + 1),
    "betainc": lambda x, y, p: special.betainc(p * 3, p + 1, p),
    "betaincinv": lambda x, y, p: special.betaincinv(p * 3, p + 1, p),
    "betaln": lambda x, y, p: special.betaln(p, p + 1),
    "binom": lambda x, y, p: special.binom(p * 9, p),
    "boxcox": lambda x, y, p: special.boxcox(p, x),
    "cbrt": lambda x, y, p: special.cbrt(x),
    "cosm1": lambda x, y, p: special.cosm1(x),
    "ellipk": lambda x, y, p: special.ellipk(p),
    "erfcx": lambda x, y, p: special.erfcx(p),
    "exp1": lambda x, y, p: special.exp1(p),
    "exp2": lambda x, y, p: special.exp2(x),
    "exp10": lambda x, y, p: special.exp10(x),
    "expi": lambda x, y, p: special.expi(p),
    "expn": lambda x, y, p: special.expn(like(x, 2), p),
    "exprel": lambda x, y, p: special.exprel(x),
    "fdtr": lambda x, y, p: special.fdtr(p * 3, p + 1, p),
    "gamma": lambda x, y, p: special.gamma(p),
    "gammaincinv": lambda x, y, p: special.gammaincinv(p + 1, p),
    "gammasgn": lambda x, y, p: special.gammasgn(x),
    "gdtr": lambda x, y, p: special.gdtr(p, p, p * 3),
    "huber": lambda x, y, p: special.huber(p, x),
    "hyp1f1": lambda x, y, p: special.hyp1f1(p, p + 1, x),
    "j0": lambda x, y, p: special.j0(x),
    "j1": lambda x, y, p: special.j1(x),
    "k0": lambda x, y, p: special.k0(p),
    "k1e": lambda x, y, p: special.k1e(p),
    "kl_div": lambda x, y, p: special.kl_div(p, p[::-1]),
    "loggamma": lambda x, y, p: special.loggamma(p),
    "nbdtr": lambda x, y, p: special.nbdtr(like(x, 2), like(x, 5), p),
    "pdtr": lambda x, y, p: special.pdtr(like(x, 2), p),
    "poch": lambda x, y, p: special.poch(p, p + 1),
    "pseudo_huber": lambda x, y, p: special.pseudo_huber(p, x),
    "radian": lambda x, y, p: special.radian(x, p, p),
    "rgamma": lambda x, y, p: special.rgamma(x),
    "sinc": lambda x, y, p: special.sinc(x),
    "spence": lambda x, y, p: special.spence(p),
    "stdtr": lambda x, y, p: special.stdtr(p * 9, x),
    "stdtrit": lambda x, y, p: special.stdtrit(p * 9 + 1, p),
    "y0": lambda x, y, p: special.y0(p),
    "y1": lambda x, y, p: special.y1(p),
    "zetac": lambda x, y, p: special.zetac(p + 2),
}


# SciPy makes ranks of the default dtype, which is float32 here.
FLOAT32 = {"brunnermunzel"}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", STATS)
def test_stats(name, dtype):
    check(STATS[name], dtype, "float32" if name in FLOAT32 else dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", SPECIAL.values(), ids=SPECIAL)
def test_special(call, dtype):
    check(call, dtype)
