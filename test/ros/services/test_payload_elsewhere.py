"""`~/set_payload` on another link: compiled elsewhere, and the node goes on meanwhile."""

import re
import threading

import numpy as np
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Inertia
from rclpy.parameter import Parameter
from std_msgs.msg import String
from three_joints import HEAVIER, URDF, state

from robot_dynamics_interfaces.srv import GetMassMatrix, GetPayload, SetPayload
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.robot import robot_factory
from robot_dynamics_ros.ros.robot.compilation import compile_robot
from robot_dynamics_ros.ros.robot.compiler_process import CompilerProcessError

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
NAME = '/robot_dynamics/set_payload'
# Payloads on `hand`, the tip, are inputs of the programs; on this link they are compiled.
LINK, MASS = 'slider', 0.7
# A node that waits for its compiler cannot be told to go on [s].
LONGEST = 5.0


class Compiler:
    """Stands for the process that compiles: it begins at once, and ends when it is let go."""

    def __init__(self):
        self.begun, self.may_end = threading.Semaphore(0), threading.Semaphore(0)
        self.refusal = None

    def __call__(self, text, options):
        self.begun.release()
        assert self.may_end.acquire(timeout=LONGEST), 'the node has waited for its compiler'
        if self.refusal:
            raise self.refusal
        return compile_robot(text, **options)


class Caller:
    """Asks for payloads."""

    def __init__(self, node, observer, compiler):
        self.robot, self.observer, self.compiler = node, observer, compiler
        self.client = observer.node.create_client(SetPayload, NAME)
        observer.until(self.client.service_is_ready, 'the service')

    def ask(self, mass=MASS, frame=LINK):
        """A request; its answer is to come."""
        request = SetPayload.Request(frame=frame, inertia=Inertia(m=mass))
        return self.client.call_async(request)

    def ask_and_compile(self):
        """A request whose robot is being compiled."""
        future = self.ask()
        self.wait_for_compiler()
        return future

    def wait_for_compiler(self):
        self.observer.until(lambda: self.compiler.begun.acquire(blocking=False), 'the compiler')

    def answer(self, future):
        self.observer.until(future.done, 'the answer')
        return future.result()

    def finish(self, future):
        """The answer, once the compiler has ended."""
        self.compiler.may_end.release()
        return self.answer(future)

    def carried(self):
        return self.observer.call(GetPayload, '/robot_dynamics/get_payload')

    def check_torque(self, loaded, text=URDF):
        """That the robot with the payload is commanded, or the one without."""
        model = parse_urdf(text)
        model = model.with_payload(LINK, MASS) if loaded else model
        command, _ = self.observer.answer_to(state(Q, V))
        torque = RobotDynamics(model).bias_torque(Q, V)
        np.testing.assert_allclose(command.data, torque, rtol=1e-12)
        assert self.carried().attached == loaded


@pytest.fixture
def caller(graph, monkeypatch):
    compiler = Compiler()
    monkeypatch.setattr(robot_factory, 'compile_elsewhere', compiler)
    with graph() as (node, observer):
        observer.description.publish(String(data=URDF))
        observer.until(lambda: node.robot_holder.current is not None, 'the robot')
        yield Caller(node, observer, compiler)
    # What still waits ends here.
    compiler.may_end.release(10)


def test_other_services_and_states_are_answered_meanwhile(caller):
    future = caller.ask_and_compile()
    caller.check_torque(loaded=False)
    matrix = caller.observer.call(GetMassMatrix, '/robot_dynamics/get_mass_matrix')
    assert matrix.success, matrix.message
    assert not future.done()
    response = caller.finish(future)
    assert response.success, response.message
    caller.check_torque(loaded=True)


def test_changes_are_made_one_after_the_other(caller):
    """Those that come meanwhile wait their turn, also where they would be quick."""
    futures = [caller.ask_and_compile(), caller.ask(0.2, 'hand'), caller.ask(0.0), caller.ask()]
    # Asked for later, and answered first.
    assert not caller.carried().attached
    assert not any(future.done() for future in futures)
    caller.finish(futures[0])
    caller.wait_for_compiler()
    caller.answer(futures[2])
    assert not futures[3].done()
    caller.finish(futures[3])
    for future, named in zip(
        futures, ('0.7 kg .*slider', '0.2 kg .*hand', 'removed', '0.7 kg .*slider'), strict=True
    ):
        assert re.search(named, future.result().message)
    caller.check_torque(loaded=True)


def test_parameters_that_change_meanwhile_count(caller):
    future = caller.ask_and_compile()
    caller.robot.set_parameters([Parameter('gravity', value=[0.0, 1.0, -9.0])])
    assert caller.finish(future).success
    model = parse_urdf(URDF).with_payload(LINK, MASS)
    torque = RobotDynamics(model, gravity=(0.0, 1.0, -9.0)).bias_torque(Q, V)
    command, _ = caller.observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, torque, rtol=1e-12)


