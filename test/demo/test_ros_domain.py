import os

import pytest

from robot_dynamics_ros.demo.ros_domain import isolate, profile_variable


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
    assert os.environ[profile_variable()].endswith('fastdds.xml')


def test_keeps_what_the_shell_says(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '42')
    monkeypatch.setenv(profile_variable(), '/my/profile.xml')
    assert isolate() == 42
    assert os.environ[profile_variable()] == '/my/profile.xml'


@pytest.mark.parametrize('name', ['ROS_DISTRO', 'ROS_WHEELS'])
def test_sets_the_variable_of_the_distribution_alone(monkeypatch, name):
    """Jazzy's Fast DDS does not read the new name; later ones warn of the old one."""
    both = {'FASTDDS_DEFAULT_PROFILES_FILE', 'FASTRTPS_DEFAULT_PROFILES_FILE'}
    for distribution in ('jazzy', 'kilted'):
        monkeypatch.setenv('ROS_DISTRO', 'kilted')
        monkeypatch.setenv('ROS_WHEELS', '')
        monkeypatch.setenv(name, distribution)
        for variable in both:
            monkeypatch.delenv(variable, raising=False)
        isolate()
        assert both & set(os.environ) == {profile_variable()}
        assert ('RTPS' in profile_variable()) == (distribution == 'jazzy')
