"""What subcommands that read recordings share: options, robots, and where they are computed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.comparison.recorded_joints import heavy_joints, joints_that_matter
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.compiler.kernel import choose_backend
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import (
    AS_DESCRIBED,
    PARAMETER,
    JointModel,
    read_joint_model,
)
from robot_dynamics_ros.parameter_yaml import node_parameters, parameter_blocks, read_yaml
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.scheduling import Outcome, outcomes

from .description_file import (
    files_and_arguments,
    newest_description,
    read_robot,
    robot_of_text,
)
from .gravity import GRAVITY, gravity_option, one_gravity
from .output import FileToRead, Output, reads

# The files of each recording, by its name.
Files = Mapping[str, tuple[Path, ...]]
JOINED = '+'
# Of --help.
BAGS = """Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that
are one recording together are joined by +. A xacro file takes arguments, name:=value."""
# Times the usual interval: what comes more rarely would take samples from the others.
MORE_RARELY = 1.1
# What `recording_options` gives by name.
OPTIONS: Mapping[str, Callable[[Any], Any]] = {
    'words': click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...'),
    'urdf': click.option(
        '--urdf', type=FileToRead(exists=True, dir_okay=False), metavar='FILE',
        help='URDF or xacro file. [default: the recorded /robot_description]',
    ),
    'topic': click.option(
        '--topic', metavar='TOPIC', help='Topic of the joint states. [default: /joint_states]'
    ),
    'rename': click.option(
        '--rename', multiple=True, metavar='RECORDED=NAME',
        help='Name of a joint, or beginning of names, in the URDF; may be repeated.',
    ),
    'cutoff': click.option(
        '--cutoff', type=click.FloatRange(min=0.0, min_open=True), metavar='HZ',
        help='Cutoff of the low pass. [default: from the spectrum of the velocities]',
    ),
    'parameters': click.option(
        '--parameters', type=FileToRead(exists=True, dir_okay=False), metavar='FILE',
        help='Friction, torque offsets and rotors: friction.yaml of identify, or parameters of '
        'dynamics_node. [default: friction of the description]',
    ),
    'gravity': gravity_option('that of --parameters, or '),
    'scheduler': click.option(
        '--scheduler', metavar='ADDRESS',
        help='Dask cluster, tcp://HOST:PORT. [default: one process for each core]',
    ),
}  # fmt: skip


def recording_options(*more: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a subcommand BAG, --urdf, --topic, --rename, --gravity and more of `OPTIONS`.

    Its function takes them as one argument `recordings`, a NamedRecordings.
    """
    names = ('words', 'urdf', 'topic', 'rename', 'gravity', *more)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_recordings(**values: Any) -> Any:
            own = {name: values.pop(name) for name in names}
            return command(recordings=NamedRecordings(**own), **values)

        for name in reversed(names):
            with_recordings = OPTIONS[name](with_recordings)
        return with_recordings

    return decorate


@dataclass(frozen=True)
class RecordingOptions:
    """How recordings are read; plain data, which other processes take.

    Attributes:
        urdf: text of the URDF; None: that of each recording.
        topic: of the joint states; None: /joint_states.
        rename: new names of joints by recorded ones.
        cutoff: of the low pass [Hz]; None: from the data.
        parameters: friction, offsets and rotors in place of those of the description.
        gravity: (3,) in the axes of the root link [m/s^2].
    """

    urdf: str | None
    topic: str | None
    rename: Mapping[str, str]
    cutoff: float | None = None
    parameters: JointModel = AS_DESCRIBED
    gravity: Sequence[float] = STANDARD_GRAVITY

    def open(
        self,
        files: Sequence[Path],
        model: RobotModel | None = None,
        joints: Sequence[str] | None = None,
    ) -> Recording:
        """A recording, read as these options say; see `Recording.read`."""
        return Recording.read(
            files, model, joints=joints, topic=self.topic, rename=self.rename, cutoff=self.cutoff
        )


