"""A reaction to a collision outlasts whatever happens until it is acknowledged."""

from dataclasses import replace

import numpy as np
import pytest
from hit_arm import HIT, HitArm
from shown_states import GRAVITY, LOADED, REST, assert_smooth

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.supervisor import Inhibition, Mode
from robot_dynamics_ros.core import StateError

INACTIVE = Inhibition('the controller is inactive', 'when it is active', interrupts=True)


def controller(arm):
    arm.guard.supervisor.inhibitions.put('controller', INACTIVE)
    assert arm.settle()[-1] is None
    arm.guard.supervisor.inhibitions.put('controller', None)


def node(arm):
    """Deactivated, and activated again."""
    arm.guard.supervisor.active = False
    assert arm.settle()[-1] is None
    arm.guard.go_silent()
    arm.guard.supervisor.active = True


def pause(arm):
    for _ in range(200):
        arm.tick()


def observer_off(arm):
    arm.guard.external = None


def report(arm):
    arm.guard.apply(replace(arm.guard.settings, on_collision='report'))


def payload(arm):
    arm.guard.feedforward.use(LOADED)
    arm.guard.external.use(LOADED)
    arm.guard.request_fade()


CHANGES = [controller, node, pause, observer_off, report, payload]


@pytest.mark.parametrize('policy', ['hold', 'zero', 'stop'])
@pytest.mark.parametrize(
    ('change', 'on_stale'),
    [*((change, 'hold') for change in CHANGES), (pause, 'zero'), (pause, 'stop')],
    ids=lambda each: getattr(each, '__name__', each),
)
def test_it_stays(policy, change, on_stale):
    arm = HitArm(policy)
    arm.guard.apply(replace(arm.guard.settings, on_stale=on_stale))
    arm.settle()
    arm.follow()
    arm.collide()
    arm.hit = REST
    change(arm)
    command = arm.settle()[-1]
    gravity = arm.guard.feedforward.dynamics.gravity_torque(arm.guard.state.q)
    if policy == 'stop':
        assert command is None
    else:
        np.testing.assert_allclose(command, gravity if policy == 'hold' else REST, atol=1e-12)
        assert arm.guard.mode is Mode(policy)
    assert 'collision at hand' in arm.guard.supervisor.collision
    with pytest.raises(StateError, match='call ~/enable'):
        arm.follow()


@pytest.mark.parametrize('policy', ['hold', 'zero'])
def test_a_collision_as_the_controller_goes_leaves_no_short_fade_behind(policy):
    """The controller may end because of the same collision: the next fade is an ordinary one."""
    twin, arm = HitArm(policy), HitArm(policy)
    for each in (twin, arm):
        each.settle()
        each.follow()
        each.hit = HIT
    while True:
        twin.show()
        if twin.guard.supervisor.collision:
            break
        arm.show()
    arm.guard.supervisor.inhibitions.put('controller', INACTIVE)
    assert arm.show() is None
    assert arm.guard.supervisor.collision
    assert arm.settle()[-1] is None
    arm.hit = REST
    arm.guard.supervisor.inhibitions.put('controller', None)
    target = GRAVITY if policy == 'hold' else REST
    commands = [command for command in arm.settle() if command is not None]
    assert_smooth([REST, *commands], GRAVITY)
    np.testing.assert_allclose(commands[-1], target, atol=1e-12)


def test_thresholds_that_are_set_while_the_node_is_inactive_count_from_then_on():
    arm = HitArm('zero', thresholds=None)
    arm.guard.supervisor.active = False
    arm.settle()
    thresholds = {'thresholds': ContactThresholds.of(3, collision=(5.0, 5.0, 1.0))}
    external = arm.guard.external
    external.apply(replace(external.settings, **thresholds))
    arm.settle()
    assert not arm.guard.supervisor.collision
    arm.guard.supervisor.active = True
    arm.settle()
    arm.collide()
    assert arm.guard.mode is Mode.ZERO


@pytest.mark.parametrize('active', [False, True])
def test_what_is_above_thresholds_when_they_are_set_is_no_collision(active):
    """It may be the error of the model: it is reported as a push, and nothing ends."""
    arm = HitArm('stop', thresholds=None)
    arm.settle()
    arm.guard.supervisor.active = active
    arm.collide()
    external = arm.guard.external
    thresholds = {'thresholds': ContactThresholds.of(3, (5.0, 5.0, 1.0), (5.0, 5.0, 1.0))}
    external.apply(replace(external.settings, **thresholds))
    arm.settle()
    arm.guard.supervisor.active = True
    np.testing.assert_allclose(arm.settle()[-1], GRAVITY, rtol=1e-12)
    assert external.contact.state.kind == 'push'
    assert not arm.guard.supervisor.fault


def test_a_contact_from_before_the_activation_is_no_collision_and_the_next_one_is():
    arm = HitArm('zero')
    arm.guard.supervisor.active = False
    arm.settle()
    arm.collide()
    arm.guard.supervisor.active = True
    np.testing.assert_allclose(arm.settle()[-1], GRAVITY, rtol=1e-12)
    arm.hit = REST
    arm.settle()
    arm.collide()
    assert arm.guard.mode is Mode.ZERO
