"""What is wrong with the samples of a recording, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import counted

from .joint_samples import JointSamples, gap_limit

# Of the usual interval: what exceeds it is a dropout.
DROPOUT = 1.5
# Share of the samples that jump where the unit is another, and positions beyond two turns.
OFTEN, FAR = 0.01, 4.0 * np.pi
# Of all samples: what the edges of cuts must cost to be told.
EDGES = 0.05
# Of all samples: beyond it, the recording is in the reverse order, or in another unit.
MOSTLY = 0.5
# Times the effort limit that no number of a drive reaches, in whatever unit: one in mN m reaches
# a thousand times its limit.
IMPLAUSIBLE = 1e4
# Smaller numbers than this are no results of a drive's arithmetic, but bits of something else.
DENORMAL = np.finfo(float).tiny


@dataclass(frozen=True)
class ImplausibleEfforts:
    """Efforts of one joint that no drive has, too large or denormal: they are not measured.

    Attributes:
        bound: absolute effort beyond which they are [N m or N].
        unit: 'N m' or 'N'.
        count: how many.
        largest: the largest absolute one [N m or N].
    """

    bound: float
    unit: str
    count: int = 0
    largest: float = 0.0

    def joined(self, other: ImplausibleEfforts) -> ImplausibleEfforts:
        """These and others of the same joint."""
        largest = max(self.largest, other.largest)
        return replace(self, count=self.count + other.count, largest=largest)

    def sentence(self, joint: str) -> str:
        """What is said of them."""
        number = counted(self.count, 'effort')
        if self.largest <= self.bound:
            return f'{number} of {joint} that are denormal numbers: taken as not measured'
        return (
            f'{number} of {joint} above {torque_text(self.bound, self.unit)} or denormal, up to '
            f'{torque_text(self.largest, self.unit)}: taken as not measured: are efforts in N m '
            'or N, and is the limit of the URDF right?'
        )


def effort_bounds(
    model: RobotModel, joints: Sequence[str], largest: float = IMPLAUSIBLE
) -> list[ImplausibleEfforts]:
    """What the efforts of joints cannot exceed; those that the robot has not are unbounded.

    Args:
        model: of the robot.
        joints: names, in the order of the columns.
        largest: times the effort limit of a joint; without a limit, its bound is `IMPLAUSIBLE`
            times `UNKNOWN_LIMIT`.
    """
    rows = zip(model.joint_names, model.effort_bounds, model.effort_units, strict=True)
    found = {
        name: ImplausibleEfforts(
            largest * limit if np.isfinite(limit) else IMPLAUSIBLE * UNKNOWN_LIMIT, unit
        )
        for name, limit, unit in rows
    }
    return [found.get(name, ImplausibleEfforts(np.inf, '')) for name in joints]


class Count(NamedTuple):
    """What was counted: an attribute of `Quality`, in words, and whether segments end there."""

    name: str
    number: int
    thing: str
    text: str
    cuts: bool = False

    def __str__(self) -> str:
        return f'{counted(self.number, self.thing)}{self.text}'


@dataclass
class Quality:
    """Counts of `counts`, which says what each is, and of the filter (`unused`, `edges`).

    Attributes:
        clock: `header` (stamps of the messages), `log` (when they were recorded, where no message
            has a stamp) or `file` (the column of a CSV file).
        interval: usual time between two samples, from the first ones [s]; NaN with less than two.
        longest_gap: [s].
        skew: the longest time between messages that make one sample [s].
        unused: samples of segments that are too short for the latest filter.
        edges: samples that it loses where a recording is cut, at both sides.
        largest: absolute position of each joint that goes beyond two turns, also in samples that
            are left out [rad or m].
        missing_efforts: samples in which the effort of a joint is not measured, by joint.
        implausible: efforts that no drive has, by joint, where bounds are known.
    """

    clock: str
    samples: int = 0
    interval: float = float('nan')
    dropouts: int = 0
    gaps: int = 0
    longest_gap: float = 0.0
    repeated: int = 0
    backward: int = 0
    not_finite: int = 0
    without_velocities: int = 0
    without_efforts: int = 0
    malformed: int = 0
    of_other_joints: int = 0
    merged: int = 0
    skew: float = 0.0
    out_of_reach: int = 0
    jumps: int = 0
    unused: int = 0
    edges: int = 0
    largest: dict[str, float] = field(default_factory=dict, repr=False)
    missing_efforts: dict[str, int] = field(default_factory=dict, repr=False)
    implausible: dict[str, ImplausibleEfforts] = field(default_factory=dict, repr=False)

    def count(self, samples: JointSamples) -> None:
        """Take all samples of a recording into account."""
        self.samples = len(samples)
        self.not_finite = _not_finite(samples.positions)
        self.without_velocities = _not_finite(samples.velocities)
        self.without_efforts = _not_finite(samples.efforts)
        for joint, q, effort in zip(
            samples.joints, samples.positions.T, samples.efforts.T, strict=True
        ):
            if missing := int(np.count_nonzero(~np.isfinite(effort))):
                self.missing_efforts[joint] = missing
            reached = float(np.abs(q).max(initial=0.0, where=np.isfinite(q)))
            if reached > FAR:
                self.largest[joint] = reached
        intervals = np.diff(samples.times)
        self.repeated = int(np.count_nonzero(intervals == 0.0))
        self.backward = int(np.count_nonzero(intervals < 0.0))
        long = intervals[intervals > DROPOUT * self.interval]
        gaps = long[long > gap_limit(self.interval)]
        self.gaps, self.dropouts = gaps.size, long.size - gaps.size
        self.longest_gap = float(gaps.max(initial=0.0))

    def without_implausible(
        self, samples: JointSamples, bounds: Sequence[ImplausibleEfforts]
    ) -> JointSamples:
        """The samples with NaN for efforts that no drive has; these are counted."""
        efforts = samples.efforts
        for column, (joint, bound) in enumerate(zip(samples.joints, bounds, strict=True)):
            sizes = np.abs(samples.efforts[:, column])
            wrong = (sizes > bound.bound) | ((sizes < DENORMAL) & (sizes > 0.0))
            if count := int(np.count_nonzero(wrong)):
                efforts = efforts.copy() if efforts is samples.efforts else efforts
                efforts[wrong, column] = np.nan
                largest = float(sizes[wrong].max())
                self.implausible[joint] = replace(bound, count=count, largest=largest)
        return replace(samples, efforts=efforts)

    @property
    def jumps_often(self) -> bool:
        """Whether positions jump so often that what is between is not the recording."""
        return self.jumps > OFTEN * self.samples

    @property
    def farthest(self) -> tuple[str, float]:
        """The joint of `largest` with the largest position, and that position; 0 without one."""
        joint = max(self.largest, key=lambda name: self.largest[name], default='')
        return joint, self.largest.get(joint, 0.0)

    @property
    def unit_doubt(self) -> str:
        """Why positions may be in another unit; empty if they do not look so."""
        joint, reach = self.farthest
        if not (self.jumps_often and joint):
            return ''
        return (
            f'{joint} has positions up to {reach:.3g}: perhaps they are in degrees or '
            'millimetres, record rad and m'
        )

    @property
    def lost(self) -> int:
        """Samples that the filter loses: short segments, and edges of cuts if they are many."""
        return self.unused + (self.edges if self.edges > EDGES * self.samples else 0)

    @property
    def doubt(self) -> str:
        """Why times or positions may be wrong; empty if they do not look so."""
        if self.backward > MOSTLY * self.samples:
            return 'times run backward: sort the samples by time'
        return self.unit_doubt

    @property
    def cuts(self) -> str:
        """What cuts the recording, with counts and what to look at; empty if nothing does."""
        found = [str(one) for one in self.counts() if one.cuts and one.number] + [
            f'an effort of {joint} that is not measured in {counted(count, "sample")}'
            for joint, count in self.missing_efforts.items()
            if count < self.samples
        ]
        if not found:
            return ''
        return (
            f'the recording is cut by {"; ".join(found)}. Look for the cause in the driver or the '
            'recorder'
        )

    def remarks(self) -> list[str]:
        """What a user has to know about the recording, one line each; empty if it is good."""
        doubt = [self.doubt] * bool(self.doubt)
        efforts = [one.sentence(joint) for joint, one in self.implausible.items()]
        return doubt + efforts + [str(one) for one in self.counts() if one.number]

    def counts(self) -> list[Count]:
        """What has been counted, also what was not found."""
        interval, skew = f'{1e3 * self.interval:.3g} ms', f'{1e3 * self.skew:.3g} ms'
        rows = (
            ('gaps', 'gap', f', the longest of {self.longest_gap:.3g} s', True),
            ('dropouts', 'dropout', f', above {DROPOUT:g} x {interval}'),
            ('repeated', 'sample', ' with the stamp of the one before: left out'),
            ('backward', 'stamp', ' earlier than the one before', True),
            ('not_finite', 'sample', ' with a position that is not finite', True),
            ('out_of_reach', 'state',
             ' that no joint reaches from those before and after: left out'),
            ('jumps', 'jump', ' of a position further than a joint can get', True),
            ('without_velocities', 'sample', ' without a velocity',
             self.without_velocities < self.samples),
            ('without_efforts', 'sample', ' without an effort'),
            ('malformed', 'message', ' with names and values that do not fit'),
            ('of_other_joints', 'message', ' of other joints'),
            ('merged', 'sample', f' merged from messages up to {skew} apart'),
            ('lost', 'sample', ' in segments too short for the filter, or at cuts'),
        )  # fmt: skip
        text = ' without stamps: times are those at which messages were recorded, and a delay has '
        clock = Count('clock', int(self.clock == 'log'), 'recording', f'{text}no meaning')
        return [clock, *(Count(name, getattr(self, name), *rest) for name, *rest in rows)]

    def as_json(self) -> dict[str, Any]:
        """All counts by name; None for an interval that is unknown."""
        counts = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        return counts if np.isfinite(self.interval) else counts | {'interval': None}


def _not_finite(values: Array) -> int:
    """How many rows (N, n) have a value that is NaN or infinite."""
    # A sum is finite only if each value is: the fastest test of all.
    if np.isfinite(np.add.reduce(values, axis=None)):
        return 0
    return int(np.count_nonzero(~np.isfinite(values).all(axis=1)))
