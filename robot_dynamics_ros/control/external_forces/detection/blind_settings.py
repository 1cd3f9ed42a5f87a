"""Settings that are allowed, and with which contacts are not found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.core.model.robot import RobotModel

from ...torque_text import units_of
from ..external_settings import ExternalSettings
from .contact_thresholds import NEVER, ContactThresholds
from .threshold_limits import above_limits, parts_above_limits

# Above half the rate of the states, one step of the low pass takes over 96 % of a hit.
LARGEST_SHARE = 0.5


def without_reaction(settings: ExternalSettings, on_collision: str) -> str:
    """Why no collision can make the node react; empty if one can, or where none is to.

    Args:
        settings: of the detection.
        on_collision: what follows a collision, see `Settings`.
    """
    if on_collision == 'report' or settings.collision_threshold:
        return ''
    return (
        f'on_collision is {on_collision} and acts on collisions alone, but collision_threshold is '
        'empty: set it, or call ~/learn_thresholds'
    )


def without_observer(on_collision: str) -> str:
    """Why nothing can make the node react without an observer; empty where nothing is to.

    Args:
        on_collision: what follows a collision, see `Settings`.
    """
    if on_collision == 'report':
        return ''
    return (
        f'on_collision is {on_collision}, but external_observer is false: no collision is found; '
        'set external_observer to true'
    )


def below_cutoff(settings: ExternalSettings, joints: Sequence[str]) -> str:
    """Which joints have an estimate too slow for collisions; empty for none.

    Args:
        settings: of the detection.
        joints: names of the commanded joints, k of them.
    """
    cutoff = settings.contact_cutoff
    bandwidths = np.broadcast_to(settings.external_bandwidth, len(joints))
    slow = np.flatnonzero(bandwidths < cutoff).tolist()
    if not (settings.collision_threshold and slow):
        return ''
    each = listed([f'{bandwidths[index]:.4g} Hz of {joints[index]}' for index in slow])
    if np.ptp(bandwidths) == 0.0:
        each = f'{bandwidths[0]:.4g} Hz'
    return (
        f'external_bandwidth is {each}, below contact_cutoff, {cutoff:.4g} Hz: a hit is hardly '
        f'found as a collision; set external_bandwidth above {cutoff:.4g} Hz, or contact_cutoff '
        f'below {bandwidths.min():.4g} Hz'
    )


def above_half_the_rate(settings: ExternalSettings, rate: float) -> str:
    """That the cutoff leaves no fast band at this rate; empty where it does.

    Args:
        settings: of the detection.
        rate: of the joint states [Hz]; NaN if it is not known yet.
    """
    cutoff, highest = settings.contact_cutoff, LARGEST_SHARE * rate
    if not (settings.collision_threshold and cutoff >= highest):
        return ''
    return (
        f'contact_cutoff is {cutoff:.4g} Hz, joint states come at {rate:.4g} Hz: no collision is '
        f'found; set contact_cutoff below half of that, {highest:.4g} Hz'
    )


def excessive_thresholds(
    thresholds: ContactThresholds, joints: Sequence[str], model: RobotModel
) -> str:
    """Which thresholds are above the effort limits of the description; empty for none.

    Args:
        thresholds: of the commanded joints, k of them.
        joints: their names.
        model: of the robot.
    """
    indices, units = model.indices_of(joints), units_of(model, joints)
    limits, speeds = model.effort_bounds[indices], model.velocity_bounds[indices]
    given = thresholds.coefficients
    coefficients = np.where(given < NEVER, given, 0.0)
    clauses = (
        above_limits(joints, units, limits, coefficients[:, 0]),
        parts_above_limits(joints, units, limits, speeds, coefficients),
    )
    found = '; '.join(filter(None, clauses))
    return f'{found}: check their units, N m or N, or learn them again' if found else ''
