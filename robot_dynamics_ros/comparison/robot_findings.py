"""Findings about the robot and its driver, from the explanation of a recording."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .compared import JointComparison
from .figures import JointFriction
from .findings import Finding
from .hypotheses import mass_deviation, scales_shown
from .judge import Explanation, Judge
from .recorded_joints import NO_GRAVITY

# A URDF is not wrong by more than this factor; a current is.
CURRENT = 2.0
# An effort below this share of the gravity torque is not that torque, in that unit.
FAR_BELOW = 0.1
# What is left of a measured effort after every explanation, from where on it is a finding; and
# of the effort limit: less is of no use to explain.
UNEXPLAINED, SMALL = 0.25, 0.01


def robot_findings(
    judge: Judge,
    found: Explanation,
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
    relabelling: Explanation,
    others: Sequence[Finding],
) -> list[Finding]:
    """What an explanation says of robot and driver.

    Only `unexplained` where nothing explains the recording: each other finding would be chance.
    """
    findings: list[Finding] = []
    if judge.is_explained(found):
        findings += _driver(judge, found, relabelling)
        factors, weightless = _factors(judge, found), _weightless(judge, found)
        findings += [*factors, *weightless]
        # At half of the joints, factors that masses explain are those of another robot: a payload
        # would take a part of what is wrong.
        few = 2 * len(factors) < max(np.count_nonzero(scales_shown(judge, found)), 3)
        if found.body is not None and (few or currents(factors)):
            findings.append(_payload(judge, found, found.body))
        findings += _friction(judge, frictions, {one.joints[0] for one in weightless})
    others = [*findings, *others]
    return [*findings, *_unexplained(judge, found, frictions, joints, others)]


def currents(findings: Sequence[Finding]) -> list[Finding]:
    """Factors that no wrong mass explains, if they are at least half of all: of currents."""
    factors = [one for one in findings if one.code == 'factor' and one.value]
    far = [one for one in factors if not 1.0 / CURRENT < (one.value or 1.0) < CURRENT]
    return far if 2 * len(far) >= len(factors) else []


def _driver(judge: Judge, found: Explanation, relabelling: Explanation) -> Iterator[Finding]:
    """Names, signs, gravity and delay of the recorded signals."""
    names, seen = judge.observations.torques.model.joint_names, judge.observations
    for order, signs, what in (
        (relabelling.order, relabelling.gains, 'Positions, velocities and efforts'),
        (found.order, found.gains, 'Efforts'),
    ):
        moved = {name: names[other] for name, other in zip(names, order, strict=True)}
        if others := {name: other for name, other in moved.items() if name != other}:
            pairs = (f'that of {name} under {other}' for name, other in others.items())
            text = f'{what} are recorded under the names of other joints: {", ".join(pairs)}.'
            yield Finding('exchanged', tuple(others), None, text)
        turned = tuple(name for name, sign in zip(names, signs, strict=True) if sign < 0.0)
        if turned:
            text = f'{what} of {", ".join(turned)} have the opposite sign of the URDF.'
            yield Finding('sign', turned, -1.0, text)
    if not found.gravity:
        largest = np.abs(seen.gravity).max(axis=0)
        worst = int(np.argmax(largest))
        unit = seen.torques.model.effort_units[worst]
        text = (
            f'Up to {largest[worst]:.3g} {unit} of gravity, at {names[worst]}, are not in the '
            'efforts.'
        )
        yield Finding('gravity_compensated', _held(judge), None, text)
    if found.delay:
        late, early = ('efforts', 'positions') if found.delay > 0.0 else ('positions', 'efforts')
        text = f'{1e3 * abs(found.delay):.3g} ms: the {late} come later than the {early}.'
        yield Finding('delay', judge.names(judge.judged), found.delay, text, 's')


def _held(judge: Judge) -> tuple[str, ...]:
    """Joints that gravity loads."""
    largest = np.abs(judge.observations.gravity).max(axis=0)
    return judge.names(judge.judged & (largest > NO_GRAVITY * largest.max()))


def _payload(judge: Judge, found: Explanation, body: int) -> Finding:
    model = judge.observations.torques.model
    mass = found.load[0]
    frame = next(frame for frame in model.frames if frame.body == body)
    # The frame of the first link of a body is that of its joint.
    x, y, z = (moment / mass for moment in found.load[1:4])
    where = 'on the arm, not in the URDF' if mass > 0.0 else 'in the URDF, not on the arm'
    text = (
        f'{abs(mass):.3g} kg {where}: at link {frame.name}, its centre at '
        f'({x:.3f}, {y:.3f}, {z:.3f}) m in this link; standard deviation '
        f'{mass_deviation(judge, found, body):.2g} kg without errors of the URDF.'
    )
    chain = model.joints_that_move(frame.name)
    joints = tuple(name for name in _held(judge) if name in chain)
    return Finding('payload', joints, mass, text, 'kg')


def _factors(judge: Judge, found: Explanation) -> list[Finding]:
    """Joints whose effort is a multiple of their torque."""
    seen, findings = judge.observations, []
    model = seen.torques.model
    for joint, (name, unit) in enumerate(zip(model.joint_names, model.effort_units, strict=True)):
        factor = abs(found.gains[joint])
        if factor == 1.0:
            continue
        text = (
            f'{name}: the effort is {factor:.3g} times the torque of the model, '
            f'{1.0 / factor:.3g} {unit} for one unit.'
        )
        if np.ptp(seen.gravity[:, joint]) <= NO_GRAVITY * np.ptp(seen.motion[:, joint]):
            text += ' Gravity does not load it: a rotor inertia that is missing looks the same.'
        findings.append(Finding('factor', (name,), factor, text))
    return findings


def _weightless(judge: Judge, found: Explanation) -> list[Finding]:
    """Joints whose weight is constant, so that a fitted offset hides that the effort lacks it."""
    seen, findings = judge.observations, []
    model = seen.torques.model
    efforts = np.abs(seen.measured[:, list(found.order)]).max(axis=0, initial=0.0)
    weights = np.abs(seen.gravity).min(axis=0, initial=np.inf)
    unscaled = judge.judged & (np.abs(found.gains) == 1.0) & found.gravity
    for joint in np.flatnonzero(unscaled & (efforts < FAR_BELOW * weights)).tolist():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        text = (
            f'{name}: the effort is at most {efforts[joint]:.3g} {unit}, gravity at least '
            f'{weights[joint]:.3g} {unit}: a current, a counterweight, or a driver that '
            'compensates gravity there? Friction is not looked for.'
        )
        findings.append(Finding('factor', (name,), float(efforts[joint] / weights[joint]), text))
    return findings


def _friction(
    judge: Judge, frictions: Mapping[int, JointFriction], unknown: set[str]
) -> Iterator[Finding]:
    """Joints whose friction is another than that of the URDF, but for those without a scale."""
    model = judge.observations.torques.model
    given = judge.observations.torques.parameters.joints
    for joint, friction in frictions.items():
        name, unit, fit = model.joint_names[joint], model.effort_units[joint], friction.fit
        if not friction.missing or fit is None or name in unknown:
            continue
        rate = 'm/s' if unit == 'N' else 'rad/s'
        text = (
            f'{name}: {fit.coulomb:.3g} {unit} (Coulomb) and {fit.viscous:.3g} {unit} per {rate} '
            f'(viscous) fit the recording, {friction.typical:.3g} {unit} at the RMS speed, '
            f'{friction.speed:.2g} {rate}; the {"parameters" if name in given else "URDF"} has '
            'another friction.'
        )
        yield Finding('friction', (name,), friction.typical, text, unit)


def _unexplained(
    judge: Judge,
    found: Explanation,
    frictions: Mapping[int, JointFriction],
    joints: Mapping[str, JointComparison],
    others: Sequence[Finding],
) -> Iterator[Finding]:
    """Joints at which fitted friction leaves much, or which the model alone does not explain.

    The latter where no other finding names them, nor a payload explains them with the fit.
    """
    model = judge.observations.torques.model
    named = {name for one in others for name in one.joints}
    is_loaded = any(one.code == 'payload' for one in others)
    # The RMS of what is left, and its share of the effort.
    left: dict[str, tuple[float, float]] = {}
    for joint, friction in frictions.items():
        name = model.joint_names[joint]
        figures, limit = joints[name], model.effort_limits[joint]
        torque = friction.rms / abs(found.gains[joint])
        large = torque > SMALL * limit if math.isfinite(limit) else True
        offset = friction.fit.offset if friction.fit else 0.0
        fitted = math.hypot(friction.rms, offset) <= UNEXPLAINED * figures.rms_measured
        if friction.left > UNEXPLAINED and large:
            left[name] = friction.rms, friction.left
        elif not (name in named or figures.is_explained or (is_loaded and fitted)):
            left[name] = figures.rms_residual, figures.rms_residual / figures.rms_measured
    if not left:
        return
    listed = ', '.join(
        f'{name} {rms:.3g} of {rms / share:.3g} {joints[name].unit}'
        for name, (rms, share) in left.items()
    )
    worst = max(share for _, share in left.values())
    yield Finding('unexplained', tuple(left), worst, f'RMS of the residual: {listed}.')
