"""The columns: their names, units and nominal values."""

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, UnknownNameError, parse_urdf
from robot_dynamics_ros.identification.parameters import TERMS, Load, ParameterLayout

MODEL = hand_written('tree').model
LINK = next(frame.name for frame in MODEL.frames if frame.body == 3)


def test_every_parameter_has_one_name_one_unit_and_one_column():
    terms = tuple(term for term in TERMS if term != 'offset')
    layout = ParameterLayout(MODEL, terms, (Load('brick', LINK, 'one'),))
    assert layout.size == 10 * (len(MODEL.joints) + 1) + len(terms) * MODEL.size
    assert len(set(layout.names)) == len(layout.units) == layout.size
    columns = [layout.column(term, joint) for term in terms for joint in layout.joints]
    inertial = [range(*layout.body_columns(k).indices(layout.size)) for k in range(7)]
    assert sorted([*columns, *(k for block in inertial for k in block)]) == [*range(layout.size)]
    for term in terms:
        for joint in layout.joints:
            assert layout.names[layout.column(term, joint)] == f'{joint} {term}'
    assert layout.names[layout.body_columns(6).start] == 'brick m'
    for joint in MODEL.independent_joints:
        unit = layout.units[layout.column('viscous', joint.name)]
        assert unit == ('N s/m' if joint.kind == 'prismatic' else 'N m s/rad')


def test_nominal_values_are_those_of_the_description():
    armature = {joint: 0.1 * k for k, joint in enumerate(MODEL.joint_names)}
    layout = ParameterLayout(
        MODEL.with_armature(armature), known={f'{MODEL.joint_names[0]} offset': 3.0}
    )
    nominal = layout.nominal()
    np.testing.assert_array_equal(nominal[: 10 * len(MODEL.joints)], MODEL.inertial_parameters())
    np.testing.assert_array_equal(nominal[layout.columns('armature')], [*armature.values()])
    assert nominal[layout.column('offset', MODEL.joint_names[0])] == 3.0
    assert not nominal[layout.columns('offset')[1:]].any()


def test_a_joint_has_the_rotors_and_friction_of_those_that_mimic_it():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="one" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <dynamics damping="1" friction="2"/></joint>
    <joint name="two" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
    <mimic joint="one" multiplier="-3"/><dynamics damping="0.5" friction="0.25"/></joint>
    </robot>"""
    layout = ParameterLayout(parse_urdf(text).with_armature({'one': 0.1, 'two': 0.2}))
    nominal = layout.nominal()
    expected = {'viscous': 1.0 + 9.0 * 0.5, 'coulomb': 2.0 + 3.0 * 0.25, 'armature': 0.1 + 1.8}
    for term, value in expected.items():
        assert nominal[layout.column(term, 'one')] == pytest.approx(value)


@pytest.mark.parametrize(
    ('changed', 'error', 'said'),
    [
        ({'terms': ('stiction',)}, UnknownNameError, 'stiction'),
        ({'terms': ('viscous', 'viscous')}, ParameterError, 'named twice'),
        ({'terms': ('viscous_negative',)}, ParameterError, 'needs viscous'),
        ({'terms': ('coulomb', 'coulomb_negative', 'offset')}, ParameterError, 'distinguished'),
        ({'loads': (Load('brick', 'nowhere', 'one'),)}, UnknownNameError, 'nowhere'),
        ({'loads': (Load('brick', MODEL.frames[0].name, 'one'),)}, ParameterError, 'base'),
        ({'loads': 2 * (Load('brick', LINK, 'one'),)}, ParameterError, 'brick'),
        ({'known': {'weight': 1.0}}, UnknownNameError, 'weight'),
        ({'known': {f'{MODEL.joint_names[0]} offset': np.nan}}, ParameterError, 'finite'),
    ],
)
def test_what_does_not_exist_or_cannot_be_told_apart_is_refused(changed, error, said):
    with pytest.raises(error, match=said):
        ParameterLayout(MODEL, **changed)