@dataclass
class NamedRecordings:
    """The recordings that a command line names, with the values of `OPTIONS`.

    Attributes:
        files: of each recording by its name.
    """

    words: Sequence[str]
    urdf: Path | None
    topic: str | None
    rename: Sequence[str]
    cutoff: float | None = None
    parameters: Path | None = None
    gravity: str | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """Read nothing yet.

        Raises:
            ParameterError: no recording is named, one is named twice, a path is empty, or a file
                would be replaced.
        """
        bags, self._arguments = files_and_arguments(self.words)
        if not bags:
            raise ParameterError('name at least one BAG')
        self.files = named_files(map(str, bags))

    @property
    def read(self) -> list[Path]:
        """All files that are read."""
        recorded = [path for paths in self.files.values() for path in paths]
        return [*recorded, *filter(None, [self.urdf, self.parameters])]

    def options(self, *, joint_model: bool = True) -> RecordingOptions:
        """How the recordings are read; arguments of xacro are `name:=value`.

        Args:
            joint_model: whether --parameters is read here, for a joint model and gravity.

        Raises:
            ParameterError: an option has another form, a name is renamed twice, the file of
                parameters cannot be used, or gravity is given twice and differs.
            OSError: the file cannot be read.
            ModelError: the description cannot be used.
        """
        backend, said = choose_backend(None)
        if backend == 'python':
            Output().warning(said)
        if self._arguments and self.urdf is None:
            raise ParameterError(
                f'{self._arguments[0]!r} is for a xacro file: name it with --urdf'
            )
        renaming: dict[str, str] = {}
        for pair in self.rename:
            recorded, separator, name = pair.partition('=')
            if not separator or not recorded:
                raise ParameterError(f'--rename {pair}: RECORDED=NAME is needed')
            if renaming.setdefault(recorded, name) != name:
                raise ParameterError(f'--rename {pair}: {recorded!r} is renamed twice')
        return RecordingOptions(
            urdf=None if self.urdf is None else read_robot(self.urdf, self._arguments)[1],
            topic=self.topic,
            rename=renaming,
            cutoff=self.cutoff,
            **(self._parameters() if joint_model else {}),
        )

    def _parameters(self) -> dict[str, Any]:
        """Joint model and gravity; a file for the node may have both, or one of them."""
        file = self.parameters
        blocks = parameter_blocks(read_yaml(file)) if file else []
        values = node_parameters(blocks, [PARAMETER, GRAVITY]) if blocks else {}
        gravity_alone = GRAVITY in values and not values.get(PARAMETER)
        return {
            'gravity': one_gravity(self.gravity, file, values),
            'parameters': read_joint_model(file) if file and not gravity_alone else AS_DESCRIBED,
        }

    def outcomes(
        self,
        function: Callable[..., Any],
        common: Any,
        output: Output,
        targets: Mapping[str, Path] | None = None,
    ) -> dict[str, Outcome]:
        """What `function(common, name, files)` gives of each recording, by its name.

        A single recording is computed by this process, with progress as the argument `progress`.

        Args:
            function: of a module: of `common`, the name of the recording in results, and the files
                that together are it.
            common: first argument of all.
            output: of the subcommand, for a progress bar.
            targets: file that the function writes, its fourth argument, by the name of the
                recording; None for a function that writes none.

        Raises:
            RobotDynamicsError: the only recording cannot be used, or no scheduler answers.
            OSError: a file cannot be read or written.
        """
        own = {name: [targets[name]] if targets else [] for name in self.files}
        if len(self.files) == 1 and self.scheduler is None:
            ((name, paths),) = self.files.items()
            result = function(common, name, paths, *own[name], progress=output.progress)
            return {name: Outcome(result)}
        calls = [
            # Other processes may have other working folders.
            (
                name,
                tuple(path.resolve() for path in paths),
                *(file.resolve() for file in own[name]),
            )
            for name, paths in self.files.items()
        ]
        with output.progress('recordings', len(calls), 'recordings') as advance:
            call = functools.partial(_of_arguments, function, common)
            found = outcomes(call, calls, self.scheduler, lambda future: advance(1))
        return {
            name: Outcome(error=f'{name}: {one.error}')
            if one.error and name not in one.error
            else one
            for name, one in zip(self.files, found, strict=True)
        }


def _of_arguments(function: Callable[..., Any], common: Any, arguments: tuple[Any, ...]) -> Any:
    return function(common, *arguments)


def named_files(words: Iterable[str]) -> Files:
    """The files that together are a recording, one path or several joined by `+`, by its name.

    Args:
        words: such as `bag/`, or `positions.csv+efforts.csv`.

    Raises:
        ParameterError: one is named twice, a path is empty, or a file would be replaced.
    """
    files: dict[str, tuple[Path, ...]] = {}
    for word in words:
        if word in files:
            raise ParameterError(f'{word} is named twice: name each recording once')
        parts = [word] if Path(word).exists() else word.split(JOINED)
        if not all(parts):
            raise ParameterError(f'{word}: FILE+FILE is needed for files that are one recording')
        files[word] = tuple(map(Path, parts))
        reads(*files[word])
    return files


def recorded_robot(
    options: RecordingOptions, files: Sequence[Path]
) -> tuple[str, RobotModel, tuple[str, ...]]:
    """URDF, robot, and its joints that were recorded.

    Args:
        options: of the recording.
        files: that together are the recording.

    Raises:
        RecordingError: the recording cannot be used, or no URDF was given or recorded.
        ModelError: the description cannot be used.
        ParameterError: the robot has no moving joint.
    """
    recording = options.open(files)
    recorded = f'{recording.name}: /robot_description'
    urdf, source = options.urdf, '--urdf'
    if urdf is None:
        urdf, source = newest_description(recording.descriptions, recording.name), recorded
    if urdf is None:
        raise RecordingError(f'{recorded} was not recorded: name a file with --urdf')
    model = robot_of_text(urdf, source)
    if not model.size:
        raise ParameterError(f'robot {model.name!r} has no moving joint: nothing to compute')
    joints = needed_joints(model, recording)
    if not joints:
        # A renaming is offered.
        options.open(files, joints=model.joint_names)
        joints = model.joint_names
    return urdf, model, joints


def needed_joints(model: RobotModel, recording: Recording) -> tuple[str, ...]:
    """Joints of the robot that are to be read, in the order of the robot.

    They are those of the messages that have most joints. Those of other messages, such as of
    another driver, are merged with them if a joint there matters to these, or moves much mass and
    does not come more rarely: neither holds for a finger.

    Args:
        model: of the whole robot.
        recording: of its joints.
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
