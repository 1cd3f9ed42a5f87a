"""The torques of a cycle of the controller: those of the node, and the formulas of its modes."""

import numpy as np
import pytest
from driven_controller import MODES, DrivenController, driver, write_library
from exported_library import needs_compilers
from property_settings import ALL
from three_joints import JOINTS, LIMITED

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import RATE_PER_EFFORT, Settings
from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf

pytestmark = needs_compilers

MODEL = parse_urdf(LIMITED)
DYNAMICS = RobotDynamics(MODEL)
TERMS = 'gravity', 'coriolis', 'inertial', 'friction'
OFFSETS = 0.3, -1.0, 0.2
FRICTION = JointFriction(
    MODEL,
    viscous={'turn': 0.7},
    coulomb={'turn': 0.5, 'slide': 2.0},
    coulomb_negative={'turn': 0.8},
    load={'wrist': 0.1},
    presliding={'slide': 4.0},
)
Q, V, A = np.array([0.4, -0.1, 0.7]), np.array([0.3, 0.0, -0.6]), np.array([1.0, -2.0, 3.0])
REFERENCE = {'position': Q + 0.1, 'velocity': V - 0.2, 'acceleration': A}
KP, KD = np.array([90.0, 80.0, 70.0]), np.array([9.0, 8.0, 7.0])
LIMITS = np.array([30.0, 200.0, 20.0])
# The largest change of a command in a cycle of 1 ms.
ONE_STEP = RATE_PER_EFFORT * LIMITS * 0.001 * (1.0 + 1e-9)


@pytest.fixture(scope='module')
def begin(tmp_path_factory):
    folder = tmp_path_factory.mktemp('cycle')
    library = write_library(folder / 'arm', LIMITED, friction=FRICTION, offsets=OFFSETS)
    begun = []

    def one(joints=JOINTS, library=library, urdf=LIMITED, **options):
        begun.append(DrivenController(driver(folder), library, urdf, joints, **options))
        return begun[-1]

    yield one
    for each in begun:
        each.close()


def moving(time):
    """Positions and velocities of a smooth motion that rests from time to time."""
    amplitude = np.array([0.5, 0.1, 0.4])
    phase = np.maximum(np.sin(time * np.array([1.0, 1.3, 0.7])), 0.0)
    rate = np.where(phase > 0.0, np.cos(time * np.array([1.0, 1.3, 0.7])), 0.0)
    return amplitude * phase**2, 2.0 * amplitude * phase * rate * np.array([1.0, 1.3, 0.7])


@pytest.mark.parametrize('seed', range(6) if ALL else [2, 3])
def test_it_commands_what_the_node_commands(begin, seed):
    """Through random gaps, ~/enable and velocities beyond the limits, state by state."""
    random = np.random.default_rng(seed)
    settings = {
        'on_stale': random.choice(['hold', 'zero']),
        'on_stop': random.choice(['hold', 'zero']),
        'fade_time': random.uniform(0.05, 1.0),
        'state_timeout': 0.0987,  # no multiple of the period
        'effort_limits': LIMITS * random.uniform(0.2, 1.0),
    }
    terms = [term for term in TERMS if term in ('inertial', *random.choice(TERMS, 3))]
    feedforward = Feedforward(
        DYNAMICS, JOINTS, terms=terms, friction=FRICTION, offset=np.array(OFFSETS)
    )
    limits = tuple(settings['effort_limits'])
    node = GuardedFeedforward(
        feedforward,
        Settings(**settings | {'effort_limits': limits, 'on_restart': 'fade_from_zero'}),
    )
    node.supervisor.active = True
    controller = begin(mode='computed_torque', terms=terms, **settings)
    time, period, seen, gap, left, fast = 100.0, 0.005, set(), False, 0, np.zeros(3)
    for cycle in range(6000):
        if not left:
            gap = random.random() < 0.5
            left = int(random.choice([1, 5, 30, 150, 1300] if gap else [1, 50, 400]))
            chosen = (random.random(3) < 0.2) & (random.random() < 0.4)
            fast = np.where(chosen, 1.1 * random.choice([-1.0, 1.0]) * MODEL.velocity_bounds, 0.0)
            if cycle and random.random() < 0.6:
                # A controller that is silent leads away what the interfaces hold: not compared.
                silent = controller.state == 'silent'
                node.supervisor.enabled = silent or bool(random.random() < 0.75)
                if node.supervisor.enabled:
                    node.supervisor.acknowledge()
                controller.enable(node.supervisor.enabled)
                if silent:
                    # The node begins at zero: it does not know what the drives have.
                    controller.start(np.zeros(3), pause=9.0)
        left -= 1
        time += period
        q, v = moving(time)
        v = np.where(fast, fast, v)
        if gap:
            command = node.command_without_state(time)
            q = np.where(np.arange(3) == cycle % 3, np.nan, q)
        else:
            node.take(time, q, v, None, now=time)
            command = node.command(time)
        before = controller.effort
        effort = controller.update(q, v, period)
        np.testing.assert_allclose(effort, before if command is None else command, atol=1e-8)
        assert controller.state == node.supervisor.state.name.lower()
        assert (controller.fault != 'ready') == bool(node.supervisor.fault)
        assert controller.reacts == bool(node.supervisor.reaction)
        seen.add(controller.state)
    assert len(seen) >= 3


