"""What contacts and thresholds share: how recordings are watched, as the node would do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.comparison.sample_findings import check_motion
from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings
from robot_dynamics_ros.contacts.observation import Observation
from robot_dynamics_ros.control.external.thresholds import BANDS, NEVER, ContactThresholds
from robot_dynamics_ros.control.feedforward import check_choices
from robot_dynamics_ros.control.settings import DriverEffort, per_joint
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.parameter_yaml import errors_in, finite_number
from robot_dynamics_ros.threshold_file import read_thresholds

from .output import Output
from .recordings import Recordings

THRESHOLDS = tuple(f'{band}_threshold' for band in BANDS)
# Of a recording, a robot and a name: `mark_recording` or `survey_recording`.
Watch = Callable[..., Observation]


def watched(
    function: Watch, recordings: Recordings, output: Output, thresholds: Path | None = None
) -> tuple[list[Any], list[dict[str, Any]]]:
    """What a function finds in each recording; and for --json, which ones cannot be used."""
    settings = WatchSettings(recordings.joint_model, recordings.gravity)
    if recordings.values or thresholds:
        # Without --urdf, the robot is that of the first recording.
        _, robot, _ = recordings.robot(next(iter(recordings.files)))
        settings = watch_settings(robot, recordings, thresholds)
    outcomes = recordings.outcomes(partial(watch, function, settings))
    failed = [{'file': name, 'error': one.error} for name, one in outcomes.items() if one.error]
    for one in failed:
        output.error(one['error'])
    found = [one.result for one in outcomes.values() if not one.error]
    for each in found:
        if each.locked:
            output.warning(f'{each.name}: {each.locked}')
    return found, failed


def watch_settings(
    robot: RobotModel, recordings: Recordings, thresholds: Path | None = None
) -> WatchSettings:
    """What files say of friction, observer and thresholds; a parameter may name their file."""
    file, values = recordings.parameters or Path(), recordings.values
    effort, named = (values.get(key) for key in ('driver_effort', 'contact_thresholds'))
    recordings.joint_model.check_joints(robot)
    with errors_in(file):
        joints = tuple(filter(None, _listed('joints', values))) or robot.joint_names
        check_choices('joints', joints, robot.joint_names)
        check_choices('driver_effort', [effort or 'torque'], get_args(DriverEffort))
        bandwidth, *bands = (
            per_joint(name, [finite_number(name, one) for one in _listed(name, values)], joints)
            for name in ('external_bandwidth', *THRESHOLDS)
        )
        constants = [NEVER if band is None else band for band in bands]
        coefficients = np.moveaxis(
            ContactThresholds.of(len(joints), *constants).coefficients, 2, 0
        )
    bandwidths = {} if bandwidth is None else dict(zip(joints, bandwidth.tolist(), strict=True))
    given = [name for name in (*THRESHOLDS, 'contact_thresholds') if values.get(name)]
    given += ['--thresholds'] * bool(thresholds)
    limits = dict(zip(joints, coefficients, strict=True)) if given else {}
    if source := thresholds or (file.parent / str(named) if named else None):
        if len(given) > 1:
            raise ParameterError(f'{source}: thresholds are given twice, by {" and ".join(given)}')
        learned = read_thresholds(source, robot.joint_names)
        limits, bandwidths = learned.by_joint, {**bandwidths, **learned.bandwidths}
    return WatchSettings(
        recordings.joint_model, recordings.gravity, bandwidths, limits, effort or 'torque'
    )


def _listed(name: str, values: Mapping[str, Any]) -> list[Any]:
    """A parameter of the node that is a list; empty where a file says nothing."""
    if not isinstance(given := values.get(name, []), list):
        raise ParameterError(f'{name} is {given!r}, a list is needed')
    return given


def watch(function: Watch, settings: WatchSettings, recordings: Recordings, name: str) -> Any:
    """What a function finds in a recording, whose other joints are locked."""
    _, whole, joints = recordings.robot(name)
    locked = tuple(joint for joint in whole.joint_names if joint not in joints)
    missing = joints_that_matter(whole, joints)
    robot = WatchedRobot(compared_model(whole, joints), settings, locked, missing)
    recording = recordings.open(name, joints=robot.model.joint_names)
    # Of velocities of something else, the observer would make external torques.
    check_motion(name, robot.model, recording)
    return function(recording, robot, name)


def frequencies(found: Observation) -> str:
    """Bandwidth of the observer of all joints, or the lowest and the highest."""
    low, high = found.bandwidth.min(), found.bandwidth.max()
    return f'{low:.3g} Hz' if low == high else f'{low:.3g} to {high:.3g} Hz'
