"""Whether the joints could hold a payload at other poses than the present one."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.model.sampling import random_positions

from ..robot.commanded_robot import CommandedRobot

POSES = 50
# A payload is questioned if more than half of the poses need more than this share of a limit [-]:
# heavy ones that the arm holds close to its base are not.
FACTOR = 2.0


def overload_question(loaded: CommandedRobot, before: CommandedRobot) -> str:
    """What to ask if most poses exceed the effort limits by far; empty if they do not.

    Not asked where the driver adds gravity. Joints that need less torque than before the change do
    not count.

    Args:
        loaded: the robot with its new payload.
        before: the robot without it, or with another payload.
    """
    if 'gravity' not in before.feedforward.selected_terms:
        return ''
    limits = FACTOR * loaded.guard.limiter.limits / loaded.guard.settings.effort_scale
    poses = random_positions(loaded.dynamics.model, POSES)
    held, held_before = (
        np.abs([robot.dynamics.gravity_torque(q)[loaded.feedforward.indices] for q in poses])
        for robot in (loaded, before)
    )
    count = int((held > np.maximum(limits, held_before)).any(axis=1).sum())
    if 2 * count <= POSES:
        return ''
    return (
        f'the payload exceeds the effort limits at {count} of {POSES} random poses by more than '
        f'{FACTOR:g} times: is the mass in kg?'
    )