def test_gravity_compensation(begin):
    controller = begin()
    expected = DYNAMICS.gravity_torque(Q)
    np.testing.assert_allclose(controller.run(0.2, Q, V), expected, rtol=1e-12)
    np.testing.assert_allclose(controller.run(0.2, Q, effort=1.5), expected + 1.5, rtol=1e-12)
    np.testing.assert_allclose(controller.run(0.2, Q, position=Q + 0.3), expected, rtol=1e-12)
    controller.use(gravity=(0.0, 9.81, 0.0))
    wall = RobotDynamics(MODEL, gravity=(0.0, 9.81, 0.0)).gravity_torque(Q)
    np.testing.assert_allclose(controller.run(0.2, Q), wall, rtol=1e-12)


def test_two_robots_in_one_process(begin, tmp_path):
    """Their libraries have the same symbol."""
    heavier = LIMITED.replace('<mass value="1.5"/>', '<mass value="3"/>')
    other = begin(library=write_library(tmp_path / 'other', heavier), urdf=heavier)
    first, needed = begin(), RobotDynamics(parse_urdf(heavier), backend='python')
    for _ in range(2):
        np.testing.assert_allclose(other.run(0.2, Q), needed.gravity_torque(Q), rtol=1e-12)
        np.testing.assert_allclose(first.run(0.2, Q), DYNAMICS.gravity_torque(Q), rtol=1e-12)


def test_feedforward_is_at_the_reference_with_feedback_of_the_measurement(begin):
    """Friction is that of the first step: no way has been moved before."""
    controller = begin(mode='feedforward', kp=KP, kd=KD, terms=TERMS, state_timeout=0.0)
    q_r, v_r, a_r = REFERENCE.values()
    load = DYNAMICS.inverse_dynamics(q_r, v_r, a_r)
    friction = FRICTION.torque(v_r, load=load, slips=np.zeros((2, 3))) + OFFSETS
    expected = load + friction + KP * (q_r - Q) + KD * (v_r - V) + 1.5
    effort = controller.run(0.3, Q, V, effort=1.5, **REFERENCE)
    np.testing.assert_allclose(effort, expected, rtol=1e-9)
    # Without a reference: at the measured position, at rest.
    held = DYNAMICS.gravity_torque(Q) + OFFSETS
    np.testing.assert_allclose(controller.run(0.3, Q, V), held, rtol=1e-12)


def test_computed_torque_is_shaped_by_the_mass_matrix(begin):
    controller = begin(mode='computed_torque', kp=KP, kd=KD)
    q_r, v_r, a_r = REFERENCE.values()
    wanted = a_r + KP * (q_r - Q) + KD * (v_r - V)
    expected = DYNAMICS.mass_matrix(Q) @ wanted + DYNAMICS.bias_torque(Q, V)
    np.testing.assert_allclose(controller.run(0.3, Q, V, **REFERENCE), expected, rtol=1e-12)


