"""SciPy's other functions for any array library, in float32 and float64."""

import numpy as np
import pytest
from scipy import (
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    spatial,
)
from scipy.cluster import hierarchy
from scipy.optimize import elementwise

from tests.clients.points import FLOATS, RNG, check, like, namespace

LINKAGE = hierarchy.linkage(RNG.normal(size=(6, 2)), "average")
MATLAB = hierarchy.to_mlab_linkage(LINKAGE)
LABELS = np.asarray([[0, 1, 1, 0, 2] * 4] * 3, np.int32)


def image(x):
    """Integers from 0 to 3."""
    return like(x, LABELS)


CLUSTER = {
    "whiten": lambda x, y, p: cluster.vq.whiten(x.T),
    "kmeans": lambda x, y, p: cluster.vq.kmeans(x.T, x.T[:2])[0],
    "kmeans2": lambda x, y, p: cluster.vq.kmeans2(x.T, x.T[:2], minit="matrix")[0],
    "vq": lambda x, y, p: cluster.vq.vq(x.T, y.T[:4]),
    "linkage": lambda x, y, p: hierarchy.linkage(x, "average"),
    "ward": lambda x, y, p: hierarchy.ward(x),
    "single": lambda x, y, p: hierarchy.single(x),
    "complete": lambda x, y, p: hierarchy.complete(x),
    "weighted": lambda x, y, p: hierarchy.weighted(x),
    "centroid": lambda x, y, p: hierarchy.centroid(x),
    "median": lambda x, y, p: hierarchy.median(x),
    "cophenet": lambda x, y, p: hierarchy.cophenet(like(x, LINKAGE)),
    "fcluster": lambda x, y, p: hierarchy.fcluster(like(x, LINKAGE), 1.0),
    "fclusterdata": lambda x, y, p: hierarchy.fclusterdata(x, 1.0),
    "inconsistent": lambda x, y, p: hierarchy.inconsistent(like(x, LINKAGE)),
    "leaves_list": lambda x, y, p: hierarchy.leaves_list(like(x, LINKAGE)),
    "maxdists": lambda x, y, p: hierarchy.maxdists(like(x, LINKAGE)),
    "to_mlab_linkage": lambda x, y, p: hierarchy.to_mlab_linkage(like(x, LINKAGE)),
    "from_mlab_linkage": lambda x, y, p: hierarchy.from_mlab_linkage(like(x, MATLAB)),
}
# What these find out is a number of Python's.
CLUSTER_NUMBERS = {
    "correspond": lambda x, y, p: hierarchy.correspond(like(x, LINKAGE), p[0, :15]),
    "is_isomorphic": lambda x, y, p: hierarchy.is_isomorphic(image(x)[0], image(x)[0]),
    "is_monotonic": lambda x, y, p: hierarchy.is_monotonic(like(x, LINKAGE)),
    "is_valid_im": lambda x, y, p: hierarchy.is_valid_im(hierarchy.inconsistent(like(x, LINKAGE))),
    "is_valid_linkage": lambda x, y, p: hierarchy.is_valid_linkage(like(x, LINKAGE)),
    "num_obs_linkage": lambda x, y, p: hierarchy.num_obs_linkage(like(x, LINKAGE)),
    "to_tree": lambda x, y, p: hierarchy.to_tree(like(x, LINKAGE)).get_count(),
}
FFT = {
    "fft": lambda x, y, p: fft.fft(x),
    "ifft": lambda x, y, p: fft.ifft(x, norm="ortho"),
    "fft2": lambda x, y, p: fft.fft2(x),
    "ifft2": lambda x, y, p: fft.ifft2(x),
    "fftn": lambda x, y, p: fft.fftn(x, axes=(1, 0)),
    "ifftn": lambda x, y, p: fft.ifftn(x, s=(2, 8)),
    "rfft": lambda x, y, p: fft.rfft(x, n=15),
    "irfft": lambda x, y, p: fft.irfft(x),
    "rfft2": lambda x, y, p: fft.rfft2(x),
    "irfft2": lambda x, y, p: fft.irfft2(x),
    "rfftn": lambda x, y, p: fft.rfftn(x),
    "irfftn": lambda x, y, p: fft.irfftn(x),
    "hfft": lambda x, y, p: fft.hfft(x),
    "ihfft": lambda x, y, p: fft.ihfft(x),
    "hfft2": lambda x, y, p: fft.hfft2(x),
    "ihfft2": lambda x, y, p: fft.ihfft2(x),
    "hfftn": lambda x, y, p: fft.hfftn(x),
    "ihfftn": lambda x, y, p: fft.ihfftn(x),
    "fftshift": lambda x, y, p: fft.fftshift(x),
    "ifftshift": lambda x, y, p: fft.ifftshift(x),
    "fftfreq": lambda x, y, p: fft.fftfreq(9, 0.5, xp=namespace(x)),
    "rfftfreq": lambda x, y, p: fft.rfftfreq(9, 0.5, xp=namespace(x)),
    "fht": lambda x, y, p: fft.fht(x, 0.1, 0.5),
    "ifht": lambda x, y, p: fft.ifht(x, 0.1, 0.5),
    "dct": lambda x, y, p: fft.dct(x),
    "idct": lambda x, y, p: fft.idct(x),
    "dctn": lambda x, y, p: fft.dctn(x),
    "dst": lambda x, y, p: fft.dst(x),
    "idstn": lambda x, y, p: fft.idstn(x),
}
INTEGRATE = {
    "trapezoid": lambda x, y, p: integrate.trapezoid(x, dx=0.5),
    "cumulative_trapezoid": lambda x, y, p: integrate.cumulative_trapezoid(x, initial=0),
    "cumulative_simpson": lambda x, y, p: integrate.cumulative_simpson(x),
    "romb": lambda x, y, p: integrate.romb(x[:, :17]),
    "tanhsinh": lambda x, y, p: integrate.tanhsinh(lambda t: t * t, 0 * p, p).integral,
    "cubature": lambda x, y, p: (
        integrate.cubature(lambda t: t[:, 0] * t[:, 1], p[0, :2] * 0, p[0, :2] * 0 + 1).estimate
    ),
    "derivative": lambda x, y, p: differentiate.derivative(lambda t: t * t * t, p).df,
    "jacobian": lambda x, y, p: differentiate.jacobian(lambda t: t * t, p[0, :3]).df,
    "hessian": lambda x, y, p: differentiate.hessian(optimize.rosen, p[0, :3]).ddf,
}
OPTIMIZE = {
    "rosen": lambda x, y, p: optimize.rosen(x),
    "rosen_der": lambda x, y, p: optimize.rosen_der(x),
    "rosen_hess": lambda x, y, p: optimize.rosen_hess(x[0]),
    "rosen_hess_prod": lambda x, y, p: optimize.rosen_hess_prod(x[0], y[0]),
    "find_root": lambda x, y, p: (
        elementwise.find_root(lambda t, q: t**3 - q, (0 * p, p + 1), args=(p,)).x
    ),
    "find_minimum": lambda x, y, p: (
        elementwise.find_minimum(lambda t, q: (t - q) ** 2, (p - 3, p - 1, p + 2), args=(p,)).x
    ),
    "bracket_root": lambda x, y, p: (
        elementwise.bracket_root(lambda t, q: t**3 - q, p - 0.5, args=(p,)).bracket
    ),
    "bracket_minimum": lambda x, y, p: (
        elementwise.bracket_minimum(lambda t, q: (t - q) ** 2, p - 3, args=(p,)).bracket
    ),
}
OTHERS = {
    "convert_temperature": lambda x, y, p: constants.convert_temperature(p, "C", "K"),
    "lambda2nu": lambda x, y, p: constants.lambda2nu(p),
    "nu2lambda": lambda x, y, p: constants.nu2lambda(p),
    "block_diag": lambda x, y, p: linalg.block_diag(x, y[:1]),
    "fiedler": lambda x, y, p: linalg.fiedler(x),
    "orthogonal_procrustes": lambda x, y, p: linalg.orthogonal_procrustes(x.T, y.T)[0],
    "Akima1DInterpolator": lambda x, y, p: interpolate.Akima1DInterpolator(knots(x), x[0])(at(x)),
    "BSpline": lambda x, y, p: interpolate.BSpline(knots(x), x[0, :16], 3)(at(x)),
    "CubicHermiteSpline": lambda x, y, p: interpolate.CubicHermiteSpline(knots(x), x[0], y[0])(
        at(x)
    ),
    "CubicSpline": lambda x, y, p: interpolate.CubicSpline(knots(x), x[0])(at(x)),
    "PchipInterpolator": lambda x, y, p: interpolate.PchipInterpolator(knots(x), x[0])(at(x)),
    "PPoly": lambda x, y, p: interpolate.PPoly(x[:, :19], knots(x))(at(x)),
    "RBFInterpolator": lambda x, y, p: interpolate.RBFInterpolator(x.T, y[0])(p[:, :4].T),
    "make_interp_spline": lambda x, y, p: interpolate.make_interp_spline(knots(x), x[0])(at(x)),
    "make_smoothing_spline": lambda x, y, p: interpolate.make_smoothing_spline(
        knots(x), x[0], lam=1.0
    )(at(x)),
    "RegularGridInterpolator": lambda x, y, p: interpolate.RegularGridInterpolator(
        (knots(x)[:3], knots(x)), x
    )(p.T[:, :2]),
    "gaussian_filter": lambda x, y, p: ndimage.gaussian_filter(x, 1.0),
    "uniform_filter": lambda x, y, p: ndimage.uniform_filter(x, 3),
    "median_filter": lambda x, y, p: ndimage.median_filter(x, 3),
    "sobel": lambda x, y, p: ndimage.sobel(x),
    "grey_dilation": lambda x, y, p: ndimage.grey_dilation(x, 3),
    "binary_erosion": lambda x, y, p: ndimage.binary_erosion(x > -1),
    "shift": lambda x, y, p: ndimage.shift(x, 0.5),
    "zoom": lambda x, y, p: ndimage.zoom(x, 2.0),
    "ndimage.label": lambda x, y, p: ndimage.label(x > 0)[0],
    "ndimage.mean": lambda x, y, p: ndimage.mean(x, image(x), like(x, [0, 1])),
    "ndimage.convolve": lambda x, y, p: ndimage.convolve(x, y[:, :3]),
    "Rotation": lambda x, y, p: spatial.transform.Rotation.from_quat(x[:, :4]).as_matrix(),
    "Rotation.apply": lambda x, y, p: spatial.transform.Rotation.from_rotvec(x[:, :3]).apply(
        y[:, :3]
    ),
    "RigidTransform": lambda x, y, p: spatial.transform.RigidTransform.from_components(
        x[:, :3], spatial.transform.Rotation.from_quat(x[:, :4])
    ).apply(y[:, :3]),
}


def knots(x):
    return like(x, np.arange(20))


def at(x):
    """Points between knots."""
    return like(x, [3.25, 7.5, 11.125])


# SciPy makes numbers of the default dtype, which is float32 here, or differences of large numbers.
FLOAT32 = {"cumulative_simpson", "fftfreq", "rfftfreq", "Akima1DInterpolator", "hessian"}
# It refuses linkages in float32.
FLOAT64 = {"cophenet", "fcluster", "inconsistent", "leaves_list", "maxdists"}
FLOAT64 |= {"to_mlab_linkage", "from_mlab_linkage", "hessian"}
# It divides complex64 by complex128 in place.
FLOAT64 |= {"fht", "ifht"}
TABLES = {**CLUSTER, **FFT, **INTEGRATE, **OPTIMIZE, **OTHERS}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", TABLES)
def test_others(name, dtype):
    dtype = "float64" if name in FLOAT64 else dtype
    check(TABLES[name], dtype, "float32" if name in FLOAT32 else dtype)


@pytest.mark.parametrize("call", CLUSTER_NUMBERS.values(), ids=CLUSTER_NUMBERS)
def test_what_is_found_out_of_clusters(call):
    check(call, "float64", on_device=False)
