"""`robot_dynamics contacts`: what touched the robot in recordings; how they are watched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np

from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.comparison.sample_findings import check_motion
from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings, mark_recording
from robot_dynamics_ros.contacts.observation import Observation
from robot_dynamics_ros.control.external.thresholds import BANDS, NEVER, ContactThresholds
from robot_dynamics_ros.control.feedforward import check_choices
from robot_dynamics_ros.control.settings import DriverEffort, per_joint
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.parameter_yaml import errors_in, finite_number
from robot_dynamics_ros.report import contact_report
from robot_dynamics_ros.threshold_file import read_thresholds

from .options import RECORDINGS, subcommand
from .output import FILE, PAGE, Output, exit_code
from .recordings import Recordings

BANDWIDTH = 'external_bandwidth'
THRESHOLDS = tuple(f'{band}_threshold' for band in BANDS)
# Of a recording, a robot and a name: `mark_recording` or `survey_recording`.
Watch = Callable[..., Observation]


@subcommand('contacts', *RECORDINGS, 'parameters')
@click.option('--thresholds', type=FILE, metavar='FILE',
              help='Thresholds. [default: of --parameters, or the recording itself]')  # fmt: skip
@click.option('--plot', type=PAGE, metavar='FILE',
              help='Write a page with external torques and contacts, .html.')  # fmt: skip
def contacts_command(
    recordings: Recordings, thresholds: Path | None, plot: Path | None, output: Output
) -> int:
    """Find contacts in recordings: when, how, at which link, with which external torques.

    The momentum observer and the detector are those of dynamics_node. Without thresholds, they are
    eight times what the recording itself exceeds in 15 % of its time.

    Examples:
      robot_dynamics contacts bag/ --urdf arm.urdf --thresholds thresholds.yaml --plot c.html
      robot_dynamics contacts monday/*.mcap --urdf arm.urdf --parameters dynamics_node.yaml
    """
    if plot is not None and (count := len(recordings.files)) > 1:
        raise ParameterError(
            f'--plot {plot} is of one recording, {count} are named: draw each by itself'
        )
    found, failed = watched(mark_recording, recordings, output, thresholds)
    output.write_json({'recordings': [one.as_json() for one in found], 'failed': failed})
    for one in found:
        output.show(contact_report(one), plot)
    return exit_code([one for one in found if one.contacts], failed)


def watched(
    function: Watch, recordings: Recordings, output: Output, thresholds: Path | None = None
) -> tuple[list[Any], list[dict[str, Any]]]:
    """What a function finds in each recording; and for --json, which ones cannot be used."""
    settings = WatchSettings(recordings.joint_model, recordings.gravity)
    if recordings.parameters or thresholds:
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
    effort, named = values.get('driver_effort', 'torque'), values.get('contact_thresholds')
    recordings.joint_model.check_joints(robot)
    with errors_in(file):
        lists = {name: values.get(name, []) for name in ('joints', BANDWIDTH, *THRESHOLDS)}
        for name, value in lists.items():
            if not isinstance(value, list):
                raise ParameterError(f'{name} is {value!r}, a list is needed')
        joints = tuple(filter(None, lists.pop('joints'))) or robot.joint_names
        check_choices('joints', joints, robot.joint_names)
        check_choices('driver_effort', [effort], get_args(DriverEffort))
        bandwidth, *bands = (
            per_joint(name, [finite_number(name, one) for one in value], joints)
            for name, value in lists.items()
        )
        constants = (NEVER if band is None else band for band in bands)
        parts = np.moveaxis(ContactThresholds.of(len(joints), *constants).coefficients, 2, 0)
    bandwidths = {} if bandwidth is None else dict(zip(joints, bandwidth.tolist(), strict=True))
    given = [name for name in (*THRESHOLDS, 'contact_thresholds') if values.get(name)]
    given += ['--thresholds'] * bool(thresholds)
    limits = dict(zip(joints, parts, strict=True)) if given else {}
    if source := thresholds or (file.parent / str(named) if named else None):
        if len(given) > 1:
            raise ParameterError(f'{source}: thresholds are given twice, by {" and ".join(given)}')
        learned = read_thresholds(source, robot.joint_names)
        limits, bandwidths = learned.by_joint, {**bandwidths, **learned.bandwidths}
    return WatchSettings(recordings.joint_model, recordings.gravity, bandwidths, limits, effort)


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
