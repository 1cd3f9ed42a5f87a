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
from robot_dynamics_ros.scheduling import Task, local_processes, run
from robot_dynamics_ros.scheduling.interruptions import ending_as_interruption

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


@pytest.mark.parametrize('processes', [1, 2])
def test_a_divided_task_is_joined_as_soon_as_its_parts_are_there(processes):
    whole = Task('whole', fleet_tasks.square, (9,), parts=tuple(squares(3)), join=total)
    tasks = [whole, Task('alone', fleet_tasks.square, (4,))]
    reported = []
    outcomes = run(tasks, common=COMMON, processes=processes, report=reported.append)
    assert outcomes[0].result == 0.5 + 1.5 + 4.5
    assert outcomes[1].result['square'] == 16.5
    names = sorted(outcome.name for outcome in reported)
    assert names == ['alone', 'task 0', 'task 1', 'task 2']


def total(results):
    return sum(result['square'] for result in results)


def test_the_error_of_a_part_is_that_of_its_task():
    parts = (*squares(2), Task('refused', fleet_tasks.refuse, ('arm.mcap: no states',)))
    tasks = [Task('whole', fleet_tasks.square, (9,), parts=parts, join=total), *squares(4)[2:]]
    outcomes = run(tasks, common=COMMON, processes=1)
    assert [outcome.error for outcome in outcomes] == ['arm.mcap: no states', '', '']


def test_what_cannot_be_joined_is_the_error_of_its_task():
    task = Task('whole', fleet_tasks.square, (9,), parts=tuple(squares(2)), join=len_of_nothing)
    (outcome,) = run([task], common=COMMON, processes=1)
    assert outcome.error.startswith('TypeError: ')
    assert 'len_of_nothing' in outcome.traceback


def len_of_nothing(results):
    return len(None)


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
    assert 'SIGKILL, 2 times' in outcomes[0].error
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


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_process_is_started_waits_for_its_start(capfd, monkeypatch, number):
    """Else the process would find half of what it is told, and print a traceback."""
    begun = []
    send = local_processes.CONTEXT.Process._Popen

    def interrupted(process):
        begun.append('started')
        os.kill(os.getpid(), number)
        popen = send(process)
        begun.append('told')
        return popen

    monkeypatch.setattr(local_processes.CONTEXT.Process, '_Popen', staticmethod(interrupted))
    before = multiprocessing.active_children()
    with ending_as_interruption() as came, pytest.raises(KeyboardInterrupt):
        run(squares(4), common=COMMON, processes=2)
    assert begun == ['started', 'told']
    assert came == ([] if number == signal.SIGINT else [number])
    wait_until(lambda: multiprocessing.active_children() == before, 'its end', LIMIT, pause)
    assert 'Traceback' not in capfd.readouterr().err


def test_each_process_makes_common_things_once():
    tasks = [Task(f'{n}', fleet_tasks.made_once, (n,)) for n in range(12)]
    results = [tuple(o.result) for o in run(tasks, common='urdf', processes=2)]
    assert len(set(results)) == len({process for process, _ in results})


def test_the_cores_are_divided_among_the_processes(monkeypatch):
    """The libraries of NumPy take one thread for each core otherwise, in each process."""
    monkeypatch.delenv('OPENBLAS_NUM_THREADS', raising=False)
    monkeypatch.setattr(local_processes, 'available_cores', lambda: 6)
    tasks = [Task(f'{n}', fleet_tasks.variable, ('OPENBLAS_NUM_THREADS',)) for n in range(2)]
    assert [outcome.result for outcome in run(tasks, processes=2)] == ['3', '3']
    assert 'OPENBLAS_NUM_THREADS' not in os.environ
    monkeypatch.setenv('OPENBLAS_NUM_THREADS', '5')
    assert [outcome.result for outcome in run(tasks, processes=2)] == ['5', '5']


def test_threads_of_a_process_make_common_things_once():
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(fleet_tasks.made_of('of threads')))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert len(made) == 8
    assert len(set(map(id, made))) == 1


@pytest.mark.parametrize(
    ('options', 'said'),
    [
        ({'processes': 0}, 'processes is 0'),
        ({'scheduler': 'localhost:8786'}, "'localhost:8786'.*tcp://HOST:PORT"),
        ({'scheduler': 'tcp://localhost:1', 'processes': 2}, 'processes'),
    ],
)
def test_options_that_are_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        run(squares(2), common=COMMON, **options)


def test_two_tasks_of_one_name_are_refused():
    with pytest.raises(ParameterError, match=r"2.*'task 0'"):
        run([*squares(1), *squares(1)], common=COMMON)


def test_nothing_to_do():
    assert run([]) == []
