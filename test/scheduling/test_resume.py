"""A second run computes only what is missing."""

import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import fleet_tasks
import numpy as np
import pytest

import robot_dynamics_ros
from robot_dynamics_ros.scheduling import Task, run

COMMON = {'offset': 0.5}


@pytest.fixture
def computed(tmp_path):
    """Runs tasks; which of them have been computed, and not kept."""

    def run_again(tasks, common=COMMON):
        outcomes = run(tasks, common=common, processes=1, resume=tmp_path / 'results')
        return [outcome.name for outcome in outcomes if not outcome.kept]

    return run_again


def squares(folder, count):
    files = [folder / f'{number}.mcap' for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(str(number))
        os.utime(file, ns=(0, 0))
    return [
        Task(f'task {number}', fleet_tasks.square, (number,), reads=(file,))
        for number, file in enumerate(files)
    ]


def test_what_decides_a_result_is_compared(tmp_path, computed):
    tasks = squares(tmp_path, 2)
    assert computed(tasks) == ['task 0', 'task 1']
    assert computed(tasks) == []
    assert computed(squares(tmp_path, 3)) == ['task 2']
    (tmp_path / '1.mcap').write_text('another recording')
    assert computed(tasks) == ['task 1']
    assert computed(tasks, {'offset': 0.25}) == ['task 0', 'task 1']
    assert computed([replace(tasks[0], arguments=(7,))]) == ['task 0']
    output = tmp_path / 'output.mcap'
    writes = [replace(tasks[0], writes=(output,))]
    assert computed(writes) == ['task 0']
    output.touch()
    assert computed(writes) == []
    # A folder of a recording: file by file.
    folder = [Task('bag', fleet_tasks.square, (1,), reads=(tmp_path / 'bag',))]
    for name in ('bag_0.mcap', 'bag_1.mcap'):
        (tmp_path / 'bag').mkdir(exist_ok=True)
        (tmp_path / 'bag' / name).write_text('0')
        assert computed(folder) == ['bag']
        assert computed(folder) == []


def test_errors_are_tried_again_and_kept_results_are_those_that_were_computed(tmp_path):
    tasks = [
        Task('passing', fleet_tasks.fail_until, (str(tmp_path / 'attempts'), 2)),
        Task('mixed', fleet_tasks.mixed),
    ]
    first, second, third = (run(tasks, resume=tmp_path / 'results') for _ in range(3))
    assert (bool(first[0].error), second[0].result, third[0].kept) == (True, 'done', True)
    assert second[1].kept
    assert repr(second[1].result) == repr(first[1].result)


def test_a_damaged_result_is_computed_again(tmp_path, computed):
    tasks = squares(tmp_path, 1)
    assert computed(tasks)
    (file,) = (tmp_path / 'results').iterdir()
    for damaged in (b'', b'PK\x03\x04', file.read_bytes()[:-30]):
        file.write_bytes(damaged)
        assert computed(tasks)
        assert not computed(tasks)


class Bomb:
    def __reduce__(self):
        return pytest.fail, ('a pickle was executed',)


@pytest.mark.parametrize('content', [Bomb(), np.array([Bomb()], object)])
def test_nothing_is_executed_from_a_result_of_others(content, tmp_path, computed):
    tasks = squares(tmp_path, 1)
    assert computed(tasks)
    (file,) = (tmp_path / 'results').iterdir()
    file.write_bytes(pickle.dumps(content))
    assert computed(tasks)


@pytest.mark.contract
def test_results_of_other_code_are_computed_again(tmp_path):
    """A copy of the package, of which a comment is changed."""
    copy = tmp_path / 'robot_dynamics_ros'
    shutil.copytree(Path(robot_dynamics_ros.__file__).parent, copy)
    code = (
        'from pathlib import Path; import fleet_tasks; '
        'from robot_dynamics_ros.scheduling import Task, run; '
        "task = Task('one', fleet_tasks.square, (3,)); "
        "print(run([task], common={'offset': 0.5}, resume=Path('results'))[0].kept)"
    )
    paths = [str(tmp_path), *sys.path]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, paths))}

    def kept():
        return subprocess.run(
            [sys.executable, '-c', code], cwd=tmp_path, env=environment, text=True,
            capture_output=True, check=True,
        ).stdout.strip()  # fmt: skip

    assert [kept(), kept()] == ['False', 'True']
    with (copy / 'core' / 'errors.py').open('a') as file:
        file.write('# changed\n')
    assert kept() == 'False'
