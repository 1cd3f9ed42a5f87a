"""The robot as the dynamics sees it: a tree of moving bodies, one joint each. It never changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from .errors import UnknownNameError
from .findings import Finding
from .inertia import Inertia, Placement
from .spatial import Vector

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


@dataclass(frozen=True)
class Coordinate:
    """How a joint reads the vector q: its position is `multiplier * q[index] + offset`.

    An independent joint has multiplier 1 and offset 0; a mimic joint shares the index of the
    joint that drives it.
    """

    index: int
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """A moving joint and the body that it carries.

    Attributes:
        name: of the joint.
        kind: revolute and continuous turn about the axis, prismatic slides along it.
        parent: index in `RobotModel.joints` of the joint that carries this one, -1 for the base;
            always smaller than the joint's own index.
        placement: pose of the joint frame in the frame of the parent body at position zero.
        axis: (3,) unit vector in the joint frame.
        inertia: of the body, with all that is fixed to it, in the joint frame.
        coordinate: the entry of q that moves it.
        driver: name of the joint that it mimics; None for an independent joint.
        limits: see `Limits`.
        damping: viscous friction [N m s/rad or N s/m].
        friction: Coulomb friction [N m or N].
    """

    name: str
    kind: JointKind
    parent: int
    placement: Placement
    axis: Vector
    inertia: Inertia
    coordinate: Coordinate
    driver: str | None = None
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True)
class Frame:
    """A link of the description, and where it is.

    Attributes:
        name: of the link.
        body: index in `RobotModel.joints` of the joint that carries it, -1 for the base.
        placement: its pose in the frame of that body, or in the root link.
    """

    name: str
    body: int
    placement: Placement


@dataclass(frozen=True)
class RobotModel:
    """A fixed-base tree of joints, in an order in which parents come before children.

    Attributes:
        name: of the robot.
        joints: every moving joint, mimic joints included.
        frames: every link, those that are fixed to another included; the root link first.
        findings: what is implausible in the description (see `Finding`).
    """

    name: str
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """The joints with an entry of their own in q, in the order of q."""
        return tuple(joint for joint in self.joints if joint.driver is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names in the order of q and of every other vector and matrix."""
        return tuple(joint.name for joint in self.independent_joints)

    @property
    def size(self) -> int:
        """n, the number of independent joints."""
        return len(self.independent_joints)

    def index_of(self, name: str) -> int:
        """Index of a joint in q.

        Raises:
            UnknownNameError: no independent joint has that name.
        """
        if name not in self.joint_names:
            raise UnknownNameError('joint', name, self.joint_names)
        return self.joint_names.index(name)

    def frame(self, name: str) -> Frame:
        """The frame of a link.

        Raises:
            UnknownNameError: no link has that name.
        """
        for frame in self.frames:
            if frame.name == name:
                return frame
        raise UnknownNameError('frame', name, tuple(frame.name for frame in self.frames))
