"""What is kept of a recording: sums, windows and samples, whose size does not grow with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.motion import Motion
from robot_dynamics_ros.recordings.quality import Quality

from .compared import RecordingSummary
from .model_torques import ModelTorques
from .plot_samples import PlotSamples

# Samples of a window, and the most windows that are kept.
LENGTH, MOST = 512, 32
# Samples are taken at this multiple of the cutoff: what lies above is filtered out.
OVERSAMPLING = 10.0
# Windows and samples of one of many recordings.
WINDOWS_OF_ONE, SAMPLES_OF_ONE = 2, 1024


def windows_of(motion: Motion) -> Iterator[Motion]:
    """Parts of about equal length that fill a motion, at a rate that suits its cutoff."""
    stride = max(1, int(motion.rate / (OVERSAMPLING * motion.cutoff)))
    rows = np.arange(0, len(motion), stride)
    for part in np.array_split(rows, math.ceil(len(rows) / LENGTH)) if len(rows) else ():
        if len(part) > 1:
            yield replace(motion.part(part), rate=motion.rate / stride)


@dataclass
class Excerpts:
    """Keeps every window, later every second, fourth, ... so that at most `MOST` are kept."""

    _kept: list[Motion] = field(default_factory=list)
    _stride: int = 1
    _seen: int = 0

    def add(self, windows: Iterable[Motion]) -> None:
        """Take windows, each if it is its turn."""
        for window in windows:
            if self._seen % self._stride == 0:
                self._kept.append(window)
            self._seen += 1
            self.thin(MOST)

    def thin(self, most: int) -> None:
        """Keep at most that many of the windows, as evenly distributed."""
        while len(self._kept) > most:
            self._stride *= 2
            self._kept = self._kept[::2]

    def __iter__(self) -> Iterator[Motion]:
        return iter(self._kept)


@dataclass(init=False, eq=False)
class Reach:
    """How far and how fast the joints of a recording move, with windows of their motion.

    Attributes:
        span: (2, n) smallest and largest position of each joint [rad or m].
        speeds: (n,) largest absolute velocity of each joint [rad/s or m/s].
        efforts: (2, n) smallest and largest effort of each joint; infinite without one [N m or N].
        excerpts: windows of consecutive samples, evenly distributed.
    """

    def __init__(self, size: int) -> None:
        """That before the first sample of n joints."""
        nowhere = np.outer([np.inf, -np.inf], np.ones(size))
        self.span, self.efforts = nowhere, nowhere.copy()
        self.speeds, self.excerpts = np.zeros(size), Excerpts()

    def add(self, motion: Motion) -> None:
        """Take a motion, which follows those before in time; NaN does not count."""
        for ends, values in (self.span, motion.positions), (self.efforts, motion.efforts):
            np.fmin(ends[0], np.fmin.reduce(values), out=ends[0])
            np.fmax(ends[1], np.fmax.reduce(values), out=ends[1])
        np.maximum(self.speeds, np.abs(motion.velocities).max(axis=0), out=self.speeds)
        self.excerpts.add(windows_of(motion))


# Columns whose products are summed, for each joint; the second to the fifth are of the model.
MEASURED, GRAVITY, CORIOLIS, INERTIA, FRICTION, VELOCITY, DIRECTION, ONE = np.eye(8)


def products_of(measured: Array, terms: Array, velocities: Array) -> Array:
    """Sums of products (n, 8, 8) of the columns MEASURED to ONE, over some samples.

    Samples of a joint whose effort is not finite do not count for it.

    Args:
        measured: (N, n) efforts [N m or N].
        terms: (4, N, n) parts of the torque of the model [N m or N].
        velocities: (N, n) [rad/s or m/s].
    """
    columns = [np.nan_to_num(measured), *terms, velocities, np.sign(velocities)]
    by_joint = np.ones((measured.shape[1], len(columns) + 1, len(measured)))
    for row, column in enumerate(columns):
        by_joint[:, row] = column.T
    if not (known := np.isfinite(measured)).all():
        by_joint *= known.T[:, None]
    return by_joint @ by_joint.transpose(0, 2, 1)


@dataclass
class Evidence:
    """Sums, windows and samples of one recording.

    Attributes:
        summary: of its samples; with an error where it cannot be used.
        joints: names, in the order of the columns.
        robot: the model; evidence of another one must not be added to it.
        unused: a remark on recorded joints that the robot does not have; empty without any.
        quality: counts of the reader.
        products: (n, 8, 8) sums over all samples, see `products_of`.
        reach: of motion and efforts, with windows.
        samples: for plots.
    """

    summary: RecordingSummary
    joints: tuple[str, ...] = ()
    robot: RobotModel | None = None
    unused: str = ''
    quality: Quality = field(default_factory=lambda: Quality(''))

    def __post_init__(self) -> None:
        """Begin with no sample."""
        size = len(self.joints)
        self.products = np.zeros((size, 8, 8))
        self.reach, self.samples = Reach(size), PlotSamples(size)

    def add(self, torques: ModelTorques, motion: Motion) -> None:
        """Take a motion, which follows those before in time."""
        terms = torques.terms(motion)
        self.products += products_of(motion.efforts, terms, motion.velocities)
        self.samples.add(motion, terms)
        self.reach.add(motion)
        self.summary = replace(
            self.summary,
            samples=self.summary.samples + len(motion),
            duration=self.summary.duration + len(motion) / motion.rate,
            rate=motion.rate,
            cutoff=motion.cutoff,
        )

    def shrink(self) -> None:
        """Keep few windows and samples, some 0.4 MB: enough of one of many recordings."""
        self.reach.excerpts.thin(WINDOWS_OF_ONE)
        self.samples.thin(SAMPLES_OF_ONE)
