"""The audit of a robot: what is suspicious in its description, before torques depend on it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np

from ..checks import Array
from ..spatial import Inertia
from .findings import (
    FAR,
    PRINTED_PRECISION,
    Finding,
    examine_inertial,
    listed,
)
from .robot import RobotModel
from .tree import Joint, Link

# [kg/m^3]: of foam and hollow shells, and of the densest metals, with a margin for rough shapes.
LIGHTEST, HEAVIEST = 5.0, 25_000.0
# The same for the ellipsoid that the inertia stands for: frames of thin tubes fill little of it.
LIGHTEST_ELLIPSOID = 1.0
# Share by which the triangle inequality is just met; a thin plate meets it exactly.
NEARLY = 1e-3
# At most this share of an inertia about the link frame is about the centre of mass.
CENTRAL_SHARE = 0.3
# Share of the robot's mass below which a link stands for a frame or a sensor.
NEGLIGIBLE = 1e-3
# Share of a range by which limits may differ: descriptions are rounded.
NARROWER = 1e-3


def audit(model: RobotModel, massless_joints: Collection[str] = ()) -> tuple[Finding, ...]:
    """All findings about a robot, those of severity error first.

    The density of a link is its mass over the volume of its shapes, where the description has
    boxes, cylinders, spheres or capsules, and otherwise over that of the uniform ellipsoid with
    the same inertia. Meshes are never read. Links with less than a thousandth of the robot's mass
    are not examined: they stand for frames and sensors. Joints with the same problem share one
    finding.

    Args:
        model: the robot.
        massless_joints: names of joints that move no mass on purpose.
    """
    weightless = weightless_joints(model)
    forgotten = tuple(name for name in weightless if name not in massless_joints)
    findings = [
        finding
        for finding in model.findings
        if finding.code != 'massless_body' or set(finding.joints).isdisjoint(forgotten)
    ]
    if forgotten:
        first = _first_link(model, forgotten[0])
        findings.append(Finding.of('weightless_joint', first, listed(forgotten), forgotten))
    total = sum(link.inertia.mass for link in model.links)
    for link in model.links:
        body = link.inertia
        if body.mass > NEGLIGIBLE * total and not examine_inertial(
            link.name, body.mass, body.rotational_at_center_of_mass
        ):
            findings += _about_link(link, model.reach)
    findings += _about_joints(model)
    findings += _about_fixed_links(model)
    for payload in model.payloads:
        findings += payload.findings(total, model.reach)
    order = ('error', 'warning', 'info')
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def weightless_joints(model: RobotModel) -> tuple[str, ...]:
    """The independent joints that move no mass, nor do joints that mimic them; payloads left out.

    Every torque on such a joint is zero: of an arm, masses were left out of its description.
    """
    bare = model.unloaded or model
    masses = [joint.inertia.mass for joint in bare.joints]
    moved = np.zeros(bare.size)
    # Children before their parents.
    for index, joint in reversed(list(enumerate(bare.joints))):
        if joint.parent >= 0:
            masses[joint.parent] += masses[index]
        moved[joint.coordinate.index] += masses[index]
    return tuple(name for name, mass in zip(bare.joint_names, moved, strict=True) if mass == 0.0)


def _first_link(model: RobotModel, joint: str) -> str:
    """The first link that a joint moves."""
    body = next(index for index, each in enumerate(model.joints) if each.name == joint)
    return next(frame.name for frame in model.frames if frame.body == body)


def _about_link(link: Link, reach: float) -> Iterator[Finding]:
    body, name, extent = link.inertia, link.name, link.extent
    center, second = body.center_of_mass, _central_second_moment(body)
    second_moments = np.linalg.eigvalsh(second)
    distance = math.hypot(*center)
    gyration = math.sqrt(float(np.trace(second)) / body.mass)

    if extent is not None:
        volume, lightest, of = extent.volume, LIGHTEST, 'its shapes'
    else:
        # A uniform ellipsoid of semi-axes a has the second moments m a^2 / 5.
        axes = np.sqrt(np.maximum(5.0 * second_moments / body.mass, 0.0))
        # A plate has no volume, and a density without bound.
        is_solid = axes.min() > 1e-2 * axes.max()
        volume = 4.0 / 3.0 * math.pi * float(axes.prod()) if is_solid else math.nan
        lightest, of = LIGHTEST_ELLIPSOID, 'the ellipsoid of its inertia'
    density = body.mass / volume
    if density < lightest or density > HEAVIEST:
        yield Finding.of('density', name, f'{density:.3g} kg/m^3 by {of}, {body.mass:.3g} kg')

    # The principal moments, ascending: each is the sum of two of the second moments.
    moments = second_moments.sum() - second_moments[::-1]
    excess = (moments[0] + moments[1]) / moments[2] - 1.0
    # Within the printed precision it is a plate, on purpose.
    if PRINTED_PRECISION < excess < NEARLY:
        printed = ', '.join(f'{moment:.4g}' for moment in moments)
        yield Finding.of('nearly_flat', name, f'principal moments {printed} kg m^2')

    if extent is not None:
        beyond = extent.distance(center)
        if beyond > 0.5 * extent.diagonal:
            value = f'{beyond:.3g} m outside the box of its shapes'
            yield Finding.of('far_center_of_mass', name, value)
        if gyration > extent.farthest(center):
            yield Finding.of('inertia_too_large', name, f'radius of gyration {gyration:.3g} m')
        return
    if distance > max(FAR, reach):
        value = f'{distance:.3g} m from its frame, the robot reaches {reach:.3g} m'
        yield Finding.of('far_center_of_mass', name, value)
    # Without the parallel-axis term an inertia about the link frame, given as if about the centre
    # of mass, is still that of a real body, and far smaller; one about the centre seldom is.
    left = second - body.mass * np.outer(center, center)
    is_body = float(np.linalg.eigvalsh(left)[0]) > 0.0
    if is_body and np.trace(left) < CENTRAL_SHARE * np.trace(second):
        value = f'centre of mass at {distance:.3g} m, radius of gyration {gyration:.3g} m'
        yield Finding.of('inertia_about_link_frame', name, value)


def _about_joints(model: RobotModel) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Joint]] = {}
    for joint in model.joints:
        for problem in _problems(joint, model):
            groups.setdefault(problem, []).append(joint)
    for (code, value), joints in groups.items():
        link = _first_link(model, joints[0].name)
        names = tuple(joint.name for joint in joints)
        yield Finding.of(
            code, link, f'{value}: {listed(names)}' if value else listed(names), names
        )


def _problems(joint: Joint, model: RobotModel) -> Iterator[tuple[str, str]]:
    """Code and value of each finding about a joint."""
    limits = joint.limits
    if joint.kind != 'continuous':
        if limits.lower > limits.upper:
            value = f'lower {limits.lower:g}, upper {limits.upper:g} rad or m'
            yield 'reversed_limits', value
        elif limits.lower == limits.upper:
            yield 'equal_limits', f'{limits.lower:g} rad or m'
        elif limits.lower == -math.inf:
            yield 'missing_limits', 'no limit'
    for kind, limit, unit in (
        ('effort', limits.effort, 'N m or N'),
        ('velocity', limits.velocity, 'rad/s or m/s'),
    ):
        if limit <= 0.0:
            sign = 'negative' if limit else 'zero'
            yield f'{sign}_{kind}_limit', f'{limit + 0.0:g} {unit}'
    if joint.coordinate.multiplier == 0.0:
        yield 'motionless_mimic', 'multiplier 0'
    elif joint.mimicked and (left := _range_left(joint, model)):
        yield 'mimic_limits', f'{joint.mimicked!r} {left}'
    if joint.damping or joint.friction:
        yield 'friction_left_out', ''


def _range_left(mimic: Joint, model: RobotModel) -> str:
    """The positions that a mimic joint leaves the joint that it mimics; empty if all it has.

    A range that is reversed or a single position is a finding of its own.
    """
    coordinate = mimic.coordinate
    mimicked = model.independent_joints[coordinate.index]
    if any(each.limits.lower >= each.limits.upper for each in (mimic, mimicked)):
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


def _about_fixed_links(model: RobotModel) -> Iterator[Finding]:
    """Links with mass that are fixed to the root link: perhaps a joint should not be fixed."""
    fixed = [
        link
        for frame, link in zip(model.frames[1:], model.links[1:], strict=True)
        if frame.body < 0 and link.inertia.mass
    ]
    if fixed:
        mass = sum(link.inertia.mass for link in fixed)
        value = f'{mass:.3g} kg: {listed([link.name for link in fixed])}'
        yield Finding.of('fixed_mass', fixed[0].name, value)


def _central_second_moment(body: Inertia) -> Array:
    rotational: Array = np.array(body.rotational_at_center_of_mass)
    return 0.5 * rotational.trace() * np.eye(3) - rotational
