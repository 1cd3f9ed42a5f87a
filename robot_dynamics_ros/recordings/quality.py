"""What is wrong with the samples of a recording, counted."""

from __future__ import annotations

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
# What is counted: attribute of `Quality`, a thing, and more of it.
COUNTS = (
    ('unstamped', 'recording', ' with times of the log, not of stamps: a delay has no meaning'),
    ('gaps', 'gap', ', the longest of {0.longest_gap:.3g} s'),
    ('dropouts', 'dropout', ', above 1.5 x {0.interval:.3g} s'),
    ('repeated', 'sample', ' with the stamp of the one before: left out'),
    ('backward', 'stamp', ' earlier than the one before'),
    ('not_finite', 'sample', ' with a position that is not finite'),
    ('out_of_reach', 'state', ' that no joint reaches from those before and after: left out'),
    ('jumps', 'jump', ' of a position further than a joint can get'),
    ('without_velocities', 'sample', ' without a velocity'),
    ('without_efforts', 'sample', ' without an effort'),
    ('malformed', 'message', ' with names and values that do not fit'),
    ('of_other_joints', 'message', ' of other joints'),
    ('merged', 'sample', ' merged from messages up to {0.skew:.3g} s apart'),
    ('unused', 'sample', ' in segments too short for the filter'),
)
# Of these, where a segment ends; what is never measured cuts nothing.
CUTS = ('gaps', 'backward', 'not_finite', 'jumps', 'without_velocities', 'without_efforts')


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


class Count(NamedTuple):
    """What was counted: an attribute of `Quality`, its number, and a sentence."""

    name: str
    number: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass
class Quality:
    """Counts of `COUNTS`, which says what each is, and these."""

    #: `header` (stamps of the messages), `log` (when they were recorded, where no message has a
    #: stamp) or `file` (the column of a CSV file)
    clock: str
    samples: int = 0
    interval: float = float('nan')  #: usual one between two samples [s]; NaN with less than two
    dropouts: int = 0
    gaps: int = 0
    longest_gap: float = 0.0  #: [s]
    repeated: int = 0
    backward: int = 0
    not_finite: int = 0
    without_velocities: int = 0
    without_efforts: int = 0
    malformed: int = 0
    of_other_joints: int = 0
    merged: int = 0
    skew: float = 0.0  #: the longest time between messages that make one sample [s]
    out_of_reach: int = 0
    jumps: int = 0
    unused: int = 0  #: of the latest filter
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
    def unstamped(self) -> int:
        """Whether times are those of the log."""
        return int(self.clock == 'log')

    @property
    def jumps_often(self) -> bool:
        """Whether positions jump as where the unit is another: in more samples than a few."""
        return self.jumps > OFTEN * self.samples

    @property
    def farthest(self) -> tuple[str, float]:
        """The joint of `largest` with the largest position, and that position; 0 without one."""
        return max(self.largest.items(), key=lambda item: item[1], default=('', 0.0))

    @property
    def unit_doubt(self) -> str:
        """Why positions may be in another unit; empty if they do not look so."""
        joint, reach = self.farthest
        text = f'{joint} has positions up to {reach:.3g}: in degrees or mm? Record rad and m'
        return text if self.jumps_often and joint else ''

    @property
    def doubt(self) -> str:
        """Why times or positions may be wrong; empty if they do not look so."""
        if self.backward > self.samples / 2:
            return 'times run backward: sort the samples by time'
        return self.unit_doubt

    @property
    def cuts(self) -> str:
        """What cuts the recording, with counts and what to look at; empty if nothing does."""
        found = [
            one.text for one in self.counts() if one.name in CUTS and 0 < one.number < self.samples
        ]
        advice = 'Look for the cause in the driver or the recorder'
        return f'the recording is cut by {"; ".join(found)}. {advice}' if found else ''

    def remarks(self) -> list[str]:
        """What a user has to know about the recording, one line each; empty if it is good."""
        efforts = (one.sentence(joint) for joint, one in self.implausible.items())
        found = (one.text for one in self.counts() if one.number)
        return [*filter(None, [self.doubt]), *efforts, *found]

    def counts(self) -> list[Count]:
        """What has been counted, also what was not found."""
        numbers = [getattr(self, name) for name, *_ in COUNTS]
        return [
            Count(name, number, counted(number, thing) + more.format(self))
            for number, (name, thing, more) in zip(numbers, COUNTS, strict=True)
        ]

    def as_json(self) -> dict[str, Any]:
        """All counts by name; None for an interval that is unknown."""
        counts = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        return counts if np.isfinite(self.interval) else counts | {'interval': None}
