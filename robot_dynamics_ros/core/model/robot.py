"""The robot as the dynamics sees it: a tree of moving bodies, one joint each. It never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from ..checks import checked_name, checked_names
from ..errors import ParameterError, UnknownNameError
from ..spatial import ZERO, ZERO_MATRIX, Matrix, Vector
from . import attachment, reduction
from .findings import Finding
from .payload import Payload
from .tree import Frame, Joint, Link


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
        return tuple(joint for joint in self.joints if joint.mimicked is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names in the order of q and of every other vector and matrix."""
        return tuple(joint.name for joint in self.independent_joints)

    @property
    def size(self) -> int:
        """n, the number of independent joints."""
        return len(self.independent_joints)

    @cached_property
    def reach(self) -> float:
        """How far from the base a link can be at most, prismatic joints at zero [m]."""
        lengths = [0.0]
        for joint in self.joints:
            lengths.append(lengths[joint.parent + 1] + joint.placement.distance)
        return max(
            (lengths[frame.body + 1] + frame.placement.distance for frame in self.frames),
            default=max(lengths),
        )

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

    def indices_of(self, names: Iterable[str]) -> list[int]:
        """Indices of joints in q, in the order of the names.

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: there is no name, or one comes twice.
        """
        joints = checked_names('joints', names)
        indices = [self.index_of(name) for name in joints]
        if not indices:
            known = ', '.join(self.joint_names)
            raise ParameterError(f'joints is empty: name at least one of {known}')
        if repeated := sorted({name for name in joints if joints.count(name) > 1}):
            raise ParameterError(f'joints are named twice: {", ".join(repeated)}')
        return indices

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
        """The robot with all but some joints locked.

        Equivalent to Pinocchio's buildReducedModel. Joints keep their order, whatever the order
        of `joints`; a mimic joint moves or rests with the joint that it mimics; links keep their
        frames, and payloads their links.

        Args:
            joints: names of the independent joints to keep.
            locked: positions of others [rad or m]; those that are not named are locked at zero.

        Raises:
            UnknownNameError: a name is that of no independent joint.
            ParameterError: a joint is both kept and locked, kept twice, or locked at a position
                that is not finite; `joints` are no names, or `locked` is no mapping.
        """
        bare = self._without_payloads
        kept, positions = reduction.checked_choice(bare.joints, joints, locked)
        merged, frames = reduction.reduced(bare.joints, bare.frames, kept, positions)
        return replace(bare, joints=merged, frames=frames)._with_payloads(self.payloads)

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: Vector = ZERO,
        inertia: Matrix = ZERO_MATRIX,
        *,
        name: str = 'payload',
    ) -> RobotModel:
        """The robot with a body fixed to a link, beside its other payloads.

        Args:
            frame: name of the link.
            mass: [kg].
            com: (3,) centre of mass in the link frame [m].
            inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].
            name: of the payload; one of the same name is replaced.

        Raises:
            UnknownNameError: the link does not exist.
            ParameterError: the link does not move, or no real body can be so (see `Payload`).
        """
        return self.carrying(Payload.checked(name, frame, mass, com, inertia))

    def carrying(self, payload: Payload) -> RobotModel:
        """The robot with this payload beside its others, in place of one of the same name.

        Payloads are always merged into the robot as described, in the order of their names, so
        that the result depends on which there are and never on what came and went before.

        Raises:
            UnknownNameError: its link does not exist.
            ParameterError: its link does not move.
        """
        if self.frame(payload.frame).body < 0:
            raise ParameterError(
                f'payload {payload.name!r}: link {payload.frame!r} is fixed to the base, no joint '
                'would feel it'
            )
        others = (other for other in self.payloads if other.name != payload.name)
        return self._without_payloads._with_payloads([*others, payload])

    def without_payload(self, name: str = 'payload') -> RobotModel:
        """Without the payload of that name: exactly the robot as if it had never been there.

        Raises:
            UnknownNameError: there is none of that name.
        """
        known = tuple(payload.name for payload in self.payloads)
        if name not in known:
            raise UnknownNameError('payload', name, known)
        others = (payload for payload in self.payloads if payload.name != name)
        return self._without_payloads._with_payloads(others)

    def with_armature(self, armature: Mapping[str, float]) -> RobotModel:
        """With these reflected rotor inertias [kg m^2 or kg], by joint name.

        The inertia of the rotor about its own axis, times the gear ratio squared. Gyroscopic
        effects of the rotor are left out, as is usual. A mimic joint may have a rotor of its own;
        the joint that it mimics feels it through the multiplier squared.

        Raises:
            UnknownNameError: a joint does not exist.
            ParameterError: a value is negative or not finite, or this is no mapping.
        """
        bare = self._without_payloads
        joints = attachment.with_armature(bare.joints, armature)
        return replace(bare, joints=joints)._with_payloads(self.payloads)

    @property
    def _without_payloads(self) -> RobotModel:
        return self.unloaded or self

    def _with_payloads(self, payloads: Iterable[Payload]) -> RobotModel:
        """This robot, which has none, with these; bitwise itself if there are none."""
        ordered = tuple(sorted(payloads, key=lambda payload: payload.name))
        if not ordered:
            return self
        joints = attachment.with_payloads(self.joints, self.frames, ordered)
        return replace(self, joints=joints, payloads=ordered, unloaded=self)
