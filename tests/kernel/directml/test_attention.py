"""DirectML's attention beside its formula in float64."""

from __future__ import annotations

import numpy as np

from dml_vk.directml import (
    BufferTensorDesc,
    DataType,
    MultiheadAttention,
    MultiheadAttention1,
    MultiheadAttentionMaskType,
)
from tests import tier
from tests.kernel.directml.running import F16, F32, FORMS, call, desc, filled

I32 = DataType.INT32
BATCH, QUERIES, KEYS, HEADS, SIZE, PAST = 2, 3, 5, 4, 6, 2
ERRORS = {F32: 1e-5, F16: 4e-3}
Mask = MultiheadAttentionMaskType
STACKED = {
    "apart": {"query": "q", "key": "k", "value": "v"},
    "qk": {"stacked_query_key": "qk", "value": "v"},
    "kv": {"query": "q", "stacked_key_value": "kv"},
    "qkv": {"stacked_query_key_value": "qkv"},
}


def attention(q, k, v, scale, bias, heads, change):
    """softmax(change(q k scale + bias)) v of arrays (batch, heads, steps, size)."""
    groups = q.shape[1] // heads
    k, v = [np.repeat(x, groups, 1) for x in (k, v)]
    scores = change(q @ k.swapaxes(-1, -2) * scale + bias)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    joined = (weights @ v).swapaxes(1, 2)
    return joined.reshape(*joined.shape[:2], -1)


def split(x, heads):
    """(batch, steps, heads * size) as (batch, heads, steps, size)."""
    return x.reshape(*x.shape[-3:-1], heads, -1).swapaxes(1, 2)


def operands(arrays, sources, heads, own):
    found = {}
    for name, held in sources.items():
        x = arrays[name].astype(np.float64)
        if len(held) == 1:
            found[held] = split(x, heads if held == "q" else own)
        else:
            found.update({letter: x[:, :, :, k].swapaxes(1, 2) for k, letter in enumerate(held)})
    if "bias" in arrays:
        start, bias = 0, arrays["bias"].reshape(-1).astype(np.float64)
        for letter in "qkv":
            x = found[letter]
            width = x.shape[1] * x.shape[3]
            part = bias[start : start + width].reshape(1, x.shape[1], 1, x.shape[3])
            found[letter], start = x + part, start + width
    return [found[letter] for letter in "qkv"]


def sources_of(way, kind, form, heads, own, size_of_values):
    """Descriptors of query, key and value."""
    equal = way in ("qk", "qkv")
    queries = KEYS if equal else QUERIES
    sizes = {
        "query": (BATCH, queries, heads * SIZE),
        "key": (BATCH, KEYS, own * SIZE),
        "value": (BATCH, KEYS, own * size_of_values),
    }
    descs = {}
    for name, held in STACKED[way].items():
        steps = KEYS if "k" in held else queries
        descs[name] = desc(
            kind, sizes[name] if len(held) == 1 else (BATCH, steps, own, len(held), SIZE), form
        )
    return descs, queries


def masked(mask_type, mask, keys, filtered):
    """How a mask changes scores."""
    at = np.arange(keys)
    if mask_type is Mask.NONE:
        return lambda scores: scores
    if mask_type is Mask.BOOLEAN:
        return lambda scores: scores + np.where(mask == 0, filtered, 0.0)
    flat = mask.reshape(-1)
    outside = at >= flat[:BATCH, None]
    if mask_type is Mask.KEY_SEQUENCE_END_START:
        outside = outside | (at < flat[BATCH:, None])
    return lambda scores: np.where(outside[:, None, None], filtered, scores)


MASKS = {
    Mask.NONE: (None, None),
    Mask.BOOLEAN: ((BATCH, 1, QUERIES, KEYS), lambda random, sizes: random.integers(0, 2, sizes)),
    Mask.KEY_SEQUENCE_LENGTH: ((1, BATCH), lambda random, sizes: np.array([[KEYS, 2]])),
    Mask.KEY_SEQUENCE_END_START: ((2, BATCH), lambda random, sizes: np.array([[4, 2], [1, 0]])),
    Mask.KEY_QUERY_SEQUENCE_LENGTH_START_END: (
        (3 * BATCH + 2,),
        lambda random, sizes: np.array([KEYS, 2, 0, 3, 6, 0, 5, 7]),
    ),
}
CLASSES = [MultiheadAttention, MultiheadAttention1]