def test_a_part_of_a_reference_is_no_motion_of_other_joints(begin):
    """Position alone: at rest, without a feedback of velocities; the others are where they are."""
    controller = begin(mode='feedforward', kp=KP, kd=KD)
    position = np.array([np.nan, 0.2, np.inf])
    q = np.where(np.isfinite(position), position, Q)
    expected = DYNAMICS.gravity_torque(q) + np.where(q != Q, KP * (q - Q), 0.0)
    given = {
        'position': position,
        'velocity': np.nan,
        'acceleration': np.array([1.0, np.nan, 1.0]),
    }
    np.testing.assert_allclose(controller.run(0.3, Q, V, **given), expected, rtol=1e-12)


def test_a_continuous_joint_is_as_near_as_a_turn_allows(begin):
    controller = begin(mode='feedforward', kp=KP)
    there = controller.run(0.3, Q, V, position=Q + 0.01)
    turned = Q + 0.01 + [4.0 * np.pi, 0.0, 0.0]
    np.testing.assert_allclose(controller.run(0.3, Q, V, position=turned), there, atol=1e-9)


def test_other_joints_are_measured_and_not_commanded(begin):
    controller = begin(joints=('turn', 'wrist'), mode='feedforward')
    position, zero = np.array([0.5, -0.3]), np.zeros(3)
    at, a = np.array([0.5, Q[1], -0.3]), np.array([1.0, 0.0, 2.0])
    effort = controller.run(0.3, Q, position=position, velocity=0.0, acceleration=a[[0, 2]])
    np.testing.assert_allclose(effort, DYNAMICS.inverse_dynamics(at, zero, a)[[0, 2]], rtol=1e-12)


def test_no_step_from_the_last_command_and_no_effort_beyond_its_limit(begin):
    """Whatever comes as a reference, and however late a cycle is."""
    first, random = np.array([12.0, -5.0, 3.0]), np.random.default_rng(0)
    controller = begin(mode='computed_torque', kp=KP, kd=KD, effort_limits=LIMITS,
                       efforts=first, fade_time=0.3)  # fmt: skip
    before = controller.effort
    bad = [np.nan, np.inf, -np.inf, 1e300, -1e9, 0.0, 1.0]
    for cycle in range(3000):
        given = {name: random.choice(bad, 3) for name in ('effort', *REFERENCE)}
        q = np.where(random.random(3) < 0.02, np.nan, Q)
        period = random.choice([0.001, 0.0, 5.0, -1.0, np.nan, 0.002])
        effort = controller.update(q, V, period, **(given if cycle % 3 else REFERENCE))
        assert (np.abs(effort - before) <= RATE_PER_EFFORT * LIMITS * (0.02 + 1e-9)).all()
        assert (np.abs(effort) <= LIMITS).all()
        before = effort


@pytest.mark.parametrize('name', REFERENCE)
def test_a_part_of_a_reference_that_begins_or_ends_fades(begin, name):
    controller = begin(mode='feedforward', kp=KP, kd=KD, fade_time=0.5)
    for given in (REFERENCE, {**REFERENCE, name: np.nan}, REFERENCE):
        before = controller.effort
        np.testing.assert_allclose(controller.update(Q, V, **given), before, atol=0.05)
        assert np.abs(controller.run(1.0, Q, V, **given) - before).max() > 0.1


def test_a_restart_goes_on_where_the_drives_have_what_it_left(begin):
    """The manager restarts it whenever the controller before it comes or goes."""
    controller, none = begin(mode='feedforward', fade_time=0.5, on_stop='hold'), np.full(3, np.nan)
    controller.run(1.0, Q, V, **REFERENCE)
    for state in ('holding', 'stopping'):
        before = controller.run(0.3, none)
        controller.start(controller.end())
        np.testing.assert_allclose(controller.update(none), before, atol=0.2)
        assert controller.state == state
        controller.enable(False)
    controller.enable(True)
    # Later the arm may be elsewhere: there is no position to hold it at.
    controller.start(controller.end(), pause=1.0)
    controller.run(0.3, none)
    assert controller.state == 'silent'


