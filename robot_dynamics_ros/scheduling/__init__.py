"""Many tasks of one kind, on the processes of this machine or on a Dask cluster."""

from .tasks import Outcome, Task, run

__all__ = ['Outcome', 'Task', 'run']
