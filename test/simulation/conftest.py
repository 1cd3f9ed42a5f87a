import pytest

JOINT = """
<joint name="{name}" type="{kind}">
  <parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{origin}"/><axis xyz="{axis}"/>{extra}
</joint>
"""
LINK = """
<link name="{name}">
  <inertial><origin xyz="{com}"/><mass value="{mass}"/>
    <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
"""


def link(name, com='0 0 -0.5', mass=2.0, i=0.1):
    return LINK.format(name=name, com=com, mass=mass, i=i)


def joint(name, kind, parent, child, origin='0 0 0', axis='0 1 0', extra=''):
    return JOINT.format(
        name=name, kind=kind, parent=parent, child=child, origin=origin, axis=axis, extra=extra
    )


def robot(*parts):
    return f'<robot name="test"><link name="base"/>{"".join(parts)}</robot>'


@pytest.fixture
def pendulum():
    """2 kg at 0.5 m, 0.1 kg m^2 about its centre: 0.6 kg m^2 about the joint."""

    def make(extra='', kind='continuous'):
        return robot(link('bob'), joint('swing', kind, 'base', 'bob', extra=extra))

    return make


@pytest.fixture
def lift():
    """1.5 kg on a vertical rail."""
    return robot(
        link('carriage', com='0 0 0', mass=1.5),
        joint('rail', 'prismatic', 'base', 'carriage', axis='0 0 1'),
    )


@pytest.fixture(scope='session')
def two_links():
    """Two links, the joints written tip first."""
    limit = '<limit lower="-3" upper="3" effort="40" velocity="2"/>'
    return robot(
        link('forearm'),
        link('upper_arm'),
        joint('elbow', 'revolute', 'upper_arm', 'forearm', origin='0 0 -1', extra=limit),
        joint('shoulder', 'revolute', 'base', 'upper_arm', extra=limit),
    )
