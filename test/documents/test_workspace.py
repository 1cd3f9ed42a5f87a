"""The commands of the README for a workspace find the packages."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('colcon_core')

ROOT = Path(__file__).resolve().parents[2]
NESTED = 'robot_dynamics_interfaces', 'robot_dynamics_controller'
NAMES = {'robot_dynamics_ros', *NESTED}


@pytest.fixture
def workspace(tmp_path):
    """One with what colcon reads of a clone, and without `colcon_defaults.yaml` in its root."""
    clone = tmp_path / 'src' / 'robot_dynamics_ros'
    clone.mkdir(parents=True)
    for file in ('package.xml', 'setup.py', 'setup.cfg', 'colcon_defaults.yaml'):
        shutil.copy(ROOT / file, clone)
    for name in NESTED:
        shutil.copytree(ROOT / name, clone / name)
    return tmp_path


def listed(folder, *arguments):
    colcon = [sys.executable, '-m', 'colcon', '--log-base', '/dev/null', 'list', '--names-only']
    options = {'capture_output': True, 'text': True, 'timeout': 60.0, 'check': True}
    return {*subprocess.run([*colcon, *arguments], cwd=folder, **options).stdout.split()}


def folders(option, program):
    """What the README gives to an option of a program."""
    section = (ROOT / 'README.md').read_text().partition('## In your workspace')[2]
    (line,) = re.findall(rf'^{program} .*$', section.split('```')[1], re.M)
    return re.search(rf'{option} ([^-]+)$', line).group(1).split()


def test_colcon_and_rosdep_find_the_packages_as_the_readme_says(workspace):
    assert listed(workspace, '--base-paths', *folders('--base-paths', 'colcon build')) == NAMES
    # In the root of the repository no option is needed.
    assert listed(workspace / 'src' / 'robot_dynamics_ros') == NAMES
    # rosdep does not look below a package.
    given = folders('--from-paths', 'rosdep install')
    assert {Path(path).name for path in given} == {'src', *NESTED}
