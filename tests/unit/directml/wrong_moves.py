"""Wrong fields of DirectML's operators that move, select and reduce."""

from __future__ import annotations

import math

from dml_vk.directml import (
    ReduceFunction,
)
from tests.unit.directml.moves import F64, I8, I32, U8, U32, U64, D, L, R, desc

# Changes of fields, the error, and how its message goes on after the class.
WRONG = {
    "Slice": [
        ({"offsets": (1,)}, L, "offsets must have one number for each of the 2 dims"),
        ({"offsets": (-1, 0)}, R, r"offsets must be from 0 to \d+; got offsets\[0\]"),
        ({"sizes": (0, 3)}, R, r"sizes must be from 1 to"),
        ({"strides": (4, 2)}, R, r"offsets, sizes and strides must .*sizes\[0\]=2"),
        ({"sizes": (2, 2)}, L, r"output must have the sizes \(2, 2\); got sizes=\(2, 3"),
        ({"output": desc(6)}, L, "output must have as many dims as input, 2"),
        ({"output": desc(2, 3, of=I32)}, D, "output must have the data type of input"),
    ],
    "Slice1": [
        ({"input_window_strides": (0, 2)}, R, r"input_window_strides must not be 0"),
        ({"input_window_strides": (2**31, 2)}, R, "input_window_strides must be from"),
        ({"input_window_sizes": (6, 5)}, R, r"the window must lie within input, whose"),
        ({"input_window_sizes": (0, 5)}, R, "input_window_sizes must be from 1"),
        ({"output": desc(3, 3)}, L, "output must have at most 2 elements of the wi"),
    ],
    "SliceGrad": [
        ({"input_gradient": desc(3, 3)}, L, "input_gradient must have at most 2"),
        ({"input_window_offsets": (1, 1)}, R, "the window .* within output_gradi"),
    ],
    "Tile": [
        ({"repeats": (0, 3)}, R, r"repeats must be from 1 to \d+; got repeats\[0\]=0"),
        ({"output": desc(4, 8)}, L, r"output must have the sizes \(4, 9\)"),
        ({"input": desc(2, 3, of=F64)}, D, "input must have a data type among FLOAT32"),
    ],
    "Join": [
        ({"inputs": []}, L, "inputs must be at least one BufferTensorDesc"),
        ({"inputs": desc(2, 3)}, L, "inputs must be a sequence"),
        ({"inputs": [desc(2, 3), None]}, L, r"inputs\[1\] must be a BufferTensorDesc"),
        ({"inputs": [desc(2, 3), desc(1, 1)]}, L, r"inputs\[1\] must have the sizes \(2"),
        ({"inputs": [desc(2, 3), desc(3)]}, L, r"inputs\[1\] must have as many dims as"),
        ({"inputs": [desc(2, 3), desc(2, 1, of=I32)]}, D, r"inputs\[1\] must have the da"),
        ({"axis": 2}, R, "axis must be from 0 to 1; got axis=2"),
        ({"axis": -1}, R, "axis must be from 0 to 1; got axis=-1"),
        ({"output": desc(2, 5)}, L, r"output must have the sizes \(2, 4\)"),
    ],
    "Split": [
        ({"outputs": [desc(2, 3)]}, L, r"input must have the sizes \(2, 3\)"),
        ({"outputs": [desc(2, 3), desc(2, 1, strides=(0, 1))]}, L, r"outputs\[1\] has o"),
    ],
    "Padding": [
        ({"padding_mode": 0}, L, "padding_mode must be of PaddingMode"),
        ({"padding_value": "1"}, D, "padding_value must be a number that FLOAT32"),
        ({"end_padding": (1, 0)}, L, r"output must have the sizes \(4, 3\)"),
        ({"start_padding": (1,)}, L, "start_padding must have one number for each"),
        (
            {"input": desc(2, 3, of=I8), "output": desc(5, 3, of=I8), "padding_value": math.nan},
            D,
            "padding_value must not be NaN where input has integers",
        ),
    ],
    "Padding1": [
        ({"padding_value_data_type": I8}, D, "padding_value_data_type must be the"),
        ({"padding_value": 256}, D, "padding_value must be a number that UINT8"),
    ],
    "DepthToSpace": [
        ({"block_size": 0}, R, "block_size must be from 1"),
        ({"block_size": 3}, L, "the channels of input must be a multiple of"),
        ({"output": desc(1, 2, 4, 5)}, L, r"output must have the sizes \(1, 2"),
        ({"input": desc(8, 2, 3)}, L, "input must have 4 dims"),
    ],
    "DepthToSpace1": [
        ({"order": "DCR"}, L, "order must be of DepthSpaceOrder"),
    ],
    "SpaceToDepth": [
        ({"block_size": 4}, L, "the height and width of input must be multi"),
        ({"output": desc(1, 8, 2, 2)}, L, r"output must have the sizes \(1, 8"),
    ],
    "SpaceToDepth1": [
        ({"order": 1}, L, "order must be of DepthSpaceOrder"),
    ],
    "Unfold": [
        ({"window_sizes": (3,)}, L, "window_sizes must have one number for each of"),
        ({"window_sizes": (6, 3)}, L, r"a window must fit .*got window_sizes\[0\]=6"),
        ({"strides": (0, 1)}, R, "strides must be from 1"),
        ({"dilations": (1, 0)}, R, "dilations must be from 1"),
        ({"start_padding": (1, 1)}, L, r"output must have the sizes \(1, 18, 16\)"),
        ({"input": desc(5, 5)}, L, "input must have 3 to 8 dims"),
        ({"output": desc(18, 9)}, L, "output must have"),
    ],
    "Fold": [
        ({"input": desc(2, 18, 9)}, L, r"input must have the sizes \(1, 18, 9\)"),
    ],
    "Gather": [
        ({"index_dimensions": 3}, R, "index_dimensions must be from 0 to 2"),
        ({"indices": desc(4, 1, of=I32)}, L, "the dims of indices before the last"),
        ({"indices": desc(1, 4)}, D, "indices must have a data type among INT64, IN"),
        ({"output": desc(4, 3)}, L, r"output must have the sizes \(4, 2\)"),
        ({"index_dimensions": 2, "indices": desc(2, 2, of=I32)}, L, "output must h"),
        ({"indices": desc(4, of=I32)}, L, "indices must have as many dims as input"),
    ],
    "GatherElements": [
        ({"indices": desc(4, 3, of=I32)}, L, "indices must have the sizes"),
        ({"output": desc(3, 2)}, L, r"output must have the sizes \(4, 2\)"),
    ],
    "GatherND": [
        ({"input_dimension_count": 5}, R, "input_dimension_count must be from 1"),
        ({"input_dimension_count": 2}, L, "the dims of input before the last inp"),
        ({"indices_dimension_count": 0}, R, "indices_dimension_count must be from"),
        ({"indices_dimension_count": 1}, L, "the dims of indices before the last"),
        ({"indices": desc(1, 1, 2, 4, of=I32)}, L, "indices must have at most 3 co"),
        ({"output": desc(1, 1, 3, 5)}, L, r"output must have the sizes \(1, 1, 2"),
    ],
    "GatherND1": [
        ({"batch_dimension_count": 3}, R, "batch_dimension_count must be from 0"),
        ({"indices": desc(1, 2, 2, 1, of=I32)}, L, "the batch dims of indices m"),
        ({"indices": desc(1, 3, 2, 3, of=I32)}, L, "indices must have at most 2"),
    ],
    "Scatter": [
        ({"updates": desc(3, 2)}, L, r"updates must have the sizes \(4, 2\)"),
        ({"output": desc(4, 2)}, L, r"output must have the sizes \(3, 2\)"),
        ({"indices": desc(4, 3, of=U32)}, L, r"indices must have the sizes \(4, 2\)"),
        (
            {
                "indices": desc(2**31, 2, of=U32, strides=(0, 0)),
                "updates": desc(2**31, 2, strides=(0, 0)),
            },
            L,
            "updates must have at most 2147483647 elements",
        ),
    ],
    "ScatterND": [
        ({"updates": desc(1, 1, 2, 4)}, L, r"updates must have the sizes \(1, 1"),
        ({"output": desc(1, 3, 4, 4)}, L, r"output must have the sizes \(1, 3, 4"),
    ],
    "OneHot": [
        ({"indices": desc(3, 2, of=I32)}, L, r"indices must have the sizes \(3, 1\)"),
        ({"values": desc(1, 1)}, L, "values must have at least two elements"),
        ({"values": desc(2)}, L, "values must have as many dims as indices, 2"),
        ({"values": desc(1, 2, of=I32)}, D, "output must have the data type of valu"),
    ],
    "ReverseSubsequences": [
        ({"output": desc(3, 5)}, L, r"output must have the sizes \(3, 4"),
        ({"sequence_lengths": desc(1, 4, of=U32)}, L, "sequence_length"),
        ({"sequence_lengths": desc(3, 1, of=I32)}, D, "sequence_lengths"),
    ],
    "TopK": [
        ({"k": 0}, R, "k must be from 1 to 4; got k=0"),
        ({"k": 3}, L, r"output_value must have the sizes \(3, 3\)"),
        ({"output_index": desc(3, 1, of=U32)}, L, r"output_index must have the sizes"),
        ({"output_index": desc(3, 2, of=I32)}, D, "output_index must have a data type"),
    ],
    "TopK1": [
        ({"axis_direction": 0}, L, "axis_direction must be of AxisDirection"),
    ],
    "NonzeroCoordinates": [
        ({"output_count": desc(2, of=U32)}, L, "output_count must have"),
        ({"output_coordinates": desc(7, 2, of=U32)}, L, "output_coordin"),
        ({"output_coordinates": desc(8, 1, of=U32)}, L, "output_coordin"),
        ({"output_coordinates": desc(8, 4, of=U32)}, L, "output_coordin"),
        ({"output_coordinates": desc(8, of=U32)}, L, "output_coordinate"),
        ({"output_coordinates": desc(2, 8, 2, of=U32)}, L, "output_coor"),
        ({"input": desc(1, 2, 4, of=U64)}, D, "input must have a data t"),
    ],
    "DiagonalMatrix": [
        ({"output": desc(6)}, L, "output must have 2 to 4 dims"),
        ({"offset": 2**31}, R, "offset must be from -2147483648 to 214748364"),
        ({"output": desc(2, 3, of=I8), "value": math.nan}, D, "value must not"),
    ],
    "DiagonalMatrix1": [
        ({"input": desc(3, 2, of=I8)}, L, r"input must have the sizes \(2"),
        ({"input": desc(2, 3)}, D, "input must have the data type of output"),
        ({"value_data_type": U8}, D, "value_data_type must be the data type"),
        ({"value": 128}, D, "value must be a number that INT8 can hold"),
        ({"diagonal_fill_end": 2**31}, R, "diagonal_fill_end must be from"),
    ],
    "Reduce": [
        ({"function": "SUM"}, L, "function must be of ReduceFunction"),
        ({"axes": ()}, L, "axes must be at least one dim, and none of them twice"),
        ({"axes": (0, 0)}, L, "axes must be at least one dim, and none of them twi"),
        ({"axes": (0, 3)}, R, r"axes must be from 0 to 2; got axes\[1\]=3"),
        ({"axes": (0,)}, L, r"output must have the sizes \(1, 3, 4\)"),
        ({"function": ReduceFunction.ARGMAX}, D, "output must have a data type among"),
        ({"input": desc(2, 3, 4, of=I8)}, D, "input must have a data type among FLO"),
        (
            {"input": desc(2, 3, 4, of=I32), "function": ReduceFunction.L2},
            D,
            "input must have a data type among FLOAT32, FLOAT16",
        ),
    ],
    "ArgMax": [
        ({"output": desc(1, 3, 1)}, D, "output must have a data type among INT64"),
    ],
    "ArgMin": [
        ({"axis_direction": None}, L, "axis_direction must be of AxisDirection"),
    ],
    "CumulativeSummation": [
        ({"axis": 2}, R, "axis must be from 0 to 1"),
        ({"has_exclusive_sum": 2}, D, "has_exclusive_sum must be a bool"),
        ({"output": desc(3, 2)}, L, r"output must have the sizes \(2"),
    ],
    "CumulativeProduct": [
        ({"axis_direction": 0}, L, "axis_direction must be of AxisDirec"),
        ({"input": desc(2, 3, of=I8)}, D, "input must have a data type a"),
    ],
    "ValueScale2D": [
        ({"input": desc(2, 2, 4, 5)}, L, "input must have 1 or 3 channels"),
        ({"bias": (1,)}, L, "bias must have one number for each of the 3 cha"),
        ({"scale": None}, D, "scale must be a number that FLOAT32 can hold"),
        ({"output": desc(2, 3, 4, 4)}, L, r"output must have the sizes \(2, 3"),
    ],
    "RoiPooling": [
        ({"roi": desc(1, 1, 7, 4)}, L, r"roi must have the sizes \(1, 1, 7, 5\)"),
        ({"roi": desc(7, 5)}, L, "roi must have as many dims as input, 4"),
        ({"pooled_size": (1,)}, L, "pooled_size must have one number for each"),
        ({"pooled_size": (2, 1)}, L, r"output must have the sizes \(7, 3, 1, 2"),
        ({"spatial_scale": "1"}, D, "spatial_scale must be a number that FLOAT32"),
    ],
    "RoiAlign": [
        ({"roi": desc(7, 5)}, L, r"roi must have the sizes \(7, 4\)"),
        ({"roi": desc(28)}, L, "roi must have 2 to 4 dims"),
        ({"batch_indices": desc(6, of=U32)}, L, r"batch_indices must have the siz"),
        ({"batch_indices": desc(7, of=I32)}, D, "batch_indices must have a data ty"),
        ({"output": desc(7, 2, 2, 1)}, L, "output must have the channels of input"),
        ({"reduction_function": "MAX"}, L, "reduction_function must be of Reduc"),
        (
            {"reduction_function": ReduceFunction.SUM},
            R,
            "reduction_function must be AVERAGE or MAX",
        ),
        ({"interpolation_mode": 1}, L, "interpolation_mode must be of Interpolat"),
        ({"minimum_samples_per_output": 0}, R, "minimum_samples_per_output must b"),
        (
            {"minimum_samples_per_output": 3, "maximum_samples_per_output": 2},
            R,
            "maximum_samples_per_output must be at least minimum_samples_per_output, 3; got max",
        ),
    ],
    "RoiAlign1": [
        ({"input_pixel_offset": "0"}, D, "input_pixel_offset must be a number"),
        ({"align_regions_to_corners": 2}, D, "align_regions_to_corners must be"),
    ],
    "RoiAlignGrad": [
        (
            {"output_gradient": None, "output_roi_gradient": None},
            L,
            "output_gradient or output_roi",
        ),
        ({"input": None}, L, "input must be given for the gradient of roi, and for MAX"),
        (
            {
                "input": None,
                "output_roi_gradient": None,
                "reduction_function": ReduceFunction.MAX,
            },
            L,
            "input must be given for the gradient of roi, and for MAX",
        ),
        (
            {"output_gradient": desc(2, 3, 4, 4)},
            L,
            r"output_gradient must have the sizes \(2, 3, 4",
        ),
        ({"output_roi_gradient": desc(7, 4)}, L, r"output_roi_gradient must have the sizes \(1, 7"),
        ({"input_gradient": desc(7, 2, 2, 1)}, L, "input_gradient must have the channels of input"),
        ({"batch_indices": desc(7, of=I32)}, D, "batch_indices must have the data type UINT32"),
        ({"output_pixel_offset": None}, D, "output_pixel_offset must be a number"),
        ({"align_regions_to_corners": 2}, D, "align_regions_to_corners must be"),
    ],
}
