"""Findings about the data of an identification: what no estimate can make good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.comparison.scale_findings import CURRENT, causes_of_scale
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.checks import Array

from .effort_limits import is_exceeded
from .judgement import FEWEST
from .survey import Survey

# [rad or m]: a joint whose positions cover less shows nothing.
STILL = 1e-2
# An effort is saturated where it stays at its extreme for this time [s], in this share of all
# samples, and for so many times as long as at any other effort: steps of a coarse resolution are
# longer at a peak, up to five times as long as beside it.
HELD, HELD_SHARE, HELD_LONGER = 0.1, 0.005, 5.0
# Share of the deviation of the effort that an identified model of the right robot does not leave.
LEFT = 0.4
# Of the largest deviation of all joints, measured: a joint with less is not loaded.
LOADED = 0.02


def check_motion(model: RobotModel, survey: Survey) -> None:
    """Refuse recordings that show nothing of the dynamics.

    Args:
        model: whose joints they are.
        survey: of all recordings.

    Raises:
        ParameterError: no joint moves, or no effort was measured.
    """
    names, spans = model.joint_names, survey.span[1] - survey.span[0]
    moved = spans > STILL
    if not moved.any():
        raise ParameterError(
            f'no joint moves: the largest range of a position is {spans.max():.2g} rad or m (of '
            f'{names[int(np.argmax(spans))]}), at least {STILL:g} is needed: record a motion of '
            'all joints, such as that of robot_dynamics excite'
        )
    measured = np.isfinite(survey.range).all(axis=0) & (survey.range[1] > survey.range[0])
    if not (measured & moved).any():
        raise ParameterError(
            'no joint that moves has a measured effort: the efforts are missing, zero or '
            'constant; look for the setting of the driver that publishes them'
        )


def motion_findings(names: Sequence[str], moved: npt.NDArray[np.bool_]) -> Iterator[Finding]:
    """Joints that do not move.

    Args:
        names: of the joints.
        moved: (n,) which joints move.
    """
    still = tuple(name for name, one in zip(names, moved, strict=True) if not one)
    if not still:
        return
    only = [name for name, one in zip(names, moved, strict=True) if one]
    if len(only) == 1:
        begin = f'Only one joint moves, {only[0]}'
    else:
        begin = f'{", ".join(still)} {"stands" if len(still) == 1 else "stand"} still'
    yield Finding(
        'still',
        still,
        None,
        f'{begin}. Friction at rest is not known: the equations of joints that stand still do not '
        'count, and what only their motion shows stays as the URDF says. Record a motion '
        'of all joints, such as that of robot_dynamics excite.',
    )


def held_out_findings(
    names: Sequence[str], moved: npt.NDArray[np.bool_], judged: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
    """Joints that move, and do not or hardly do so on the held-out part.

    Args:
        names: of the joints.
        moved: (n,) which joints move in the recordings.
        judged: (n,) which joints move for long enough on the held-out part.
    """
    resting = tuple(np.array(names)[moved & ~judged].tolist())
    if not resting:
        return
    begin, those = (
        (f'{", ".join(resting)} moves', 'this joint is')
        if len(resting) == 1
        else (f'{", ".join(resting)} move', 'these joints are')
    )
    yield Finding(
        'held_out_rest',
        resting,
        None,
        f'{begin} in fewer than {FEWEST} samples of the held-out part: {those} not judged. Hold '
        'out a recording in which all joints move, --held-out BAG.',
    )


def saturation_findings(model: RobotModel, survey: Survey, interval: float) -> Iterator[Finding]:
    """Joints whose effort stays at its smallest or largest value.

    Args:
        model: whose joints they are.
        survey: of all recordings.
        interval: between two samples [s].
    """
    for side, joint in _saturated(survey, interval):
        name, limit = model.joint_names[joint], model.effort_bounds[joint]
        value, held = survey.range[side, joint], survey.longest[side, joint] * interval
        near = np.isfinite(limit) and abs(value) > 0.95 * limit
        yield Finding(
            'saturated',
            (name,),
            float(value),
            f'The effort of {name} stays at {value:.4g} for up to {held:.2g} s while it moves, in '
            f'{100.0 * survey.at_limit[side, joint] / survey.samples:.2g} % of the samples'
            + (f' (limit of the URDF: {limit:g})' if near else '')
            + ': it is saturated, and these samples do not count. Record a slower motion.',
        )


def saturation_levels(
    model: RobotModel, survey: Survey, interval: float
) -> Mapping[str, tuple[float, float]]:
    """The efforts at which each saturated joint is saturated, by name.

    Args:
        model: whose joints they are.
        survey: of all recordings.
        interval: between two samples [s].

    Returns:
        The smallest and the largest effort [N m, N or A]; NaN where it does not saturate, and
        infinite where the limit of the description does not count, as efforts exceed it.
    """
    exceeded = is_exceeded(model, survey)
    levels = {
        name: (-np.inf, np.inf)
        for name, one in zip(model.joint_names, exceeded, strict=True)
        if one
    }
    for side, joint in _saturated(survey, interval):
        name, value = model.joint_names[joint], float(survey.range[side, joint])
        low, high = levels.get(name, (np.nan, np.nan))
        levels[name] = (low, value) if side else (value, high)
    return levels


def saturated_shares(survey: Survey, interval: float) -> Array:
    """Share (n,) of all samples in which the effort of a joint is saturated [-].

    Args:
        survey: of all recordings.
        interval: between two samples [s].
    """
    shares = np.zeros(survey.span.shape[1])
    for side, joint in _saturated(survey, interval):
        shares[joint] += survey.at_limit[side, joint] / survey.samples
    return shares


def _saturated(survey: Survey, interval: float) -> list[tuple[int, int]]:
    """Sides (0: smallest effort, 1: largest) and joints that saturate, by joint."""
    # No drive has its limit at 0, and coarse steps alone leave nothing between two efforts.
    held = (
        (survey.range[1] > survey.range[0])
        & (survey.range != 0.0)
        & (survey.elsewhere > 0.0)
        & (survey.longest * interval >= HELD)
        & (survey.at_limit >= HELD_SHARE * survey.samples)
        & (survey.longest > HELD_LONGER * survey.elsewhere)
    )
    return [(side, joint) for joint, side in np.argwhere(held.T).tolist()]


def small_efforts(
    names: Sequence[str], measured: Array, missed: Array, moved: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
    """Efforts that are far smaller than the torques of the description, where no body fits them.

    Args:
        names: of the joints.
        measured: (n,) RMS of the measured efforts [N m or N]; NaN where not measured.
        missed: (n,) RMS of what the description leaves of them [N m or N].
        moved: (n,) which joints move.
    """
    # The torque that is described is at least what is left of the effort, less the effort.
    with np.errstate(all='ignore'):
        shares = measured / (missed - measured)
    # Of a joint that is hardly loaded, or not measured, a ratio says nothing.
    judged = moved & (measured > LOADED * np.nanmax(measured, initial=0.0))
    small = judged & (shares > 0.0) & (shares < 1.0 / CURRENT)
    if not judged.any() or 2 * np.count_nonzero(small) < np.count_nonzero(judged):
        return
    listed = ', '.join(
        f'{name} {share:.2g}' for name, share, one in zip(names, shares, small, strict=True) if one
    )
    yield Finding(
        'current',
        tuple(name for name, one in zip(names, small, strict=True) if one),
        float(np.median(shares[small])),
        'The efforts are far smaller than the torques of the URDF; their ratio is at most '
        f'{listed}. {causes_of_scale(shares[small].tolist())}',
    )


def robot_findings(
    names: Sequence[str], measured: Array, left: Array, moved: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
    """Data that no inertia, friction or offset explains: of another robot, or of other joints.

    It is decided on what was fitted: the held-out part may differ by what happened there alone.

    Args:
        names: of the joints.
        measured: (n,) standard deviation of the fitted efforts [N m or N].
        left: (n,) usual residual of the identified model where it was fitted [N m or N].
        moved: (n,) which joints move.
    """
    judged = moved & (measured > LOADED * measured.max(initial=0.0))
    with np.errstate(all='ignore'):
        shares = np.where(judged, left / measured, 0.0)
    bad = shares > LEFT
    if not judged.any() or 2 * np.count_nonzero(bad) < np.count_nonzero(judged):
        return
    listed = ', '.join(
        f'{name} {100.0 * share:.0f} %' for name, share in zip(names, shares, strict=True)
        if share > LEFT
    )  # fmt: skip
    yield Finding(
        'wrong_robot',
        tuple(name for name, one in zip(names, bad, strict=True) if one),
        float(shares.max()),
        'No inertia, friction or offset of this robot explains the efforts that were fitted: '
        f'the residual is {listed} of their deviation. The recording is of another robot, or of '
        'other joints or directions than the names say: look at --urdf and --rename.',
    )
