"""Findings about the robot and its driver, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from .comparison import Finding, JointComparison
from .explanations.estimates import best_load
from .explanations.explanation import Explanation
from .explanations.friction_fits import JointFriction
from .explanations.judge import Judge
from .explanations.relabelling import Relabelling

# A joint has gravity if its torque is at least this share of the largest of all joints.
HAS_GRAVITY = 0.005
# What is left of a measured effort after every explanation, from where on it is a finding.
UNEXPLAINED = 0.25
# Of the effort limit: less is of no use to explain.
SMALL = 0.01


def verdicts(
    judge: Judge,
    found: Explanation,
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
) -> list[Finding]:
    """The findings, in the order of their importance.

    Args:
        judge: has the observations.
        found: the explanation.
        frictions: fits by the index of the joint.
        joints: figures of the joints.
    """
    names = judge.observations.torques.model.joint_names
    findings = [*_exchanged(names, found), *_sign(names, found)]
    if not found.gravity:
        findings.append(_gravity(judge, names))
    findings += _factor(judge, names, found)
    if found.delay:
        findings.append(_delay(judge, names, found))
    if found.body is not None:
        findings.append(_payload(judge, found, found.body))
    findings += _friction(names, frictions, joints)
    findings += _unexplained(judge, found, frictions, joints)
    return findings


def relabelled(names: tuple[str, ...], relabelling: Relabelling) -> Iterator[Finding]:
    """Findings about joints whose positions belong to another name or direction too.

    Args:
        names: of the joints.
        relabelling: without which nothing explains the recording.
    """
    for cycle, pairs in _cycles(names, relabelling.order):
        yield Finding(
            'exchanged',
            cycle,
            None,
            'Positions, velocities and efforts are recorded under the names of other joints: '
            f'{pairs}. Correct the names in the driver, or map them with --rename.',
        )
    turned = tuple(name for name, sign in zip(names, relabelling.signs, strict=True) if sign < 0)
    if turned:
        yield Finding(
            'sign',
            turned,
            -1.0,
            f'Positions and efforts of {_listed(turned)} have the opposite sign of those of the '
            'description: turn the axis of the joint there, or the signs in the driver.',
        )


def _exchanged(names: tuple[str, ...], found: Explanation) -> Iterator[Finding]:
    for cycle, pairs in _cycles(names, found.order):
        yield Finding(
            'exchanged',
            cycle,
            None,
            f'Efforts are recorded under the names of other joints: {pairs}. Correct the order of '
            'the efforts in the driver, or the names.',
        )


def _cycles(
    names: tuple[str, ...], order: tuple[int, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The joints of each cycle of a permutation, and what is recorded under which name."""
    left = {joint for joint, other in enumerate(order) if joint != other}
    while left:
        cycle = [min(left)]
        while order[cycle[-1]] != cycle[0]:
            cycle.append(order[cycle[-1]])
        left -= set(cycle)
        pairs = (f'that of {names[joint]} under {names[order[joint]]}' for joint in cycle)
        yield tuple(names[joint] for joint in sorted(cycle)), ', '.join(pairs)


def _sign(names: tuple[str, ...], found: Explanation) -> Iterator[Finding]:
    turned = tuple(name for name, gain in zip(names, found.gains, strict=True) if gain < 0.0)
    if turned:
        yield Finding(
            'sign',
            turned,
            -1.0,
            f'The effort of {_listed(turned)} has the opposite sign of the torque that the motion '
            'needs: turn the sign in the driver before efforts are compared or commanded.',
        )


def _gravity(judge: Judge, names: tuple[str, ...]) -> Finding:
    largest = np.abs(judge.observations.gravity).max(axis=0)
    held = judge.judged & (largest > HAS_GRAVITY * largest.max())
    worst = int(np.argmax(largest))
    return Finding(
        'gravity_compensated',
        tuple(name for name, one in zip(names, held, strict=True) if one),
        None,
        f'The efforts do not contain the gravity torque, up to {largest[worst]:.3g} N m at '
        f'{names[worst]}: the driver compensates gravity itself. Leave gravity out of what is '
        'commanded (parameter terms), or it is compensated twice.',
    )


def _factor(judge: Judge, names: tuple[str, ...], found: Explanation) -> Iterator[Finding]:
    for joint, gain in enumerate(found.gains):
        if abs(gain) != 1.0:
            factor = abs(gain)
            hint = _without_gravity(judge, joint)
            yield Finding(
                'factor',
                (names[joint],),
                factor,
                f'The effort of {names[joint]} is {factor:.3g} times the torque of the model: it '
                f'may be a current, with {1.0 / factor:.3g} N m for one unit, or the gear ratio '
                f'or torque constant in the driver is wrong.{hint}',
            )