@tier.parametrize(
    "cls way mask_type kind form full past",
    *(CLASSES, [*STACKED], [*Mask], [F32, F16], FORMS, [True, False], [True, False]),
)
def test_attention_beside_its_formula(cls, way, mask_type, kind, form, full, past):
    own = 2 if cls is MultiheadAttention1 and way in ("apart", "kv") else HEADS
    values = SIZE if way in ("kv", "qkv") else SIZE + 1
    descs, queries = sources_of(way, kind, form, HEADS, own, values)
    total = KEYS + PAST * past
    fields = {name: descs.get(name) for name in cls._tensors}
    fields["output"] = desc(kind, (BATCH, queries, HEADS * values), form)
    if full:
        width = HEADS * SIZE + own * SIZE + own * values
        fields["bias"] = desc(kind, (1, width))
        fields["relative_position_bias"] = desc(kind, (1, HEADS, queries, total), form)
    for name, size in (("key", SIZE), ("value", values)):
        if past:
            fields[f"past_{name}"] = desc(kind, (BATCH, own, PAST, size), form)
        if past or full:
            fields[f"output_present_{name}"] = desc(kind, (BATCH, own, total, size), form)
    sizes, made = MASKS[mask_type]
    random = np.random.default_rng(1)
    arrays = {}
    if sizes:
        sizes = (BATCH, 1, queries, total) if mask_type is Mask.BOOLEAN else sizes
        fields["mask"] = desc(I32, sizes)
        arrays["mask"] = made(random, sizes).astype(np.int32).reshape(sizes)
    heads = {"head_count": HEADS}
    if cls is MultiheadAttention1:
        heads = {"query_head_count": HEADS, "key_value_head_count": own}
    operator = cls(**fields, **heads, scale=0.3, mask_filter_value=-3.0, mask_type=mask_type)
    arrays = filled(operator, **arrays)
    q, k, v = operands(arrays, STACKED[way], HEADS, own)
    if past:
        k, v = [
            np.concatenate([arrays[f"past_{name}"].astype(np.float64), x], 2)
            for name, x in (("key", k), ("value", v))
        ]
    bias = arrays["relative_position_bias"].astype(np.float64) if full else 0.0
    change = masked(mask_type, arrays.get("mask"), total, -3.0)
    exact = {"output": attention(q, k, v, 0.3, bias, own, change)}
    exact |= {"output_present_key": k, "output_present_value": v}
    for name, found in call(operator, arrays).items():
        wanted = exact[name]
        np.testing.assert_allclose(found, wanted, rtol=ERRORS[kind], atol=2 * ERRORS[kind])


@tier.parametrize("kind has_past steps", [F32, F16], [True, False], [1, 3])
def test_new_steps_are_written_into_a_cache(kind, has_past, steps):
    """At the number of steps that each sequence has; later ones are not numbers, and not seen."""
    own, most = 2, 7
    state = desc(kind, (BATCH, own, most, SIZE))
    fields = dict.fromkeys(MultiheadAttention1._tensors)
    fields |= {
        "query": desc(kind, (BATCH, steps, HEADS * SIZE)),
        "key": desc(kind, (BATCH, steps, own * SIZE)),
        "value": desc(kind, (BATCH, steps, own * SIZE)),
        "past_sequence_lengths": desc(I32, (BATCH,)),
        "output": desc(kind, (BATCH, steps, HEADS * SIZE)),
        "output_present_key": state,
        "output_present_value": state,
    }
    if has_past:
        fields |= {"past_key": state, "past_value": state}
    operator = MultiheadAttention1(
        **fields, query_head_count=HEADS, key_value_head_count=own, scale=0.5
    )
    lengths = np.int32([4, 0])
    arrays = filled(operator, past_sequence_lengths=lengths)
    if has_past:
        for name in ("past_key", "past_value"):
            arrays[name] = arrays[name].copy()
            for row, length in enumerate(lengths):
                arrays[name][row, :, length:] = np.nan
        found = call(operator, arrays)
        wanted = expected_steps(arrays, lengths, steps, own)
        for name, exact in wanted.items():
            np.testing.assert_allclose(
                found[name], exact, rtol=ERRORS[kind], atol=2 * ERRORS[kind], err_msg=name
            )
        # In place, as if the past had been read before.
        over = {"output_present_key": "past_key", "output_present_value": "past_value"}
        for name, again in call(operator, arrays, over=over).items():
            np.testing.assert_array_equal(again, found[name])
    else:
        # What is in the outputs is the past: all of the second sequence is new.
        found = call(operator, arrays | {"past_sequence_lengths": np.int32([0, 0])})
        pasts = {name: np.full(state.sizes, np.nan) for name in ("past_key", "past_value")}
        wanted = expected_steps(arrays | pasts, [0, 0], steps, own)
        np.testing.assert_allclose(
            found["output"], wanted["output"], rtol=ERRORS[kind], atol=2 * ERRORS[kind]
        )
        for name in ("output_present_key", "output_present_value"):
            np.testing.assert_array_equal(found[name][:, :, :steps], wanted[name][:, :, :steps])


def expected_steps(arrays, lengths, steps, own):
    q, k, v = operands(arrays, STACKED["apart"], HEADS, own)
    keys, values = [arrays[name].astype(np.float64).copy() for name in ("past_key", "past_value")]
    outputs = []
    for row, length in enumerate(lengths):
        keys[row, :, length : length + steps] = k[row]
        values[row, :, length : length + steps] = v[row]
        one = []
        for step in range(steps):
            seen = length + step + 1
            part = slice(row, row + 1), slice(None), slice(seen)
            query = q[row : row + 1, :, step : step + 1]
            one.append(attention(query, keys[part], values[part], 0.5, 0.0, own, lambda x: x))
        outputs.append(np.concatenate(one, 1))
    return {
        "output": np.concatenate(outputs),
        "output_present_key": keys,
        "output_present_value": values,
    }


def test_tensors_may_have_leading_ones():
    fields = dict.fromkeys(MultiheadAttention._tensors)
    one = BufferTensorDesc(F32, (1, 1, BATCH, KEYS, HEADS * SIZE))
    fields |= {"query": one, "key": one, "value": one, "output": one}
    operator = MultiheadAttention(**fields, head_count=HEADS, scale=1.0)
    arrays = filled(operator)
    q, k, v = operands(arrays, STACKED["apart"], HEADS, HEADS)
    exact = attention(q, k, v, 1.0, 0.0, HEADS, lambda x: x)
    found = call(operator, arrays)["output"]
    np.testing.assert_allclose(found[0, 0], exact, rtol=1e-5, atol=1e-5)
