"""SciPy's functions of signals for any array library, in float32 and float64."""

import numpy as np
import pytest
from scipy import signal

from tests.clients.agree import agree, tensors
from tests.clients.points import FLOATS, X, check, like, namespace

SOS = signal.butter(4, 0.2, output="sos")
ZEROS, POLES, _ = signal.butter(4, 0.2, output="zpk")
B, A = signal.butter(3, 0.3)
# Without the zero of order 3, which no float64 finds to more than 5 digits.
ROUGH = np.asarray([1.0, -0.5, 0.25]), A


def zpk(x):
    return like_complex(x, ZEROS), like_complex(x, POLES), 1.0


def like_complex(x, array):
    array = np.asarray(array, np.complex128 if str(x.dtype).endswith("64") else np.complex64)
    return array if isinstance(x, np.ndarray) else namespace(x).asarray(array)


def ba(x, coefficients=(B, A)):
    return tuple(like(x, one) for one in coefficients)


SIGNAL = {
    "convolve": lambda x, y, p: signal.convolve(x, y, method="direct"),
    "convolve2d": lambda x, y, p: signal.convolve2d(x, y[:, :3]),
    "correlate": lambda x, y, p: signal.correlate(x, y),
    "correlate2d": lambda x, y, p: signal.correlate2d(x, y[:, :3]),
    "cspline1d": lambda x, y, p: signal.cspline1d(x[0]),
    "deconvolve": lambda x, y, p: signal.deconvolve(x[0], p[0, :3]),
    "detrend": lambda x, y, p: signal.detrend(x),
    "envelope": lambda x, y, p: signal.envelope(x),
    "fftconvolve": lambda x, y, p: signal.fftconvolve(x, y),
    "filtfilt": lambda x, y, p: signal.filtfilt(*ba(x), x, padlen=5),
    "gauss_spline": lambda x, y, p: signal.gauss_spline(x, 3),
    "hilbert": lambda x, y, p: signal.hilbert(x),
    "hilbert2": lambda x, y, p: signal.hilbert2(x),
    "lfilter": lambda x, y, p: signal.lfilter(p[0, :3], 1 + p[0, :3], x),
    "lfilter_zi": lambda x, y, p: signal.lfilter_zi(*ba(x)),
    "lfiltic": lambda x, y, p: signal.lfiltic(*ba(x), x[0, :3]),
    "medfilt": lambda x, y, p: signal.medfilt(x, 3),
    "medfilt2d": lambda x, y, p: signal.medfilt2d(x, 3),
    "oaconvolve": lambda x, y, p: signal.oaconvolve(x, y[:, :5]),
    "order_filter": lambda x, y, p: signal.order_filter(x, like(x, np.ones((3, 3))), 2),
    "resample": lambda x, y, p: signal.resample(x, 30, axis=1),
    "resample_poly": lambda x, y, p: signal.resample_poly(x, 3, 2, axis=1),
    "savgol_coeffs": lambda x, y, p: signal.savgol_coeffs(5, 2, xp=namespace(x)),
    "savgol_filter": lambda x, y, p: signal.savgol_filter(x, 5, 2),
    "sosfilt": lambda x, y, p: signal.sosfilt(like(x, SOS), x),
    "sosfilt_zi": lambda x, y, p: signal.sosfilt_zi(like(x, SOS)),
    "sosfiltfilt": lambda x, y, p: signal.sosfiltfilt(like(x, SOS), x),
    "upfirdn": lambda x, y, p: signal.upfirdn(p[0, :3], x, 2),
    "vectorstrength": lambda x, y, p: signal.vectorstrength(x[0], like(x, 2.0)),
    "wiener": lambda x, y, p: signal.wiener(x, 3),
}
DESIGN = {
    "abcd_normalize": lambda x, y, p: signal.abcd_normalize(
        x[:, :3], x[:, :1], x[:1, :3], x[:1, :1]
    ),
    "bilinear": lambda x, y, p: signal.bilinear(*ba(x)),
    "firls": lambda x, y, p: signal.firls(5, like(x, [0, 0.3, 0.5, 1]), like(x, [1, 1, 0, 0])),
    "freqs": lambda x, y, p: signal.freqs(*ba(x), p[0] + 1)[1],
    "freqz": lambda x, y, p: signal.freqz(p[0])[1],
    "freqz_sos": lambda x, y, p: signal.freqz_sos(like(x, SOS), p[0])[1],
    "freqz_zpk": lambda x, y, p: signal.freqz_zpk(*zpk(x), p[0])[1],
    "group_delay": lambda x, y, p: signal.group_delay(ba(x), p[0])[1],
    "lp2bp": lambda x, y, p: signal.lp2bp(*ba(x)),
    "lp2hp": lambda x, y, p: signal.lp2hp(*ba(x)),
    "lp2lp": lambda x, y, p: signal.lp2lp(*ba(x), 2.0),
    "minimum_phase": lambda x, y, p: signal.minimum_phase(p[0, :7]),
    "normalize": lambda x, y, p: signal.normalize(*ba(x)),
    "sos2tf": lambda x, y, p: signal.sos2tf(like(x, SOS)),
    "tf2sos": lambda x, y, p: signal.tf2sos(*ba(x, ROUGH)),
    # Roots are the eigenvalues of a matrix, in the order in which these are found.
    "tf2zpk": lambda x, y, p: abs(signal.tf2zpk(*ba(x))[1]).sum(),
    "zpk2sos": lambda x, y, p: signal.zpk2sos(*zpk(x)),
    "zpk2tf": lambda x, y, p: signal.zpk2tf(*zpk(x)),
}
# Filters that are designed of numbers, of the default dtype.
MADE = {
    "bessel": lambda xp: signal.bessel(3, xp.asarray(0.3)),
    "besselap": lambda xp: signal.besselap(3, xp=xp)[1],
    "buttap": lambda xp: signal.buttap(3, xp=xp)[1],
    "butter": lambda xp: signal.butter(3, xp.asarray(0.3)),
    "cheb1ap": lambda xp: signal.cheb1ap(3, 1.0, xp=xp)[1],
    "cheb2ap": lambda xp: signal.cheb2ap(3, 20.0, xp=xp)[1],
    "cheby1": lambda xp: signal.cheby1(3, 1.0, xp.asarray(0.3)),
    "cheby2": lambda xp: signal.cheby2(3, 20.0, xp.asarray(0.3)),
    "ellip": lambda xp: signal.ellip(3, 1.0, 20.0, xp.asarray(0.3)),
    "ellipap": lambda xp: signal.ellipap(3, 1.0, 20.0, xp=xp)[1],
    "gammatone": lambda xp: signal.gammatone(440, "iir", fs=16000.0, xp=xp),
    "iircomb": lambda xp: signal.iircomb(0.25, 30.0, xp=xp),
    "iirdesign": lambda xp: signal.iirdesign(xp.asarray(0.2), xp.asarray(0.4), 1.0, 20.0),
    "iirfilter": lambda xp: signal.iirfilter(3, xp.asarray(0.3), btype="lowpass"),
    "iirnotch": lambda xp: signal.iirnotch(0.25, 30.0, xp=xp),
    "iirpeak": lambda xp: signal.iirpeak(0.25, 30.0, xp=xp),
}
WINDOWS = "bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos"
WINDOWS += " nuttall parzen triang tukey barthann exponential taylor"
OF_PARAMETERS = {
    "chebwin": (100,),
    "gaussian": (3.0,),
    "general_gaussian": (1.5, 3.0),
    "general_hamming": (0.6,),
    "kaiser": (5.0,),
    "kaiser_bessel_derived": (5.0,),
    "dpss": (2.5,),
}
WINDOW_CALLS = {**dict.fromkeys(WINDOWS.split(), ()), **OF_PARAMETERS}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", SIGNAL | DESIGN)
def test_signal(name, dtype):
    # It divides complex64 by complex128 in place.
    check((SIGNAL | DESIGN)[name], "float64" if name == "freqz" else dtype)


@pytest.mark.parametrize("call", MADE.values(), ids=MADE)
def test_filters(call):
    agree(lambda x: call(namespace(x)), X, rtol=1e-4)


@pytest.mark.parametrize("name", WINDOW_CALLS)
def test_windows(name):
    call, parameters = getattr(signal.windows, name), WINDOW_CALLS[name]
    agree(lambda x: call(12, *parameters, xp=namespace(x)), X, rtol=1e-5)


def test_a_window_by_its_name():
    agree(lambda x: signal.get_window("hann", 12, xp=namespace(x)), X, rtol=1e-5)


def test_a_window_of_its_coefficients():
    agree(lambda x: signal.windows.general_cosine(12, x[0, :3]), X, rtol=1e-5)


def test_the_method_of_a_convolution():
    # SciPy takes what is not NumPy's for bools.
    assert signal.choose_conv_method(*tensors((X, X))) == "direct"
