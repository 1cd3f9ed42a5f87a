"""How to play and to record an excitation motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robot_dynamics_ros.identification.excitation.excited_motion import Excitation

# A longer argument is refused by Linux [B].
LONGEST_ARGUMENT = 131_072
NODE, CONTROLLER = '/robot_dynamics', '/joint_trajectory_controller'
MESSAGE = 'trajectory_msgs/msg/JointTrajectory'
ACTION = 'control_msgs/action/FollowJointTrajectory'
RECORD = 'ros2 bag record -o recording /joint_states /robot_description'


def remarks(excitation: Excitation, held: Mapping[str, float]) -> list[str]:
    """What a reader of the file must know."""
    band = excitation.band
    said = [
        f'Excitation of {excitation.model.name} by robot_dynamics excite: '
        f'{excitation.settings.duration:g} s, {band.harmonics} harmonics of '
        f'{band.frequency:g} Hz, seed {excitation.settings.seed}.',
        start_of(excitation),
        'Only the robot itself and the floor were considered, not what stands around it.',
        f'Geometry: {excitation.clearance.words}.',
        *(f'Not checked: {one}.' for one in excitation.clearance.unchecked),
    ]
    if held:
        positions = ', '.join(f'{name} {value:.6g}' for name, value in held.items())
        said.append(f'Other joints stay at: {positions}.')
    return said


def start_of(excitation: Excitation) -> str:
    """Where the robot must be before the motion is played."""
    names = excitation.model.joint_names
    pairs = zip(names, excitation.series.start, strict=True)
    positions = ', '.join(f'{name} {position:.6f}' for name, position in pairs)
    return (
        f'Starts and ends at rest at {positions}. Move the robot there before: a controller '
        'that is elsewhere jumps to the start.'
    )


def instructions(excitation: Excitation, trajectory: Path, goal: Path | None) -> Iterator[str]:
    """The steps from the file to a recording."""
    yield f'{trajectory}: {len(excitation.times)} points'
    yield f'1. {start_of(excitation)} Its way there is not checked: plan it.'
    yield f'2. Record: {RECORD}'
    if goal is None:
        yield (
            f'3. Play: ros2 topic pub --once {CONTROLLER}/joint_trajectory {MESSAGE} '
            f'{_content(trajectory)} (--goal writes a goal for {NODE}, which adds efforts)'
        )
    else:
        yield (
            f'3. Play: ros2 action send_goal {NODE}/follow_joint_trajectory {ACTION} '
            f'{_content(goal)}'
        )
    yield '4. End the recording when the robot rests, and identify it.'


def _content(file: Path) -> str:
    """A file as an argument of a command, or its stdin where that is too long."""
    if file.is_file() and file.stat().st_size < LONGEST_ARGUMENT:
        return f'"$(cat {file})"'
    return f'--stdin < {file}'
