"""The largest point mass that the joints can hold at rest."""

from __future__ import annotations

import numpy as np

from ..checks import Array
from .twist_rows import ROUNDING


def weight_torque(jacobian: Array, gravity: Array) -> Array:
    """The torque (n,) that holds a mass of 1 kg at the origin of a frame [N m/kg or N/kg].

    A mass m at a point p has the potential energy -m gravity . p, and its derivative by q is
    -m J^T gravity.

    Args:
        jacobian: (6, n) [linear; angular] of the frame, in the axes of the base.
        gravity: (3,) in the same axes [m/s^2].
    """
    products = jacobian[:3] * gravity[:, None]
    torque: Array = -products.sum(axis=0)
    # A joint that does not lift the mass has a sum of 1e-17 instead of 0.
    return np.where(np.abs(torque) > ROUNDING * np.abs(products).sum(axis=0), torque, 0.0)


def largest_mass(gravity_torque: Array, per_mass: Array, limits: Array) -> float:
    """The largest m with |gravity_torque + m per_mass| <= limits for every joint [kg].

    Args:
        gravity_torque: (n,) that holds the robot without the mass [N m or N].
        per_mass: (n,) that holds 1 kg, see `weight_torque`.
        limits: (n,) effort limits [N m or N].

    Returns:
        Infinite if no joint with a limit lifts the mass. Negative if the joints hold the robot
        only when so much mass is taken off there; -infinite if no mass makes them hold it.
    """
    lifting = per_mass != 0.0
    excess = np.abs(gravity_torque) - limits
    if np.any(excess[~lifting] > ROUNDING * np.abs(gravity_torque).max(initial=0.0)):
        return -np.inf
    torque = gravity_torque[lifting] * np.sign(per_mass[lifting])
    lever, limit = np.abs(per_mass[lifting]), limits[lifting]
    largest = float(((limit - torque) / lever).min(initial=np.inf))
    smallest = float(((-limit - torque) / lever).max(initial=-np.inf))
    return largest if smallest <= largest else -np.inf
