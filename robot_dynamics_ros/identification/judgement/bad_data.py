"""Findings about the data of an identification: what no estimate can make good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.checks import Array

from .survey import Survey

# [rad or m]: a joint that moves less stands still, and one that moves by a smaller share of the
# range of the joint that moves most: the servo of a joint that is held yields a little.
STILL, STILL_SHARE = 1e-2, 0.05
# An effort is saturated where it stays at its extreme for this time [s], and in this share of all
# samples.
HELD, HELD_SHARE = 0.1, 0.005
# A description is not wrong by more than this factor; a current is.
CURRENT = 2.0
# Share of the RMS of the effort that an identified model of the right robot does not leave.
LEFT = 0.4
# Of the largest RMS of all joints, measured: a joint with less is not loaded.
LOADED = 0.02


def moving(model: RobotModel, seen: Survey) -> npt.NDArray[np.bool_]:
    """Which joints (n,) move.

    Args:
        model: whose joints they are.
        seen: of all recordings.
    """
    spans = seen.span[1] - seen.span[0]
    sliding = np.array([joint.kind == 'prismatic' for joint in model.independent_joints])
    largest = np.where(sliding, spans[sliding].max(initial=0.0), spans[~sliding].max(initial=0.0))
    result: npt.NDArray[np.bool_] = spans > np.maximum(STILL, STILL_SHARE * largest)
    return result


def check_motion(model: RobotModel, seen: Survey) -> None:
    """Refuse recordings that show nothing of the dynamics.

    Args:
        model: whose joints they are.
        seen: of all recordings.

    Raises:
        ParameterError: no joint moves, or no effort was measured.
    """
    names, spans, moved = model.joint_names, seen.span[1] - seen.span[0], moving(model, seen)
    if not moved.any():
        raise ParameterError(
            f'no joint moves: the largest range of a position is {spans.max():.2g} rad or m (of '
            f'{names[int(np.argmax(spans))]}), at least {STILL:g} is needed: record a motion of '
            'all joints, such as that of robot_dynamics excite'
        )
    measured = np.isfinite(seen.range).all(axis=0) & (seen.range[1] > seen.range[0])
    if not (measured & moved).any():
        raise ParameterError(
            'no joint that moves has a measured effort: the efforts are missing, zero or '
            'constant; look for the setting of the driver that publishes them'
        )


def motion_findings(model: RobotModel, seen: Survey) -> Iterator[Finding]:
    """Joints that stand still.

    Args:
        model: whose joints they are.
        seen: of all recordings.
    """
    names, moved = model.joint_names, moving(model, seen)
    still = tuple(name for name, one in zip(names, moved, strict=True) if not one)
    if not still:
        return
    only = [name for name, one in zip(names, moved, strict=True) if one]
    if len(only) == 1:
        begin = f'Only one joint moves, {only[0]}'
        advice = 'Everything that the motion of several joints shows stays as the description says'
    else:
        begin = f'{", ".join(still)} stands still' if len(still) == 1 else (
            f'{", ".join(still)} stand still'
        )  # fmt: skip
        advice = 'Friction and rotor inertia of these joints stay as the description says'
    yield Finding(
        'still',
        still,
        None,
        f'{begin}. {advice}: record a motion of all joints, such as that of robot_dynamics '
        'excite.',
    )


def saturation_findings(model: RobotModel, seen: Survey, interval: float) -> Iterator[Finding]:
    """Joints whose effort stays at its smallest or largest value.

    Args:
        model: whose joints they are.
        seen: of all recordings.
        interval: between two samples [s].
    """
    for joint, name in enumerate(model.joint_names):
        for side in (0, 1):
            held, count = seen.longest[side, joint] * interval, seen.at_limit[side, joint]
            varies = seen.range[1, joint] > seen.range[0, joint]
            if not varies or held < HELD or count < HELD_SHARE * seen.samples:
                continue
            limit = model.effort_limits[joint]
            value = seen.range[side, joint]
            near = np.isfinite(limit) and abs(value) > 0.95 * limit
            yield Finding(
                'saturated',
                (name,),
                float(value),
                f'The effort of {name} stays at {value:.4g} for up to {held:.2g} s, in '
                f'{100.0 * count / seen.samples:.2g} % of the samples'
                + (f' (limit of the description: {limit:g})' if near else '')
                + ': it is saturated, and says nothing there. Record a slower motion.',
            )


def saturation_levels(model: RobotModel, seen: Survey, interval: float) -> Mapping[str, float]:
    """The absolute effort at which each saturated joint is saturated, by name.

    Args:
        model: whose joints they are.
        seen: of all recordings.
        interval: between two samples [s].
    """
    levels: dict[str, float] = {}
    for finding in saturation_findings(model, seen, interval):
        ((name,), value) = finding.joints, abs(finding.value or 0.0)
        levels[name] = max(value, levels.get(name, value))
    return levels


def current_findings(names: Sequence[str], compared: Sequence[Finding]) -> Iterator[Finding]:
    """Efforts that are another quantity than torque, by the comparison with the description.

    Args:
        names: of the joints.
        compared: findings of the comparison.
    """
    factors = {
        finding.joints[0]: finding.value
        for finding in compared
        if finding.code == 'factor' and finding.value
    }
    far = {
        name: value for name, value in factors.items() if not 1.0 / CURRENT < abs(value) < CURRENT
    }
    if not far or 2 * len(far) < len(factors):
        return
    listed = ', '.join(f'{name} {value:.3g}' for name, value in far.items())
    yield Finding(
        'current',
        tuple(name for name in names if name in far),
        float(np.median(list(far.values()))),
        f'The efforts are not torques of this robot: their ratio to the torques of the '
        f'description is {listed}. They may be currents: use --effort current, with the gain of '
        'one joint, or convert them in the driver. Masses would be wrong by these factors.',
    )


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
    judged = moved & (measured > 0.0)
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
        'The efforts are far smaller than the torques of the description; their ratio is at most '
        f'{listed}. They may be currents, each joint with a scale and sign of its own: use '
        '--effort current, with the gain of one joint, or convert them in the driver.',
    )


def robot_findings(
    names: Sequence[str], measured: Array, left: Array, moved: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
    """Data that no inertia, friction or offset explains: of another robot, or of other joints.

    Args:
        names: of the joints.
        measured: (n,) standard deviation of the measured efforts [N m or N].
        left: (n,) RMS of the residual of the identified model [N m or N].
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
        f'No inertia, friction or offset of this robot explains the efforts: left is {listed} of '
        'the RMS. The recording is of another robot, or of other joints or directions than the '
        'names say: look at --urdf and --rename.',
    )
