# Made by `python -m tests.made_files`: names that are looked up when first needed.

from dml_vk import (
    dask as dask,
    directml as directml,
    fft as fft,
    linalg as linalg,
    nn as nn,
    onnx as onnx,
    optim as optim,
    random as random,
    special as special,
)
from dml_vk.array.creation.arrays import (
    asarray as asarray,
    empty as empty,
    empty_like as empty_like,
    from_dlpack as from_dlpack,
    full as full,
    full_like as full_like,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from dml_vk.array.creation.grids import (
    arange as arange,
    eye as eye,
    linspace as linspace,
    meshgrid as meshgrid,
    tril as tril,
    triu as triu,
)
from dml_vk.array.creation.index_tricks import (
    c_ as c_,
    mgrid as mgrid,
    ogrid as ogrid,
    r_ as r_,
)
from dml_vk.array.creation.logspace import (
    geomspace as geomspace,
    logspace as logspace,
)
from dml_vk.array.creation.matrices import (
    block as block,
    indices as indices,
    polyval as polyval,
    tri as tri,
    vander as vander,
)
from dml_vk.array.creation.pinned import (
    pin as pin,
    pinned as pinned,
)
from dml_vk.array.data_types import (
    angle as angle,
    can_cast as can_cast,
    finfo as finfo,
    iinfo as iinfo,
    imag as imag,
    isdtype as isdtype,
    real as real,
    real_if_close as real_if_close,
    result_type as result_type,
)
from dml_vk.array.indexing.along_axis import (
    apply_along_axis as apply_along_axis,
)
from dml_vk.array.indexing.index_grids import (
    diag_indices as diag_indices,
    diag_indices_from as diag_indices_from,
    ix_ as ix_,
    tril_indices as tril_indices,
    tril_indices_from as tril_indices_from,
    triu_indices as triu_indices,
    triu_indices_from as triu_indices_from,
)
from dml_vk.array.indexing.piecewise import (
    choose as choose,
    piecewise as piecewise,
    trim_zeros as trim_zeros,
    unwrap as unwrap,
)
from dml_vk.array.indexing.put import (
    fill_diagonal as fill_diagonal,
    place as place,
    put as put,
    putmask as putmask,
)
from dml_vk.array.indexing.selection import (
    append as append,
    argwhere as argwhere,
    compress as compress,
    delete as delete,
    extract as extract,
    flatnonzero as flatnonzero,
    insert as insert,
    put_along_axis as put_along_axis,
    ravel_multi_index as ravel_multi_index,
    select as select,
    unravel_index as unravel_index,
)
from dml_vk.array.indexing.take import (
    take as take,
    take_along_axis as take_along_axis,
)
from dml_vk.array.info import (
    __array_namespace_info__ as __array_namespace_info__,
)
from dml_vk.array.io.files import (
    load as load,
    save as save,
)
from dml_vk.array.manipulation.numpy_views import (
    diag as diag,
    diagflat as diagflat,
    diagonal as diagonal,
    fliplr as fliplr,
    flipud as flipud,
    ravel as ravel,
    rot90 as rot90,
    swapaxes as swapaxes,
)
from dml_vk.array.manipulation.padding import (
    pad as pad,
    roll as roll,
)
from dml_vk.array.manipulation.repetition import (
    repeat as repeat,
    tile as tile,
)
from dml_vk.array.manipulation.shapes import (
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to,
    concat as concat,
    expand_dims as expand_dims,
    flip as flip,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    reshape as reshape,
    squeeze as squeeze,
    stack as stack,
    transpose as transpose,
    unstack as unstack,
)
from dml_vk.array.manipulation.splitting import (
    array_split as array_split,
    dsplit as dsplit,
    hsplit as hsplit,
    split as split,
    vsplit as vsplit,
)
from dml_vk.array.manipulation.stacking import (
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    column_stack as column_stack,
    dstack as dstack,
    hstack as hstack,
    vstack as vstack,
)
from dml_vk.array.math.clipping import (
    clip as clip,
)
from dml_vk.array.math.comparisons import (
    allclose as allclose,
    array_equal as array_equal,
    isclose as isclose,
)
from dml_vk.array.math.cumulative import (
    cumulative_prod as cumulative_prod,
    cumulative_sum as cumulative_sum,
    diff as diff,
)
from dml_vk.array.math.cumulative_extremes import (
    cummax as cummax,
    cummin as cummin,
    logcumsumexp as logcumsumexp,
)
from dml_vk.array.math.differences import (
    ediff1d as ediff1d,
    gradient as gradient,
    trapezoid as trapezoid,
)
from dml_vk.array.math.elementwise import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    asin as asin,
    asinh as asinh,
    astype as astype,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    bitwise_and as bitwise_and,
    bitwise_count as bitwise_count,
    bitwise_invert as bitwise_invert,
    bitwise_left_shift as bitwise_left_shift,
    bitwise_or as bitwise_or,
    bitwise_right_shift as bitwise_right_shift,
    bitwise_xor as bitwise_xor,
    ceil as ceil,
    celu as celu,
    conj as conj,
    copysign as copysign,
    cos as cos,
    cosh as cosh,
    difference_square as difference_square,
    digamma as digamma,
    divide as divide,
    elu as elu,
    equal as equal,
    erf as erf,
    erfc as erfc,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    floor as floor,
    floor_divide as floor_divide,
    fmod as fmod,
    gammaln as gammaln,
    gelu as gelu,
    greater as greater,
    greater_equal as greater_equal,
    hard_sigmoid as hard_sigmoid,
    hard_swish as hard_swish,
    heaviside as heaviside,
    hypot as hypot,
    i0e as i0e,
    i1e as i1e,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    isneginf as isneginf,
    isposinf as isposinf,
    leaky_relu as leaky_relu,
    less as less,
    less_equal as less_equal,
    linear as linear,
    log as log,
    log10 as log10,
    log1p as log1p,
    log2 as log2,
    logaddexp as logaddexp,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    mean_of_two as mean_of_two,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    nextafter as nextafter,
    not_equal as not_equal,
    parameterized_relu as parameterized_relu,
    parametric_softplus as parametric_softplus,
    positive as positive,
    pow as pow,
    reciprocal as reciprocal,
    relu as relu,
    relu_grad as relu_grad,
    remainder as remainder,
    round as round,
    rsqrt as rsqrt,
    scaled_elu as scaled_elu,
    scaled_tanh as scaled_tanh,
    shrink as shrink,
    sigmoid as sigmoid,
    sign as sign,
    signbit as signbit,
    sin as sin,
    sinh as sinh,
    softplus as softplus,
    softsign as softsign,
    sqrt as sqrt,
    square as square,
    subtract as subtract,
    swish as swish,
    tan as tan,
    tanh as tanh,
    thresholded_relu as thresholded_relu,
    trunc as trunc,
    trunc_divide as trunc_divide,
    where as where,
    xlogy as xlogy,
)
from dml_vk.array.math.interpolation import (
    digitize as digitize,
    interp as interp,
)
from dml_vk.array.math.number_parts import (
    cbrt as cbrt,
    degrees as degrees,
    fabs as fabs,
    fmax as fmax,
    fmin as fmin,
    frexp as frexp,
    gcd as gcd,
    i0 as i0,
    lcm as lcm,
    ldexp as ldexp,
    modf as modf,
    radians as radians,
    sinc as sinc,
)
from dml_vk.array.math.rounding import (
    around as around,
    fix as fix,
)
from dml_vk.array.math.signal import (
    convolve as convolve,
    correlate as correlate,
)
from dml_vk.array.products.einsum import (
    einsum as einsum,
)
from dml_vk.array.products.matrix_products import (
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    tensordot as tensordot,
    vecdot as vecdot,
)
from dml_vk.array.products.vectors import (
    dot as dot,
    inner as inner,
    kron as kron,
    outer as outer,
    vdot as vdot,
)
from dml_vk.array.sets.distinct import (
    unique as unique,
    unique_all as unique_all,
    unique_counts as unique_counts,
    unique_inverse as unique_inverse,
    unique_values as unique_values,
)
from dml_vk.array.sets.membership import (
    in1d as in1d,
    intersect1d as intersect1d,
    isin as isin,
    setdiff1d as setdiff1d,
    setxor1d as setxor1d,
    union1d as union1d,
)
from dml_vk.array.sorting.partitions import (
    argpartition as argpartition,
    lexsort as lexsort,
    partition as partition,
)
from dml_vk.array.sorting.searching import (
    nonzero as nonzero,
    searchsorted as searchsorted,
)
from dml_vk.array.sorting.sorts import (
    argsort as argsort,
    sort as sort,
    sort_complex as sort_complex,
    top_k as top_k,
)
from dml_vk.array.statistics.averages import (
    average as average,
    ptp as ptp,
)
from dml_vk.array.statistics.covariance import (
    corrcoef as corrcoef,
    cov as cov,
)
from dml_vk.array.statistics.histograms import (
    bincount as bincount,
    histogram as histogram,
    histogram2d as histogram2d,
    histogram_bin_edges as histogram_bin_edges,
)
from dml_vk.array.statistics.moments import (
    mean as mean,
    std as std,
    var as var,
)
from dml_vk.array.statistics.nan_moments import (
    nanmean as nanmean,
    nanstd as nanstd,
    nanvar as nanvar,
)
from dml_vk.array.statistics.nan_statistics import (
    nan_to_num as nan_to_num,
    nanargmax as nanargmax,
    nanargmin as nanargmin,
    nancumprod as nancumprod,
    nancumsum as nancumsum,
    nanmax as nanmax,
    nanmin as nanmin,
    nanprod as nanprod,
    nansum as nansum,
)
from dml_vk.array.statistics.quantiles import (
    median as median,
    nanmedian as nanmedian,
    nanpercentile as nanpercentile,
    nanquantile as nanquantile,
    percentile as percentile,
    quantile as quantile,
)
from dml_vk.array.statistics.reductions import (
    all as all,
    any as any,
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    max as max,
    min as min,
    prod as prod,
    sum as sum,
)
from dml_vk.array.windows.sliding import (
    as_strided as as_strided,
    sliding_window_view as sliding_window_view,
)
from dml_vk.array.windows.window_functions import (
    bartlett as bartlett,
    blackman as blackman,
    hamming as hamming,
    hanning as hanning,
    kaiser as kaiser,
)
from dml_vk.buffer import (
    Buffer as Buffer,
)
from dml_vk.compiler.compiled import (
    compile as compile,
    fuse as fuse,
)
from dml_vk.driver.probe import (
    devices as devices,
)
from dml_vk.dtypes import (
    bool_ as bool,
    bool_ as bool_,
    complex128 as complex128,
    complex64 as complex64,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    int8 as int8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    uint8 as uint8,
)
from dml_vk.errors import (
    AxisError as AxisError,
    DTypeError as DTypeError,
    DeviceError as DeviceError,
    DeviceMemoryError as DeviceMemoryError,
    DmlVkError as DmlVkError,
    LayoutError as LayoutError,
    LayoutIndexError as LayoutIndexError,
    LinAlgError as LinAlgError,
    RangeError as RangeError,
    ShaderError as ShaderError,
)
from dml_vk.exactness import (
    settings as settings,
)
from dml_vk.gradients.custom import (
    custom_vjp as custom_vjp,
)
from dml_vk.gradients.recomputed import (
    checkpoint as checkpoint,
)
from dml_vk.gradients.transforms import (
    grad as grad,
    hessian as hessian,
    jacobian as jacobian,
    jvp as jvp,
    stop_gradient as stop_gradient,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from dml_vk.layout import (
    Layout as Layout,
    MemoryFormat as MemoryFormat,
    channels_first as channels_first,
    channels_last as channels_last,
    contiguous_format as contiguous_format,
    preserve_format as preserve_format,
)
from dml_vk.linalg import (
    cross as cross,
)
from dml_vk.observe.copies import (
    trace as trace,
)
from dml_vk.runtime.device import (
    Device as Device,
    default_device as default_device,
    device as device,
    memory_stats as memory_stats,
    synchronize as synchronize,
)
from dml_vk.tensor.core import (
    copy as copy,
)
from dml_vk.tensor.methods import (
    Tensor as Tensor,
)
from dml_vk.user_kernel import (
    compile_glsl as compile_glsl,
    kernel as kernel,
)

e: float
inf: float
nan: float
newaxis: None
pi: float
__version__: str
__array_api_version__: str
__all__: list[str]
