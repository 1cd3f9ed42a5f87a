"""Payloads as inputs of the compiled programs: nothing is compiled, and nothing is left behind."""

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.kinetics_laws import KINETICS_LAWS
from mechanics.laws import LAWS
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    RobotModel,
    StateError,
    UnknownNameError,
)
from robot_dynamics_ros.core.compiler.kernel import native_obstacle
from robot_dynamics_ros.core.quantity import QUANTITIES

MASS, COM = 1.7, (0.03, -0.08, 0.15)
INERTIA = ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009))
ARMS = ('ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf')
COMPILED = 'robot_dynamics_ros.core.quantity.trace'
OF_STATES = [each for each in QUANTITIES.values() if not each.of_frame]


def payload_on(frame, mass=MASS, name='payload'):
    return {'frame': frame, 'mass': mass, 'com': COM, 'inertia': INERTIA, 'name': name}


def tip(robot):
    return [frame.name for frame in robot.model.frames if frame.body >= 0][-1]


def values(dynamics, state):
    """Every quantity without a frame, at one state."""
    given = {'q': state.q, 'v': state.v, 'a': state.a, 'tau': state.w}
    given |= {'v_reference': state.w, 'a_reference': state.a}
    for quantity in OF_STATES:
        inputs = [given[name] for name in quantity.arguments]
        yield quantity.name, getattr(dynamics, quantity.name)(*inputs)


@pytest.fixture
def chain(backend):
    robot = hand_written('oblique')
    return RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))


@pytest.fixture
def nothing_compiles(monkeypatch):
    """From its call on."""

    def refuse(*arguments):
        raise AssertionError('a program is compiled')

    return lambda: monkeypatch.setattr(COMPILED, refuse)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_equals_the_robot_compiled_with_that_payload(robot, backend):
    """Both are right: of the one the payload is a constant, of the other an input."""
    payload = payload_on(tip(robot))
    compiled = RobotDynamics(robot.model.with_payload(**payload), backend=backend)
    given = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot)).with_payload(
        **payload
    )
    assert given.model == compiled.model
    for state in robot.states(2):
        expected = dict(values(compiled, state))
        for quantity, value in values(given, state):
            scale = 100.0 * max(1.0, np.abs(expected[quantity]).max())
            assert_close(value, expected[quantity], scale)


@pytest.mark.parametrize('robot', [r for r in MOVING_EXAMPLES if r.name in ARMS], ids=str)
def test_real_arms_in_native_code(robot, needs_native):
    payload = payload_on(tip(robot))
    compiled = RobotDynamics(robot.model.with_payload(**payload))
    given = RobotDynamics(robot.model, payload_frame=payload['frame']).with_payload(**payload)
    for q, v, a, _ in robot.states(2):
        terms = compiled.torque_terms(q, v, a)
        assert_close(given.torque_terms(q, v, a), terms, 10.0 * np.abs(terms).max())
        assert_close(given.mass_matrix(q), compiled.mass_matrix(q))
        C = compiled.coriolis_matrix(q, v)
        assert_close(given.coriolis_matrix(q, v), C, 10.0 * np.abs(C).max())


@pytest.fixture(scope='module', params=['native', 'python'])
def loaded(request):
    """A robot whose URDF has the payload as a fixed link, and the dynamics that was given it."""
    if request.param == 'native' and (obstacle := native_obstacle()):
        pytest.skip(obstacle)
    robot = hand_written('oblique')
    entries = ' '.join(
        f'i{a}{b}="{INERTIA["xyz".index(a)]["xyz".index(b)]}"'
        for a, b in ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')
    )
    link = (
        f'<link name="load"><inertial><origin xyz="{COM[0]} {COM[1]} {COM[2]}"/>'
        f'<mass value="{MASS}"/><inertia {entries}/></inertial></link>'
        f'<joint name="grip" type="fixed"><parent link="{tip(robot)}"/><child link="load"/>'
        '</joint></robot>'
    )
    dynamics = RobotDynamics(robot.model, backend=request.param, payload_frame=tip(robot))
    dynamics = dynamics.with_payload(**payload_on(tip(robot)))
    text = robot.text.replace('</robot>', link)
    return LoadedRobot('loaded', text, dynamics.model), dynamics


@dataclass(frozen=True)
class LoadedRobot:
    name: str
    text: str
    model: RobotModel


@pytest.mark.parametrize('law', [*LAWS, *KINETICS_LAWS], ids=lambda law: law.__name__)
def test_law_with_a_payload_that_is_an_input(law, loaded):
    robot, dynamics = loaded
    for state in hand_written('oblique').states(2):
        law(robot, dynamics, state)


def test_nothing_is_compiled_and_nothing_is_left_behind(chain, nothing_compiles):
    (state,) = hand_written('oblique').states(1)
    before = dict(values(chain, state))
    nothing_compiles()
    frame = chain.model.frames[-1].name
    loaded = chain.with_payload(**payload_on(frame))
    changed = dict(values(loaded, state))
    heavier = loaded.with_payload(**payload_on(frame, 2.0 * MASS))
    assert heavier.gravity_torque(state.q).tolist() != changed['gravity_torque'].tolist()
    after = heavier.without_payload()
    assert after.model is chain.model
    for quantity, value in values(after, state):
        assert np.array_equal(value, before[quantity]), quantity
        assert np.array_equal(np.signbit(value), np.signbit(before[quantity])), quantity
    for quantity in OF_STATES:
        same = np.array_equal(changed[quantity.name], before[quantity.name])
        assert same != quantity.of_inertia, quantity.name


