"""Tasks on processes of this machine or a Dask cluster: each gives one outcome, in order."""

import os
import signal
import socket
import sys
import threading
import time

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


def numbered(function, count, *arguments):
    return [Task(f'{n}', function, (*arguments, n)) for n in range(count)]


def pause():
    time.sleep(0.005)


@pytest.fixture(scope='module')
def cluster():
    """A Dask cluster of two processes; its nannies start a new one for each that ends."""
    distributed = pytest.importorskip('distributed')
    import dask

    with (
        # A task may lose one worker.
        dask.config.set({'distributed.scheduler.allowed-failures': 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=':0'
        ) as cluster,
    ):
        yield cluster.scheduler_address


# Of the module, so that no local processes end while Dask starts new ones.
@pytest.fixture(scope='module', params=['here', 'two processes', 'cluster'])
def where(request):
    """Where tasks are computed."""
    if request.param == 'cluster':
        return {'scheduler': request.getfixturevalue('cluster')}
    return {'processes': 1 if request.param == 'here' else 2}


elsewhere = pytest.mark.parametrize('where', ['two processes', 'cluster'], indirect=True)


def test_outcomes_are_in_the_order_of_the_tasks(where):
    reported = []
    outcomes = run(squares(9), common=COMMON, report=reported.append, **where)
    assert [outcome.name for outcome in outcomes] == [f'task {number}' for number in range(9)]
    assert [outcome.result['square'] for outcome in outcomes] == [n**2 + 0.5 for n in range(9)]
    assert sorted(outcome.name for outcome in reported) == [outcome.name for outcome in outcomes]
    used = {outcome.result['process'] for outcome in outcomes}
    assert (used == {os.getpid()}) == (where == {'processes': 1})
    assert len(used) <= 2
    assert run([], **where) == []


def test_an_error_is_a_row_and_not_the_end(where):
    tasks = [
        Task('refused', fleet_tasks.refuse, ('arm.mcap: no joint states,\nonly images',)),
        Task('failed', fleet_tasks.fail, (3,)),
        Task('missing', fleet_tasks.fail_until, ('/nowhere/file', 1)),
        *squares(2),
    ]
    if where == {'processes': 2}:
        tasks.append(Task('odd', fleet_tasks.unpicklable, (0,)))
    outcomes = {o.name: o for o in run(tasks, common=COMMON, **where)}
    assert 'odd' not in outcomes or 'pickle' in outcomes['odd'].error
    assert outcomes['refused'].error == 'arm.mcap: no joint states, only images'
    assert 'itself (ZeroDivisionError: division by zero)' in outcomes['failed'].error
    assert '/nowhere/file' in outcomes['missing'].error
    assert outcomes['task 1'].result['square'] == 1.5


@elsewhere
def test_a_killed_process_loses_nothing(where, tmp_path):
    """One of two processes is killed in the middle of its task."""
    tasks = numbered(fleet_tasks.write_process, 5, str(tmp_path))
    outcomes = []
    caller = threading.Thread(target=lambda: outcomes.extend(run(tasks, **where)))
    caller.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) >= 2, 'two tasks', LIMIT, pause)
    victim = next(iter(tmp_path.iterdir()))
    os.kill(int(victim.suffix[1:]), signal.SIGKILL)
    (tmp_path / 'go').touch()
    caller.join(LIMIT)
    assert [(outcome.result, outcome.error) for outcome in outcomes] == [(n, '') for n in range(5)]
    assert [path.stem for path in tmp_path.iterdir()].count(victim.stem) == 2


@elsewhere
def test_a_task_that_ends_its_process_each_time_is_a_row(where):
    # Dask suspects the tasks that wait on a lost worker too: there the bomb is alone.
    others = squares(3) if 'processes' in where else []
    bomb, *rest = run([Task('bomb', fleet_tasks.die, (0,)), *others], common=COMMON, **where)
    assert 'memory' in bomb.error
    assert [outcome.error for outcome in rest] == [''] * len(others)
    after = run(squares(2), common=COMMON, **where)
    assert [outcome.error for outcome in after] == [''] * 2


def test_a_scheduler_that_does_not_answer_and_missing_dask_are_refused(monkeypatch):
    pytest.importorskip('distributed')
    monkeypatch.setattr(task_module, 'SCHEDULER_PATIENCE', 0.3)
    with socket.socket() as unused:
        unused.bind(('127.0.0.1', 0))
        address = f'tcp://127.0.0.1:{unused.getsockname()[1]}'
        with pytest.raises(ParameterError, match=rf'{address}.*Dask'):
            run(squares(2), common=COMMON, scheduler=address)
    monkeypatch.setitem(sys.modules, 'distributed', None)
    with pytest.raises(ParameterError, match=r"pip install 'robot_dynamics_ros\[fleet\]'"):
        run(squares(2), common=COMMON, scheduler=address)
