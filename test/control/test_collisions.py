"""What follows a collision: through the fade, until it is acknowledged, whatever happens."""

from dataclasses import replace

import numpy as np
import pytest
from shown_states import DYNAMICS, GRAVITY, LOADED, MODEL, PERIOD, REST, Driver, Q, assert_smooth

from robot_dynamics_ros.control.external.estimate import ExternalForceEstimate, ExternalSettings
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import COLLISION_FADE, Inhibition, Target
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import JointFriction, StateError

HIT = np.array([0.0, 30.0, 6.0])
# Of the reference: a constant acceleration, so that its torque differs from gravity.
ACCELERATION = np.array([1.0, -0.5, 2.0])
INACTIVE = Inhibition('the controller is inactive', interrupts=True)
WANTED = GRAVITY + DYNAMICS.mass_matrix(Q) @ ACCELERATION
THRESHOLDS = ContactThresholds.of(3, (5.0, 5.0, 1.0), (5.0, 5.0, 1.0))


class HitArm(Driver):
    """An arm at rest that follows a reference, estimates external torques, and may be hit."""

    def __init__(self, on_collision, on_stop='zero', thresholds=THRESHOLDS):
        given = {'on_restart': 'fade_from_zero', 'on_collision': on_collision, 'on_stop': on_stop}
        super().__init__(Settings(fade_time=0.2, **given), terms=('gravity', 'inertial'))
        self.hit = REST
        self.guard.external = ExternalForceEstimate(
            DYNAMICS,
            MODEL.joint_names,
            ExternalSettings(True, external_bandwidth=(20.0,) * 3, thresholds=thresholds),
            friction=JointFriction(MODEL),
            offset=REST,
        )

    def show(self):
        return super().show(Q, REST, effort=GRAVITY - self.hit)

    def settle(self, seconds=1.5):
        return [self.show() for _ in range(round(seconds / PERIOD))]

    def follow(self):
        self.guard.set_reference(Trajectory([Point(0.0, Q, REST, ACCELERATION)]), 1e6)
        return self.settle()[-1]

    def collide(self):
        self.hit = HIT
        return self.settle(seconds=0.3)


def following(*arguments, **options):
    arm = HitArm(*arguments, **options)
    np.testing.assert_allclose(arm.settle()[-1], GRAVITY, rtol=1e-12)
    np.testing.assert_allclose(arm.follow(), WANTED, rtol=1e-12)
    return arm


def test_by_default_it_is_reported_and_the_commands_go_on():
    arm = following('report')
    np.testing.assert_allclose(arm.collide(), [WANTED] * 60, rtol=1e-12)
    assert arm.guard.external.contact.state.kind == 'collision'
    assert not arm.guard.supervisor.reaction
    assert arm.guard.target is Target.TERMS


@pytest.mark.parametrize(
    ('policy', 'target', 'mode'),
    [('hold', GRAVITY, Target.GRAVITY), ('zero', REST, Target.ZERO)],
)
def test_the_reference_is_dropped_through_a_short_fade_until_it_is_released(policy, target, mode):
    arm = following(policy)
    commands = arm.collide()
    # The observer begins with the first state that shows the effort, and the fade with one step.
    assert (commands[2] != WANTED).any()
    assert_smooth([WANTED, *commands], WANTED - target, COLLISION_FADE)
    np.testing.assert_allclose(commands[-1], target, atol=1e-12)
    assert arm.guard.target is mode
    assert arm.guard.reference is None
    with pytest.raises(StateError, match='collision at hand'):
        arm.follow()
    np.testing.assert_allclose(arm.settle()[-1], target, atol=1e-12)
    # That the contact goes on is not a second collision.
    arm.guard.supervisor.acknowledge()
    commands = arm.settle()
    assert_smooth([target, *commands], GRAVITY - target)
    np.testing.assert_allclose(commands[-1], GRAVITY, rtol=1e-12)
    np.testing.assert_allclose(arm.follow(), WANTED, rtol=1e-12)


@pytest.mark.parametrize(('on_stop', 'last'), [('zero', REST), ('hold', GRAVITY)])
def test_stop_ends_on_the_final_command(on_stop, last):
    arm = following('stop', on_stop)
    commands = arm.collide()
    assert commands[-1] is None
    spoken = [command for command in commands if command is not None]
    assert_smooth([WANTED, *spoken], WANTED - last, COLLISION_FADE)
    np.testing.assert_allclose(spoken[-1], last, atol=1e-12)
    assert arm.guard.supervisor.fault
    assert arm.settle()[-1] is None


