"""Between which values the efforts of a recording are that the node takes as measured."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.control.external.drive_torques import LARGEST
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Recording

BEYOND = (
    f'as in dynamics_node beyond {LARGEST:g} times the effort limit: are efforts in N m or N, and '
    'is the limit of the description right?'
)


def effort_range(recording: Recording, model: RobotModel) -> Array:
    """The smallest and the largest measured effort (2, n) of each joint; NaN without one.

    From now on, efforts of the recording that the node takes as not measured are not.

    Args:
        recording: of all joints of the robot, in their order.
        model: of the robot.
    """
    recording.judge_efforts(model, LARGEST, BEYOND)
    result: Array = np.full((2, len(recording.joints)), np.nan)
    for samples in recording.chunks():
        measured = np.where(np.isfinite(samples.efforts), samples.efforts, np.nan)
        for side, further in enumerate((np.fmin, np.fmax)):
            result[side] = further(result[side], further.reduce(measured, axis=0))
    return result


def advice(recording: Recording, otherwise: str) -> str:
    """What to do where efforts are missing: of the joint with most that the node does not take.

    Args:
        recording: that was read.
        otherwise: what to do where all are taken.
    """
    found = recording.quality.implausible
    worst = max(found, key=lambda joint: found[joint].count, default='')
    return found[worst].sentence(worst) if worst else otherwise
