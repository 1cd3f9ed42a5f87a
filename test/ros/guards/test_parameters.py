"""Parameters that are wrong or misspelt are said to be, and quality of service is one of them."""

import re

import yaml
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from three_joints import URDF, state

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
RELIABILITY = 'qos_overrides./joint_states.subscription.reliability'
DEPTH = 'qos_overrides./joint_states.subscription.depth'


def profile_of(node, observer):
    """That of the only subscription; one of a node before may take a while to be gone."""

    def found():
        return node.get_subscriptions_info_by_topic('/joint_states')

    observer.until(lambda: len(found()) == 1, 'one subscription')
    return found()[0].qos_profile


def test_reliable_and_best_effort_drivers_are_both_heard(graph):
    with graph(robot_description=URDF) as (node, observer):
        assert profile_of(node, observer).reliability == ReliabilityPolicy.BEST_EFFORT
        observer.answer_to(state(Q, V))
        best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        observer.states = observer.node.create_publisher(JointState, 'joint_states', best_effort)
        observer.until(observer.states.get_subscription_count, 'discovery')
        observer.answer_to(state(Q, V))


def test_quality_of_service_can_be_overridden(graph, capfd):
    with graph(**{RELIABILITY: 'reliable', DEPTH: 3}, robot_description=URDF) as (node, observer):
        assert profile_of(node, observer).reliability == ReliabilityPolicy.RELIABLE
        assert node.get_parameter(DEPTH).value == 3
        observer.answer_to(state(Q, V))
    assert 'unknown parameters' not in capfd.readouterr().err
    # What one node was told is no default of the next.
    with graph(robot_description=URDF) as (node, observer):
        assert profile_of(node, observer).reliability == ReliabilityPolicy.BEST_EFFORT


def test_a_misspelt_parameter_is_warned_of(graph, capfd):
    with graph(robot_description=URDF, effort_limit=[5.0], fade_times=2.0) as (_, observer):
        observer.answer_to(state(Q, V))
    said = capfd.readouterr().err
    named = r'effort_limit \(.* effort_limits\?\), fade_times'
    assert re.search(f'unknown parameters .*{named}', said)


def test_a_driver_that_cannot_be_heard_is_named_in_diagnostics(graph):
    """No event tells of quality of service that does not fit: the node looks for it."""
    reports = []
    with graph(robot_description=URDF, **{RELIABILITY: 'reliable'}) as (_, observer):
        quality = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        driver = observer.node.create_publisher(JointState, 'joint_states', quality)
        observer.node.create_subscription(DiagnosticArray, '/diagnostics', reports.append, 10)

        def named():
            driver.publish(state(Q, V))
            texts = [s.message for r in reports for s in r.status if 'joint_states' in s.name]
            return any(re.search('incompatible .* observer', text) for text in texts)

        observer.until(named, 'the reason')


WITHOUT_TORQUE = {
    'gravity': ([0.0, 0.0, 0.0], 'parameter gravity is zero'),
    'effort_limits': ([0.0], 'turn, slide, wrist are zero: effort_limits is 0'),
    'terms': ([], 'parameter terms is empty'),
}


def test_an_offset_beyond_the_effort_limit_is_warned_of(guarded, tmp_path, capfd):
    """As one in N mm."""
    file = tmp_path / 'friction.yaml'
    offsets = {'turn': 1.0, 'slide': -60.0, 'wrist': 50.0}
    joints = {name: {'torque_offset': value} for name, value in offsets.items()}
    file.write_text(yaml.safe_dump({'joints': joints}))
    arm = {'terms': ['gravity', 'friction'], 'effort_limits': [50.0, 50.0, 50.0]}
    with guarded(**arm, joint_model=str(file)) as scene:
        Log(capfd).until(scene.observer, 'torque_offset of slide')


def test_a_value_that_takes_the_torque_away_is_warned_of(guarded, capfd):
    defaults = {'gravity': [0.0, 0.0, -9.81], 'effort_limits': [100.0], 'terms': ['gravity']}
    log = Log(capfd)
    with guarded(gravity=[0.0, 0.0, 0.0]) as scene:
        for name, (value, warning) in WITHOUT_TORQUE.items():
            kind = Parameter.Type.STRING_ARRAY if name == 'terms' else None
            parameter = Parameter(name, kind, value)
            assert scene.node.set_parameters([parameter])[0].successful
            log.until(scene.observer, warning)
            scene.status('model', warning)
            scene.set(**{name: defaults[name]})
