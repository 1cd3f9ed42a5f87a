"""Centre of mass, momentum and energies of the moving bodies, from moments in body frames.

Links that are fixed to the base are left out.
"""

from __future__ import annotations

from ..errors import InertiaError
from ..model.robot import RobotModel
from ..scalar import Rows, Scalar, Scalars, require_positive
from ..spatial import Force, Inertia, Vector, dot, rotate, scale
from .crba import composites
from .kinematics import body_poses, body_twists, generalized_rows, joint_poses, joint_rates
from .record import quantity


@quantity(3, unit='m')
def center_of_mass(model: RobotModel, q: Scalars) -> list[Scalar]:
    """c, the centre of mass of the moving bodies, in the base.

    Raises:
        InertiaError: no moving body has a mass.
    """
    return [*scale(1.0 / _mass(model, q), _as_one_body(model, q).first_moment)]


@quantity(3, 'n', unit='m or 1')
def center_of_mass_jacobian(model: RobotModel, q: Scalars) -> Rows:
    """J(q) with dc/dt = J v of the centre of mass c, in base axes.

    A joint moves all that it carries as one body: its column is z x (c_i - p_i) m_i / m, with the
    mass m_i and the centre c_i of what it carries, or z m_i / m where it slides (Sugihara,
    Nakamura, Inoue, "Realtime humanoid motion generation through ZMP manipulation based on
    inverted pendulum control", 2002): the momentum of that body at a unit rate of the joint.

    Raises:
        InertiaError: no moving body has a mass.
    """
    per_mass = 1.0 / _mass(model, q)
    columns = []
    carried = composites(model, joint_poses(model, q))
    for joint, body, pose in zip(model.joints, carried, body_poses(model, q), strict=True):
        momentum = (body @ joint.subspace).linear
        columns.append(scale(per_mass, rotate(pose.rotation, momentum)))
    return generalized_rows(model, [list(row) for row in zip(*columns, strict=True)])


@quantity(6, unit='N s; N m s')
def momentum(model: RobotModel, q: Scalars, v: Scalars) -> list[Scalar]:
    """Momentum [linear; angular] about the base origin, in base axes.

    That of the moving bodies.
    """
    poses = joint_poses(model, q)
    twists, _ = body_twists(model, poses, joint_rates(model, v))
    carried = [joint.inertia @ twist for joint, twist in zip(model.joints, twists, strict=True)]
    total = Force()
    for i, joint in reversed(list(enumerate(model.joints))):
        if joint.parent >= 0:
            carried[joint.parent] += poses[i] @ carried[i]
        else:
            total += poses[i] @ carried[i]
    return [*total.linear, *total.angular]


@quantity(unit='J')
def kinetic_energy(model: RobotModel, q: Scalars, v: Scalars) -> Scalar:
    """v^T M(q) v / 2 of the moving bodies.

    A float; of a batch an array (N,). It is half the power of the momentum of each body on its
    twist. Rotors add half their armature times the square of the rate of their joint.
    """
    rates = joint_rates(model, v)
    twists, _ = body_twists(model, joint_poses(model, q), rates)
    twice: Scalar = 0.0
    for joint, twist, rate in zip(model.joints, twists, rates, strict=True):
        twice += twist.dot(joint.inertia @ twist) + joint.armature * rate * rate
    return 0.5 * twice


@quantity(unit='J')
def potential_energy(model: RobotModel, q: Scalars, gravity: Vector) -> Scalar:
    """U with dU/dq = g(q), zero for mass at the base origin.

    A float; of a batch an array (N,). U = -sum of m gravity . c over the moving bodies.
    """
    return -dot(gravity, _as_one_body(model, q).first_moment)


def _as_one_body(model: RobotModel, q: Scalars) -> Inertia:
    """All moving bodies as one, in the base."""
    poses, total = joint_poses(model, q), Inertia()
    for joint, pose, body in zip(model.joints, poses, composites(model, poses), strict=True):
        if joint.parent < 0:
            total += pose @ body
    return total


def _mass(model: RobotModel, q: Scalars) -> Scalar:
    mass: Scalar = 0.0
    for joint in model.joints:
        mass += joint.inertia.mass
    if isinstance(mass, float) and mass == 0.0:
        raise InertiaError(
            f'robot {model.name!r} has no centre of mass: no moving link has a mass, give them '
            'inertials'
        )
    require_positive(q[0], mass, f'robot {model.name!r} has no centre of mass without a payload')
    return mass
