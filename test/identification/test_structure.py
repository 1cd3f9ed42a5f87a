"""The rank that a robot's structure allows, against rules, other formulations and publications."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.examples import example
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import regrouped
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout
from robot_dynamics_ros.identification.structure import structure_of


@pytest.fixture(scope='module', params=HAND_WRITTEN, ids=str)
def robot(request):
    return request.param


@pytest.fixture(scope='module')
def structure(robot):
    return structure_of(ParameterLayout(robot.model, ()), robot.python)


def test_dependent_columns_are_combinations_at_every_state(robot, structure):
    q, v, a = np.random.default_rng(7).uniform(-2.0, 2.0, (3, 20, robot.model.size))
    rows = robot.python.regressor(q, v, a)
    rebuilt = rows[..., list(structure.columns)] @ structure.combination
    np.testing.assert_allclose(rebuilt, rows, atol=1e-9 * np.abs(rows).max())


def test_regrouped_bodies_have_the_same_base_parameters(robot, structure):
    """The rules of Gautier and Khalil move inertia between bodies; no base parameter changes."""
    before = structure.combination @ robot.model.inertial_parameters()
    after = (
        structure.combination
        @ replace(robot.model, joints=regrouped(robot.model.joints)).inertial_parameters()
    )
    np.testing.assert_allclose(after, before, atol=1e-9 * np.abs(before).max())


def test_the_rank_is_at_most_that_of_the_rules(robot, structure):
    """7 for each joint that turns and 4 for each that slides (Gautier, Khalil 1990)."""
    kinds = [joint.kind == 'prismatic' for joint in robot.model.joints]
    assert structure.rank <= sum(4 if slides else 7 for slides in kinds)


@pytest.mark.parametrize(
    ('name', 'rank'),
    [
        # The first joint tells 3 of its 7 where it is not along gravity; on oblique axes all
        # others tell all of theirs.
        ('pendulum', 3),
        ('fixed_links', 3 + 7),
        # Three masses on perpendicular slides: each drive feels the sum of what it carries.
        ('gantry', 3),
    ],
)
def test_ranks_that_can_be_counted(name, rank):
    chosen = hand_written(name)
    assert structure_of(ParameterLayout(chosen.model, ()), chosen.python).rank == rank


@pytest.mark.parametrize(
    ('path', 'joints', 'rank'),
    [
        # Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca, "Dynamic identification of the Franka
        # Emika Panda robot with retrieval of feasible parameters" (2019): 43 coefficients.
        ('panda_description/urdf/panda.urdf', 7, 43),
        # 7 n - 6 for a vertical first joint and a second one across it.
        ('ur_description/urdf/ur10_robot.urdf', 6, 36),
    ],
)
def test_published_ranks(path, joints, rank):
    model = example(path).model
    kept = model.joint_names[:joints]
    model = model.reduced(kept, others=0.0)
    assert structure_of(ParameterLayout(model, ())).rank == rank


def test_a_double_pendulum_has_the_base_parameters_of_textbooks():
    """Khalil, Dombre, "Modeling, identification and control of robots" (2002), section 9.4."""
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"'
    link += ' ixz="0" iyz="0"/></inertial></link>'
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>'
    joint += '<origin xyz="{3} 0 0" rpy="{4} 0 0"/><axis xyz="0 0 1"/></joint>'
    text = '<robot name="r"><link name="base"/>' + link.format('upper') + link.format('lower')
    text += joint.format('one', 'base', 'upper', 0, 1.5707963267948966)
    text += joint.format('two', 'upper', 'lower', 0.5, 0) + '</robot>'
    layout = ParameterLayout(parse_urdf(text), ('armature', 'viscous'))
    structure = structure_of(layout)
    names = [layout.names[column] for column in structure.columns]
    expected = {
        'upper mx': {'upper mx': 1.0, 'lower m': 0.5},
        'upper my': {'upper my': 1.0},
        'upper Izz': {'upper Izz': 1.0, 'lower m': 0.25, 'one armature': 1.0},
        'lower mx': {'lower mx': 1.0},
        'lower my': {'lower my': 1.0},
        'lower Izz': {'lower Izz': 1.0},
        'two armature': {'two armature': 1.0},
        'one viscous': {'one viscous': 1.0},
        'two viscous': {'two viscous': 1.0},
    }
    assert names == [name for name in layout.names if name in expected]
    for name, row in zip(names, structure.combination, strict=True):
        found = {layout.names[k]: round(row[k], 9) for k in np.flatnonzero(row)}
        assert found == expected[name]


def test_a_load_is_told_where_it_is_not_carried_always():
    """Else it is a part of the body that carries it."""
    robot = hand_written('oblique')
    link = next(frame.name for frame in robot.model.frames if frame.body == 3)
    bare = structure_of(ParameterLayout(robot.model, ()), robot.python).rank
    for recording, added in (('one', 10), ('', 0)):
        layout = ParameterLayout(robot.model, (), (Load('brick', link, recording),))
        assert structure_of(layout, robot.python).rank == bare + added


def test_drives_feel_less_without_gravity():
    robot = hand_written('oblique')
    layout = ParameterLayout(robot.model)
    floating = robot.native.with_gravity((0.0, 0.0, 0.0))
    assert structure_of(layout, floating).rank < structure_of(layout, robot.native).rank


def test_gains_are_told_by_a_known_load_or_a_known_gain():
    robot = hand_written('oblique')
    names = robot.model.joint_names
    link = next(frame.name for frame in robot.model.frames if frame.body == 3)
    load = (Load('brick', link, 'one'),)
    cases = [
        (ParameterLayout(robot.model, ('gain',)), False),
        (ParameterLayout(robot.model, ('gain',), known={f'{names[-1]} gain': 2.0}), True),
        (ParameterLayout(robot.model, ('gain',), load), False),
        (ParameterLayout(robot.model, ('gain',), load, {'brick m': 1.0}), True),
    ]
    for layout, told in cases:
        structure = structure_of(layout, robot.python)
        unknown = [c for c in layout.columns('gain').tolist() if not layout.is_known[c]]
        assert (set(unknown) <= set(structure.columns)) == told
