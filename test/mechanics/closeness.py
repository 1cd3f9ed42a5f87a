"""When two results are equal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# Of the largest entry. Entries are sums of up to some thousand products, each rounded to 1.1e-16,
# which partly cancel. The worst that was seen is 3e-15; another processor or compiler rounds in
# other places.
TOLERANCE = 1e-13


def assert_close(actual: Any, expected: Any, scale: float = 0.0) -> None:
    """Equal within TOLERANCE of the largest entry, or of `scale` where that is larger."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f'shape {actual.shape}, expected {expected.shape}'
    scale = max(scale, float(np.abs(expected).max(initial=0.0)))
    worst = float(np.abs(actual - expected).max(initial=0.0))
    # Written so that NaN fails.
    assert worst <= TOLERANCE * scale, f'off by {worst:.3g}, the largest entry being {scale:.3g}'


def coriolis_scale(dynamics: Any, state: Any) -> float:
    """C is a derivative of M times v, and may be zero throughout: one joint has none."""
    return float(np.abs(dynamics.mass_matrix(state.q)).max() * np.abs([state.v, state.w]).max())


@contextmanager
def gravity(dynamics: Any, value: Any) -> Iterator[None]:
    """With another gravity."""
    before = dynamics.gravity
    dynamics.gravity = value
    try:
        yield
    finally:
        dynamics.gravity = before


def gravity_scale(dynamics: Any, q: Any) -> float:
    """The weights may balance: at some q, or in some direction, they give hardly any torque.

    It is the torque of the same gravity in the direction where they give most.
    """
    size, torques = float(np.linalg.norm(dynamics.gravity)), []
    for direction in np.eye(3):
        with gravity(dynamics, direction):
            torques.append(dynamics.gravity_torque(q))
    return size * float(np.linalg.norm(torques, axis=0).max())


def torque_scale(dynamics: Any, state: Any) -> float:
    """A torque is a sum of weights, inertia and velocity terms, which may cancel."""
    inertial = np.abs(dynamics.mass_matrix(state.q)) @ np.abs(state.a)
    velocity = coriolis_scale(dynamics, state) * np.abs(state.v).max()
    return float(gravity_scale(dynamics, state.q) + inertial.max() + velocity)


def solvable(M: Any) -> bool:
    """Whether a keeps 7 digits; solving loses as many as the condition number of M has."""
    return bool(M.any() and np.linalg.cond(M) * TOLERANCE < 1e-7)
