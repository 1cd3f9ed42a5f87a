"""No positive feedback: an arm that was nudged rests, however wrong its friction.yaml is."""

from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.examples import example, needs_examples
from property_settings import examples
from shown_states import DYNAMICS, MODEL, Q, answer, assert_smooth
from shown_states import PERIOD as STEP
from three_joints import LIMITED

from robot_dynamics_ros.control.feedforward import LONGEST_MOTION, TERMS, Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.core.algorithms import friction as law
from robot_dynamics_ros.core.friction import STORING, dead_bands

PERIOD = 0.01
# The fade to the torque of the terms, in which something holds the arm, with some to spare [s].
HELD = 1.2
# Of the speed that a nudge gave: with friction compensated and without, a joint that is slowed
# passes a part of its motion on to others [-].
PASSED_ON = 1.2
# Of a nudge, of a fade [s].
NUDGE, FADE = 0.1, 0.2
# Below this speed nothing is claimed [rad/s or m/s].
SMALL = 0.2
EXAMPLES = Path(__file__).parents[2] / 'examples'


class Nudged:
    """An arm with its own friction, under the commands for a friction.yaml.

    Steps take the friction implicitly, as a damper that has its torque at the present speed: they
    are stable at any coefficient and period. It has no pre-sliding, which takes power as the other
    terms do, and no end stops.

    Attributes:
        guard: that commands it.
        v: velocities (n,) [rad/s or m/s].
    """

    def __init__(self, dynamics, own, known, **settings):
        self._dynamics, self._own = dynamics, JointFriction(dynamics.model, **own)
        friction = JointFriction(dynamics.model, **known)
        # As identify writes them.
        feedforward = Feedforward(dynamics, terms=TERMS, friction=friction)
        self.guard = GuardedFeedforward(feedforward, Settings(**settings))
        self.guard.supervisor.active = True
        self._q, self.v = np.zeros((2, dynamics.model.size))
        self._bands = dead_bands(dynamics.model)
        self._now = 10.0

    def move(self, seconds, push=None):
        """The largest speeds (N,) of the next steps, until it rests if nothing pushes it.

        Args:
            seconds: how long.
            push: (n,) external torque [N m or N]; None for none.
        """
        speeds = []
        for _ in range(round(seconds / PERIOD)):
            self._step(0.0 if push is None else push)
            speeds.append(np.abs(self.v).max())
            if push is None and self.rests:
                break
        return np.array(speeds)

    def nudge(self, joint, speed):
        """The largest speed that a push gives, of one joint to about `speed` [rad/s or m/s]."""
        push = np.zeros_like(self.v)
        push[joint] = self._dynamics.mass_matrix(self._q)[joint, joint] * speed / NUDGE
        return self.move(NUDGE, push).max()

    def hold(self, q):
        """Hold it there until all terms are commanded."""
        self._q[:] = q
        for _ in range(round(HELD / PERIOD)):
            self._command()

    @property
    def rests(self):
        return (np.abs(self.v) < self._bands).all()

    @property
    def dropped(self):
        return self.guard.feedforward.watch.dropped

    def _command(self):
        self._now += PERIOD
        return answer(self.guard, self._now, self._q, self.v, None, now=self._now)

    def _step(self, push):
        torque, dynamics = self._command() + push, self._dynamics
        bias, mass = dynamics.bias_torque(self._q, self.v), dynamics.mass_matrix(self._q)
        # At rest the slope of the law.
        v = np.where(np.abs(self.v) > 1e-9, self.v, 1e-9)
        dampers = np.diag(self._own.torque(v, load=bias) / v)
        impulse = mass @ self.v + PERIOD * (torque - bias)
        self.v = np.linalg.solve(mass + PERIOD * dampers, impulse)
        self._q = self._q + PERIOD * self.v


def ur5():
    return example('ur_description/urdf/ur5_robot.urdf').model


def three_link_arm():
    return parse_urdf((EXAMPLES / 'three_link_arm' / 'three_link_arm.urdf').read_text())


def prismatic():
    return parse_urdf(LIMITED)


def geared(model):
    """The dynamics with rotors as heavy as what they move: without, joints throw each other."""
    mass = RobotDynamics(model, backend='python').mass_matrix(np.zeros(model.size))
    rotors = np.diag(mass).tolist()
    return RobotDynamics(model.with_armature(dict(zip(model.joint_names, rotors, strict=True))))


