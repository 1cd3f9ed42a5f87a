"""What is wrong with the samples of a recording, counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import counted

from .joint_samples import JointSamples, gap_limit

# A longer interval is a dropout, in usual ones: half of the next one is jitter.
DROPOUT = 1.5
# Joints do not turn further, two turns, nor slide as far: the unit may be another [rad, m].
FAR = 4.0 * np.pi
# Share of the samples above which jumps speak of another unit, and dropouts are reported.
OFTEN = 0.01
# Times the effort limit that no number of a drive reaches, in whatever unit: one in mN m reaches
# a thousand times its limit.
IMPLAUSIBLE = 1e4
# Smaller numbers than this are no results of a drive's arithmetic, but bits of something else.
DENORMAL = np.finfo(float).tiny


class ImplausibleEfforts(NamedTuple):
    """Efforts of one joint that no drive has."""

    count: int
    bound: float  #: [N m, N]
    largest: float  #: [N m, N]
    unit: str

    def sentence(self, joint: str) -> str:
        """What is said of them."""
        bound, largest = (torque_text(one, self.unit) for one in (self.bound, self.largest))
        what = f'above {bound}, up to {largest}: not used: check unit and limit of the URDF'
        if self.largest <= self.bound:
            what = 'that are denormal: not used'
        return f'{counted(self.count, "effort")} of {joint} {what}'


def _count(thing: str, more: str, *, cuts: bool = False) -> Any:
    """A count: of a thing, of which more is to be said, and whether a segment ends there."""
    return field(default=0, metadata={'thing': thing, 'more': more, 'cuts': cuts})


@dataclass
class Quality:
    """What was counted in a recording."""

    #: `header` (stamps of the messages), `log` (when they were recorded, where no message has a
    #: stamp) or `file` (the column of a CSV file)
    clock: str
    samples: int = 0
    interval: float = float('nan')  #: usual one between two samples [s]; NaN with less than two
    longest_gap: float = 0.0  #: [s]
    skew: float = 0.0  #: the longest time between messages that make one sample [s]
    gaps: int = _count('gap', ', the longest of {0.longest_gap:.3g} s', cuts=True)
    dropouts: int = _count('dropout', ', above 1.5 x {0.interval:.3g} s')
    repeated: int = _count('sample', ' with the stamp of the one before: left out')
    backward: int = _count('stamp', ' earlier than the one before', cuts=True)
    not_finite: int = _count('sample', ' with a position that is not finite', cuts=True)
    out_of_reach: int = _count(
        'state', ' that no joint reaches from those before and after: left out'
    )
    jumps: int = _count('jump', ' of a position further than a joint can get', cuts=True)
    without_velocities: int = _count('sample', ' without a velocity', cuts=True)
    without_efforts: int = _count('sample', ' without an effort', cuts=True)
    malformed: int = _count('message', ' with names and values that do not fit')
    of_other_joints: int = _count('message', ' of other joints')
    merged: int = _count('sample', ' merged from messages up to {0.skew:.3g} s apart')
    unused: int = _count('sample', ' in segments too short for the filter')
    #: absolute position of each joint that goes beyond two turns, also where left out [rad, m]
    largest: dict[str, float] = field(default_factory=dict, repr=False)
    #: samples in which the effort of a joint is not measured, by joint
    missing_efforts: dict[str, int] = field(default_factory=dict, repr=False)
    #: efforts that no drive has, by joint, where bounds are known
    implausible: dict[str, ImplausibleEfforts] = field(default_factory=dict, repr=False)

    def count(self, samples: JointSamples) -> None:
        """Take all samples of a recording into account."""
        self.samples = len(samples)
        values = (samples.positions, samples.velocities, samples.efforts)
        finite = [[np.isfinite(column) for column in each.T] for each in values]
        self.not_finite, self.without_velocities, self.without_efforts = (
            int(np.count_nonzero(~np.logical_and.reduce(columns))) for columns in finite
        )
        for joint, q, known, measured in zip(
            samples.joints, samples.positions.T, finite[0], finite[2], strict=True
        ):
            ends = q.min(where=known, initial=0.0), q.max(where=known, initial=0.0)
            if (reached := float(np.abs(ends).max())) > FAR:
                self.largest[joint] = reached
            if missing := len(q) - int(np.count_nonzero(measured)):
                self.missing_efforts[joint] = missing
        intervals = np.diff(samples.times)
        self.repeated = int(np.count_nonzero(intervals == 0.0))
        self.backward = int(np.count_nonzero(intervals < 0.0))
        gaps = intervals[intervals > gap_limit(self.interval)]
        self.gaps, self.longest_gap = gaps.size, float(gaps.max(initial=0.0))
        self.dropouts = int(np.count_nonzero(intervals > DROPOUT * self.interval)) - gaps.size

    def plausible(self, samples: JointSamples, model: RobotModel, largest: float) -> JointSamples:
        """The samples with NaN for efforts that no drive has; these are counted.

        Such an effort is denormal, or so many times the limit of its joint.
        """
        limits = model.effort_bounds
        bounds = np.where(np.isfinite(limits), largest * limits, IMPLAUSIBLE * UNKNOWN_LIMIT)
        known = dict(
            zip(model.joint_names, zip(bounds, model.effort_units, strict=True), strict=True)
        )
        efforts: Array = samples.efforts
        for column, joint in enumerate(samples.joints):
            bound, unit = known.get(joint, (np.inf, ''))
            sizes = np.abs(samples.efforts[:, column])
            wrong = (sizes > bound) | ((sizes > 0.0) & (sizes < DENORMAL))
            if count := int(np.count_nonzero(wrong)):
                found = float(sizes[wrong].max())
                self.implausible[joint] = ImplausibleEfforts(count, bound, found, unit)
                efforts = efforts.copy() if efforts is samples.efforts else efforts
                efforts[wrong, column] = np.nan
        return replace(samples, efforts=efforts)

    @property
    def jumps_often(self) -> bool:
        """Whether positions jump as where the unit is another: in more samples than a few."""
        return self.jumps > OFTEN * self.samples

    @property
    def unit_doubt(self) -> tuple[str, float, str] | None:
        """Joint, its largest position, and a sentence, if positions may be in another unit."""
        joint, reach = max(self.largest.items(), key=lambda item: item[1], default=('', 0.0))
        text = f'{joint} has positions up to {reach:.3g}: in degrees or mm? Record rad and m'
        return (joint, reach, text) if self.jumps_often and joint else None

    @property
    def doubt(self) -> str:
        """Why times or positions may be wrong; empty if they do not look so."""
        if self.backward > self.samples / 2:
            return 'times run backward: sort the samples by time'
        return self.unit_doubt[2] if self.unit_doubt else ''

    @property
    def cuts(self) -> str:
        """What cuts the recording, with counts and what to look at; empty if nothing does."""
        # What is never measured cuts nothing.
        cutting = [one.name for one in fields(self) if one.metadata.get('cuts')]
        found = [
            text
            for name, number, text in self.counts()
            if name in cutting and number < self.samples
        ]
        advice = 'Look for the cause in the driver or the recorder'
        return f'the recording is cut by {"; ".join(found)}. {advice}' if found else ''

    def remarks(self) -> list[str]:
        """What a user has to know about the recording, one line each; empty if it is good."""
        efforts = (one.sentence(joint) for joint, one in self.implausible.items())
        counts = (text for _, _, text in self.counts())
        return [*filter(None, [self.doubt]), *efforts, *counts]

    def counts(self) -> Iterator[tuple[str, int, str]]:
        """Name, number and sentence of what was found."""
        if self.clock == 'log':
            text = 'recording with times of the log, not of stamps: a delay has no meaning'
            yield 'unstamped', 1, f'1 {text}'
        for one in fields(self):
            if one.metadata and (number := getattr(self, one.name)):
                text = counted(number, one.metadata['thing'])
                yield one.name, number, text + one.metadata['more'].format(self)

    def as_json(self) -> dict[str, Any]:
        """All counts by name; None for an interval that is unknown."""
        counts = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        return counts if np.isfinite(self.interval) else counts | {'interval': None}
