"""`RobotModel`: an immutable tree of moving bodies, each carried by one joint."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ..checks import Array, checked_name
from ..errors import ParameterError, UnknownNameError
from ..spatial import ZERO, ZERO_MATRIX, Matrix, Transform, Vector
from . import attachment, changed_bodies, pseudo_inertia, reduction
from . import inertial_parameters as parameters
from .findings import Finding
from .independent_joints import IndependentJoints
from .payload import Payload
from .tree import Frame, Joint, Link


@dataclass(frozen=True)
class RobotModel(IndependentJoints):
    """A robot with a fixed base: a tree of joints, parents before children.

    A model never changes: `reduced`, `with_payload` and the like return another one.

    Attributes:
        name: of the robot.
        joints: every moving joint, mimic joints included.
        frames: every link, also those that are fixed to another; the root link first.
        findings: what is implausible in the inertials (see `Finding`, and `audit` for more).
        links: every link as it was described, in the order of `frames`.
        payloads: attached bodies, ordered by name; their inertia is included in `joints`.
        unloaded: the same model without payloads; None if there are none.
    """

    name: str
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    links: tuple[Link, ...] = ()
    payloads: tuple[Payload, ...] = ()
    unloaded: RobotModel | None = None

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

    @cached_property
    def at_origin(self) -> RobotModel:
        """The robot with every branch moved, without turning, to the origin of the base.

        Each branch has the dynamics that it had, and its moments about that origin do not lose
        digits with the distance of the base.
        """
        joints = tuple(
            replace(j, placement=Transform(j.placement.rotation)) if j.parent < 0 else j
            for j in self.joints
        )
        return replace(self, joints=joints)

    def frame(self, name: str) -> Frame:
        """The frame of a link.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: `name` is not a str.
        """
        checked_name('frame', name)
        for frame in self.frames:
            if frame.name == name:
                return frame
        raise UnknownNameError('frame', name, tuple(frame.name for frame in self.frames))

    def joints_that_move(self, frame: str) -> tuple[str, ...]:
        """Names of the independent joints whose motion moves a link, in their order.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link.
        """
        body = self.frame(frame).body
        if body < 0:
            raise ParameterError(
                f'link {frame!r} is fixed to the base and moves with no joint; name a link that '
                'moves'
            )
        indices = set()
        while body >= 0:
            indices.add(self.joints[body].coordinate.index)
            body = self.joints[body].parent
        return tuple(self.joint_names[index] for index in sorted(indices))

    def reduced(
        self,
        joints: Iterable[str],
        locked: Mapping[str, float] = MappingProxyType({}),
        *,
        others: float | None = None,
    ) -> RobotModel:
        """The robot with all but some joints locked.

        Equivalent to Pinocchio's buildReducedModel. Joints keep their order, whatever the order
        of `joints`; a mimic joint is kept or locked with the joint that it mimics; links keep
        their frames, and payloads their links.

        Args:
            joints: names of the independent joints to keep.
            locked: positions of other joints [rad or m].
            others: position of the joints that are in neither [rad or m]; None: there may be none.

        Raises:
            UnknownNameError: a name is not that of an independent joint.
            ParameterError: a joint is both kept and locked, kept twice, neither kept nor locked
                without `others`, or locked at a position that is not finite; `joints` is not a
                sequence of names, or `locked` not a mapping.
        """
        bare = self._without_payloads
        kept, positions = reduction.checked_choice(bare.joints, joints, locked, others)
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
        strict: bool = False,
    ) -> RobotModel:
        """The robot with a body fixed to a link, beside its other payloads.

        A payload as heavy as the robot gives a UserWarning: a mass in grams is one cause.

        Args:
            frame: name of the link.
            mass: [kg].
            com: (3,) centre of mass in the link frame [m].
            inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].
            name: of the payload; one of the same name is replaced.
            strict: whether a payload as heavy as the robot is refused.

        Raises:
            UnknownNameError: the link does not exist.
            ParameterError: the link does not move, or no real body has such an inertia (see
                `Payload`); with `strict`, the payload is as heavy as the robot.
        """
        payload = Payload(name, frame, mass, com, inertia)
        loaded = self.with_checked_payload(payload)
        if question := self.doubt_about(payload):
            if strict:
                raise ParameterError(question)
            warnings.warn(question, stacklevel=2)
        return loaded

    def doubt_about(self, payload: Payload) -> str:
        """Why the mass of a payload is probably a mistake; empty if it is not.

        Known robots carry less than they weigh. Where the description gives no mass there is
        nothing to compare with.
        """
        own = sum(link.inertia.mass for link in self.links)
        if not 0.0 < own <= payload.mass:
            return ''
        return (
            f'payload {payload.name!r}: its mass is {payload.mass:g} kg, the whole robot has '
            f'{own:.4g} kg: check that the mass is in kg'
        )

    def with_checked_payload(self, payload: Payload) -> RobotModel:
        """The robot with this payload beside its others; one of the same name is replaced.

        The inertia of all payloads is added to the robot without payloads, in the order of their
        names. So the result depends on the payloads alone, to the last bit, and not on the order
        in which they were attached and removed.

        Raises:
            UnknownNameError: its link does not exist.
            ParameterError: its link does not move.
        """
        if self.frame(payload.frame).body < 0:
            raise ParameterError(
                f'payload {payload.name!r}: link {payload.frame!r} is fixed to the base and moves '
                'with no joint; name a link that moves'
            )
        others = (other for other in self.payloads if other.name != payload.name)
        return self._without_payloads._with_payloads([*others, payload])

    def without_payload(self, name: str = 'payload') -> RobotModel:
        """The robot without the payload of that name, equal to one that never had it.

        Raises:
            UnknownNameError: no payload has that name.
        """
        known = tuple(payload.name for payload in self.payloads)
        if name not in known:
            raise UnknownNameError('payload', name, known)
        others = (payload for payload in self.payloads if payload.name != name)
        return self._without_payloads._with_payloads(others)

    def with_armature(self, armature: Mapping[str, float]) -> RobotModel:
        """The robot with rotors: their inertia, as the joints feel it.

        That is the inertia of the rotor about its own axis, times the gear ratio squared.
        Gyroscopic effects of the rotor are left out, as is usual. A mimic joint may have a rotor
        of its own: the joint that it mimics feels it, times the multiplier squared.

        Args:
            armature: by joint name [kg m^2 or kg]; other joints keep theirs.

        Raises:
            UnknownNameError: a joint does not exist.
            ParameterError: a value is negative or not finite, or `armature` is not a mapping.
        """
        bare = self._without_payloads
        joints = attachment.with_armature(bare.joints, armature)
        return replace(bare, joints=joints)._with_payloads(self.payloads)

    def inertial_parameters(self) -> Array:
        """m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of every body, shape (10 bodies,).

        The order is that of `joints`; moments are about the joint frame, in its axes: Pinocchio's
        order [kg, kg m, kg m^2]. Links that are fixed to a body, and payloads, are part of it; the
        armature of the rotors is not.
        """
        rows = [parameters.parameters_of(joint.inertia) for joint in self.joints]
        return np.array(rows, dtype=np.float64).reshape(-1)

    def with_inertial_parameters(self, pi: npt.ArrayLike, *, physical: bool = True) -> RobotModel:
        """The robot whose bodies have these inertial parameters, such as identified ones.

        With `model.inertial_parameters()` the result equals the model. Payloads stay attached: pi
        includes them, and the robot without them has what is left. Armature and friction stay.
        The links of a changed body become one: its first link has the whole inertia, the others,
        which are fixed to it, have none.

        Args:
            pi: (10 bodies,) as of `inertial_parameters`.
            physical: whether to refuse parameters that no body has: a negative mass, or a
                pseudo-inertia matrix that is not positive semidefinite.

        Raises:
            ParameterError: pi is not 10 finite numbers per body.
            InertiaError: a body, with or without its payload, is impossible, and `physical` is
                set.
        """
        rows = parameters.checked_parameters(pi, self.joints)
        bare = self._without_payloads
        joints = parameters.with_parameters(self.joints, bare.joints, rows)
        changed = changed_bodies.changed_bodies(bare.joints, joints)
        links = changed_bodies.links_after(bare.links, bare.frames, joints, changed)
        findings = changed_bodies.findings_after(bare.findings, bare.frames, joints, changed)
        other = replace(bare, joints=joints, links=links, findings=findings)
        loaded = other._with_payloads(self.payloads)
        if physical:
            pseudo_inertia.require_physical(other.joints)
            pseudo_inertia.require_physical(loaded.joints)
        return loaded

    @property
    def _without_payloads(self) -> RobotModel:
        return self.unloaded or self

    def _with_payloads(self, payloads: Iterable[Payload]) -> RobotModel:
        """This robot, which has no payloads, with these; itself if they are none."""
        ordered = tuple(sorted(payloads, key=lambda payload: payload.name))
        if not ordered:
            return self
        joints = attachment.with_payloads(self.joints, self.frames, ordered)
        return replace(self, joints=joints, payloads=ordered, unloaded=self)
