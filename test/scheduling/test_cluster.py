"""Tasks on a Dask cluster of several processes, one of which is killed."""

import logging
import os
import signal
import socket
import threading
import time

import fleet_tasks
import pytest
from waiting import wait_until

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.scheduling import Task, run
from robot_dynamics_ros.scheduling import tasks as task_module

pytest.importorskip('distributed')

COMMON = {'offset': 0.5}
LIMIT = 60.0


def squares(count):
    return [Task(f'task {number}', fleet_tasks.square, (number,)) for number in range(count)]


def test_outcomes_are_those_of_this_process(cluster):
    address = cluster.scheduler_address
    there = run(squares(20), common=COMMON, scheduler=address)
    here = run(squares(20), common=COMMON, processes=1)
    for one, other in zip(there, here, strict=True):
        assert (one.name, one.error, one.result['square']) == (
            other.name, '', other.result['square'],
        )  # fmt: skip
        assert one.result['values'].tolist() == other.result['values'].tolist()
        assert one.result['process'] != os.getpid()


def test_a_killed_worker_loses_nothing(cluster, tmp_path):
    tasks = [Task(f'{n}', fleet_tasks.write_process, (str(tmp_path), n)) for n in range(8)]
    outcomes = []
    address = cluster.scheduler_address
    caller = threading.Thread(target=lambda: outcomes.extend(run(tasks, scheduler=address)))
    caller.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) >= 2, 'two tasks', LIMIT, pause)
    victim = next(iter(tmp_path.iterdir()))
    os.kill(int(victim.suffix[1:]), signal.SIGKILL)
    (tmp_path / 'go').touch()
    caller.join(LIMIT)
    assert [(outcome.result, outcome.error) for outcome in outcomes] == [(n, '') for n in range(8)]
    begun = [path.stem for path in tmp_path.iterdir()]
    assert begun.count(victim.stem) == 2


def pause():
    time.sleep(0.005)


def test_errors_are_rows_and_passing_ones_are_tried_again(cluster, tmp_path):
    attempts = tmp_path / 'attempts'
    tasks = [
        Task('refused', fleet_tasks.refuse, ('arm.mcap: no joint states',)),
        Task('failed', fleet_tasks.fail, (3,)),
        Task('passing', fleet_tasks.fail_until, (str(attempts), task_module.RETRIES + 1)),
        Task('lasting', fleet_tasks.fail_until, (str(tmp_path / 'others'), 99)),
        *squares(2),
    ]
    outcomes = run(tasks, common=COMMON, scheduler=cluster.scheduler_address)
    found = {outcome.name: outcome for outcome in outcomes}
    assert found['refused'].error == 'arm.mcap: no joint states'
    assert found['failed'].error == 'ZeroDivisionError: division by zero'
    assert found['passing'].result == 'done'
    assert attempts.stat().st_size == task_module.RETRIES + 1
    assert found['lasting'].error == f'{tmp_path}/others: the file server is away'
    assert found['task 1'].result['square'] == 1.5


def test_a_task_that_ends_each_worker_is_a_row(cluster):
    """Dask suspects the tasks that wait on a lost worker too: the bomb is alone."""
    bomb = [Task('bomb', fleet_tasks.die, (0,))]
    outcomes = run(bomb, common=COMMON, scheduler=cluster.scheduler_address)
    assert outcomes[0].error.startswith('each worker')
    after = run(squares(4), common=COMMON, scheduler=cluster.scheduler_address)
    assert [outcome.error for outcome in after] == [''] * 4


def test_a_scheduler_that_ends_leaves_rows(tmp_path):
    """What it computed is an outcome, and the rest are errors: the call returns."""
    distributed = pytest.importorskip('distributed')
    tasks = [Task(f'{n}', fleet_tasks.write_process, (str(tmp_path), n)) for n in range(3)]
    outcomes = []
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=':0'
    ) as cluster:
        address = cluster.scheduler_address
        caller = threading.Thread(target=lambda: outcomes.extend(run(tasks, scheduler=address)))
        caller.start()
        wait_until(lambda: list(tmp_path.iterdir()), 'a task', LIMIT, pause)
    caller.join(LIMIT)
    (tmp_path / 'go').touch()
    assert [bool(outcome.error) for outcome in outcomes] == [True] * 3


def test_dask_logs_nothing_while_tasks_are_computed(cluster):
    """Lost connections are outcomes: its tracebacks would bury them."""
    logger = logging.getLogger('distributed.client')
    before = logger.level
    assert logger.isEnabledFor(logging.ERROR)
    logged = []
    run(
        squares(2), common=COMMON, scheduler=cluster.scheduler_address,
        report=lambda outcome: logged.append(logger.isEnabledFor(logging.CRITICAL)),
    )  # fmt: skip
    assert logged == [False, False]
    assert logger.level == before


def test_each_worker_makes_common_things_once(cluster):
    tasks = [Task(f'{n}', fleet_tasks.made_once, (n,)) for n in range(12)]
    outcomes = run(tasks, common='urdf', scheduler=cluster.scheduler_address)
    results = [tuple(outcome.result) for outcome in outcomes]
    assert len(set(results)) == len({process for process, _ in results})


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(task_module, 'SCHEDULER_PATIENCE', 0.3)
    with socket.socket() as unused:
        unused.bind(('127.0.0.1', 0))
        address = f'tcp://127.0.0.1:{unused.getsockname()[1]}'
        with pytest.raises(ParameterError, match=rf'{address}.*Dask'):
            run(squares(2), common=COMMON, scheduler=address)


def test_without_dask(monkeypatch):
    monkeypatch.setitem(__import__('sys').modules, 'distributed', None)
    with pytest.raises(ParameterError, match=r"pip install 'robot_dynamics_ros\[fleet\]'"):
        run(squares(2), common=COMMON, scheduler='tcp://127.0.0.1:8786')
