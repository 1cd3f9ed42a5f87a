"""Processes of this machine: they end with the call, and with the process that has called."""

import multiprocessing
import os
import time
from pathlib import Path

import fleet_tasks
import pytest
from waiting import wait_until

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.scheduling import Task, run
from robot_dynamics_ros.scheduling import tasks as task_module

LIMIT = 60.0


def pause():
    time.sleep(0.005)


def test_an_interruption_ends_all_processes_and_removes_what_they_write(tmp_path):
    tasks = [Task('writer', fleet_tasks.interrupt_parent, (str(tmp_path),))]
    tasks += [Task(f'{n}', fleet_tasks.write_process, (str(tmp_path), n)) for n in range(2)]
    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt) as caught:
        run(tasks, processes=2)
    # The frames of `run` exist as long as the traceback does.
    assert caught.tb is not None
    # The list may lag behind: two threads of the executor ask how one has ended.
    children = set(multiprocessing.active_children()) - before
    assert not any(is_running(child.pid) for child in children)
    assert not Path(tmp_path, 'half_written').exists()


def test_processes_end_with_the_one_that_has_started_them(tmp_path):
    """That of the tasks is killed: nobody closes what it has begun."""
    context = multiprocessing.get_context('spawn')
    parent = context.Process(target=fleet_tasks.run_writers, args=(str(tmp_path),))
    parent.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 'two tasks', LIMIT, pause)
    parent.kill()
    parent.join()
    workers = [int(path.suffix[1:]) for path in tmp_path.iterdir()]
    wait_until(lambda: not any(map(is_running, workers)), 'the end', LIMIT, pause)


def is_running(process):
    """Whether a process computes: nobody may have asked how one has ended that has no parent."""
    try:
        state = Path(f'/proc/{process}/stat').read_text().rpartition(') ')[2][0]
    except OSError:
        return False
    return state != 'Z'


def test_the_cores_are_divided_among_the_processes(monkeypatch):
    """The libraries of NumPy take one thread for each core otherwise, in each process."""
    monkeypatch.delenv('OPENBLAS_NUM_THREADS', raising=False)
    monkeypatch.setattr(task_module, 'available_cores', lambda: 6)
    tasks = [Task(f'{n}', fleet_tasks.variable, ('OPENBLAS_NUM_THREADS',)) for n in range(2)]
    assert [outcome.result for outcome in run(tasks, processes=2)] == ['3', '3']
    assert 'OPENBLAS_NUM_THREADS' not in os.environ
    monkeypatch.setenv('OPENBLAS_NUM_THREADS', '5')
    assert [outcome.result for outcome in run(tasks, processes=2)] == ['5', '5']


def test_two_tasks_of_one_name_are_refused():
    with pytest.raises(ParameterError, match=r"2.*'task 0'"):
        run([Task('task 0', fleet_tasks.square)] * 2)
