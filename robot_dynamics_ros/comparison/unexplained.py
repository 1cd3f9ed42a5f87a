"""Findings about efforts that nothing explains, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from .comparison import Finding, JointComparison
from .explanations.explanation import Explanation
from .explanations.friction_fits import JointFriction
from .explanations.judge import Judge

# What is left of a measured effort after every explanation, from where on it is a finding.
UNEXPLAINED = 0.25
# Of the effort limit: less is of no use to explain.
SMALL = 0.01
# What to do about efforts that are not explained: some of them, and most of them.
REASONS = 'Look at noise, contacts, the inertias of the URDF and rotor inertias.'
NAMES = (
    'No exchange of joints, sign, factor, payload or gravity compensation that was tried explains '
    'the recording. Check the names and the order of the joints in the driver, and whether the '
    'URDF is that of this robot.'
)


# A joint carries weight from this share of the largest variation of gravity on. Its effort lacks
# gravity if, of the gravity torque, certainly less than this share is in it.
CARRIES, LACKS = 0.1, 0.5


def advice_on_names(judge: Judge) -> str:
    """What to do about a recording that nothing explains.

    Whatever else is wrong, efforts in which each joint that carries weight lacks gravity may be
    those of a driver that compensates it.

    Args:
        judge: has the observations.
    """
    gravity = judge.products(None)[:, 0, 0]
    carries = judge.loaded & (gravity > CARRIES**2 * gravity[judge.loaded].max(initial=0.0))
    shares = [_gravity_share(judge, joint) for joint in np.flatnonzero(carries)]
    if not shares or any(abs(share) + 2.0 * deviation > LACKS for share, deviation in shares):
        return NAMES
    names = judge.observations.torques.model.joint_names
    which = ', '.join(name for name, one in zip(names, carries, strict=True) if one)
    return (
        f'{NAMES} Gravity loads {which} most, and hardly any of it is in the efforts there: the '
        'driver may compensate it.'
    )


def _gravity_share(judge: Judge, joint: int) -> tuple[float, float]:
    """How much of the gravity torque is in the effort of a joint, and the standard deviation."""
    squares, mixed = judge.target_products(Explanation.nothing(judge.observations.size))
    inverse = np.linalg.pinv(judge.products(None)[joint])
    share = inverse @ mixed[joint]
    if not inverse[0, 0] > 0.0:
        # At rest columns depend on each other, and rounding decides: nothing is known.
        return 0.0, math.inf
    left = max(0.0, float(squares[joint] - mixed[joint] @ share))
    variance = left / judge.observations.independent * inverse[0, 0]
    return float(share[0]), math.sqrt(variance)


def with_unexplained(
    findings: Sequence[Finding], alone: Sequence[Finding], order: Sequence[str]
) -> list[Finding]:
    """The findings with those of the model as a whole: after a payload, before all others.

    Args:
        findings: all others.
        alone: those of `unexplained_alone`.
        order: names of all joints.
    """
    payload = [finding for finding in findings if finding.code == 'payload']
    if not payload or not alone:
        return joined_unexplained([*alone, *findings], order)
    rest = [finding for finding in findings if finding.code != 'payload']
    return joined_unexplained([*payload, *alone, *rest], order)


def joined_unexplained(findings: Sequence[Finding], order: Sequence[str]) -> list[Finding]:
    """The findings with at most one of the code `unexplained`, where the first of them is.

    Args:
        findings: one or two of them have this code.
        order: names of all joints.
    """
    parts = [finding for finding in findings if finding.code == 'unexplained']
    if len(parts) < 2:
        return list(findings)
    joints = {name for part in parts for name in part.joints}
    joined = Finding(
        'unexplained',
        tuple(name for name in order if name in joints),
        max((part.value for part in parts if part.value is not None), default=None),
        ' '.join(part.message for part in parts),
    )
    first = findings.index(parts[0])
    rest = [finding for finding in findings if finding.code != 'unexplained']
    return [*rest[:first], joined, *rest[first:]]


def unexplained(
    judge: Judge,
    found: Explanation,
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
    order: Sequence[int],
    advice: str,
) -> Iterator[Finding]:
    """Joints at which friction that is fitted leaves much of the effort.

    Args:
        judge: has the observations.
        found: the explanation.
        frictions: fits by the index of the joint.
        joints: figures of the joints.
        order: index of the joint under whose name the effort of each is recorded.
        advice: what to do.
    """
    model = judge.observations.torques.model
    names, limits = model.joint_names, model.effort_limits
    large = {}
    for joint, friction in frictions.items():
        share = friction.rms / joints[names[order[joint]]].rms_measured
        known = limits[joint] if 0.0 < limits[joint] < math.inf else 0.0
        torque = friction.rms / abs(found.gains[joint])
        if share > UNEXPLAINED and torque > SMALL * known:
            large[names[joint]] = share
    if large:
        worst = max(large, key=lambda name: large[name])
        yield Finding(
            'unexplained',
            tuple(large),
            large[worst],
            f'The effort of {", ".join(large)} is not fully explained: '
            f'{100.0 * large[worst]:.0f} % of the RMS at {worst} is residual after friction '
            f'is fitted. {advice}{_turned(large, joints)}',
        )


def _turned(names: Iterable[str], joints: Mapping[str, JointComparison]) -> str:
    """The hint of a turned sign; empty without joints whose friction would drive them."""
    turned = [name for name in names if joints[name].friction_drives]
    if not turned:
        return ''
    listed = ', '.join(
        f'{name} ({joints[name].friction_drives:.3g} {joints[name].unit} at the RMS speed)'
        for name in turned
    )
    return (
        f' Friction would drive instead of brake: {listed}. The sign of the effort there may be '
        'turned.'
    )


def is_explained_by_the_fit(joint: JointComparison) -> bool:
    """Whether findings about other joints, such as a payload, leave little, without an offset.

    Args:
        joint: its figures.
    """
    offset = joint.friction.offset if joint.friction else 0.0
    return math.hypot(joint.rms_after_fit, offset) <= UNEXPLAINED * joint.rms_measured


def unexplained_alone(
    judge: Judge, joints: Mapping[str, JointComparison], findings: Sequence[Finding]
) -> Iterator[Finding]:
    """Joints that the model does not explain and that no other finding names.

    Args:
        judge: has the observations.
        joints: figures of the joints.
        findings: all others.
    """
    named = {name for finding in findings for name in finding.joints}
    carries = any(finding.code == 'payload' for finding in findings)
    left = {
        name: joint.relative_residual
        for (name, joint), judged in zip(joints.items(), judge.judged, strict=True)
        if judged
        and name not in named
        and not joint.is_explained
        and not (carries and is_explained_by_the_fit(joint))
    }
    if left:
        worst = max(left, key=lambda name: left[name])
        yield Finding(
            'unexplained',
            tuple(left),
            left[worst],
            f'The model does not explain the effort of {", ".join(left)}: the residual is '
            f'{100.0 * left[worst]:.0f} % of the RMS at {worst}. Look at the names of joints, '
            'noise, contacts and the inertias of the URDF.'
            f'{_turned(left, joints)}',
        )
