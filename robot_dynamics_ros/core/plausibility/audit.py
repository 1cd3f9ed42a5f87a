"""What is suspicious in a robot's description: to be read before it is trusted with torque."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..checks import Array
from ..model.findings import PRINTED_PRECISION, Finding, examine_inertial, listed
from ..model.inertia import Inertia
from ..model.robot import RobotModel
from ..model.tree import Link
from .joint_audit import examine_joints

# [kg/m^3]: foam and hollow shells, and the densest metals, with room for rough shapes.
LIGHTEST, HEAVIEST = 5.0, 25_000.0
# The same for the ellipsoid that the inertia stands for: frames of thin tubes fill little of it.
LIGHTEST_ELLIPSOID = 1.0
# A plate meets the triangle inequality exactly, so that what is closer may be chance.
NEARLY = 1e-3
# An inertia about the link frame is at least so much larger than about the centre of mass.
CENTRAL_SHARE = 0.3
# Share of the robot's mass below which a link is a stand-in for a frame or a sensor.
NEGLIGIBLE = 1e-3
# Without shapes a centre of mass is far away when it is beyond [m] and beyond the whole robot.
FAR = 1.0


def audit(model: RobotModel) -> tuple[Finding, ...]:
    """All findings about a robot, the severe ones first.

    Shapes are known where the description has boxes, cylinders, spheres and capsules; meshes are
    files, and never read. Density is then mass over volume; elsewhere it is that of the uniform
    ellipsoid of the same inertia. The bodies of links with less than a thousandth of the robot's
    mass are passed over: they stand for frames and sensors.
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
        yield Finding(link.name, problem, f'{body.mass:.3g} kg', advice)


def _nearly_flat(link: Link) -> Iterator[Finding]:
    moments = np.linalg.eigvalsh(np.array(link.inertia.rotational_at_center_of_mass))
    excess = float((moments[0] + moments[1]) / moments[2]) - 1.0
    # Within the printed precision it is a plate, on purpose.
    if PRINTED_PRECISION < excess < NEARLY:
        yield Finding(
            link.name,
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
            'its centre of mass is far outside the link',
            f'{distance:.3g} m {of}',
            'check the unit and the frame of the inertial origin',
        )


def _wrong_frame(link: Link) -> Iterator[Finding]:
    """An inertia about the link frame, given as if about the centre of mass.

    Then what is left without the parallel-axis term is a real body too, and far smaller: no
    inertia about its own centre of mass is mostly of that form.
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
        yield Finding(link.name, problem, f'radius of gyration {gyration:.3g} m', advice)
    elif looks and link.extent is None:
        problem = 'its rotational inertia looks as if it were about the link frame'
        value = f'centre of mass at {math.hypot(*center):.3g} m'
        yield Finding(link.name, problem, f'{value}, radius of gyration {gyration:.3g} m', advice)


def _mass_on_the_base(model: RobotModel) -> Iterator[Finding]:
    """The root link itself is meant to rest; what is fixed to it may have been forgotten."""
    fixed = [
        link
        for frame, link in zip(model.frames, model.links, strict=True)
        if frame.body < 0 and link.inertia.mass
    ]
    lost = [link for link in fixed if link.name != model.frames[0].name]
    if lost:
        yield Finding(
            lost[0].name,
            'it is fixed to the base, so that its mass plays no part',
            f'{sum(link.inertia.mass for link in lost):.3g} kg: '
            + listed([link.name for link in lost]),
            'fine for a pedestal; otherwise look for a joint that should not be fixed',
            'info',
        )


def _central_second_moment(body: Inertia) -> Array:
    rotational: Array = np.array(body.rotational_at_center_of_mass)
    half: float = 0.5 * rotational.trace()
    return half * np.eye(3) - rotational
