"""Tasks on processes of this machine: outcomes in order, errors and dead processes as rows."""

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import fleet_tasks
import pytest
from waiting import wait_until

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.scheduling import Task, run
from robot_dynamics_ros.scheduling import tasks as task_module

COMMON = {'offset': 0.5}
LIMIT = 60.0


def squares(count):
    return [Task(f'task {number}', fleet_tasks.square, (number,)) for number in range(count)]


@pytest.mark.parametrize('processes', [1, 2])
def test_outcomes_are_in_the_order_of_the_tasks(processes):
    reported = []
    outcomes = run(squares(9), common=COMMON, processes=processes, report=reported.append)
    assert [outcome.name for outcome in outcomes] == [f'task {number}' for number in range(9)]
    assert [outcome.result['square'] for outcome in outcomes] == [n**2 + 0.5 for n in range(9)]
    assert sorted(outcome.name for outcome in reported) == [outcome.name for outcome in outcomes]
    used = {outcome.result['process'] for outcome in outcomes}
    assert (used == {os.getpid()}) == (processes == 1)
    assert len(used) <= processes


@pytest.mark.parametrize('processes', [1, 2])
def test_an_error_is_a_row_and_not_the_end(processes):
    tasks = [
        Task('refused', fleet_tasks.refuse, ('arm.mcap: no joint states,\nonly images',)),
        Task('failed', fleet_tasks.fail, (3,)),
        Task('missing', fleet_tasks.fail_until, ('/nowhere/file', 1)),
        *squares(2),
    ]
    if processes > 1:
        tasks += [Task('odd', fleet_tasks.unpicklable, (0,))]
    outcomes = {o.name: o for o in run(tasks, common=COMMON, processes=processes)}
    if processes > 1:
        assert 'pickle' in outcomes['odd'].error
    assert outcomes['refused'].error == 'arm.mcap: no joint states, only images'
    assert outcomes['refused'].traceback == ''
    assert outcomes['failed'].error == 'ZeroDivisionError: division by zero'
    assert 'in fail' in outcomes['failed'].traceback
    assert '/nowhere/file' in outcomes['missing'].error
    assert outcomes['task 1'].result['square'] == 1.5


def test_a_killed_process_loses_nothing(tmp_path):
    """One of two processes is killed in the middle of its task."""
    tasks = [Task(f'{n}', fleet_tasks.write_process, (str(tmp_path), n)) for n in range(5)]
    outcomes = []
    caller = threading.Thread(target=lambda: outcomes.extend(run(tasks, processes=2)))
    caller.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 'two tasks', LIMIT, pause)
    victim = next(iter(tmp_path.iterdir()))
    os.kill(int(victim.suffix[1:]), signal.SIGKILL)
    wait_until(lambda: len(list(tmp_path.iterdir())) == 3, 'the next task', LIMIT, pause)
    (tmp_path / 'go').touch()
    caller.join(LIMIT)
    assert [outcome.result for outcome in outcomes] == list(range(5))
    begun = [path.stem for path in tmp_path.iterdir() if path.name != 'go']
    assert begun.count(victim.stem) == 2


def pause():
    time.sleep(0.005)


def test_a_task_that_ends_its_process_each_time_is_a_row():
    outcomes = run([Task('bomb', fleet_tasks.die, (0,)), *squares(4)], common=COMMON, processes=2)
    assert 'killed' in outcomes[0].error
    assert [outcome.error for outcome in outcomes[1:]] == [''] * 4


def test_an_interruption_ends_all_processes_and_removes_what_they_write(tmp_path):
    tasks = [Task('writer', fleet_tasks.interrupt_parent, (str(tmp_path),))]
    tasks += [Task(f'{n}', fleet_tasks.write_process, (str(tmp_path), n)) for n in range(2)]
    before = multiprocessing.active_children()
    with pytest.raises(KeyboardInterrupt):
        run(tasks, processes=2)
    assert multiprocessing.active_children() == before
    assert not Path(tmp_path, 'half_written').exists()


def test_an_interruption_while_an_outcome_is_reported_ends_all_processes(tmp_path):
    tasks = [*squares(1), Task('waits', fleet_tasks.write_process, (str(tmp_path), 0))]
    before = multiprocessing.active_children()

    def interrupt(outcome):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        run(tasks, common=COMMON, processes=2, report=interrupt)
    # The frames of `run` exist as long as the traceback does.
    assert caught.tb is not None
    assert multiprocessing.active_children() == before


def test_each_process_makes_common_things_once():
    tasks = [Task(f'{n}', fleet_tasks.made_once, (n,)) for n in range(12)]
    results = [tuple(o.result) for o in run(tasks, common='urdf', processes=2)]
    assert len(set(results)) == len({process for process, _ in results})


def test_the_cores_are_divided_among_the_processes(monkeypatch):
    """The libraries of NumPy take one thread for each core otherwise, in each process."""
    monkeypatch.delenv('OPENBLAS_NUM_THREADS', raising=False)
    monkeypatch.setattr(task_module, 'available_cores', lambda: 6)
    tasks = [Task(f'{n}', fleet_tasks.variable, ('OPENBLAS_NUM_THREADS',)) for n in range(2)]
    assert [outcome.result for outcome in run(tasks, processes=2)] == ['3', '3']
    assert 'OPENBLAS_NUM_THREADS' not in os.environ
    monkeypatch.setenv('OPENBLAS_NUM_THREADS', '5')
    assert [outcome.result for outcome in run(tasks, processes=2)] == ['5', '5']


def test_an_address_without_a_protocol_is_refused():
    with pytest.raises(ParameterError, match=r"'localhost:8786'.*tcp://HOST:PORT"):
        run(squares(2), common=COMMON, scheduler='localhost:8786')


def test_two_tasks_of_one_name_are_refused():
    with pytest.raises(ParameterError, match=r"2.*'task 0'"):
        run([*squares(1), *squares(1)], common=COMMON)


def test_nothing_to_do():
    assert run([]) == []
