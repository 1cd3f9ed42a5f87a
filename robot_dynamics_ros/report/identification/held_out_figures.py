"""What is drawn of each joint: measured, nominal and identified torque on the held-out part."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.identification.judgement import (
    HeldOutSamples,
    JointJudgement,
    Judgement,
)

from ..figures.decimation import envelope, thinned
from ..figures.panel import Array, Curve, Figure, Panel, Role
from ..words.numbers_as_text import quantity

# Of time, in each plot: the pixels of a wide screen; of all joints: a file has a limited size.
MOST_STRETCHES, STRETCHES_OF_ALL = 2000, 20_000
MOST_POINTS = 1000


@dataclass(frozen=True)
class JointDrawing:
    """What a report holds of one joint.

    Attributes:
        name: of the joint.
        judgement: its figures and verdict.
        figures: with something to draw.
    """

    name: str
    judgement: JointJudgement
    figures: tuple[Figure, ...]

    @property
    def is_good(self) -> bool:
        """Whether the identified model was judged, and is not worse than the description."""
        unknown = self.judgement.moves and not math.isfinite(self.judgement.rms_identified)
        return not (self.judgement.is_worse or unknown)


def joint_drawings(judgement: Judgement) -> list[JointDrawing]:
    """The joints, in the order of the model."""
    stretches = min(MOST_STRETCHES, STRETCHES_OF_ALL // max(1, len(judgement.joints)))
    columns = _Columns(judgement.samples)
    return [
        JointDrawing(name, joint, columns.figures(column, joint, stretches))
        for column, (name, joint) in enumerate(judgement.joints.items())
    ]


class _Columns:
    """The held-out samples, with recordings one after another."""

    def __init__(self, samples: HeldOutSamples) -> None:
        self._samples = samples
        self._times = np.array(samples.times, dtype=float)
        end = 0.0
        recordings = np.unique(samples.recording)
        for recording in recordings if len(recordings) > 1 else ():
            rows = samples.recording == recording
            self._times[rows] += end - self._times[rows].min()
            end = self._times[rows].max()
        self._several = len(recordings) > 1
        gaps = np.flatnonzero(samples.begins)
        self._gaps = gaps[gaps > 0]

    def figures(self, column: int, joint: JointJudgement, stretches: int) -> tuple[Figure, ...]:
        """Those of one joint; none where nothing was measured."""
        samples = self._samples
        measured = samples.measured[:, column]
        if not np.isfinite(measured).any():
            return ()
        nominal, identified = samples.nominal[:, column], samples.identified[:, column]
        label = 'time, recordings one after another [s]' if self._several else 'time [s]'
        effort = 'force' if joint.unit == 'N' else 'torque'
        torque = Panel(
            'torque',
            f'Held-out {effort}',
            label,
            f'{effort} [{joint.unit}]',
            self._curves(
                stretches,
                ('measured', 'measured', measured),
                ('nominal', 'nominal', nominal),
                ('identified', 'identified', identified),
            ),
            f'RMS of the measured {effort} {quantity(joint.rms_measured, joint.unit)}.',
        )
        residual = Panel(
            'residual',
            'Measured minus model',
            label,
            f'residual [{joint.unit}]',
            self._curves(
                stretches,
                ('nominal', 'nominal', measured - nominal),
                ('identified', 'identified', measured - identified),
            ),
            f'RMS left by the description {quantity(joint.rms_nominal, joint.unit)}, by the '
            f'identified model {quantity(joint.rms_identified, joint.unit)}.',
        )
        hint = 'None of these samples was fitted. The plots zoom together.'
        over_time = Figure('time', (torque, residual), hint, wide=True)
        return over_time, _velocity_figure(column, joint, samples)

    def _curves(self, stretches: int, *listed: tuple[Role, str, Array]) -> tuple[Curve, ...]:
        times = np.insert(self._times, self._gaps, np.nan)
        return tuple(
            Curve(role, name, *envelope(times, np.insert(values, self._gaps, np.nan), stretches))
            for role, name, values in listed
        )


def _velocity_figure(column: int, joint: JointJudgement, samples: HeldOutSamples) -> Figure:
    """What both models leave over velocity, where friction shows."""
    rows = thinned(len(samples.times), MOST_POINTS)
    v = samples.velocities[rows, column]
    left = samples.measured[rows, column]
    unit = 'm/s' if joint.unit == 'N' else 'rad/s'
    curves = (
        Curve('nominal points', 'nominal', v, left - samples.nominal[rows, column]),
        Curve('identified points', 'identified', v, left - samples.identified[rows, column]),
    )
    panel = Panel(
        'velocity',
        'Residual over velocity',
        f'velocity [{unit}]',
        f'residual [{joint.unit}]',
        curves,
        'What the description and the identified model leave at each velocity.',
    )
    hint = 'A step at zero velocity is Coulomb friction that a model lacks, a slope viscous.'
    return Figure('velocity', (panel,), hint)
