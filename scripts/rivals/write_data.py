"""Write what all tools get of a recording: arrays of its fitted part, and a URDF.

Usage: write_data.py RECORDING URDF FOLDER [RECORDED=JOINT]

The division, the cutoffs and the filtered motions are those of `robot_dynamics identify`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from moving_bodies import urdf_of

from robot_dynamics_ros.cli.fleet_options import Fleet
from robot_dynamics_ros.cli.identify.identify_setup import recorded_model
from robot_dynamics_ros.cli.identify.surveys import surveyed
from robot_dynamics_ros.cli.output import Output
from robot_dynamics_ros.cli.recording_options import options_of
from robot_dynamics_ros.recordings import Motion, motions, open_recording

NAMES = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
RECORDED = ('times', 'positions', 'velocities', 'efforts')


def main(recording: str, urdf: str, folder: str, *rename: str) -> None:
    target, files = Path(folder), (Path(recording),)
    target.mkdir(parents=True, exist_ok=True)
    options = options_of(Path(urdf), [], None, rename, None)
    surveys = surveyed(options, {recording: files}, (), Fleet(), Output())
    source, first = surveys.source(recording, files), surveys.first
    (target / 'robot.urdf').write_text(urdf_of(recorded_model(first.urdf, first.joints)))
    with open_recording(files, rename=options.rename, joints=first.joints) as opened:
        chunks = list(opened.chunks())
    with open_recording(files, rename=options.rename, joints=first.joints) as opened:
        parts = list(source.fitted.parts(motions(opened, cutoff=source.cutoffs[0])))
    raw = {name: np.concatenate([getattr(one, name) for one in chunks]) for name in RECORDED}
    fitted = raw['times'] < source.fitted.split
    np.savez(
        target / 'data.npz',
        joints=np.array(first.joints),
        rate=1.0 / surveys.interval,
        motion_cutoff=source.cutoffs[0],
        cutoff=source.cutoffs[1],
        **{f'raw_{name}': values[fitted] for name, values in raw.items()},
        **_arrays('fitted', [motion for held_out, motion in parts if not held_out]),
        **_arrays('held_out', [motion for held_out, motion in parts if held_out]),
    )


def _arrays(part: str, some: Iterable[Motion]) -> dict[str, np.ndarray]:
    """Arrays of consecutive motions, and the samples at which a segment begins."""
    some = list(some)
    arrays = {
        f'{part}_{name}': np.concatenate([getattr(one, name) for one in some]) for name in NAMES
    }
    starts = np.cumsum([0, *map(len, some)])[:-1]
    begins = [start for start, one in zip(starts, some, strict=True) if one.begins]
    return {**arrays, f'{part}_begins': np.array(begins, int)}


if __name__ == '__main__':
    main(*sys.argv[1:])