def _without_gravity(judge: Judge, joint: int) -> str:
    seen = judge.observations
    if np.ptp(seen.gravity[:, joint]) > HAS_GRAVITY * np.ptp(seen.motion[:, joint]):
        return ''
    return ' Gravity does not load this joint: a rotor inertia that is missing looks the same.'


def _delay(judge: Judge, names: tuple[str, ...], found: Explanation) -> Finding:
    late = found.delay > 0.0
    later, earlier = ('efforts', 'positions') if late else ('positions', 'efforts')
    return Finding(
        'delay',
        tuple(name for name, one in zip(names, judge.judged, strict=True) if one),
        found.delay,
        f'The {later} come {1e3 * abs(found.delay):.3g} ms later than the {earlier} that belong '
        f'to them: look for a filter of the {later}, or stamps of different moments.',
    )


def _payload(judge: Judge, found: Explanation, body: int) -> Finding:
    model = judge.observations.torques.model
    mass = found.load[0]
    _, deviation = best_load(judge, found, body)
    frame = next(frame for frame in model.frames if frame.body == body)
    # The frame of the first link of a body is that of its joint.
    center = [moment / mass for moment in found.load[1:4]]
    where = f'its centre at ({center[0]:.3f}, {center[1]:.3f}, {center[2]:.3f}) m in this link'
    if mass > 0.0:
        what = (
            f'The arm carries {mass:.3g} kg (standard deviation {deviation:.2g} kg) at link '
            f'{frame.name} that the description has not, {where}: add it as a payload.'
        )
    else:
        what = (
            f'The description has {-mass:.3g} kg (standard deviation {deviation:.2g} kg) at link '
            f'{frame.name} that the arm does not carry, {where}: take a description without this '
            'tool.'
        )
    return Finding('payload', _chain(judge, body), mass, what)


def _chain(judge: Judge, body: int) -> tuple[str, ...]:
    """The joints that carry a body, from the base on."""
    model = judge.observations.torques.model
    chain = []
    while body >= 0:
        chain.append(model.joints[body].mimicked or model.joints[body].name)
        body = model.joints[body].parent
    return tuple(name for name in model.joint_names if name in chain)


def _friction(
    names: tuple[str, ...],
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
) -> Iterator[Finding]:
    for joint, friction in frictions.items():
        if friction.missing and friction.fit is not None:
            fit, name = friction.fit, names[joint]
            unit = joints[name].unit
            rate = 'm/s' if unit == 'N' else 'rad/s'
            text = (
                f'Friction of {name} is not that of the description: {fit.coulomb:.3g} {unit} '
                f'(Coulomb) and {fit.viscous:.3g} {unit} per {rate} (viscous) fit the recording, '
                f'{friction.typical:.3g} {unit} at {friction.speed:.2g} {rate}.'
            )
            if friction.typical == 0.0:
                text = (
                    f'The description has friction of {name} that the recording does not show: '
                    'remove damping and friction of its <dynamics>.'
                )
            yield Finding('friction', (name,), friction.typical, text)


def _unexplained(
    judge: Judge,
    found: Explanation,
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
) -> Iterator[Finding]:
    model = judge.observations.torques.model
    names, limits = model.joint_names, model.effort_limits
    large = {}
    for joint, friction in frictions.items():
        share = friction.rms / joints[names[joint]].rms_measured
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
            f'No hypothesis explains the effort of {_listed(tuple(large))}: '
            f'{100.0 * large[worst]:.0f} % of the RMS at {worst} is left. Look at noise, '
            'contacts, the inertias of the description and rotor inertias.',
        )


def _listed(names: tuple[str, ...]) -> str:
    return ', '.join(names)


def joint_sentence(name: str, figures: JointComparison, findings: list[Finding]) -> str:
    """The verdict on one joint, in one sentence.

    Args:
        name: of the joint.
        figures: of the joint.
        findings: all of them.
    """
    codes = dict.fromkeys(finding.code for finding in findings if name in finding.joints)
    words = ', '.join(WORDS.get(code, code.replace('_', ' ')) for code in codes)
    if not math.isfinite(figures.rms_residual) or figures.rms_measured == 0.0:
        return f'Nothing to compare: {words or "no effort"}.'
    size = (
        f'residual {figures.rms_residual:.3g} of {figures.rms_measured:.3g} {figures.unit} '
        f'({100.0 * figures.relative_residual:.0f} %)'
    )
    return f'{words[0].upper()}{words[1:]}: {size}.' if words else f'As the model says: {size}.'


WORDS = {
    'gravity_compensated': 'gravity is compensated by the driver',
    'sign': 'the sign is turned',
    'exchanged': 'joints are exchanged',
    'delay': 'efforts and positions are shifted in time',
    'factor': 'the effort has another scale',
    'friction': 'friction is missing',
    'payload': 'the load is another',
    'unexplained': 'no hypothesis explains it',
    'partial_effort': 'the effort is missing in some samples',
    'still': 'the joint does not move',
}
