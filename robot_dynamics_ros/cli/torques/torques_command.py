"""`robot_dynamics torques`: the torques of a model along recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.recordings.writers import ENDINGS
from robot_dynamics_ros.scheduling import Outcome

from ..exit_codes import CANNOT_BE_USED, FINDINGS, GOOD
from ..fleet_options import Fleet, fleet_options
from ..output import Output, Subcommand, output_options
from ..recording_files import inputs, named_recordings
from ..recording_options import (
    RecordingOptions,
    options_of,
    parameters_option,
    recording_options,
)
from .torque_targets import torque_targets
from .torques_task import write_torques
from .torques_tasks import torques_tasks

HELP = """Write the torques that a model needs for the motion of recordings.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are one
recording together are joined by +. Position, velocity and acceleration are low-pass filtered
without a delay; inverse dynamics of the model along them gives
torques and their parts: gravity, Coriolis, inertia, and the friction of the URDF. A xacro file
takes arguments, name:=value.

\b
What is written, by the ending:
  .mcap     the recorded states, and beside them for PlotJuggler and Foxglove
            /model/torques, /model/gravity, /model/coriolis, /model/inertia, /model/friction
  .csv      one row for each sample; .csv.gz is compressed
  .parquet  the same table

\b
Examples:
  robot_dynamics torques bag/ --urdf arm.urdf --output arm_torques.mcap
  robot_dynamics torques monday/*.mcap --urdf arm.urdf --output torques/ --format parquet
  robot_dynamics torques /data/*/ --output /data/torques --scheduler tcp://10.0.0.1:8786 \\
      --resume /data/torques/results

Exit code 1: a recording is not in rad and m. 2: a recording cannot be used.
"""


@click.command('torques', cls=Subcommand, help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@recording_options
@parameters_option
@click.option(
    '--output', 'target', type=click.Path(path_type=Path), default=Path(), metavar='PATH',
    help='File, or folder for files NAME_torques.ENDING. [default: this folder]',
)  # fmt: skip
@click.option(
    '--format', 'kind', type=click.Choice([ending[1:] for ending in ENDINGS]), default='mcap',
    show_default=True, help='Format of files in a folder.',
)  # fmt: skip
@fleet_options
@output_options
def torques_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None,
    parameters: Path | None,
    target: Path,
    kind: str,
    scheduler: str | None,
    jobs: int | None,
    resume: Path | None,
    output: Output,
) -> int:
    """Compute each recording, and print one line for it."""
    files, arguments = named_recordings(words)
    targets = torque_targets(files, target, kind)
    output.check_files(inputs(files, urdf, parameters), {'--output': targets})
    options = options_of(urdf, arguments, topic, rename, cutoff, parameters)
    outcomes = _outcomes(options, files, targets, Fleet(scheduler, jobs, resume), output)
    return _report(outcomes, targets, output)


def _outcomes(
    options: RecordingOptions,
    files: dict[str, tuple[Path, ...]],
    targets: Sequence[Path],
    fleet: Fleet,
    output: Output,
) -> list[Outcome]:
    with torques_tasks(files, targets, fleet) as tasks:
        if len(tasks) == 1 and not tasks[0].parts and fleet.is_here:
            ((name, paths),) = files.items()
            result = write_torques(options, name, paths, targets[0], progress=output.progress)
            return [Outcome(name, result)]
        return fleet.run('torques', tasks, options, output, 'recordings')


def _report(outcomes: Sequence[Outcome], targets: Sequence[Path], output: Output) -> int:
    rows = []
    for outcome, target in zip(outcomes, targets, strict=True):
        rows.append(_row(outcome, target))
        if outcome.error:
            output.error(_reason(outcome))
        output.line(_line(outcome, target))
        for remark in () if outcome.error else _remarks(outcome.result):
            output.line(f'  {remark}')
    failed = sum(bool(outcome.error) for outcome in outcomes)
    if len(outcomes) > 1:
        written = len(outcomes) - failed
        output.line(f'{len(outcomes)} recordings: {written} written, {failed} failed')
    output.write_json({'recordings': rows})
    if failed:
        return CANNOT_BE_USED
    found = any(outcome.result['findings'] for outcome in outcomes)
    return FINDINGS if found else GOOD


def _remarks(result: Mapping[str, Any]) -> list[str]:
    """What is wrong with a recording, one line each."""
    return [*(finding['message'] for finding in result['findings']), *result['remarks']]


def _row(outcome: Outcome, target: Path) -> dict[str, Any]:
    """What --json says of a recording."""
    head = {'file': outcome.name, 'error': outcome.error or None}
    return head if outcome.error else head | {'output': target, **outcome.result}


def _reason(outcome: Outcome) -> str:
    """Why there are no torques of a recording."""
    where = '' if outcome.name in outcome.error else f'{outcome.name}: '
    advice = ': run this recording alone with --debug' if outcome.traceback else ''
    return f'{where}{outcome.error}{advice}'


def _line(outcome: Outcome, target: Path) -> str:
    if outcome.error:
        return f'failed: {outcome.name}'
    found = outcome.result
    locked = (
        f', not recorded with these and locked: {listed(found["locked"])}'
        if found['locked']
        else ''
    )
    kept = ' (kept from an earlier run)' if outcome.kept else ''
    return (
        f'{outcome.name}: {found["samples"]} samples at {found["rate"]:.5g} Hz, low pass '
        f'{found["cutoff"]:.3g} Hz, {len(found["joints"])} joints{locked}: {target}{kept}'
    )
