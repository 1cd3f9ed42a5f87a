"""What changes while the robot is commanded: through a fade, and without a lost cycle."""

import math
import sys

import numpy as np
import pytest
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from std_msgs.msg import String
from three_joints import URDF

from robot_dynamics_interfaces.srv import GetPayload, SetGravity, SetPayload
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.ros.parameters.node_table import TABLE
from robot_dynamics_ros.ros.process import SWITCH_INTERVAL

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2
# The usual queue bridges 20 ms at 500 Hz. Beside other tests this process, in which node, driver
# and observer share one interpreter, may be slower than the driver for seconds: all states wait.
PATIENT = {
    'state_timeout': 60.0,
    'qos_overrides./joint_states.subscription.depth': 4000,
    'qos_overrides./joint_states.subscription.reliability': 'reliable',
}
HEAVIER = URDF.replace('<mass value="1.5"/>', '<mass value="3"/>')


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
    counters = scene.node.topic_counters['joint_states']
    scene.observer.until(lambda: counters.used >= scene.driver.sent, 'the last state')
    assert (counters.used, counters.rejected) == (scene.driver.sent, 0)


def test_another_description_at_500_hz_loses_no_cycle(guarded, dynamics, switching):
    """It is compiled and checked beside the old one."""
    heavier = RobotDynamics(parse_urdf(HEAVIER)).bias_torque(Q, V)
    with guarded(robot_description='', fade_time=FADE, **PATIENT) as scene:
        counters = scene.node.topic_counters['robot_description']
        scene.driver.pause()
        scene.observer.description.publish(String(data=URDF))
        scene.observer.until(lambda: counters.used == 1, 'the description')
        scene.driver.period, scene.driver.sent = 0.002, 0
        scene.node.topic_counters['joint_states'].used = 0
        scene.driver.resume()
        scene.settle(dynamics.bias_torque(Q, V))
        scene.observer.description.publish(String(data=HEAVIER))
        scene.settle(heavier)
        scene.observer.description.publish(String(data='<robot/>'))
        scene.observer.until(lambda: counters.rejected == 1, 'refusal')
        assert 'the current robot is kept' in counters.last_reason
        scene.wait_for_states(20)
        np.testing.assert_allclose(scene.recording.last, heavier, rtol=1e-12)
        check_every_state_taken(scene)


def refuse_to_trace(*arguments):
    raise AssertionError('a program is traced in the process of the node')


def test_a_description_and_payloads_at_1_khz_compile_nothing_here(
    guarded, dynamics, switching, monkeypatch
):
    """The one is compiled in another process, the others are inputs of what is compiled."""
    with guarded(robot_description='', fade_time=FADE, **PATIENT) as scene:
        descriptions = scene.node.topic_counters['robot_description']
        scene.driver.pause()
        scene.observer.description.publish(String(data=URDF))
        scene.observer.until(lambda: descriptions.used == 1, 'the description')
        scene.driver.period, scene.driver.sent = 0.001, 0
        scene.node.topic_counters['joint_states'].used = 0
        scene.driver.resume()
        scene.settle(dynamics.bias_torque(Q, V))
        monkeypatch.setattr('robot_dynamics_ros.core.quantities.trace', refuse_to_trace)
        for mass in (1.2, 0.4, 0.0):
            response = scene.observer.call(
                SetPayload, '/robot_dynamics/set_payload', frame='hand', inertia=Inertia(m=mass)
            )
            assert response.success, response.message
        scene.observer.description.publish(String(data=HEAVIER))
        scene.observer.until(lambda: descriptions.used == 2, 'the other description')
        monkeypatch.undo()
        scene.settle(RobotDynamics(parse_urdf(HEAVIER)).bias_torque(Q, V))
        check_every_state_taken(scene)


def test_of_several_descriptions_at_once_the_last_one_is_used(guarded, dynamics):
    with guarded(robot_description='', fade_time=FADE, **PATIENT) as scene:
        scene.observer.description.publish(String(data=URDF))
        scene.settle(dynamics.bias_torque(Q, V))
        lighter = URDF.replace('<mass value="1.5"/>', '<mass value="1"/>')
        for text in (HEAVIER, lighter):
            scene.observer.description.publish(String(data=text))
        scene.settle(RobotDynamics(parse_urdf(lighter)).bias_torque(Q, V))
        assert scene.node.robot_holder.require().compiled.text == lighter
        assert scene.node.topic_counters['robot_description'].rejected == 0


