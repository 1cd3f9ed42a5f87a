"""Machine code that another process has compiled: it computes the same bits here."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import (
    NativeCodeError,
    ParameterError,
    RobotDynamics,
    StateError,
    parse_urdf,
)
from robot_dynamics_ros.core.quantities import ANALYSES, QUANTITIES

ROOT = Path(__file__).resolve().parents[3]
NAMES = tuple(QUANTITIES | ANALYSES)
COMPILE = """
import pickle, sys
model, payload_frame, names = pickle.load(sys.stdin.buffer)
from robot_dynamics_ros.core import RobotDynamics
dynamics = RobotDynamics(model, payload_frame=payload_frame)
pickle.dump(dynamics.object_code(*names), sys.stdout.buffer)
"""

pytestmark = pytest.mark.usefixtures('needs_native')


def compiled_elsewhere(model, *names, payload_frame=None):
    result = subprocess.run(
        [sys.executable, '-c', COMPILE],
        input=pickle.dumps((model, payload_frame, names)),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=True,
    )
    return pickle.loads(result.stdout)


def refuse(*arguments):
    raise AssertionError('a program is traced')


@pytest.mark.parametrize('name', ['oblique', 'mimic'])
def test_equals_what_is_compiled_here_to_the_last_bit(name, monkeypatch):
    robot = hand_written(name)
    loaded, here = RobotDynamics(robot.model), robot.native
    codes = compiled_elsewhere(robot.model, *NAMES)
    with monkeypatch.context() as patch:
        patch.setattr('robot_dynamics_ros.core.quantities.trace', refuse)
        loaded.load(codes)
        for q, v, a, w in robot.states(2):
            given = {'q': q, 'v': v, 'a': a, 'tau': w}
            results = {}
            for quantity, (_, names) in (QUANTITIES | ANALYSES).items():
                inputs = [given[name] for name in names if name != 'gravity']
                results[quantity] = inputs, getattr(loaded, quantity)(*inputs)
                out = np.zeros(np.shape(results[quantity][1]))
                loaded.bind(quantity, *inputs, out=out)()
                assert np.array_equal(out, results[quantity][1])
    for quantity, (inputs, value) in results.items():
        assert np.array_equal(getattr(here, quantity)(*inputs), value)


def test_takes_a_payload():
    robot = hand_written('oblique')
    frame = robot.model.frames[-1].name
    loaded = RobotDynamics(robot.model, payload_frame=frame)
    loaded.load(compiled_elsewhere(robot.model, 'gravity_torque', payload_frame=frame))
    payload = robot.model.with_payload(frame, 0.5, (0.1, 0.0, 0.2)).payloads[0]
    (q, *_), = robot.states(1)  # fmt: skip
    expected = RobotDynamics(robot.model, payload_frame=frame).with_checked_payload(payload)
    held = loaded.with_checked_payload(payload).gravity_torque(q)
    assert np.array_equal(held, expected.gravity_torque(q))


def test_refusals_come_with_the_code():
    model = parse_urdf(POINT_ON_AXIS)
    loaded, zero = RobotDynamics(model), np.zeros(2)
    loaded.load(compiled_elsewhere(model, 'forward_dynamics'))
    with pytest.raises(StateError, match="singular here: joint 'spindle'"):
        loaded.forward_dynamics([0.4, 0.7], zero, zero)
    with pytest.raises(StateError, match='q is nan'):
        loaded.forward_dynamics([np.nan, 0.7], zero, zero)


def test_a_batch_is_compiled_here():
    robot = hand_written('oblique')
    loaded = RobotDynamics(robot.model)
    loaded.load(compiled_elsewhere(robot.model, 'mass_matrix'))
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (9, 4))
    assert_close(loaded.mass_matrix(q), robot.native.mass_matrix(q))


def test_code_that_computes_something_else_is_refused():
    model = hand_written('oblique').model
    dynamics = RobotDynamics(model)
    codes = dynamics.object_code('gravity_torque', 'mass_matrix')
    *inputs, result = codes['gravity_torque'].sample
    off = (*inputs, np.nextafter(result, np.inf))
    with pytest.raises(NativeCodeError, match='gravity_torque'):
        dynamics.load({'gravity_torque': replace(codes['gravity_torque'], sample=off)})
    dynamics.load(codes)


def test_only_native_code_can_be_sent():
    dynamics = RobotDynamics(hand_written('oblique').model, backend='python')
    with pytest.raises(ParameterError, match='needs backend native'):
        dynamics.object_code('gravity_torque')
    with pytest.raises(ParameterError, match='needs a frame'):
        RobotDynamics(hand_written('oblique').model).object_code('jacobian')


@pytest.mark.parametrize('name', ['bias_torque', 'mass_matrix'])
def test_code_of_another_robot_or_quantity_is_refused(name):
    """A gantry has other joints than the arm."""
    arm, gantry = (RobotDynamics(hand_written(robot).model) for robot in ('oblique', 'gantry'))
    code = arm.object_code('mass_matrix')['mass_matrix']
    other = gantry if name == 'mass_matrix' else arm
    with pytest.raises(ParameterError, match='mass_matrix'):
        other.load({name: code})
