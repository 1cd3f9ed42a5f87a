"""The mass matrix by the composite-rigid-body algorithm, in body frames."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.inertia import Inertia
from ..model.robot import RobotModel
from ..model.tree import Joint
from ..scalar import Scalar
from ..spatial import Vector, add, cross, dot, rotate, scale
from .joint_tree import accumulate, ancestors, joint_frames


def mass_matrix(model: RobotModel, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M(q) [kg m^2, kg m or kg], shape (n, n), full and symmetric.

    Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms" (1982);
    Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 6.2. Rotors add their armature to
    the diagonal.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
    """
    frames = joint_frames(model, q)
    composites = [joint.inertia for joint in model.joints]
    matrix: list[list[Scalar]] = [[0.0] * model.size for _ in range(model.size)]

    # Backward, tips to base: composites[i] is all that joint i carries, as one body.
    for i, joint in reversed(list(enumerate(model.joints))):
        force, moment = _wrench_of_unit_acceleration(composites[i], joint)
        accumulate(matrix, joint, joint, _effort(joint, force, moment) + joint.armature)
        # The same wrench acts on every ancestor, each of which gives its part along its axis.
        child = i
        for parent in ancestors(model, i):
            rotation, translation = frames[child]
            force = rotate(rotation, force)
            moment = add(rotate(rotation, moment), cross(translation, force))
            ancestor = model.joints[parent]
            entry = _effort(ancestor, force, moment)
            accumulate(matrix, joint, ancestor, entry)
            accumulate(matrix, ancestor, joint, entry)
            child = parent
        if joint.parent >= 0:
            composites[joint.parent] += composites[i].moved(*frames[i])
    return matrix


def _wrench_of_unit_acceleration(body: Inertia, joint: Joint) -> tuple[Vector, Vector]:
    """Force and moment, at the joint, that accelerate the body by one unit along the joint."""
    if joint.kind == 'prismatic':
        return scale(body.mass, joint.axis), cross(body.first_moment, joint.axis)
    return cross(joint.axis, body.first_moment), rotate(body.rotational, joint.axis)


def _effort(joint: Joint, force: Vector, moment: Vector) -> Scalar:
    """The part of a wrench at a joint that its drive gives."""
    return dot(joint.axis, force if joint.kind == 'prismatic' else moment)
