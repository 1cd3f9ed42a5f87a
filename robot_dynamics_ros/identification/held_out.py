"""Measured torques beside those of URDF and identified model; residuals with intervals.

The fitted part of a recording shows what the model leaves where it was fitted, the held-out part
how it predicts. Intervals of a residual are those of the logarithm of the mean square by a
jackknife over `BLOCKS` blocks of time, with Student's distribution. So few blocks, of an eighth of
the time, are longer than most residuals are correlated, whatever their law (B. Schmeiser, "Batch
size effects in the analysis of simulation output", 1982; R. Ibragimov, U. Mueller, "t-statistic
based correlation and heterogeneity robust inference", 2010).

White noise that has passed a low pass is correlated over a time of 1 / cutoff. What a residual has
beyond that is torque that the model lacks (G. M. Ljung, G. E. P. Box, "On a measure of lack of fit
in time series models", 1978: the deviation of autocorrelations of noise is 1 / sqrt(N)).

A held-out motion that repeats the fitted one cannot judge the model: it follows the noise of the
fitted samples, or has errors that this motion does not show. For the dynamics a motion is a
repetition where the velocities are the same and the torques of the URDF too, which depend on pose
and acceleration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.low_pass import SIDE, half_length, kernels

from .equations import Equations
from .motion_equations import at_rest
from .parameters import Flags

# Of the usual interval: two equations that are farther apart do not follow each other.
GAP = 1.5
# Blocks of the jackknife, how long one is at least [s], and the fewest that allow an interval.
BLOCKS, SHORTEST, FEWEST_BLOCKS = 8, 1.0, 5
# End of a 95 % interval.
HIGH = 0.975
# Of normal noise, the standard deviation relative to the median of the absolute value.
NORMAL = 1.4826
# Lags that are looked at, each of 1 / (2 cutoff).
LAGS = 20
# Standard deviations of an autocorrelation of noise, above which one of LAGS is not noise.
DEVIATIONS = 3.5
# Largest bound of the autocorrelation at which anything is said: few samples hide what repeats.
LARGEST_BOUND = 0.5
# Samples of the kernel in 1 / cutoff, for its autocorrelation.
FINE = 64.0
# Time between two beginnings of fitted windows, between the points of a window, and length [s];
# and one of so many windows of the held-out part is looked for.
STEP, POINT_STEP, LENGTH, STRIDE = 0.02, 0.1, 1.0, 25
# Of the range of a velocity: windows in which no joint is faster repeat each other, as rest does.
LEAST_MOTION = 0.1
# Of the largest range of a torque: a smaller range is mostly noise of accelerations.
LEAST_TORQUE = 0.1
# Windows are the same if they differ by less, root mean square over columns and points, each as a
# share of the range of its column.
SAME = 0.05
# Windows of the held-out part that are looked for at most, and fewest that allow a statement.
MOST_WINDOWS, FEWEST_WINDOWS = 200, 3


def split_motions(motions: Iterable[Motion], split: float) -> Iterator[tuple[bool, Motion]]:
    """The fitted and the held-out parts of motions, each with whether it is held out.

    No raw sample of a held-out motion is in a fitted one.

    Args:
        motions: of a recording.
        split: time at which its held-out part begins, which may be infinite [s].
    """
    for motion in motions:
        # Time on each side of a filtered sample whose raw samples it depends on [s].
        margin = (half_length(motion.cutoff, motion.rate) + SIDE) / motion.rate
        for held_out, chosen in (
            (False, motion.times < split - margin),
            (True, motion.times >= split + margin),
        ):
            if chosen.any():
                # Those that are chosen are at one of its ends.
                first, last = np.flatnonzero(chosen)[[0, -1]].tolist()
                part = motion.part(slice(first, last + 1))
                yield held_out, replace(part, begins=True, number=0) if first else part


@dataclass(frozen=True)
class Torques:
    """The torques of a recording, all filtered alike, at equal intervals but for gaps.

    Attributes:
        file: name of the recording.
        times: (N,) [s].
        begins: (N,) whether a gap, or the border of the held-out part, lies before a sample.
        held_out: (N,) whether it was held out.
        velocities: (N, n) [rad/s or m/s].
        measured: (N, n) NaN where the effort is missing or saturated [N m or N].
        nominal: (N, n) of the URDF.
        identified: (N, n) of the identified model.
        rests: (N, n) whether the joint rests: what holds it then is friction that no model knows.
        interval: between two samples [s]; NaN with one sample.
    """

    file: str
    times: Array
    begins: Flags
    held_out: Flags
    velocities: Array
    measured: Array
    nominal: Array
    identified: Array
    rests: Flags
    interval: float

    def __len__(self) -> int:
        return len(self.times)

    @classmethod
    def of_equations(
        cls,
        file: str,
        parts: Iterable[tuple[bool, Equations]],
        model: RobotModel,
        nominal: Array,
        identified: Array,
    ) -> Torques:
        """The torques of equations, in which slow joints count.

        Args:
            file: name of the recording.
            parts: in the order of time, each with whether it is held out.
            model: whose joints they are of.
            nominal: parameters (p,) of the URDF.
            identified: parameters (p,) of the identified model.
        """
        nothing = np.empty((0, len(model.joint_names)))
        columns = [(nothing[:, 0], *[nothing] * 4)]
        flags: list[Flags] = []
        for held_out, part in parts:
            measured = np.where(part.used, part.measured(identified), np.nan)
            predicted = [part.predicted(one) for one in (nominal, identified)]
            columns.append((part.times, part.velocities, measured, *predicted))
            flags.append(np.full(len(part), held_out))
        times, velocities, efforts, urdf, own = (
            np.concatenate(part) for part in zip(*columns, strict=True)
        )
        held = np.concatenate([*flags, np.empty(0, bool)])
        steps = np.diff(times, prepend=np.nan)
        interval = float(np.median(steps[1:])) if len(times) > 1 else float('nan')
        begins = ~((steps > 0.0) & (steps < GAP * interval)) | np.diff(held, prepend=False)
        rests = np.zeros(velocities.shape, bool)
        result = cls(file, times, begins, held, velocities, efforts, urdf, own, rests, interval)
        bands = dead_bands(model)
        for rows in result.pieces():
            rests[rows] = at_rest(np.abs(velocities[rows]) < bands, interval)
        return result

    def pieces(self) -> Iterator[slice]:
        """Rows that follow each other without a gap."""
        borders = [*np.flatnonzero(self.begins).tolist(), len(self)]
        yield from (slice(start, stop) for start, stop in pairwise(borders))

    def part(self, chosen: Flags | slice) -> Torques:
        """Some of its samples, such as those of the held-out part."""
        rows = {
            one.name: getattr(self, one.name)[chosen]
            for one in fields(self)
            if isinstance(getattr(self, one.name), np.ndarray)
        }
        return replace(self, **rows)

    @property
    def judged(self) -> Array:
        """(N, n) measured, NaN also where the joint rests [N m or N]."""
        return np.where(self.rests, np.nan, self.measured)

    @property
    def residual(self) -> Array:
        """(N, n) measured minus identified, NaN also where the joint rests [N m or N]."""
        return self.judged - self.identified


@dataclass(frozen=True)
class Residuals:
    """Root mean squares over the samples of joints that move, with an effort.

    Attributes:
        moving: (n,) samples of the joint while it moves, with an effort or without.
        counts: (n,) those with an effort.
        measured: (n,) RMS of the effort; NaN without a sample, as all that follow [N m or N].
        nominal: (n,) RMS of the residual of the URDF [N m or N].
        identified: (n,) RMS of the residual of the identified model [N m or N].
        deviations: (n,) standard deviation of the effort; 0 without a sample [N m or N].
        usual: (n,) that of normal noise with the median of the residual of the identified model:
            what touched the robot for less than half of the time hardly changes it [N m or N].
        changes: (2, B, n) of the logarithms of `identified` and of `gain` without each block.
        blocks: (n,) number of the blocks with samples of each joint.
    """

    moving: Array
    counts: Array
    measured: Array
    nominal: Array
    identified: Array
    deviations: Array
    usual: Array
    changes: Array
    blocks: Array

    @property
    def gain(self) -> Array:
        """identified / nominal (n,) [-]."""
        with np.errstate(all='ignore'):
            return self.identified / self.nominal

    @property
    def interval(self) -> Array:
        """(2, n) 95 % interval of `identified`; NaN with too few blocks [N m or N]."""
        return _interval(self.identified, self.changes[0], self.blocks)

    @property
    def gain_interval(self) -> Array:
        """(2, n) 95 % interval of `gain`; NaN with too few blocks [-]."""
        return _interval(self.gain, self.changes[1], self.blocks)

    def mean_gain(self, chosen: Flags) -> tuple[float, float, float]:
        """Geometric mean of the ratios of some joints (n,), begin and end of its interval [-]."""
        with np.errstate(all='ignore'):
            mean = np.exp(np.log(np.maximum(self.gain[chosen], 1e-12)).mean(keepdims=True))
        changes = self.changes[1][:, chosen].mean(axis=1, keepdims=True)
        low, high = _interval(mean, changes, self.blocks[chosen].min(keepdims=True))[:, 0]
        return float(mean[0]), float(low), float(high)


def _interval(values: Array, changes: Array, blocks: Array) -> Array:
    """(2, n) 95 % interval of values (n,) by the jackknife, see `Residuals`."""
    special = required('scipy.special', 'identification')
    free = np.maximum(1.0, blocks - 1.0)
    variance = free / np.maximum(2.0, blocks) * (changes**2).sum(axis=0)
    width = special.stdtrit(free, HIGH) * np.sqrt(variance)
    width = np.where(blocks >= FEWEST_BLOCKS, width, np.nan)
    return values * np.exp(np.stack([-width, width]))


def residuals(parts: Sequence[Torques]) -> Residuals:
    """Of all samples of some parts of recordings.

    Args:
        parts: one at least, of the same joints.
    """
    judged, nominal, identified = (
        np.concatenate([getattr(one, name) for one in parts])
        for name in ('judged', 'nominal', 'identified')
    )
    known = np.isfinite(judged)
    effort = np.where(known, judged, 0.0)
    errors = [np.where(known, judged - model, 0.0) for model in (nominal, identified)]
    columns = [known, effort, *(one**2 for one in (effort, *errors))]
    sums = np.zeros((len(columns), 0, judged.shape[1]))
    if borders := _blocks(parts):
        sums = np.stack([np.add.reduceat(one.astype(float), borders) for one in columns])
    total = sums.sum(axis=1)
    with np.errstate(all='ignore'):
        rms = np.sqrt(total[2:] / total[0])
        variances = rms[0] ** 2 - (total[1] / total[0]) ** 2
        # Logarithms of the sums without each block, relative to those of all.
        counts, urdf, model = np.log1p(-sums[[0, 3, 4]] / total[[0, 3, 4], None])
        changes = 0.5 * np.stack([model - counts, model - urdf])
    moving = np.sum([(~one.rests).sum(axis=0) for one in parts], axis=0).astype(float)
    deviations = np.sqrt(np.maximum(np.nan_to_num(variances), 0.0))
    sizes = [np.abs(errors[1][rows, joint]) for joint, rows in enumerate(known.T)]
    usual = np.array([NORMAL * np.median(one) if one.size else 0.0 for one in sizes])
    blocks = (sums[0] > 0.0).sum(axis=0)
    return Residuals(moving, total[0], rms[0], rms[1], rms[2], deviations, usual, changes, blocks)


def _blocks(parts: Sequence[Torques]) -> list[int]:
    """First rows of about equal blocks of time, into which the pieces of all parts are divided."""
    seconds = sum(len(one) * one.interval for one in parts if len(one) > 1)
    length, first = max(seconds / BLOCKS, SHORTEST), 0
    starts: list[int] = []
    for one in parts:
        for rows in one.pieces():
            size = rows.stop - rows.start
            count = max(1, round(size * one.interval / length)) if len(one) > 1 else 1
            starts += [first + rows.start + index * size // count for index in range(count)]
        first += len(one)
    return starts


def whiteness(
    torques: Sequence[Torques], cutoff: float, rate: float
) -> tuple[list[bool | None], Array]:
    """Whether residuals are noise, and what share of their variance earlier values predict.

    Args:
        torques: of parts of recordings, one at least, of the same joints.
        cutoff: of the low pass that they have passed [Hz].
        rate: of the samples [Hz].

    Returns:
        Of each joint, whether no autocorrelation is certainly other than that of filtered noise,
        None where too few samples are known; (n,) the square of the largest autocorrelation, at
        most 1, NaN without samples.
    """
    step = max(1, round(rate / (2.0 * cutoff)))
    products, counts = np.zeros((2, LAGS + 1, torques[0].measured.shape[1]))
    for residual in (one.residual[rows] for one in torques for rows in one.pieces()):
        known = np.isfinite(residual)
        values = np.where(known, residual, 0.0)
        for lag in range(len(counts)):
            end = max(0, len(values) - lag * step)
            products[lag] += (values[:end] * values[lag * step :]).sum(axis=0)
            counts[lag] += (known[:end] & known[lag * step :]).sum(axis=0)
    # The autocorrelation that the low pass gives to white noise.
    kernel = kernels(1.0, FINE)[0]
    lags = np.rint(FINE * cutoff * step / rate * np.arange(LAGS + 1)).astype(int)
    overlaps = [kernel[: max(0, len(kernel) - lag)] @ kernel[lag:] for lag in lags]
    filtered = np.array(overlaps)[1:, None] / overlaps[0]
    with np.errstate(all='ignore'):
        means = products / counts
        beyond = means[1:] / means[0] - filtered
        bound = DEVIATIONS * np.sqrt(step / counts[1:])
        far = np.any(np.abs(beyond) > bound, axis=0)
    is_noise = [
        not one if enough else None
        for one, enough in zip(far.tolist(), bound[0] < LARGEST_BOUND, strict=True)
    ]
    # The low pass alone correlates noise by less than 0: what is there then is not noise.
    beyond = np.clip(beyond + np.minimum(filtered, 0.0), 0.0, 1.0)
    return is_noise, np.fmax.reduce(beyond) ** 2


def repeated_share(torques: Sequence[Torques]) -> float:
    """The share of the held-out windows that move and occur in the fitted part.

    Returns:
        From 0 to 1; NaN where the held-out part has too few windows that move.
    """
    fitted, held_out = (list(_stretches(torques, later)) for later in (False, True))
    if not held_out:
        return float('nan')
    ranges = np.ptp(np.concatenate([*fitted, *held_out]), axis=0)
    size = len(ranges) // 2
    ranges[size:] = np.maximum(ranges[size:], LEAST_TORQUE * ranges[size:].max())
    # A joint that stands still does not count.
    ranges[ranges == 0.0] = np.inf
    windows = np.concatenate([_windows(one / ranges)[::STRIDE] for one in held_out])
    moving = windows[np.abs(windows[:, :size]).max(axis=(1, 2)) > LEAST_MOTION]
    if len(moving) < FEWEST_WINDOWS:
        return float('nan')
    chosen = np.linspace(0, len(moving) - 1, min(len(moving), MOST_WINDOWS)).astype(int)
    wanted = moving[chosen].reshape(len(chosen), -1)
    others = [_windows(one / ranges).reshape(-1, wanted.shape[1]) for one in fitted]
    others.append(np.empty((0, wanted.shape[1])))
    spatial = required('scipy.spatial', 'identification')
    tree, far = spatial.KDTree(np.concatenate(others)), SAME * np.sqrt(wanted.shape[1])
    return float(np.isfinite(tree.query(wanted, distance_upper_bound=far)[0]).mean())


def _stretches(torques: Sequence[Torques], held_out: bool) -> Iterator[Array]:
    """Velocities and torques of the URDF (N, 2 n) without a gap, each `STEP`."""
    for one in torques:
        for rows in one.pieces():
            times = one.times[rows]
            if one.held_out[rows.start] == held_out and np.ptp(times) > LENGTH:
                values = np.hstack([one.velocities[rows], one.nominal[rows]])
                grid = np.arange(times[0], times[-1], STEP)
                yield np.stack([np.interp(grid, times, each) for each in values.T], axis=1)


def _windows(shares: Array) -> Array:
    """Windows (k, c, points) of columns (N, c) as shares of their ranges, one for each row."""
    step = round(POINT_STEP / STEP)
    return sliding_window_view(shares, round(LENGTH / STEP), axis=0)[:, :, ::step]