def test_a_node_that_is_deactivated_meanwhile_has_the_payload_afterwards(caller):
    caller.check_torque(loaded=False)
    future = caller.ask_and_compile()
    caller.robot.trigger_deactivate()
    response = caller.finish(future)
    assert 'no torque' in response.message
    caller.robot.trigger_activate()
    caller.check_torque(loaded=True)


@pytest.mark.parametrize('transition', ['cleanup', 'shutdown'])
def test_a_node_that_is_cleaned_up_meanwhile_refuses(caller, transition, capfd):
    node = caller.robot
    future = caller.ask_and_compile()
    node.trigger_deactivate()
    getattr(node, f'trigger_{transition}')()
    response = caller.finish(future)
    assert (response.success, 'not configured' in response.message) == (False, True)
    assert 'set_payload refused, the payload' in capfd.readouterr().err
    if transition == 'cleanup':
        node.trigger_configure()
        node.trigger_activate()
        caller.check_torque(loaded=False)


def test_a_robot_that_is_configured_again_meanwhile_is_another_one(caller):
    """It may have another armature."""
    node = caller.robot
    future = caller.ask_and_compile()
    node.trigger_deactivate()
    node.trigger_cleanup()
    node.set_parameters([Parameter('armature', value=[0.3, 2.0, 0.1])])
    node.trigger_configure()
    node.trigger_activate()
    response = caller.finish(future)
    assert (response.success, 'call set_payload again' in response.message) == (False, True)
    armature = np.diag(node.robot_holder.require().dynamics.mass_matrix(Q))
    bare = np.diag(RobotDynamics(parse_urdf(URDF)).mass_matrix(Q))
    np.testing.assert_allclose(armature - bare, [0.3, 2.0, 0.1], rtol=1e-12)
    caller.check_torque(loaded=False)


def test_a_description_that_comes_meanwhile_is_kept(caller):
    future = caller.ask_and_compile()
    caller.observer.description.publish(String(data=HEAVIER))
    caller.wait_for_compiler()
    # Either may end first: the one that ends later sees the other.
    caller.compiler.may_end.release(10)
    response = caller.answer(future)
    counters = caller.robot.topic_counters['robot_description']
    caller.observer.until(lambda: counters.used == 2, 'the description')
    if not response.success:
        assert 'call set_payload again' in response.message
    caller.check_torque(loaded=response.success, text=HEAVIER)


def test_a_description_is_compiled_again_for_a_robot_that_is_configured_again(caller):
    node = caller.robot
    caller.observer.description.publish(String(data=HEAVIER))
    caller.wait_for_compiler()
    node.trigger_deactivate()
    node.trigger_cleanup()
    node.set_parameters([Parameter('armature', value=[0.3, 2.0, 0.1])])
    node.trigger_configure()
    caller.compiler.may_end.release(10)
    counters = node.topic_counters['robot_description']
    caller.observer.until(lambda: counters.used == 2, 'the description')
    matrix = node.robot_holder.require().dynamics.mass_matrix(Q)
    bare = RobotDynamics(parse_urdf(HEAVIER)).mass_matrix(Q)
    np.testing.assert_allclose(matrix - bare, np.diag([0.3, 2.0, 0.1]), atol=1e-12)


def test_a_client_that_goes_away_leaves_the_payload(caller, capfd):
    caller.ask_and_compile()
    caller.observer.node.destroy_client(caller.client)
    caller.compiler.may_end.release()
    caller.observer.until(lambda: caller.carried().attached, 'the payload')
    caller.check_torque(loaded=True)
    assert 'failed' not in capfd.readouterr().err


def test_what_the_compiler_refuses_is_said_and_the_next_request_is_answered(caller):
    for refusal, said in (
        (CompilerProcessError('it cannot be started'), 'it cannot be started'),
        (ValueError('no such thing'), 'ValueError: no such thing'),
    ):
        caller.compiler.refusal = refusal
        response = caller.finish(caller.ask_and_compile())
        assert (response.success, response.message) == (False, said)
    caller.check_torque(loaded=False)
    caller.compiler.refusal = None
    assert caller.finish(caller.ask_and_compile()).success
    caller.check_torque(loaded=True)


def test_a_node_may_be_destroyed_meanwhile(graph, monkeypatch, capfd):
    compiler = Compiler()
    monkeypatch.setattr(robot_factory, 'compile_elsewhere', compiler)
    of_others = set(threading.enumerate())
    with graph(robot_description=URDF) as (node, observer):
        Caller(node, observer, compiler).ask_and_compile()
        started = set(threading.enumerate()) - of_others
    compiler.may_end.release()
    assert started
    for thread in started:
        thread.join(LONGEST)
        assert not thread.is_alive()
    assert 'Traceback' not in capfd.readouterr().err
