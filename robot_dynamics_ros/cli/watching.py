"""What contacts and thresholds share: how recordings are watched, as the node would do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import numpy as np

from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.comparison.sample_findings import Reach, check_motion
from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings
from robot_dynamics_ros.contacts.observation import Observation
from robot_dynamics_ros.control.external.thresholds import BANDS, NEVER
from robot_dynamics_ros.control.feedforward import check_choices
from robot_dynamics_ros.control.settings import DriverEffort
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, PARAMETER, read_joint_model
from robot_dynamics_ros.parameter_yaml import (
    errors_in,
    finite_number,
    node_parameters,
    parameter_blocks,
    read_yaml,
)
from robot_dynamics_ros.threshold_file import read_thresholds

from .gravity import GRAVITY, one_gravity
from .output import Output, ShowProgress, no_progress
from .recordings import NamedRecordings, RecordingOptions, recorded_robot

THRESHOLDS = tuple(f'{band}_threshold' for band in BANDS)
# Of a recording, a robot, a name and what takes numbers of states that are done.
Watch = Callable[..., Observation]
# Parameters of dynamics_node: what they are where a file does not have them,
DEFAULTS: dict[str, Any] = {
    PARAMETER: '',
    'joints': [],
    GRAVITY: list(STANDARD_GRAVITY),
    'external_bandwidth': [],
    **{name: [] for name in THRESHOLDS},
    'contact_thresholds': '',
    'driver_effort': 'torque',
}
# what is needed instead of another type,
NEEDED = {str: 'a text', list: 'a list'}
# and those of no other node, from which a block for it is known.
OWN = DEFAULTS.keys() - {'joints', GRAVITY}


def watched(
    function: Watch, recordings: NamedRecordings, output: Output, thresholds: Path | None = None
) -> tuple[list[Any], list[dict[str, Any]]]:
    """What a function finds in each recording; and for --json, which ones cannot be used.

    Args:
        function: of a module: `mark_recording` or `survey_recording`.
        recordings: of the command line.
        output: of the subcommand.
        thresholds: file of `robot_dynamics thresholds`; None for none.

    Raises:
        ParameterError: a file is not what its option takes, or thresholds are given twice.
        RobotDynamicsError: the only recording, or the URDF, cannot be used.
        OSError: a file cannot be read.
    """
    options = recordings.options(joint_model=False)
    settings = WatchSettings(gravity=one_gravity(recordings.gravity))
    if recordings.parameters or thresholds:
        # Without --urdf, the robot is that of the first recording.
        _, robot, _ = recorded_robot(options, next(iter(recordings.files.values())))
        settings = watch_settings(robot, recordings.parameters, thresholds, recordings.gravity)
    outcomes = recordings.outcomes(watch, (options, settings, function), output)
    failed = []
    for name, one in outcomes.items():
        if one.error:
            output.error(one.error)
            failed.append({'file': name, 'error': one.error})
    found = [one.result for one in outcomes.values() if not one.error]
    for one in found:
        if one.locked:
            output.warning(f'{one.name}: {one.locked}')
    return found, failed


def watch_settings(
    robot: RobotModel,
    parameters: Path | None,
    thresholds: Path | None = None,
    gravity: str | None = None,
) -> WatchSettings:
    """What files say of friction, observer and thresholds.

    Args:
        robot: the whole one.
        parameters: friction.yaml, or as dynamics_node takes it with --params-file. Its lists are
            for its `joints`, or for all of the robot.
        thresholds: file of `robot_dynamics thresholds`; None: that which the parameters name.
        gravity: value of --gravity; None where it is not given.

    Raises:
        ParameterError: a file is not one, a value is not what the parameter takes, it is for
            another robot, or thresholds or gravity are given twice.
    """
    of_file = _parameters(parameters) if parameters else {}
    values = {**DEFAULTS, **of_file}
    with errors_in(parameters or ''):
        for name, default in DEFAULTS.items():
            if type(values[name]) is not type(default):
                needed = NEEDED[type(default)]
                raise ParameterError(f'{name} is {values[name]!r}, {needed} is needed')
        joints = tuple(filter(None, values['joints'])) or robot.joint_names
        if len(set(joints)) < len(joints) or not {*joints} <= {*robot.joint_names}:
            raise ParameterError(
                f'joints is {", ".join(map(str, joints))}: each is named once, and is one of the '
                f'robot: {", ".join(robot.joint_names)}'
            )
        check_choices('driver_effort', [values['driver_effort']], get_args(DriverEffort))
        bandwidth = _by_joint('external_bandwidth', values, joints)
        lists = {name: _by_joint(name, values, joints) for name in THRESHOLDS}
    chosen = one_gravity(gravity, parameters, of_file)
    limits = {
        joint: np.array([[each.get(joint, NEVER), 0.0, 0.0] for each in lists.values()])
        for joint in joints
        if any(lists.values())
    }
    folder, named = parameters.parent if parameters else Path(), values['contact_thresholds']
    if file := thresholds or (folder / named if named else None):
        given = [name for name, each in lists.items() if each]
        given += ['contact_thresholds'] * bool(named) + ['--thresholds'] * bool(thresholds)
        if len(given) > 1:
            raise ParameterError(f'{file}: thresholds are given twice, by {" and ".join(given)}')
        learned = read_thresholds(file, robot.joint_names)
        limits, bandwidth = learned.by_joint, {**bandwidth, **learned.bandwidths}
    model = read_joint_model(folder / values[PARAMETER]) if values[PARAMETER] else AS_DESCRIBED
    model.check_joints(robot)
    return WatchSettings(model, chosen, bandwidth, limits, values['driver_effort'])


def _parameters(file: Path) -> dict[str, Any]:
    """All values for dynamics_node in a file."""
    content = read_yaml(file)
    if isinstance(content, dict) and isinstance(content.get('joints'), dict):
        # friction.yaml itself.
        return {PARAMETER: file.name}
    with errors_in(file):
        return node_parameters(parameter_blocks(content), OWN)


def _by_joint(name: str, values: Mapping[str, Any], joints: Sequence[str]) -> dict[str, float]:
    """One value for each joint, or one for all; empty where the list is."""
    given = values[name]
    if len(given) not in (0, 1, len(joints)):
        raise ParameterError(
            f'{name} is {given!r}, a list of one number for each of the {len(joints)} joints is '
            'needed, or of one for all'
        )
    numbers = [finite_number(name, each) for each in given]
    by_joint = dict(
        zip(joints, numbers * len(joints) if len(numbers) == 1 else numbers, strict=False)
    )
    for joint, value in by_joint.items():
        if value <= 0.0:
            raise ParameterError(f'{name} of {joint} is {value:g}, it must be greater than 0')
    return by_joint


def watch(
    common: tuple[RecordingOptions, WatchSettings, Watch],
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress = no_progress,
) -> Observation:
    """What a function finds in a recording.

    Args:
        common: how recordings are read, settings of observer and detector, and the function.
        name: of the recording in results.
        files: that together are the recording.
        progress: shows how far it is.

    Raises:
        RobotDynamicsError: recording or URDF cannot be used.
    """
    read, settings, function = common
    robot = watched_robot(read, files, settings)
    recording = read.open(files, joints=robot.model.joint_names)
    with progress(name, recording.size, 'states') as advance:
        reach = Reach(robot.model.size)
        # What is too short for the filter is not judged; damaged files are named where they are
        # read.
        with suppress(RecordingError):
            for motion in recording.motions(efforts=False):
                reach.add(motion)
        # Of velocities of something else, the observer would make external torques.
        check_motion(name, robot.model, reach, recording.quality)
        return function(recording, robot, name, advance)


def watched_robot(
    options: RecordingOptions, files: Sequence[Path], settings: WatchSettings
) -> WatchedRobot:
    """The robot of a recording, whose other joints are locked; raises as `watch`."""
    _, robot, joints = recorded_robot(options, files)
    locked = tuple(name for name in robot.joint_names if name not in joints)
    missing = joints_that_matter(robot, joints)
    return WatchedRobot(compared_model(robot, joints), settings, locked, missing)


def frequencies(found: Observation) -> str:
    """Bandwidth of the observer of all joints, or the lowest and the highest."""
    low, high = found.bandwidth.min(), found.bandwidth.max()
    return f'{low:.3g} Hz' if low == high else f'{low:.3g} to {high:.3g} Hz'
