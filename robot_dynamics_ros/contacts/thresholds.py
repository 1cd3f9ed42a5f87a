"""Thresholds of contacts: quantile regression of residuals without a contact, and its test.

A threshold c_0 + c_1 |v| + c_2 |a|, c >= 0, is a conditional quantile of the absolute residual
(R. Koenker, G. Bassett, "Regression quantiles", Econometrica 46, 1978). Its linear programme,

    min over c >= 0 of sum over i of rho(y_i - x_i c),    rho(e) = e (level - [e < 0]),

is solved in its dual form, three inequalities of bounded variables, by HiGHS. QuantReg of
statsmodels has no bounds: a threshold that falls with the speed is negative in a faster motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.external.contact_detector import (
    COLLISION,
    PUSH,
    SPEED,
    ResidualBands,
)
from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError, StateError
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.recordings import Recording

from .observation import (
    Advance,
    Observation,
    ObservedStates,
    WatchedRobot,
    effort_limits,
    observe,
)

# Share of the time above the thresholds before the margin [-], and that margin.
FALSE_ALARMS, MARGIN = 0.01, 1.5
# Between states that are kept [s]: an observer of 20 Hz changes little meanwhile.
STEP = 5e-3
# States of a regression: of more, one in so many is taken, as neighbours are alike.
ROWS = 1000
# A joint with a smaller mean speed has not been moved [rad/s or m/s].
REST = 0.01
# Stands for a residual of zero, by which nothing can be divided [N m or N].
LEAST = 1e-6
# Share of the effort limit that no residual is more exact than [-]: efforts in steps of 2 % of it,
# or masses that are wrong by 2 % where gravity takes half of it.
ACCURACY = 0.01
# Alarms that are closer are one contact [s].
APART = 1.0
# Bandwidths that come from the rates of recordings may differ by so much [-].
SAME = 0.02


@dataclass(frozen=True)
class BandStates:
    """Both bands of the residuals of N states, of k joints; plain data.

    Attributes:
        times: (N,) since the start of the recording [s].
        sizes: (N, 2, k) absolute residual of collision and push [N m or N].
        motions: (N, 2, 2, k) speed and absolute acceleration that each threshold depends on.
        seconds: that they stand for.
    """

    times: Array
    sizes: Array
    motions: Array
    seconds: float

    @classmethod
    def of(cls, states: ObservedStates, interval: float) -> BandStates:
        """Those of a recording, `STEP` apart at least.

        Args:
            states: of the recording.
            interval: usual time between two states [s].
        """
        stride, (count, k) = max(1, round(STEP / interval)), states.residuals.shape
        kept, bands = np.arange(count) % stride == 0, ResidualBands(k)
        sizes, motions = np.empty((kept.sum(), 2, k)), np.empty((kept.sum(), 2, 2, k))
        for index, (time, begins, r, v) in enumerate(zip(*states, strict=True)):
            if begins:
                bands.pause()
            bands.step(r, v, time)
            if kept[index]:
                sizes[index // stride] = np.abs(bands.values)
                motions[index // stride] = bands.motion
        return cls(states.times[kept], sizes, motions, count * interval)

    @classmethod
    def joined(cls, parts: Sequence[BandStates]) -> BandStates:
        """Those of several recordings, one at least."""
        names = 'times', 'sizes', 'motions'
        arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        return cls(*arrays, seconds=sum(part.seconds for part in parts))

    def part(self, rows: slice) -> BandStates:
        """Some of the states."""
        times, sizes, motions = (each[rows] for each in (self.times, self.sizes, self.motions))
        return BandStates(times, sizes, motions, self.seconds * len(times) / len(self.times))

    @property
    def halves(self) -> tuple[BandStates, BandStates]:
        """The earlier and the later states."""
        half = len(self.times) // 2
        return self.part(slice(half)), self.part(slice(half, None))

    def above(self, thresholds: ContactThresholds) -> npt.NDArray[np.bool_]:
        """(N,) in which states a threshold is exceeded."""
        return np.any(self.sizes > thresholds.limits(self.motions), axis=(1, 2))


def quantile_coefficients(sizes: Array, motion: Array, level: float) -> Array:
    """c (3,) of the threshold that a share `level` of the sizes does not exceed.

    Args:
        sizes: (N,) absolute residuals of one joint in one band [N m or N].
        motion: (N, 2) speed and absolute acceleration; of a joint that rests, c_0 alone is found.
        level: of the quantile [-].
    """
    optimize = required('scipy.optimize', 'identification')
    rows = slice(None, None, max(1, len(sizes) // ROWS))
    y, x = sizes[rows], np.column_stack([np.ones(len(sizes)), motion])[rows]
    unit, units = max(float(y.max()), LEAST), np.maximum(x.mean(axis=0), LEAST)
    free = 3 if units[1 + SPEED] >= REST else 1
    found = optimize.linprog(
        -y / unit,
        A_ub=(x / units)[:, :free].T,
        b_ub=np.zeros(free),
        bounds=np.tile([level - 1.0, level], (len(y), 1)),
        method='highs',
    )
    coefficients = np.zeros(3)
    coefficients[:free] = np.maximum(-found.ineqlin.marginals, 0.0) * unit / units[:free]
    coefficients[0] = max(coefficients[0], LEAST)
    return coefficients


def quantile_curves(states: BandStates, level: float) -> Array:
    """Coefficients (2, 3, k) of each joint and band, see `quantile_coefficients`."""
    _, bands, joints = states.sizes.shape
    found = np.empty((bands, len(PARTS), joints))
    for b, j in np.ndindex(bands, joints):
        sizes, motion = states.sizes[:, b, j], states.motions[:, b, :, j]
        found[b, :, j] = quantile_coefficients(sizes, motion, level)
    return found


def calibrated_quantiles(states: BandStates, share: float, least: Array) -> Array:
    """Coefficients (2, 3, k) that are exceeded by some joint or band in that share of the time.

    Quantiles 1 - share / (2 k) of each joint and band would do so, if the states that they were
    fitted to were all there is. Others exceed them more often: so each half of the states is
    compared with the quantiles of the other one, and all are raised by one factor, such that

        (seconds above + 1) / (seconds + 1) <= share.

    That is the share to expect of the next second, if seconds are exchangeable (A. Angelopoulos,
    S. Bates, A. Fisch, L. Lei, T. Schuster, "Conformal risk control", ICLR 2024).

    Args:
        states: without a contact.
        share: of the time [-].
        least: (2, 3, k) of thresholds that are taken in any case: what is below them is below.

    Raises:
        StateError: there is too little time for that share.
    """
    needed = (1.0 - share) / share
    if not states.seconds >= needed:
        raise StateError(
            f'external torques are known for {states.seconds:.3g} s: thresholds that are exceeded '
            f'in {share:.3g} of the time need {needed:.3g} s without a contact: record '
            f'{math.ceil(needed - states.seconds)} s more, or allow a larger share'
        )
    level, ratios = 1.0 - share / states.sizes[0].size, []
    for known, other in (states.halves, states.halves[::-1]):
        limits = ContactThresholds(quantile_curves(known, level)).limits(other.motions)
        floor = ContactThresholds(least).limits(other.motions)
        ratios.append((other.sizes / limits * (other.sizes > floor)).max(axis=(1, 2)))
    allowed = min(1.0, (1.0 - share) * (1.0 + 1.0 / states.seconds))
    factor = float(np.quantile(np.concatenate(ratios), allowed, method='higher'))
    return max(1.0, factor) * quantile_curves(states, level)


def bounded(coefficients: Array, least: Array) -> ContactThresholds:
    """Thresholds with these coefficients, or the least ones; both (2, 3, k)."""
    return ContactThresholds(np.maximum(coefficients, least))


def least_thresholds(robot: WatchedRobot, joints: Sequence[str]) -> Array:
    """Coefficients (2, 3, k) of joints that do not follow from a recording.

    The friction of a joint at rest is anything up to its Coulomb friction, and the model takes
    zero: so large is the residual there, and its step when the joint starts or stops. No
    recording shows all rests. And no residual is more exact than `ACCURACY`.
    """
    coulomb = robot.friction.bounds[0, list(robot.model.indices_of(joints))]
    constant = np.maximum(coulomb, ACCURACY * effort_limits(robot.model, joints))
    return np.multiply.outer([[1.0, 0.0, 0.0]] * len(BANDS), constant)


@dataclass(frozen=True)
class SurveyedRecording(Observation):
    """What thresholds are learned from; plain data.

    Attributes:
        states: residuals and motions of both bands.
        least: (2, 3, k) see `least_thresholds`.
    """

    states: BandStates
    least: Array


def survey_recording(
    recording: Recording, robot: WatchedRobot, name: str, advance: Advance
) -> SurveyedRecording:
    """The residuals of a recording without contact; raises as `observe`."""
    found, states = observe(recording, robot, name, advance)
    bands, least = BandStates.of(states, recording.interval), least_thresholds(robot, found.joints)
    return SurveyedRecording(**vars(found), states=bands, least=least)


@dataclass(frozen=True)
class ThresholdSurvey:
    """The thresholds of some recordings.

    Attributes:
        recordings: at least one, with the same robot, joints and bandwidth.
        states: of all of them.
        thresholds: learned from all of them.
        false_alarms: share of the time above the thresholds before the margin, at most [-].
        margin: factor of what was learned [-].
        tested: the same share, each half of the time with the thresholds of the other half; None
            where the halves are too short.
        exceeded: recording and begin [s] of each alarm of this test, with the margin; or None.
    """

    recordings: tuple[SurveyedRecording, ...]
    states: BandStates
    thresholds: ContactThresholds
    false_alarms: float
    margin: float
    tested: float | None
    exceeded: tuple[tuple[str, float], ...] | None

    @property
    def first(self) -> SurveyedRecording:
        """Whose robot, joints and bandwidth are those of all recordings."""
        return self.recordings[0]

    @property
    def residuals(self) -> Array:
        """(3, k) root mean square, mean and largest of the residuals of all recordings."""
        weights = [one.samples for one in self.recordings]
        rms, bias, largest = np.stack([one.residuals for one in self.recordings], axis=1)
        squares, bias = (np.average(each, 0, weights) for each in (rms**2, bias))
        return np.stack([np.sqrt(squares), bias, largest.max(axis=0)])

    @property
    def mean_limits(self) -> Array:
        """(2, k) threshold of collision and push, on average along the recordings [N m or N]."""
        return self.thresholds.limits(self.states.motions).mean(axis=0)

    @property
    def largest_motion(self) -> Array:
        """(2, k) speed [rad/s or m/s] and acceleration: the share is that of motion like this."""
        return self.states.motions[:, COLLISION].max(axis=0)

    @property
    def still(self) -> tuple[str, ...]:
        """Joints that hardly move: their thresholds are those for standing still."""
        speeds = self.states.motions[:, PUSH, SPEED].mean(axis=0)
        return tuple(compress(self.first.joints, speeds < REST))

    @property
    def doubts(self) -> list[str]:
        """Why the thresholds may not hold, one line each; empty where nothing is known."""
        return [*self._doubts()]

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units."""
        joints = self.first.joints_as_json(self.residuals)
        coefficients, means = self.thresholds.coefficients, self.mean_limits
        for index, values in enumerate(joints.values()):
            values['largest_speed'], values['largest_acceleration'] = self.largest_motion[:, index]
            for row, band in enumerate(BANDS):
                parts = dict(zip(PARTS, coefficients[row, :, index], strict=True))
                values[band] = {**parts, 'mean': means[row, index]}
        times = self.exceeded
        return {
            'robot': self.first.robot,
            'false_alarms': self.false_alarms,
            'tested': self.tested,
            'seconds': self.states.seconds,
            'margin': self.margin,
            'bandwidth': self.first.bandwidth,
            'joints': joints,
            'exceeded': times and [{'recording': name, 'time': time} for name, time in times],
            'doubts': self.doubts,
            'recordings': [one.as_json() for one in self.recordings],
        }

    def _doubts(self) -> Iterator[str]:
        first, still, exceeded = self.first, self.still, self.exceeded
        for one in self.recordings:
            if one.large:
                yield f'large: {one.name}: {one.large}'
        if first.unwatched:
            yield (
                f'unwatched: {", ".join(first.unwatched)}: no threshold, because the effort is '
                'missing or constant'
            )
        if first.missing and len(still) < len(first.joints):
            yield (
                f'locked: {", ".join(first.missing)}: not recorded, so without threshold, and '
                'those of other joints contain the torques of that motion: record all joints'
            )
        if still:
            yield (
                f'still: {", ".join(still)}: mean speed below {REST:g} rad/s or m/s; record the '
                'motions of the application'
            )
        if exceeded is None:
            yield (
                f'short: {self.states.seconds:.3g} s, too little to test thresholds of one half '
                f'on the other; record {2.0 / self.false_alarms:.3g} s'
            )
        elif exceeded:
            name, time = exceeded[0]
            yield (
                f'exceeded: {len(exceeded)} x, first in {name} at {time:.1f} s, by thresholds of '
                'the other half of the recordings; if something touched the robot then, record '
                'again; else record longer, so that both halves have all motions'
            )


