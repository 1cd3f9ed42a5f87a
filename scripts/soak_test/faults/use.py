"""What operators do while a robot moves: switch, change, load, describe anew."""

from __future__ import annotations

import numpy as np
from expected import (
    PAYLOAD_CENTRE,
    PAYLOAD_FRAME,
    PAYLOAD_INERTIA,
    PAYLOAD_MASS,
    Expected,
    close,
    with_payload,
)
from fault import SEEN, Fault, verdict
from geometry_msgs.msg import Inertia, Vector3
from scene import CHANGE_LIMIT, FADE_TIME, Scene, Steps
from services import ACTIVATE, DEACTIVATE

# How long nothing must come until a node counts as silent [s].
SILENCE = 0.1


def _silenced(scene: Scene) -> Steps[str]:
    """SEEN where the commands cease, the last of them zero."""

    def silent() -> bool:
        commands = scene.observer.commands
        return bool(commands) and scene.now() - commands[-1].time > SILENCE * 1e9

    if not (yield from scene.until(silent, CHANGE_LIMIT + SILENCE)):
        return 'the commands did not cease'
    last = scene.observer.commands[-1].torque
    return verdict(close(last, np.zeros_like(last)), f'the last command was {last.round(3)}')


def _disabled(scene: Scene) -> Steps[str]:
    response = yield from scene.answered(scene.services.enable(False))
    if response is None:
        return 'no answer of enable'
    missed = yield from _silenced(scene)
    response = yield from scene.answered(scene.services.enable(True))
    return missed or verdict(response is not None and response.success, 'not enabled again')


def _deactivated(scene: Scene) -> Steps[str]:
    response = yield from scene.answered(scene.services.change_state(DEACTIVATE))
    if response is None or not response.success:
        return 'not deactivated'
    missed = yield from _silenced(scene)
    response = yield from scene.answered(scene.services.change_state(ACTIVATE))
    return missed or verdict(response is not None and response.success, 'not activated again')


def _during_a_fade(scene: Scene) -> Steps[str]:
    """Off and on again before the fade has ended."""
    for on in (False, True, False, True):
        if (yield from scene.answered(scene.services.enable(on))) is None:
            return 'no answer of enable'
        yield from scene.seconds(0.3 * FADE_TIME)
    return SEEN


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


def _refused_parameters(scene: Scene) -> Steps[str]:
    """Values that make no sense must change nothing."""
    taken = []
    for name, value in (
        ('terms', ['gravity', 'magic']),
        ('gravity', [0.0, float('nan'), 0.0]),
        ('evaluate_at', 'nowhere'),
        ('effort_limits', [-1.0]),
        ('fade_time', -1.0),
        ('joints', ['soak_test_gripper']),
    ):
        if not (yield from scene.set(**{name: value})):
            taken.append(name)
    return verdict(not taken, f'taken: {", ".join(taken)}')


def _payload(scene: Scene) -> Steps[str]:
    kind = scene.services.payload_request
    if kind is None:
        return 'robot_dynamics_interfaces has no SetPayload'
    loaded = Expected(with_payload(scene.urdf))
    ixx, iyy, izz = PAYLOAD_INERTIA
    x, y, z = PAYLOAD_CENTRE
    inertia = Inertia(m=PAYLOAD_MASS, com=Vector3(x=x, y=y, z=z), ixx=ixx, iyy=iyy, izz=izz)
    request = kind(frame=PAYLOAD_FRAME, inertia=inertia, transition_time=FADE_TIME)
    response = yield from scene.answered(scene.services.set_payload(request))
    if response is None or not response.success:
        return f'not taken: {"no answer" if response is None else response.message}'
    felt = yield from scene.until_commanded(lambda a: loaded.bias(a.q, a.v))
    request = kind(frame=PAYLOAD_FRAME, inertia=Inertia(), transition_time=FADE_TIME)
    response = yield from scene.answered(scene.services.set_payload(request))
    if response is None or not response.success:
        return f'not undone: {"no answer" if response is None else response.message}'
    undone = yield from scene.recovered()
    return verdict(felt, 'the torque is not that of the payload') or verdict(
        undone, 'the torque is not as it was before the payload'
    )


def _same_description(scene: Scene) -> Steps[str]:
    scene.describe(scene.urdf)
    yield from scene.seconds(0.5)
    return verdict((yield from scene.recovered()), 'the torque has changed')


def _broken_description(scene: Scene) -> Steps[str]:
    return (yield from _not_used(scene, '<robot name="broken"><link'))


def _other_description(scene: Scene) -> Steps[str]:
    return (yield from _not_used(scene, with_payload(scene.urdf)))


def _not_used(scene: Scene, text: str) -> Steps[str]:
    """A description is for the next configuration alone."""
    began = scene.now()
    scene.describe(text)
    reported = yield from scene.until_reported(began, 'robot_description', '.')
    unchanged = yield from scene.recovered()
    scene.describe(scene.urdf)
    return verdict(reported, 'diagnostics of robot_description say nothing') or verdict(
        unchanged, 'the torque has changed'
    )


FAULTS = (
    Fault('disabled, enabled', 'zero torque, then silence', _disabled, silences=True),
    Fault(
        'disabled, enabled during a fade', 'the rules of commands', _during_a_fade, silences=True
    ),
    Fault('deactivated, activated', 'zero torque, then silence', _deactivated, silences=True),
    Fault('terms change', 'the torque of the terms', _terms),
    Fault('gravity changes', 'the torque of the gravity', _gravity),
    Fault('effort_limits change', 'commands within the limits', _scaled),
    Fault('parameters without sense', 'refused', _refused_parameters),
    Fault('payload set and undone', 'the torques of the payload, exactly undone', _payload),
    Fault('same description again', 'nothing changes', _same_description),
    Fault('broken description', 'diagnostics: robot_description', _broken_description),
    Fault('other description', 'diagnostics: robot_description', _other_description),
)
