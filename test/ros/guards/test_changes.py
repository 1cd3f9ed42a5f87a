"""What changes while the robot is commanded: through a fade, and without a lost cycle."""

import re
import sys

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from guard_scene import figures
from std_msgs.msg import String
from std_srvs.srv import SetBool
from three_joints import HEAVIER, URDF

from robot_dynamics_interfaces.srv import GetPayload, SetGravity, SetPayload
from robot_dynamics_ros.control import guarded_feedforward
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.ros.parameter_table import TABLE
from robot_dynamics_ros.ros.process import SWITCH_INTERVAL

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


@pytest.fixture
def switching():
    """Threads take turns as in the process of the node."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    yield
    sys.setswitchinterval(before)


def check_every_state_taken(scene):
    """Of the driver's, once it has paused."""
    scene.driver.pause()
    scene.until_taken()
    status = figures(scene.status('joint_states', ''))
    assert (status['used'], status['rejected']) == (str(scene.driver.sent), '0')


def carry(scene, mass, frame='hand'):
    """The answer to a payload that is set under torque."""
    load = {'frame': frame, 'inertia': Inertia(m=mass)}
    return scene.observer.call(SetPayload, '/robot_dynamics/set_payload', **load)


@pytest.mark.parametrize('text', [HEAVIER, '<robot/>'], ids=['heavier', 'broken'])
def test_a_new_description_changes_nothing_until_it_is_configured(guarded, dynamics, capfd, text):
    torque, remedy = dynamics.bias_torque(Q, V), 'deactivate, clean up'
    with guarded(robot_description='', fade_time=FADE) as scene:
        scene.observer.description.publish(String(data=URDF))
        scene.settle(torque)
        assert carry(scene, 1.2).success
        loaded = RobotDynamics(dynamics.model.with_payload('hand', 1.2)).bias_torque(Q, V)
        scene.settle(loaded)
        scene.observer.description.publish(String(data=text))
        scene.status('robot_description', remedy)
        scene.observer.description.publish(String(data=' '))
        scene.observer.until(
            lambda: figures(scene.status('robot_description', ''))['rejected'] == '1', 'refusal'
        )
        np.testing.assert_allclose(scene.next_commands(), [loaded] * 5, rtol=1e-12)
        scene.observer.description.publish(String(data=text))
        assert scene.status('robot_description', remedy).level == DiagnosticStatus.WARN
        assert remedy in capfd.readouterr().err
        for transition in ('deactivate', 'cleanup', 'configure'):
            getattr(scene.node, f'trigger_{transition}')()
        if text == HEAVIER:
            scene.node.trigger_activate()
            scene.settle(RobotDynamics(parse_urdf(HEAVIER)).bias_torque(Q, V))
            scene.status('robot_description', '0 rejected')
        else:
            scene.status('model', 'not configured')


