import os

import pytest

from robot_dynamics_ros.demo.ros_domain import isolate


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    profiles = ('FASTDDS_DEFAULT_PROFILES_FILE', 'FASTRTPS_DEFAULT_PROFILES_FILE')
    for name in ('ROS_DOMAIN_ID', 'ROS_STATIC_PEERS', *profiles):
        monkeypatch.setenv(name, 'x')  # so that it is put back afterwards
        monkeypatch.delenv(name)
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')


def test_keeps_to_this_machine_and_takes_a_free_domain():
    domain = isolate()
    assert 0 < domain <= 101
    assert os.environ['ROS_DOMAIN_ID'] == str(domain)
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    for name in ('FASTDDS_DEFAULT_PROFILES_FILE', 'FASTRTPS_DEFAULT_PROFILES_FILE'):
        assert os.environ[name].endswith('fastdds.xml')


def test_keeps_what_the_shell_says(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '42')
    monkeypatch.setenv('FASTDDS_DEFAULT_PROFILES_FILE', '/my/profile.xml')
    assert isolate() == 42
    assert os.environ['FASTDDS_DEFAULT_PROFILES_FILE'] == '/my/profile.xml'