# In a motion, and pressing on something.
@pytest.mark.parametrize('given', [REFERENCE, {'position': Q + 0.1, 'velocity': 0.0}])
@pytest.mark.parametrize('mode', ['feedforward', 'computed_torque'])
def test_at_its_end_gravity_torque_is_left_and_a_restart_makes_no_step(begin, mode, given):
    controller = begin(mode=mode, kp=KP, kd=KD, effort_limits=LIMITS, fade_time=0.3)
    held = DYNAMICS.gravity_torque(Q)
    for pause, goes_on in ((0.002, True), (0.2, False)):
        before = controller.run(1.0, Q, V, **given)
        left = controller.end()
        np.testing.assert_allclose(left, held, rtol=1e-12)
        assert np.abs(before - left).max() > 1.0
        controller.start(left, pause)
        np.testing.assert_array_equal(controller.effort, before if goes_on else left)
        after = controller.update(Q, V)
        assert (np.abs(after - (before if goes_on else left)) <= ONE_STEP).all()
    # Another controller has commanded meanwhile.
    controller.end()
    controller.start(held + 1.0)
    np.testing.assert_array_equal(controller.effort, held + 1.0)


@pytest.mark.parametrize('target', ['zero', 'gravity'])
def test_what_the_interfaces_hold_does_not_stay_while_it_is_disabled(begin, target):
    """Of another controller, and of an `on_stop` before."""
    policies = {'zero': 'zero', 'gravity': 'hold'}
    efforts = {'zero': np.zeros(3), 'gravity': DYNAMICS.gravity_torque(Q)}
    controller = begin(fade_time=0.2, effort_limits=LIMITS, on_stop=policies[target])
    controller.run(0.5, Q)
    controller.enable(False)
    controller.run(0.5, Q)
    np.testing.assert_allclose(controller.effort, efforts[target], rtol=1e-12)
    controller.end()
    controller.start(np.full(3, 15.0), pause=1.0)
    assert (np.abs(controller.update(Q) - 15.0) <= ONE_STEP).all()
    assert (controller.state, controller.target) == ('stopping', target)
    controller.run(0.5, Q)
    np.testing.assert_allclose(controller.effort, efforts[target], rtol=1e-12)
    assert controller.state == 'silent'
    other = next(one for one in policies if one != target)
    controller.use(on_stop=policies[other])
    controller.run(0.5, Q)
    np.testing.assert_allclose(controller.effort, efforts[other], rtol=1e-12)
    # Without a position there is no gravity torque: it stays.
    controller.use(on_stop='hold')
    controller.start(np.full(3, 15.0), pause=1.0)
    assert (controller.run(0.5, np.full(3, np.nan)) == 15.0).all()


def test_the_first_command_does_not_count_the_time_before(begin):
    controller = begin(effort_limits=LIMITS)
    for _ in range(2):
        before = controller.effort
        assert (np.abs(controller.update(Q, effort=50.0) - before) <= ONE_STEP).all()
        controller.run(1.0, Q, effort=50.0)
        controller.end()
        controller.start(np.zeros(3), pause=4.0)


def test_joints_that_are_not_commanded_stay_where_they_were(begin):
    controller = begin(joints=('turn', 'wrist'), state_timeout=0.1)
    silent = np.where([False, True, False], np.nan, Q)
    controller.run(0.2, silent)
    assert (controller.state, controller.silent_joint) == ('silent', 1)  # it was never measured
    controller.run(0.2, Q)
    moved = silent + 0.2
    expected = DYNAMICS.gravity_torque(np.where(np.isnan(moved), Q, moved))[[0, 2]]
    np.testing.assert_allclose(controller.run(7.0, moved), expected, rtol=1e-12)
    assert (controller.state, controller.silent_joint) == ('tracking', 1)


@pytest.mark.parametrize('mode', ['feedforward', 'computed_torque'])
def test_a_reference_that_needs_another_gravity_torque_is_not_followed(begin, mode):
    controller = begin(mode=mode, kp=KP, effort_limits=LIMITS, fade_time=0.3)
    held = controller.run(0.5, Q)
    far = Q + np.array([0.0, 0.0, 1.5])
    change = np.abs(DYNAMICS.gravity_torque(far) - DYNAMICS.gravity_torque(Q)) / LIMITS
    controller.use(reference_tolerance=change.max() * 0.99)
    np.testing.assert_allclose(controller.run(0.5, Q, position=far), held, rtol=1e-12)
    assert controller.far == change.argmax()
    for tolerance in (change.max() * 1.01, np.inf):
        controller.use(reference_tolerance=tolerance)
        assert (np.abs(controller.update(Q, position=far) - held) <= ONE_STEP).all()
        assert np.abs(controller.run(0.5, Q, position=far) - held).max() > 1.0
        assert controller.far == 3
        controller.run(0.5, Q)


