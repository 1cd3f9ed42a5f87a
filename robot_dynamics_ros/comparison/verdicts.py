"""Findings about the robot and its driver, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.joint_model import JointModel

from .comparison import Finding, JointComparison
from .explanations.explanation import Explanation
from .explanations.friction_fits import JointFriction
from .explanations.judge import Judge, is_explained
from .explanations.load_certainty import LoadCertainty
from .explanations.relabelling import Relabelling
from .scale_findings import HAS_GRAVITY, scale_findings
from .unexplained import REASONS, advice_on_names, unexplained


def verdicts(
    judge: Judge,
    found: Explanation,
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
    order: Sequence[int],
) -> list[Finding]:
    """The findings, in the order of their importance.

    Only `unexplained` where nothing explains the recording: each other verdict would be chance.

    Args:
        judge: has the observations.
        found: the explanation.
        frictions: fits by the index of the joint.
        joints: figures of the joints.
        order: index of the joint under whose name the effort of each is recorded.
    """
    names = judge.observations.torques.model.joint_names
    if not is_explained(judge, found):
        advice = advice_on_names(judge)
        return [*unexplained(judge, found, frictions, joints, order, advice)]
    findings = [*_exchanged(names, found), *_sign(names, found)]
    if not found.gravity:
        findings.append(_gravity(judge, joints))
    scales = scale_findings(judge, joints, found)
    findings += scales
    if found.delay:
        findings.append(_delay(judge, names, found))
    if found.body is not None and all(one.code != 'other_masses' for one in scales):
        findings.append(_payload(judge, found, found.body))
    doubtful = {name for one in scales if one.code == 'not_judged' for name in one.joints}
    known = {joint: fit for joint, fit in frictions.items() if names[joint] not in doubtful}
    findings += _friction(names, known, joints, judge.observations.torques.parameters)
    findings += unexplained(judge, found, frictions, joints, order, REASONS)
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
            'URDF: turn the axis of the joint there, or the signs in the driver.',
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
            f'The effort of {_listed(turned)} has the opposite sign of what the motion needs: '
            'turn the sign in the driver before efforts are compared or commanded.',
        )


def _gravity(judge: Judge, joints: Mapping[str, JointComparison]) -> Finding:
    names = tuple(joints)
    largest, worst = _largest_gravity(judge)
    return Finding(
        'gravity_compensated',
        _held(judge, names),
        None,
        f'The efforts do not contain gravity, up to {largest[worst]:.3g} '
        f'{joints[names[worst]].unit} at {names[worst]}: the driver compensates gravity itself. '
        'Leave gravity out of what is commanded (parameter terms), or it is compensated twice.',
    )


def _largest_gravity(judge: Judge) -> tuple[Array, int]:
    """Largest gravity torque (n,) of each joint, and the joint with the largest."""
    largest: Array = np.abs(judge.observations.gravity).max(axis=0)
    return largest, int(np.argmax(largest))


def _held(judge: Judge, names: tuple[str, ...]) -> tuple[str, ...]:
    """Joints that gravity loads."""
    largest, worst = _largest_gravity(judge)
    held = judge.judged & (largest > HAS_GRAVITY * largest[worst])
    return tuple(name for name, one in zip(names, held, strict=True) if one)


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
    deviation = LoadCertainty(judge).mass_deviation(found, body)
    frame = next(frame for frame in model.frames if frame.body == body)
    # The frame of the first link of a body is that of its joint.
    center = [moment / mass for moment in found.load[1:4]]
    where = f'its centre at ({center[0]:.3f}, {center[1]:.3f}, {center[2]:.3f}) m in this link'
    certainty = f'standard deviation {deviation:.2g} kg without errors of the URDF'
    if mass > 0.0:
        what = (
            f'The arm carries {mass:.3g} kg ({certainty}) at link '
            f'{frame.name} that the URDF has not, {where}: add it as a payload.'
        )
    else:
        what = (
            f'The URDF has {-mass:.3g} kg ({certainty}) at link '
            f'{frame.name} that the arm does not carry, {where}: take a URDF without this '
            'tool.'
        )
    chain = _chain(judge, body)
    loaded = set(_held(judge, model.joint_names))
    return Finding('payload', tuple(name for name in chain if name in loaded), mass, what)


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
    parameters: JointModel,
) -> Iterator[Finding]:
    for joint, friction in frictions.items():
        if friction.missing and friction.fit is not None:
            fit, name = friction.fit, names[joint]
            is_given = name in parameters.joints
            source = 'parameters' if is_given else 'URDF'
            unit = joints[name].unit
            rate = 'm/s' if unit == 'N' else 'rad/s'
            text = (
                f'Friction of {name} is not that of the {source}: {fit.coulomb:.3g} {unit} '
                f'(Coulomb) and {fit.viscous:.3g} {unit} per {rate} (viscous) fit the recording, '
                f'together {friction.typical:.3g} {unit} at the RMS speed, '
                f'{friction.speed:.2g} {rate}.'
            )
            if friction.typical == 0.0:
                where = (
                    'its friction there' if is_given else 'damping and friction of its <dynamics>'
                )
                text = (
                    f'Friction of {name} is in the {source}, and the recording does not show it: '
                    f'remove {where}.'
                )
            yield Finding('friction', (name,), friction.typical, text)


def _listed(names: tuple[str, ...]) -> str:
    return ', '.join(names)
