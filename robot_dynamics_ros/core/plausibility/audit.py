"""The audit of a robot: what is suspicious in its description, before torques depend on it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..checks import Array
from ..model.findings import PRINTED_PRECISION, Finding, examine_inertial, listed
from ..model.robot import RobotModel
from ..model.tree import Link
from ..spatial import Inertia
from .joint_audit import examine_joints

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
# [m]: without shapes a centre of mass is far away beyond this and beyond the reach of the robot.
FAR = 1.0


def audit(model: RobotModel) -> tuple[Finding, ...]:
    """All findings about a robot, those of severity error first.

    The density of a link is its mass over the volume of its shapes, where the description has
    boxes, cylinders, spheres or capsules, and otherwise over that of the uniform ellipsoid with
    the same inertia. Meshes are never read. Links with less than a thousandth of the robot's mass
    are not examined: they stand for frames and sensors.

    Args:
        model: the robot.
    """
    findings = [*model.findings]
    total = sum(link.inertia.mass for link in model.links)
    for link in model.links:
        body = link.inertia
        if body.mass > NEGLIGIBLE * total and not examine_inertial(
            link.name, body.mass, body.rotational_at_center_of_mass
        ):
            findings += _examine_link(link, model.reach)
    findings += examine_joints(model)
    findings += _mass_on_the_base(model)
    findings += _heavy_payloads(model)
    order = ('error', 'warning', 'info')
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def _examine_link(link: Link, reach: float) -> Iterator[Finding]:
    yield from _density(link)
    yield from _nearly_flat(link)
    yield from _far_center(link, reach)
    yield from _wrong_frame(link)


def _density(link: Link) -> Iterator[Finding]:
    body = link.inertia
    advice = 'look for a wrong unit: mass in kg, lengths in m, inertia in kg m^2'
    if link.extent is not None:
        density = body.mass / link.extent.volume
        lightest, of = LIGHTEST, 'its shapes'
    else:
        # A uniform ellipsoid of semi-axes a has the second moments m a^2 / 5.
        moments = np.linalg.eigvalsh(_central_second_moment(body))
        axes = np.sqrt(np.maximum(5.0 * moments / body.mass, 0.0))
        volume = 4.0 / 3.0 * math.pi * float(axes.prod())
        # A plate has no volume, and a density without bound.
        density = body.mass / volume if axes.min() > 1e-2 * axes.max() else math.nan
        lightest, of = LIGHTEST_ELLIPSOID, 'the ellipsoid of its inertia'
    if density < lightest or density > HEAVIEST:
        problem = f'its density is implausible: {density:.3g} kg/m^3 by {of}'
        yield Finding(link.name, 'density', problem, f'{body.mass:.3g} kg', advice)


def _nearly_flat(link: Link) -> Iterator[Finding]:
    moments = np.linalg.eigvalsh(np.array(link.inertia.rotational_at_center_of_mass))
    excess = float((moments[0] + moments[1]) / moments[2]) - 1.0
    # Within the printed precision it is a plate, on purpose.
    if PRINTED_PRECISION < excess < NEARLY:
        yield Finding(
            link.name,
            'nearly_flat',
            'its rotational inertia only just obeys the triangle inequality',
            'principal moments ' + ', '.join(f'{moment:.4g}' for moment in moments) + ' kg m^2',
            'fine for a thin plate; otherwise compute it anew',
            'info',
        )


def _far_center(link: Link, reach: float) -> Iterator[Finding]:
    center = link.inertia.center_of_mass
    if link.extent is not None:
        distance = link.extent.distance(center)
        far, of = distance > 0.5 * link.extent.diagonal, 'outside the box of its shapes'
    else:
        distance = math.hypot(*center)
        far, of = distance > max(FAR, reach), 'from its frame, more than the robot is long'
    if far:
        yield Finding(
            link.name,
            'far_center_of_mass',
            'its centre of mass is far outside the link',
            f'{distance:.3g} m {of}',
            'check the unit and the frame of the inertial origin',
        )


def _wrong_frame(link: Link) -> Iterator[Finding]:
    """An inertia about the link frame, given as if about the centre of mass.

    Without the parallel-axis term such an inertia is still that of a real body, and far smaller.
    An inertia about the centre of mass seldom is.
    """
    body = link.inertia
    center = body.center_of_mass
    second = _central_second_moment(body)
    left = second - body.mass * np.outer(center, center)
    moments = np.linalg.eigvalsh(left)
    looks = moments[0] > 0.0 and np.trace(left) < CENTRAL_SHARE * np.trace(second)
    gyration = math.sqrt(float(np.trace(second)) / body.mass)
    advice = 'the inertia of a URDF is about the centre of mass, in the axes of <inertial>'
    if link.extent is not None and gyration > link.extent.farthest(center):
        problem = 'its rotational inertia is larger than its shapes can have'
        if looks:
            problem += ', as if it were about the link frame'
        value = f'radius of gyration {gyration:.3g} m'
        yield Finding(link.name, 'inertia_too_large', problem, value, advice)
    elif looks and link.extent is None:
        problem = 'its rotational inertia looks as if it were about the link frame'
        distance = math.hypot(*center)
        value = f'centre of mass at {distance:.3g} m, radius of gyration {gyration:.3g} m'
        yield Finding(link.name, 'inertia_about_link_frame', problem, value, advice)


def _mass_on_the_base(model: RobotModel) -> Iterator[Finding]:
    """Links with mass that are fixed to the root link: perhaps a joint should not be fixed."""
    fixed = [
        link
        for frame, link in zip(model.frames, model.links, strict=True)
        if frame.body < 0 and link.inertia.mass
    ]
    lost = [link for link in fixed if link.name != model.frames[0].name]
    if lost:
        yield Finding(
            lost[0].name,
            'fixed_mass',
            'it is fixed to the base, so that its mass has no effect',
            f'{sum(link.inertia.mass for link in lost):.3g} kg: '
            + listed([link.name for link in lost]),
            'fine for a pedestal; otherwise look for a joint that should not be fixed',
            'info',
        )


def _heavy_payloads(model: RobotModel) -> Iterator[Finding]:
    """Payloads as heavy as the robot."""
    for payload in model.payloads:
        if question := model.doubt_about(payload):
            problem, _, advice = question.rpartition(': ')
            value = f'{payload.mass:g} kg'
            yield Finding(payload.frame, 'heavy_payload', problem, value, advice)


def _central_second_moment(body: Inertia) -> Array:
    rotational: Array = np.array(body.rotational_at_center_of_mass)
    half: float = 0.5 * rotational.trace()
    return half * np.eye(3) - rotational
