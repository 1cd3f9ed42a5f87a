"""The file that `robot_dynamics thresholds` writes: what was learned from, above the values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.contacts import ThresholdSurvey
from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value
from robot_dynamics_ros.threshold_file import LearnedThresholds

from .contact_tables import false_alarms

HEAD = """\
# Thresholds of contacts of {robot}, learned from {seconds:.3g} s that are taken to be
# without contact: at most {rate} in an hour of motion like the recorded one, with
# the same friction and the bandwidth below.
# It had speeds up to {speeds} [rad/s or m/s].
# For faster or other motion, learn again, or choose a larger --margin than {margin:g}.
#
#   ros2 run robot_dynamics_ros dynamics_node --ros-args -p external_observer:=true \\
#       -p contact_thresholds:={file}
#
# Of each joint: the bandwidth of the observer [Hz]; constant [N m or N], part that grows with the
# speed [N m s/rad or N s/m], and with the acceleration [kg m^2 or kg].
"""


def threshold_file(survey: ThresholdSurvey, file: str, doubts: Sequence[str] = ()) -> str:
    """The text of the file.

    Args:
        survey: the thresholds.
        file: its name, for the command in its head.
        doubts: why the thresholds may not hold; they stand at its head.
    """
    head = HEAD.format(
        robot=yaml_value(survey.robot),
        seconds=survey.thresholds.seconds,
        rate=false_alarms(survey.thresholds.false_alarms_per_hour),
        speeds=', '.join(f'{speed:.2g}' for speed in survey.largest_motion[0]),
        margin=survey.margin,
        file=file,
    )
    doubted = yaml_comment('Doubts of robot_dynamics thresholds:', doubts)
    bandwidths = dict(zip(survey.joints, survey.recordings[0].bandwidth.tolist(), strict=True))
    parts = np.moveaxis(survey.thresholds.coefficients, 2, 0)
    learned = LearnedThresholds(bandwidths, dict(zip(survey.joints, parts, strict=True)))
    return f'{doubted}{head}{learned.text()}'
