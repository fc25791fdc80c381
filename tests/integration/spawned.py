"""What a spawned process does: its own use of the device."""

from __future__ import annotations

from typing import Any

import dml_vk


def work() -> Any:
    x = dml_vk.asarray([[1, 2], [3, 4]])
    return x.over(x.layout.permute(1, 0)).tolist()
