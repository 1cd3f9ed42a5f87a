"""The table of docs/external_forces.md: residuals, thresholds and false alarms of recordings.

    python scripts/contacts_of_recordings.py RECORDING URDF [PARAMETERS] [--rename OLD=NEW]

Thresholds are learned from the first two thirds of the recording, which `robot_dynamics identify`
fits, and tested on the last third, which neither has seen.
"""

import argparse
from pathlib import Path

import numpy as np

from robot_dynamics_ros.cli.contacts.watch_options import settings_of
from robot_dynamics_ros.cli.recorded_robot import model_torques, recorded_robot
from robot_dynamics_ros.cli.recording_files import recording_files
from robot_dynamics_ros.cli.recording_options import options_of
from robot_dynamics_ros.contacts import Learning, WatchedRobot
from robot_dynamics_ros.contacts.joint_residuals import JointResiduals
from robot_dynamics_ros.contacts.kept_peaks import KeptPeaks
from robot_dynamics_ros.contacts.observed_recording import ObservedPart, ObservedRecording
from robot_dynamics_ros.contacts.residual_peaks import ResidualPeaks
from robot_dynamics_ros.contacts.threshold_floor import threshold_floor
from robot_dynamics_ros.recordings import open_recording

LEARNED = 2.0 / 3.0


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('recording')
    parser.add_argument('urdf', type=Path)
    parser.add_argument('parameters', nargs='*', type=Path)
    parser.add_argument('--rename', action='append', default=[])
    parser.add_argument('--begin', type=float, default=0.0, help='[s]; what is before is left out')
    given = parser.parse_args()
    files = recording_files(given.recording)
    options = options_of(given.urdf, [], None, tuple(given.rename))
    urdf, joints, _ = recorded_robot(options, files)
    settings = settings_of(options, files, given.parameters, print)
    robot = WatchedRobot(model_torques(urdf, joints).model, settings)
    with open_recording(files, rename=options.rename, joints=joints) as recording:
        observed = ObservedRecording(recording, robot)
        parts = list(observed.parts())
    friction = robot.friction.bounds[:, observed.indices]
    floor = threshold_floor(robot.model.effort_limits[observed.indices])
    kept = [_after(given.begin, part) for part in parts]
    _print(observed.joints, kept, (friction, floor))


def _print(
    joints: tuple[str, ...],
    parts: list[ObservedPart],
    least: tuple[np.ndarray, np.ndarray],
) -> None:
    collected, end = ResidualPeaks(len(joints)), LEARNED * parts[-1].times[-1]
    residuals = JointResiduals.none(len(joints))
    for part in parts:
        if part.begins:
            collected.reset()
        collected.add(part.times, part.residuals, part.velocities)
        residuals = residuals.with_residuals(_after(end, part).residuals)
    peaks = KeptPeaks.of(collected)
    rows = peaks.times < end
    thresholds = Learning().thresholds(peaks.part(rows), *least)
    held_out = peaks.part(~rows)
    limits = thresholds.limits(held_out.motions)
    exceeded = (held_out.sizes > limits).any(axis=0)
    print('| joint | residual RMS | bias | collision threshold | push threshold | exceeded by |')
    print('|---|---|---|---|---|---|')
    for index, name in enumerate(joints):
        by = [band for row, band in enumerate(('collision', 'push')) if exceeded[row, index]]
        figures = (residuals.rms[index], residuals.bias[index], *limits.mean(axis=0)[:, index])
        cells = [name, *(f'{each:.3g}' for each in figures), ', '.join(by) or '-']
        print(f'| {" | ".join(cells)} |')
    begins = [f'{held_out.times[row]:.2f} s' for row in held_out.exceeding(thresholds)]
    print(f'{len(begins)} false alarms in {held_out.seconds:.3g} s: {", ".join(begins) or "none"}')
    print(f'largest share of a threshold: {np.max(held_out.sizes / limits):.2f}')


def _after(begin: float, part: ObservedPart) -> ObservedPart:
    rows = part.times >= begin
    return ObservedPart(part.begins, part.times[rows], part.residuals[rows], part.velocities[rows])


if __name__ == '__main__':
    main()
