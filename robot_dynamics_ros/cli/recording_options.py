"""What subcommands that read recordings share: files, options, and where they are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel, read_joint_model
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.scheduling import Outcome, Task, run

from .description_file import files_and_arguments, read_robot, robot_of_recording, robot_of_text
from .output import Output

Command = TypeVar('Command', bound=Callable[..., Any])
JOINED = '+'


@dataclass(frozen=True)
class RecordingOptions:
    """How recordings are read; plain data, which other processes take.

    Attributes:
        urdf: text of the URDF; None: that of each recording.
        topic: of the joint states; None: /joint_states.
        rename: new names of joints by recorded ones.
        cutoff: of the low pass [Hz]; None: from the data.
        parameters: friction, offsets and rotors in place of those of the description.
    """

    urdf: str | None
    topic: str | None
    rename: Mapping[str, str]
    cutoff: float | None
    parameters: JointModel = AS_DESCRIBED

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

    def model_of(self, recording: Recording) -> tuple[RobotModel, str]:
        """The robot of a recording, and the text of its URDF.

        Raises:
            RecordingError: no URDF was given or recorded.
            ModelError: it cannot be used.
        """
        if self.urdf is not None:
            return robot_of_text(self.urdf, '--urdf')
        if not recording.descriptions:
            raise RecordingError(
                f'{recording.name}: no /robot_description was recorded: name a file with --urdf'
            )
        return robot_of_recording(recording.descriptions, recording.name)


def _with(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Give a subcommand options, in this order, each an argument of its function."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# Without --cutoff, for recordings that are not filtered; `options_of` makes `RecordingOptions`.
source_options = _with(
    click.option(
        '--urdf', type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar='FILE',
        help='URDF or xacro file. [default: the recorded /robot_description]',
    ),
    click.option(
        '--topic', metavar='TOPIC', help='Topic of the joint states. [default: /joint_states]'
    ),
    click.option(
        '--rename', multiple=True, metavar='RECORDED=NAME',
        help='Name of a joint, or beginning of names, in the URDF; may be repeated.',
    ),
)  # fmt: skip
recording_options = _with(
    source_options,
    click.option(
        '--cutoff', type=click.FloatRange(min=0.0, min_open=True), metavar='HZ',
        help='Cutoff of the low pass. [default: from the spectrum of the velocities]',
    ),
)  # fmt: skip
parameters_option = click.option(
    '--parameters', type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar='FILE',
    help='Friction, torque offsets and rotors: friction.yaml of identify, or parameters of '
    'dynamics_node. [default: friction of the description]',
)  # fmt: skip
# `Fleet` takes what they give.
fleet_options = _with(
    click.option(
        '--scheduler', metavar='ADDRESS',
        help='Dask cluster, tcp://HOST:PORT. [default: one process for each core]',
    ),
    click.option(
        '--resume', type=click.Path(file_okay=False, path_type=Path), metavar='DIR',
        help='Keep results in this folder, and compute only what it does not have.',
    ),
)  # fmt: skip


def options_of(
    urdf: Path | None,
    arguments: list[str],
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None = None,
    parameters: Path | None = None,
) -> RecordingOptions:
    """The options of a command line; arguments of xacro are `name:=value`.

    Raises:
        ParameterError: an option has another form, a name is renamed twice, or the file of
            parameters cannot be used.
        OSError: the file cannot be read.
        ModelError: the description cannot be used.
    """
    if arguments and urdf is None:
        raise ParameterError(f'{arguments[0]!r} is for a xacro file: name it with --urdf')
    text = None if urdf is None else read_robot(urdf, arguments)[1]
    given = AS_DESCRIBED if parameters is None else read_joint_model(parameters)
    renaming: dict[str, str] = {}
    for pair in rename:
        recorded, separator, name = pair.partition('=')
        if not separator:
            raise ParameterError(f'--rename {pair}: RECORDED=NAME is needed')
        if renaming.setdefault(recorded, name) != name:
            raise ParameterError(f'--rename {pair}: {recorded!r} is renamed twice')
    return RecordingOptions(text, topic, renaming, cutoff, given)


def named_recordings(words: Sequence[str]) -> tuple[dict[str, tuple[Path, ...]], list[str]]:
    """The files of each recording by its name, and the arguments of xacro (`name:=value`).

    Args:
        words: of a command line.

    Raises:
        ParameterError: no recording is named, one is named twice, or a path is empty.
    """
    bags, arguments = files_and_arguments(words)
    if not bags:
        raise ParameterError('name at least one BAG')
    files: dict[str, tuple[Path, ...]] = {}
    for name in map(str, bags):
        if name in files:
            raise ParameterError(f'{name} is named twice: name each recording once')
        files[name] = recording_files(name)
    return files, arguments


def inputs(files: Mapping[str, tuple[Path, ...]], *others: Path | None) -> list[Path]:
    """Everything that is read: the files of the recordings, and others where they are given."""
    recorded = [path for paths in files.values() for path in paths]
    return [*recorded, *(path for path in others if path is not None)]


def recording_files(word: str) -> tuple[Path, ...]:
    """The files that together are one recording: one path, or several joined by `+`.

    Args:
        word: such as `bag/`, or `positions.csv+efforts.csv`.

    Raises:
        ParameterError: a path is empty.
    """
    if JOINED not in word or Path(word).exists():
        return (Path(word),)
    parts = word.split(JOINED)
    if not all(parts):
        raise ParameterError(f'{word}: FILE+FILE is needed for files that are one recording')
    return tuple(Path(part) for part in parts)


@dataclass(frozen=True)
class Fleet:
    """Where recordings are computed.

    Attributes:
        scheduler: address of a Dask scheduler; None for processes of this machine.
        resume: folder of the results of an earlier run; None to compute all.
    """

    scheduler: str | None = None
    resume: Path | None = None

    def outcomes(
        self,
        function: Callable[..., Any],
        common: Any,
        files: Mapping[str, tuple[Path, ...]],
        output: Output,
        more: Mapping[str, tuple[Any, ...]] | None = None,
        writes: Mapping[str, Path] | None = None,
    ) -> list[Outcome]:
        """What `function(common, name, files, *more)` gives of each recording, in their order.

        A single recording is computed by this process, with progress as the argument `progress`.

        Args:
            function: of a module, with results that `scheduling.run` can keep.
            common: first argument of all.
            files: of each recording by its name.
            output: of the subcommand, for a progress bar.
            more: arguments of each recording, by its name.
            writes: file that the function writes, by the name of the recording.

        Raises:
            RobotDynamicsError: the only recording cannot be used, or no scheduler answers.
            OSError: a file cannot be read or written.
        """
        more, writes = more or {}, writes or {}
        if len(files) == 1 and self.scheduler is None and self.resume is None:
            ((name, paths),) = files.items()
            found = function(common, name, paths, *more.get(name, ()), progress=output.progress)
            return [Outcome(name, found)]
        tasks = []
        for name, paths in files.items():
            # Other processes may have other working folders.
            there = tuple(path.resolve() for path in paths)
            target = (writes[name].resolve(),) if name in writes else ()
            arguments = (name, there, *more.get(name, ()))
            tasks.append(Task(name, function, arguments, reads=there, writes=target))
        with output.progress('recordings', len(tasks), 'recordings') as advance:
            return run(
                tasks,
                common=common,
                scheduler=self.scheduler,
                resume=self.resume,
                report=lambda outcome: advance(1),
            )
