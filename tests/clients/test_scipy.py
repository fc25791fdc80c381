"""SciPy's functions for any array library, in float32 and float64."""

import numpy as np
import pytest
from scipy import (
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    linalg,
    optimize,
    signal,
    spatial,
    special,
    stats,
)
from scipy.optimize import elementwise

from tests.clients.agree import agree, tensors

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(2, 3, 20))
P = RNG.random((3, 20)) * 0.9 + 0.05
FLOATS = ["float32", "float64"]

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
}
OTHERS = {
    "whiten": lambda x, y, p: cluster.vq.whiten(x.T),
    "convert_temperature": lambda x, y, p: constants.convert_temperature(p, "C", "K"),
    "fft": lambda x, y, p: fft.fft(x),
    "ifft": lambda x, y, p: fft.ifft(x, norm="ortho"),
    "fft2": lambda x, y, p: fft.fft2(x),
    "fftn": lambda x, y, p: fft.fftn(x, axes=(1, 0)),
    "rfft": lambda x, y, p: fft.rfft(x, n=15),
    "irfft": lambda x, y, p: fft.irfft(x),
    "rfftn": lambda x, y, p: fft.rfftn(x),
    "hfft": lambda x, y, p: fft.hfft(x),
    "ihfft": lambda x, y, p: fft.ihfft(x),
    "fftshift": lambda x, y, p: fft.fftshift(x),
    "fht": lambda x, y, p: fft.fht(x, 0.1, 0.5),
    "trapezoid": lambda x, y, p: integrate.trapezoid(x, dx=0.5),
    "cumulative_trapezoid": lambda x, y, p: integrate.cumulative_trapezoid(x, initial=0),
    "cumulative_simpson": lambda x, y, p: integrate.cumulative_simpson(x),
    "romb": lambda x, y, p: integrate.romb(x[:, :17]),
    "orthogonal_procrustes": lambda x, y, p: linalg.orthogonal_procrustes(x.T, y.T)[0],
    "rosen": lambda x, y, p: optimize.rosen(x),
    "rosen_der": lambda x, y, p: optimize.rosen_der(x),
    "find_root": lambda x, y, p: (
        elementwise.find_root(lambda t, q: t**3 - q, (0 * p, p + 1), args=(p,)).x
    ),
    "find_minimum": lambda x, y, p: (
        elementwise.find_minimum(lambda t, q: (t - q) ** 2, (p - 3, p - 1, p + 2), args=(p,)).x
    ),
    "derivative": lambda x, y, p: differentiate.derivative(lambda t: t * t * t, p).df,
    "tanhsinh": lambda x, y, p: integrate.tanhsinh(lambda t: t * t, 0 * p, p).integral,
    "cubature": lambda x, y, p: (
        integrate.cubature(lambda t: t[:, 0] * t[:, 1], p[0, :2] * 0, p[0, :2] * 0 + 1).estimate
    ),
    "convolve": lambda x, y, p: signal.convolve(x, y, method="direct"),
    "fftconvolve": lambda x, y, p: signal.fftconvolve(x, y),
    "oaconvolve": lambda x, y, p: signal.oaconvolve(x, y[:, :5]),
    "correlate": lambda x, y, p: signal.correlate(x, y),
    "detrend": lambda x, y, p: signal.detrend(x),
    "envelope": lambda x, y, p: signal.envelope(x),
    "hilbert": lambda x, y, p: signal.hilbert(x),
    "lfilter": lambda x, y, p: signal.lfilter(p[0, :3], 1 + p[0, :3], x),
    "savgol_filter": lambda x, y, p: signal.savgol_filter(x, 5, 2),
    "sosfilt": lambda x, y, p: signal.sosfiltfilt(tensors_like(x, SOS), x),
    "resample": lambda x, y, p: signal.resample(x, 30, axis=1),
    "freqz": lambda x, y, p: signal.freqz(p[0])[1],
    "Rotation": lambda x, y, p: spatial.transform.Rotation.from_quat(x[:, :4]).as_matrix(),
    "Rotation.apply": lambda x, y, p: spatial.transform.Rotation.from_rotvec(x[:, :3]).apply(
        y[:, :3]
    ),
}
SOS = signal.butter(4, 0.2, output="sos")
WINDOWS = "bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos"
WINDOWS += " nuttall parzen triang tukey barthann"


def namespace(x):
    return np if isinstance(x, np.ndarray) else x.__array_namespace__()


def tensors_like(x, array):
    return (
        array.astype(x.dtype) if isinstance(x, np.ndarray) else tensors(array.astype(x.dtype.name))
    )


# SciPy makes numbers of the default dtype, which is float32 here, or divides complex64 by
# complex128 in place.
FLOAT32 = {"cumulative_simpson"}
FLOAT64 = {"fht", "freqz"}


def check(call, dtype, like=None):
    tolerance = {"float32": 2e-3, "float64": 1e-8}[like or dtype]
    operands = [one.astype(dtype) for one in (X, Y, P)]
    agree(call, *operands, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", STATS.values(), ids=STATS)
def test_stats(call, dtype):
    check(call, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", SPECIAL.values(), ids=SPECIAL)
def test_special(call, dtype):
    check(call, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OTHERS)
def test_others(name, dtype):
    dtype = "float64" if name in FLOAT64 else dtype
    check(OTHERS[name], dtype, "float32" if name in FLOAT32 else dtype)


@pytest.mark.parametrize("name", WINDOWS.split())
def test_windows(name):
    call = getattr(signal.windows, name)
    agree(lambda x: call(12, xp=namespace(x)), X, rtol=1e-5)
