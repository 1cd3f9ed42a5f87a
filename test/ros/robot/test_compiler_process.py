"""A robot that another process compiles: the same robot, the same refusals, bounded in time."""

import numpy as np
import pytest
from three_joints import HEAVIER, INDEFINITE, URDF

from robot_dynamics_ros.core import InertiaError, Payload, UnknownNameError, UrdfError
from robot_dynamics_ros.core.codegen.kernel import native_obstacle
from robot_dynamics_ros.ros.robot import compiler_process
from robot_dynamics_ros.ros.robot.compilation import (
    COMPILED_QUANTITIES,
    OBSERVER_QUANTITIES,
    compile_robot,
)
from robot_dynamics_ros.ros.robot.compiler_process import CompilerProcessError, compile_elsewhere

Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]
OPTIONS = {'gravity': (0.0, 1.0, -9.0)}

pytestmark = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())


def refuse_to_trace(*arguments):
    raise AssertionError('a program is traced')


@pytest.mark.parametrize('frame', ['hand', 'slider'])
def test_is_the_robot_that_is_compiled_here(frame, monkeypatch):
    payload = Payload('payload', frame, 0.7, (0.1, 0.0, 0.2), np.zeros((3, 3)))
    quantities = COMPILED_QUANTITIES + OBSERVER_QUANTITIES
    options = OPTIONS | {
        'payload': payload,
        'armature': {'wrist': 0.2},
        'quantities': quantities,
    }
    here = compile_robot(URDF, **options)
    monkeypatch.setattr('robot_dynamics_ros.core.quantities.trace', refuse_to_trace)
    there = compile_elsewhere(URDF, options)
    assert there.dynamics.model == here.dynamics.model
    assert there.dynamics.payload_frame == here.dynamics.payload_frame
    assert there.report == here.report
    assert there.text == URDF
    tau = there.dynamics.inverse_dynamics(Q, V, A)
    assert np.array_equal(tau, here.dynamics.inverse_dynamics(Q, V, A))
    assert np.array_equal(there.pinocchio.mass_matrix(Q), here.pinocchio.mass_matrix(Q))
    for quantity in quantities:
        there.dynamics._call[quantity]


def test_without_a_comparison_there_is_none():
    there = compile_elsewhere(HEAVIER, OPTIONS | {'cross_check': False})
    assert (there.report, there.pinocchio) == (None, None)


def test_plain_python_is_compiled_here(monkeypatch):
    monkeypatch.setattr(compiler_process, '_answer_to', None)
    there = compile_elsewhere(URDF, OPTIONS | {'backend': 'python'})
    assert there.dynamics.backend == 'python'


@pytest.mark.parametrize(
    ('text', 'options', 'kind', 'words'),
    [
        ('<robot/>', {}, UrdfError, 'robot'),
        (INDEFINITE, {}, InertiaError, 'indefinite'),
        (URDF, {'armature': {'elbow': 1.0}}, UnknownNameError, "unknown joint 'elbow'"),
        (URDF, {'payload_frame': 'nose'}, UnknownNameError, "unknown payload_frame 'nose'"),
    ],
)
def test_refusals_are_those_of_compile_robot(text, options, kind, words):
    with pytest.raises(kind, match=words):
        compile_elsewhere(text, OPTIONS | options)


def test_it_is_bounded_in_time(monkeypatch):
    monkeypatch.setattr(compiler_process, 'WALL_SECONDS', 0.01)
    with pytest.raises(CompilerProcessError, match=r'allowed 0\.01 s'):
        compile_elsewhere(URDF, OPTIONS)


def test_an_end_without_an_answer_is_said(monkeypatch):
    monkeypatch.setattr(compiler_process.sys, 'executable', '/bin/false')
    with pytest.raises(CompilerProcessError, match=r'answer \(exit status 1\)'):
        compile_elsewhere(URDF, OPTIONS)
    monkeypatch.setattr(compiler_process.sys, 'executable', '/nowhere/python')
    with pytest.raises(CompilerProcessError, match='cannot be started'):
        compile_elsewhere(URDF, OPTIONS)
