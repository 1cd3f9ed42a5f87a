"""The tables of print_dynamics: aligned, five digits, within the terminal, with fitting units."""

import numpy as np
import pytest

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.ros.print_dynamics import PARTS, WIDTH, table, torque_table

NAMES = [f'shoulder_lift_joint_{i}' for i in range(7)]


def test_wide_matrices_are_split_and_keep_five_digits():
    random = np.random.default_rng(0)
    matrix = random.normal(size=(7, 7)) * 10.0 ** random.integers(-7, 8, (7, 7))
    matrix[0, :3] = 0.0
    lines = table('M(q) [kg m^2]', matrix.tolist(), NAMES, NAMES).splitlines()
    assert lines[0] == 'M(q) [kg m^2]'
    assert max(map(len, lines)) <= WIDTH
    read = {}
    for line in lines[1:]:
        first, *cells = line.split()
        if line.startswith(' '):
            columns = [first, *cells]
            continue
        read.update({(first, name): cell for name, cell in zip(columns, cells, strict=True)})
    assert [read[NAMES[0], name] for name in NAMES[:3]] == ['0', '0', '0']
    found = [[float(read[row, column]) for column in NAMES] for row in NAMES]
    np.testing.assert_allclose(found, matrix, rtol=5e-5)


@pytest.mark.parametrize(
    ('kinds', 'unit'),
    [(('revolute', 'continuous'), '[N m]'), (('prismatic', 'revolute'), '[N m or N]')],
)
def test_the_heading_of_torques_names_unit_state_limits_and_fault(kinds, unit):
    parts = {part: [1.0, 2.0] for part in PARTS}
    fault = 'joint states are missing since 5.1 s: ' + 'call ~/enable ' * 4
    torques = JointTorques(
        joint_names=['a', 'b'], saturated=['b'], state='SILENT', fault=fault, **parts
    )
    text = torque_table(torques, dict(zip('ab', kinds, strict=True)))
    heading = ' '.join(text.partition(' a ')[0].split())
    for word in (unit, 'SILENT', 'limited: b', fault.strip()):
        assert word in heading
    assert max(map(len, text.splitlines())) <= WIDTH
