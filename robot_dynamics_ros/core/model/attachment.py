"""Payloads and rotors, attached to the joints of a robot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..checks import is_finite
from ..errors import ParameterError, UnknownNameError
from ..scalar import Scalar
from ..spatial import Inertia
from .inertial_parameters import body_of
from .payload import Payload
from .tree import Frame, Joint


def with_payloads(
    joints: Sequence[Joint], frames: Sequence[Frame], payloads: Iterable[Payload]
) -> tuple[Joint, ...]:
    """The joints, with the inertia of payloads added to their bodies.

    A payload on a link that is fixed to the base (because joints were locked) adds nothing.

    Args:
        joints: of a robot, without these payloads.
        frames: of its links, among them those of the payloads.
        payloads: to attach, in this order: the rounding of the sums depends on it.
    """
    carriers = {frame.name: frame for frame in frames}
    result = list(joints)
    for payload in payloads:
        frame = carriers[payload.frame]
        if frame.body >= 0:
            body = result[frame.body]
            carried = body.inertia + moments_on_body(payload, frame)
            result[frame.body] = replace(body, inertia=carried)
    return tuple(result)


def moments_on_body(payload: Payload, frame: Frame) -> Inertia:
    """The mass moments of a payload in the joint frame of the body that carries it.

    Args:
        payload: on the frame.
        frame: of its link.
    """
    return frame.placement @ payload.moments


def with_load(
    joints: Sequence[Joint], body: int, parameters: Sequence[Scalar]
) -> tuple[Joint, ...]:
    """The joints, with something that has these inertial parameters added to one body.

    Args:
        joints: of a robot.
        body: index of the joint that carries it.
        parameters: (10,) see `inertial_parameters.PARAMETERS`; any scalars.
    """
    result = list(joints)
    result[body] = replace(joints[body], inertia=joints[body].inertia + body_of(parameters))
    return tuple(result)


def with_armature(joints: Sequence[Joint], armature: Mapping[str, float]) -> tuple[Joint, ...]:
    """The joints, with other armatures.

    Args:
        joints: of a robot.
        armature: reflected rotor inertias by joint name [kg m^2 or kg]; other joints keep theirs.

    Raises:
        UnknownNameError: a joint does not exist.
        ParameterError: a value is negative or not finite, or `armature` is not a mapping.
    """
    if not isinstance(armature, Mapping):
        raise ParameterError(
            f'armature is {armature!r}, a mapping of joint names to inertias is needed'
        )
    known = tuple(joint.name for joint in joints)
    for name, value in armature.items():
        if name not in known:
            raise UnknownNameError('joint', name, known)
        if not (is_finite(value) and value >= 0.0):
            raise ParameterError(
                f'armature of joint {name!r} is {value!r} kg m^2 or kg, a finite number >= 0 is '
                'needed'
            )
    return tuple(
        replace(joint, armature=float(armature.get(joint.name, joint.armature)))
        for joint in joints
    )
