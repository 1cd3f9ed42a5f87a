"""Many tasks of one kind, on the processes of this machine or on a Dask cluster.

Modules::

    run_tasks       the tasks, what an earlier run has finished, and their outcomes in order
    task            a task, its outcome, and how a worker computes it
    local_processes the processes of this machine
    interruptions   Ctrl-C and other ends, also while a process is being started
    cluster         a Dask cluster; only this module imports dask and distributed
    kept_results    the results of an earlier run, for --resume
    plain_data      results as files that nothing is executed from
    once            what a worker computes once for all its tasks
"""

from .once import once
from .run_tasks import run, worker_count
from .task import Outcome, Task

__all__ = ['Outcome', 'Task', 'once', 'run', 'worker_count']
