"""Descriptions at the edge: no inertial, no mass, fixed masses, very deep trees."""

from __future__ import annotations

import numpy as np
import pytest
from mechanics.closeness import assert_close

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

pytestmark = pytest.mark.contract

pytest.importorskip('pinocchio')

INERTIAL = (
    '<inertial><origin xyz="{} {} {}" rpy="0.3 -0.2 0.5"/><mass value="{}"/>'
    '<inertia ixx="0.003" iyy="0.004" izz="0.005" ixy="0.0002" ixz="0.0001" iyz="-0.0003"/>'
    '</inertial>'
)
AXES = ('0 0 1', '0 1 0', '1 0 0', '0 0.6 0.8')


def inertial(random):
    return INERTIAL.format(*random.uniform(-0.05, 0.05, 3).tolist(), random.uniform(0.1, 1.0))


def joint(number, parent, kind='continuous', axis='0 0 1', more='<origin xyz="0.02 0 0.1"/>'):
    limit = '<limit lower="-2" upper="2" effort="9" velocity="2"/>'
    return (
        f'<joint name="j{number}" type="{kind}"><parent link="l{parent}"/>'
        f'<child link="l{number}"/><axis xyz="{axis}"/>{more}{limit}</joint>'
    )


def chain(length):
    random = np.random.default_rng(4)
    parts = ['<link name="l0"/>']
    for number in range(1, length + 1):
        parts.append(f'<link name="l{number}">{inertial(random)}</link>')
        rpy = ' '.join(map(repr, random.uniform(-1.0, 1.0, 3).tolist()))
        origin = f'<origin xyz="0.02 0 0.05" rpy="{rpy}"/>'
        kind = 'prismatic' if number % 7 == 0 else 'revolute'
        parts.append(joint(number, number - 1, kind, AXES[number % 4], origin))
    return f'<robot name="chain">{"".join(parts)}</robot>'


def hand_and_arm(arm=10, fingers=10, phalanges=5):
    """An arm with a hand: 60 joints."""
    random = np.random.default_rng(8)
    parts = ['<link name="l0"/>']
    number = 0

    def add(parent):
        nonlocal number
        number += 1
        parts.append(f'<link name="l{number}">{inertial(random)}</link>')
        xyz = ' '.join(map(repr, random.uniform(-0.1, 0.1, 3).tolist()))
        origin = f'<origin xyz="{xyz}" rpy="0 {number % 3} 0.5"/>'
        parts.append(joint(number, parent, 'revolute', AXES[number % 4], origin))
        return number

    wrist = 0
    for _ in range(arm):
        wrist = add(wrist)
    for _ in range(fingers):
        tip = wrist
        for _ in range(phalanges):
            tip = add(tip)
    return f'<robot name="hand">{"".join(parts)}</robot>'


def agrees(text, dynamics_of=RobotDynamics):
    model = parse_urdf(text)
    report = PinocchioReference(text, model).compare(dynamics_of(model), tolerance=1e-12)
    assert report.agrees, str(report)
    return model


def two_links(first, second, base='', kind='continuous'):
    return (
        f'<robot name="two"><link name="l0">{base}</link><link name="l1">{first}</link>'
        f'<link name="l2">{second}</link>{joint(1, 0)}'
        f'{joint(2, 1, kind, "0 1 0", "<origin xyz=" + chr(34) + "0.1 0 0.3" + chr(34) + "/>")}'
        '</robot>'
    )


BODY = INERTIAL.format(0.1, 0.02, 0.03, 1.5)


@pytest.mark.parametrize('kind', ['continuous', 'prismatic', 'fixed'])
@pytest.mark.parametrize(
    ('first', 'second', 'base'),
    [
        (BODY, BODY, ''),
        ('', BODY, ''),
        (BODY, '', ''),
        (BODY, BODY, BODY),
        ('<inertial><mass value="0"/></inertial>', BODY, BODY),
        ('<inertial><mass value="1.2"/></inertial>', BODY, ''),
    ],
    ids=['plain', 'no inertial', 'no inertial at the tip', 'heavy base', 'massless', 'point mass'],
)
def test_small_robots(kind, first, second, base):
    agrees(two_links(first, second, base, kind))


def test_hand_and_arm():
    model = agrees(hand_and_arm())
    assert model.size == 60


def chain_of_two_hundred_links():
    """The model, Pinocchio's, and positions, velocities and accelerations."""
    text = chain(200)
    model = parse_urdf(text)
    motion = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 200))
    return model, PinocchioReference(text, model), motion


def test_chain_of_two_hundred_links_compiled(backend):
    """Neither tracing nor the compilers recurse."""
    model, oracle, (q, v, a) = chain_of_two_hundred_links()
    tau = oracle.inverse_dynamics(q, v, a)
    compiled = RobotDynamics(model, backend=backend)
    assert_close(compiled.inverse_dynamics(q, v, a), tau, 10.0 * np.abs(tau).max())


def test_compiled_in_segments(needs_native):
    """A chain long enough for many segments, and for the quick level of the compiler."""
    text = chain(90)
    model = parse_urdf(text)
    oracle, dynamics = PinocchioReference(text, model), RobotDynamics(model, backend='native')
    q, v = np.random.default_rng(2).uniform(-1.0, 1.0, (2, 90))
    M, C = oracle.mass_matrix(q), oracle.coriolis_matrix(q, v)
    assert_close(dynamics.mass_matrix(q), M, 10.0 * np.abs(M).max())
    assert_close(dynamics.coriolis_matrix(q, v), C, 10.0 * np.abs(C).max())
    # Nothing of one call is left over for the next.
    other = dynamics.mass_matrix(-q)
    assert not np.array_equal(other, dynamics.mass_matrix(q))
    assert np.array_equal(other, dynamics.mass_matrix(-q))
