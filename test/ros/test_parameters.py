"""The parameters of a node: what a row allows; described, read, changed, and documented."""

import importlib.util
import math
from pathlib import Path

import pytest
import yaml
from rcl_interfaces.srv import DescribeParameters, SetParameters, SetParametersAtomically
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from three_joints import URDF, state

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.ros.parameter_table import TABLE
from robot_dynamics_ros.ros.parameters import Parameter as Row
from robot_dynamics_ros.ros.parameters import read
from robot_dynamics_ros.simulation.arm_parameters import TABLE as ARM_TABLE

ROOT = Path(__file__).resolve().parents[2]
Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
SAMPLES = {
    'bool': True,
    'double': 0.5,
    'string': 'text',
    'double_array': [0.5],
    'string_array': ['text'],
    'double_map': {'finger': 0.5},
}


def row(type, **attributes):
    return Row('size', type, None, 'Size.', **attributes)


@pytest.mark.parametrize('type', SAMPLES)
def test_a_value_of_another_type_is_refused(type):
    for given, value in SAMPLES.items():
        if given == type:
            assert row(type).checked(value) == value
        else:
            with pytest.raises(ParameterError, match='size'):
                row(type).checked(value)


@pytest.mark.parametrize(
    ('limits', 'inside', 'outside'),
    [
        ({}, (-1e300, 0.0), (math.inf, -math.inf)),
        ({'above': 0.0}, (1e-300, 7.0), (0.0, -1.0, math.inf)),
        ({'least': 0.0, 'most': 60.0}, (0.0, 60.0), (-1e-9, 60.1, math.inf)),
        ({'least': 0.0, 'infinite': True}, (0.0, math.inf), (-1.0, -math.inf)),
    ],
)
def test_limits(limits, inside, outside):
    for value in inside:
        assert row('double', **limits).checked(value) == value
    for value in (*outside, math.nan):
        with pytest.raises(ParameterError, match=rf'^size\[1\] is {value}.*\[m\]'):
            row('double_array', unit='m', **limits).checked([1.0, value])


def test_choices_and_sizes():
    with pytest.raises(ParameterError, match=r'size\[1\] is True'):
        row('double_array').checked([1.0, True])
    with pytest.raises(ParameterError, match=r"size\.finger is 'open'"):
        row('double_map').checked({'finger': 'open'})
    with pytest.raises(ParameterError, match="'a'"):
        row('string_array').checked(['a', 'a'])
    choices = {'hold': 'stays', 'zero': 'none'}
    for type, value in (('string', 'stop'), ('string', ''), ('string_array', ['hold', 'stop'])):
        with pytest.raises(ParameterError, match='hold, zero'):
            row(type, choices=choices).checked(value)
    assert row('string_array', choices=choices).checked(['zero', 'hold']) == ['zero', 'hold']
    with pytest.raises(ParameterError, match=r'size .*2.*3'):
        row('double_array', size=3).checked([1.0, 2.0])


@pytest.mark.parametrize('table', [TABLE, ARM_TABLE], ids=['node', 'arm'])
def test_each_default_is_allowed_and_no_name_is_there_twice(table):
    rows = [row for rows in table.groups.values() for row in rows]
    assert len(rows) == len(table.rows)
    for row in rows:
        assert row.checked(row.default) == ([] if row.default == [''] else row.default)


def test_describe_shows_unit_range_choices_and_whether_it_is_live(shared):
    names = ['fade_time', 'terms', 'joints']
    fade_time, terms, joints = (
        shared().call(DescribeParameters, 'describe_parameters', names=names).descriptors
    )
    assert 'Live' in fade_time.description
    assert fade_time.additional_constraints == 'double, at least 0 and at most 60'
    assert 'gravity (g(q))' in terms.additional_constraints
    assert joints.description.endswith('Read on configure.')


def test_the_entries_of_a_map_are_parameters(graph):
    name = 'locked_joints.wrist'
    arm = {'robot_description': URDF, 'joints': ['turn', 'slide']}
    with graph(**arm, **{name: 1}) as (node, observer):
        assert read(node, TABLE)['locked_joints'] == {'wrist': 1.0}
        assert observer.refused(**{name: 0.5})
        node.trigger_deactivate()
        node.trigger_cleanup()
        for value in ('open', math.nan):
            assert name in observer.refused(**{name: value})
        observer.set(**{name: 0.5})
        assert read(node, TABLE)['locked_joints'] == {'wrist': 0.5}
        # What is commanded cannot be locked.
        observer.set(joints=['turn', 'wrist'])
        node.trigger_configure()
        assert "'wrist'" in observer.shows('refused').message


