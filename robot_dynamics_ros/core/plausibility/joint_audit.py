"""What is suspicious in the joints of a description: limits, mimic laws, friction."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..model.findings import Finding, Severity, listed
from ..model.robot import RobotModel
from ..model.tree import Joint

# Share of a range by which limits may differ: descriptions are rounded.
NARROWER = 1e-3


def examine_joints(model: RobotModel) -> Iterator[Finding]:
    """Findings about the joints of a robot; joints with the same problem share one finding."""
    yield from _ranges(model)
    yield from _rates(model)
    yield from _mimics(model)
    with_friction = [joint for joint in model.joints if joint.damping or joint.friction]
    yield from _finding(
        model,
        with_friction,
        'friction_left_out',
        'damping or friction is described, which the dynamics leaves out',
        '',
        'add JointFriction(model).torque(v) where it should count',
        'info',
    )


def _ranges(model: RobotModel) -> Iterator[Finding]:
    bounded = [joint for joint in model.joints if joint.kind != 'continuous']
    for joint in bounded:
        lower, upper = joint.limits.lower, joint.limits.upper
        if lower > upper:
            yield from _finding(
                model,
                [joint],
                'reversed_limits',
                'the limits of its joint are reversed, so that no position is allowed',
                f'lower {lower:g}, upper {upper:g} rad or m',
                'exchange them',
            )
    for position in sorted({j.limits.lower for j in bounded if j.limits.lower == j.limits.upper}):
        yield from _finding(
            model,
            [joint for joint in bounded if joint.limits.lower == joint.limits.upper == position],
            'equal_limits',
            'the limits of its joint are equal, so that one position alone is allowed',
            f'{position:g} rad or m',
            'give lower and upper, which count as 0 where they are left out; or make it fixed, '
            'or continuous',
        )
    yield from _finding(
        model,
        [joint for joint in bounded if joint.limits.lower == -math.inf],
        'missing_limits',
        'its joint has no <limit>, which a URDF demands of a revolute or prismatic one',
        'no limit',
        'give the range that the hardware has, or make it continuous if it turns without end',
    )


def _rates(model: RobotModel) -> Iterator[Finding]:
    for kind, unit in (('effort', 'N m or N'), ('velocity', 'rad/s or m/s')):
        limits = [getattr(joint.limits, kind) for joint in model.joints]
        for limit in sorted({limit for limit in limits if limit <= 0.0}, reverse=True):
            sign = 'negative' if limit else 'zero'
            yield from _finding(
                model,
                [joint for joint, own in zip(model.joints, limits, strict=True) if own == limit],
                f'{sign}_{kind}_limit',
                f'the {kind} limit of its joint is {sign}, which counts as no limit',
                f'{limit + 0.0:g} {unit}',
                'give the limit that the hardware has, above 0',
            )


def _mimics(model: RobotModel) -> Iterator[Finding]:
    yield from _finding(
        model,
        [joint for joint in model.joints if joint.coordinate.multiplier == 0.0],
        'motionless_mimic',
        'its joint mimics another with the multiplier 0, so that it never moves',
        'multiplier 0',
        'give the ratio of the two joints, or make it fixed',
    )
    followers: dict[tuple[str, str], list[Joint]] = {}
    for joint in model.joints:
        if joint.mimicked and (left := _range_left(joint, model)):
            followers.setdefault((joint.mimicked, left), []).append(joint)
    for (mimicked, left), joints in followers.items():
        yield from _finding(
            model,
            joints,
            'mimic_limits',
            f'its joint mimics {mimicked!r}, and its position limits allow that joint less than '
            'its own do',
            f'{mimicked!r} {left}',
            f'give {mimicked!r} the range that remains: the limits of a mimic joint are not among '
            'its own; or correct limits, multiplier or offset of the mimic joint',
        )


def _range_left(mimic: Joint, model: RobotModel) -> str:
    """The positions that a mimic joint leaves the joint that it mimics; empty if all it has."""
    coordinate = mimic.coordinate
    mimicked = model.independent_joints[coordinate.index]
    if coordinate.multiplier == 0.0 or not (_has_range(mimic) and _has_range(mimicked)):
        return ''
    ends = (mimic.limits.lower, mimic.limits.upper)
    least, most = sorted((end - coordinate.offset) / coordinate.multiplier for end in ends)
    margin = NARROWER * (most - least)
    lower, upper = mimicked.limits.lower, mimicked.limits.upper
    if least - margin <= lower and upper <= most + margin:
        return ''
    unit = 'm' if mimicked.kind == 'prismatic' else 'rad'
    own = f'of {lower:.4g} to {upper:.4g} {unit}'
    least, most = max(least, lower), min(most, upper)
    return f'{least:.4g} to {most:.4g} {own}' if least <= most else f'no position {own}'


def _has_range(joint: Joint) -> bool:
    """Whether more than one position is allowed; what is reversed or equal is told elsewhere."""
    return joint.limits.lower < joint.limits.upper


def _finding(
    model: RobotModel,
    joints: list[Joint],
    code: str,
    problem: str,
    value: str,
    advice: str,
    severity: Severity = 'warning',
) -> Iterator[Finding]:
    """One finding about all these joints, under the link of the first; none without joints."""
    if not joints:
        return
    body = model.joints.index(joints[0])
    link = next(frame.name for frame in model.frames if frame.body == body)
    names = tuple(joint.name for joint in joints)
    shown = f'{value}: {listed(names)}' if value else listed(names)
    yield Finding(link, code, problem, shown, advice, severity, joints=names)
