"""What is missing or full is an error that says so, and the process goes on."""

from __future__ import annotations

import pytest

from tests.integration.process import says

NOWHERE = "/nonexistent.json"


def test_without_a_driver_opening_a_device_says_what_to_do():
    says(
        """
        print(len(dml_vk.devices()), dml_vk.devices().reason != "")
        for call in (dml_vk.device, lambda: dml_vk.asarray([1, 2]), lambda: dml_vk.empty(3)):
            try:
                call()
            except dml_vk.DeviceError as error:
                print("doctor" in str(error), isinstance(error, RuntimeError))
        print(dml_vk.Layout((2, 3)).strides)
        """,
        "0 True\nTrue True\nTrue True\nTrue True\n(3, 1)",
        VK_DRIVER_FILES=NOWHERE,
        VK_ICD_FILENAMES=NOWHERE,
    )


def test_without_a_loader_opening_a_device_says_what_to_do():
    says(
        """
        from dml_vk.driver import vulkan
        vulkan.LOADERS = ("libnone.so.1",)
        print(len(dml_vk.devices()), "loader" in dml_vk.devices().reason)
        try:
            dml_vk.device()
        except dml_vk.DeviceError as error:
            print("doctor" in str(error))
        """,
        "0 True\nTrue",
    )


def test_without_kp_opening_a_device_with_kompute_says_what_to_do():
    says(
        """
        import sys
        sys.modules["kp"] = None
        try:
            dml_vk.device()
        except dml_vk.DeviceError as error:
            print("cannot import kp:" in str(error), "doctor" in str(error))
        print(len(dml_vk.devices()) > 0)
        """,
        "True True\nTrue",
        DML_VK_RUNTIME="kompute",
    )


def test_a_kp_that_corrupts_numpy_arrays_is_refused():
    says(
        """
        import kp
        class Manager(kp.Manager):
            def empty(self, size, kind):
                class Poisoned:
                    def data(self):
                        return np.broadcast_to(np.uint32(0), size)
                return Poisoned()
        kp.Manager = Manager
        try:
            dml_vk.device()
        except dml_vk.DeviceError as error:
            print("pybind11" in str(error), "doctor --fix" in str(error))
        """,
        "True True",
        DML_VK_RUNTIME="kompute",
    )


@pytest.mark.parametrize("memory", ["unified", "staged"])
def test_out_of_memory_is_an_error_and_everything_stays_usable(memory):
    says(
        """
        import resource
        x, y = use()
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + 900 * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        held = []
        try:
            while len(held) < 100:
                held.append(dml_vk.full((2**24,), len(held) + 1.0))
            dml_vk.synchronize()
        except MemoryError as error:
            print(type(error).__name__, "out of device memory" in str(error))
        print(0 < len(held) < 20)
        inside = dml_vk.Layout((1,), offset=2**24 - 1)
        print([t.over(inside).tolist()[0] for t in held] == [k + 1 for k in range(len(held))])
        use()
        held.clear()
        print(np.array_equal(y.numpy(), x.numpy().transpose(2, 0, 1)))
        print(dml_vk.full((2**24,), 7.0).nbytes)
        """,
        "DeviceMemoryError True\nTrue\nTrue\nTrue\n67108864",
        DML_VK_MEMORY="" if memory == "unified" else memory,
    )


@pytest.mark.parametrize("left", [2, 8, 30])
def test_a_new_kernel_when_memory_is_nearly_exhausted_is_an_error(left):
    """The driver's compiler would end the process."""
    says(
        f"""
        import resource
        use()
        generator = dml_vk.random.Generator(1)
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + {left} * 2**20
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        try:
            generator.random(1000)
        except MemoryError as error:
            print("no memory to compile" in str(error))
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        use()
        print(len(generator.random(1000).tolist()))
        """,
        "True\n1000",
    )


def test_a_memory_limit_by_environment_and_by_attribute():
    says(
        """
        device = dml_vk.device()
        print(device.memory_limit)
        try:
            dml_vk.empty((30 * 2**20,))
        except MemoryError as error:
            print("104857600" in str(error))
        device.memory_limit = None
        print(dml_vk.empty((30 * 2**20,)).nbytes)
        """,
        "104857600\nTrue\n125829120",
        DML_VK_MEMORY_LIMIT="104857600",
    )


@pytest.mark.parametrize("wrong", ["lots", "-5", "1.5"])
def test_a_memory_limit_that_is_not_a_number_is_an_error(wrong):
    says(
        """
        try:
            dml_vk.device()
        except dml_vk.DeviceError as error:
            print("DML_VK_MEMORY_LIMIT" in str(error))
        """,
        "True",
        DML_VK_MEMORY_LIMIT=wrong,
    )


def test_resident_memory_follows_the_tensors_that_are_alive():
    says(
        """
        def resident():
            for line in open("/proc/self/status"):
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) * 1024
        held = [dml_vk.full((2**18,), 3.0) for _ in range(500)]
        held.append(dml_vk.full((2**26,), 3.0))
        dml_vk.synchronize()
        n = sum(t.nbytes for t in held)
        print(n >> 20, resident() <= 1.25 * n + 150 * 2**20 or resident() / 2**20)
        """,
        "756 True",
        DML_VK_MEMORY="",
    )
