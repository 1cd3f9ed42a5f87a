"""Expansion in a process of its own: within limits, wherever and however it is started."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from xacro_bombs import BOMBS, doubling_properties, expression

from robot_dynamics_ros.core import UrdfError
from robot_dynamics_ros.xacro_expansion import expand_xacro, xacro_text

pytest.importorskip('xacro', reason='the package xacro is not installed')

GOOD = expression('10 + 1')
# In MiB. The caller holds the text and, while it looks for entities, its elements.
OWN_MEMORY = 64
# The peak is of this process alone; ru_maxrss would begin with the parent's.
RUN_BOMBS = """
import json, resource
from pathlib import Path
import xacro_bombs
from robot_dynamics_ros.core import UrdfError
from robot_dynamics_ros.xacro_expansion import expand_xacro

def peak():
    words = Path('/proc/self/status').read_text().split()
    return int(words[words.index('VmHWM:') + 1]) // 1024

def seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

expand_xacro(xacro_bombs.expression('1 + 1'))
answers = {}
for name, (text, _) in xacro_bombs.BOMBS.items():
    answer = None
    seconds_before, peak_before = seconds(), peak()
    try:
        expand_xacro(text)
    except UrdfError as error:
        answer = str(error)
    answers[name] = [answer, seconds() - seconds_before, peak() - peak_before]
print(json.dumps(answers))
"""


@pytest.fixture(scope='module')
def answers():
    """Of each bomb: the refusal, the processor seconds and the caller's memory that it took."""
    if not Path('/proc/self/status').exists():
        pytest.skip('no /proc/self/status to measure with')
    tests = Path(__file__).parents[1]
    result = subprocess.run(
        [sys.executable, '-c', RUN_BOMBS],
        env={'PYTHONPATH': ':'.join([str(tests), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout)


@pytest.mark.parametrize('name', BOMBS)
def test_bomb(answers, name):
    """Processor time, not the clock: other processes may hold this one up."""
    answer, seconds, memory = answers[name]
    assert answer is not None
    assert re.search(BOMBS[name][1], answer)
    assert len(answer.splitlines()) == 1
    assert len(answer) < 500
    assert seconds < 1.0
    assert memory < OWN_MEMORY


def test_threads():
    texts = [expression(f'10 + {number}') for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(expand_xacro, texts))
    for number, result in enumerate(results):
        assert f'<link name="{10 + number}"/>' in result


def test_the_current_folder_is_not_imported_from(tmp_path, monkeypatch):
    for name in ('ast', 'expressions', 'limits', 'xacro', 'yaml'):
        (tmp_path / f'{name}.py').write_text('raise RuntimeError')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    assert '<link name="11"/>' in expand_xacro(GOOD)


def test_half_of_the_variables_of_a_ros_environment(monkeypatch):
    """A start-up hook of ROS's wheels looks at both of these variables."""
    monkeypatch.setenv('_ROS_WHEELS_BOOTSTRAP_COMPLETE', '1')
    monkeypatch.delenv('LD_LIBRARY_PATH', raising=False)
    assert '<link name="11"/>' in expand_xacro(GOOD)
    monkeypatch.delenv('_ROS_WHEELS_BOOTSTRAP_COMPLETE')
    monkeypatch.setenv('LD_LIBRARY_PATH', os.sep)
    assert '<link name="11"/>' in expand_xacro(GOOD)


def test_characters_beyond_ascii():
    text = GOOD.replace('base', 'Stützpunkt \N{GREEK SMALL LETTER ALPHA}')
    assert 'Stützpunkt \N{GREEK SMALL LETTER ALPHA}' in expand_xacro(text)


def test_process_without_processor_time(monkeypatch):
    monkeypatch.setattr(xacro_text, 'WALL_SECONDS', 0.001)
    with pytest.raises(UrdfError, match=r'allowed 0\.001 s: expand'):
        expand_xacro(doubling_properties(60))


@pytest.mark.skipif(shutil.which('false') is None, reason='no command `false`')
def test_process_without_an_answer(monkeypatch):
    monkeypatch.setattr(sys, 'executable', shutil.which('false'))
    with pytest.raises(UrdfError, match=r'\(exit status 1\): expand'):
        expand_xacro(GOOD)


def test_process_that_does_not_start(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, 'executable', str(tmp_path / 'python'))
    with pytest.raises(UrdfError, match=r'cannot be started'):
        expand_xacro(GOOD)
