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
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.scheduling import Task, run

COMMON = {'offset': 0.5}


def squares(folder, count):
    files = []
    for number in range(count):
        files.append(folder / f'{number}.mcap')
        if not files[-1].exists():
            files[-1].write_text(str(number))
    return [
        Task(f'task {number}', fleet_tasks.square, (number,), reads=(file,))
        for number, file in enumerate(files)
    ]


def kept(outcomes):
    return [outcome.kept for outcome in outcomes]


def test_a_second_run_computes_what_is_missing(tmp_path):
    folder = tmp_path / 'results'
    first = run(squares(tmp_path, 3), common=COMMON, processes=1, resume=folder)
    assert kept(first) == [False] * 3
    second = run(squares(tmp_path, 5), common=COMMON, processes=1, resume=folder)
    assert kept(second) == [True] * 3 + [False] * 2
    for one, other in zip(first, second, strict=False):
        assert one.result['square'] == other.result['square']
        assert one.result['values'].tolist() == other.result['values'].tolist()
    assert [outcome.result['square'] for outcome in second] == [n**2 + 0.5 for n in range(5)]


def test_errors_are_tried_again(tmp_path):
    task = Task('passing', fleet_tasks.fail_until, (str(tmp_path / 'attempts'), 2))
    assert run([task], resume=tmp_path / 'results')[0].error
    assert run([task], resume=tmp_path / 'results')[0].result == 'done'
    assert run([task], resume=tmp_path / 'results')[0].kept


def test_what_decides_a_result_is_compared(tmp_path):
    def computed(tasks, common=COMMON):
        outcomes = run(tasks, common=common, processes=1, resume=tmp_path / 'results')
        return [outcome.name for outcome in outcomes if not outcome.kept]

    tasks = squares(tmp_path, 2)
    assert computed(tasks) == ['task 0', 'task 1']
    assert computed(tasks) == []
    (tmp_path / '1.mcap').write_text('another recording')
    assert computed(tasks) == ['task 1']
    assert computed(tasks, {'offset': 0.25}) == ['task 0', 'task 1']
    assert computed([replace(tasks[0], arguments=(7,))]) == ['task 0']
    output = tmp_path / 'output.mcap'
    writes = [replace(tasks[0], writes=(output,))]
    assert computed(writes) == ['task 0']
    output.touch()
    assert computed(writes) == []


def test_a_folder_of_a_recording_is_compared_file_by_file(tmp_path):
    bag = tmp_path / 'bag'
    bag.mkdir()
    (bag / 'bag_0.mcap').write_text('0')
    task = Task('bag', fleet_tasks.square, (1,), reads=(bag,))
    for expected in (False, True):
        assert kept(run([task], common=COMMON, resume=tmp_path / 'results')) == [expected]
    (bag / 'bag_1.mcap').write_text('1')
    assert kept(run([task], common=COMMON, resume=tmp_path / 'results')) == [False]


def test_a_damaged_result_is_computed_again(tmp_path):
    folder = tmp_path / 'results'
    tasks = squares(tmp_path, 1)
    run(tasks, common=COMMON, resume=folder)
    (file,) = folder.iterdir()
    for damaged in (b'', b'PK\x03\x04', file.read_bytes()[:-30]):
        file.write_bytes(damaged)
        assert kept(run(tasks, common=COMMON, resume=folder)) == [False]
        assert kept(run(tasks, common=COMMON, resume=folder)) == [True]


def test_a_result_that_cannot_be_written_leaves_no_file(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, 'No space left on device')

    folder = tmp_path / 'results'
    monkeypatch.setattr(os, 'replace', full)
    monkeypatch.setattr(Path, 'replace', full)
    with pytest.raises(OSError, match='No space'):
        run(squares(tmp_path, 1), common=COMMON, resume=folder)
    assert list(folder.iterdir()) == []


def test_a_result_may_be_read_by_those_who_may_read_new_files(tmp_path):
    run(squares(tmp_path, 1), common=COMMON, resume=tmp_path / 'results')
    (file,) = (tmp_path / 'results').iterdir()
    (tmp_path / 'new').touch()
    assert file.stat().st_mode == (tmp_path / 'new').stat().st_mode


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / 'results').touch()
    with pytest.raises(ParameterError, match='results'):
        run(squares(tmp_path, 1), common=COMMON, resume=tmp_path / 'results')


def test_a_folder_that_cannot_be_written_is_named_before_the_work():
    with pytest.raises(OSError, match='/proc') as refused:
        run([], resume=Path('/proc'))
    assert refused.value.filename == '/proc'


class Bomb:
    """Says that it was executed."""

    def __reduce__(self):
        return pytest.fail, ('a pickle was executed',)


@pytest.mark.parametrize(
    'content',
    [
        pickle.dumps(Bomb()),
        pickle.dumps(np.array([Bomb()], object)),
        pickle.dumps(os.system),
        pickle.dumps(run),
        pickle.dumps(ParameterError('x')),
    ],
    ids=['call', 'array', 'function', 'own function', 'own class'],
)
def test_nothing_is_executed_from_a_result_of_others(content, tmp_path):
    folder = tmp_path / 'results'
    tasks = squares(tmp_path, 1)
    run(tasks, common=COMMON, resume=folder)
    (file,) = folder.iterdir()
    file.write_bytes(content)
    assert kept(run(tasks, common=COMMON, resume=folder)) == [False]


def test_results_are_numbers_arrays_and_dataclasses_of_the_package(tmp_path):
    task = Task('mixed', fleet_tasks.mixed)
    first, second = (run([task], resume=tmp_path / 'results')[0] for _ in range(2))
    assert second.kept
    assert repr(second.result) == repr(first.result)


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
