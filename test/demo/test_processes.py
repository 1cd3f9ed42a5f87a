"""Children end with their parent, however it ends; a domain of their own."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from waiting import wait_until

from robot_dynamics_ros.demo import DemoError, processes
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


def test_children_end_with_the_context_if_they_ignore_sigint_too(modules, monkeypatch):
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
        wait_until(lambda: 'deaf' in children.log_tail('stubborn'), 'it', children.require_alive)
    assert child.returncode == -signal.SIGKILL


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='needs prctl')
def test_children_end_when_the_parent_is_killed(modules):
    logs = modules('sleeper', 'import time; time.sleep(60)')
    command = [sys.executable, '-c', PARENT, str(logs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        pid = int(parent.stdout.readline())
        parent.kill()
    wait_until(lambda: not runs(pid), 'the end of the child', lambda: time.sleep(0.02))


def test_an_ended_child_is_reported_with_the_end_of_its_log(modules):
    logs = modules('failing', "import sys; sys.exit('no such arm')")
    with Children(logs) as children:
        children.start('failing', 'failing', {}).wait(10.0)
        with pytest.raises(DemoError, match=r'failing.*1(.|\n)*no'):
            children.require_alive()


def test_keeps_to_this_machine_and_to_what_the_shell_says(monkeypatch):
    pytest.importorskip('ament_index_python')
    monkeypatch.setattr(os, 'environ', dict(os.environ))
    for name in ('ROS_DOMAIN_ID', 'ROS_DISTRO', 'ROS_WHEELS', 'FASTDDS_DEFAULT_PROFILES_FILE'):
        os.environ.pop(name, None)
    domain = isolate()
    assert domain in range(1, 61)
    assert os.environ['ROS_DOMAIN_ID'] == str(domain)
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert os.environ['FASTDDS_DEFAULT_PROFILES_FILE'].endswith('fastdds.xml')
    told = {'ROS_DOMAIN_ID': '42', 'FASTDDS_DEFAULT_PROFILES_FILE': '/my/profile.xml'}
    os.environ.update(told)
    assert isolate() == 42
    assert told.items() <= os.environ.items()
    # Jazzy's Fast DDS does not read the new name; later ones warn of the old one.
    os.environ['ROS_WHEELS'] = 'jazzy'
    assert profile_variable() == 'FASTRTPS_DEFAULT_PROFILES_FILE'
