"""Plugins that ROS adds to pytest."""

import subprocess
import sys
from pathlib import Path

NAMES = ('launch_testing', 'launch_ros', 'launch_pytest')


def test_a_plugin_with_a_hook_that_pytest_9_refuses_does_not_end_the_run(tmp_path, monkeypatch):
    """As that of a launch_testing that is older than pytest 9."""
    (tmp_path / 'old_plugin.py').write_text('def pytest_ignore_collect(no_such_argument): ...\n')
    described = tmp_path / 'old_plugin-1.0.dist-info'
    described.mkdir()
    (described / 'METADATA').write_text('Name: old_plugin\nVersion: 1.0\n')
    entries = '\n'.join(f'{name} = old_plugin' for name in NAMES)
    (described / 'entry_points.txt').write_text(f'[pytest11]\n{entries}\n')
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    command = [sys.executable, '-m', 'pytest', '--collect-only', '-q', '--noconftest']
    command.append('test/test_domains.py')
    ended = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True)
    assert ended.returncode == 0, ended.stderr