def test_a_joint_beyond_its_velocity_limit_is_not_driven_on(begin):
    """After `state_timeout` gravity compensation alone, zero where that drives it on."""
    controller = begin(mode='computed_torque', kp=KP, kd=KD, state_timeout=0.05)
    held, rows = DYNAMICS.gravity_torque(Q), np.arange(3)
    limits = MODEL.velocity_bounds
    for sign in (1.0, -1.0):
        given = {'position': Q + sign * 0.1, 'velocity': sign * limits}
        within = controller.run(0.2, Q, sign * 0.99 * limits, **given)
        assert ((within - held) * sign > 0.1).any()
        fast = np.where(rows == 2, 1.01, 0.5) * sign * limits
        controller.run(0.04, Q, fast, **given)
        assert controller.state == 'tracking'
        assert (controller.effort[2] - held[2]) * sign <= 1e-9
        driven = held[2] * sign > 0.0
        rest, target = (0.0 * held, 'zero') if driven else (held, 'gravity')
        np.testing.assert_allclose(controller.run(0.2, Q, fast, **given), rest, rtol=1e-12)
        assert (controller.state, controller.target) == ('reacting', target)
        assert controller.reacts
        assert controller.blamed == 2
        controller.start(controller.effort, pause=1.0)
        controller.update(Q, fast, position=1e308)
        assert (controller.reacts, controller.blamed) == (True, 2)
        np.testing.assert_allclose(controller.run(0.2, Q, 0.1 * V, **given), rest, rtol=1e-12)
        controller.enable(True)
        controller.run(0.2, Q, 0.1 * V, **given)
        assert (controller.state, controller.reacts) == ('tracking', False)


@pytest.mark.parametrize(('mode', 'share', 'viscous'), [('computed_torque', 0.4, 0.5),
                                                        ('feedforward', 1.0, 0.8)])  # fmt: skip
def test_friction_is_that_within_the_known_speeds_and_a_share_at_a_measured_velocity(
    begin, tmp_path, mode, share, viscous
):
    friction = JointFriction(
        MODEL, viscous={'turn': 0.8}, viscous_lower={'turn': 0.5}, stribeck={'turn': 60.0},
        max_velocity={'turn': 1.2},
    )  # fmt: skip
    library, terms = write_library(tmp_path / 'range', LIMITED, friction=friction), TERMS[2:]
    controller = begin(library=library, mode=mode, kp=1.0, terms=terms, friction_share=0.4)
    speeds = np.array([2.0, 0.0, 0.0])
    reference = np.array([Q, speeds, 0.0 * Q])
    given = dict(zip(REFERENCE, reference, strict=True)) if share == 1.0 else {}
    effort = controller.run(0.2, Q, speeds, **given)
    expected = share * (viscous * 1.2 + 60.0 / (1.0 + 12.0**2))
    np.testing.assert_allclose(effort, [expected, 0.0, 0.0], rtol=1e-4)
    node = Feedforward(DYNAMICS, JOINTS, terms=terms, friction=friction)
    node.feed_back(0.4)
    node.compute(Q, speeds, reference if given else None)
    np.testing.assert_allclose(effort, node.effort, rtol=1e-9)


def test_friction_is_dropped_where_motion_does_not_decay(begin):
    terms = ['gravity', 'inertial', 'friction']
    controller = begin(mode='computed_torque', kp=1.0, terms=terms)
    speeds, held = np.array([0.3, 0.0, 0.0]), DYNAMICS.gravity_torque(Q)
    assert np.abs(controller.run(4.8, Q, speeds) - held).max() > 0.1
    assert controller.dropped == 3
    np.testing.assert_allclose(controller.run(0.5, Q, speeds), held, rtol=1e-12)
    assert controller.dropped == 0
    np.testing.assert_allclose(controller.run(0.5, Q), held + OFFSETS, rtol=1e-12)
    given = {'position': Q, 'velocity': speeds}
    controller.run(6.0, Q, speeds, **given)
    assert controller.dropped == 3


