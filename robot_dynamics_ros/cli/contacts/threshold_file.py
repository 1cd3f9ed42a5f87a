"""Thresholds as a parameter file of dynamics_node."""

from __future__ import annotations

from collections.abc import Iterator

from robot_dynamics_ros.contacts import ThresholdSurvey
from robot_dynamics_ros.control.external_forces.detection.contact_thresholds import PARTS
from robot_dynamics_ros.control.external_forces.detection.residual_bands import BANDS
from robot_dynamics_ros.parameter_yaml import yaml_value

from .contact_tables import false_alarms

HEAD = """\
# Thresholds of contacts of {robot}, learned from {seconds:.3g} s without contact: at most
# {rate} in an hour of motion like the recorded one, with the same friction and the
# bandwidth below. It had speeds up to {speeds} [rad/s or m/s].
# For faster or other motion, learn again, or choose a larger --margin than {margin:g}.
#
#   ros2 run robot_dynamics_ros dynamics_node --ros-args --params-file {file}
#
# `/**:` stands for nodes of any name.
/**:
  ros__parameters:
    joints: {joints}

    external_observer: true
    external_bandwidth: {bandwidth}
    contact_cutoff: {cutoff}

    # Of each joint, in the order of joints: constant, per speed and per acceleration [SI units].
"""
# Digits: thresholds are not more exact.
DIGITS = 4


def threshold_file(survey: ThresholdSurvey, file: str) -> str:
    """The text of the file.

    Args:
        survey: the thresholds.
        file: its name, for the command in its head.
    """
    return ''.join([_head(survey, file), *_lines(survey)])


def _head(survey: ThresholdSurvey, file: str) -> str:
    return HEAD.format(
        robot=yaml_value(survey.robot),
        seconds=survey.thresholds.seconds,
        rate=false_alarms(survey.thresholds.false_alarms_per_hour),
        speeds=', '.join(f'{speed:.2g}' for speed in survey.largest_motion[0]),
        margin=survey.margin,
        file=file,
        joints=yaml_value(list(survey.joints)),
        bandwidth=yaml_value(survey.recordings[0].bandwidth.tolist()),
        cutoff=yaml_value(survey.cutoff),
    )


def _lines(survey: ThresholdSurvey) -> Iterator[str]:
    for band, coefficients in zip(BANDS, survey.thresholds.coefficients, strict=True):
        for part, values in zip(PARTS, coefficients, strict=True):
            name = f'{band}_threshold' if part == PARTS[0] else f'{band}_threshold_{part}'
            rounded = [float(f'{value:.{DIGITS}g}') for value in values]
            yield f'    {name}: {yaml_value(rounded)}\n'
