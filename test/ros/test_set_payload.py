"""`~/set_payload` and `~/get_payload`, and live parameters, while torque is commanded."""

import sys

import numpy as np
import pytest
from geometry_msgs.msg import Inertia, Vector3
from std_srvs.srv import SetBool
from three_joints import URDF

from robot_dynamics_interfaces.srv import GetPayload, SetPayload
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.ros.parameter_table import TABLE
from robot_dynamics_ros.ros.process import SWITCH_INTERVAL

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


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
    values = scene.figures('joint_states')
    assert (values['used'], values['rejected']) == (str(scene.driver.sent), '0')


def carry(scene, mass, frame='hand'):
    return scene.call(SetPayload, 'set_payload', frame=frame, inertia=Inertia(m=mass))


def refuse_to_trace(*arguments):
    raise AssertionError('a program is traced')


def test_payloads_at_1_khz_compile_nothing_and_lose_no_cycle(
    guarded, dynamics, switching, monkeypatch
):
    """They are inputs of what is compiled."""
    with guarded() as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.period = 0.001
        monkeypatch.setattr('robot_dynamics_ros.core.quantity.trace', refuse_to_trace)
        for mass in (1.2, 0.4, 0.0):
            assert carry(scene, mass).success
        scene.settle(dynamics.bias_torque(Q, V))
        check_every_state_taken(scene)


def test_live_parameters_at_500_hz_lose_no_cycle(guarded, dynamics, switching):
    """Each is set to the value that it has."""
    with guarded() as scene:
        scene.driver.period = 0.002
        scene.settle(dynamics.bias_torque(Q, V))
        for row in TABLE.rows.values():
            if row.live:
                value = scene.node.get_parameter(row.name).value
                # An empty list does not tell of what.
                scene.set(**{row.name: [] if value is None else value})
        scene.next_commands(20)
        np.testing.assert_allclose(scene.recording.last, dynamics.bias_torque(Q, V), rtol=1e-12)
        check_every_state_taken(scene)


def test_a_payload_on_another_body_than_that_of_payload_frame_is_refused(guarded, dynamics):
    """Also the links that are fixed to it take one; another one is named on configure."""
    fixed = '<link name="tool"/><joint name="mount" type="fixed"><parent link="hand"/>'
    tooled = URDF.replace('</robot>', f'{fixed}<child link="tool"/></joint></robot>')
    with guarded(robot_description=tooled) as scene:
        torque = dynamics.bias_torque(Q, V)
        scene.settle(torque)
        refused = carry(scene, 0.7, 'slider')
        assert not refused.success
        for named in ("'slider'", 'hand, tool', 'payload_frame: slider'):
            assert named in refused.message
        for frame in ('base', 'nowhere'):
            assert not carry(scene, 0.7, frame).success
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        loaded = {
            frame: RobotDynamics(parse_urdf(tooled).with_payload(frame, 0.7)).bias_torque(Q, V)
            for frame in ('tool', 'slider')
        }
        assert carry(scene, 0.7, 'tool').success
        scene.settle(loaded['tool'])
        scene.trigger('deactivate', 'cleanup')
        scene.set(payload_frame='slider')
        scene.trigger('configure', 'activate')
        scene.settle(torque)
        assert carry(scene, 0.7, 'slider').success
        scene.settle(loaded['slider'])


def test_a_payload_is_added_and_removed_exactly(guarded, dynamics):
    com, tensor = (0.01, 0.02, 0.1), ((0.01, 0.0, 0.0), (0.0, 0.012, 0.0), (0.0, 0.0, 0.008))
    payload = Payload('payload', 'hand', 1.2, com, tensor)
    loaded = RobotDynamics(parse_urdf(URDF).with_checked_payload(payload)).bias_torque(Q, V)
    inertia = Inertia(m=1.2, com=Vector3(x=0.01, y=0.02, z=0.1), ixx=0.01, iyy=0.012, izz=0.008)
    with guarded() as scene:

        def carried():
            return scene.call(GetPayload, 'get_payload')

        scene.settle(dynamics.bias_torque(Q, V))
        before = scene.next_commands()[-1].tobytes()
        assert not carried().attached
        assert scene.call(SetPayload, 'set_payload', frame='hand', inertia=inertia).success
        assert carried().attached
        assert (carried().frame, carried().inertia) == ('hand', inertia)
        scene.settle(loaded)
        assert scene.call(SetPayload, 'set_payload', transition_time=0.1).success
        scene.settle(dynamics.bias_torque(Q, V))
        scene.until(lambda: scene.recording.last.tobytes() == before, 'the same bits')
        assert not carried().attached


def test_a_payload_above_the_effort_limits_is_refused(guarded, dynamics):
    """Grams for kilograms; one that asks for less than the present one is welcome."""
    with guarded() as scene:

        def carries(mass, **values):
            scene.set(**values)
            return carry(scene, mass).success

        scene.settle(dynamics.bias_torque(Q, V))
        refused = carry(scene, 1200.0)
        assert not refused.success
        assert 'of slide' in refused.message
        assert carries(1200.0, terms=['coriolis'])
        assert carries(1100.0, terms=['gravity'])
        assert not carries(1101.0)


def test_a_fade_is_said_only_where_torque_is_commanded(graph):
    """Before the first joint state nothing is commanded, and nothing fades."""
    with graph(robot_description=URDF) as (node, observer):
        messages = [
            observer.call(SetPayload, 'set_payload', frame='hand', inertia=Inertia(m=1.0)).message,
            observer.call(SetBool, 'enable', data=False).message,
        ]
        node.trigger_deactivate()
        assert not observer.lines('fading')
    assert not any('fading' in message for message in messages)


@pytest.mark.parametrize(
    ('inertia', 'unit'),
    [(Inertia(m=7.0), 'kg'), (Inertia(m=1.0, com=Vector3(x=20.0)), 'com is in m')],
)
def test_a_payload_in_wrong_units_is_questioned(shared, inertia, unit):
    """Also where nothing is overloaded, as no state has come."""
    try:
        response = shared().call(SetPayload, 'set_payload', frame='hand', inertia=inertia)
        assert response.success
        assert unit in response.message
    finally:
        assert shared().call(SetPayload, 'set_payload').success
