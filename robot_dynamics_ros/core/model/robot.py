"""`RobotModel`: an immutable tree of moving bodies, each carried by one joint."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import (
    Array,
    checked_name,
    checked_names,
    checked_rotation,
    checked_vector,
    is_finite,
)
from ..errors import InertiaError, ParameterError, StateError, TopologyError, UnknownNameError
from ..spatial import ZERO, ZERO_MATRIX, Inertia, Matrix, Transform, Vector
from . import reduction
from .findings import Finding, examine_inertial, listed
from .inertial_parameters import PARAMETERS, body_of, impossible, parameters_of
from .payload import Payload
from .tree import Frame, Joint, Link

NONE = Inertia()


@dataclass(frozen=True, repr=False)
class RobotModel:
    """A robot with a fixed base: a tree of joints, parents before children.

    A model never changes: `reduced`, `with_payload` and the like return another one; `print` lists
    the joints.

    Vectors have one entry per independent joint, in the order of q. Limits are those of the
    description: infinite where it gives none, and 0 where it says 0. Bounds are the same, but
    infinite where a limit is not positive, see `Limits.known`: whatever judges efforts, the guards
    of the node and `payload_margin` count that as none. The limits of a mimic joint are not among
    those of the joint that it mimics.

    Attributes:
        name: of the robot.
        joints: every moving joint, mimic joints included.
        frames: every link, also those that are fixed to another; the root link first, those of
            `with_frame` last.
        remarks: what was odd in the text of the description.
        links: every link as it was described, in the order of `frames`.
        payloads: attached bodies, ordered by name; their inertia is included in `joints`.
        unloaded: the same model without payloads; None if there are none.
    """

    name: str
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    remarks: tuple[Finding, ...] = field(default=(), compare=False)
    links: tuple[Link, ...] = ()
    payloads: tuple[Payload, ...] = ()
    unloaded: RobotModel | None = None

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The remarks, and what is implausible in the inertials; `inspection.audit` finds more."""
        found = [finding for link in self.links for finding in link.findings]
        for index, joint in enumerate(self._bare.joints):
            if joint.inertia.mass == 0.0:
                value, link = f'0 kg: {joint.name}', self.first_link(index)
                found.append(Finding.of('massless_body', link, value, (joint.name,)))
        return (*found, *self.remarks)

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """The joints that mimic no other, in the order of q."""
        return tuple(joint for joint in self.joints if joint.mimicked is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q and of every other vector."""
        return tuple(joint.name for joint in self.independent_joints)

    @property
    def size(self) -> int:
        """n, the number of independent joints."""
        return len(self.independent_joints)

    @property
    def lower(self) -> Array:
        """Smallest positions (n,), read-only [rad or m]; -infinite for a continuous joint."""
        return _read_only([joint.limits.lower for joint in self.independent_joints])

    @property
    def upper(self) -> Array:
        """Largest positions (n,), read-only [rad or m]; infinite for a continuous joint."""
        return _read_only([joint.limits.upper for joint in self.independent_joints])

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds (n,), read-only [rad/s or m/s]."""
        return _read_only([joint.limits.velocity for joint in self.independent_joints])

    @property
    def effort_limits(self) -> Array:
        """Largest torques and forces (n,), read-only [N m or N]."""
        return _read_only([joint.limits.effort for joint in self.independent_joints])

    @property
    def velocity_bounds(self) -> Array:
        """Largest speeds (n,), read-only [rad/s or m/s]; infinite for a limit up to 0."""
        return _read_only([joint.limits.known.velocity for joint in self.independent_joints])

    @property
    def effort_bounds(self) -> Array:
        """Largest torques and forces (n,), read-only [N m or N]; infinite for a limit up to 0."""
        return _read_only([joint.limits.known.effort for joint in self.independent_joints])

    @property
    def effort_units(self) -> tuple[str, ...]:
        """Units of the torques and forces, (n,): 'N' of a prismatic joint, else 'N m'."""
        return tuple('N' if slides else 'N m' for slides in self.sliding)

    @property
    def sliding(self) -> npt.NDArray[np.bool_]:
        """Whether each joint slides, (n,)."""
        return np.array([joint.slides for joint in self.independent_joints])

    @property
    def mass(self) -> float:
        """Of all links, those that are fixed to the base included, and of the payloads [kg]."""
        links: float = sum(link.inertia.mass for link in self.links)
        return links + sum(payload.mass for payload in self.payloads)

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

    def __repr__(self) -> str:
        joints, frames = len(self.joints), len(self.frames)
        return f'<RobotModel {self.name!r}: {joints} joints, {frames} frames, {self.mass:.4g} kg>'

    def __str__(self) -> str:
        """The robot in a line, and a table of its joints."""
        rows: list[tuple[str, ...]] = [
            ('joint', 'type', 'carried by', 'lower', 'upper', 'velocity', 'effort', 'mass [kg]')
        ]
        for joint in self.joints:
            kind = f'{joint.kind}, mimics {joint.mimicked}' if joint.mimicked else joint.kind
            parent = self.joints[joint.parent].name if joint.parent >= 0 else 'the base'
            limits = joint.limits
            numbers = (limits.lower, limits.upper, limits.velocity, limits.effort)
            printed = (f'{number:.4g}' for number in (*numbers, joint.inertia.mass))
            rows.append((joint.name, kind, parent, *printed))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ('  '.join(map(str.ljust, row, widths)).rstrip() for row in rows)
        units = 'positions in rad or m, velocities in rad/s or m/s, efforts in N m or N'
        return '\n'.join([f'{repr(self)[1:-1]}; {units}', *lines])

    def index_of(self, name: str) -> int:
        """Index of a joint in q.

        Raises:
            UnknownNameError: no independent joint has that name.
        """
        if name not in self.joint_names:
            mimicked = next((joint.mimicked for joint in self.joints if joint.name == name), None)
            kind, hint = 'joint', ''
            if mimicked is not None:
                kind, hint = 'independent joint', f'it mimics {mimicked!r}, and follows it'
            raise UnknownNameError(kind, name, self.joint_names, hint)
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

    @cached_property
    def _frame_of(self) -> dict[str, Frame]:
        """The frames by the names of links and of the joints that lead to them."""
        links = {frame.name: frame for frame in self.frames}
        return {link.joint: links[link.name] for link in self.links if link.joint} | links

    def frame(self, name: str) -> Frame:
        """The frame of a link, or of the link to which a joint leads, a fixed one too.

        Where a link and a joint have the same name, it is that of the link.

        Raises:
            UnknownNameError: no link or joint has that name.
            ParameterError: `name` is not a str.
        """
        if checked_name('frame', name) not in self._frame_of:
            raise UnknownNameError('frame', name, tuple(frame.name for frame in self.frames))
        return self._frame_of[name]

    def with_frame(self, name: str, parent: str, pose: npt.ArrayLike) -> RobotModel:
        """The robot with another frame fixed to a link, such as a tool centre point.

        It can be used wherever the name of a link can: it is a link without mass.

        >>> tcp = np.eye(4)
        >>> tcp[:3, 3] = 0.0, 0.0, 0.12
        >>> model = model.with_frame('tcp', 'tool0', tcp)

        Args:
            name: of the frame.
            parent: name of a link.
            pose: (4, 4) homogeneous transform [R p; 0 1] that takes points from the frame to its
                parent, p in m: what Pinocchio calls `SE3.homogeneous`.

        Raises:
            UnknownNameError: the parent does not exist.
            ParameterError: a link or joint has that name already, or pose is no rigid transform.
        """
        if checked_name('name of a frame', name) in self._frame_of:
            raise ParameterError(f'frame {name!r} exists already: choose another name')
        link = self.frame(parent)
        placement = link.placement @ _checked_pose(f'pose of frame {name!r}', pose)
        frames = (*self.frames, Frame(name, link.body, placement))
        return self._changed(frames=frames, links=(*self.links, Link(name)))

    def tip_frame(self, joints: Iterable[str]) -> str:
        """The link that most likely carries a payload: at the tip of the commanded joints.

        That is the link of the last commanded joint; if that joint is a finger (another joint
        mimics it, or its parent carries other joints too), the link that carries the fingers.

        Args:
            joints: names of the commanded independent joints.

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: `joints` is empty, or names one twice.
        """
        last = self.independent_joints[max(self.indices_of(joints))]
        mimicked = {joint.mimicked for joint in self.joints}
        body = self.joints.index(last)
        while True:
            joint = self.joints[body]
            siblings = sum(other.parent == joint.parent for other in self.joints)
            if joint.parent < 0 or (joint.name not in mimicked and siblings == 1):
                break
            body = joint.parent
        return self.first_link(body)

    def first_link(self, body: int) -> str:
        """The link to which the joint of that index in `joints` leads."""
        return next(frame.name for frame in self.frames if frame.body == body)

    def moving_body(self, frame: str) -> int:
        """Index in `joints` of the joint that carries a link.

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
        return body

    def joints_that_move(self, frame: str) -> tuple[str, ...]:
        """Names of the independent joints whose motion moves a link, in their order.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link.
        """
        body = self.moving_body(frame)
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
        kept, at = self._checked_choice(joints, locked, others)
        merged, frames = reduction.reduced(self._bare.joints, self.frames, kept, at)
        return self._changed(joints=merged, frames=frames)

    def _checked_choice(
        self, joints: Iterable[str], locked: Mapping[str, float], others: float | None
    ) -> tuple[list[int], list[float]]:
        """Indices of the joints to keep, and positions of all (n,), zero where one is kept."""
        if not isinstance(locked, Mapping):
            raise ParameterError(
                f'locked is {locked!r}, a mapping of joint names to positions is needed'
            )
        kept = self.indices_of(joints)
        positions = {self.index_of(name): position for name, position in locked.items()}
        if both := [self.joint_names[i] for i in positions if i in kept]:
            raise ParameterError(f'joints are both kept and locked: {", ".join(both)}; choose one')
        rest = [i for i in range(self.size) if i not in kept and i not in positions]
        if others is not None:
            positions.update(dict.fromkeys(rest, others))
        elif rest:
            forgotten = listed([self.joint_names[i] for i in rest])
            raise ParameterError(
                f'joints are neither kept nor locked: {forgotten}; give their positions in '
                'locked, or one for all of them, such as others=0.0'
            )
        for i, position in positions.items():
            if not is_finite(position):
                raise ParameterError(
                    f'joint {self.joint_names[i]!r} is locked at {position!r} rad or m, a finite '
                    'number is needed'
                )
        return kept, [float(positions.get(i, 0.0)) for i in range(self.size)]

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

        What `doubt_about` says of it gives a UserWarning: a mass in grams, a length in mm.

        Args:
            frame: name of the link.
            mass: [kg].
            com: (3,) centre of mass in the link frame [m].
            inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].
            name: of the payload; one of the same name is replaced.
            strict: whether a payload is refused about which there is a doubt.

        Raises:
            UnknownNameError: the link does not exist.
            ParameterError: the link does not move, or no real body has such an inertia (see
                `Payload`); with `strict`, there is a doubt about it.
        """
        payload = Payload(name, frame, mass, com, inertia)
        loaded = self.with_checked_payload(payload)
        if question := self.doubt_about(payload):
            if strict:
                raise ParameterError(question)
            warnings.warn(question, stacklevel=2)
        return loaded

    def doubt_about(self, payload: Payload) -> str:
        """Why a payload is probably given in a wrong unit; empty if it is not.

        It is as heavy as the robot, or its centre of mass or its radius of gyration is farther
        than the robot reaches. See `Payload.findings`.
        """
        own = sum(link.inertia.mass for link in self.links)
        return '; '.join(map(str, payload.findings(own, self.reach)))

    def with_checked_payload(self, payload: Payload) -> RobotModel:
        """The robot with this payload beside its others; one of the same name is replaced.

        The inertia of all payloads is added to the robot without payloads, in the order of their
        names. So the result depends on the payloads alone, to the last bit, and not on the order
        in which they were attached and removed.

        Raises:
            UnknownNameError: its link does not exist.
            ParameterError: its link does not move.
        """
        self.moving_body(payload.frame)
        # The link, where a joint stands for it.
        payload = replace(payload, frame=self.frame(payload.frame).name)
        others = (other for other in self.payloads if other.name != payload.name)
        return self._changed([*others, payload])

    def without_payload(self, name: str = 'payload') -> RobotModel:
        """The robot without the payload of that name, equal to one that never had it.

        Raises:
            UnknownNameError: no payload has that name.
        """
        known = tuple(payload.name for payload in self.payloads)
        if name not in known:
            raise UnknownNameError('payload', name, known)
        return self._changed(payload for payload in self.payloads if payload.name != name)

    def without_load(self, body: int) -> tuple[RobotModel, list[float]]:
        """The robot without the payloads on one body, and the inertial parameters of these (10,).

        Args:
            body: index of the joint that carries them.
        """
        carried = [each for each in self.payloads if self.frame(each.frame).body == body]
        others = (payload for payload in self.payloads if payload not in carried)
        load = sum(map(self._moments_on_body, carried), NONE)
        return self._changed(others), parameters_of(load)

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
        if not isinstance(armature, Mapping):
            raise ParameterError(
                f'armature is {armature!r}, a mapping of joint names to inertias is needed'
            )
        known = tuple(joint.name for joint in self.joints)
        for name, value in armature.items():
            if name not in known:
                raise UnknownNameError('joint', name, known)
            if not (is_finite(value) and value >= 0.0):
                raise ParameterError(
                    f'armature of joint {name!r} is {value!r} kg m^2 or kg, a finite number >= 0 '
                    'is needed'
                )
        joints = tuple(
            replace(joint, armature=float(armature.get(joint.name, joint.armature)))
            for joint in self._bare.joints
        )
        return self._changed(joints=joints)

    def inertial_parameters(self) -> Array:
        """m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of every body, shape (10 bodies,).

        The order is that of `joints`; moments are about the joint frame, in its axes: Pinocchio's
        order [kg, kg m, kg m^2]. Links that are fixed to a body, and payloads, are part of it; the
        armature of the rotors is not.
        """
        rows = [parameters_of(joint.inertia) for joint in self.joints]
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
        labels = [f'{name} of {joint.name}' for joint in self.joints for name in PARAMETERS]
        try:
            rows = checked_vector('pi', pi, labels).reshape(-1, 10).tolist()
        except StateError as error:
            raise ParameterError(str(error)) from None
        bodies = []
        for loaded, joint, row in zip(self.joints, self._bare.joints, rows, strict=True):
            # One that is as it was stays so to the last bit.
            if row != (before := parameters_of(loaded.inertia)):
                payload = np.subtract(before, parameters_of(joint.inertia))
                joint = replace(joint, inertia=body_of(np.subtract(row, payload).tolist()))
            bodies.append(joint)
        other = self._changed(joints=tuple(bodies), links=self._links_with(bodies))
        for joint in [*bodies, *other.joints] if physical else []:
            if obstacle := impossible(joint.inertia):
                raise InertiaError(
                    f'no body has the inertial parameters of joint {joint.name!r}: {obstacle}; '
                    'correct them, or pass physical=False to use them as they are'
                )
        return other

    def _links_with(self, joints: Sequence[Joint]) -> tuple[Link, ...]:
        """The links with other inertias of the bodies, without payloads."""
        pairs = zip(self._bare.joints, joints, strict=True)
        changed = [old.inertia != new.inertia for old, new in pairs]
        first = {frame.body: frame.name for frame in reversed(self.frames)}

        def link_of(frame: Frame, link: Link) -> Link:
            if frame.body < 0 or not changed[frame.body]:
                return link
            body = joints[frame.body].inertia if frame.name == first[frame.body] else NONE
            found = examine_inertial(link.name, body.mass, body.rotational_at_center_of_mass)
            return replace(link, inertia=body, findings=tuple(found))

        return tuple(map(link_of, self.frames, self.links))

    @property
    def _bare(self) -> RobotModel:
        """The robot without payloads."""
        return self.unloaded or self

    def _changed(self, payloads: Iterable[Payload] | None = None, **fields: Any) -> RobotModel:
        """The robot with other fields, those without payloads, or with other payloads."""
        bare = replace(self._bare, **fields) if fields else self._bare
        given = self.payloads if payloads is None else payloads
        ordered = tuple(sorted(given, key=lambda payload: payload.name))
        if not ordered:
            return bare
        joints = list(bare.joints)
        for payload in ordered:
            body = bare.frame(payload.frame).body
            # Of a link that is fixed to the base, because joints were locked, nothing is felt.
            if body >= 0:
                inertia = joints[body].inertia + bare._moments_on_body(payload)
                joints[body] = replace(joints[body], inertia=inertia)
        return replace(bare, joints=tuple(joints), payloads=ordered, unloaded=bare)

    def _moments_on_body(self, payload: Payload) -> Inertia:
        """The mass moments of a payload in the joint frame of the body that carries it."""
        return self.frame(payload.frame).placement @ payload.moments


def _read_only(values: list[float]) -> Array:
    """A vector of its own for each caller: a copy of the model shares none."""
    vector: Array = np.array(values, dtype=np.float64)
    vector.flags.writeable = False
    return vector


def _checked_pose(name: str, pose: npt.ArrayLike) -> Transform:
    """The placement of a homogeneous transform (4, 4).

    Raises:
        ParameterError: it is not [R p; 0 1] with a rotation R.
    """
    if not is_finite(pose, (4, 4)):
        given = ' '.join(repr(pose).split())
        raise ParameterError(f'{name} is {given}, 4 x 4 finite numbers are needed: [R p; 0 1]')
    matrix = np.asarray(pose, np.float64)
    try:
        checked_rotation(f'the rotation of the {name}', matrix[:3, :3])
    except StateError as error:
        raise ParameterError(str(error)) from None
    if matrix[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise ParameterError(f'{name}: its last row is {matrix[3].tolist()}, 0, 0, 0, 1 is needed')
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = matrix.tolist()
    return Transform(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))


def checked_model(model: RobotModel) -> RobotModel:
    """The model, if there is something to compute.

    Raises:
        ParameterError: it is not a RobotModel.
        TopologyError: the robot has no moving joint.
    """
    if not isinstance(model, RobotModel):
        raise ParameterError(
            f'model is a {type(model).__name__}: a RobotModel is needed, from parse_urdf'
        )
    if not model.size:
        raise TopologyError(f'robot {model.name!r} has no moving joint: nothing to compute')
    return model