def test_an_unknown_parameter_is_refused_by_its_name(graph):
    """Nothing else of an atomic request is set."""
    changes = [Parameter('state_timeot', value=0.2), Parameter('fade_time', value=0.7)]
    messages = [change.to_parameter_msg() for change in changes]
    with graph(robot_description=URDF, fade_time=1.0) as (node, observer):
        atomic = observer.call(
            SetParametersAtomically, 'set_parameters_atomically', parameters=messages
        ).result
        alone = observer.call(SetParameters, 'set_parameters', parameters=messages[:1]).results[0]
        for result in (atomic, alone):
            assert not result.successful
            assert 'state_timeot (did you mean state_timeout?)' in result.reason
        assert node.get_parameter('fade_time').value == 1.0


@pytest.mark.parametrize(
    ('name', 'value', 'named'),
    [
        ('gravty', [0.0, 0.0, 9.81], 'gravty (did you mean gravity?)'),
        ('efort_limits', [1.0], 'efort_limits (did you mean effort_limits?)'),
        ('locked_joints.finger', 0.1, "'finger'"),
    ],
)
def test_a_node_that_was_given_an_unknown_parameter_does_not_configure(graph, name, value, named):
    """Neither by itself nor when it is asked to; a joint that is unknown is refused likewise."""
    with graph(robot_description=URDF, **{name: value}) as (node, observer):
        assert named in observer.shows('refused').message
        assert observer.logs(named)
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE


# Quality of service

RELIABILITY = 'qos_overrides./joint_states.subscription.reliability'
DEPTH = 'qos_overrides./joint_states.subscription.depth'
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


def reliability(node, observer):
    """Of the only subscription; one of a node before may take a while to be gone."""

    def found():
        return node.get_subscriptions_info_by_topic('/joint_states')

    observer.until(lambda: len(found()) == 1, 'one subscription')
    return found()[0].qos_profile.reliability


def test_quality_of_service_can_be_overridden_and_who_cannot_be_heard_is_named(graph):
    """No event tells of quality of service that does not fit: the node looks for it."""
    elsewhere = 'qos_overrides./other_topic.publisher.depth'
    given = {RELIABILITY: 'reliable', DEPTH: 3, elsewhere: 2, 'use_sim_time': False}
    with graph(**given, robot_description=URDF) as (node, observer):
        assert reliability(node, observer) == ReliabilityPolicy.RELIABLE
        assert node.get_parameter(DEPTH).value == 3
        driver = observer.node.create_publisher(JointState, 'joint_states', BEST_EFFORT)

        def named(status, codes):
            driver.publish(state(Q, V))
            return 'no_states' in codes and 'incompatible' in status.message

        observer.status('joint_states', named)
        observer.answer_to(state(Q, V))
    # What one node was told is no default of the next; both kinds of drivers are heard.
    with graph(robot_description=URDF) as (node, observer):
        assert reliability(node, observer) == ReliabilityPolicy.BEST_EFFORT
        observer.answer_to(state(Q, V))
        observer.states = observer.node.create_publisher(JointState, 'joint_states', BEST_EFFORT)
        observer.until(observer.states.get_subscription_count, 'discovery')
        observer.answer_to(state(Q, V))


def test_a_misspelt_policy_of_a_topic_of_the_node_is_a_refusal(graph):
    with graph(**{RELIABILITY.replace('bility', 'bilty'): 'reliable'}, robot_description=URDF) as (
        _,
        observer,
    ):
        assert 'reliabilty' in observer.shows('refused').message


def test_a_new_parameter_takes_the_place_of_another():
    assert len(TABLE.rows) <= 29


NAMES = ('config/robot_dynamics.yaml', 'docs/parameters.md', 'docs/simulated_arm.md')


def test_the_documents_are_those_of_the_table():
    """If not: python -m scripts.parameters."""
    spec = importlib.util.spec_from_file_location('parameters', ROOT / 'scripts/parameters.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    documents = module.documents()
    assert documents == {name: (ROOT / name).read_text() for name in NAMES}
    values = yaml.safe_load(documents[NAMES[0]])['/**']['ros__parameters']
    # ROS cannot read an empty map from a file: it stands in a comment.
    assert values == {name: row.default for name, row in TABLE.rows.items() if row.many != 'map'}