def test_a_jump_of_the_position_is_no_collision():
    arm = following('stop')
    moved = Q + np.array([0.4, 0.2, 0.4])
    gravity = DYNAMICS.gravity_torque(moved)
    with pytest.raises(StateError):
        Driver.show(arm, moved, REST, effort=gravity)
    for _ in range(300):
        Driver.show(arm, moved, REST, effort=gravity)
    assert not arm.guard.external.reason
    assert not arm.guard.supervisor.fault


def controller(arm):
    arm.guard.supervisor.inhibitions.put('controller', INACTIVE)
    assert arm.settle()[-1] is None
    arm.guard.supervisor.inhibitions.put('controller', None)


def node(arm):
    """Deactivated, and activated again."""
    arm.guard.supervisor.active = False
    assert arm.settle()[-1] is None
    arm.guard.silence()
    arm.guard.supervisor.active = True


def pause(arm):
    for _ in range(200):
        arm.tick()


def observer_off(arm):
    arm.guard.external = None


def payload(arm):
    arm.guard.feedforward.use(LOADED)
    arm.guard.external.use(LOADED)
    arm.guard.request_fade()


CHANGES = [controller, node, pause, observer_off, payload]


@pytest.mark.parametrize('policy', ['hold', 'zero', 'stop'])
@pytest.mark.parametrize(
    ('change', 'on_stale'),
    [*((change, 'hold') for change in CHANGES), (pause, 'zero'), (pause, 'stop')],
    ids=lambda each: getattr(each, '__name__', each),
)
def test_it_stays_until_it_is_acknowledged(policy, change, on_stale):
    arm = following(policy)
    arm.guard.apply(replace(arm.guard.settings, on_stale=on_stale))
    arm.collide()
    arm.hit = REST
    change(arm)
    command = arm.settle()[-1]
    gravity = arm.guard.feedforward.dynamics.gravity_torque(arm.guard.state.q)
    if policy == 'stop':
        assert command is None
    else:
        np.testing.assert_allclose(command, gravity if policy == 'hold' else REST, atol=1e-12)
        assert arm.guard.target is (Target.GRAVITY if policy == 'hold' else Target.ZERO)
    with pytest.raises(StateError, match='collision at hand'):
        arm.follow()


@pytest.mark.parametrize('policy', ['hold', 'zero'])
def test_a_collision_as_the_controller_goes_leaves_no_short_fade_behind(policy):
    """The controller may end because of the same collision: the next fade is an ordinary one."""
    twin, arm = following(policy), following(policy)
    twin.hit = arm.hit = HIT
    while True:
        twin.show()
        if twin.guard.supervisor.reaction:
            break
        arm.show()
    arm.guard.supervisor.inhibitions.put('controller', INACTIVE)
    assert arm.show() is None
    assert arm.guard.supervisor.reaction
    arm.hit = REST
    controller(arm)
    commands = [command for command in arm.settle() if command is not None]
    assert_smooth([REST, *commands], GRAVITY)
    np.testing.assert_allclose(commands[-1], GRAVITY if policy == 'hold' else REST, atol=1e-12)


def test_what_is_above_thresholds_when_they_are_set_is_no_collision():
    """It may be the error of the model: it is reported as a push, and nothing ends."""
    arm = HitArm('stop', thresholds=None)
    arm.settle()
    arm.collide()
    external = arm.guard.external
    external.apply(replace(external.settings, thresholds=THRESHOLDS))
    np.testing.assert_allclose(arm.settle()[-1], GRAVITY, rtol=1e-12)
    assert arm.guard.external.contact.state.kind == 'push'
    assert not arm.guard.supervisor.fault


def test_a_contact_from_before_the_activation_is_no_collision_and_the_next_one_is():
    arm = HitArm('zero')
    arm.guard.supervisor.active = False
    arm.settle()
    arm.collide()
    assert arm.guard.external.contact.state.kind == 'collision'
    assert not arm.guard.supervisor.reaction
    arm.guard.supervisor.active = True
    np.testing.assert_allclose(arm.settle()[-1], GRAVITY, rtol=1e-12)
    arm.hit = REST
    arm.settle()
    arm.collide()
    assert arm.guard.target is Target.ZERO
