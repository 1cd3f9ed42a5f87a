"""What subcommands that read recordings share: options, robots, and where they are computed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.comparison.recorded_joints import heavy_joints, joints_that_matter
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.compiler.kernel import choose_backend
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, PARAMETER, JointModel, read_joint_model
from robot_dynamics_ros.parameter_yaml import (
    errors_in,
    node_parameters,
    parameter_blocks,
    read_yaml,
)
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.scheduling import Outcome, outcomes

from .description_file import (
    Vector,
    files_and_arguments,
    gravity_of,
    gravity_option,
    newest_description,
    read_robot,
    robot_of_text,
)
from .output import FILE, Command, Output, named_values, reads

# The files of each recording, by its name.
Files = Mapping[str, tuple[Path, ...]]
# Of --help.
BAGS = """BAG: a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are
one recording together are joined by +. A xacro file takes arguments, name:=value."""
# Times the usual interval: what comes more rarely would take samples from the others.
MORE_RARELY = 1.1
# Parameters of dynamics_node that no other node has.
OF_NODE = (PARAMETER, 'external_bandwidth', 'collision_threshold', 'push_threshold',
           'contact_thresholds', 'driver_effort')  # fmt: skip
# What `recording_options` gives by name.
OPTIONS: Mapping[str, Callable[[Any], Any]] = {
    'words': click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...'),
    'urdf': click.option(
        '--urdf', type=FILE, metavar='FILE',
        help='URDF or xacro file. [default: the recorded /robot_description]'),
    'topic': click.option(
        '--topic', metavar='TOPIC', help='Topic of the joint states. [default: /joint_states]'),
    'rename': click.option(
        '--rename', multiple=True, metavar='RECORDED=NAME',
        help='Name of a joint, or beginning of names, in the URDF; may be repeated.'),
    'gravity': gravity_option(None, ' [default: that of --parameters, or 0,0,-9.81]'),
    'cutoff': click.option(
        '--cutoff', type=click.FloatRange(min=0.0, min_open=True), metavar='HZ',
        help='Cutoff of the low pass. [default: from the spectrum of the velocities]'),
    'parameters': click.option(
        '--parameters', type=FILE, metavar='FILE',
        help='Friction, torque offsets and rotors: friction.yaml of identify, or parameters of '
        'dynamics_node. [default: friction of the description]'),
    'scheduler': click.option(
        '--scheduler', metavar='ADDRESS',
        help='Dask cluster, tcp://HOST:PORT. [default: one process for each core]'),
}  # fmt: skip


@dataclass(frozen=True)
class Recordings:
    """Recordings of a command line, and how they are read; plain data."""

    files: Files  #: of each recording by its name
    urdf: str | None = None  #: text of the URDF; None: that of each recording
    topic: str | None = None  #: of the joint states; None: /joint_states
    rename: Mapping[str, str] = field(default_factory=dict)  #: new names by recorded ones
    cutoff: float | None = None  #: of the low pass [Hz]; None: from the data
    joint_model: JointModel = AS_DESCRIBED  #: friction, offsets, rotors instead of the URDF's
    gravity: Vector = STANDARD_GRAVITY  #: (3,) in the axes of the root link [m/s^2]
    values: Mapping[str, Any] = field(default_factory=dict)  #: of dynamics_node in `parameters`
    urdf_file: Path | None = None  #: of --urdf
    parameters: Path | None = None  #: file of --parameters
    scheduler: str | None = None  #: address of a Dask cluster

    def open(
        self, name: str, model: RobotModel | None = None, joints: Sequence[str] | None = None
    ) -> Recording:
        """A recording, read as the options say; see `Recording.read`."""
        return Recording.read(
            self.files[name], model,
            joints=joints, topic=self.topic, rename=self.rename, cutoff=self.cutoff,
        )  # fmt: skip

    def robot(self, name: str) -> tuple[str, RobotModel, tuple[str, ...]]:
        """URDF and robot of a recording, and its joints that are to be read."""
        recording = self.open(name)
        source = f'{recording.name}: /robot_description'
        urdf = self.urdf or newest_description(recording.descriptions, recording.name)
        if urdf is None:
            raise RecordingError(f'{source} was not recorded: name a file with --urdf')
        model = robot_of_text(urdf, '--urdf' if self.urdf else source)
        if not model.size:
            raise ParameterError(f'robot {model.name!r} has no moving joint: nothing to compute')
        joints = needed_joints(model, recording)
        if not joints:
            # A renaming is offered.
            self.open(name, joints=model.joint_names)
        return urdf, model, joints or model.joint_names

    def outcomes(self, function: Callable[..., Any]) -> dict[str, Outcome]:
        """What `function(recordings, name)` gives of each recording, by its name.

        The function is one of a module, for other processes; its errors are outcomes. A single
        recording is computed by this process, and its errors are raised.
        """
        if len(self.files) == 1 and self.scheduler is None:
            (name,) = self.files
            return {name: Outcome(function(self, name))}
        # Other processes may have other working folders.
        files = {name: tuple(map(Path.absolute, paths)) for name, paths in self.files.items()}
        call = functools.partial(function, replace(self, files=files))
        return dict(zip(files, outcomes(call, [*files], self.scheduler), strict=True))


def recording_options(*more: str) -> Callable[[Command], Command]:
    """Give a subcommand BAG, --urdf, --topic, --rename, --gravity and more of `OPTIONS`."""
    names = ('words', 'urdf', 'topic', 'rename', 'gravity', *more)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_recordings(**values: Any) -> Any:
            own = {name: values.pop(name) for name in names}
            return command(recordings=recordings_of(**own), **values)

        with_recordings.__doc__ = f'{inspect.getdoc(command)}\n\n{BAGS}'
        for name in reversed(names):
            with_recordings = OPTIONS[name](with_recordings)
        return with_recordings

    return decorate


def recordings_of(
    words: Sequence[str],
    urdf: Path | None,
    rename: Sequence[str],
    gravity: Vector | None,
    parameters: Path | None = None,
    **others: Any,
) -> Recordings:
    """What the options say."""
    backend, said = choose_backend(None)
    if backend == 'python':
        Output().warning(said)
    bags, arguments = files_and_arguments(words)
    if not bags:
        raise ParameterError('name at least one BAG')
    if arguments and urdf is None:
        raise ParameterError(f'{arguments[0]!r} is for a xacro file: name it with --urdf')
    reads(*filter(None, [urdf, parameters]))
    values = _node_values(parameters) if parameters else {}
    chosen = gravity or STANDARD_GRAVITY
    if 'gravity' in values:
        chosen = gravity_of(f'gravity of {parameters}', values['gravity'])
        if gravity not in (None, chosen):
            raise ParameterError(
                f'--gravity is {gravity}, that of {parameters} {chosen} m/s^2: give one of them'
            )
    with_joints = parameters and values.get(PARAMETER)
    return Recordings(
        named_files(map(str, bags)),
        read_robot(urdf, arguments)[1] if urdf else None,
        rename=named_values('--rename', 'RECORDED=NAME', rename, str),
        joint_model=read_joint_model(parameters) if with_joints else AS_DESCRIBED,
        gravity=chosen,
        values=values,
        urdf_file=urdf,
        parameters=parameters,
        **others,
    )


def _node_values(file: Path) -> dict[str, Any]:
    """Parameters of dynamics_node in a file; friction.yaml is its `joint_model`."""
    content = read_yaml(file)
    if isinstance(content, dict) and isinstance(content.get('joints'), dict):
        return {PARAMETER: file.name}
    with errors_in(file):
        return node_parameters(parameter_blocks(content), OF_NODE)


def named_files(words: Iterable[str]) -> Files:
    """The files that together are a recording, one path or several joined by `+`, by its name."""
    files: dict[str, tuple[Path, ...]] = {}
    for word in words:
        if word in files:
            raise ParameterError(f'{word} is named twice: name each recording once')
        parts = [word] if Path(word).exists() else word.split('+')
        if not all(parts):
            raise ParameterError(f'{word}: FILE+FILE is needed for files that are one recording')
        files[word] = tuple(map(Path, parts))
        reads(*files[word])
    return files


def needed_joints(model: RobotModel, recording: Recording) -> tuple[str, ...]:
    """Joints of the robot that are to be read, in the order of the robot.

    They are those of the messages that have most joints. Those of other messages, such as of
    another driver, are merged with them if a joint there matters to these, or moves much mass and
    does not come more rarely: neither holds for a finger.
    """
    read = tuple(name for name in model.joint_names if name in recording.joints)
    matter = set(joints_that_matter(model, read) if read else model.joint_names)
    heavy = set(heavy_joints(model, read))
    joints = set(read)
    for kind, interval in recording.kinds.items():
        as_often = interval < MORE_RARELY * recording.interval
        if matter.intersection(kind) or (as_often and heavy.intersection(kind)):
            joints.update(kind)
    return tuple(name for name in model.joint_names if name in joints)
