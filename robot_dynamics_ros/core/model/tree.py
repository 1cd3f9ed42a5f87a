"""The parts of a robot: joints with their bodies, frames, and links as described."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

from ..scalar import Scalar
from ..spatial import Matrix, Vector, add, multiply, rotate, rotation_about, scale
from .extent import Extent
from .inertia import Inertia, Placement

JointKind = Literal['revolute', 'continuous', 'prismatic']


@dataclass(frozen=True)
class Limits:
    """What the description allows a joint; infinite where it says nothing.

    Attributes:
        lower: smallest position [rad or m].
        upper: largest position [rad or m].
        velocity: largest speed [rad/s or m/s].
        effort: largest torque or force [N m or N].
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    @property
    def known(self) -> Limits:
        """These, infinite for a speed or effort that is not positive: that counts as none."""
        speed, effort = (x if x > 0.0 else math.inf for x in (self.velocity, self.effort))
        return replace(self, velocity=speed, effort=effort)


@dataclass(frozen=True)
class Coordinate:
    """How a joint reads the vector q: its position is `multiplier * q[index] + offset`.

    An independent joint has multiplier 1 and offset 0; a mimic joint shares the index of the
    joint that it mimics.
    """

    index: int
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """A moving joint and the body that it carries.

    Attributes:
        name: of the joint.
        kind: revolute and continuous rotate about the axis, prismatic slides along it.
        parent: index in `RobotModel.joints` of the joint that carries this one, -1 for the base;
            always smaller than the joint's own index.
        placement: pose of the joint frame in the frame of the parent body at position zero.
        axis: (3,) unit vector in the joint frame.
        inertia: of the body, with all that is fixed to it, in the joint frame.
        coordinate: how it reads q.
        mimicked: name of the independent joint that it mimics; None for an independent joint.
        limits: see `Limits`.
        damping: viscous friction [N m s/rad or N s/m].
        friction: Coulomb friction [N m or N].
        armature: inertia of the rotor as the joint feels it: times the gear ratio squared
            [kg m^2 or kg].
    """

    name: str
    kind: JointKind
    parent: int
    placement: Placement
    axis: Vector
    inertia: Inertia
    coordinate: Coordinate
    mimicked: str | None = None
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True)
class Frame:
    """A link of the description, and its place on the body that carries it.

    Attributes:
        name: of the link.
        body: index in `RobotModel.joints` of the joint that carries it, -1 for the base.
        placement: its pose in the frame of that body, or in the root link.
    """

    name: str
    body: int
    placement: Placement


@dataclass(frozen=True)
class Link:
    """A link as the description gives it, before it is merged with what is fixed to it.

    Attributes:
        name: of the link.
        inertia: its own, in the link frame; no mass where it has no inertial.
        extent: of its shapes, in the link frame; None where they are meshes, or it has none.
        joint: name of the joint that leads to it, fixed ones too; empty for the root link.
    """

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    extent: Extent | None = None
    joint: str = ''


def joint_position(joint: Joint, coordinate: Scalar) -> Scalar:
    """Position of a joint [rad or m] from its entry of q."""
    return joint.coordinate.multiplier * coordinate + joint.coordinate.offset


def joint_frame(joint: Joint, position: Scalar) -> tuple[Matrix, Vector]:
    """Rotation (3, 3) and origin (3,) [m] of the body of a joint in its parent body.

    Args:
        joint: whose body it is.
        position: of the joint [rad or m].
    """
    rotation, translation = joint.placement.rotation, joint.placement.translation
    if joint.kind == 'prismatic':
        return rotation, add(translation, rotate(rotation, scale(position, joint.axis)))
    return multiply(rotation, rotation_about(joint.axis, position)), translation
