"""What operators do while a robot moves: switch, change, load, describe anew."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Inertia, Vector3
from lifecycle_msgs.msg import Transition
from scene import CHANGE_LIMIT, FADE_TIME, Expected, Scene, Steps, close
from schedule import SEEN, Fault, verdict

from robot_dynamics_interfaces.srv import SetPayload
from robot_dynamics_ros.control.first_fade import SHORTEST as WATCHED

# How long nothing must come until a node counts as silent [s].
SILENCE = 0.1
MASS, CENTRE, INERTIA, FRAME = 1.5, (0.01, -0.02, 0.06), (0.004, 0.005, 0.006), 'tool0'
PAYLOAD = f"""
  <link name="soak_test_payload">
    <inertial>
      <origin xyz="{CENTRE[0]} {CENTRE[1]} {CENTRE[2]}"/>
      <mass value="{MASS}"/>
      <inertia ixx="{INERTIA[0]}" iyy="{INERTIA[1]}" izz="{INERTIA[2]}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="soak_test_grasp" type="fixed">
    <parent link="{FRAME}"/>
    <child link="soak_test_payload"/>
  </joint>
</robot>
"""


def _with_payload(urdf: str) -> str:
    """The description of the robot that holds the payload."""
    return urdf.replace('</robot>', PAYLOAD)


def _silenced(scene: Scene) -> Steps[str]:
    """SEEN where the commands cease, the last of them zero."""
    commands = scene.observer.commands

    def is_zero() -> bool:
        return close(commands[-1].torque, np.zeros_like(scene.limits))

    # Zero first: on a busy machine commands may pause before.
    zero = yield from scene.until(is_zero, CHANGE_LIMIT)
    if zero and not (yield from scene.silent(SILENCE, CHANGE_LIMIT)):
        return 'the commands did not cease'
    return verdict(is_zero(), f'the last command was {commands[-1].torque.round(3)}')


def _disabled(scene: Scene) -> Steps[str]:
    missed = (yield from scene.enable(False)) or (yield from _silenced(scene))
    return missed or (yield from scene.enable(True))


def _deactivated(scene: Scene) -> Steps[str]:
    missed = yield from scene.change_state(Transition.TRANSITION_DEACTIVATE)
    missed = missed or (yield from _silenced(scene))
    return missed or (yield from scene.change_state(Transition.TRANSITION_ACTIVATE))


def _terms(scene: Scene) -> Steps[str]:
    if refused := (yield from scene.set(terms=['gravity'])):
        return f'terms: {refused}'
    changed = yield from scene.until_commanded(lambda a: scene.nominal.gravity(a.q))
    yield from scene.set(terms=['gravity', 'coriolis', 'inertial'])
    return verdict(changed, 'the torque is not that of the terms')


def _gravity(scene: Scene) -> Steps[str]:
    """As if the robot hung from the ceiling."""
    if refused := (yield from scene.set(gravity=[0.0, 0.0, 9.81])):
        return f'gravity: {refused}'
    changed = yield from scene.until_commanded(
        lambda a: scene.nominal.bias(a.q, a.v) - 2.0 * scene.nominal.gravity(a.q)
    )
    yield from scene.set(gravity=[0.0, 0.0, -9.81])
    return verdict(changed, 'the torque is not that of the gravity')


def _scaled(scene: Scene) -> Steps[str]:
    """Limits far below what the robot needs: the commands must come down to them."""
    limits = 0.05 * scene.limits
    if refused := (yield from scene.set(effort_limits=limits.tolist())):
        return f'effort_limits: {refused}'

    def clamped() -> bool:
        commands = scene.observer.commands
        return bool(commands) and bool((np.abs(commands[-1].torque) <= limits + 1e-9).all())

    seen = yield from scene.until(clamped, CHANGE_LIMIT)
    yield from scene.seconds(FADE_TIME)
    seen = seen and clamped()
    yield from scene.set(effort_limits=scene.limits.tolist())
    return verdict(seen, 'commands above the limits')


def _payload(scene: Scene) -> Steps[str]:
    # A joint that moves, and begins to carry, while gravity fades in is one that a driver lifts.
    yield from scene.seconds(WATCHED)
    loaded = Expected(_with_payload(scene.urdf))
    (ixx, iyy, izz), (x, y, z) = INERTIA, CENTRE
    inertia = Inertia(m=MASS, com=Vector3(x=x, y=y, z=z), ixx=ixx, iyy=iyy, izz=izz)
    for held in (inertia, Inertia()):
        request = SetPayload.Request(frame=FRAME, inertia=held, transition_time=FADE_TIME)
        if missed := (yield from scene.set_payload(request)):
            return missed
        expected = loaded if held.m else scene.nominal
        if not (yield from scene.until_commanded(lambda a, e=expected: e.bias(a.q, a.v))):
            return f'the torque is not that of a payload of {held.m} kg'
    return SEEN


def _other_description(scene: Scene) -> Steps[str]:
    """A description is for the next configuration alone."""
    began = scene.now()
    scene.describe(_with_payload(scene.urdf))
    reported = yield from scene.until_reported(began, 'robot_description', '.')
    unchanged = yield from scene.recovered()
    scene.describe(scene.urdf)
    return verdict(reported, 'diagnostics of robot_description say nothing') or verdict(
        unchanged, 'the torque has changed'
    )


FAULTS = (
    Fault('disabled, enabled', 'zero torque, then silence', _disabled, silences=True),
    Fault('deactivated, activated', 'zero torque, then silence', _deactivated, silences=True),
    Fault('terms change', 'the torque of the terms', _terms),
    Fault('gravity changes', 'the torque of the gravity', _gravity),
    Fault('effort_limits change', 'commands within the limits', _scaled),
    Fault('payload set and undone', 'the torques of the payload, exactly undone', _payload),
    Fault('other description', 'diagnostics: robot_description', _other_description),
)