def simulated(
    controller, seconds, q, v, *, applied=lambda q: 0.0, friction=None, effort=np.nan, seen=True
):
    """Positions and velocities (N, 3) of the arm along a motion, from step to step."""
    states = []
    for _ in range(round(seconds / 0.001)):
        given = effort(q, v) if callable(effort) else effort
        command = controller.update(q if seen else np.full(3, np.nan), v, effort=given)
        rubs = 0.0 if friction is None else friction.torque(v)
        v = v + 0.001 * DYNAMICS.forward_dynamics(q, v, command + applied(q) - rubs)
        q = q + 0.001 * v
        states.append((q, v))
    return np.array(states).transpose(1, 0, 2)


@pytest.mark.parametrize('mode', MODES)
def test_an_arm_that_rises_in_the_first_fade_has_gravity_twice(begin, mode):
    gains = {} if mode == MODES[0] else {'kp': 1.0}
    controller = begin(mode=mode, fade_time=1.0, effort_limits=LIMITS, **gains)
    _, v = simulated(controller, 0.7, Q, np.zeros(3), applied=DYNAMICS.gravity_torque)
    assert (controller.fault, controller.state) == ('double_gravity', 'silent')
    assert (controller.effort == 0.0).all()
    assert np.abs(v).max() < 0.5


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('speed', [0.0, 0.3, -0.3, 1.5, -1.5])
@pytest.mark.parametrize('gap', [0.0, 0.15])
@pytest.mark.parametrize('seed', range(8) if ALL else range(3))
def test_an_arm_that_falls_or_swings_in_the_first_fade_is_no_fault(begin, mode, speed, gap, seed):
    gains = {} if mode == MODES[0] else {'kp': 1.0}
    controller = begin(mode=mode, fade_time=1.0, effort_limits=LIMITS, **gains)
    random = np.random.default_rng(seed)
    q = random.uniform(-0.5, 0.5, 3)
    way = np.sign(DYNAMICS.gravity_torque(q)) * random.uniform(0.2, 1.0, 3)
    q, v = simulated(controller, 0.2, q, speed * way)[:, -1]
    q, v = simulated(controller, gap, q, v, seen=False)[:, -1] if gap else (q, v)
    simulated(controller, 0.9, q, v)
    assert controller.fault == 'ready'


def test_an_arm_that_a_controller_lifts_in_the_first_fade_is_no_fault(begin):
    controller = begin(fade_time=1.0, effort_limits=LIMITS)
    goal = Q + 0.1 * np.sign(DYNAMICS.gravity_torque(Q))
    gains = np.array([100.0, 800.0, 60.0])
    q, _ = simulated(
        controller, 1.2, Q, np.zeros(3), effort=lambda q, v: gains * (goal - q - 0.2 * v)
    )
    assert np.abs(q[-1] - goal).max() < 0.02
    assert controller.fault == 'ready'


@pytest.mark.parametrize('factor', [1.0, 3.0])
def test_an_arm_that_was_nudged_comes_to_rest(begin, tmp_path, factor):
    """With friction that is as large as it is, and three times too large."""
    kinds = {'viscous': [0.4, 5.0, 0.2], 'coulomb': [0.5, 4.0, 0.3]}
    true, known = (
        JointFriction(
            MODEL,
            **{
                kind: dict(zip(JOINTS, scale * np.array(values), strict=True))
                for kind, values in kinds.items()
            },
        )
        for scale in (1.0, factor)
    )
    library = write_library(tmp_path / 'nudged', LIMITED, friction=known)
    terms = ['gravity', 'coriolis', 'inertial', 'friction']
    controller = begin(library=library, mode='computed_torque', kp=1.0, terms=terms)
    controller.run(1.1, Q)
    _, v = simulated(controller, 10.0, Q, np.array([0.2, 0.2, -0.8]), friction=true)
    assert np.abs(v).max() < 1.2
    assert np.abs(v[-1]).max() < 0.01


def test_states_that_never_come_are_lost(begin):
    controller = begin()
    for seconds, lost in ((5.0, False), (0.2, True)):
        controller.run(seconds, np.full(3, np.nan))
        assert (controller.state, controller.lost) == ('silent', lost)
