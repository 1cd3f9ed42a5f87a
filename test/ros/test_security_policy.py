"""The policy for SROS2 allows what a running node uses, and no more."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from three_joints import URDF

pytestmark = pytest.mark.contract

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / 'policies' / 'robot_dynamics.policy.xml'
CONTROLLER = '/effort_controller'
ACTION = '/joint_trajectory_controller/follow_joint_trajectory'
# Used only where the package that they need is installed, or not always: by tf2, and by the log,
# which has one publisher for all nodes of a name in a process.
OPTIONAL = {
    ('publish', '/rosout'): '',
    ('subscribe', '/tf'): '',
    ('subscribe', '/tf_static'): '',
    ('execute', '/robot_dynamics/follow_joint_trajectory'): 'control_msgs',
    ('call', ACTION): 'control_msgs',
    ('request', '/controller_manager/list_controllers'): 'controller_manager_msgs',
    # Since Jazzy.
    ('subscribe', '/controller_manager/activity'): '',
}


def resolved(name, profile):
    """As SROS2's permissions.xsl resolves it."""
    namespace = profile.get('ns').rstrip('/')
    if name.startswith('/'):
        return name
    if name.startswith('~'):
        return f'{namespace}/{profile.get("node")}{name[1:]}'
    return f'{namespace}/{name}'


def allowed():
    """Each right of the policy with the full name of its topic, service or action."""
    (profile,) = ElementTree.parse(POLICY).getroot().findall('enclaves/enclave/profiles/profile')
    return [
        (right, resolved(entry.text, profile))
        for group in profile
        for right in group.attrib
        for entry in group
    ]


def used(node):
    """Each right that a node needs for the endpoints that it has.

    An action has services and topics below `_action`.
    """
    who = node.get_name(), node.get_namespace()
    graph = (
        ('publish', 'execute', node.get_publisher_names_and_types_by_node),
        ('subscribe', 'call', node.get_subscriber_names_and_types_by_node),
        ('reply', 'execute', node.get_service_names_and_types_by_node),
        ('request', 'call', node.get_client_names_and_types_by_node),
    )
    return {
        (action_right if hidden else right, name)
        for right, action_right, endpoints in graph
        for full_name, _ in endpoints(*who)
        for name, hidden, _ in [full_name.partition('/_action/')]
    }


def test_the_policy_allows_exactly_what_a_running_node_uses(graph):
    """Topics, services, clients and actions; simulated time is on, so that it hears /clock too."""
    assert len(allowed()) == len(set(allowed()))
    needed = {
        right
        for right in allowed()
        if (package := OPTIONAL.get(right)) is None or (package and find_spec(package))
    }
    assert ('request', f'{CONTROLLER}/get_parameters') in needed
    behind = {'controller': CONTROLLER, 'controller_action': ACTION}
    with graph(robot_description=URDF, use_sim_time=True, **behind) as (node, observer):
        # The graph knows the endpoints of a node some time after they were made. Those that are
        # not there in the end are named below.
        with suppress(AssertionError):
            observer.until(lambda: used(node) >= needed, 'what the policy allows')
        rights = used(node)
    lacking = sorted(rights - set(allowed()))
    assert not lacking, f'add to {POLICY.name}, with the right and the name of each: {lacking}'
    unused = sorted(needed - rights)
    assert not unused, f'remove from {POLICY.name}, the node does not use it: {unused}'
