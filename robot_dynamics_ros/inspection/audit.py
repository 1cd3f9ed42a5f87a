"""The audit of a robot: what is suspicious in its description, before torques depend on it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from xml.etree.ElementTree import Element

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model import findings
from robot_dynamics_ros.core.model.findings import (
    FAR,
    PRINTED_PRECISION,
    Finding,
    Rule,
    examine_inertial,
    listed,
)
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Frame, Joint, Link
from robot_dynamics_ros.core.spatial import Inertia, Transform, Vector
from robot_dynamics_ros.core.urdf_xml import read_xml

from .shapes import Extent, link_extents

RULES: Mapping[str, Rule] = {
    **findings.RULES,
    'nearly_flat': Rule(
        'its rotational inertia only just obeys the triangle inequality',
        'fine for a thin plate; otherwise compute it anew',
        'info',
    ),
    'inertia_too_large': Rule(
        'its rotational inertia is larger than its shapes, or the places of its joints, allow',
        'check the unit, and that it is about the centre of mass, not about the link frame',
    ),
    'inertia_about_link_frame': Rule(
        'its rotational inertia looks as if it were about the link frame',
        'the inertia of a URDF is about the centre of mass, in the axes of <inertial>',
    ),
    'density': Rule(
        'its density is below that of foam, or above that of metals',
        'look for a wrong unit: mass in kg, lengths in m, inertia in kg m^2',
    ),
    'far_center_of_mass': Rule(
        'its centre of mass is far outside the link',
        'check the unit and the frame of the inertial origin',
    ),
    'weightless_joint': Rule(
        'nothing that its joint moves has a mass: every torque is zero',
        'give the links their inertials; where it is so on purpose, name the joint in '
        'massless_joints',
        'error',
    ),
    'fixed_mass': Rule(
        'it is fixed to the base, so that its mass has no effect',
        'fine for a pedestal; otherwise look for a joint that should not be fixed',
        'info',
    ),
    'reversed_limits': Rule(
        'the limits of its joint are reversed, so that no position is allowed', 'exchange them'
    ),
    'equal_limits': Rule(
        'the limits of its joint are equal, so that one position alone is allowed',
        'give lower and upper, which count as 0 where they are left out; or make it fixed, or '
        'continuous',
    ),
    'missing_limits': Rule(
        'its joint has no <limit>, which a URDF demands of a revolute or prismatic one',
        'give the range that the hardware has, or make it continuous if it turns without end',
    ),
    **{
        f'{sign}_{kind}_limit': Rule(
            f'the {kind} limit of its joint is {sign}, which counts as no limit',
            'give the limit that the hardware has, above 0',
        )
        for kind in ('effort', 'velocity')
        for sign in ('zero', 'negative')
    },
    'motionless_mimic': Rule(
        'its joint mimics another with the multiplier 0, so that it never moves',
        'give the ratio of the two joints, or make it fixed',
    ),
    'mimic_limits': Rule(
        'its joint allows the joint that it mimics less than the limits of that joint do',
        'give that joint the range that remains: the limits of a mimic joint are not its own; '
        'or correct limits, multiplier or offset of the mimic joint',
    ),
    'friction_left_out': Rule(
        'damping or friction is described, which the dynamics leaves out',
        'add JointFriction(model).torque(v) where it should count',
        'info',
    ),
    'transmission_left_out': Rule(
        'its transmission has a gear or a rotor, which the dynamics leaves out',
        'add the inertia of the rotor times the reduction squared, by model.with_armature',
        'info',
    ),
}
FINDING_CODES = {code: rule.problem for code, rule in RULES.items()}
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
# [m]: no mass of a link is farther from its joints than they are from each other, and this.
WIDTH = 0.3
# Tags of a transmission, in lower case without underscores and prefix.
GEARS = ('mechanicalreduction', 'gearratio')
ONE_TO_ONE = re.compile(r'\s*[+-]?1(\.0*)?\s*')
ROTORS = ('rotorinertia', 'motorinertia')

ORDER = ('error', 'warning', 'info')

_found = partial(Finding.of, rules=RULES)


def audit(
    model: RobotModel, urdf: str = '', massless_joints: Collection[str] = ()
) -> tuple[Finding, ...]:
    """All findings about a robot, those of severity error first.

    The density of a link is its mass over the volume of its shapes, where the description has
    boxes, cylinders, spheres or capsules, and otherwise over that of the uniform ellipsoid with
    the same inertia. Meshes are never read. Links with less than a thousandth of the robot's mass
    are not examined: they stand for frames and sensors. Joints with the same problem share one
    finding.

    Args:
        model: the robot.
        urdf: text of its description, for shapes and transmissions; empty: they are not known.
        massless_joints: names of joints that move no mass on purpose.
    """
    forgotten = tuple(name for name in weightless_joints(model) if name not in massless_joints)
    findings = [
        finding
        for finding in model.findings
        if finding.code != 'massless_body' or set(finding.joints).isdisjoint(forgotten)
    ]
    if forgotten:
        findings.append(_about(model, 'weightless_joint', '', forgotten))
    robot = read_xml(urdf) if urdf else Element('robot')
    total, extents = sum(link.inertia.mass for link in model.links), link_extents(robot)
    for frame, link in zip(model.frames, model.links, strict=False):
        mass, central = link.inertia.mass, link.inertia.rotational_at_center_of_mass
        if mass > NEGLIGIBLE * total and not examine_inertial(link.name, mass, central):
            findings += _about_link(link, frame, extents.get(link.name), model)
    findings += _about_joints(model, set(_geared_joints(robot)))
    findings += _about_fixed_links(model)
    for payload in model.payloads:
        findings += payload.findings(total, model.reach)
    return in_order(findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those of severity error first."""
    return tuple(sorted(findings, key=lambda finding: ORDER.index(finding.severity)))


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


