"""Exact derivatives of an algorithm: Im f(x + i h d) / h, where nothing is subtracted.

Squire, Trapp, "Using complex variables to estimate derivatives of real functions" (1998). With
h = 1e-30 the truncation error, h^2, is far below rounding. The scalars are NumPy arrays, one
entry per direction d, so that one run of an algorithm gives a whole gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics_ros.core import scalar

STEP = 1e-30

scalar.sin.register(np.ndarray, np.sin)
scalar.cos.register(np.ndarray, np.cos)


def gradient(function: Callable[[list[Any]], Any], at: Any) -> Any:
    """d function / d x_k for every k, which becomes the last axis of the result."""
    return derivatives(function, at, np.eye(len(at)))


def derivative(function: Callable[[list[Any]], Any], at: Any, along: Any) -> Any:
    """d/dt function(at + t along) at t = 0."""
    return derivatives(function, at, np.array([along]))[..., 0]


def derivatives(function: Callable[[list[Any]], Any], at: Any, directions: Any) -> Any:
    """As `derivative`, for every row of `directions`, which becomes the last axis."""
    scalars = [x + 1j * STEP * d for x, d in zip(at, directions.T, strict=True)]
    return _imaginary(function(scalars), len(directions)) / STEP


def _imaginary(result: Any, count: int) -> Any:
    if isinstance(result, (list, tuple)):
        return np.array([_imaginary(entry, count) for entry in result])
    # What depends on no coordinate stays a float.
    return np.broadcast_to(np.imag(result), (count,))
