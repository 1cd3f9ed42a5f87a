"""What is refused before a tree is looked for: messages name the element, and what is allowed."""

import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import TopologyError, UrdfError, parse_urdf

pytestmark = pytest.mark.contract

URDF = hand_written('pendulum').text

# What is replaced by what in a good URDF, and parts of the message.
BAD_EDITS = {
    'no type': ('type="revolute"', '', ["'swing'", 'type is None', 'continuous']),
    'unknown type': (
        'type="revolute"',
        'type="ball"',
        ["joint 'swing'", "'ball'", 'revolute, continuous, prismatic, fixed'],
    ),
    'zero axis': ('0 1 0', '0 -0 0.0', ["'swing'", 'axis', '0 -0 0', 'not be zero']),
    'vanishing axis': ('0 1 0', '0 1e-320 0', ["'swing'", 'axis', 'not be zero']),
    'axis of two': ('0 1 0', '0 1', ["'swing'", 'axis xyz', "'0 1'", '3 numbers']),
    'axis of four': ('0 1 0', '0 1 0 0', ["'swing'", 'axis xyz', '3 numbers']),
    'axis of words': ('0 1 0', 'x y z', ["'swing'", 'axis xyz', "'x' is not"]),
    'axis without xyz': ('axis xyz="0 1 0"', 'axis', ["'swing'", '<axis>', "'xyz'"]),
    'infinite axis': ('0 1 0', '0 inf 0', ["'swing'", 'axis xyz', 'must be finite']),
    'negative mass': ('"1.7"', '"-1.7"', ["link 'rod'", '-1.7 kg', 'not be negative']),
    'mass in words': ('"1.7"', '"heavy"', ["link 'rod'", 'mass value', "'heavy' is not"]),
    'mass of NaN': ('"1.7"', '"nan"', ["link 'rod'", 'mass value', 'must be finite']),
    'infinite mass': ('"1.7"', '"inf"', ["link 'rod'", 'mass value', 'must be finite']),
    'huge mass': ('"1.7"', '"1e300"', ["link 'rod'", 'mass value', '1e+100']),
    'mass of two': ('"1.7"', '"1 7"', ["link 'rod'", 'mass value', '1 number is']),
    'decimal comma': ('"1.7"', '"1,7"', ["link 'rod'", "'1,7' is not"]),
    'underscore': ('"1.7"', '"1_7"', ["link 'rod'", "'1_7' is not"]),
    'other script': ('"1.7"', '"\u0663"', ["link 'rod'", 'not a number']),
    'empty mass': ('"1.7"', '""', ["link 'rod'", 'mass value', '1 number is']),
    'mass without value': ('<mass value="1.7"/>', '<mass/>', ["link 'rod'", "'value'"]),
    'no mass': ('<mass value="1.7"/>', '', ["link 'rod'", 'no <mass']),
    'two masses': ('<mass', '<mass value="1"/><mass', ["link 'rod'", '2 <mass>']),
    'inertia of NaN': ('ixx="0.21"', 'ixx="nan"', ["link 'rod'", 'inertia ixx', 'finite']),
    'inertia in words': ('iyz="0"', 'iyz="o"', ["link 'rod'", 'inertia iyz', "'o' is not"]),
    'no izz': ('izz="0.02"', '', ["link 'rod'", '<inertia>', "'izz'"]),
    'infinite origin': ('0.1 0.2 1.0', '0.1 inf 1', ["'swing'", 'origin xyz', 'finite']),
    'limit in words': ('upper="3.1"', 'upper="pi"', ["'swing'", 'limit upper', "'pi'"]),
    'no parent': ('<parent link="base"/>', '', ["joint 'swing'", 'no <parent']),
    'no child': ('<child link="rod"/>', '', ["joint 'swing'", 'no <child']),
    'parent without link': ('parent link="base"', 'parent', ["'swing'", '<parent>', "'link'"]),
    'nameless link': ('<link name="base"/>', '<link/>', ['<link> has no name']),
    'nameless joint': ('joint name="swing"', 'joint', ['<joint> has no name']),
    'cut off': ('</robot>', '', ['not well-formed XML']),
}


