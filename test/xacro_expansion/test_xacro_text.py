"""Xacro: what the text holds is expanded, what reaches beyond it is refused."""

from __future__ import annotations

import os
import sys

import pytest

from robot_dynamics_ros.core import UrdfError, parse_urdf
from robot_dynamics_ros.xacro_expansion import expand_xacro

HEAD = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = (
    '<link name="{}"><inertial><mass value="{}"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)


def arm(properties='', mass='2', roll='0', joint='swing'):
    return (
        f'{HEAD}{properties}<link name="base"/>{LINK.format("tip", mass)}'
        f'<joint name="{joint}" type="continuous"><parent link="base"/><child link="tip"/>'
        f'<origin xyz="0 0 1" rpy="{roll} 0 0"/></joint></robot>'
    )


def property_(name, value):
    return f'<xacro:property name="{name}" value="{value}"/>'


@pytest.fixture
def xacro():
    return pytest.importorskip('xacro')


@pytest.mark.parametrize(
    ('properties', 'mass', 'expected'),
    [
        (property_('m', '1.5'), '${2 * m}', 3.0),
        (property_('r', '2') + property_('m', '${r**3 / 4}'), '${m}', 2.0),
        ('', '${cos(pi) + 3}', 2.0),
        ('', '${math.sqrt(4.0)}', 2.0),
        ('', '${max(1, 5) if 2 > 1 else 0}', 5.0),
        ('<xacro:arg name="m" default="7"/>', '$(arg m)', 7.0),
        (property_('m', '1'), '${m}.5', 1.5),
    ],
)
def test_expanded(xacro, properties, mass, expected):
    model = parse_urdf(expand_xacro(arm(properties, mass)))
    assert model.joints[0].inertia.mass == expected


def test_macros_conditions_and_blocks(xacro):
    text = (
        HEAD + '<!-- a comment with ${nonsense} -->'
        '<xacro:macro name="segment" params="name parent mass:=1 *placed">'
        + LINK.format('${name}', '${mass}')
        + '<joint name="${name}_joint" type="continuous"><parent link="${parent}"/>'
        '<child link="${name}"/><xacro:insert_block name="placed"/></joint></xacro:macro>'
        '<link name="base"/>'
        '<xacro:segment name="a" parent="base"><origin xyz="0 0 ${1/4}"/></xacro:segment>'
        '<xacro:segment name="b" parent="a" mass="3"><origin xyz="0 1 0"/></xacro:segment>'
        '<xacro:if value="${1 > 2}"><link name="never"/></xacro:if></robot>'
    )
    model = parse_urdf(expand_xacro(text))
    assert model.joint_names == ('a_joint', 'b_joint')
    assert [joint.inertia.mass for joint in model.joints] == [1.0, 3.0]
    assert model.joints[0].placement.translation == (0.0, 0.0, 0.25)


def test_a_declared_namespace_alone_needs_no_xacro(monkeypatch):
    monkeypatch.setitem(sys.modules, 'xacro', None)
    assert parse_urdf(arm()).size == 1


def test_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, 'xacro', None)
    with pytest.raises(UrdfError, match='xacro'):
        parse_urdf(expand_xacro(arm(mass='${1 + 1}')))


def test_files_of_meshes_and_plugins_do_not_matter(xacro):
    more = (
        '<gazebo><plugin><parameters>$(find arm)/a.yaml</parameters></plugin></gazebo>'
        '<link name="seen"><visual><geometry><mesh filename="$(find arm)/a.dae"/></geometry>'
        '</visual></link><joint name="eye" type="fixed"><parent link="tip"/>'
        '<child link="seen"/></joint>'
    )
    plain = parse_urdf(expand_xacro(arm(more)))
    assert plain == parse_urdf(expand_xacro(arm(more + property_('m', '2'), '${m}')))
    assert plain.links[-1].extent is None


def test_prefix_without_namespace():
    text = '<robot name="x"><xacro:property name="a" value="1"/><link name="base"/></robot>'
    with pytest.raises(UrdfError, match='xacro'):
        parse_urdf(text)


@pytest.mark.parametrize(
    ('properties', 'words'),
    [
        ('<xacro:include filename="other.xacro"/>', "include filename='other.xacro'"),
        ('<xacro:include filename="$(find ur_description)/a.xacro"/>', 'needs files'),
        (property_('a', '$(find ur_description)'), 'reads more'),
        (property_('a', '$(env HOME)'), 'reads more'),
        (property_('a', '$(eval 1 + 1)'), 'reads more'),
        (property_('a', '$(cwd)'), 'reads more'),
        (property_('a', "${load_yaml('a.yaml')}"), 'more than arithmetic'),
        (property_('a', "${xacro.load_yaml('a.yaml')}"), 'more than arithmetic'),
        (property_('a', '${().__class__}'), 'more than arithmetic'),
        (property_('a', '${(lambda: 1)()}'), 'more than arithmetic'),
        (property_('a', '${(x for x in [1]).gi_frame}'), 'more than arithmetic'),
        (property_('a', '${vars(math)}'), 'more than arithmetic'),
        (property_('a', '${[x for x in range(9)]}'), 'more than arithmetic'),
        (property_('a', '${10**(10**10)}'), 'more than arithmetic'),
        (property_('a', '${10**99999999}'), 'more than arithmetic'),
        (property_('a', '${math.factorial(99999999)}'), 'more than arithmetic'),
        (property_('a', "${'$(arg b)'}"), 'not an expression'),
        (property_('a', '${1 +}'), 'not an expression'),
        (property_('a', '$${1 + 1}'), 'a \\$ outside'),
        (property_('a', '$'), 'a \\$ outside'),
        ('<xacro:element xacro:name="xacro:include" filename="a"/>', 'needs files'),
        ('<xacro:unknown/>', 'cannot expand'),
        (
            property_('a', '${b}') + property_('b', '${a}') + property_('c', '${a}'),
            'cannot expand',
        ),
    ],
)
def test_refused(xacro, properties, words, capfd):
    with pytest.raises(UrdfError, match=words):
        parse_urdf(expand_xacro(arm(properties, mass='${a}')))
    assert capfd.readouterr() == ('', '')


def test_code_in_a_comment_stays_a_comment(xacro, tmp_path):
    target = tmp_path / 'touched'
    comments = f'<!-- xacro:eval-comments:on --><!-- ${{open("{target}", "w")}} -->'
    assert parse_urdf(expand_xacro(arm(comments + property_('m', '2'), '${m}'))).size == 1
    assert not target.exists()


def test_entities_are_refused_before_xacro_sees_them(xacro):
    bomb = '<!DOCTYPE robot [<!ENTITY a "${1}">]>' + arm(property_('m', '2'), '${m}')
    with pytest.raises(UrdfError, match='declares a document'):
        parse_urdf(bomb)
    with pytest.raises(UrdfError, match='declares a document'):
        expand_xacro(bomb)


def test_the_environment_is_not_read(xacro):
    os.environ.setdefault('HOME', '/')
    with pytest.raises(UrdfError, match='reads more'):
        expand_xacro(arm(mass='$(optenv HOME 1)'))