def _about_link(
    link: Link, frame: Frame, extent: Extent | None, model: RobotModel
) -> Iterator[Finding]:
    body, name, reach = link.inertia, link.name, model.reach
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
        yield _found('density', name, f'{density:.3g} kg/m^3 by {of}, {body.mass:.3g} kg')

    # The principal moments, ascending: each is the sum of two of the second moments.
    moments = second_moments.sum() - second_moments[::-1]
    excess = (moments[0] + moments[1]) / moments[2] - 1.0
    # Within the printed precision it is a plate, on purpose.
    if PRINTED_PRECISION < excess < NEARLY:
        printed = ', '.join(f'{moment:.4g}' for moment in moments)
        yield _found('nearly_flat', name, f'principal moments {printed} kg m^2')

    if extent is not None:
        beyond = extent.distance(center)
        if beyond > 0.5 * extent.diagonal:
            value = f'{beyond:.3g} m outside the box of its shapes'
            yield _found('far_center_of_mass', name, value)
        if gyration > extent.farthest(center):
            yield _found('inertia_too_large', name, f'radius of gyration {gyration:.3g} m')
        return
    if distance > max(FAR, reach):
        value = f'{distance:.3g} m from its frame, the robot reaches {reach:.3g} m'
        yield _found('far_center_of_mass', name, value)
    # Without the parallel-axis term an inertia about the link frame, given as if about the centre
    # of mass, is still that of a real body, and far smaller; one about the centre seldom is.
    left = second - body.mass * np.outer(center, center)
    is_body = float(np.linalg.eigvalsh(left)[0]) > 0.0
    if is_body and np.trace(left) < CENTRAL_SHARE * np.trace(second):
        value = f'centre of mass at {distance:.3g} m, radius of gyration {gyration:.3g} m'
        yield _found('inertia_about_link_frame', name, value)
    elif frame.body >= 0 and gyration > (span := _span(model, frame, center)) + WIDTH:
        value = f'radius of gyration {gyration:.3g} m, its joints span {span:.3g} m'
        yield _found('inertia_too_large', name, value)


def _span(model: RobotModel, frame: Frame, center: Vector) -> float:
    """Diagonal of the box around the joints and frames of a body, and a centre of mass [m]."""
    placements = [joint.placement for joint in model.joints if joint.parent == frame.body]
    placements += [other.placement for other in model.frames if other.body == frame.body]
    placements.append(frame.placement @ Transform(translation=center))
    places = [(0.0, 0.0, 0.0), *(placement.translation for placement in placements)]
    return float(np.linalg.norm(np.ptp(places, axis=0)))


def _geared_joints(robot: Element) -> Iterator[str]:
    """Names of joints whose transmission describes a rotor, or a gear that is not one to one."""
    for transmission in robot.findall('transmission'):
        for part in transmission.iter():
            tag = part.tag.rpartition(':')[2].replace('_', '').lower()
            value = part.get('value', part.text or '')
            if tag in ROTORS or (tag in GEARS and not ONE_TO_ONE.fullmatch(value)):
                yield from (joint.get('name', '') for joint in transmission.findall('joint'))


def _about_joints(model: RobotModel, geared: Collection[str]) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Joint]] = {}
    for joint in model.joints:
        for problem in _problems(joint, model):
            groups.setdefault(problem, []).append(joint)
        if joint.name in geared:
            groups.setdefault(('transmission_left_out', ''), []).append(joint)
    for (code, value), joints in groups.items():
        yield _about(model, code, value, tuple(joint.name for joint in joints))


def _about(model: RobotModel, code: str, value: str, joints: tuple[str, ...]) -> Finding:
    """A finding about joints, and the link to which the first of them leads."""
    body = [joint.name for joint in model.joints].index(joints[0])
    value = f'{value}: {listed(joints)}' if value else listed(joints)
    return _found(code, model.first_link(body), value, joints)


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
        yield _found('fixed_mass', fixed[0].name, value)


def _central_second_moment(body: Inertia) -> Array:
    rotational: Array = np.array(body.rotational_at_center_of_mass)
    return 0.5 * rotational.trace() * np.eye(3) - rotational
