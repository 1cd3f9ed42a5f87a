"""Changes that are refused or questioned: what the log, the answer and diagnostics say."""

import re

import pytest
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from guard_scene import figures
from std_srvs.srv import SetBool
from three_joints import URDF

from robot_dynamics_interfaces.srv import SetGravity, SetPayload

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def test_a_refused_payload_is_said_and_nothing_else(guarded, dynamics, capfd):
    """Only of what is used the log says that it was compiled and compared."""
    told = ('compiled in', 'Pinocchio agrees', 'torques of turn')
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))

        def carry(mass, frame='hand'):
            inertia, name = Inertia(m=mass), '/robot_dynamics/set_payload'
            response = scene.observer.call(SetPayload, name, frame=frame, inertia=inertia)
            return response.success

        said = capfd.readouterr().err
        assert all(said.count(text) == 1 for text in told), said
        assert not carry(1200.0)
        assert not carry(1.0, 'foot')
        said = capfd.readouterr().err
        assert not any(text in said for text in told), said
        assert re.search('set_payload refused, .*payload needs', said)
        assert re.search("set_payload refused, .*unknown frame 'foot'", said)
        assert carry(1.0)
        assert re.search('1 kg .* hand, fading .*0.2 s', capfd.readouterr().err)


def test_a_fade_is_said_only_where_torque_is_commanded(graph, capfd):
    """Before the first joint state nothing is commanded, and nothing fades."""
    with graph(robot_description=URDF) as (node, observer):
        inertia = Inertia(m=1.0)
        name = '/robot_dynamics/set_payload'
        message = observer.call(SetPayload, name, frame='hand', inertia=inertia).message
        assert re.search('1 kg .* hand, no torque', message)
        message = observer.call(SetBool, '/robot_dynamics/enable', data=False).message
        assert 'none was commanded' in message
        node.trigger_deactivate()
    assert 'fading' not in capfd.readouterr().err


def test_findings_of_the_audit_are_in_log_and_diagnostics(guarded, capfd):
    flat = URDF.replace('ixx="0.05" iyy="0.06" izz="0.055"', 'ixx="0.05" iyy="0.06" izz="0.5"')
    finding = 'triangle inequality'
    with guarded(robot_description=flat) as scene:
        values = figures(scene.status('model', 'commanding'))
        assert finding in values['audit 1 (error)']
    assert finding in capfd.readouterr().err


def test_friction_is_a_finding_where_the_terms_leave_it_out(guarded):
    """The advice is that for a node."""
    rubbing = URDF.replace('<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><dynamics damping="0.4"/>')
    with guarded(robot_description=rubbing) as scene:
        values = figures(scene.status('model', 'commanding'))
        assert 'add friction to' in values['audit 1 (info)']
        scene.set(terms=['gravity', 'friction'])
        scene.observer.until(
            lambda: 'audit 1 (info)' not in figures(scene.status('model', '')), 'no finding'
        )


@pytest.mark.parametrize(
    ('inertia', 'unit'),
    [(Inertia(m=7.0), 'kg'), (Inertia(m=1.0, com=Vector3(x=20.0)), 'com is in m')],
)
def test_a_payload_in_wrong_units_is_questioned(graph, inertia, unit):
    """Also where the driver adds gravity, so that no joint is overloaded."""
    with graph(robot_description=URDF, terms=['coriolis']) as (_, observer):
        name = '/robot_dynamics/set_payload'
        response = observer.call(SetPayload, name, frame='hand', inertia=inertia)
        assert response.success
        assert re.search(f"'payload': .*{unit}", response.message)


def test_gravity_of_no_place_on_earth_is_refused_without_allow_any(graph):
    """An empty service call asks for zero, and the arm would sink."""
    with graph(robot_description=URDF) as (node, observer):

        def ask(x, z, **fields):
            gravity = Vector3Stamped(vector=Vector3(x=x, z=z))
            name = '/robot_dynamics/set_gravity'
            return observer.call(SetGravity, name, gravity=gravity, **fields)

        for size in (0.0, 1.62, 9.69, 9.91, 98.1):
            before = node.get_parameter('gravity').value
            refused = ask(0.6 * size, -0.8 * size)
            assert not refused.success
            assert 'allow_any' in refused.message
            assert node.get_parameter('gravity').value == before
            assert ask(0.6 * size, -0.8 * size, allow_any=True).success
            assert node.get_parameter('gravity').value == [0.6 * size, 0.0, -0.8 * size]
        # A tilted base, as an accelerometer measures it.
        for x, z in ((6.936, -6.936), (9.764, 0.0), (0.0, -9.834)):
            assert ask(x, z).success
        # cm/s^2: allow_any does not allow it, and the answer does not say so.
        refused = ask(0.0, -981.0, allow_any=True)
        assert not refused.success
        assert 'set allow_any' not in refused.message