def surveyed(
    recordings: Sequence[SurveyedRecording],
    false_alarms: float = FALSE_ALARMS,
    margin: float = MARGIN,
) -> ThresholdSurvey:
    """Learn thresholds from recordings, and test those of each half of the time on the other.

    Args:
        recordings: at least one.
        false_alarms: share of the time in which a threshold is exceeded before the margin, in
            motion like the recorded one, of both bands and all joints together [-].
        margin: factor of what was learned, for motion unlike that [-].

    Raises:
        RecordingError: the recordings have other watched joints, or another bandwidth.
        StateError: they are too short for that share.
    """
    first = recordings[0]
    for one in recordings[1:]:
        if one.joints != first.joints:
            raise RecordingError(
                f'{one.name} has efforts of {", ".join(one.joints)}, {first.name} of '
                f'{", ".join(first.joints)}: learn from them apart'
            )
        if not np.allclose(one.bandwidth, first.bandwidth, rtol=SAME):
            lowest = min(one.bandwidth.min(), first.bandwidth.min())
            raise RecordingError(
                f'{one.name} has another rate of states than {first.name}: give both '
                f'external_bandwidth: [{lowest:.3g}] in a file, --parameters'
            )
    states, least = BandStates.joined([one.states for one in recordings]), first.least
    learned = calibrated_quantiles(states, false_alarms, least)
    names = np.concatenate([[one.name] * len(one.states.times) for one in recordings])
    halves, tested, exceeded = states.halves, None, None
    with suppress(StateError):
        # Of each half, what the other one teaches.
        taught = [calibrated_quantiles(half, false_alarms, least) for half in halves[::-1]]
        above, alarms = (
            np.concatenate(
                [
                    half.above(bounded(factor * known, least))
                    for half, known in zip(halves, taught, strict=True)
                ]
            )
            for factor in (1.0, margin)
        )
        rows = np.flatnonzero(alarms)
        # Of another recording, times begin anew.
        rows = rows[np.abs(np.diff(states.times[rows], prepend=np.inf)) > APART]
        tested = float(above.mean())
        exceeded = tuple((str(names[row]), float(states.times[row])) for row in rows)
    return ThresholdSurvey(
        tuple(recordings),
        states,
        bounded(margin * learned, least),
        false_alarms,
        margin,
        tested,
        exceeded,
    )
