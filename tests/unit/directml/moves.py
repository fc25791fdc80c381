"""Fields of DirectML's operators that move, select and reduce."""

from __future__ import annotations

from dml_vk.directml import (
    AxisDirection,
    BufferTensorDesc,
    DataType,
    DepthSpaceOrder,
    InterpolationMode,
    PaddingMode,
    ReduceFunction,
)
from dml_vk.errors import DTypeError, LayoutError, RangeError

F16, F32, F64 = DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64
I8, I32, U8, U32, U64 = (DataType[name] for name in ("INT8", "INT32", "UINT8", "UINT32", "UINT64"))
L, R, D = LayoutError, RangeError, DTypeError


def desc(*sizes, of=F32, **more):
    return BufferTensorDesc(of, sizes, **more)


# A valid call of each class.
VALID = {
    "Slice": {
        "input": desc(5, 6), "output": desc(2, 3), "offsets": (1, 0), "sizes": (2, 3),
        "strides": (3, 2),
    },
    "Slice1": {
        "input": desc(5, 6), "output": desc(2, 3), "input_window_offsets": (0, 1),
        "input_window_sizes": (5, 5), "input_window_strides": (-4, 2),
    },
    "SliceGrad": {
        "input_gradient": desc(2, 3), "output_gradient": desc(5, 6), "input_window_offsets": (0, 1),
        "input_window_sizes": (5, 5), "input_window_strides": (-4, 2),
    },
    "Tile": {"input": desc(2, 3), "output": desc(4, 9), "repeats": (2, 3)},
    "Join": {"inputs": [desc(2, 3), desc(2, 1)], "output": desc(2, 4), "axis": 1},
    "Split": {"input": desc(2, 4), "outputs": [desc(2, 3), desc(2, 1)], "axis": 1},
    "Padding": {
        "input": desc(2, 3), "output": desc(5, 3), "padding_mode": PaddingMode.CONSTANT,
        "padding_value": 1, "start_padding": (1, 0), "end_padding": (2, 0),
    },
    "Padding1": {
        "input": desc(2, 3, of=U8), "output": desc(5, 3, of=U8), "padding_mode": PaddingMode.WRAP,
        "padding_value_data_type": U8, "padding_value": 1, "start_padding": (1, 0),
        "end_padding": (2, 0),
    },
    "DepthToSpace": {"input": desc(1, 8, 2, 3), "output": desc(1, 2, 4, 6), "block_size": 2},
    "DepthToSpace1": {
        "input": desc(1, 8, 2, 3), "output": desc(1, 2, 4, 6), "block_size": 2,
        "order": DepthSpaceOrder.COLUMN_ROW_DEPTH,
    },
    "SpaceToDepth": {"input": desc(1, 2, 4, 6), "output": desc(1, 8, 2, 3), "block_size": 2},
    "SpaceToDepth1": {
        "input": desc(1, 2, 4, 6), "output": desc(1, 8, 2, 3), "block_size": 2,
        "order": DepthSpaceOrder.COLUMN_ROW_DEPTH,
    },
    "Unfold": {"input": desc(1, 2, 5, 5), "output": desc(1, 18, 9), "window_sizes": (3, 3)},
    "Fold": {"input": desc(1, 18, 9), "output": desc(1, 2, 5, 5), "window_sizes": (3, 3)},
    "Gather": {
        "input": desc(3, 2), "indices": desc(1, 4, of=I32), "output": desc(4, 2), "axis": 0,
        "index_dimensions": 1,
    },
    "GatherElements": {
        "input": desc(3, 2), "indices": desc(4, 2, of=U64), "output": desc(4, 2), "axis": 0,
    },
    "GatherND": {
        "input": desc(1, 3, 4, 5), "indices": desc(1, 1, 2, 2, of=I32), "output": desc(1, 1, 2, 5),
        "input_dimension_count": 3, "indices_dimension_count": 2,
    },
    "GatherND1": {
        "input": desc(1, 3, 4, 5), "indices": desc(1, 3, 2, 1, of=I32), "output": desc(1, 3, 2, 5),
        "input_dimension_count": 3, "indices_dimension_count": 3, "batch_dimension_count": 1,
    },
    "Scatter": {
        "input": desc(3, 2), "indices": desc(4, 2, of=U32), "updates": desc(4, 2),
        "output": desc(3, 2), "axis": 0,
    },
    "ScatterND": {
        "input": desc(1, 3, 4, 5), "indices": desc(1, 1, 2, 2, of=I32), "updates": desc(1, 1, 2, 5),
        "output": desc(1, 3, 4, 5), "input_dimension_count": 3, "indices_dimension_count": 2,
    },
    "OneHot": {
        "indices": desc(3, 1, of=I32), "values": desc(1, 2), "output": desc(3, 4), "axis": 1,
    },
    "ReverseSubsequences": {
        "input": desc(3, 4), "sequence_lengths": desc(3, 1, of=U32), "output": desc(3, 4),
        "axis": 1,
    },
    "TopK": {
        "input": desc(3, 4), "output_value": desc(3, 2), "output_index": desc(3, 2, of=U32),
        "axis": 1, "k": 2,
    },
    "TopK1": {
        "input": desc(3, 4), "output_value": desc(3, 2), "output_index": desc(3, 2, of=U32),
        "axis": 1, "k": 2, "axis_direction": AxisDirection.INCREASING,
    },
    "NonzeroCoordinates": {
        "input": desc(1, 2, 4), "output_count": desc(1, of=U32),
        "output_coordinates": desc(8, 2, of=U32),
    },
    "DiagonalMatrix": {"output": desc(2, 3), "offset": -(2**31), "value": 1},
    "DiagonalMatrix1": {
        "input": desc(2, 3, of=I8), "output": desc(2, 3, of=I8), "value_data_type": I8, "value": -1,
        "diagonal_fill_begin": 2**31 - 1, "diagonal_fill_end": -(2**31),
    },
    "Reduce": {
        "function": ReduceFunction.SUM, "input": desc(2, 3, 4), "output": desc(1, 3, 1),
        "axes": (2, 0),
    },
    "ArgMax": {
        "input": desc(2, 3, 4), "output": desc(1, 3, 1, of=I32), "axes": (2, 0),
        "axis_direction": AxisDirection.INCREASING,
    },
    "ArgMin": {
        "input": desc(2, 3, 4), "output": desc(1, 3, 1, of=I32), "axes": (2, 0),
        "axis_direction": AxisDirection.INCREASING,
    },
    "CumulativeSummation": {
        "input": desc(2, 3), "output": desc(2, 3), "axis": 1,
        "axis_direction": AxisDirection.INCREASING, "has_exclusive_sum": False,
    },
    "CumulativeProduct": {
        "input": desc(2, 3), "output": desc(2, 3), "axis": 1,
        "axis_direction": AxisDirection.INCREASING, "has_exclusive_product": True,
    },
    "ValueScale2D": {
        "input": desc(2, 3, 4, 5), "output": desc(2, 3, 4, 5), "scale": 2, "bias": (1, 2, 3),
    },
    "RoiPooling": {
        "input": desc(2, 3, 4, 5), "roi": desc(1, 1, 7, 5), "output": desc(7, 3, 2, 1),
        "spatial_scale": 1, "pooled_size": (1, 2),
    },
    "RoiAlign": {
        "input": desc(2, 3, 4, 5), "roi": desc(1, 7, 4), "batch_indices": desc(7, of=U32),
        "output": desc(7, 3, 2, 1), "reduction_function": ReduceFunction.MAX,
        "interpolation_mode": InterpolationMode.LINEAR, "spatial_scale_x": 1, "spatial_scale_y": 1,
        "out_of_bounds_input_value": 0, "minimum_samples_per_output": 1,
        "maximum_samples_per_output": 2**32 - 1,
    },
}  # fmt: skip
VALID["RoiAlign1"] = {
    **VALID["RoiAlign"],
    "input_pixel_offset": 0.5,
    "output_pixel_offset": -0.5,
    "align_regions_to_corners": True,
}
IMAGES, REGIONS = desc(2, 3, 4, 5), desc(1, 7, 4)
VALID["RoiAlignGrad"] = {
    "input": IMAGES, "input_gradient": desc(7, 3, 2, 1), "roi": REGIONS,
    "batch_indices": desc(7, of=U32), "output_gradient": IMAGES, "output_roi_gradient": REGIONS,
    "reduction_function": ReduceFunction.AVERAGE, "interpolation_mode": InterpolationMode.LINEAR,
    "spatial_scale_x": 1, "spatial_scale_y": 1, "input_pixel_offset": 0, "output_pixel_offset": 0,
    "minimum_samples_per_output": 1, "maximum_samples_per_output": 2,
    "align_regions_to_corners": False,
}  # fmt: skip
