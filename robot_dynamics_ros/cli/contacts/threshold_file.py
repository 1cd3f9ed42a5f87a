"""Thresholds as a parameter file of dynamics_node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robot_dynamics_ros.contacts import ThresholdSurvey
from robot_dynamics_ros.control.external_forces.detection.contact_thresholds import PARTS
from robot_dynamics_ros.control.external_forces.detection.residual_bands import BANDS
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value

from .contact_tables import false_alarms

HEAD = """\
# Thresholds of contacts of {robot}, learned from {seconds:.3g} s that are taken to be
# without contact: at most {rate} in an hour of motion like the recorded one, with
# the same friction and the bandwidth below.
# It had speeds up to {speeds} [rad/s or m/s].
# For faster or other motion, learn again, or choose a larger --margin than {margin:g}.
# {joints_of}
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
OWN_JOINTS = (
    'dynamics_node commands the joints below, also where an earlier parameter file names others.'
)
GIVEN_JOINTS = 'The joints are those of the parameter files that were given, in their order.'
# Digits: thresholds are not more exact.
DIGITS = 4


def threshold_file(
    survey: ThresholdSurvey,
    file: str,
    commanded: Sequence[str] = (),
    doubts: Sequence[str] = (),
) -> str:
    """The text of the file.

    Args:
        survey: the thresholds.
        file: its name, for the command in its head.
        commanded: joints that dynamics_node is to command, in this order; empty for all joints
            with a threshold. A parameter file replaces the joints of earlier ones, and so what
            their lists are for: the node is to command the same joints with this file.
        doubts: why the thresholds may not hold; they stand at its head.

    Raises:
        ParameterError: one of these joints has no threshold.
    """
    if lacking := [name for name in commanded if name not in survey.joints]:
        raise ParameterError(
            f'{file} is not written: the parameter files have {", ".join(commanded)} in joints, '
            f'and there is no threshold of {", ".join(lacking)}: record efforts of these joints, '
            'or leave the joints out there, if dynamics_node is not to command them'
        )
    order = [survey.joints.index(name) for name in commanded or survey.joints]
    joints_of = GIVEN_JOINTS if commanded else OWN_JOINTS
    doubted = yaml_comment('Doubts of robot_dynamics thresholds:', doubts)
    return ''.join([doubted, _head(survey, file, order, joints_of), *_lines(survey, order)])


def _head(survey: ThresholdSurvey, file: str, order: list[int], joints_of: str) -> str:
    return HEAD.format(
        robot=yaml_value(survey.robot),
        seconds=survey.thresholds.seconds,
        rate=false_alarms(survey.thresholds.false_alarms_per_hour),
        speeds=', '.join(f'{speed:.2g}' for speed in survey.largest_motion[0, order]),
        margin=survey.margin,
        joints_of=joints_of,
        file=file,
        joints=yaml_value([survey.joints[row] for row in order]),
        bandwidth=yaml_value(survey.recordings[0].bandwidth[order].tolist()),
        cutoff=yaml_value(survey.cutoff),
    )


def _lines(survey: ThresholdSurvey, order: list[int]) -> Iterator[str]:
    for band, coefficients in zip(BANDS, survey.thresholds.coefficients, strict=True):
        for part, values in zip(PARTS, coefficients, strict=True):
            name = f'{band}_threshold' if part == PARTS[0] else f'{band}_threshold_{part}'
            rounded = [float(f'{value:.{DIGITS}g}') for value in values[order]]
            yield f'    {name}: {yaml_value(rounded)}\n'
