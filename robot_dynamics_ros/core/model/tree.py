"""The parts of a robot: joints with their bodies, frames, and links as described."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from ..scalar import Scalar
from ..spatial import (
    Inertia,
    Motion,
    Transform,
    Vector,
    add,
    multiply,
    rotate,
    rotation_about,
    scale,
)
from .findings import Finding

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
    placement: Transform
    axis: Vector
    inertia: Inertia
    coordinate: Coordinate
    mimicked: str | None = None
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0

    @cached_property
    def index(self) -> int:
        """Of the entry of q that the joint reads."""
        return self.coordinate.index

    @property
    def slides(self) -> bool:
        """Whether it is prismatic."""
        return self.kind == 'prismatic'

    @cached_property
    def subspace(self) -> Motion:
        """S, the twist of a unit rate of the joint, in the joint frame."""
        return Motion(linear=self.axis) if self.slides else Motion(self.axis)

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """Its position [rad or m] at the positions q (n,) of the independent joints."""
        return self.coordinate.multiplier * q[self.index] + self.coordinate.offset

    def pose(self, q: Sequence[Scalar]) -> Transform:
        """Pose of the body in the parent body, at the positions q (n,)."""
        position, rotation = self.position(q), self.placement.rotation
        if self.slides:
            shift = rotate(rotation, scale(position, self.axis))
            return Transform(rotation, add(self.placement.translation, shift))
        turned = multiply(rotation, rotation_about(self.axis, position))
        return Transform(turned, self.placement.translation)


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
    placement: Transform


@dataclass(frozen=True)
class Link:
    """A link as the description gives it, before it is merged with what is fixed to it.

    Attributes:
        name: of the link.
        inertia: its own, in the link frame; no mass where it has no inertial.
        joint: name of the joint that leads to it, fixed ones too; empty for the root link.
        findings: what is implausible in its inertia.
    """

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    joint: str = ''
    findings: tuple[Finding, ...] = field(default=(), compare=False)
