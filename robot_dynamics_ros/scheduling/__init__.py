"""Many tasks of one kind, on the processes of this machine or on a Dask cluster.

Modules::

    tasks         tasks and their outcomes, computed here, by processes, or by Dask
    kept_results  the results of an earlier run, for --resume
"""

from .tasks import Outcome, Task, run

__all__ = ['Outcome', 'Task', 'run']
