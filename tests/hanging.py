"""How long tests wait for what may hang. It is no measure: nothing takes so long on any machine."""

from __future__ import annotations

HANGING = 600.0  # seconds
