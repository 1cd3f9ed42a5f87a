"""Calls on processes of this machine or a Dask cluster: each gives one outcome, in order."""

import os
import signal
import socket
import sys
import threading
import time
from functools import partial

import fleet_calls
import pytest
from waiting import LIMIT, wait_until

from robot_dynamics_ros import scheduling
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.scheduling import outcomes

pause = partial(time.sleep, 0.005)


@pytest.fixture(params=['here', 'two processes', 'cluster'])
def where(request, monkeypatch):
    """The address of a Dask cluster of two processes; None for processes of this machine."""
    monkeypatch.setattr(scheduling, 'available_cores', lambda: 1 + (request.param != 'here'))
    if request.param != 'cluster':
        yield None
        return
    distributed = pytest.importorskip('distributed')
    options = {'n_workers': 2, 'threads_per_worker': 1, 'dashboard_address': ':0'}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster.scheduler_address


def test_outcomes_are_in_the_order_of_the_items_and_an_error_is_one(where, request):
    found = outcomes(fleet_calls.square, range(9), where)
    assert [one.result[1] for one in found] == [n**2 for n in range(9)]
    assert ({one.result[0] for one in found} == {os.getpid()}) == ('here' in request.node.name)
    assert outcomes(fleet_calls.square, [], where) == []
    kinds = ['refused', 'unknown', 'missing', 'bug']
    refused, unknown, missing, bug = outcomes(fleet_calls.failing, kinds, where)
    assert refused.error == 'refused: arm.mcap: no joint states, only images'
    assert "'knee'" in unknown.error
    assert missing.error.startswith('missing: /nowhere/file: ')
    assert 'ZeroDivisionError' in bug.error


@pytest.mark.parametrize('where', ['two processes', 'cluster'], indirect=True)
def test_a_killed_process_is_an_error_or_is_replaced(where, tmp_path):
    """Nobody waits for ever: a cluster computes again what was lost."""
    found = []
    call = partial(fleet_calls.write_process, str(tmp_path))
    caller = threading.Thread(target=lambda: found.extend(outcomes(call, range(5), where)))
    caller.start()
    wait_until(lambda: len(list(tmp_path.iterdir())) >= 2, 'two items', pause)
    os.kill(int(next(tmp_path.iterdir()).suffix[1:]), signal.SIGKILL)
    (tmp_path / 'go').touch()
    caller.join(LIMIT)
    assert len(found) == 5
    assert any(one.error for one in found) == (where is None)


def test_an_interruption_ends_all_processes_and_removes_what_they_write(tmp_path, monkeypatch):
    monkeypatch.setattr(scheduling, 'available_cores', lambda: 2)
    with pytest.raises(KeyboardInterrupt):
        outcomes(partial(fleet_calls.interrupt_parent, str(tmp_path)), range(2))
    wait_until(lambda: not list(tmp_path.iterdir()), 'the end', pause)


def test_a_scheduler_that_does_not_answer_and_missing_dask_are_refused(monkeypatch):
    dask = pytest.importorskip('dask')
    with socket.socket() as unused, dask.config.set({'distributed.comm.timeouts.connect': 0.3}):
        unused.bind(('127.0.0.1', 0))
        address = f'tcp://127.0.0.1:{unused.getsockname()[1]}'
        with pytest.raises(ParameterError, match=rf'Dask.*{address}'):
            outcomes(fleet_calls.square, range(2), address)
    monkeypatch.setitem(sys.modules, 'distributed', None)
    with pytest.raises(RecordingError, match=r"pip install 'robot_dynamics_ros\[fleet\]'"):
        outcomes(fleet_calls.square, range(2), address)
