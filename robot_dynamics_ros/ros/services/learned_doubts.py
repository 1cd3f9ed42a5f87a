"""Why thresholds that the node has learned may not hold, for the answer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.control.external_forces.detection import (
    ContactThresholds,
    ResidualPeaks,
    above_limits,
)
from robot_dynamics_ros.control.external_forces.detection.residual_bands import PUSH, SPEED
from robot_dynamics_ros.control.external_forces.detection.threshold_learning import (
    REST,
    standing_still,
)
from robot_dynamics_ros.control.external_forces.residual_average import LARGEST, SLOWEST
from robot_dynamics_ros.control.torque_text import torque_text, units_of
from robot_dynamics_ros.core.model.findings import listed

from ..robot.commanded_robot import CommandedRobot

# Less tells the rate of false alarms by an order of magnitude only [s].
TELLING = 60.0


def little_known(peaks: ResidualPeaks, joints: Sequence[str]) -> str:
    """What to add to the answer where thresholds were learnt from little time or motion."""
    doubts = ''
    if peaks.seconds < TELLING:
        doubts = (
            f'; {peaks.seconds:.0f} s tell the rate of false alarms by an order of magnitude '
            f'only: learn from {TELLING:g} s or more'
        )
    if still := ', '.join(itertools.compress(joints, standing_still(peaks))):
        doubts += (
            f'; mean speed of {still} below {REST:g} rad/s or m/s: these thresholds are those for '
            'standing still, motion will exceed them: learn again in the motions of the '
            'application'
        )
    return doubts


def suspicions(peaks: ResidualPeaks, learnt: ContactThresholds, robot: CommandedRobot) -> str:
    """What to add to the answer where something seems to have touched the arm.

    Without thresholds in use no contact is detected: only effort limits can tell then. Those of
    the description count; parameter effort_limits may be 0.
    """
    model, joints = robot.dynamics.model, robot.joints
    limits = model.effort_bounds[model.indices_of(joints)]
    units = units_of(model, joints)
    _, sizes, motions = peaks.arrays()
    found = []
    if high := above_limits(joints, units, limits, learnt.limits(motions).mean(axis=0)):
        found.append(high)
    at_rest = (motions[:, PUSH, SPEED] <= SLOWEST).all(axis=1)
    largest = sizes[at_rest, PUSH].max(axis=0, initial=0.0)
    large = [
        f'{torque_text(largest[index], units[index])} of {joints[index]} (limit '
        f'{torque_text(limits[index], units[index])})'
        for index in np.flatnonzero(largest > LARGEST * limits).tolist()
    ]
    if large:
        found.append(
            f'external torques above a tenth of the effort limits at rest: {listed(large)}'
        )
    if not found:
        return ''
    return (
        f'; {"; ".join(found)}; something touched the arm, a payload is not set, or the model is '
        'wrong: find out which, and learn again'
    )
