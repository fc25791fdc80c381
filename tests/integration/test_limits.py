"""No limit passes silently: each is met, or is an error that names it."""

from __future__ import annotations

import dataclasses
import gc

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceError, DeviceMemoryError, LayoutError, ShaderError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.layout import Layout, channels_last
from dml_vk.limits import MINIMUM, Profile
from dml_vk.runtime.device import Device
from dml_vk.runtime.pipelines import group_count
from tests.integration.process import says

GIB = 2**30
MANY = Profile(max_range_bytes=2**32 - 4, max_invocations=256)  # and groups as Vulkan counts them


def test_a_tensor_beyond_the_devices_range_is_refused_by_name():
    most = dml_vk.device().limits.max_range_bytes // 4096 * 4096
    one = dml_vk.full((1,), 3, np.uint8)
    gc.collect()  # what earlier tests left is not to go meanwhile
    before = dml_vk.memory_stats()
    for call in (
        lambda: dml_vk.empty((most + 1,), np.uint8),
        lambda: dml_vk.empty((most // 4 + 1,)),
        lambda: dml_vk.full((2, most), 1, np.uint8),
        lambda: dml_vk.empty((1, 2**40), memory_format=dml_vk.contiguous_format),
        lambda: dml_vk.asarray(np.broadcast_to(np.uint8(3), (most + 1,))),
        lambda: dml_vk.random.Generator(0).bits((2**32,)),
        lambda: dml_vk.directml.Buffer(most + 1),
        lambda: one.over(Layout((most + 1,), (0,))).clone(),
    ):
        with pytest.raises(DeviceMemoryError, match=f"at most {most} bytes.*; got nbytes="):
            call()
        with pytest.raises(MemoryError):
            call()
    assert dml_vk.memory_stats() == before


@pytest.mark.parametrize("count", [2**32, 2**33, 2**40, 2**70])
def test_more_elements_than_32_bits_count_are_views_but_not_copied(count):
    one = dml_vk.asarray([7], "uint8")
    many = one.over(one.layout.expand(count))
    assert (many.shape, many.layout.span, many.nbytes) == ((count,), 1, count)
    assert repr(many).startswith(f"Tensor([7, 7, 7, ..., 7, 7, 7], shape=({count},), ")
    for call in (many.clone, many.contiguous, lambda: dml_vk.empty((count,), "uint8")):
        with pytest.raises(DeviceMemoryError, match=f"got nbytes={count}$"):
            call()
    with pytest.raises(LayoutError, match="copy: target has overlapping elements"):
        dml_vk.copy(many, many)
    with pytest.raises(LayoutError, match="equal sizes"):
        dml_vk.copy(many, one)
    x = dml_vk.asarray([1, 2], "uint8")
    for call in (
        *(lambda: dml_vk.sum(many), lambda: dml_vk.argmax(many), lambda: dml_vk.all(many)),
        *(lambda: dml_vk.nonzero(many), lambda: dml_vk.searchsorted(many, x)),
    ):
        with pytest.raises(LayoutError, match=r"x1? must have at most 2\*\*31 elements, counting"):
            call()
    part = many.over(many.layout.narrow(0, count - 5, 5))
    assert part.tolist() == [7] * 5, "what is small of it is as good as any"
    target = dml_vk.empty((5,), "uint8")
    dml_vk.copy(part, target)
    assert target.tolist() == [7] * 5


def test_a_broadcast_source_into_a_target_of_its_size():
    row = dml_vk.asarray(np.arange(1, 8, dtype=np.uint16))
    wide = row.over(row.layout.unsqueeze(0).expand(300, 7))
    target = dml_vk.empty((300, 7), np.uint16)
    dml_vk.copy(wide, target)
    assert np.array_equal(target.numpy(), np.broadcast_to(np.arange(1, 8), (300, 7)))


LARGE = (
    ("rows", Layout((2**20 - 2, 2047), (2048, 1), 1), Layout((2**20 - 2, 2047))),
    ("to NHWC", Layout((64, 64, 512, 512)), Layout.packed((64, 64, 512, 512), channels_last)),
    ("reversed", Layout((2**29,)).flip(0), Layout((2**29,))),
    ("every other", Layout((2**30,)).slice(0, 0, None, 2), Layout((2**29,))),
)


@pytest.mark.parametrize(
    ("source", "target"), [pair[1:] for pair in LARGE], ids=[p[0] for p in LARGE]
)
@pytest.mark.parametrize("profile", [MINIMUM, MANY, dataclasses.replace(MANY, groups_wanted=16)])
def test_groups_stay_within_what_a_dispatch_takes(source, target, profile):
    plan = plan_copy(source.sizes, source.strides, target.strides, 1, source.offset, 0, profile)
    local = plan.spec[0]
    assert 0 < local <= profile.max_invocations
    assert plan.units < 2**32, "invocations count in 32 bits"
    needed = -(-plan.units // local)
    groups = group_count(needed, profile)
    assert groups == min(needed, profile.groups_wanted or 65535)
    # The last step of the last invocation still fits its 32-bit counter.
    assert plan.units + groups * local < 2**32


def test_the_plans_above_do_need_more_groups_than_there_are():
    source, target = LARGE[0][1:]
    plan = plan_copy(source.sizes, source.strides, target.strides, 1, 1, 2, MINIMUM)
    assert plan.units // plan.spec[0] > 65535
    assert group_count(plan.units // plan.spec[0], MINIMUM) == 65535
    assert plan_fill((2**20 - 2, 2047), (2048, 1), 1, 0, MINIMUM).units > 65535 * 64


def test_work_for_more_groups_than_there_are_is_all_done():
    """As a GPU would be driven: as many groups as there may be, a vector for each invocation."""
    device = Device(dml_vk.device().info)
    device.queue.encoder.profile = Profile(max_rounds=device.limits.max_rounds)
    rows = 70 * 1024 + 17
    data = np.random.default_rng(2).integers(0, 256, (rows, 2048), np.uint8)
    x = dml_vk.asarray(data, device=device)[:, 1:]
    y = dml_vk.empty(x.shape, np.uint8, device=device)
    plan = plan_copy(x.shape, x.strides, y.strides, 1, 1, 0, device.profile)
    assert plan.units // plan.spec[0] > 65535
    dml_vk.copy(x, y)
    assert np.array_equal(y.numpy(), data[:, 1:])


def test_a_tensor_of_a_gibibyte_and_a_half():
    """Beyond what signed 32 bits count in bits, and every far end right. llvmpipe honours it."""
    nbytes = GIB + GIB // 2 + 4099
    device = dml_vk.device()
    if device.limits.max_range_bytes < nbytes:
        with pytest.raises(DeviceMemoryError, match="can span at most"):
            dml_vk.empty((nbytes,), np.uint8)
        return
    x = dml_vk.full((nbytes,), 3, np.uint8)
    far = np.arange(1, 200, dtype=np.uint8)
    ends = x.over(Layout((199,), (1,), nbytes - 199)), x.over(Layout((199,), (1,), GIB + 1))
    for end in ends:
        dml_vk.copy(dml_vk.asarray(far), end)
    y = dml_vk.empty((nbytes,), np.uint8)
    dml_vk.copy(x, y)
    assert y.over(ends[0].layout).tolist() == far.tolist()
    assert y.over(Layout((201,), (1,), GIB)).tolist() == [3, *far.tolist(), 3]
    assert y.over(Layout((2,), (-(nbytes - 1),), nbytes - 1)).tolist() == [199, 3]
    del x, y, ends, end
    device.release_cached()


SHADER = """#version 450
layout(local_size_x = 64) in;
{buffers}
layout(push_constant) uniform Push {{ uint {bases}; uint more[{more}]; }};
void main() {{ {body} }}
"""


def shader(buffers, more):
    names = [f"x{k}" for k in range(buffers)]
    return SHADER.format(
        buffers="\n".join(
            f"layout(binding = {k}) buffer B{k} {{ uint {name}[]; }};"
            for k, name in enumerate(names)
        ),
        bases=", ".join(f"{name}_base" for name in names),
        more=more,
        body=" ".join(
            f"{name}[{name}_base] = more[{more - 1}] + {k};" for k, name in enumerate(names)
        ),
    )


def test_push_constants_are_the_guaranteed_128_bytes():
    run = dml_vk.kernel(shader(1, 31))
    x = dml_vk.full((4,), 9, np.uint32)
    run(x.over(Layout((1,), (1,), 2)), groups=1, push=list(range(100, 131)))
    assert x.tolist() == [9, 9, 130, 9]
    with pytest.raises(ShaderError, match="push block must be at most 128 bytes; got bytes=132"):
        dml_vk.kernel(shader(1, 32))


def test_as_many_buffers_as_the_device_takes(monkeypatch):
    device = dml_vk.device()
    most = min(device.limits.max_storage_buffers, 30)
    profile = dataclasses.replace(device.profile, max_storage_buffers=most)
    monkeypatch.setattr(device.queue.encoder, "profile", profile)
    tensors = [dml_vk.full((1,), 9, np.uint32) for _ in range(most + 1)]
    dml_vk.kernel(shader(most, 1))(*tensors[:most], groups=1, push=([50],))
    assert [t.tolist()[0] for t in tensors] == [*range(50, 50 + most), 9]
    with pytest.raises(
        DeviceError, match=f"this device takes at most {most} tensors per kernel; got"
    ):
        dml_vk.kernel(shader(most + 1, 1))(*tensors, groups=1, push=([50],))


@pytest.mark.parametrize("wrong", [0, 65536, 2**32, 2**70, (1, 65536), (1, 1, 0), (1, 1, 1, 1), -1])
def test_groups_of_a_user_kernel_are_checked(wrong):
    run = dml_vk.kernel(shader(1, 1))
    with pytest.raises(ShaderError, match="groups must"):
        run(dml_vk.full((1,), 9, np.uint32), groups=wrong, push=([50],))


def test_tensors_beyond_32_bits_of_addresses_keep_their_own_values():
    """Together more than 32 bits address: three arenas, each as large as a kernel can see."""
    says(
        """
        from dml_vk.layout import Layout
        n = min(2**31 - 2**20, dml_vk.device().limits.max_range_bytes // 4096 * 4096)
        held = [dml_vk.empty((n,), np.uint8) for _ in range(3)]
        ends = [x.over(Layout((2,), (n - 1,))) for x in held]
        for k, end in enumerate(ends):
            dml_vk.copy(dml_vk.asarray(np.array([k + 1, k + 11], np.uint8)), end)
        print([end.tolist() for end in ends], sum(x.nbytes for x in held) == 3 * n)
        """,
        "[[1, 11], [2, 12], [3, 13]] True",
        DML_VK_MEMORY="staged",
    )
