"""The description of the node, and `robot_dynamics inspect --topic`."""

import gc
import json
import os
import subprocess
import sys

import pytest
import rclpy
from captured_log import Log
from domains import free_domain
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from three_joints import URDF

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.ros.description import read_description

PROGRAM = 'from robot_dynamics_ros.executables import robot_dynamics; robot_dynamics()'
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture
def domain():
    return free_domain()


@pytest.fixture
def publisher(domain):
    """Has published the description before anybody asks."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('state_publisher', context=context, namespace='left')
    node.create_publisher(String, 'robot_description', LATCHED).publish(String(data=URDF))
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)
    del node
    gc.collect()


def test_the_command_shows_the_running_robot(publisher, domain):
    ended = subprocess.run(
        [sys.executable, '-c', PROGRAM, 'inspect', '--topic', '/left/robot_description',
         '--json', '-'],
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 1, ended.stderr  # turn has no effort limit
    assert json.loads(ended.stdout)['robot'] == 'three'


def test_a_topic_without_a_description(publisher, domain, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    with pytest.raises(ParameterError, match='no description within 2 s') as refused:
        read_description('/robot_description', 2.0)
    # The namespaced one is offered by name.
    assert '/left/robot_description' in str(refused.value)


@pytest.mark.parametrize('relative', [False, True])
def test_a_description_may_be_a_file(graph, tmp_path, monkeypatch, capfd, relative):
    (tmp_path / 'arm.urdf').write_text(URDF)
    monkeypatch.chdir(tmp_path)
    path = 'arm.urdf' if relative else str(tmp_path / 'arm.urdf')
    with graph(description_file=path) as (_, observer):
        # The topic does not replace it.
        observer.description.publish(String(data=URDF.replace('three', 'four')))
        Log(capfd).until(observer, 'description_file')


@pytest.mark.parametrize(
    ('parameters', 'said'),
    [
        ({'description_file': 'nothing.urdf'}, 'nothing.urdf cannot be read'),
        ({'description_file': 'a.urdf', 'robot_description': URDF}, 'set one of them'),
    ],
)
def test_a_description_that_cannot_be_read_is_refused_by_name(graph, capfd, parameters, said):
    with graph(**parameters):
        pass
    assert said in capfd.readouterr().err
