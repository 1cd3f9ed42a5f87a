"""Children end with their parent, however it ends."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from robot_dynamics_ros.demo import DemoError, processes
from robot_dynamics_ros.demo.processes import Children

PARENT = """
import sys, time
from pathlib import Path
from robot_dynamics_ros.demo.processes import Children
with Children(Path(sys.argv[1])) as children:
    print(children.start('sleeper', 'sleeper', []).pid, flush=True)
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
        child = children.start('sleeper', 'sleeper', [])
        assert runs(child.pid)
        children.require_alive()
    assert ends(child.pid)


def test_a_child_that_ignores_sigint_is_ended(modules, monkeypatch):
    # The same signals, sooner.
    sooner = tuple((number, 0.1 * patience) for number, patience in processes._STOPPING)
    monkeypatch.setattr(processes, '_STOPPING', sooner)
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
        child = children.start('stubborn', 'stubborn', [])
        while 'deaf' not in child.log.read_text():
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
        child = children.start('failing', 'failing', [])
        assert ends(child.pid)
        with pytest.raises(DemoError, match=r'failing.*1(.|\n)*no'):
            children.require_alive()
        assert 'on stdout' in children.log_tail('failing')


def test_processor_time_is_counted(modules):
    logs = modules('busy', 'while True: pass')
    with Children(logs) as children:
        children.start('busy', 'busy', [])
        deadline = time.monotonic() + 10
        while children.cpu_seconds()['busy'] < 0.1:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert children.cpu_seconds()['observer'] > 0.0
