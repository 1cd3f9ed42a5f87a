"""What follows a collision: through the fade, until it is acknowledged."""

import numpy as np
import pytest
from hit_arm import ACCELERATION, HIT, HitArm
from shown_states import DYNAMICS, GRAVITY, REST, Driver, Q, assert_smooth

from robot_dynamics_ros.control.supervisor import COLLISION_FADE, Mode
from robot_dynamics_ros.core import StateError


def following(*arguments, **options):
    arm = HitArm(*arguments, **options)
    np.testing.assert_allclose(arm.settle()[-1], GRAVITY, rtol=1e-12)
    wanted = GRAVITY + DYNAMICS.mass_matrix(Q) @ ACCELERATION
    np.testing.assert_allclose(arm.follow(), wanted, rtol=1e-12)
    return arm, wanted


def test_by_default_it_is_reported_and_the_commands_go_on():
    arm, wanted = following('report')
    np.testing.assert_allclose(arm.collide(), [wanted] * 60, rtol=1e-12)
    assert arm.guard.external.contact.state.kind == 'collision'
    assert not arm.guard.supervisor.collision
    assert arm.guard.mode is Mode.FOLLOW


@pytest.mark.parametrize(
    ('policy', 'target', 'mode'),
    [('hold', GRAVITY, Mode.HOLD), ('zero', REST, Mode.ZERO)],
)
def test_the_reference_is_dropped_through_a_short_fade_until_it_is_released(policy, target, mode):
    arm, wanted = following(policy)
    commands = arm.collide()
    assert_smooth([wanted, *commands], wanted - target, COLLISION_FADE)
    np.testing.assert_allclose(commands[-1], target, atol=1e-12)
    assert arm.guard.mode is mode
    assert 'collision at hand' in arm.guard.supervisor.collision
    assert arm.guard.reference is None
    with pytest.raises(StateError, match=r'collision at hand.*~/enable'):
        arm.follow()
    # It is over, and still not released.
    arm.hit = np.zeros(3)
    np.testing.assert_allclose(arm.settle()[-1], target, atol=1e-12)
    arm.guard.supervisor.acknowledge()
    commands = arm.settle()
    assert_smooth([target, *commands], GRAVITY - target)
    np.testing.assert_allclose(commands[-1], GRAVITY, rtol=1e-12)
    np.testing.assert_allclose(arm.follow(), wanted, rtol=1e-12)


@pytest.mark.parametrize(('on_stop', 'last'), [('zero', REST), ('hold', GRAVITY)])
def test_stop_ends_on_the_final_command(on_stop, last):
    arm, wanted = following('stop', on_stop)
    commands = arm.collide()
    assert commands[-1] is None
    spoken = [command for command in commands if command is not None]
    assert_smooth([wanted, *spoken], wanted - last, COLLISION_FADE)
    np.testing.assert_allclose(spoken[-1], last, atol=1e-12)
    assert 'collision at hand' in arm.guard.supervisor.fault
    assert arm.settle()[-1] is None


def test_the_reaction_begins_with_the_state_that_shows_the_collision():
    arm, wanted = following('zero')
    arm.hit = HIT
    commands = [arm.show() for _ in range(4)]
    began = next(i for i, command in enumerate(commands) if (command != wanted).any())
    # The observer begins with the first state that shows the effort, and the fade with one step.
    assert began <= 2


def test_a_contact_that_goes_on_is_not_a_second_collision():
    arm, _ = following('hold')
    arm.collide()
    arm.guard.supervisor.acknowledge()
    arm.settle()
    assert not arm.guard.supervisor.collision


def test_a_slow_push_is_no_collision():
    arm, wanted = following('stop')
    for share in np.linspace(0.0, 1.0, 600):
        arm.hit = share * HIT
        command = arm.show()
    assert arm.guard.external.contact.state.kind == 'push'
    np.testing.assert_allclose(command, wanted, rtol=1e-12)


def test_nothing_that_is_not_commanded_reacts():
    arm = HitArm('stop')
    arm.guard.supervisor.active = False
    arm.settle()
    arm.collide()
    assert arm.guard.external.contact.state.kind == 'collision'
    assert not arm.guard.supervisor.fault


def test_zero_torque_stays_zero_while_states_are_stale():
    arm, _ = following('zero')
    arm.collide()
    arm.now += 1.0
    for _ in range(100):
        command = arm.tick()
    np.testing.assert_allclose(command, REST, atol=1e-12)
    arm.settle()
    assert arm.guard.mode is Mode.ZERO


def test_a_jump_of_the_position_is_no_collision():
    arm, _ = following('stop')
    moved = Q + np.array([0.4, 0.2, 0.4])
    gravity = DYNAMICS.gravity_torque(moved)
    with pytest.raises(StateError):
        Driver.show(arm, moved, REST, effort=gravity)
    for _ in range(300):
        Driver.show(arm, moved, REST, effort=gravity)
    assert not arm.guard.external.reason
    assert not arm.guard.supervisor.fault
