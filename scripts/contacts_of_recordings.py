"""The table of docs/external_forces.md: residuals, thresholds and false alarms of recordings.

    python scripts/contacts_of_recordings.py RECORDING URDF [PARAMETERS] [--rename OLD=NEW]

Thresholds are learned from the first two thirds of the recording, and tested on the last third.
"""

import argparse
from pathlib import Path

import numpy as np

from robot_dynamics_ros.cli.recordings import NamedRecordings, recorded_robot
from robot_dynamics_ros.cli.watching import watch_settings, watched_robot
from robot_dynamics_ros.contacts.observed_recording import ObservedRecording
from robot_dynamics_ros.contacts.residuals import JointResiduals, ResidualPeaks
from robot_dynamics_ros.contacts.threshold_learning import learned_thresholds, least_thresholds
from robot_dynamics_ros.contacts.threshold_survey import FALSE_ALARMS_PER_HOUR
from robot_dynamics_ros.control.external.thresholds import BANDS

LEARNED = 2.0 / 3.0


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('recording')
    parser.add_argument('urdf', type=Path)
    parser.add_argument('parameters', nargs='?', type=Path)
    parser.add_argument('--rename', action='append', default=[])
    given = parser.parse_args()
    named = NamedRecordings([given.recording], given.urdf, None, given.rename)
    (files,), options = named.files.values(), named.options()
    settings = watch_settings(recorded_robot(options, files)[1], given.parameters)
    robot = watched_robot(options, files, settings)
    with options.open(files, joints=robot.model.joint_names) as recording:
        observed = ObservedRecording(recording, robot)
        parts = list(observed.parts(lambda done: None))
    watched, joints = observed.indices, observed.joints
    bounds, limits = robot.friction.bounds[:, watched], robot.model.effort_bounds[watched]
    peaks, end = ResidualPeaks.of(len(joints), parts), LEARNED * parts[-1].times[-1]
    rows = [part.residuals[part.times >= end] for part in parts]
    residuals = JointResiduals.of(np.concatenate(rows))
    learned, held_out = peaks.part(peaks.times < end), peaks.part(peaks.times >= end)
    thresholds = learned_thresholds(
        learned, FALSE_ALARMS_PER_HOUR, least=least_thresholds(bounds, limits)
    )
    limits = thresholds.limits(held_out.motions)
    exceeded = (held_out.sizes > limits).any(axis=0)
    print('| joint | residual RMS | bias | collision threshold | push threshold | exceeded by |')
    print('|---|---|---|---|---|---|')
    for index, name in enumerate(joints):
        by = [band for row, band in enumerate(BANDS) if exceeded[row, index]]
        figures = (residuals.rms[index], residuals.bias[index], *limits.mean(axis=0)[:, index])
        cells = [name, *(f'{each:.3g}' for each in figures), ', '.join(by) or '-']
        print(f'| {" | ".join(cells)} |')
    begins = [f'{held_out.times[row]:.2f} s' for row in held_out.exceeding(thresholds)]
    print(f'{len(begins)} false alarms in {held_out.seconds:.3g} s: {", ".join(begins) or "none"}')
    print(f'largest share of a threshold: {np.max(held_out.sizes / limits):.2f}')


if __name__ == '__main__':
    main()
