"""An error of the package itself is logged with its traceback, a mistake of a user without."""

from three_joints import URDF, state

from robot_dynamics_interfaces.srv import GetMassMatrix
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros.robot.commanded_robot import CommandedRobot
from robot_dynamics_ros.ros.robot.robot_factory import RobotFactory

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def fail_on_purpose(*arguments, **named):
    raise RuntimeError('on purpose')


def test_in_a_service(graph, monkeypatch, capfd):
    with graph(robot_description=URDF) as (_, observer):
        monkeypatch.setattr(RobotDynamics, 'mass_matrix', fail_on_purpose)
        assert 'on purpose' in observer.refusal(
            GetMassMatrix, 'get_mass_matrix', state=state(Q, V)
        )
    logged = capfd.readouterr().err
    assert 'service ~/get_mass_matrix failed:\nTraceback' in logged
    assert 'in fail_on_purpose' in logged


def test_in_the_answer_to_a_state(graph, monkeypatch, capfd):
    with graph(robot_description=URDF) as (node, observer):
        monkeypatch.setattr(CommandedRobot, 'answer', fail_on_purpose)
        observer.states.publish(state(Q, V))
        observer.until(lambda: node.topic_counters['joint_states'].rejected, 'the refusal')
    logged = capfd.readouterr().err
    assert 'a joint state was not answered:\nTraceback' in logged
    assert 'in fail_on_purpose' in logged


def test_on_configure(graph, monkeypatch, capfd):
    monkeypatch.setattr(RobotFactory, 'from_description', fail_on_purpose)
    with graph(robot_description=URDF) as (node, _):
        assert node.robot_holder.refusal == 'RuntimeError: on purpose'
    logged = capfd.readouterr().err
    assert 'not configured:\nTraceback' in logged
    assert 'in fail_on_purpose' in logged


def test_not_for_what_a_user_did(graph, capfd):
    with graph(robot_description='robot') as (_, observer):
        observer.refusal(GetMassMatrix, 'get_mass_matrix', state=state(Q, V))
    with graph(robot_description=URDF) as (node, observer):
        observer.refusal(GetMassMatrix, 'get_mass_matrix', state=state([1.0], names=['turn']))
        observer.states.publish(state([1.0, 2.0], names=['turn', 'turn']))
        observer.until(lambda: node.topic_counters['joint_states'].rejected, 'the refusal')
    assert 'Traceback' not in capfd.readouterr().err
