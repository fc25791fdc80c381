"""Small faults in the sources, to show what the tests would miss: see `__main__.py`."""

from __future__ import annotations

from tests.mutants import (
    arrays,
    exchange,
    functions,
    layouts,
    models,
    plans,
    programs,
    runtime,
    shaders,
    spirv,
)

MUTANTS = (
    *layouts.MUTANTS,
    *plans.MUTANTS,
    *shaders.MUTANTS,
    *spirv.MUTANTS,
    *runtime.MUTANTS,
    *arrays.MUTANTS,
    *programs.MUTANTS,
    *models.MUTANTS,
    *functions.MUTANTS,
    *exchange.MUTANTS,
)
