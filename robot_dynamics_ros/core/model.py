"""The robot as the dynamics sees it: a tree of moving bodies, one joint each. It never changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from .checks import checked_name
from .errors import UnknownNameError
from .findings import Finding
from .geometry import Extent
from .inertia import Inertia, Placement
from .payload import Payload
from .spatial import ZERO, ZERO_MATRIX, Matrix, Vector

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
    driver: str | None = None
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


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
class Link:
    """A link as the description gives it, before it is merged with what is fixed to it.

    Attributes:
        name: of the link.
        inertia: its own, in the link frame; no mass where it has no inertial.
        extent: of its shapes, in the link frame; None where they are meshes, or it has none.
    """

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    extent: Extent | None = None


@dataclass(frozen=True)
class RobotModel:
    """A fixed-base tree of joints, in an order in which parents come before children.

    Attributes:
        name: of the robot.
        joints: every moving joint, mimic joints included.
        frames: every link, those that are fixed to another included; the root link first.
        findings: what is implausible in the inertials (see `Finding`, and `audit` for more).
        links: every link as it was described, in the order of `frames`.
        payloads: what was attached since, by name; `joints` has it merged.
        unloaded: the model without payloads; None for one that has none.
    """

    name: str
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    links: tuple[Link, ...] = ()
    payloads: tuple[Payload, ...] = ()
    unloaded: RobotModel | None = None

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
            driven = any(joint.name == name for joint in self.joints)
            kind = 'independent joint (it mimics another)' if driven else 'joint'
            raise UnknownNameError(kind, name, self.joint_names)
        return self.joint_names.index(name)

    def frame(self, name: str) -> Frame:
        """The frame of a link.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: it is no name.
        """
        checked_name('frame', name)
        for frame in self.frames:
            if frame.name == name:
                return frame
        raise UnknownNameError('frame', name, tuple(frame.name for frame in self.frames))

    def reduced(
        self, joints: Iterable[str], locked: Mapping[str, float] = MappingProxyType({})
    ) -> RobotModel:
        """The robot with all but these joints locked: see `reduction.reduced`."""
        from . import reduction

        return reduction.reduced(self, joints, locked)

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: Vector = ZERO,
        inertia: Matrix = ZERO_MATRIX,
        *,
        name: str = 'payload',
    ) -> RobotModel:
        """The robot with a body fixed to a link: see `payload.with_payload`.

        Args:
            frame: name of the link.
            mass: [kg].
            com: (3,) centre of mass in the link frame [m].
            inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].
            name: of the payload; one of the same name is replaced.
        """
        from . import loading

        return loading.with_payload(self, Payload.checked(name, frame, mass, com, inertia))

    def without_payload(self, name: str = 'payload') -> RobotModel:
        """Without the payload of that name: exactly the robot as if it had never been there.

        Raises:
            UnknownNameError: there is none of that name.
        """
        from . import loading

        return loading.without_payload(self, name)

    def with_armature(self, armature: Mapping[str, float]) -> RobotModel:
        """With these reflected rotor inertias [kg m^2 or kg], by joint name.

        The inertia of the rotor about its own axis, times the gear ratio squared. Gyroscopic
        effects of the rotor are left out, as is usual.

        Raises:
            UnknownNameError: a joint does not exist.
            ParameterError: a value is negative or not finite.
        """
        from . import loading

        return loading.with_armature(self, armature)
