"""What of ONNX's own tests is out of scope, with a reason each, as docs/onnx.md shows it."""

from __future__ import annotations

import re

# Element types that tensors do not have: models with them are refused.
TYPES = {
    "BFLOAT16": "no such dtype",
    "FLOAT4E2M1": "no such dtype",
    "FLOAT8E4M3FN": "no such dtype",
    "FLOAT8E4M3FNUZ": "no such dtype",
    "FLOAT8E5M2": "no such dtype",
    "FLOAT8E5M2FNUZ": "no such dtype",
    "FLOAT8E8M0": "no such dtype",
    "INT2": "as inputs and results; as constants they are held in int8",
    "INT4": "as inputs and results; as constants they are held in int8",
    "STRING": "tensors have numbers",
    "UINT2": "as inputs and results; as constants they are held in uint8",
    "UINT4": "as inputs and results; as constants they are held in uint8",
}
# Operators that are not supported: models with them are refused.
OPERATORS = {
    "ai.onnx.ImageDecoder": "decodes files, which is the host's work",
    "ai.onnx.RegexFullMatch": "of strings",
    "ai.onnx.StringConcat": "of strings",
    "ai.onnx.StringNormalizer": "of strings",
    "ai.onnx.StringSplit": "of strings",
    "ai.onnx.TfIdfVectorizer": "of words",
    "ai.onnx.ml": "trees and encoders, not networks",
    "ai.onnx.preview.training": "training",
}
# What runs, and cannot be compared as ONNX's tests do.
COMPARED_OTHERWISE = {
    r"test_bernoulli.*": "draws of another generator",
    r"test_training_dropout(_default)?(_mask)?": "draws of another generator",
    r"test_dft_inverse(_opset19)?": "expected values have rounding noise of 2e-7 in place of 0",
    r"test_attention_4d_causal_fp16(_expanded)?": "the tolerance is less than a unit of float16",
    r"test_roialign_mode_max": "the maximum of products, not of samples as other libraries do",
}


def is_out(refusal: str) -> bool:
    """Whether a refusal is for these reasons alone."""
    types = re.search(r"element types must be .* got type='(\w+)'", refusal)
    if types:
        return types[1] in TYPES
    missing = re.search(r"got missing=\[(.*)\]$", refusal)
    if not missing:
        return False
    names = [re.match(r"[\w.]+", one.strip("'\" "))[0] for one in missing[1].split("', '")]
    return all(
        any(name == own or name.startswith(f"{own}.") for own in OPERATORS) for name in names
    )


def reason(name: str) -> str | None:
    """Why a case is compared otherwise, if it is."""
    found = [why for pattern, why in COMPARED_OTHERWISE.items() if re.fullmatch(pattern, name)]
    return found[0] if found else None
