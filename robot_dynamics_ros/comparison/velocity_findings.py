"""Findings about velocities that are not the derivatives of the positions beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .comparison import Finding
from .evidence.excerpts import Window

# A joint whose positions change more slowly, root mean square, is not judged [rad/s], [m/s].
TURNING, SLIDING = 0.05, 0.01
# RMS of a velocity that is zero, of that of the derivative.
ZERO = 0.02
# Correlations from which on two signals are the same but for a factor, and below which they are
# different ones: noise, and the filter of a driver, lie between.
ALIKE, UNLIKE = 0.9, 0.5
# By how much the correlation with another joint is larger where the velocity is that of it.
BETTER = 0.2
# Neither the filter of a driver nor differences of samples at four times the cutoff change a
# velocity by more than this factor.
FACTOR = 1.6
# What a factor says, to 5 %.
NEAR = 0.05
UNITS = {
    180.0 / np.pi: 'deg/s beside rad',
    np.pi / 180.0: 'rad/s beside degrees',
    30.0 / np.pi: 'turns per minute beside rad',
    0.5 / np.pi: 'turns per second beside rad',
    1e3: 'mm/s beside m',
    1e-3: 'm/s beside mm',
}
REMEDY = (
    'Correct that in the driver, or leave the velocities out: they are derived from the positions '
    'then.'
)


@dataclass(frozen=True)
class _Likeness:
    """Velocities and derivatives of positions (N, n), compared.

    Attributes:
        velocities: (n,) root mean square of the velocities [rad/s or m/s].
        rates: (n,) the same of the derivatives.
        correlations: (n, n) of the velocity of a joint (row) with the derivative of each.
    """

    velocities: Array
    rates: Array
    correlations: Array

    @classmethod
    def of(cls, windows: Iterable[Window], size: int) -> _Likeness:
        products, squares, count = np.zeros((size, size)), np.zeros((2, size)), 0
        for window in windows:
            rates = np.gradient(window.positions, window.interval, axis=0)
            products += window.velocities.T @ rates
            squares += (window.velocities**2).sum(axis=0), (rates**2).sum(axis=0)
            count += len(rates)
        velocities, rates = np.sqrt(squares / max(count, 1))
        scale = max(count, 1) * np.outer(velocities, rates)
        return cls(velocities, rates, products / np.where(scale > 0.0, scale, np.inf))

    @property
    def own(self) -> Array:
        """(n,) correlation of the velocity of each joint with its own derivative."""
        return np.diag(self.correlations)

    @property
    def gains(self) -> Array:
        """(n,) factor of the velocity of each joint; 0 where its derivative is zero."""
        rates = np.where(self.rates > 0.0, self.rates, np.inf)
        return np.asarray(self.own * self.velocities / rates)


def velocity_findings(model: RobotModel, windows: Iterable[Window]) -> Iterator[Finding]:
    """Joints whose velocities do not belong to their positions.

    Args:
        model: whose joints they are.
        windows: of the recordings.
    """
    like = _Likeness.of(windows, model.size)
    slides = np.array([joint.kind == 'prismatic' for joint in model.independent_joints])
    moved = like.rates > np.where(slides, SLIDING, TURNING)
    alike = np.abs(like.own) > ALIKE
    zero = moved & ~alike & (like.velocities < ZERO * like.rates)
    scaled = moved & alike & ((like.gains < 1.0 / FACTOR) | (like.gains > FACTOR))
    best = like.correlations.max(axis=1)
    belongs = moved & (best > ALIKE) & (np.abs(like.own) < best - BETTER)
    unlike = moved & ~zero & ~belongs & (np.abs(like.own) < UNLIKE)
    names = np.array(model.joint_names)
    turned = scaled & (np.abs(like.gains + 1.0) < NEAR)
    if zero.any():
        yield _finding(names[zero], 0.0, 'are 0, though the positions change')
    if turned.any():
        yield _finding(
            names[turned], -1.0, 'have the opposite sign of the derivatives of the positions'
        )
    other = scaled & ~turned
    yield from _scaled(names[other], like.gains[other])
    if belongs.any():
        others = np.argmax(like.correlations, axis=1)
        pairs = (f'{names[others[one]]} under {names[one]}' for one in np.flatnonzero(belongs))
        what = f'are those of other joints: that of {", ".join(pairs)}'
        yield _finding(names[belongs], None, what)
    if unlike.any():
        numbers = ', '.join(f'{value:.2g}' for value in like.own[unlike])
        what = f'are not the derivatives of the positions: correlation {numbers}'
        yield _finding(names[unlike], None, what)


def check_velocities(name: str, model: RobotModel, windows: Iterable[Window]) -> None:
    """Refuse a recording whose velocities do not belong to its positions.

    Args:
        name: of the recording.
        model: whose joints they are.
        windows: of the recording.

    Raises:
        RecordingError: they do not.
    """
    for wrong in velocity_findings(model, windows):
        raise RecordingError(f'{name}: {wrong.message}')


def _scaled(names: npt.NDArray[np.str_], gains: Array) -> Iterator[Finding]:
    """One finding for each unit, and one for all other factors."""
    units = np.array([_unit(gain) for gain in gains.tolist()])
    for unit in dict.fromkeys(units.tolist()):
        which = units == unit
        gain = float(np.median(gains[which]))
        factors = f'{gain:.3g}' if unit else ', '.join(f'{one:.3g}' for one in gains[which])
        why = f'as {unit}' if unit else 'in another unit, or the stamps run at another speed'
        what = f'are {factors} times the derivatives of the positions, {why}'
        yield _finding(names[which], gain, what)


def _unit(gain: float) -> str:
    """What a factor may be from; empty if unknown."""
    near = (unit for factor, unit in UNITS.items() if abs(gain / factor - 1.0) < NEAR)
    return next(near, '')


def _finding(names: npt.NDArray[np.str_], value: float | None, what: str) -> Finding:
    joints = tuple(names.tolist())
    text = f'The velocities of {", ".join(joints)} {what}. {REMEDY}'
    return Finding('velocities', joints, value, text)
