"""What is added to a robot after it was described: payloads and rotors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .checks import is_finite
from .errors import ParameterError, UnknownNameError
from .model import RobotModel
from .payload import Payload


def with_payload(model: RobotModel, payload: Payload) -> RobotModel:
    """The robot with this payload beside its others, in place of one of the same name.

    Payloads are always merged into the robot as described, in the order of their names, so that
    the result depends on which there are and never on what came and went before.

    Raises:
        UnknownNameError: its link does not exist.
        ParameterError: its link does not move.
    """
    if model.frame(payload.frame).body < 0:
        raise ParameterError(
            f'payload {payload.name!r}: link {payload.frame!r} is fixed to the base, no joint '
            'would feel it'
        )
    others = (other for other in model.payloads if other.name != payload.name)
    return loaded(model.unloaded or model, [*others, payload])


def without_payload(model: RobotModel, name: str) -> RobotModel:
    """The robot without the payload of that name, bitwise as if it had never been there.

    Raises:
        UnknownNameError: there is none of that name.
    """
    known = tuple(payload.name for payload in model.payloads)
    if name not in known:
        raise UnknownNameError('payload', name, known)
    others = [payload for payload in model.payloads if payload.name != name]
    return loaded(model.unloaded or model, others)


def loaded(bare: RobotModel, payloads: Iterable[Payload]) -> RobotModel:
    """A robot that has no payload, with these.

    One on a link that does not move (since joints were locked) is kept and weighs nothing.
    """
    ordered = tuple(sorted(payloads, key=lambda payload: payload.name))
    if not ordered:
        return bare
    joints = list(bare.joints)
    for payload in ordered:
        frame = bare.frame(payload.frame)
        if frame.body >= 0:
            pose = frame.placement
            carried = payload.moments.moved(pose.rotation, pose.translation)
            body = joints[frame.body]
            joints[frame.body] = replace(body, inertia=body.inertia + carried)
    return replace(bare, joints=tuple(joints), payloads=ordered, unloaded=bare)


def with_armature(model: RobotModel, armature: Mapping[str, float]) -> RobotModel:
    """The robot with these reflected rotor inertias [kg m^2 or kg], by joint name.

    A mimic joint may have a rotor of its own; its driver feels it through the multiplier squared.

    Raises:
        UnknownNameError: a joint does not exist.
        ParameterError: a value is negative or not finite, or this is no mapping.
    """
    if not isinstance(armature, Mapping):
        raise ParameterError(
            f'armature is {armature!r}, a mapping of joints to inertias is needed'
        )
    known = tuple(joint.name for joint in model.joints)
    for name, value in armature.items():
        if name not in known:
            raise UnknownNameError('joint', name, known)
        if not (is_finite(value) and value >= 0.0):
            raise ParameterError(
                f'armature of joint {name!r} is {value!r}, a finite number that is not negative '
                'is needed'
            )
    bare = model.unloaded or model
    joints = tuple(
        replace(joint, armature=float(armature.get(joint.name, joint.armature)))
        for joint in bare.joints
    )
    return loaded(replace(bare, joints=joints), model.payloads)