def test_two_payloads_of_one_body_add_up(chain):
    (state,) = hand_written('oblique').states(1)
    frame, q = chain.model.frames[-1].name, state.q
    bare = chain.gravity_torque(q)
    one = chain.with_payload(**payload_on(frame, 1.0, 'one'))
    both = one.with_payload(**payload_on(frame, 2.0, 'two'))
    other = chain.with_payload(**payload_on(frame, 2.0, 'two'))
    assert np.array_equal(both.without_payload('two').gravity_torque(q), one.gravity_torque(q))
    added = one.gravity_torque(q) + other.gravity_torque(q) - 2.0 * bare
    assert_close(both.gravity_torque(q) - bare, added, np.abs(bare).max())


def test_a_payload_on_another_body_is_compiled(backend):
    robot = hand_written('tree')
    frames = robot.model.frames
    elsewhere = next(f.name for f in frames if 0 <= f.body != frames[-1].body)
    dynamics = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))
    (state,) = robot.states(1)
    tau = dynamics.inverse_dynamics(state.q, state.v, state.a)
    payloads = payload_on(elsewhere, name='camera'), payload_on(tip(robot))
    loaded = dynamics.with_payload(**payloads[0]).with_payload(**payloads[1])
    expected = RobotDynamics(robot.model.with_payload(**payloads[0]).with_payload(**payloads[1]))
    assert loaded.model == expected.model
    value = expected.inverse_dynamics(state.q, state.v, state.a)
    assert_close(loaded.inverse_dynamics(state.q, state.v, state.a), value, 10.0)
    assert np.array_equal(dynamics.inverse_dynamics(state.q, state.v, state.a), tau)


def test_each_has_a_gravity_of_its_own(chain):
    q = np.full(4, 0.3)
    loaded = chain.with_payload(**payload_on(chain.model.frames[-1].name))
    held = loaded.gravity_torque(q)
    chain.gravity = (0.0, 0.0, 0.0)
    assert np.array_equal(loaded.gravity_torque(q), held)
    assert not chain.gravity_torque(q).any()


def test_a_bound_step_takes_the_payload(chain):
    q, out = np.full(4, 0.3), np.zeros(4)
    loaded = chain.with_payload(**payload_on(chain.model.frames[-1].name))
    for dynamics in (chain, loaded):
        dynamics.bind('gravity_torque', q, out=out)()
        assert np.array_equal(out, dynamics.gravity_torque(q))
        dynamics.gravity_torque(q, out=out)
        assert np.array_equal(out, dynamics.gravity_torque(q))


def test_a_batch_takes_the_payload(chain):
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 4))
    loaded = chain.with_payload(**payload_on(chain.model.frames[-1].name))
    assert_close(loaded.mass_matrix(q), [loaded.mass_matrix(row) for row in q])


def test_errors_are_those_of_other_robots(chain):
    loaded = chain.with_payload(**payload_on(chain.model.frames[-1].name))
    with pytest.raises(StateError, match="'first'"):
        loaded.gravity_torque([np.nan, 0.0, 0.0, 0.0])
    with pytest.raises(TypeError):
        loaded.mass_matrix()


@pytest.mark.parametrize(
    'way', [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_carry_it_too(chain, way):
    q = np.full(4, 0.3)
    loaded = chain.with_payload(**payload_on(chain.model.frames[-1].name))
    other = way(loaded)
    assert (other.model, other.payload_frame) == (loaded.model, loaded.payload_frame)
    assert np.array_equal(other.gravity_torque(q), loaded.gravity_torque(q))
    bare = other.without_payload()
    assert np.array_equal(bare.gravity_torque(q), chain.gravity_torque(q))


def test_a_payload_makes_a_massless_tip_regular(backend):
    robot = hand_written('massless_tip')
    dynamics = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))
    zero = np.zeros(robot.model.size)
    with pytest.raises(StateError, match='matrix is singular'):
        dynamics.forward_dynamics(zero, zero, zero)
    payload = payload_on(tip(robot))
    expected = RobotDynamics(robot.model.with_payload(**payload), backend=backend)
    a = dynamics.with_payload(**payload).forward_dynamics(zero, zero, zero)
    assert_close(a, expected.forward_dynamics(zero, zero, zero), 100.0)


def test_a_payload_frame_is_a_link_that_moves():
    model = hand_written('tree').model
    with pytest.raises(UnknownNameError, match="frame 'nose'"):
        RobotDynamics(model, payload_frame='nose')
    with pytest.raises(ParameterError, match=r'link .* fixed to'):
        RobotDynamics(model, payload_frame=model.frames[0].name)


def test_what_the_inertia_does_not_enter_takes_no_payload(chain):
    """The table is right: for all others the payload is among the inputs of the program."""
    frame = chain.model.frames[-1].name
    for quantity in QUANTITIES.values():
        program = chain._call.kernel(quantity.key(frame if quantity.of_frame else None))._program
        used = any(
            step.operation == 'input' and step.operands[0] == 'payload' for step in program.steps()
        )
        assert used == ('payload' in program.inputs) == quantity.of_inertia
