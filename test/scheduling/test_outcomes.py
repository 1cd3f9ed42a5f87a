"""Calls on processes of this machine or a Dask cluster: each gives one outcome, in order."""

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from functools import partial
from pathlib import Path

import fleet_calls
import pytest
from waiting import wait_until

from robot_dynamics_ros import scheduling
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.scheduling import outcomes

LIMIT = 60.0


def pause():
    time.sleep(0.005)


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    """Sets the number of cores; two, whatever this machine has."""
    monkeypatch.setattr(scheduling, 'available_cores', lambda: 2)
    return lambda count: monkeypatch.setattr(scheduling, 'available_cores', lambda: count)


@pytest.fixture(scope='module')
def cluster():
    """A Dask cluster of two processes; its nannies start a new one for each that ends."""
    distributed = pytest.importorskip('distributed')
    import dask

    with (
        dask.config.set({'distributed.scheduler.allowed-failures': 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=':0'
        ) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture(params=['here', 'two processes', 'cluster'])
def where(request, cores):
    """The address of a scheduler; None for processes."""
    cores(1 if request.param == 'here' else 2)
    return request.getfixturevalue('cluster') if request.param == 'cluster' else None


def test_outcomes_are_in_the_order_of_the_items(where, request):
    done = []
    found = outcomes(fleet_calls.square, range(9), where)
    assert [one.result[1] for one in found] == [n**2 for n in range(9)]
    here = 'here' in request.node.name
    assert len(done) == (0 if here else 9)
    assert ({one.result[0] for one in found} == {os.getpid()}) == here
    assert outcomes(fleet_calls.square, [], where) == []


def test_an_error_is_a_row_and_not_the_end(where, request):
    kinds = ['refused', 'unknown', 'missing', 'bug']
    kinds += ['odd'] * ('two processes' in request.node.name)
    refused, unknown, missing, bug, *odd = outcomes(fleet_calls.failing, kinds, where)
    assert refused.error == 'arm.mcap: no joint states, only images'
    assert "'knee'" in unknown.error
    assert missing.error.startswith('/nowhere/file: ')
    assert 'ZeroDivisionError' in bug.error
    assert all('pickle' in one.error for one in odd)


@pytest.mark.parametrize('where', ['two processes', 'cluster'], indirect=True)
def test_a_killed_process_loses_nothing(where, tmp_path):
    """One of two processes is killed in the middle of its item."""
    found = []
    call = partial(fleet_calls.write_process, str(tmp_path))
    caller = threading.Thread(target=lambda: found.extend(outcomes(call, range(5), where)))
    caller.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) >= 2, 'two items', LIMIT, pause)
    victim = next(iter(tmp_path.iterdir()))
    os.kill(int(victim.suffix[1:]), signal.SIGKILL)
    (tmp_path / 'go').touch()
    caller.join(LIMIT)
    assert [(one.result, one.error) for one in found] == [(n, '') for n in range(5)]


@pytest.mark.parametrize('where', ['two processes', 'cluster'], indirect=True)
def test_an_item_that_ends_its_process_each_time_is_a_row(where):
    # Dask suspects the items that wait on a lost worker too: there the bomb is alone.
    bomb, *rest = outcomes(fleet_calls.die, range(1 if where else 2), where)
    assert (bomb.result, bool(bomb.error)) == (None, True)
    assert [one.result for one in rest] == ([] if where else [1])


def test_an_interruption_ends_all_processes_and_removes_what_they_write(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        outcomes(partial(fleet_calls.interrupt_parent, str(tmp_path)), range(2))
    wait_until(lambda: not list(tmp_path.iterdir()), 'the end', LIMIT, pause)


def test_processes_end_with_the_one_that_has_started_them(tmp_path):
    """It is killed: nobody closes what it has begun."""
    context = multiprocessing.get_context('spawn')
    parent = context.Process(target=fleet_calls.wait_in, args=(str(tmp_path),))
    parent.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 'two items', LIMIT, pause)
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


def test_a_scheduler_that_does_not_answer_and_missing_dask_are_refused(monkeypatch):
    pytest.importorskip('distributed')
    monkeypatch.setattr(scheduling, 'PATIENCE', 0.3)
    with socket.socket() as unused:
        unused.bind(('127.0.0.1', 0))
        address = f'tcp://127.0.0.1:{unused.getsockname()[1]}'
        with pytest.raises(ParameterError, match=rf'Dask.*{address}'):
            outcomes(fleet_calls.square, range(2), address)
    monkeypatch.setitem(sys.modules, 'distributed', None)
    with pytest.raises(ParameterError, match=r"pip install 'robot_dynamics_ros\[fleet\]'"):
        outcomes(fleet_calls.square, range(2), address)
