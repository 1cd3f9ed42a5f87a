"""Why the estimate of a payload must not be used, in words for whoever moves the arm."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .payload_fit import PayloadFit

# What the 95 % interval must be narrower than, to both sides: a share of the mass; a distance of
# the centre [m].
MASS_SHARE, DISTANCE = 0.1, 0.02
# Of the mass of a robot: no model is better than that, and no payload is smaller.
MODEL_ERROR = 1e-3
# Blocks of time that an interval needs.
LEAST_BLOCKS = 4
# A driver whose efforts lack that share of the gravity torque has not measured what a payload
# changes; the share must be that certain [standard deviations].
LACKING, CERTAIN = 0.4, 4.0
# A smaller mass is a rounding error [kg].
ROUNDING = 1e-6


def refusal(
    joints: tuple[str, ...],
    fit: PayloadFit,
    counts: Array,
    interval: Array,
    share: PayloadFit | None,
    error: float,
) -> str:
    """Why the mass is not determined; empty where it is.

    Args:
        joints: names of the joints of the equations.
        fit: of the payload.
        counts: (r,) equations of each joint.
        interval: (10,) half of the 95 % intervals of `fit.theta`.
        share: a fit with the share of gravity that the efforts lack; None for an estimate against
            recordings without the payload.
        error: mass that may be the error of the model [kg].
    """
    if not counts.any():
        return (
            f'no joint that carries the link moves, of {", ".join(joints)}: move them, faster '
            'than 0.02 rad/s'
        )
    if fit.blocks < LEAST_BLOCKS:
        return (
            f'the motion is too short, {fit.blocks} s of {LEAST_BLOCKS} s that an interval needs: '
            'go on moving, or record longer'
        )
    gravity = '' if share is None else _gravity_refusal(share)
    return gravity or _mass_refusal(joints, fit, counts, interval, share is None, error)


def centre_refusal(frame: str, theta: Array, interval: Array) -> str:
    """Why a known mass must not be used: its weight acts at an unknown place."""
    center, width = (
        ', '.join(f'{1e3 * x:.0f}' for x in values[1:4]) for values in (theta, interval)
    )
    return (
        f'{theta[0]:.4g} +- {interval[0]:.2g} kg on {frame}; the motion does not determine the '
        f'centre of mass, ({center}) +- ({width}) mm, +- {1e3 * DISTANCE:.0f} mm is needed: turn '
        'the link about several axes, or call set_payload with this mass and a centre that you '
        'know'
    )


def heavy(mass: float, error: float) -> str:
    """That a mass is more than that of the robot; empty where it is not, or not known.

    Args:
        mass: [kg].
        error: mass that may be the error of the model [kg].
    """
    robot = error / MODEL_ERROR
    if not 0.0 < robot < mass:
        return ''
    return f'more than the robot itself has, {_number(robot, 3)} kg: are the efforts in N m?'


def _gravity_refusal(share: PayloadFit) -> str:
    """That the efforts do not contain the gravity torque of the robot; empty where they do."""
    lacking, deviation = -float(share.others[0]), float(share.others_deviation[0])
    if abs(lacking) <= max(LACKING, CERTAIN * deviation):
        return ''
    if lacking < 0.0:
        return (
            f'the measured efforts contain {_number(1.0 - lacking, 2)} times the gravity torque '
            'of the robot: their unit is not N m, or the robot is not that of the description; '
            'they do not determine a payload'
        )
    percent = f'{100.0 * lacking:.0f} +- {200.0 * deviation:.0f} %'
    lack = f'{percent} of' if lacking <= 1.0 + 2.0 * deviation else 'all of'
    return (
        f'the measured efforts lack {lack} the gravity torque of the robot: the driver takes '
        'gravity out of them, or their unit is not N m; they do not determine a payload'
    )


def _mass_refusal(
    joints: tuple[str, ...],
    fit: PayloadFit,
    counts: Array,
    interval: Array,
    compared: bool,
    error: float,
) -> str:
    """Why the mass is none; `compared` with recordings without the payload, or with a model."""
    mass, width = float(fit.theta[0]), float(interval[0])
    text = f'the mass is {_number(mass, 3)} +- {_number(width, 2)} kg'
    if mass < -max(width, error):
        less = (
            'in the recordings without the payload: are these exchanged?'
            if compared
            else 'its description has: is a hand or tool of the description not mounted, or are '
            'the efforts not in N m?'
        )
        return f'{text}, the arm carries less than {less}'
    if mass <= max(width, error):
        if width < error:
            why = f', as the error of the model may be {_number(error, 2)} kg'
        else:
            most = _number(mass + width, 2)
            why = f': up to {most} kg may be carried{_advice(joints, counts)}'
        return f'{text}: no payload, or one that cannot be distinguished from none{why}'
    if width <= MASS_SHARE * mass:
        return ''
    if doubt := heavy(mass - width, error):
        return f'{text}, {doubt}'
    return f'{text}, +- {100.0 * MASS_SHARE:.0f} % is needed{_advice(joints, counts)}'


def _advice(joints: tuple[str, ...], counts: Array) -> str:
    still = ', '.join(joints[index] for index in np.flatnonzero(counts == 0.0))
    moved = f', also {still}, which did not move or have no effort' if still else ''
    return f'; move longer and wider, against gravity{moved}'


def _number(value: float, digits: int) -> str:
    """A number without an exponent, where it is of a size that occurs."""
    return '0' if abs(value) < ROUNDING else f'{float(f"{value:.{digits}g}"):g}'
