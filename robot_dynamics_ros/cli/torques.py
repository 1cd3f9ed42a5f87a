"""`robot_dynamics torques`: the torques of a model along recordings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.comparison.recorded_joints import ModelTorques
from robot_dynamics_ros.comparison.sample_findings import motion_findings
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.recordings import Recording, torque_file
from robot_dynamics_ros.written_file import check_can_be_written, written_file

from .options import RECORDINGS, subcommand
from .output import Output, exit_code, writes
from .recordings import Files, Recordings


@subcommand('torques', *RECORDINGS, 'cutoff', 'parameters', 'scheduler')
@click.option('--output', 'target', type=click.Path(path_type=Path), default=Path(),
              metavar='PATH', help='File, or folder. [default: this folder]')  # fmt: skip
@click.option('--format', 'kind', type=click.Choice([one[1:] for one in torque_file.ENDINGS]),
              default='mcap', show_default=True, help='Format of files in a folder.')  # fmt: skip
def torques_command(recordings: Recordings, target: Path, kind: str, output: Output) -> int:
    """Write the torques that a model needs for the motion of recordings.

    They are written with their parts, gravity, Coriolis, inertia and friction, as .csv, or as
    .mcap for PlotJuggler and Foxglove.

    Examples:
      robot_dynamics torques bag/ --urdf arm.urdf --output arm_torques.mcap
      robot_dynamics torques /data/*/ --output /data/torques --scheduler tcp://10.0.0.1:8786
    """
    targets = torque_targets(recordings.files, target, kind)
    writes('--output', *targets.values())
    absolute = {name: file.absolute() for name, file in targets.items()}
    rows: list[dict[str, Any]] = []
    for name, one in recordings.outcomes(partial(write_torques, absolute)).items():
        if one.error:
            rows.append({'file': name, 'error': one.error})
            output.error(one.error)
            continue
        rows.append(row := {'file': name, 'error': None, 'output': targets[name], **one.result})
        locked = f', not recorded and locked: {listed(row["locked"])}' if row['locked'] else ''
        output.line(
            f'{name}: {row["samples"]} samples at {row["rate"]:.5g} Hz, low pass '
            f'{row["cutoff"]:.3g} Hz, {len(row["joints"])} joints{locked}: {row["output"]}'
        )
        output.findings((each['code'], each['message']) for each in row['findings'])
        for text in row['remarks']:
            output.line(f'  {text}')
    output.write_json({'recordings': rows})
    return exit_code(
        [row for row in rows if row.get('findings')], [row for row in rows if row['error']]
    )


def torque_targets(files: Files, target: Path, kind: str) -> dict[str, Path]:
    """The file that is written for each recording: one, or NAME_torques in a folder.

    The name is that of the recording, with the folders in which several differ.
    """
    paths = [paths[0].resolve() for paths in files.values()]
    if len(files) > 1 and (target.is_file() or target.name.endswith(torque_file.ENDINGS)):
        raise ParameterError(f'{target} is a file for one recording: name a folder')
    if target.suffix and not target.is_dir():
        torque_file.check_ending(target)
        targets = [target]
    else:
        common = os.path.commonpath([path.parent for path in paths])
        parts = ('_'.join(path.relative_to(common).parts) for path in paths)
        names = [re.sub(r'(\.(zstd|gz|mcap|db3|bag|csv))+$', '', name) for name in parts]
        if len({*names}) < len(names):
            raise ParameterError(f'{len(names)} recordings are {", ".join(names)}: rename them')
        target.mkdir(parents=True, exist_ok=True)
        targets = [target / f'{name}_torques.{kind}' for name in names]
    read = {path.resolve() for paths in files.values() for path in paths}
    for file in targets:
        if read.intersection(file.resolve().parents):
            raise ParameterError(f'{file} is in the folder of the recording: name another folder')
        check_can_be_written(file)
    return dict(zip(files, targets, strict=True))


# Compiled once in a process.
_model_torques = lru_cache(maxsize=4)(ModelTorques)


def write_torques(
    targets: Mapping[str, Path], recordings: Recordings, name: str
) -> dict[str, Any]:
    """Write the torques along a recording as a whole file; any process may execute it."""
    urdf, robot, joints = recordings.robot(name)
    model = _model_torques(robot, joints, recordings.joint_model, recordings.gravity)
    samples, peaks = 0, np.zeros(len(joints))
    rate = cutoff = float('nan')

    def torques(recording: Recording) -> Iterator[torque_file.Torques]:
        nonlocal samples, rate, cutoff
        for motion in recording.motions():
            terms = model.terms(motion)
            np.maximum(peaks, np.abs(terms.sum(axis=0)).max(axis=0), out=peaks)
            rate, cutoff, samples = motion.rate, motion.cutoff, samples + len(motion)
            yield motion, dict(zip(TERMS, terms, strict=True))

    recording = recordings.open(name, model.model, joints)
    recorded = recordings.open(name, joints=joints)
    with written_file(targets[name]) as new:
        torque_file.write_torque_file(
            new, torques(recording), recorded.states(),
            start=recording.start, topic=recording.topic, urdf=urdf,
        )  # fmt: skip
    quality = recording.quality
    findings = motion_findings(model.model, recording.motions(efforts=False), quality)
    wrong = [replace(one, message=f'{one.message}: the torques are wrong') for one in findings]
    return {
        'robot': model.model.name,
        'topic': recording.topic,
        'samples': samples,
        'rate': rate,
        'cutoff': cutoff,
        'joints': {name: {'peak_torque': peak} for name, peak in zip(joints, peaks, strict=True)},
        'locked': list(model.locked),
        'findings': [one.as_json() for one in wrong],
        'quality': quality.as_json(),
        # What is doubted of the unit is a finding.
        'remarks': [one for one in quality.remarks() if one not in (quality.unit_doubt or ())],
    }