def test_a_payload_on_another_link_is_compiled_and_leaves_no_trace(guarded, dynamics):
    with guarded(fade_time=FADE, **PATIENT) as scene:

        def carry(frame, mass):
            response = scene.observer.call(
                SetPayload, '/robot_dynamics/set_payload', frame=frame, inertia=Inertia(m=mass)
            )
            assert response.success, response.message

        scene.settle(dynamics.bias_torque(Q, V))
        scene.wait_for_states()
        before = scene.recording.last.tobytes()
        for frame in ('slider', 'hand', 'slider'):
            carry(frame, 0.7)
            loaded = parse_urdf(URDF).with_payload(frame, 0.7)
            scene.settle(RobotDynamics(loaded).bias_torque(Q, V))
        carry('slider', 0.0)
        scene.observer.until(lambda: scene.recording.last.tobytes() == before, 'the same bits')


def test_live_parameters_at_500_hz_lose_no_cycle(guarded, dynamics, switching):
    """Each is set to the value that it has."""
    with guarded(fade_time=FADE, **PATIENT) as scene:
        scene.driver.period = 0.002
        scene.settle(dynamics.bias_torque(Q, V))
        for row in TABLE.rows.values():
            if row.live:
                value = scene.node.get_parameter(row.name).value
                # An empty list does not tell of what.
                scene.set(**{row.name: [] if value is None else value})
                scene.wait_for_states(2)
        np.testing.assert_allclose(scene.recording.last, dynamics.bias_torque(Q, V), rtol=1e-12)
        check_every_state_taken(scene)


def test_a_payload_is_added_and_removed_exactly(guarded, dynamics):
    com, tensor = (0.01, 0.02, 0.1), ((0.01, 0.0, 0.0), (0.0, 0.012, 0.0), (0.0, 0.0, 0.008))
    payload = Payload('payload', 'hand', 1.2, com, tensor)
    loaded = RobotDynamics(parse_urdf(URDF).with_checked_payload(payload)).bias_torque(Q, V)
    inertia = Inertia(m=1.2, com=Vector3(x=0.01, y=0.02, z=0.1), ixx=0.01, iyy=0.012, izz=0.008)
    with guarded(fade_time=FADE) as scene:

        def carry(**fields):
            response = scene.observer.call(SetPayload, '/robot_dynamics/set_payload', **fields)
            return response.success, response.message

        def carried():
            return scene.observer.call(GetPayload, '/robot_dynamics/get_payload')

        scene.settle(dynamics.bias_torque(Q, V))
        scene.wait_for_states()
        before = scene.recording.last.tobytes()
        assert not carried().attached
        assert carry(frame='hand', inertia=inertia)[0]
        assert carried().attached
        assert (carried().frame, carried().inertia) == ('hand', inertia)
        scene.settle(loaded)
        success, message = carry(frame='nowhere', inertia=inertia)
        assert (success, 'nowhere' in message) == (False, True)
        scene.wait_for_states()
        np.testing.assert_allclose(scene.recording.last, loaded, rtol=1e-12)
        assert carry(transition_time=0.1)[0]
        scene.settle(dynamics.bias_torque(Q, V))
        scene.observer.until(lambda: scene.recording.last.tobytes() == before, 'the same bits')
        assert not carried().attached


def nowhere(message):
    message.position[1] = math.nan


def test_a_payload_above_the_effort_limits_is_refused(guarded, dynamics):
    """Grams for kilograms; one that asks for less than the present one is welcome."""
    with guarded(fade_time=FADE) as scene:

        def carry(mass, **values):
            scene.set(**values)
            inertia = Inertia(m=mass)
            response = scene.observer.call(
                SetPayload, '/robot_dynamics/set_payload', frame='hand', inertia=inertia
            )
            return response.message

        scene.settle(dynamics.bias_torque(Q, V))
        assert 'of slide at the present position, its effort limit is 200' in carry(1200.0)
        assert 'check that the mass is in kg' in carry(1200.0)
        # The scale is for commands, the driver's gravity its own affair.
        assert 'attached' in carry(0.1, effort_scale=0.01)
        assert 'check that the mass is in kg' in carry(1200.0, effort_scale=1.0)
        assert 'attached' in carry(1200.0, terms=['coriolis'])
        assert 'attached' in carry(1100.0, terms=['gravity'])
        assert 'check that the mass is in kg' in carry(1101.0)
        # Whatever the latest state was.
        scene.driver.change = nowhere
        scene.wait_for_states()
        assert 'check that the mass is in kg' in carry(1101.0)


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
            assert 'tf2 is not installed' in response.message
        scene.wait_for_states()
        lunar = dynamics.with_gravity((0.0, 0.0, 1.62)).bias_torque(Q, V)
        np.testing.assert_allclose(scene.recording.last, lunar, rtol=1e-12)
