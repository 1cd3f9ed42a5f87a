"""Children end with their parent, however it ends; a domain of their own; the default arm."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import robot_dynamics_ros.demo as demo
from robot_dynamics_ros.demo import DemoError, default_urdf, processes
from robot_dynamics_ros.demo.processes import Children, isolate, profile_variable

PARENT = """
import sys, time
from pathlib import Path
from robot_dynamics_ros.demo.processes import Children
with Children(Path(sys.argv[1])) as children:
    print(children.start('sleeper', 'sleeper', {}).pid, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Write modules that a child can run."""
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join([str(tmp_path), *sys.path]))

    def write(name, text):
        (tmp_path / f'{name}.py').write_text(textwrap.dedent(text))
        return tmp_path

    return write


def runs(pid):
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def ends(pid):
    deadline = time.monotonic() + 10
    while runs(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_children_end_with_the_context(modules):
    logs = modules('sleeper', 'import time; time.sleep(60)')
    with Children(logs) as children:
        child = children.start('sleeper', 'sleeper', {})
        assert runs(child.pid)
        children.require_alive()
    assert ends(child.pid)


def test_a_child_that_ignores_sigint_is_ended(modules, monkeypatch):
    # The same signals, sooner.
    sooner = tuple((number, 0.1 * patience) for number, patience in processes.STOPPING)
    monkeypatch.setattr(processes, 'STOPPING', sooner)
    logs = modules(
        'stubborn',
        """
        import signal, time
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        print('deaf', flush=True)
        time.sleep(60)
        """,
    )
    with Children(logs) as children:
        child = children.start('stubborn', 'stubborn', {})
        while 'deaf' not in children.log_tail('stubborn'):
            time.sleep(0.02)
    assert ends(child.pid)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='needs prctl')
def test_children_end_when_the_parent_is_ended(modules, number):
    logs = modules('sleeper', 'import time; time.sleep(60)')
    parent = subprocess.Popen(
        [sys.executable, '-c', PARENT, str(logs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        pid = int(parent.stdout.readline())
        parent.send_signal(number)
        parent.wait(10)
    finally:
        parent.kill()
        parent.stdout.close()
    assert ends(pid)


def test_an_ended_child_is_reported_with_the_end_of_its_log(modules):
    logs = modules('failing', "import sys; print('on stdout'); sys.exit('no such arm')")
    with Children(logs) as children:
        child = children.start('failing', 'failing', {})
        assert ends(child.pid)
        with pytest.raises(DemoError, match=r'failing.*1(.|\n)*no'):
            children.require_alive()
        assert 'on stdout' in children.log_tail('failing')


@pytest.fixture
def environment(monkeypatch):
    profiles = ('FASTDDS_DEFAULT_PROFILES_FILE', 'FASTRTPS_DEFAULT_PROFILES_FILE')
    for name in ('ROS_DOMAIN_ID', 'ROS_STATIC_PEERS', *profiles):
        monkeypatch.setenv(name, 'x')  # so that it is put back afterwards
        monkeypatch.delenv(name)
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    return monkeypatch


def test_keeps_to_this_machine_and_takes_a_free_domain(environment):
    pytest.importorskip('ament_index_python')
    domain = isolate()
    assert domain in processes.DOMAINS
    assert os.environ['ROS_DOMAIN_ID'] == str(domain)
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert os.environ[profile_variable()].endswith('fastdds.xml')


def test_keeps_what_the_shell_says(environment):
    environment.setenv('ROS_DOMAIN_ID', '42')
    environment.setenv(profile_variable(), '/my/profile.xml')
    assert isolate() == 42
    assert os.environ[profile_variable()] == '/my/profile.xml'


@pytest.mark.parametrize('name', ['ROS_DISTRO', 'ROS_WHEELS'])
def test_sets_the_variable_of_the_distribution(environment, name):
    """Jazzy's Fast DDS does not read the new name; later ones warn of the old one."""
    environment.setenv('ROS_DISTRO', 'kilted')
    environment.setenv('ROS_WHEELS', '')
    assert 'DDS' in profile_variable()
    environment.setenv(name, 'jazzy')
    assert 'RTPS' in profile_variable()


def test_finds_the_default_arm_in_a_prefix(tmp_path, monkeypatch):
    monkeypatch.setattr(demo.metadata, 'files', lambda name: None)
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    file = tmp_path / 'share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf'
    file.parent.mkdir(parents=True)
    file.write_text('<robot/>')
    monkeypatch.setenv('CMAKE_PREFIX_PATH', f'/nowhere:{tmp_path}')
    assert default_urdf() == file
