import pytest

from robot_dynamics_ros.demo import default_arm


@pytest.fixture
def no_package(monkeypatch):
    monkeypatch.setattr(default_arm.metadata, 'files', lambda name: None)
    for variable in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):
        monkeypatch.delenv(variable, raising=False)


def test_finds_it_in_a_prefix(no_package, tmp_path, monkeypatch):
    file = tmp_path / 'share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf'
    file.parent.mkdir(parents=True)
    file.write_text('<robot/>')
    monkeypatch.setenv('CMAKE_PREFIX_PATH', f'/nowhere:{tmp_path}')
    assert default_arm.default_urdf() == file