def test_nothing_but_enable_ends_a_fault(guarded, dynamics, monkeypatch):
    """As of states that stay away for longer than the node holds an arm that nobody sees."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE, state_timeout=0.1) as scene:
        scene.settle(torque)
        scene.driver.pause()
        with monkeypatch.context() as soon:
            soon.setattr(guarded_feedforward, 'LONGEST_STALE', 0.5)
            scene.status('model', 'stopped until')
        for transition in ('deactivate', 'cleanup', 'configure', 'activate'):
            getattr(scene.node, f'trigger_{transition}')()
        scene.driver.resume()
        scene.status('model', 'stopped until')
        scene.until_silent()
        assert scene.observer.call(SetBool, '/robot_dynamics/enable', data=True).success
        scene.settle(torque)


def refuse_to_trace(*arguments):
    raise AssertionError('a program is traced')


def test_payloads_at_1_khz_compile_nothing_and_lose_no_cycle(
    guarded, dynamics, switching, monkeypatch
):
    """They are inputs of what is compiled."""
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.period = 0.001
        monkeypatch.setattr('robot_dynamics_ros.core.quantity.trace', refuse_to_trace)
        for mass in (1.2, 0.4, 0.0):
            response = carry(scene, mass)
            assert response.success, response.message
        scene.settle(dynamics.bias_torque(Q, V))
        check_every_state_taken(scene)


def test_a_payload_on_another_body_than_that_of_payload_frame_is_refused(guarded, dynamics):
    """Also the links that are fixed to it take one; another one is named on configure."""
    fixed = '<link name="tool"/><joint name="mount" type="fixed"><parent link="hand"/>'
    tooled = URDF.replace('</robot>', f'{fixed}<child link="tool"/></joint></robot>')
    with guarded(robot_description=tooled, fade_time=FADE) as scene:
        torque = dynamics.bias_torque(Q, V)
        scene.settle(torque)
        refused = carry(scene, 0.7, 'slider')
        assert not refused.success
        for named in ("'slider'", 'hand, tool', 'payload_frame: slider'):
            assert named in refused.message
        assert 'fixed to' in carry(scene, 0.7, 'base').message
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        assert not scene.observer.call(GetPayload, '/robot_dynamics/get_payload').attached
        loaded = {
            frame: RobotDynamics(parse_urdf(tooled).with_payload(frame, 0.7)).bias_torque(Q, V)
            for frame in ('tool', 'slider')
        }
        assert carry(scene, 0.7, 'tool').success
        scene.settle(loaded['tool'])
        for transition in ('deactivate', 'cleanup'):
            getattr(scene.node, f'trigger_{transition}')()
        scene.set(payload_frame='slider')
        for transition in ('configure', 'activate'):
            getattr(scene.node, f'trigger_{transition}')()
        scene.settle(torque)
        assert carry(scene, 0.7, 'slider').success
        scene.settle(loaded['slider'])


def test_live_parameters_at_500_hz_lose_no_cycle(guarded, dynamics, switching):
    """Each is set to the value that it has."""
    with guarded(fade_time=FADE) as scene:
        scene.driver.period = 0.002
        scene.settle(dynamics.bias_torque(Q, V))
        for row in TABLE.rows.values():
            if row.live:
                value = scene.node.get_parameter(row.name).value
                # An empty list does not tell of what.
                scene.set(**{row.name: [] if value is None else value})
                scene.next_commands(2)
        np.testing.assert_allclose(scene.recording.last, dynamics.bias_torque(Q, V), rtol=1e-12)
        check_every_state_taken(scene)


def test_a_payload_is_added_and_removed_exactly(guarded, dynamics):
    com, tensor = (0.01, 0.02, 0.1), ((0.01, 0.0, 0.0), (0.0, 0.012, 0.0), (0.0, 0.0, 0.008))
    payload = Payload('payload', 'hand', 1.2, com, tensor)
    loaded = RobotDynamics(parse_urdf(URDF).with_checked_payload(payload)).bias_torque(Q, V)
    inertia = Inertia(m=1.2, com=Vector3(x=0.01, y=0.02, z=0.1), ixx=0.01, iyy=0.012, izz=0.008)
    with guarded(fade_time=FADE) as scene:

        def ask(**fields):
            response = scene.observer.call(SetPayload, '/robot_dynamics/set_payload', **fields)
            return response.success, response.message

        def carried():
            return scene.observer.call(GetPayload, '/robot_dynamics/get_payload')

        scene.settle(dynamics.bias_torque(Q, V))
        before = scene.next_commands()[-1].tobytes()
        assert not carried().attached
        assert ask(frame='hand', inertia=inertia)[0]
        assert carried().attached
        assert (carried().frame, carried().inertia) == ('hand', inertia)
        scene.settle(loaded)
        success, message = ask(frame='nowhere', inertia=inertia)
        assert (success, 'nowhere' in message) == (False, True)
        np.testing.assert_allclose(scene.next_commands(), [loaded] * 5, rtol=1e-12)
        assert ask(transition_time=0.1)[0]
        scene.settle(dynamics.bias_torque(Q, V))
        scene.observer.until(lambda: scene.recording.last.tobytes() == before, 'the same bits')
        assert not carried().attached


def test_a_payload_above_the_effort_limits_is_refused(guarded, dynamics):
    """Grams for kilograms; one that asks for less than the present one is welcome."""
    with guarded(fade_time=FADE) as scene:

        def answer(mass, **values):
            scene.set(**values)
            return carry(scene, mass).message

        scene.settle(dynamics.bias_torque(Q, V))
        assert re.search('payload needs .* of slide .* limit is 200', answer(1200.0))
        assert 'attached' in answer(1200.0, terms=['coriolis'])
        assert 'attached' in answer(1100.0, terms=['gravity'])
        assert 'payload needs' in answer(1101.0)


def test_gravity_in_the_root_link_and_in_no_frame(guarded, dynamics):
    with guarded(fade_time=FADE) as scene:

        def pull(frame, x, y, z):
            gravity = Vector3Stamped(vector=Vector3(x=x, y=y, z=z))
            gravity.header.frame_id = frame
            return scene.observer.call(
                SetGravity, '/robot_dynamics/set_gravity', gravity=gravity, allow_any=True
            )

        scene.settle(dynamics.bias_torque(Q, V))
        for frame, g in (('base', (9.81, 0.0, 0.0)), ('', (0.0, 0.0, 1.62))):
            assert pull(frame, *g).success
            assert scene.node.get_parameter('gravity').value == list(g)
            scene.settle(dynamics.with_gravity(g).bias_torque(Q, V))
        response = pull('base', float('nan'), 0.0, 0.0)
        assert not response.success
        assert 'nan' in response.message
        response = pull('ceiling', 0.0, 0.0, -9.81)
        assert not response.success
        assert "'ceiling'" in response.message
        try:
            import tf2_py  # noqa: F401
        except ImportError:
            assert 'tf2' in response.message
        lunar = dynamics.with_gravity((0.0, 0.0, 1.62)).bias_torque(Q, V)
        np.testing.assert_allclose(scene.next_commands(), [lunar] * 5, rtol=1e-12)