@pytest.mark.parametrize('case', BAD_EDITS)
def test_bad_element_is_named(case):
    old, new, parts = BAD_EDITS[case]
    assert old in URDF
    with pytest.raises(UrdfError) as caught:
        parse_urdf(URDF.replace(old, new, 1))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(('kind', 'way_out'), [('floating', 'fixed'), ('planar', 'prismatic')])
def test_joints_without_one_coordinate_are_refused_with_a_way_out(kind, way_out):
    with pytest.raises(TopologyError, match=f"joint 'swing' is {kind}: .*{way_out}"):
        parse_urdf(URDF.replace('revolute', kind))


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        ('', 'empty'),
        (' \n', 'empty'),
        ('/home/robot/arm.urdf', "'/home/robot/arm.urdf' looks like a file"),
        (' arm.urdf.xacro\n', 'looks like a file'),
        ('arm.xml', 'looks like a file'),
        ('package://arm', 'not well-formed XML: [^;]*$'),
        ('<robot>.urdf', 'not well-formed XML: [^;]*$'),
        ('{"robot": 1}', 'not well-formed XML'),
        ('\0', 'not well-formed XML'),
        ('<robot name="\ud800"/>', 'not well-formed XML'),
        ('<sdf/>', 'root element is <sdf>'),
        ('<robot name="nobody"/>', 'no <link>'),
        (None, 'not NoneType'),
        (b'<robot/>', 'not bytes'),
    ],
)
def test_what_is_no_robot_is_refused(text, part):
    with pytest.raises(UrdfError, match=part):
        parse_urdf(text)


BOMB = (
    '<!DOCTYPE robot [<!ENTITY a0 "ha">'
    + ''.join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + ']><robot name="&a11;"><link name="base"/></robot>'
)
QUADRATIC = (
    f'<!DOCTYPE robot [<!ENTITY a "{"x" * 10**5}">]>'
    f'<robot name="{"&a;" * 10**4}"><link name="base"/></robot>'
)


# For a parser that hangs: refusing takes a millisecond, expanding minutes and gigabytes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    'text',
    [
        BOMB,
        QUADRATIC,
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "http://192.0.2.1/x">]><robot name="&x;"/>',
        '<!DOCTYPE robot SYSTEM "http://192.0.2.1/robot.dtd"><robot name="x"/>',
        '<!DOCTYPE robot [<!ENTITY % x SYSTEM "http://192.0.2.1/x">%x;]><robot name="x"/>',
    ],
    ids=['bomb', 'quadratic', 'file', 'network', 'external DTD', 'parameter entity'],
)
def test_entities_are_refused_at_once(text):
    message = 'refused.*<!DOCTYPE'
    with pytest.raises(UrdfError, match=message):
        parse_urdf(text)


def test_what_dynamics_does_not_need_is_ignored():
    """Visuals, materials, transmissions, sensors, even broken ones, and namespaces."""
    clutter = (
        '<visual><geometry><mesh/></geometry><material/></visual><collision name="x"/></link>'
        '<material/><transmission name="t"/><sensor/><gazebo reference="nothing"/>'
    )
    text = URDF.replace('</link>', clutter, 1).replace(
        '<robot name="pendulum">', '<robot xmlns:xacro="http://ros.org/wiki/xacro" version="1.1">'
    )
    assert parse_urdf(text).joints == hand_written('pendulum').model.joints


def test_numbers_may_be_written_as_they_usually_are():
    for number in ('1.7', ' 1.7 ', '+1.7', '17e-1', '1.70', '.17E1'):
        model = parse_urdf(URDF.replace('"1.7"', f'"{number}"'))
        assert model.joints[0].inertia.mass == 1.7


def test_exporters_write_the_largest_double_for_no_limit():
    text = URDF.replace('upper="3.1"', 'upper="1.79769e+308"')
    assert parse_urdf(text).joints[0].limits.upper == 1.79769e308