@pytest.fixture(
    scope='module', params=[pytest.param(ur5, marks=needs_examples), three_link_arm, prismatic]
)
def dynamics(request):
    return geared(request.param())


def nudged(dynamics, seed, **settings):
    """An arm with random friction that was nudged, and the speed that this gave.

    Up to half the velocity limit: beyond the limit, zero torque is right where gravity drives on.
    """
    random, model = np.random.default_rng(seed), dynamics.model
    names, n, limits = model.joint_names, model.size, model.effort_bounds
    own, known = {}, {}
    for term in law.TERMS:
        largest = np.full(n, 0.1) if term == 'load' else 0.05 * limits
        values = largest * 10.0 ** random.uniform(-2.0, 0.0, n) * random.integers(0, 2, n)
        wrong = values * random.uniform(1.0, 3.0, n)
        own[term] = dict(zip(names, (values * (term not in STORING)).tolist(), strict=True))
        known[term] = dict(zip(names, wrong.tolist(), strict=True))
    arm = Nudged(dynamics, own, known, **settings)
    arm.hold(random.uniform(-1.0, 1.0, n) * np.where(model.sliding, 0.3, 1.5))
    joint, share = random.integers(n), random.uniform(-0.5, 0.5)
    return arm, arm.nudge(joint, share * min(3.0, model.velocity_bounds[joint]))


@given(seed=st.integers(0, 2**32 - 1))
@examples(6)
def test_a_nudge_gives_no_more_speed_than_its_own_and_the_arm_rests_or_friction_is_dropped(
    dynamics, seed
):
    """With coefficients in the file that are up to three times too large, each by itself."""
    arm, nudge = nudged(dynamics, seed)
    assert arm.move(10.0).max(initial=0.0) <= max(SMALL, PASSED_ON * nudge)
    # Beyond a velocity limit gravity compensation alone is left.
    assert arm.rests or arm.dropped or arm.guard.supervisor.reaction


def hardly_excited(viscous, **settings):
    """An arm of whose first joint another viscous friction was identified, and its nudge."""
    dynamics = geared(three_link_arm())
    own = {'viscous': dict.fromkeys(dynamics.model.joint_names, 0.1), 'coulomb': {'joint1': 0.01}}
    arm = Nudged(dynamics, own, {**own, 'viscous': {'joint1': viscous}}, **settings)
    arm.hold([0.0, -0.5, 1.0])
    return arm, arm.nudge(0, 0.5)


def test_friction_that_was_identified_three_times_too_large_does_not_run_away():
    arm, nudge = hardly_excited(0.315)
    assert arm.move(10.0).max() <= nudge
    assert arm.rests or arm.dropped


def test_a_motion_that_does_not_decay_costs_the_friction_until_the_arm_has_rested():
    """With a share that a user has set, the speed grows, and then no more."""
    arm, nudge = hardly_excited(0.2, friction_share=1.0)
    assert arm.move(LONGEST_MOTION).max() > 1.1 * nudge
    fastest = arm.move(1.0).max()
    assert 'joint1' in arm.dropped
    assert arm.move(60.0).max() <= fastest
    assert arm.rests
    arm.move(0.1, np.zeros(3))
    assert not arm.dropped


def test_a_share_that_changes_and_friction_that_is_dropped_are_faded():
    friction = JointFriction(MODEL, viscous={'slide': 40.0})
    feedforward = Feedforward(DYNAMICS, terms=['friction'], friction=friction)
    guard, v, ticks = GuardedFeedforward(feedforward, Settings(fade_time=FADE)), 0.2, count(1)
    guard.supervisor.active = True

    def commands(seconds):
        shown = []
        for tick in islice(ticks, round(seconds / STEP)):
            now, state = STEP * tick, np.array([0.0, v, 0.0])
            shown.append(answer(guard, now, Q + now * state, state, None, now=now)[1])
        return np.array(shown)

    assert commands(0.5)[-1] == pytest.approx(0.3 * 40.0 * v)
    guard.apply(Settings(fade_time=FADE, friction_share=1.0))
    fading = commands(0.5), commands(LONGEST_MOTION)
    assert [each[-1] for each in fading] == pytest.approx([40.0 * v, 0.0])
    for each in fading:
        assert_smooth(each, 40.0 * v, FADE)
